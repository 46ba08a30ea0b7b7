// Kernels that need many registers, to compare the estimate with.

// C = A * B with ROWS x COLUMNS elements of C per thread and tiles in shared memory.
template <int ROWS, int COLUMNS>
__device__ void product(int n, const float* a, const float* b, float* c)
{
    const int TX = 16, TY = 16, DEPTH = 8;
    __shared__ float a_tile[DEPTH][TY * ROWS];
    __shared__ float b_tile[DEPTH][TX * COLUMNS];
    int x = threadIdx.x, y = threadIdx.y, t = y * TX + x;
    int row = blockIdx.y * TY * ROWS, column = blockIdx.x * TX * COLUMNS;
    float sum[ROWS][COLUMNS] = {};
    for (int first = 0; first < n; first += DEPTH) {
        for (int i = t; i < DEPTH * TY * ROWS; i += TX * TY)
            a_tile[i % DEPTH][i / DEPTH] = a[(row + i / DEPTH) * n + first + i % DEPTH];
        for (int i = t; i < DEPTH * TX * COLUMNS; i += TX * TY)
            b_tile[i / (TX * COLUMNS)][i % (TX * COLUMNS)] =
                b[(first + i / (TX * COLUMNS)) * n + column + i % (TX * COLUMNS)];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; ++k) {
            float u[ROWS], v[COLUMNS];
#pragma unroll
            for (int i = 0; i < ROWS; ++i) u[i] = a_tile[k][y * ROWS + i];
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) v[j] = b_tile[k][x * COLUMNS + j];
#pragma unroll
            for (int i = 0; i < ROWS; ++i)
#pragma unroll
                for (int j = 0; j < COLUMNS; ++j) sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ROWS; ++i)
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
            c[(row + y * ROWS + i) * n + column + x * COLUMNS + j] = sum[i][j];
}

extern "C" __global__ void product4x4(int n, const float* a, const float* b, float* c) { product<4, 4>(n, a, b, c); }
extern "C" __global__ void product8x4(int n, const float* a, const float* b, float* c) { product<8, 4>(n, a, b, c); }
extern "C" __global__ void product8x8(int n, const float* a, const float* b, float* c) { product<8, 8>(n, a, b, c); }

// A transform of N complex numbers in the registers of one thread, radix 2.
template <int N>
__device__ void transform(const float2* in, float2* out, const float2* roots)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = gridDim.x * blockDim.x;
    float2 v[N];
#pragma unroll
    for (int i = 0; i < N; ++i) v[i] = in[t + i * stride];
#pragma unroll
    for (int half = N / 2; half >= 1; half /= 2) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (i & half) continue;
            float2 w = roots[(i % half) * (N / 2 / half)];
            float2 p = v[i], q = v[i + half];
            v[i] = make_float2(p.x + q.x, p.y + q.y);
            float dx = p.x - q.x, dy = p.y - q.y;
            v[i + half] = make_float2(dx * w.x - dy * w.y, dx * w.y + dy * w.x);
        }
    }
#pragma unroll
    for (int i = 0; i < N; ++i) out[t + i * stride] = v[i];
}

extern "C" __global__ void transform8(const float2* in, float2* out, const float2* roots) { transform<8>(in, out, roots); }
extern "C" __global__ void transform16(const float2* in, float2* out, const float2* roots) { transform<16>(in, out, roots); }
extern "C" __global__ void transform32(const float2* in, float2* out, const float2* roots) { transform<32>(in, out, roots); }

// A convolution with a 5 x 5 filter in registers, four outputs a thread.
extern "C" __global__ void filter5x5(int width, const float* in, const float* weights, float* out)
{
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, y = blockIdx.y;
    float w[25];
#pragma unroll
    for (int i = 0; i < 25; ++i) w[i] = weights[i];
    for (int r = 0; r < 16; ++r) {
        float sum[4] = {};
#pragma unroll
        for (int j = 0; j < 5; ++j) {
            float line[8];
#pragma unroll
            for (int i = 0; i < 8; ++i) line[i] = in[(y * 16 + r + j) * width + x + i];
#pragma unroll
            for (int i = 0; i < 5; ++i)
#pragma unroll
                for (int k = 0; k < 4; ++k) sum[k] += w[5 * j + i] * line[i + k];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) out[(y * 16 + r) * width + x + k] = sum[k];
    }
}

