"""cas_shared.cu, one thread: sums and a minimum. The values are small integers, so all sums are exact. (With several threads
the kernel races: it reads the cells with plain loads beside the atomics of others.)"""

from machine import f32_bits, f64_bits, random_words, s32


def files():
    floats = [float(s32(w) % 201 - 100) for w in random_words(6, 25)]
    wides = [s32(w) * 4294967311 for w in random_words(7, 25)]
    return {
        "cas_shared.in": floats,
        "cas_shared.in64": wides,
        "cas_shared.fo": [f32_bits(sum(floats))],
        "cas_shared.lo": [min(wides)],
        "cas_shared.dd": [f64_bits(sum(floats) + 1)],
    }
