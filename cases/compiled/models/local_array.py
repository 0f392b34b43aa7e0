"""local_array.cu: arrays of several types in local memory, indexed at run time."""

from machine import f32, random_words, s8, s16, s32, trunc


def kernel(source, t, n, k):
    a = [source[(t + i) % n] for i in range(64)]
    b = [(a[i] * 3) & 0xFF for i in range(32)]
    s = [s16(a[63 - i]) for i in range(32)]
    d = [a[i] * 0.5 for i in range(16)]
    v = [
        {"a": a[i], "b": f32(a[i + 8]), "c": [s16(i), s16(-i)], "d": [s8(a[i + 16] >> (8 * byte)) for byte in range(4)]}
        for i in range(8)
    ]
    acc = 0
    for i in range(k):
        j = (acc + a[i & 63]) & 63
        a[j] = s32(a[j] ^ i)
        acc = s32(acc + a[(j * 7) & 63] + b[j & 31] + s[(j + 3) & 31] + trunc(d[j & 15]))
        x = dict(v[j & 7])
        acc = s32(acc + x["a"] + trunc(x["b"]) + x["c"][i & 1] + x["d"][i & 3])
        v[i & 7] = dict(x)
        v[i & 7]["a"] = acc
    return acc


def files():
    source = [s32(w) >> 9 for w in random_words(5, 77)]  # below 2^23, exact as binary32
    out = {"local_array.in": source}
    for k in [0, 1, 17, 200]:
        out[f"local_array.out.{k}"] = [kernel(source, t, len(source), k) for t in range(40)]
    return out
