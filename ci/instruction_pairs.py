#!/usr/bin/env python3
"""Writes cases of two instructions, of which the second reads what the first wrote: each first one with each second one. Compilers join such pairs.

    ci/instruction_pairs.py FOLDER
    warpdiff run --corpus FOLDER --no-golden --no-repeat --against compiled+O3

The reference computes what is allowed; nothing is stated by hand. FOLDER gets files of integers and of `.f32`; docs/findings.md has what they found."""

import argparse
import itertools
import pathlib

# Second instructions in a file, which has one case of at most 10,000 variants.
SECONDS = 60
# How a second instruction's result gets into a word: by the register that it writes.
WORDS = {
    "%v": "",
    "%vh": "cvt.u32.u16 %v, %vh;",
    "%l": "mov.b64 {%w, %v}, %l; xor.b32 %v, %v, %w;",
    "%q": "selp.b32 %v, 1, 2, %q;",
}
CHOICE = "setp.lt.s32 %p, %a, %b; selp.b32 %t"


def each(template, *choices):
    """The template with each combination of the choices."""
    return [template.format(*one) for one in itertools.product(*choices)]


FIELDS = [(0, 8), (0, 16), (8, 8), (16, 8), (16, 16), (24, 8), (1, 16), (0, 1), (31, 1), (16, 17)]
INTEGERS_FIRST = [
    *each("cvt.{} %t, %a", ["s32.s16", "s32.s8", "u32.u16", "u32.u8", "sat.s8.s32", "sat.u8.s32", "sat.s16.s32", "sat.u16.u32", "sat.s16.u32"]),
    *(f"bfe.{ty} %t, %a, {low}, {width}" for low, width in FIELDS for ty in ("s32", "u32")),
    *each("and.b32 %t, %a, {}", ["0xffff", "0xff", "1", "0x7fffffff", "0xffff0000"]),
    *each("shr.{} %t, %a, {}", ["s32", "u32"], [16, 24, 31]),
    *each("shl.b32 %t, %a, {}", [1, 16, 24]),
    *each("{} %t, %a", ["neg.s32", "abs.s32", "not.b32", "cnot.b32", "popc.b32", "clz.b32", "bfind.s32", "bfind.u32", "brev.b32"]),
    *each("cvt.rzi.{}.f32 %t, %a", ["s32", "u32", "u16", "s8"]),
    *each("set.{} %t, %a, %b", ["lt.s32.s32", "lt.u32.u32", "eq.u32.u32", "lt.f32.s32", "lt.u32.f32"]),
    *each("set.lt.{} %t, %ah, %bh", ["u32.u16", "s32.s16"]),
    *each("{} %t, %a, %b", ["add.s32", "sub.s32", "add.sat.s32", "sub.sat.s32", "mul.lo.s32", "mul.hi.s32", "mul24.lo.s32", "max.s32", "or.b32", "xor.b32"]),
    *each("mul.wide.{} %t, %ah, %bh", ["s16", "u16"]),
    *each("{}, 16", ["div.s32 %t, %a", "div.u32 %t, %a", "rem.s32 %t, %a", "rem.u32 %t, %a"]),
    *each("{} %t, %a, %b", ["vabsdiff.u32.s32.s32", "vadd.s32.s32.s32.sat", "vmin.s32.u32.s32"]),
    *each(CHOICE + ", {}, {}, %p", ["1", "-1", "%a"], ["0", "%b"]),
    *["sub.s32 %t, 0, %a", "add.s32 %t, %a, 1", "min.s32 %t, %a, 0", "max.s32 %t, %a, 0", "min.u32 %t, %a, 65535", "sad.s32 %t, %a, %b, 0"],
    *each("prmt.b32 %t, %a, {}", ["0, 0x4440", "0, 0x8880", "%b, 0x5410", "0, 0x9910"]),
    *["slct.s32.s32 %t, %a, %b, %a", "bfi.b32 %t, %a, %b, 0, 16", "mad.lo.s32 %t, %a, %b, 1", "shf.l.wrap.b32 %t, %a, %b, 8", "mul.lo.s32 %t, %a, -1"],
]
INTEGERS_SECOND = [
    *each("cvt.rn.f32.{} %v, %t", ["s32", "u32", "s16", "u16", "s8", "u8"]),
    *each("cvt.rn.f64.{} %l, %t", ["s32", "u32", "s16", "u8"]),
    *["cvt.rn.f16.u32 %vh, %t", "cvt.rz.f32.u32 %v, %t", "cvt.rn.sat.f32.u32 %v, %t", "cvt.rn.sat.f32.s32 %v, %t"],
    *each("cvt.{}.{} %vh, %t", ["s8", "u8", "s16", "u16"], ["s32", "u32"]),
    *each("cvt.sat.{}.{} %vh, %t", ["s8", "u8", "s16", "u16"], ["s32", "u32"]),
    *each("cvt.{}.{} %v, %t", ["s32", "u32"], ["s8", "u8", "s16", "u16"]),
    *each("cvt.{}.{} %l, %t", ["s64", "u64"], ["s8", "u16", "s32", "u32"]),
    *["cvt.sat.s32.u32 %v, %t", "cvt.sat.u32.s32 %v, %t", "cvt.sat.u64.s32 %l, %t"],
    *each("{} %v, %t", ["neg.s32", "abs.s32", "not.b32", "cnot.b32", "popc.b32", "clz.b32", "bfind.s32", "bfind.shiftamt.s32", "brev.b32"]),
    *each("bfe.s32 %v, %t, {}", ["0, 8", "8, 8", "0, 16", "15, 1", "31, 2"]),
    *each("shr.{} %v, %t, {}", ["s32", "u32"], [4, 16, 31, 33]),
    *each("mul.wide.{} %l, %t, {}", ["s32", "u32"], ["%b", "3", "65536"]),
    *each("mul.hi.{} %v, %t, {}", ["s32", "u32"], ["%b", "3", "16"]),
    *each("{} %v, %t, {}", ["div.s32", "div.u32", "rem.s32", "rem.u32"], ["3", "16"]),
    *each("{} %v, %t, {}", ["min.s32", "max.s32", "min.u32", "max.u32"], ["0", "-1", "255", "%b"]),
    *each("{}.sat.s32 %v, %t, {}", ["add", "sub"], ["1", "%b"]),
    *["sub.sat.s32 %v, 0, %t", "sub.sat.s32 %v, %b, %t", "sad.u32 %v, %t, %b, 1", "sad.s32 %v, %t, 0, 1", "mad.hi.u32 %v, %t, %b, 1"],
    *each("setp.{}.{} %q, %t, {}", ["lt", "le", "gt", "ge", "eq", "ne"], ["s32", "u32"], ["0", "1", "-1", "%b"]),
    *each("setp.{}.f32 %q, %t, {}", ["lt", "le", "gt", "ge", "eq", "neu", "geu", "num"], ["0f00000000", "0f3F800000"]),
    *each("set.{} %v, %t, {}", ["lt.u32.s32", "lt.u32.u32", "eq.f32.s32", "ge.s32.s32"], ["0", "1"]),
    *["slct.s32.s32 %v, 1, 2, %t", "slct.b32.f32 %v, 1, 2, %t", "prmt.b32 %v, %t, %b, 0x7531", "bfi.b32 %v, %t, %b, 8, 8", "shf.r.wrap.b32 %v, %b, %t, 40"],
    *each("{}", ["max.f32 %v, %t, 0f00000000", "min.f32 %v, %t, 0f3F800000", "cvt.sat.f32.f32 %v, %t", "mul.sat.f32 %v, %t, 0f3F800000", "cvt.rzi.s32.f32 %v, %t"]),
]
FLOATS_FIRST = [
    "mov.b32 %t, %a",
    *each("{}{}.f32 %t, %a, %b", ["add", "sub", "mul"], [".rn", ".rn.ftz", ".rn.sat", ".rz", ".rm"]),
    *each("{}.f32 %t, %a", ["neg", "abs", "neg.ftz", "abs.ftz", "rcp.rn", "sqrt.rn"]),
    *each("{}.f32 %t, %a, {}", ["min", "max", "min.ftz"], ["%b", "0f00000000", "0f3F800000"]),
    *["mul.rn.f32 %t, %a, 0f40000000", "add.rn.f32 %t, %a, %a", "sub.rn.f32 %t, 0f00000000, %a", "sub.rn.f32 %t, %a, %a", "mul.f32 %t, %a, %a"],
    *each("cvt.{}.f32.f32 %t, %a", ["rzi", "rni", "rmi.ftz", "rpi", "sat", "ftz"]),
    *["cvt.rn.f16.f32 %ah, %a; cvt.f32.f16 %t, %ah", "cvt.f64.f32 %l, %a; cvt.rz.f32.f64 %t, %l", "cvt.rn.f32.s32 %t, %a", "copysign.f32 %t, %b, %a"],
    *["set.lt.f32.f32 %t, %a, %b", "set.geu.ftz.f32.f32 %t, %a, %b", "slct.ftz.f32.f32 %t, %a, %b, %a", "fma.rn.ftz.sat.f32 %t, %a, %b, %a"],
    *each("setp.{}.f32 %p, %a, %b; selp.b32 %t, %a, %b, %p", ["lt", "gtu"]),
    *each("{}", ["and.b32 %t, %a, 0x7fffffff", "xor.b32 %t, %a, 0x80000000", "or.b32 %t, %a, 0x80000000"]),
]
FLOATS_SECOND = [
    *each("{}{}.f32 %v, %t, {}", ["add", "sub", "mul"], [".rn", ".rn.ftz", ".rn.sat", ".rp"], ["%b", "0f00000000", "0f80000000", "0f3F800000"]),
    *each("{}.f32 %v, %t", ["neg", "abs", "neg.ftz", "abs.ftz", "rcp.rn"]),
    *each("{}.f32 %v, %t, {}", ["min", "max", "max.ftz"], ["%b", "0f00000000", "0f3F800000", "0f7F800000"]),
    *["max.f32 %w, %t, 0f00000000; min.f32 %v, %w, 0f3F800000", "min.f32 %w, %t, 0f3F800000; max.f32 %v, %w, 0f00000000"],
    *each("fma.rn{}.f32 %v, %t, {}", ["", ".ftz", ".sat"], ["%b, %a", "0f3F800000, 0f80000000", "0f00000000, %b", "0fBF800000, %b"]),
    *each("cvt.{}.f32.f32 %v, %t", ["rzi", "rni", "rmi", "rpi.ftz", "sat", "ftz", "ftz.sat"]),
    *each("cvt.{}.{}.f32 %v, %t", ["rni", "rzi", "rmi", "rpi"], ["s32", "u32", "ftz.u32"]),
    *each("cvt.{}.{}.f32 %vh, %t", ["rni", "rzi"], ["s16", "u16", "s8", "u8"]),
    *each("cvt.{}.f16.f32 %vh, %t", ["rn", "rn.ftz", "rz.ftz", "rn.sat"]),
    *["cvt.f64.f32 %l, %t", "cvt.ftz.f64.f32 %l, %t", "copysign.f32 %v, %b, %t", "slct.f32.f32 %v, %a, %b, %t", "slct.ftz.f32.f32 %v, %a, %b, %t"],
    *each("testp.{}.f32 %q, %t", ["finite", "subnormal", "notanumber"]),
    *each("setp.{}{}.f32 %q, %t, {}", "lt le gt ge eq ne ltu geu equ neu num nan".split(), ["", ".ftz"], ["0f00000000", "0f3F800000", "%b"]),
]
INTEGERS = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFF80, 0xFFFF8000, 0x89ABCDEF, 0x3F800000, 0x40000000, 0xCF000000]
FLOATS = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 1, 0x80000002, 0x00800000, 0x007FFFFF, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0x4B000001, 0xCF000000, 0x437F8000, 0xC0200000]
BESIDE = [3, 0xFFFFFFFF, 0x80000000, 0x3F800000, 0x7FC00000, 0x10001, 0]


