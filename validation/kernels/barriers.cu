// Rounds of work with a barrier after each. In every round another warp of the block has more to do
// than the rest, which wait for it; another resident block can use that time.

extern "C" __global__ void barriers(int rounds, int little, int much, float* out)
{
    int warps = blockDim.x / 32;
    int warp = threadIdx.x / 32;
    float sum = threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        int steps = r % warps == warp ? much : little;
#pragma unroll 1
        for (int s = 0; s < steps; ++s) {
#pragma unroll
            for (int u = 0; u < 8; ++u)
                sum = sum * 0.5f + 1.0f;
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
