"""Drives libcuda through numba-cuda: kernels that numba compiles to PTX run, and give what plain Python computes.

Run by ci/clients.sh and by harness/libcuda/tests/python.rs. numba has neither surfaces nor textures. With NVIDIA's linker (nvJitLink)
installed numba loads machine code of the device's architecture, which our libcuda does not run; without it the driver links PTX.
"""

import contextlib
import importlib.metadata
import os
import sys
import tempfile
import warnings

# Advice on speed, of which small kernels on an emulator get a lot; and that the driver links, which is meant.
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")
os.environ.setdefault("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")
warnings.filterwarnings("ignore", message="cuda.bindings.nvjitlink is not available")

import numpy as np
from numba import cuda, float32, int32


@cuda.jit
def scale_and_add(x, y, factor, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = factor * x[i] + y[i]


@cuda.jit
def block_sums(values, sums):
    shared = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    shared[t] = values[i] if i < values.size else 0
    cuda.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            shared[t] += shared[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = shared[0]


@cuda.jit
def histogram(values, bins):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i] % bins.size, 1)


@cuda.jit
def transpose(a, b):
    x, y = cuda.grid(2)
    if x < a.shape[0] and y < a.shape[1]:
        b[y, x] = a[x, y]


@cuda.jit
def running_sum(values, out):
    local = cuda.local.array(8, float32)
    i = cuda.grid(1)
    total = float32(0)
    for n in range(8):
        total += values[i, n]
        local[n] = total
    for n in range(8):
        out[i, n] = local[7 - n]


@cuda.jit
def says():
    if cuda.threadIdx.x < 2:
        print("thread", cuda.threadIdx.x, 0.5)


@contextlib.contextmanager
def standard_output():
    """What the process, not only Python, writes to its standard output."""
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        text = []
        try:
            yield text
        finally:
            os.dup2(kept, 1)
            os.close(kept)
            file.seek(0)
            text.append(file.read().decode())


# The exit status of a script that says why it does not run.
SKIPPED = 77
LINKERS = ["nvidia-nvjitlink-cu12", "nvidia-nvjitlink"]


def main():
    installed = {distribution.metadata["Name"] for distribution in importlib.metadata.distributions()}
    if linkers := installed.intersection(LINKERS):
        print(f"skipped: with {linkers.pop()} numba makes machine code of sm_90; uninstall it, and the driver links")
        return SKIPPED
    # 2.5 x + y, of small integers, is exact.
    x, y = np.arange(100, dtype=np.float32), np.arange(100, dtype=np.float32)[::-1].copy()
    out = np.zeros(100, np.float32)
    scale_and_add[4, 32](x, y, np.float32(2.5), out)
    assert out.tolist() == [2.5 * i + (99 - i) for i in range(100)], out

    values = np.array([(7 * i) % 31 for i in range(150)], np.int32)
    sums = np.zeros(3, np.int32)
    block_sums[3, 64](values, sums)
    assert sums.tolist() == [sum((7 * i) % 31 for i in range(150) if i // 64 == block) for block in range(3)], sums

    bins = np.zeros(5, np.int32)
    histogram[5, 32](values, bins)
    assert bins.tolist() == [sum((7 * i) % 31 % 5 == bin for i in range(150)) for bin in range(5)], bins

    matrix = np.array([[10 * i + j for j in range(7)] for i in range(5)], np.float64)
    turned = np.zeros((7, 5))
    transpose[(2, 2), (4, 4)](matrix, turned)
    assert turned.tolist() == [[10.0 * i + j for i in range(5)] for j in range(7)], turned

    rows = np.array([[i + n for n in range(8)] for i in range(4)], np.float32)
    summed = np.zeros((4, 8), np.float32)
    running_sum[1, 4](rows, summed)
    expected = [[float(sum(i + m for m in range(8 - n))) for n in range(8)] for i in range(4)]
    assert summed.tolist() == expected, summed

    with standard_output() as text:
        says[1, 32]()
        cuda.synchronize()
    assert text == ["thread 0 0.500000\nthread 1 0.500000\n"], text
    print("device:", cuda.get_current_device().name)
    print("done")


if __name__ == "__main__":
    sys.exit(main())