def case(name, firsts, seconds, values):
    """A case of all pairs of these."""
    quoted = ("[" + ", ".join(f'"{one}"' for one in many) + "]" for many in (firsts, [in_a_word(one) for one in seconds]))
    rows = "".join(f"    - {{a: {a:#x}, b: {BESIDE[(3 * at + more) % len(BESIDE)]:#x}}}\n" for at, a in enumerate(values) for more in range(2))
    return f"""- case: {name}
  covers: []
  matrix:
    first: {next(quoted)}
    second: {next(quoted)}
  inputs: {{a: b32, b: b32}}
  outputs: {{o: b32}}
  registers: |
    .reg .b32 %t, %v, %w;
    .reg .pred %p, %q;
    .reg .b16 %ah, %bh, %vh;
    .reg .b64 %l;
  body: |
    cvt.u16.u32 %ah, %a;
    cvt.u16.u32 %bh, %b;
    ${{first}};
    ${{second}}
    mov.b32 %o, %v;
  rows:
{rows}"""


def in_a_word(second):
    """The instruction with what brings its result into `%v`."""
    written = second.split("; ")[-1].split()[1].rstrip(",")
    return f"{second}; {WORDS[written]}".rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0], epilog=__doc__.split("\n\n", 1)[1])
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    kinds = (("integers", INTEGERS_FIRST, INTEGERS_SECOND, INTEGERS), ("floats", FLOATS_FIRST, FLOATS_SECOND, FLOATS))
    for name, firsts, seconds, values in kinds:
        for part, start in enumerate(range(0, len(seconds), SECONDS)):
            text = case(f"{name} {part}", firsts, seconds[start : start + SECONDS], values)
            (folder / f"{name}-{part}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
