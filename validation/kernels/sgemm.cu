// C = alpha * A * B + beta * C in ten ways, FP32, row-major, from one multiply-add per two loads to
// register tiles of a warp. Tile sizes and access patterns are those of a published comparison.
//
// A has m rows and a pitch of `pitch` words, of which the first k columns take part: so k can be
// cut without changing where rows lie. B is k x n and C is m x n. Every extent is a multiple of
// the kernel's tile.

struct Problem {
    int m, n, k, pitch;
    float alpha, beta;
};

#define ARGUMENTS int m, int n, int k, int pitch, float alpha, const float* a, const float* b, \
                  float beta, float* c
#define PROBLEM Problem{m, n, k, pitch, alpha, beta}

__device__ __forceinline__ void dot(const Problem& p, int row, int column, const float* a,
                                    const float* b, float* c)
{
    float sum = 0.0f;
    for (int i = 0; i < p.k; ++i)
        sum += a[row * p.pitch + i] * b[i * p.n + column];
    float* out = c + row * p.n + column;
    *out = p.alpha * sum + p.beta * *out;
}

// 1. Neighbouring lanes in neighbouring rows: they read A with a stride and write a column of C.
// Grid: m / 32, n / 32; block 32 x 32.
extern "C" __global__ void sgemm1(ARGUMENTS)
{
    dot(PROBLEM, blockIdx.x * 32 + threadIdx.x, blockIdx.y * 32 + threadIdx.y, a, b, c);
}

// 2. Neighbouring lanes in neighbouring columns. Grid: m / 32, n / 32; block 1024.
extern "C" __global__ void sgemm2(ARGUMENTS)
{
    dot(PROBLEM, blockIdx.x * 32 + threadIdx.x / 32, blockIdx.y * 32 + threadIdx.x % 32, a, b, c);
}

// 3. 32 x 32 tiles of A and B in shared memory. Grid: m / 32, n / 32; block 1024.
extern "C" __global__ void sgemm3(ARGUMENTS)
{
    __shared__ float a_tile[32][32];
    __shared__ float b_tile[32][32];
    int y = threadIdx.x / 32;
    int x = threadIdx.x % 32;
    int row = blockIdx.x * 32 + y;
    int column = blockIdx.y * 32 + x;
    float sum = 0.0f;
    for (int first = 0; first < k; first += 32) {
        a_tile[y][x] = a[row * pitch + first + x];
        b_tile[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 32; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();
    }
    float* out = c + row * n + column;
    *out = alpha * sum + beta * *out;
}

// 4. Eight rows of one column per thread. Grid: n / 64, m / 64; block 512.
extern "C" __global__ void sgemm4(ARGUMENTS)
{
    constexpr int TILE = 64, DEPTH = 8, ROWS = 8;
    __shared__ float a_tile[TILE][DEPTH];
    __shared__ float b_tile[DEPTH][TILE];
    int t = threadIdx.x;
    int x = t % TILE;
    int y = t / TILE * ROWS;
    const float* a_from = a + (blockIdx.y * TILE + t / DEPTH) * pitch + t % DEPTH;
    const float* b_from = b + t / TILE * n + blockIdx.x * TILE + x;
    float sums[ROWS] = {};
    for (int first = 0; first < k; first += DEPTH) {
        a_tile[t / DEPTH][t % DEPTH] = a_from[first];
        b_tile[t / TILE][x] = b_from[first * n];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float from_b = b_tile[i][x];
#pragma unroll
            for (int r = 0; r < ROWS; ++r)
                sums[r] += a_tile[y + r][i] * from_b;
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        float* out = c + (blockIdx.y * TILE + y + r) * n + blockIdx.x * TILE + x;
        *out = alpha * sums[r] + beta * *out;
    }
}

// The outer product of 8 values of A and 8 of B, added to 64 sums.
__device__ __forceinline__ void outer(float (&sums)[8][8], const float (&of_a)[8],
                                      const float (&of_b)[8])
{
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int q = 0; q < 8; ++q)
            sums[r][q] += of_a[r] * of_b[q];
}

