// Streams of doubles, one element per thread. The shared memory is never used: asking for much of
// it at launch leaves room for few blocks, so the block size sets how many threads an SM holds.
//
// For the stencils `in` has two elements more at either end.

#define SPOILER                                    \
    extern __shared__ volatile double unused[];    \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= n) {                                  \
        unused[threadIdx.x] = factor;              \
        return;                                    \
    }

extern "C" __global__ void stream_init(int n, double factor, double* out)
{
    SPOILER
    out[i] = factor;
}

// Stores only what is equal to `factor`, which no element is.
extern "C" __global__ void stream_read(int n, double factor, double* out, const double* in)
{
    SPOILER
    double value = in[i];
    if (value == factor)
        out[i] = value;
}

extern "C" __global__ void stream_scale(int n, double factor, double* out, const double* in)
{
    SPOILER
    out[i] = factor * in[i];
}

extern "C" __global__ void stream_triad(int n, double factor, double* out, const double* in,
                                        const double* more)
{
    SPOILER
    out[i] = in[i] + factor * more[i];
}

extern "C" __global__ void stream_3pt(int n, double factor, double* out, const double* in)
{
    SPOILER
    in += i;
    out[i] = factor * (in[1] + in[2] + in[3]);
}

extern "C" __global__ void stream_5pt(int n, double factor, double* out, const double* in)
{
    SPOILER
    in += i;
    out[i] = factor * (in[0] + in[1] + in[2] + in[3] + in[4]);
}
