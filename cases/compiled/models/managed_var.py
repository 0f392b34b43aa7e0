"""managed_var.cu, one thread: the counter returns 5, slot 0 becomes 1 + 5."""


def files():
    old = 5
    slot = 1.0 + old
    return {"managed_var.out": [old + int(slot)]}
