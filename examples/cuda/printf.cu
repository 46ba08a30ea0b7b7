// Formatted output from the device: integers of both signs and widths, floating point,
// characters, strings, padding, and a divergent call that only some lanes make.

#include <cstdio>

extern "C" __global__ void greet(const char* name, float scale)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    printf("block %d thread %u of %s: %6.3f\n", (int)blockIdx.x, threadIdx.x, name, i * scale);
    if (i % 4 == 3)
        printf("%c%02x|%-5d|%5d|%lld|%e|100%%\n", '#', 10 + i, -i, i, (1LL << 40) + i, 1.0 / (i + 1));
}