// 5. Eight rows of eight columns per thread; word by word. Grid: n / 128, m / 128; block 256.
extern "C" __global__ void __launch_bounds__(256) sgemm5(ARGUMENTS)
{
    constexpr int TILE = 128, DEPTH = 8, THREADS = 256;
    __shared__ float a_tile[TILE][DEPTH];
    __shared__ float b_tile[DEPTH][TILE];
    int t = threadIdx.x;
    int x = t % 16 * 8;
    int y = t / 16 * 8;
    const float* a_from = a + (blockIdx.y * TILE + t / DEPTH) * pitch + t % DEPTH;
    const float* b_from = b + t / TILE * n + blockIdx.x * TILE + t % TILE;
    float sums[8][8] = {};
    for (int first = 0; first < k; first += DEPTH) {
#pragma unroll
        for (int r = 0; r < TILE; r += THREADS / DEPTH)
            a_tile[t / DEPTH + r][t % DEPTH] = a_from[r * pitch + first];
#pragma unroll
        for (int r = 0; r < DEPTH; r += THREADS / TILE)
            b_tile[t / TILE + r][t % TILE] = b_from[(first + r) * n];
        __syncthreads();
        for (int i = 0; i < DEPTH; ++i) {
            float of_a[8], of_b[8];
#pragma unroll
            for (int r = 0; r < 8; ++r)
                of_a[r] = a_tile[y + r][i];
#pragma unroll
            for (int q = 0; q < 8; ++q)
                of_b[q] = b_tile[i][x + q];
            outer(sums, of_a, of_b);
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            float* out = c + (blockIdx.y * TILE + y + r) * n + blockIdx.x * TILE + x + q;
            *out = alpha * sums[r][q] + beta * *out;
        }
}

__device__ __forceinline__ float4 read4(const float* from)
{
    return *reinterpret_cast<const float4*>(from);
}

__device__ __forceinline__ void scale_into4(float* out, float alpha, const float* sums, float beta)
{
    float4 old = read4(out);
    old.x = alpha * sums[0] + beta * old.x;
    old.y = alpha * sums[1] + beta * old.y;
    old.z = alpha * sums[2] + beta * old.z;
    old.w = alpha * sums[3] + beta * old.w;
    *reinterpret_cast<float4*>(out) = old;
}

// A tile of A is turned on its way into shared memory, so that the values that a thread needs for
// one step lie side by side.
template <int TILE, int DEPTH, int THREADS>
__device__ __forceinline__ void turn_into(float* a_tile, const float* a, int pitch, int t)
{
    constexpr int QUADS = DEPTH / 4;
    int y = t / QUADS;
    int x = t % QUADS * 4;
#pragma unroll
    for (int r = 0; r < TILE; r += THREADS / QUADS) {
        float4 four = read4(a + (y + r) * pitch + x);
        a_tile[(x + 0) * TILE + y + r] = four.x;
        a_tile[(x + 1) * TILE + y + r] = four.y;
        a_tile[(x + 2) * TILE + y + r] = four.z;
        a_tile[(x + 3) * TILE + y + r] = four.w;
    }
}

// Where the words of a tile of B lie in shared memory.
enum Layout {
    ROWS,        // as in B
    INTERLEAVED, // the 8 values of a thread are 16 words apart
    PADDED,      // rows 5 words longer
};

template <Layout LAYOUT>
__device__ __forceinline__ int place(int row, int column)
{
    if (LAYOUT == ROWS)
        return row * 128 + column;
    if (LAYOUT == INTERLEAVED)
        return row * 128 + column % 8 * 16 + column / 8;
    return row * (128 + 5) + column;
}

template <Layout LAYOUT, int DEPTH>
__device__ __forceinline__ void quads(const Problem& p, const float* a, const float* b, float* c)
{
    constexpr int TILE = 128, THREADS = 256;
    __shared__ __align__(16) float a_tile[DEPTH * TILE];
    __shared__ __align__(16) float b_tile[DEPTH * (TILE + (LAYOUT == PADDED ? 5 : 0))];
    int t = threadIdx.x;
    int x = t % 16 * 8;
    int y = t / 16 * 8;
    int b_row = t / (TILE / 4);
    int b_column = t % (TILE / 4) * 4;
    a += blockIdx.y * TILE * p.pitch;
    b += blockIdx.x * TILE;
    float sums[8][8] = {};
    for (int first = 0; first < p.k; first += DEPTH) {
        turn_into<TILE, DEPTH, THREADS>(a_tile, a + first, p.pitch, t);
#pragma unroll
        for (int r = 0; r < DEPTH; r += THREADS * 4 / TILE) {
            const float* from = b + (first + b_row + r) * p.n + b_column;
            if (LAYOUT == ROWS) {
                *reinterpret_cast<float4*>(b_tile + place<LAYOUT>(b_row + r, b_column)) =
                    read4(from);
            } else {
                float4 four = read4(from);
                b_tile[place<LAYOUT>(b_row + r, b_column + 0)] = four.x;
                b_tile[place<LAYOUT>(b_row + r, b_column + 1)] = four.y;
                b_tile[place<LAYOUT>(b_row + r, b_column + 2)] = four.z;
                b_tile[place<LAYOUT>(b_row + r, b_column + 3)] = four.w;
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; ++i) {
            float of_a[8], of_b[8];
#pragma unroll
            for (int r = 0; r < 8; ++r)
                of_a[r] = a_tile[i * TILE + y + r];
#pragma unroll
            for (int q = 0; q < 8; ++q)
                of_b[q] = b_tile[place<LAYOUT>(i, x + q)];
            outer(sums, of_a, of_b);
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + y) * p.n + blockIdx.x * TILE + x;
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int q = 0; q < 8; q += 4)
            scale_into4(c + r * p.n + q, p.alpha, &sums[r][q], p.beta);
}

// 6. The same with four words per access and A turned. Grid: n / 128, m / 128; block 256.
extern "C" __global__ void __launch_bounds__(256) sgemm6(ARGUMENTS)
{
    quads<ROWS, 8>(PROBLEM, a, b, c);
}

// 7. Neighbouring threads' values of B in neighbouring banks.
extern "C" __global__ void __launch_bounds__(256) sgemm7(ARGUMENTS)
{
    quads<INTERLEAVED, 8>(PROBLEM, a, b, c);
}

// 8. Longer rows of B's tile.
extern "C" __global__ void __launch_bounds__(256) sgemm8(ARGUMENTS)
{
    quads<PADDED, 8>(PROBLEM, a, b, c);
}

// 9. Number 6 with tiles twice as deep, as a search over tile sizes found best.
extern "C" __global__ void __launch_bounds__(256) sgemm9(ARGUMENTS)
{
    quads<ROWS, 16>(PROBLEM, a, b, c);
}

// 10. A warp has 64 x 64 outputs; its threads do them in four steps of 64 x 16, each with 8 x 4
// outputs per thread. Grid: n / 128, m / 128; block 128.
extern "C" __global__ void __launch_bounds__(128) sgemm10(ARGUMENTS)
{
    constexpr int TILE = 128, DEPTH = 16, THREADS = 128, STEPS = 4;
    __shared__ __align__(16) float a_tile[DEPTH * TILE];
    __shared__ __align__(16) float b_tile[DEPTH * TILE];
    int t = threadIdx.x;
    int warp = t / 32;
    int lane = t % 32;
    int x = warp % 2 * 64 + lane % 4 * 4;
    int y = warp / 2 * 64 + lane / 4 * 8;
    int b_row = t / (TILE / 4);
    int b_column = t % (TILE / 4) * 4;
    a += blockIdx.y * TILE * pitch;
    b += blockIdx.x * TILE;
    float sums[8][STEPS][4] = {};
    for (int first = 0; first < k; first += DEPTH) {
        turn_into<TILE, DEPTH, THREADS>(a_tile, a + first, pitch, t);
#pragma unroll
        for (int r = 0; r < DEPTH; r += THREADS * 4 / TILE)
            *reinterpret_cast<float4*>(b_tile + (b_row + r) * TILE + b_column) =
                read4(b + (first + b_row + r) * n + b_column);
        __syncthreads();
        for (int i = 0; i < DEPTH; ++i) {
            float of_a[8], of_b[STEPS][4];
#pragma unroll
            for (int r = 0; r < 8; ++r)
                of_a[r] = a_tile[i * TILE + y + r];
#pragma unroll
            for (int s = 0; s < STEPS; ++s)
#pragma unroll
                for (int q = 0; q < 4; ++q)
                    of_b[s][q] = b_tile[i * TILE + x + s * 16 + q];
#pragma unroll
            for (int s = 0; s < STEPS; ++s)
#pragma unroll
                for (int r = 0; r < 8; ++r)
#pragma unroll
                    for (int q = 0; q < 4; ++q)
                        sums[r][s][q] += of_a[r] * of_b[s][q];
        }
        __syncthreads();
    }
    c += (blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x;
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int s = 0; s < STEPS; ++s)
            scale_into4(c + r * n + s * 16, alpha, sums[r][s], beta);
}
