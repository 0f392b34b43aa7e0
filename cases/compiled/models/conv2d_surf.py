"""conv2d_surf.cu: a 5x5 binomial filter with clamped borders. Texels are small integers and the weights multiples of 1/256, so
every partial sum is exact in binary32 whatever the order or contraction."""

from machine import f32, f32_bits, random_words

WIDTH, HEIGHT = 9, 7
ROW = [1, 4, 6, 4, 1]


def kernel(texels, x, y):
    total = 0.0
    for j in range(-2, 3):
        for i in range(-2, 3):
            sx = min(max(x + i, 0), WIDTH - 1)
            sy = min(max(y + j, 0), HEIGHT - 1)
            total += ROW[j + 2] * ROW[i + 2] / 256.0 * texels[sy * WIDTH + sx]
    assert f32(total) == total
    return total


def files():
    texels = [w % 1000 for w in random_words(2, WIDTH * HEIGHT)]
    out = [f32_bits(kernel(texels, x, y)) for y in range(HEIGHT) for x in range(WIDTH)]
    return {"conv2d_surf.in": [float(t) for t in texels], "conv2d_surf.out": out}
