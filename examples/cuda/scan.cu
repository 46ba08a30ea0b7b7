// Prefix sums. Two ways to scan one block of 256 values, and what it takes to scan
// many blocks: scan each, scan the block sums, add them back.

constexpr int THREADS = 256;

// Exclusive scan by the up-and-down tree: 2n additions, half the threads idle or worse.
extern "C" __global__ void scan_tree(const int* in, int* out)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    part[t] = in[i];

    for (int step = 1; step < THREADS; step *= 2) {       // up: sums of subtrees
        __syncthreads();
        int right = (t + 1) * 2 * step - 1;
        if (right < THREADS)
            part[right] += part[right - step];
    }
    __syncthreads();
    if (t == 0)
        part[THREADS - 1] = 0;
    for (int step = THREADS / 2; step > 0; step /= 2) {   // down: sums before subtrees
        __syncthreads();
        int right = (t + 1) * 2 * step - 1;
        if (right < THREADS) {
            int left_sum = part[right - step];
            part[right - step] = part[right];
            part[right] += left_sum;
        }
    }
    __syncthreads();
    out[i] = part[t];
}

// Inclusive scan of a warp by shuffles: 5 steps.
__device__ int warp_scan(int value)
{
    int lane = threadIdx.x % 32;
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(0xffffffff, value, step);
        if (lane >= step)
            value += below;
    }
    return value;
}

// Exclusive scan of n values by warps, with the sum of each block in `sums`.
extern "C" __global__ void scan_warps(int n, const int* in, int* out, int* sums)
{
    __shared__ int warp_sums[32];
    int t = threadIdx.x;
    int i = blockIdx.x * THREADS + t;
    int own = i < n ? in[i] : 0;
    int upto = warp_scan(own);

    if (t < 32)
        warp_sums[t] = 0;
    __syncthreads();
    if (t % 32 == 31)
        warp_sums[t / 32] = upto;
    __syncthreads();
    if (t < 32)
        warp_sums[t] = warp_scan(warp_sums[t]);
    __syncthreads();
    int before = t < 32 ? 0 : warp_sums[t / 32 - 1];
    if (i < n)
        out[i] = before + upto - own;
    if (t == THREADS - 1)
        sums[blockIdx.x] = before + upto;
}

// Adds to every block what lies before it.
extern "C" __global__ void scan_add(int n, const int* offsets, int* out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] += offsets[blockIdx.x];
}
