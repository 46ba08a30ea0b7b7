// Counts the 256 byte values. Each block counts in shared memory, where colliding
// atomics are cheap, and adds its counts to the global ones at the end.

extern "C" __global__ void histogram(int n, const unsigned char* bytes, unsigned* bins)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();

    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&local[bytes[i]], 1u);
    __syncthreads();

    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i] != 0)
            atomicAdd(&bins[i], local[i]);
}
