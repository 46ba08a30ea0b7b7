// out[x][y] = in[y][x] for a height x width matrix, both multiples of 32.
// A block of 32 x 8 threads moves a 32 x 32 tile, four rows per thread.

constexpr int TILE = 32;
constexpr int ROWS = 8;

// Reads rows, writes columns: every store of a warp touches 32 sectors.
extern "C" __global__ void transpose_naive(int width, int height, const float* in, float* out)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        out[x * height + y + i] = in[(y + i) * width + x];
}

// Turns the tile in shared memory, so that global reads and writes both follow rows.
// PAD is the number of unused words after each tile row.
template <int PAD>
__device__ void through_tile(int width, int height, const float* in, float* out)
{
    __shared__ float tile[TILE][TILE + PAD];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx;
    int y = blockIdx.y * TILE + ty;
    for (int i = 0; i < TILE; i += ROWS)
        tile[ty + i][tx] = in[(y + i) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    y = blockIdx.x * TILE + ty;
    for (int i = 0; i < TILE; i += ROWS)
        out[(y + i) * height + x] = tile[tx][ty + i];
}

// Rows of 32 words: a column lies in one bank, a 32-way conflict.
extern "C" __global__ void transpose_tiled(int width, int height, const float* in, float* out)
{
    through_tile<0>(width, height, in, out);
}

// Rows of 33 words: a column visits every bank once.
extern "C" __global__ void transpose_padded(int width, int height, const float* in, float* out)
{
    through_tile<1>(width, height, in, out);
}
