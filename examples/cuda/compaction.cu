// A filter, end to end, in three ways. An element passes if it is below a limit; passing
// elements need long work, the others next to none.
//   in place        filter_divergent: a warp with one passing lane pays for 32
//   order kept      count_passing, scan_counts, list_ordered, process
//   order not kept  list_unordered, process
// Compaction has costs of its own (more launches, more memory traffic); the counters of
// all launches together say when it pays. Blocks have 256 threads, n is a multiple of 256.

constexpr int THREADS = 256;

__device__ unsigned long_work(unsigned x)
{
#pragma unroll 1
    for (int i = 0; i < 40; ++i)
        x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    return x;
}

__device__ unsigned short_work(unsigned x)
{
    return ~x;
}

extern "C" __global__ void filter_divergent(unsigned limit, const unsigned* in, unsigned* out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned x = in[i];
    if (x < limit)
        out[i] = long_work(x);
    else
        out[i] = short_work(x);
}

// How many elements of each block pass.
extern "C" __global__ void count_passing(unsigned limit, const unsigned* in, unsigned* counts)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    int count = __syncthreads_count(in[i] < limit);
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}

// One warp turns the counts of up to 32 blocks into offsets, and their sum into `total`.
extern "C" __global__ void scan_counts(int blocks, unsigned* counts, unsigned* total)
{
    int lane = threadIdx.x;
    unsigned own = lane < blocks ? counts[lane] : 0;
    unsigned sum = own;
    for (int step = 1; step < 32; step *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, sum, step);
        if (lane >= step)
            sum += below;
    }
    if (lane < blocks)
        counts[lane] = sum - own;
    if (lane == 31)
        *total = sum;
}

// Lists the passing elements in their order: the place of one is the number before it.
extern "C" __global__ void list_ordered(unsigned limit, const unsigned* in, const unsigned* offsets,
                                        unsigned* list, unsigned* out)
{
    __shared__ unsigned in_warp[THREADS / 32];
    int i = blockIdx.x * THREADS + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    unsigned x = in[i];
    bool passes = x < limit;
    unsigned ballot = __ballot_sync(0xffffffff, passes);
    if (lane == 0)
        in_warp[warp] = __popc(ballot);
    __syncthreads();

    if (passes) {
        unsigned place = offsets[blockIdx.x] + __popc(ballot & ((1u << lane) - 1));
        for (int w = 0; w < warp; ++w)
            place += in_warp[w];
        list[place] = i;
    } else {
        out[i] = short_work(x);
    }
}

// Lists them in whatever order the atomic counter hands out places.
extern "C" __global__ void list_unordered(unsigned limit, const unsigned* in, unsigned* total,
                                          unsigned* list, unsigned* out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    unsigned x = in[i];
    if (x < limit)
        list[atomicAdd(total, 1u)] = i;
    else
        out[i] = short_work(x);
}

// The long work, over the list: full warps but for the last.
extern "C" __global__ void process(const unsigned* total, const unsigned* list, const unsigned* in,
                                   unsigned* out)
{
    int j = blockIdx.x * THREADS + threadIdx.x;
    if (j < *total) {
        unsigned i = list[j];
        out[i] = long_work(in[i]);
    }
}
