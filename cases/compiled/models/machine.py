"""The arithmetic of the machine, spelled out: wrapping integers and exact, once-rounded floats."""

import struct
from fractions import Fraction


def s32(x):
    """x wrapped to a signed 32-bit integer."""
    x &= 0xFFFFFFFF
    return x - (1 << 32) if x >> 31 else x


def u32(x):
    """x wrapped to an unsigned 32-bit integer."""
    return x & 0xFFFFFFFF


def u64(x):
    """x wrapped to an unsigned 64-bit integer."""
    return x & 0xFFFFFFFFFFFFFFFF


def s16(x):
    """x wrapped to a signed 16-bit integer."""
    x &= 0xFFFF
    return x - (1 << 16) if x >> 15 else x


def s8(x):
    """x wrapped to a signed 8-bit integer."""
    x &= 0xFF
    return x - (1 << 8) if x >> 7 else x


def f32(x):
    """x rounded to binary32. Every x used here is exact in binary64, so this rounds once."""
    return struct.unpack("<f", struct.pack("<f", float(x)))[0]


def f32_bits(x):
    """The bits of x as binary32."""
    return "0x%08x" % struct.unpack("<I", struct.pack("<f", x))[0]


def f64_bits(x):
    """The bits of x as binary64."""
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def fma64(a, b, c):
    """a * b + c in binary64, rounded once (Python's Fraction to float conversion rounds to nearest even)."""
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def trunc(x):
    """C's conversion of a float in range to an integer."""
    return int(x)


def random_words(seed, count):
    """A fixed, platform-independent stream of 32-bit words (Numerical Recipes' linear congruential generator)."""
    words = []
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) & 0xFFFFFFFF
        words.append(seed ^ (seed >> 13))
    return words
