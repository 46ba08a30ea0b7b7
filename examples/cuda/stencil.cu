// One step of heat flow on a width x height plate: each inner cell moves towards the mean
// of its four neighbours; the rim keeps its temperature. Blocks of 16 x 16 threads stage
// their cells and a halo of one cell in shared memory.

constexpr int TILE = 16;

extern "C" __global__ void heat_step(int width, int height, float rate, const float* in, float* out)
{
    __shared__ float tile[TILE + 2][TILE + 2];
    int tx = threadIdx.x + 1;
    int ty = threadIdx.y + 1;
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    bool inside = x < width && y < height;
    int i = y * width + x;

    if (inside) {
        tile[ty][tx] = in[i];
        if (tx == 1 && x > 0)                                // the halo: few lanes, divergent
            tile[ty][0] = in[i - 1];
        if (tx == TILE && x + 1 < width)
            tile[ty][TILE + 1] = in[i + 1];
        if (ty == 1 && y > 0)
            tile[0][tx] = in[i - width];
        if (ty == TILE && y + 1 < height)
            tile[TILE + 1][tx] = in[i + width];
    }
    __syncthreads();
    if (!inside)
        return;

    float here = tile[ty][tx];
    if (x > 0 && x + 1 < width && y > 0 && y + 1 < height) {
        float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
        here += rate * (0.25f * around - here);
    }
    out[i] = here;
}
