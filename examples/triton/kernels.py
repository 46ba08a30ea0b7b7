"""Five Triton kernels, and the recipe that turns them into the PTX files beside this one.

`cargo xtask examples` runs it in this folder; no GPU is needed. Each launch file says what
block and how much shared memory Triton decided on; this script prints both.
"""

import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    """out = x + y: masked vector loads and stores."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(x + at, mask=inside)
    b = tl.load(y + at, mask=inside)
    tl.store(out + at, a + b, mask=inside)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    """Softmax of one row per program: reductions over the block, ex2.approx, a division."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm(x, weight, bias, out, columns, BLOCK: tl.constexpr):
    """Normalises one row per program, in a loop over pieces of BLOCK columns."""
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        values = tl.load(x + at, mask=at < columns, other=0.0)
        total += values
        squares += values * values
    mean = tl.sum(total, axis=0) / columns
    variance = tl.sum(squares, axis=0) / columns - mean * mean
    scale = 1 / tl.sqrt(variance + 1e-5)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + at, mask=inside)
        w = tl.load(weight + at, mask=inside)
        b = tl.load(bias + at, mask=inside)
        tl.store(out + at, (values - mean) * scale * w + b, mask=inside)


@triton.jit
def histogram(x, bins, n, BLOCK: tl.constexpr):
    """Counts values below 64 by global atomics under a mask."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside, other=0)
    tl.atomic_add(bins + value, 1, mask=inside)


@triton.jit
def running_sum(x, out, columns, BLOCK: tl.constexpr):
    """Prefix sums of one row per program, carried over pieces of BLOCK columns."""
    row = tl.program_id(0)
    carry = 0
    for first in range(0, columns, BLOCK):
        at = row * columns + first + tl.arange(0, BLOCK)
        values = tl.load(x + at)
        tl.store(out + at, carry + tl.cumsum(values, axis=0))
        carry += tl.sum(values, axis=0)


# Kernel, types of its parameters, block of elements, warps.
KERNELS = [
    (add, {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32"}, 256, 4),
    (softmax, {"x": "*fp32", "out": "*fp32", "columns": "i32"}, 128, 4),
    (layer_norm, {"x": "*fp32", "weight": "*fp32", "bias": "*fp32", "out": "*fp32", "columns": "i32"}, 128, 4),
    (histogram, {"x": "*i32", "bins": "*i32", "n": "i32"}, 256, 4),
    (running_sum, {"x": "*i32", "out": "*i32", "columns": "i32"}, 128, 2),
]


def main():
    triton.knobs.compilation.always_compile = True
    for kernel, types, block, warps in KERNELS:
        # The debug sections hold the path of the source: only its name, wherever it lies.
        kernel.file_name = Path(kernel.file_name).name
        signature = dict(types, BLOCK="constexpr")
        source = ASTSource(kernel, signature, constexprs={"BLOCK": block})
        options = {"num_warps": warps, "num_stages": 1, "enable_fp_fusion": True}
        built = triton.compile(source, target=GPUTarget("cuda", 80, 32), options=options)
        name = built.metadata.name
        Path(f"{name}.ptx").write_text(built.asm["ptx"])
        print(f"{name}: {32 * warps} threads, {built.metadata.shared} bytes shared", file=sys.stderr)


if __name__ == "__main__":
    main()