// The inverse of an N x N matrix per thread, in place, without pivots.
template <int N, typename T>
__device__ void invert(const T* in, T* out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    T m[N][N];
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) m[i][j] = in[t + (i * N + j) * stride];
#pragma unroll
    for (int k = 0; k < N; ++k) {
        T p = T(1) / m[k][k];
        m[k][k] = T(1);
#pragma unroll
        for (int j = 0; j < N; ++j) m[k][j] *= p;
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (i == k) continue;
            T f = m[i][k];
            m[i][k] = T(0);
#pragma unroll
            for (int j = 0; j < N; ++j) m[i][j] -= f * m[k][j];
        }
    }
#pragma unroll
    for (int i = 0; i < N; ++i)
#pragma unroll
        for (int j = 0; j < N; ++j) out[t + (i * N + j) * stride] = m[i][j];
}

extern "C" __global__ void invert6(const float* in, float* out) { invert<6>(in, out); }
extern "C" __global__ void invert8(const float* in, float* out) { invert<8>(in, out); }
extern "C" __global__ void invert6_double(const double* in, double* out) { invert<6>(in, out); }

// Forces between pairs, eight bodies a thread.
extern "C" __global__ void forces8(int n, const float4* bodies, float4* out)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    float4 p[8];
    float3 f[8] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) p[i] = bodies[t + i];
    for (int j = 0; j < n; ++j) {
        float4 q = bodies[j];
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            float dx = q.x - p[i].x, dy = q.y - p[i].y, dz = q.z - p[i].z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = q.w * r * r * r;
            f[i].x += s * dx; f[i].y += s * dy; f[i].z += s * dz;
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) out[t + i] = make_float4(f[i].x, f[i].y, f[i].z, 0.0f);
}

// Sixteen chains of one hash each, rounds unrolled.
extern "C" __global__ void hashes16(const unsigned* in, unsigned* out, int rounds)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned a[16], b[16], c[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) { a[i] = in[t * 16 + i]; b[i] = a[i] * 7 + i; c[i] = a[i] ^ 0x9e3779b9; }
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            a[i] += b[i]; c[i] ^= a[i]; c[i] = c[i] << 16 | c[i] >> 16;
            b[(i + 1) % 16] += c[i]; a[i] ^= b[i] & c[(i + 5) % 16];
        }
    }
#pragma unroll
    for (int i = 0; i < 16; ++i) out[t * 16 + i] = a[i] + b[i] + c[i];
}

// A polynomial of degree 7 at eight points in double precision.
extern "C" __global__ void polynomial8(const double* coefficients, const double* x, double* y)
{
    int t = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    double c[8], v[8], s[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) { c[i] = coefficients[i]; v[i] = x[t + i]; }
#pragma unroll
    for (int k = 0; k < 8; ++k) s[k] = c[7];
#pragma unroll
    for (int i = 6; i >= 0; --i)
#pragma unroll
        for (int k = 0; k < 8; ++k) s[k] = s[k] * v[k] + c[i];
#pragma unroll
    for (int k = 0; k < 8; ++k) y[t + k] = s[k];
}

// Relaxation in three dimensions, a column of 8 cells per thread.
extern "C" __global__ void column8(int nx, int ny, const float* in, float* out)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    int plane = nx * ny, at = y * nx + x;
    float column[10], sides[8];
#pragma unroll
    for (int z = 0; z < 10; ++z) column[z] = in[at + z * plane];
#pragma unroll
    for (int z = 0; z < 8; ++z) {
        int p = at + (z + 1) * plane;
        sides[z] = in[p - 1] + in[p + 1] + in[p - nx] + in[p + nx];
    }
#pragma unroll
    for (int z = 0; z < 8; ++z)
        out[at + (z + 1) * plane] = 0.5f * column[z + 1] + (sides[z] + column[z] + column[z + 2]) * (1.0f / 12.0f);
}
