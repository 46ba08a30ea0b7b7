// Copies a matrix with one element per thread. A block's width need not be a multiple of a warp:
// then a warp covers parts of several rows. Both sides are multiples of the block's.

extern "C" __global__ void copy2d(int pitch, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * pitch + x] = in[y * pitch + x];
}
