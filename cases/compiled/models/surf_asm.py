"""surf_asm.cu: reductions, a formatted store and queries of three surfaces, for a launch of one block.

The launch keeps what several threads do at one place of `s` and `s3` commutative: x = 64 lies beyond `s`, so that its `and` and its load are dropped and its
`or` goes to the last element. In `s2` all threads meet at two places in ways that nothing orders, and the rest stays as it was: compiled.yaml says so. `out`
is left out, because CUDA's channel numbers contribute to it."""

X, Y = 64, 1
THREADS = 8
S = 16  # 1d, u32
S2 = (80, 2)  # 2d, u32
S3 = (20, 2, 4)  # 3d, u32


def initial():
    s = [100 * i for i in range(S)]
    s2 = [7] * (S2[0] * S2[1])
    s3 = [2] * (S3[0] * S3[1] * S3[2])
    return s, s2, s3


def run():
    s, _, s3 = initial()
    for i in range(THREADS):
        s[i] += 1
        s[S - 1] |= i
        if i < S3[2]:
            where = (i * S3[1] + Y) * S3[0] + X // 4
            s3[where] = max(s3[where], i)
    return s, s3


def files():
    s, s2, s3 = initial()
    found = {"surf_asm.s.before": s, "surf_asm.s2.before": s2, "surf_asm.s3.before": s3}
    s, s3 = run()
    return found | {"surf_asm.s": s, "surf_asm.s3": s3}
