"""hist_shared.cu: a histogram of bytes; the order of the additions does not matter."""

from machine import random_words

COUNT = 1000


def files():
    values = [w % 256 if w % 3 else w % 5 for w in random_words(3, COUNT)]
    counts = [100] * 4 + [0] * 252
    return {
        "hist_shared.in": values,
        "hist_shared.before": counts,
        "hist_shared.after": [before + values.count(i) for i, before in enumerate(counts)],
    }
