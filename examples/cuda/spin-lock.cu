// Every thread takes one lock, adds one to a plain counter, and lets the lock go.

__device__ bool try_lock(int* lock)
{
    bool taken = atomicCAS(lock, 0, 1) == 0;
    __threadfence();              // nothing of the critical section moves above
    return taken;
}

__device__ void unlock(int* lock)
{
    __threadfence();              // everything of the critical section is visible
    atomicExch(lock, 0);
}

// The release lies inside the divergent path, so the lane that holds the lock gives it
// back before it waits for the others. Works on any machine.
extern "C" __global__ void lock_inside(int* lock, int* counter)
{
    bool done = false;
    while (!done) {
        if (try_lock(lock)) {
            *counter += 1;
            unlock(lock);
            done = true;
        }
    }
}

// The lane that holds the lock leaves the waiting loop and must go on alone. A machine
// with one reconvergence stack per warp makes it wait for the others, which wait for it.
extern "C" __global__ void lock_outside(int* lock, int* counter)
{
    while (!try_lock(lock))
        ;
    *counter += 1;
    unlock(lock);
}
