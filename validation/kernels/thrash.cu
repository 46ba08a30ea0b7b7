// Warps that read their own few lines again and again, with some arithmetic on each word. As long as
// the lines of all resident warps fit into the L1 they hit; with too many warps each one finds its
// lines gone. `compute` is the counterpart that no cache can slow down.

extern "C" __global__ void thrash(int lines, int rounds, const float* in, float* out)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float* own = in + thread / 32 * 32 * lines + threadIdx.x % 32;
    float sum = 0.0f;
    float product = 1.0f;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll 1
        for (int l = 0; l < lines; ++l) {
            float value = own[l * 32];
#pragma unroll
            for (int s = 0; s < 4; ++s) {
                sum = sum * 0.5f + value;
                product = product * value + 0.5f;
            }
        }
    }
    out[thread] = sum + product;
}

extern "C" __global__ void compute(int lines, int rounds, const float* in, float* out)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const float* own = in + thread / 32 * 32 * lines + threadIdx.x % 32;
    float sum = 0.0f;
#pragma unroll 1
    for (int l = 0; l < lines; ++l) {
        float value = own[l * 32];
#pragma unroll 1
        for (int r = 0; r < rounds; ++r) {
#pragma unroll
            for (int s = 0; s < 16; ++s)
                sum = sum * value + 0.5f;
        }
    }
    out[thread] = sum;
}
