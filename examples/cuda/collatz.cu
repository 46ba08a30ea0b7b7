// The number of Collatz steps from i + 1 down to 1. Trip counts of neighbours differ
// wildly, so lanes drop out of the loop one by one and their warp waits for the slowest.

extern "C" __global__ void collatz(int n, unsigned* steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long value = i + 1;
    unsigned count = 0;
    while (value != 1) {
        if (value % 2 == 0)
            value /= 2;
        else
            value = 3 * value + 1;
        ++count;
    }
    steps[i] = count;
}
