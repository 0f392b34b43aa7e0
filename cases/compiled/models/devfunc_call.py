"""devfunc_call.cu: recursion, calls through a table, a choice of pointer, and integer division.

The floats of its switch are stated in compiled.yaml."""

import math

from machine import s32

THREADS = 64


def kernel(t, n, before):
    step = math.factorial(t % 8) + (t * 3 if t & 1 else t + 1)
    shared = t
    out = before
    if n & 1:
        shared += step
    else:
        out += step
    return s32(out + shared + 1000 // (t + 1) + t % 7)


def files():
    before = [1000 * t for t in range(THREADS)]
    return {
        "devfunc_call.before": before,
        "devfunc_call.out.0": [kernel(t, 0, before[t]) for t in range(THREADS)],
        "devfunc_call.out.1": [kernel(t, 1, before[t]) for t in range(THREADS)],
    }
