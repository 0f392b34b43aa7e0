"""reduce_warp.cu: each block sums the elements it strides over; the second word is 32 when the sum is positive, else 0."""

from machine import random_words, s32

GRID, BLOCK = 3, 96


def kernel(values, block):
    total = 0
    for first in range(block * BLOCK, len(values), GRID * BLOCK):
        total += sum(values[first:first + BLOCK])
    total = s32(total)
    return [total, 32 if total > 0 else 0]


def files():
    values = [s32(w) % 2001 - 1000 for w in random_words(4, 700)]
    values[0] += 50000
    values[BLOCK] -= 50000
    out = [word for block in range(GRID) for word in kernel(values, block)]
    assert {out[1], out[3]} == {0, 32}
    return {"reduce_warp.in": values, "reduce_warp.out": out}
