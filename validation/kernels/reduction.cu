// Seven sums of integers, one per block, each without a weakness of the one before. 128 threads.

constexpr int THREADS = 128;

#define ARGUMENTS const int* in, int* out, int n

__device__ __forceinline__ void finish(const int* part, int* out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

// 1. A tree over neighbours; the threads that add are spread over all warps.
extern "C" __global__ void sum1_divergent(ARGUMENTS)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        if (t % (2 * step) == 0)
            part[t] += part[t + step];
        __syncthreads();
    }
    finish(part, out);
}

// 2. The same tree by the first threads; what they add lies in the same banks.
extern "C" __global__ void sum2_conflicts(ARGUMENTS)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int step = 1; step < blockDim.x; step *= 2) {
        int at = 2 * step * t;
        if (at < blockDim.x)
            part[at] += part[at + step];
        __syncthreads();
    }
    finish(part, out);
}

// Halves instead of neighbours, down to `last` partial sums and those beside them.
__device__ __forceinline__ void halve(int* part, int last)
{
    int t = threadIdx.x;
    for (int step = blockDim.x / 2; step > last; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
}

// 3. Neighbouring threads on neighbouring words.
extern "C" __global__ void sum3_sequential(ARGUMENTS)
{
    __shared__ int part[THREADS];
    part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    halve(part, 0);
    finish(part, out);
}

__device__ __forceinline__ int pair(const int* in)
{
    int at = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    return in[at] + in[at + blockDim.x];
}

// 4. The first addition while loading; half as many blocks.
extern "C" __global__ void sum4_first_add(ARGUMENTS)
{
    __shared__ int part[THREADS];
    part[threadIdx.x] = pair(in);
    __syncthreads();
    halve(part, 0);
    finish(part, out);
}

// One warp adds up 64 partial sums without barriers of the block.
__device__ __forceinline__ void last_warp(int* part)
{
    int t = threadIdx.x;
    if (t >= 32)
        return;
    int sum = part[t];
#pragma unroll
    for (int step = 32; step > 0; step /= 2) {
        sum += part[t + step];
        __syncwarp();
        part[t] = sum;
        __syncwarp();
    }
}

// 5. The last warp's steps unrolled.
extern "C" __global__ void sum5_last_warp(ARGUMENTS)
{
    __shared__ int part[THREADS];
    part[threadIdx.x] = pair(in);
    __syncthreads();
    halve(part, 32);
    last_warp(part);
    finish(part, out);
}

// All steps unrolled for a block size that the compiler knows.
template <int SIZE>
__device__ __forceinline__ void unrolled(int* part)
{
    int t = threadIdx.x;
#pragma unroll
    for (int step = SIZE / 2; step > 32; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
    last_warp(part);
}

template <int SIZE>
__device__ __forceinline__ void sum_unrolled(ARGUMENTS)
{
    __shared__ int part[SIZE];
    int at = blockIdx.x * SIZE * 2 + threadIdx.x;
    part[threadIdx.x] = in[at] + in[at + SIZE];
    __syncthreads();
    unrolled<SIZE>(part);
    finish(part, out);
}

// 6. Every step unrolled.
extern "C" __global__ void sum6_unrolled(ARGUMENTS)
{
    sum_unrolled<THREADS>(in, out, n);
}

template <int SIZE>
__device__ __forceinline__ void sum_many(ARGUMENTS)
{
    __shared__ int part[SIZE];
    int sum = 0;
    for (int at = blockIdx.x * SIZE * 2 + threadIdx.x; at < n; at += gridDim.x * SIZE * 2)
        sum += in[at] + in[at + SIZE];
    part[threadIdx.x] = sum;
    __syncthreads();
    unrolled<SIZE>(part);
    finish(part, out);
}

// 7. Few blocks; each thread adds many elements before the tree begins.
extern "C" __global__ void sum7_many(ARGUMENTS)
{
    sum_many<THREADS>(in, out, n);
}
