"""devfunc_call.cu: recursion, calls through a table, a choice of pointer, integer division, and a switch over math."""

import math

from machine import f32_bits, s32

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
    # sw(0, 0) = 0 + 1, sw(1, 1) = 1 * 1, sw(2, 2) = sqrt(2); binary64's square root rounded again to binary32 is exact here:
    # 1.41421356237309514547 is far from the midpoint of two binary32 numbers.
    return {
        "devfunc_call.before": before,
        "devfunc_call.out.0": [kernel(t, 0, before[t]) for t in range(THREADS)],
        "devfunc_call.out.1": [kernel(t, 1, before[t]) for t in range(THREADS)],
        "devfunc_call.of": [f32_bits(0.0 + 1), f32_bits(1.0 * 1.0), f32_bits(math.sqrt(2.0))],
    }
