#!/usr/bin/env python3
"""Writes the inputs and expected outputs in examples/data with NumPy alone.

Every function below states what a kernel must compute, without looking at how the
kernel does it. Run from anywhere: python3 examples/make_expected.py
"""

from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parent / "data"


def rng(name):
    """A generator that depends on the example's name alone."""
    return np.random.default_rng(list(name.encode()))


def saxpy():
    i = np.arange(1000, dtype=np.float32)
    return {"y": 2 * i + 1}


def matmul():
    """A and B have different shapes, so that mixed-up sides show."""
    g = rng("matmul")
    a = g.uniform(-1, 1, (64, 96)).astype(np.float32)
    b = g.uniform(-1, 1, (96, 32)).astype(np.float32)
    c = a.astype(np.float64) @ b.astype(np.float64)
    return {"a": a, "b": b, "c": c.astype(np.float32)}


def reduction():
    """Sums of iota: every partial sum is below 2^24, so f32 is exact in any order."""
    x = np.arange(4096, dtype=np.float32)
    stride = x.reshape(4, 4, 256)  # round, block, thread of a grid of 4 blocks
    return {
        "blocks256": x.reshape(16, 256).sum(axis=1),
        "blocks512": x.reshape(8, 512).sum(axis=1),
        "stride": stride.sum(axis=(0, 2)),
    }


def transpose():
    m = np.arange(96 * 64, dtype=np.float32).reshape(96, 64)
    return {"out": np.ascontiguousarray(m.T)}


def histogram():
    """Bytes with a bias, so that some bins are hot and some stay empty."""
    data = np.clip(rng("histogram").normal(100, 30, 10000), 0, 255).astype(np.uint8)
    return {"bytes": data, "bins": np.bincount(data, minlength=256).astype(np.uint32)}


def scan():
    x = rng("scan").integers(-100, 100, 2000).astype(np.int32)
    exclusive = np.cumsum(x) - x
    block = x[:1792].reshape(7, 256)
    tree = np.cumsum(block, axis=1) - block
    return {
        "in": x,
        "out": exclusive.astype(np.int32),
        "tree": tree.ravel().astype(np.int32),
        "total": np.array([x.sum()], dtype=np.int32),
    }


def collatz():
    steps = []
    for value in range(1, 1001):
        count = 0
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count += 1
        steps.append(count)
    return {"steps": np.array(steps, dtype=np.uint32)}


def nbody():
    g = rng("nbody")
    bodies = g.uniform(-1, 1, (256, 4)).astype(np.float32)
    bodies[:, 3] = g.uniform(0.1, 1, 256)
    velocities = g.uniform(-1, 1, (256, 4)).astype(np.float32)
    place = bodies[:, :3].astype(np.float64)
    mass = bodies[:, 3].astype(np.float64)
    apart = place[None, :, :] - place[:, None, :]
    pull = mass / ((apart**2).sum(axis=2) + 0.01) ** 1.5
    dt = np.float64(np.float32(0.01))
    new_velocities = velocities.astype(np.float64)
    new_velocities[:, :3] += dt * (pull[:, :, None] * apart).sum(axis=1)
    new_bodies = bodies.astype(np.float64)
    new_bodies[:, :3] += dt * new_velocities[:, :3]
    return {
        "bodies": bodies,
        "velocities": velocities,
        "new_bodies": new_bodies.astype(np.float32),
        "new_velocities": new_velocities.astype(np.float32),
    }


def bitonic():
    keys = rng("bitonic").integers(0, 2**32, 2048).astype(np.uint32)
    return {"keys": keys, "sorted": np.sort(keys.reshape(2, 1024), axis=1).ravel()}


def stencil():
    """Four steps on a plate whose sides are no multiples of the 16 x 16 blocks."""
    plate = rng("stencil").uniform(0, 100, (40, 50)).astype(np.float32)
    now = plate.astype(np.float64)
    for _ in range(4):
        around = now[1:-1, :-2] + now[1:-1, 2:] + now[:-2, 1:-1] + now[2:, 1:-1]
        after = now.copy()
        after[1:-1, 1:-1] += 0.5 * (0.25 * around - now[1:-1, 1:-1])
        now = after
    return {"in": plate, "out": now.astype(np.float32)}


