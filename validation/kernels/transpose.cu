// Copies of a matrix in tiles of 32 x 32 by 32 x 8 threads: what a transposition could reach at
// best. Both sides are multiples of 32. The transpositions themselves are examples/cuda/transpose.

constexpr int TILE = 32;
constexpr int ROWS = 8;

extern "C" __global__ void copy_direct(int width, int height, const float* in, float* out)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < TILE; r += ROWS)
        out[(y + r) * width + x] = in[(y + r) * width + x];
}

// The way through shared memory and a barrier, without turning anything.
extern "C" __global__ void copy_shared(int width, int height, const float* in, float* out)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int r = 0; r < TILE; r += ROWS)
        tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * width + x];
    __syncthreads();
    for (int r = 0; r < TILE; r += ROWS)
        out[(y + r) * width + x] = tile[threadIdx.y + r][threadIdx.x];
}
