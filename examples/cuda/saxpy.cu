// y = a*x + y, one thread per element: the smallest complete CUDA program.

extern "C" __global__ void saxpy(int n, float a, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)                    // the last block has threads to spare
        y[i] = a * x[i] + y[i];
}