def spin_lock():
    return {
        "free": np.zeros(1, dtype=np.int32),
        "warp": np.array([32], dtype=np.int32),
        "grid": np.array([4 * 96], dtype=np.int32),
    }


def printf():
    """Two blocks of five threads; the text is what a C printf makes of it."""
    text = ""
    for block in range(2):
        ids = range(5 * block, 5 * block + 5)
        for i in ids:
            text += f"block {block} thread {i % 5} of warploom: {i * 0.5:6.3f}\n"
        for i in ids:
            if i % 4 == 3:
                text += f"#{10 + i:02x}|{-i:<5d}|{i:5d}|{2**40 + i}|{1 / (i + 1):e}|100%\n"
    (DATA / "printf_stdout.txt").write_text(text)
    return {"name": np.frombuffer(b"warploom\0", dtype=np.uint8)}


def case_01():
    threads = np.arange(32, dtype=np.uint32)
    return {"all": threads, "even": np.where(threads % 2 == 0, threads, 0).astype(np.uint32)}


def case_04():
    """Thread 15 has the upper half of 15, which is 0, below the lower half of 16."""
    values = np.arange(32, dtype=np.uint32)
    values[15] = 16 << 16
    return {"halves": values}


def case_08():
    threads = np.arange(32, dtype=np.uint32)
    return {
        "four": threads % 4 * 8 + 7,
        "same": np.full(32, 23, dtype=np.uint32),
        "full": np.full(32, 0xFFFFFFFF, dtype=np.uint32),
    }


