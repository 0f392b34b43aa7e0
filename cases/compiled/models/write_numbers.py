#!/usr/bin/env python3
"""Writes the numbers files that compiled.yaml compares with.

Each model is a plain transcription of the CUDA source beside it (../NAME.cu) into Python: integers wrap explicitly, every
floating-point step is rounded once from its exact value. Nothing here reads PTX or runs warpdiff. Run it in this folder after
a change and commit the files:

    python3 write_numbers.py
"""

import pathlib

import atomics_shared_all
import cas_shared
import const_tables
import conv2d_surf
import devfunc_call
import hist_shared
import local_array
import managed_var
import reduce_warp
import static_init_ptrs
import surf2d_rw
import surf_asm

MODELS = [
    atomics_shared_all, cas_shared, const_tables, conv2d_surf, devfunc_call, hist_shared, local_array, managed_var,
    reduce_warp, static_init_ptrs, surf2d_rw, surf_asm,
]


def main():
    here = pathlib.Path(__file__).parent
    for model in MODELS:
        for name, numbers in model.files().items():
            numbers = list(numbers)
            lines = [" ".join(str(n) for n in numbers[i:i + 16]) for i in range(0, len(numbers), 16)]
            (here / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
