"""atomics_shared_all.cu, one thread: every cell starts at 0, so each atomic returns 0 unless the thread touched it before."""

from machine import f32_bits, s32, u64


def kernel(v, newer):
    # si: add sub min max and or xor exch
    si = [s32(0 + v), s32(0 - v), min(0, v), max(0, v), 0 & v, 0 | v, 0 ^ v, v]
    r = 0
    su0 = v & 0xFFFFFFFF
    q = 0  # add min max inc dec cas: all return 0
    w = 0
    sl0 = u64(v)
    z = 0
    f = 0.0
    sf0 = float(v)
    si[0] = s32(si[0] + 1)
    if newer:  # __CUDA_ARCH__ >= 600: a double add that returns 0, and si[1] += 3 that returns -v
        f += 0.0
        r = s32(r + si[1])
        si[1] = s32(si[1] + 3)
    out = s32(r + q + si[0] + s32(su0))
    out64 = u64(w + z + sl0)
    return out, out64, f + sf0


def files():
    numbers = {}
    for v in [5, -7, 100000]:
        for sm in [50, 90]:
            out, out64, outf = kernel(v, sm >= 60)
            numbers[f"atomics_shared_all.out.{sm}.{v}"] = [out]
            numbers[f"atomics_shared_all.out64.{sm}.{v}"] = [out64]
            numbers[f"atomics_shared_all.outf.{sm}.{v}"] = [f32_bits(outf)]
    return numbers