def divergence_lab():
    """The two recurrences of the lab, picked by each kernel's condition."""
    x = np.arange(2048, dtype=np.uint32)
    first, second = x.copy(), x.copy()
    for _ in range(64):
        first = first * np.uint32(5) + np.uint32(1)
        second = second * np.uint32(9) + np.uint32(7)
    return {
        "alternating": np.where(x % 2 == 0, first, second),
        "one_path": first,
        "warp_uniform": np.where(x // 32 % 2 == 0, first, second),
    }


def compaction():
    """In every 32 elements exactly 4 lie below the limit of 1000, at random places."""
    g = rng("compaction")
    x = g.integers(1000, 2**32, (64, 32)).astype(np.uint32)
    for row in x:
        row[g.choice(32, 4, replace=False)] = g.integers(0, 1000, 4)
    x = x.ravel()
    worked = x.copy()
    for _ in range(40):
        worked = (worked ^ (worked >> np.uint32(15))) * np.uint32(0x2C1B3C6D)
    passing = np.flatnonzero(x < 1000).astype(np.uint32)
    return {
        "in": x,
        "out": np.where(x < 1000, worked, ~x),
        "list": passing,
        "total": np.array([len(passing)], dtype=np.uint32),
    }


def clang_dot():
    g = rng("clang dot")
    a, b = g.integers(-50, 50, (2, 3000)).astype(np.int32)
    return {"a": a, "b": b, "sum": np.array([a @ b], dtype=np.int32)}


def clang_gcd():
    """Random pairs with common factors, and zeros."""
    g = rng("clang gcd")
    a, b = (g.integers(0, 50000, (2, 500)) * g.integers(1, 500, 500)).astype(np.uint32)
    a[:4] = [0, 7, 0, 1]
    b[:4] = [0, 0, 9, 1]
    return {"a": a, "b": b, "out": np.gcd(a, b)}


def clang_unit_rows():
    x = rng("clang unit_rows").normal(0, 3, (16, 32)).astype(np.float32)
    wide = x.astype(np.float64)
    unit = wide / np.sqrt((wide**2).sum(axis=1, keepdims=True))
    return {"in": x, "out": unit.astype(np.float32)}


def clang_pack_bytes():
    g = rng("clang pack_bytes")
    x = np.where(g.random((6, 128)) < 0.4, g.integers(1, 256, (6, 128)), 0).astype(np.uint8)
    out = np.zeros_like(x)
    for row, packed in zip(x, out):
        kept = row[row != 0]
        packed[: len(kept)] = kept
    return {"in": x, "out": out, "counts": (x != 0).sum(axis=1).astype(np.int32)}


def clang_interpret():
    """A program of (operand << 8 | opcode) words, run on integers of 64 bits."""
    steps = [(1, 3), (5, 0), (2, 1000003), (3, 0x5A5A5), (4, 0), (5, 0), (0, 0), (5, 0), (5, 0)]
    program = (steps + [(1, 77), (4, 0), (2, 31)]) * 3
    mask = 2**64 - 1
    out = []
    for value in range(128):
        at = 0
        while at < len(program):
            opcode, operand = program[at]
            if opcode == 1:
                value = (value + operand) & mask
            elif opcode == 2:
                value = (value * operand) & mask
            elif opcode == 3:
                value ^= operand
            elif opcode == 4:
                ones = bin(value).count("1")
                value = (int(f"{value:064b}"[::-1], 2) + ones) & mask
            elif opcode == 5:
                at += value & 1
            else:
                value ^= mask
            at += 1
        out.append(value)
    words = [operand << 8 | opcode for opcode, operand in program]
    return {
        "program": np.array(words, dtype=np.uint32),
        "out": np.array(out, dtype=np.uint64),
    }


def triton_add():
    x, y = rng("triton add").normal(0, 1, (2, 1000)).astype(np.float32)
    return {"x": x, "y": y, "out": x + y}


def triton_softmax():
    x = rng("triton softmax").normal(0, 2, (10, 100)).astype(np.float32)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    return {"x": x, "out": (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)}


def triton_layer_norm():
    g = rng("triton layer_norm")
    x = g.normal(1, 2, (8, 300)).astype(np.float32)
    weight, bias = g.normal(0, 1, (2, 300)).astype(np.float32)
    wide = x.astype(np.float64)
    mean = wide.mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    out = (wide - mean) * scale * weight + bias
    return {"x": x, "weight": weight, "bias": bias, "out": out.astype(np.float32)}


def triton_histogram():
    x = rng("triton histogram").binomial(63, 0.3, 1000).astype(np.int32)
    return {"x": x, "bins": np.bincount(x, minlength=64).astype(np.int32)}


def triton_running_sum():
    x = rng("triton running_sum").integers(-1000, 1000, (4, 384)).astype(np.int32)
    return {"x": x, "out": np.cumsum(x, axis=1).astype(np.int32)}


def numba_add_matrices():
    a, b = rng("numba add_matrices").normal(0, 1, (2, 30, 50)).astype(np.float32)
    return {"a": a, "b": b, "out": a + b}


def numba_warp_sums():
    x = rng("numba warp_sums").integers(-1000, 1000, 512).astype(np.int32)
    return {"x": x, "out": x.reshape(16, 32).sum(axis=1).astype(np.int32)}


def numba_histogram():
    x = rng("numba histogram").binomial(63, 0.6, 3000).astype(np.int32)
    return {"x": x, "bins": np.bincount(x, minlength=64).astype(np.int32)}


def numba_cube_roots():
    x = 10.0 ** rng("numba cube_roots").uniform(-3, 12, 300)
    return {"x": x, "out": np.cbrt(x)}


def numba_largest():
    """The largest value in the upper half of the key, the last place that has it in the lower."""
    x = rng("numba largest").integers(0, 1000, 1024).astype(np.int32)
    place = np.flatnonzero(x == x.max())[-1]
    return {"x": x, "out": np.array([(int(x.max()) << 32) | int(place)], dtype=np.int64)}


EXAMPLES = [
    saxpy,
    matmul,
    reduction,
    transpose,
    histogram,
    scan,
    collatz,
    nbody,
    bitonic,
    stencil,
    spin_lock,
    printf,
    divergence_lab,
    compaction,
    case_01,
    case_04,
    case_08,
    clang_dot,
    clang_gcd,
    clang_unit_rows,
    clang_pack_bytes,
    clang_interpret,
    triton_add,
    triton_softmax,
    triton_layer_norm,
    triton_histogram,
    triton_running_sum,
    numba_add_matrices,
    numba_warp_sums,
    numba_histogram,
    numba_cube_roots,
    numba_largest,
]


def main():
    DATA.mkdir(exist_ok=True)
    for example in EXAMPLES:
        for array, values in example().items():
            name = example.__name__.replace("_", "-")
            np.save(DATA / f"{name}_{array}.npy", values)


if __name__ == "__main__":
    main()
