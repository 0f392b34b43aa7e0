"""Drives libcuda through tinygrad, whose PTX renderer writes the kernels: each operation gives what plain Python computes.

Run by ci/clients.sh and by harness/libcuda/tests/python.rs. Tensor cores are off, as `mma` is not supported; tinygrad uses its images, which
would be textures, on no CUDA device.
"""

import math
import os
import sys

os.environ["DEV"] = "CUDA:PTX"
os.environ["TC"] = "0"
os.environ["CACHELEVEL"] = "0"

from tinygrad import Tensor, dtypes  # noqa: E402  the environment comes first


def close(got, expected, tolerance):
    assert len(got) == len(expected), (got, expected)
    for a, b in zip(got, expected):
        assert abs(a - b) <= tolerance * max(1.0, abs(b)), (got, expected)


def main():
    a = [((7 * i) % 23) - 11 for i in range(60)]
    b = [((5 * i) % 17) - 8 for i in range(60)]
    x, y = Tensor(a, dtype=dtypes.float32), Tensor(b, dtype=dtypes.float32)
    # Sums and products of small integers are exact.
    assert (x + y).tolist() == [p + q for p, q in zip(a, b)]
    assert (x * y - x).tolist() == [p * q - p for p, q in zip(a, b)]
    assert x.relu().tolist() == [max(p, 0) for p in a]
    assert x.sum().item() == sum(a) and x.max().item() == max(a)
    assert (x > y).where(x, y).tolist() == [max(p, q) for p, q in zip(a, b)]
    assert x.reshape(6, 10).sum(axis=0).tolist() == [sum(a[10 * r + c] for r in range(6)) for c in range(10)]
    # 6 x 10 times 10 x 6.
    product = (x.reshape(6, 10) @ y.reshape(10, 6)).tolist()
    expected = [[sum(a[10 * r + k] * b[6 * k + c] for k in range(10)) for c in range(6)] for r in range(6)]
    assert product == expected, product
    assert Tensor(a, dtype=dtypes.int32).cumsum().tolist() == [sum(a[: n + 1]) for n in range(60)]
    big = [2**40 + n for n in range(20)]
    assert (Tensor(big, dtype=dtypes.int64) * 3).tolist() == [3 * n for n in big]
    assert (Tensor(a, dtype=dtypes.int32) // 3).tolist() == [math.floor(p / 3) for p in a]
    # Approximations: tinygrad's own polynomials and the device's `ex2.approx`, of some units in the last place.
    close(x.sin().tolist(), [math.sin(p) for p in a], 1e-5)
    close((x / 8).exp().tolist(), [math.exp(p / 8) for p in a], 1e-5)
    close((x.abs() + 1).sqrt().tolist(), [math.sqrt(abs(p) + 1) for p in a], 1e-6)
    weights = [math.exp(p - max(a)) for p in a]
    close(x.softmax().tolist(), [w / sum(weights) for w in weights], 1e-5)
    half = Tensor(a, dtype=dtypes.float16)
    assert (half + 1).tolist() == [p + 1 for p in a]
    print("done")


if __name__ == "__main__":
    sys.exit(main())
