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


EXAMPLES = [saxpy]


def main():
    DATA.mkdir(exist_ok=True)
    for example in EXAMPLES:
        for array, values in example().items():
            np.save(DATA / f"{example.__name__}_{array}.npy", values)


if __name__ == "__main__":
    main()
