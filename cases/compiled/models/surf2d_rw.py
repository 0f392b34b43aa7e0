"""surf2d_rw.cu: float4, uchar4 and 64-bit accesses to one surface in the three boundary modes.

A launch of width 1 keeps every thread in its own row of `out` (dy = 0), so no two threads touch the same byte."""

import struct

from machine import f32

SIZE = 4  # both surfaces: 4 x 4 texels of float4


def input_bytes():
    floats = [float(1 + 3 * i) for i in range(SIZE * SIZE * 4)]
    return bytearray(struct.pack("<%df" % len(floats), *floats))


def place(x, y, size):
    """Byte offset of an access of `size` bytes, and whether it is in bounds."""
    inside = 0 <= x and x + size <= SIZE * 16 and 0 <= y < SIZE
    return y * SIZE * 16 + x, inside


def clamped(x, y, size):
    """The nearest location: the last one where `size` bytes fit."""
    x = min(max(x, 0), SIZE * 16 - size)
    return min(max(y, 0), SIZE - 1) * SIZE * 16 + x


def kernel(source, out, x, y, dx, dy):
    where, inside = place((x + dx) * 16, y + dy, 16)
    assert inside, "the .trap read must be in bounds"
    a = struct.unpack_from("<4f", source, where)
    b = struct.unpack_from("<4f", source, clamped((x + dx) * 16, y + dy, 16))
    c = a
    e = source[clamped((x + dx) * 4, y + dy, 4):][:4]
    total = [f32(f32(p + q) + r) for p, q, r in zip(a, b, c)]
    total[3] = f32(total[3] + float(e[3]))
    struct.pack_into("<4f", out, place(x * 16, y, 16)[0], *total)
    at = clamped((x - dx) * 4, y - dy, 4)
    out[at:at + 4] = e
    at, inside = place((x - dx) * 8, y - dy, 8)
    if inside:
        struct.pack_into("<q", out, at, x * y)


def run(height, dx, dy):
    source = input_bytes()
    out = bytearray(struct.pack("<%df" % (SIZE * SIZE * 4), *([-1.0] * (SIZE * SIZE * 4))))
    for y in range(height):
        kernel(source, out, 0, y, dx, dy)
    return ["0x%08x" % word for word in struct.unpack("<%dI" % (SIZE * SIZE * 4), out)]


def files():
    floats = struct.unpack("<%df" % (SIZE * SIZE * 4), input_bytes())
    return {
        "surf2d_rw.in": floats,
        "surf2d_rw.rows.0.0": run(4, 0, 0),
        "surf2d_rw.rows.1.0": run(4, 1, 0),
        "surf2d_rw.rows.3.0": run(4, 3, 0),
        "surf2d_rw.one.2.3": run(1, 2, 3),
    }
