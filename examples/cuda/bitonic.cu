// Each block sorts 1024 keys in shared memory with 512 threads, by the bitonic network:
// a compare-and-exchange per thread and step, the pattern fixed whatever the keys are.

constexpr int KEYS = 1024;

extern "C" __global__ void bitonic_sort(unsigned* keys)
{
    __shared__ unsigned s[KEYS];
    int t = threadIdx.x;
    unsigned* mine = keys + blockIdx.x * KEYS;
    s[t] = mine[t];
    s[t + KEYS / 2] = mine[t + KEYS / 2];

#pragma unroll 1
    for (int run = 2; run <= KEYS; run *= 2) {
#pragma unroll 1
        for (int step = run / 2; step > 0; step /= 2) {
            __syncthreads();
            int low = 2 * t - t % step;           // the pair is (low, low + step)
            bool ascending = (low & run) == 0;
            unsigned a = s[low];
            unsigned b = s[low + step];
            if ((a > b) == ascending) {           // depends on the data: lanes diverge here
                s[low] = b;
                s[low + step] = a;
            }
        }
    }
    __syncthreads();
    mine[t] = s[t];
    mine[t + KEYS / 2] = s[t + KEYS / 2];
}
