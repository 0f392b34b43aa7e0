"""static_init_ptrs.cu: pointers to variables, linked nodes and strings, all initialised statically."""

THREADS = 48


def kernel(t):
    ga = [10, 20, 30, 40]
    nodes = 1 + 2 + 3
    strings = [b"alpha", b"be", b"gamma!"]
    table = [ga[0], ga[3], -1]
    gf = [1, -2, 0]
    packed = [1, 2, 3, 0, 0, 0, 0, 0, 0, 0]
    sh = [-1, 2, -3]
    lut = [3, 1, 4, 1, 5, 9, 2, 6]
    counted = 1  # the counter starts at 100 and only grows
    return (nodes + ga[2] + table[t % 3] + len(strings[t % 3]) + gf[t % 3] + 0 + packed[t % 10] - 5 + sh[t % 3]
            + lut[t & 7] + counted)


def files():
    return {"static_init_ptrs.out": [kernel(t) for t in range(THREADS)]}
