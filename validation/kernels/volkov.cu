// More work per thread at lower occupancy: matrix products, copies and chains of multiply-adds.

// A 32 x 32 block of C = A * B through 32 x 32 tiles; a thread has OUTPUTS elements of a column.
// Row-major, rows of 1024 words, of which k of A take part. Block: 32 x 32 / OUTPUTS. A word of B in
// a register serves all outputs of the thread. The tile of A is turned and padded: its words for neighbouring
// steps do not lie side by side, so each is a load of its own, as compilers of that time made them.
template <int OUTPUTS>
__device__ __forceinline__ void product(int k, const float* a, const float* b, float* c)
{
    constexpr int TILE = 32, ROWS = TILE / OUTPUTS, PITCH = 1024;
    __shared__ float a_tile[TILE][TILE + 1];
    __shared__ float b_tile[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    a += (blockIdx.y * TILE + y) * PITCH + x;
    b += y * PITCH + blockIdx.x * TILE + x;
    float sums[OUTPUTS] = {};
    for (int first = 0; first < k; first += TILE) {
#pragma unroll
        for (int o = 0; o < OUTPUTS; ++o) {
            a_tile[x][y + o * ROWS] = a[o * ROWS * PITCH];
            b_tile[y + o * ROWS][x] = b[o * ROWS * PITCH];
        }
        a += TILE;
        b += TILE * PITCH;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; ++i) {
            float from_b = b_tile[i][x];
#pragma unroll
            for (int o = 0; o < OUTPUTS; ++o)
                sums[o] += a_tile[i][y + o * ROWS] * from_b;
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + y) * PITCH + blockIdx.x * TILE + x;
#pragma unroll
    for (int o = 0; o < OUTPUTS; ++o)
        c[o * ROWS * PITCH] = sums[o];
}

#define PRODUCT(OUTPUTS)                                              \
    extern "C" __global__ void __launch_bounds__(1024 / OUTPUTS)      \
        product##OUTPUTS(int k, const float* a, const float* b, float* c) \
    {                                                                 \
        product<OUTPUTS>(k, a, b, c);                                 \
    }

PRODUCT(1)
PRODUCT(2)
PRODUCT(4)
PRODUCT(8)

// A 96 x 96 block of C by 16 x 16 threads with 6 x 6 outputs each; tiles are 16 deep. A is k x m,
// turned, so that both tiles are read and written along rows. Sides are multiples of 96, k of 16.
extern "C" __global__ void __launch_bounds__(256, 2)
    product36(int m, int n, int k, const float* a, const float* b, float* c)
{
    constexpr int TILE = 96, DEPTH = 16, SIDE = 16, EACH = TILE / SIDE;
    __shared__ float a_tile[DEPTH][TILE];
    __shared__ float b_tile[DEPTH][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    a += y * m + blockIdx.y * TILE + x;
    b += y * n + blockIdx.x * TILE + x;
    float sums[EACH][EACH] = {};
    for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int e = 0; e < EACH; ++e) {
            a_tile[y][x + e * SIDE] = a[first * m + e * SIDE];
            b_tile[y][x + e * SIDE] = b[first * n + e * SIDE];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float of_a[EACH], of_b[EACH];
#pragma unroll
            for (int e = 0; e < EACH; ++e) {
                of_a[e] = a_tile[i][y + e * SIDE];
                of_b[e] = b_tile[i][x + e * SIDE];
            }
#pragma unroll
            for (int r = 0; r < EACH; ++r)
#pragma unroll
                for (int q = 0; q < EACH; ++q)
                    sums[r][q] += of_a[r] * of_b[q];
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x;
#pragma unroll
    for (int r = 0; r < EACH; ++r)
#pragma unroll
        for (int q = 0; q < EACH; ++q)
            c[r * SIDE * n + q * SIDE] = sums[r][q];
}

// Each thread copies EACH elements, a block's width apart: all loads, then all stores. Distances are
// known to the compiler, so that addresses take few registers.
template <typename T, int EACH, int THREADS>
__device__ __forceinline__ void copy(const T* in, T* out)
{
    int at = blockIdx.x * THREADS * EACH + threadIdx.x;
    in += at;
    out += at;
    T held[EACH];
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        held[e] = in[e * THREADS];
#pragma unroll
    for (int e = 0; e < EACH; ++e)
        out[e * THREADS] = held[e];
}

#define COPY(NAME, T, EACH, THREADS)                     \
    extern "C" __global__ void NAME(const T* in, T* out) \
    {                                                    \
        copy<T, EACH, THREADS>(in, out);                 \
    }

COPY(copy_1_float, float, 1, 256)
COPY(copy_4_float, float, 4, 64)
COPY(copy_8_float4, float4, 8, 64)
COPY(copy_14_float4, float4, 14, 64)

// CHAINS independent chains of multiply-adds in each thread, `rounds` times 32 steps.
template <int CHAINS>
__device__ __forceinline__ void chains(int rounds, float factor, float term, float* out)
{
    float held[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; ++c)
        held[c] = threadIdx.x + c;
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int s = 0; s < 32; ++s)
#pragma unroll
            for (int c = 0; c < CHAINS; ++c)
                held[c] = held[c] * factor + term;
    }
    float sum = 0.0f;
#pragma unroll
    for (int c = 0; c < CHAINS; ++c)
        sum += held[c];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define CHAINS(COUNT)                                                                       \
    extern "C" __global__ void chains##COUNT(int rounds, float factor, float term, float* out) \
    {                                                                                       \
        chains<COUNT>(rounds, factor, term, out);                                           \
    }

CHAINS(1)
CHAINS(2)
CHAINS(3)
CHAINS(4)
