// The sum of an array in seven steps, each removing one cost of the step before.
// Every kernel writes one partial sum per block; blocks have 256 threads.

constexpr int THREADS = 256;

// 1. A tree over neighbours. `t % (2 * step)` leaves active lanes scattered over all warps.
extern "C" __global__ void reduce1_divergent(const float* in, float* out)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        if (t % (2 * step) == 0)
            part[t] += part[t + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// 2. The same tree with the work moved to the first threads: whole warps drop out,
//    but neighbours now are 2 * step words apart and meet in the same banks.
extern "C" __global__ void reduce2_bank_conflicts(const float* in, float* out)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        int i = 2 * step * t;
        if (i < THREADS)
            part[i] += part[i + step];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Folds the upper half onto the lower one: consecutive lanes, consecutive banks.
__device__ void fold(float* part, int t, int down_to)
{
    for (int step = THREADS / 2; step > down_to; step /= 2) {
        if (t < step)
            part[t] += part[t + step];
        __syncthreads();
    }
}

// 3. Halves instead of neighbours: no conflicts.
extern "C" __global__ void reduce3_sequential(const float* in, float* out)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    fold(part, t, 0);
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// 4. The first addition happens while loading, so half as many blocks are needed.
extern "C" __global__ void reduce4_add_on_load(const float* in, float* out)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS * 2 + t;
    part[t] = in[i] + in[i + THREADS];
    __syncthreads();
    fold(part, t, 0);
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// 5. The last 64 values belong to one warp, which needs no block barrier any more.
//    It does need warp barriers: lanes of a warp may run apart.
extern "C" __global__ void reduce5_last_warp(const float* in, float* out)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS * 2 + t;
    part[t] = in[i] + in[i + THREADS];
    __syncthreads();
    fold(part, t, 32);
    if (t < 32) {
        float sum = part[t] + part[t + 32];
        for (int step = 16; step > 0; step /= 2) {
            part[t] = sum;
            __syncwarp();
            sum += part[(t + step) % 32];
            __syncwarp();
        }
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

// The sum over the warp, in lane 0, without shared memory.
__device__ float warp_sum(float sum)
{
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    return sum;
}

// 6. Shuffles pass values between lanes; one word of shared memory per warp is left.
extern "C" __global__ void reduce6_shuffle(const float* in, float* out)
{
    __shared__ float part[THREADS / 32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS * 2 + t;
    float sum = warp_sum(in[i] + in[i + THREADS]);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(t < THREADS / 32 ? part[t] : 0.0f);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}

// 7. Few blocks walk the whole array, so most additions need no other thread at all.
extern "C" __global__ void reduce7_grid_stride(const float* in, float* out, int n)
{
    __shared__ float part[THREADS / 32];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * THREADS + t; i < n; i += gridDim.x * THREADS)
        sum += in[i];
    sum = warp_sum(sum);
    if (t % 32 == 0)
        part[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = warp_sum(t < THREADS / 32 ? part[t] : 0.0f);
        if (t == 0)
            out[blockIdx.x] = sum;
    }
}
