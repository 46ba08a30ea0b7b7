// One time step of gravity among n bodies, every pair, with softening. A body is
// (x, y, z, mass); the block stages as many bodies as it has threads in shared memory.

extern "C" __global__ void nbody(int n, float dt, const float4* bodies, const float4* velocities,
                                 float4* new_bodies, float4* new_velocities)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;

    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            float4 other = tile[j];               // the same for all lanes: a broadcast
            float dx = other.x - me.x;
            float dy = other.y - me.y;
            float dz = other.z - me.z;
            float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float pull = other.w * near * near * near;
            ax += pull * dx;
            ay += pull * dy;
            az += pull * dz;
        }
        __syncthreads();
    }

    float4 v = velocities[i];
    v.x += dt * ax;
    v.y += dt * ay;
    v.z += dt * az;
    new_velocities[i] = v;
    new_bodies[i] = make_float4(me.x + dt * v.x, me.y + dt * v.y, me.z + dt * v.z, me.w);
}
