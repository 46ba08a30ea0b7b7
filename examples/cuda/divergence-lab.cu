// One branch, three conditions. The three kernels read the same elements, write the same
// elements and hold the same two loops of equal length; only the condition differs:
//   lab_alternating   neighbours disagree: every warp runs both loops, half of it idle
//   lab_one_path      all lanes agree: one loop
//   lab_warp_uniform  warps disagree, lanes of a warp do not: one loop per warp

__device__ unsigned branch(bool first, unsigned x, int rounds)
{
    if (first) {
#pragma unroll 1
        for (int i = 0; i < rounds; ++i)
            x = x * 5 + 1;
    } else {
#pragma unroll 1
        for (int i = 0; i < rounds; ++i)
            x = x * 9 + 7;
    }
    return x;
}

extern "C" __global__ void lab_alternating(int rounds, const unsigned* in, unsigned* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = branch(i % 2 == 0, in[i], rounds);
}

extern "C" __global__ void lab_one_path(int rounds, const unsigned* in, unsigned* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = branch(i < gridDim.x * blockDim.x, in[i], rounds);
}

extern "C" __global__ void lab_warp_uniform(int rounds, const unsigned* in, unsigned* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = branch(i / 32 % 2 == 0, in[i], rounds);
}
