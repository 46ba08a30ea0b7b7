"""Five Numba kernels, and the recipe that turns them into the PTX files beside this one.

`cargo xtask examples` runs it in this folder; no GPU is needed. Numba passes an array as seven
parameters or more: meminfo, parent, number of items, bytes per item, data, and for each
dimension its length, then for each its stride in bytes.
"""

from pathlib import Path

from numba import cuda, float32, float64, int32, int64


def add_matrices(a, b, out):
    """out = a + b over a two-dimensional grid."""
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = a[row, column] + b[row, column]


def warp_sums(x, out):
    """The sum of each 32 values by shuffles."""
    i = cuda.grid(1)
    value = x[i]
    step = 16
    while step > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
        step //= 2
    if cuda.laneid == 0:
        out[i // 32] = value


def histogram(x, bins):
    """Counts values below 64 in shared memory, then adds the counts up in global memory."""
    local = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    if t < 64:
        local[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(local, x[i], 1)
    cuda.syncthreads()
    if t < 64:
        cuda.atomic.add(bins, t, local[t])


def cube_roots(x, out):
    """Cube roots by Newton's iteration, until a step changes nothing: loops of different length."""
    i = cuda.grid(1)
    if i >= x.size:
        return
    value = x[i]
    root = max(value, 1.0)
    while True:
        better = (2.0 * root + value / (root * root)) / 3.0
        if better >= root:
            break
        root = better
    out[i] = root


def largest(x, out):
    """The largest value and its place, over all blocks, by one 64-bit atomic per warp."""
    i = cuda.grid(1)
    key = (int64(x[i]) << 32) | i
    step = 1
    while step < 32:
        key = max(key, cuda.shfl_xor_sync(0xFFFFFFFF, key, step))
        step *= 2
    if cuda.laneid == 0:
        cuda.atomic.max(out, 0, key)


KERNELS = [
    (add_matrices, (float32[:, ::1], float32[:, ::1], float32[:, ::1])),
    (warp_sums, (int32[::1], int32[::1])),
    (histogram, (int32[::1], int32[::1])),
    (cube_roots, (float64[::1], float64[::1])),
    (largest, (int32[::1], int64[::1])),
]


def main():
    for kernel, signature in KERNELS:
        text, _ = cuda.compile_ptx(kernel, signature, cc=(8, 0), lineinfo=True)
        Path(f"{kernel.__name__}.ptx").write_text(text)


if __name__ == "__main__":
    main()
