"""Corpora and programs of a stated size, for ci/speed.py and ci/growth.py. The same size gives the same bytes on every machine."""

import itertools

REQUIREMENTS = '- {id: add, kind: must, section: "9.7.1.1", text: add adds.}\n'


def corpus(folder, case):
    """A corpus with one file of cases; its folder."""
    cases = folder / "cases"
    (cases / "made").mkdir(parents=True)
    (cases / "requirements.yaml").write_text(REQUIREMENTS)
    (cases / "made" / "cases.yaml").write_text(case)
    return cases


def rows(count):
    """One variant of `count` rows, each with a sum."""
    lines = "".join(f"    - {{x: {x}, d: {x + 5}}}\n" for x in range(count))
    return f"""- case: sums of many rows
  covers: [add]
  why: 5 more than x
  inputs: {{x: u32}}
  outputs: {{d: u32}}
  body: add.u32 %d, %x, 5;
  rows:
{lines}"""


# As many values as one list of a matrix has here; a case may have 10,000 variants.
IN_ONE_CASE = 1000


def variants(count):
    """`count` variants of one row, each a program of its own."""
    cases = []
    for first in range(0, count, IN_ONE_CASE):
        values = ", ".join(str(a) for a in range(first, min(first + IN_ONE_CASE, count)))
        cases.append(f"""- case: many programs, from {first} on
  covers: [add]
  why: what is added is taken away again
  matrix: {{a: [{values}]}}
  inputs: {{x: u32}}
  outputs: {{d: u32}}
  body: |
    add.u32 %d, %x, ${{a}};
    sub.u32 %d, %d, ${{a}};
  rows:
    - {{x: 5, d: 5}}
""")
    return "".join(cases)


def mismatches(count):
    """One variant of `count` rows past the end of a surface: each is a mismatch of a target that takes `.clamp` for `.zero`."""
    lines = "".join(f"    - {{x: {16 + 4 * x}, y: 2, d: 11}}\n" for x in range(count))
    return f"""- case: many rows past the end
  covers: [add]
  why: the nearest texel is the last of its row, 4 * 2 + 3
  surfaces:
    image: {{geometry: 2d, extent: [4, 3], format: u32, texels: sequence}}
  inputs: {{x: s32, y: s32}}
  outputs: {{d: b32}}
  body: suld.b.2d.b32.clamp %d, [image, {{%x, %y}}];
  rows:
{lines}"""


def faulting_rows(count):
    """One variant of `count` rows that fault: each is a launch."""
    lines = "".join(f"    - {{x: {4 + x}, fault: surface-trap}}\n" for x in range(count))
    return f"""- case: many rows that fault
  covers: [add]
  why: a row of the surface has four texels, and each x lies past them
  surfaces:
    image: {{geometry: 1d, extent: [4], format: u32, texels: sequence}}
  inputs: {{x: s32}}
  outputs: {{d: b32}}
  registers: .reg .s32 %at;
  body: |
    shl.b32 %at, %x, 2;
    suld.b.1d.b32.trap %d, [image, {{%at}}];
  rows:
{lines}"""


def whole(title, text, entry, launch, count):
    """A case with a whole program that fills a buffer of `count` numbers; the reference decides what is allowed."""
    indented = "".join(f"    {line}\n" for line in text.splitlines())
    return f"""- case: {title}
  covers: [add]
  program: |
{indented}  buffers: {{out: {{type: u32, count: {count}, values: zero}}}}
  launch: {{entry: {entry}, {launch}}}
"""


HEAD = ".version 8.0\n.target sm_50\n.address_size 64\n"
STORES_ITS_INDEX = (
    HEAD
    + """.visible .entry k(.param .u64 out)
{
  .reg .u64 %p, %o;
  .reg .u32 %t, %b, %n;
  ld.param.u64 %p, [out];
  cvta.to.global.u64 %p, %p;
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %t, %b, %n, %t;
  mul.wide.u32 %o, %t, 4;
  add.u64 %p, %p, %o;
  st.global.u32 [%p], %t;
  ret;
}
"""
)


def threads(count):
    """One launch of `count` threads, in blocks of at most 256."""
    block = min(count, 256)
    launch = f"steps: 1099511627776, grid: [{-(-count // block)}], block: [{block}], arguments: [{{buffer: out}}]"
    return whole("many threads", STORES_ITS_INDEX, "k", launch, -(-count // block) * block)


def blocks(count):
    """One launch of `count` blocks of a thread."""
    launch = f"steps: 1099511627776, grid: [{count}], block: [1], arguments: [{{buffer: out}}]"
    return whole("many blocks", STORES_ITS_INDEX, "k", launch, count)


def registers(count):
    """One thread of a program with `count` registers, each of them set from the one before and used once more at the end."""
    chain = "".join(f"  add.u32 %r{n + 1}, %r{n}, 1;\n" for n in range(count - 1))
    total = "".join(f"  xor.b32 %t, %t, %r{n};\n" for n in range(count))
    text = f"""{HEAD}.visible .entry k(.param .u64 out)
{{
  .reg .u64 %p;
  .reg .u32 %t, %r<{count}>;
  ld.param.u64 %p, [out];
  cvta.to.global.u64 %p, %p;
  mov.u32 %t, 0;
  mov.u32 %r0, 7;
{chain}{total}  st.global.u32 [%p], %t;
  ret;
}}
"""
    return whole("many registers", text, "k", "grid: [1], block: [1], arguments: [{buffer: out}]", 1)


def surface(count):
    """One row that loads from a surface of `count` bytes, in rows of at most 4096."""
    texels = max(count // 4, 1)
    width = min(texels, 1024)
    return f"""- case: a large surface
  covers: [add]
  why: the texel at the origin is number 0
  surfaces:
    image: {{geometry: 2d, extent: [{width}, {-(-texels // width)}], format: u32, texels: sequence}}
  inputs: {{x: s32, y: s32}}
  outputs: {{d: b32}}
  body: suld.b.2d.b32.trap %d, [image, {{%x, %y}}];
  rows:
    - {{x: 0, y: 0, d: 0}}
"""


def program(size):
    """A legal module of about so many bytes: kernels of integer, floating-point and memory instructions."""
    text, length = [HEAD], len(HEAD)
    for number in itertools.count():
        lines = [
            f".visible .entry kernel_{number}(.param .u64 out, .param .u32 n)\n{{\n",
            "  .reg .pred %p<4>;\n  .reg .b32 %r<40>;\n  .reg .f32 %f<40>;\n  .reg .b64 %rd<8>;\n",
            "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [n];\n  cvta.to.global.u64 %rd2, %rd1;\n",
            "  mov.u32 %r2, %tid.x;\n  mul.wide.u32 %rd3, %r2, 4;\n  add.s64 %rd4, %rd2, %rd3;\n",
        ]
        for n in range(3, 33):
            lines += [
                f"  mad.lo.s32 %r{n}, %r{n - 1}, {1664525 + n}, %r1;\n",
                f"  shf.l.wrap.b32 %r{n + 1}, %r{n}, %r{n - 2}, {n % 32};\n",
                f"  cvt.rn.f32.u32 %f{n}, %r{n};\n",
                f"  fma.rn.f32 %f{n + 1}, %f{n}, 0f3F800000, %f{n};\n",
                f"  setp.lt.u32 %p1, %r{n}, {n};\n",
                f"  @%p1 st.global.f32 [%rd4+{4 * n}], %f{n + 1};\n",
            ]
        lines.append("  ret;\n}\n")
        text += lines
        length += sum(map(len, lines))
        if length >= size:
            return "".join(text)
