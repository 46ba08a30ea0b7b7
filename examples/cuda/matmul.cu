// C = A * B through shared-memory tiles. A is m x k, B is k x n, C is m x n, row-major,
// and every side is a multiple of the tile. The block is TILE x TILE threads.
//
// Each thread owns one element of C. Per round the block copies one tile of A and one
// of B, so each value is read from global memory once per block instead of once per thread.

template <int TILE>
__device__ void multiply(int n, int k, const float* a, const float* b, float* c)
{
    __shared__ float a_tile[TILE][TILE];
    __shared__ float b_tile[TILE][TILE];

    int x = threadIdx.x;
    int y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0.0f;

    for (int first = 0; first < k; first += TILE) {
        a_tile[y][x] = a[row * k + first + x];
        b_tile[y][x] = b[(first + y) * n + column];
        __syncthreads();          // both tiles are complete
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();          // nobody reads them any more
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void matmul16(int n, int k, const float* a, const float* b, float* c)
{
    multiply<16>(n, k, a, b, c);
}

extern "C" __global__ void matmul32(int n, int k, const float* a, const float* b, float* c)
{
    multiply<32>(n, k, a, b, c);
}
