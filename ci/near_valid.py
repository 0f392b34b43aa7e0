"""Instructions that are nearly valid: each an accepted form of the tables in harness/ptx/tests/assembler with one thing changed. Prints a table
for `warpdiff check --table` (docs/tables.md) whose answers are all `R`: with `--against ptxas --output` it gets those of the assembler.

    python3 ci/near_valid.py COUNT SEED > near.tsv
"""

import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CIRCUMSTANCES = ["12.9:8.8:sm_90", "12.9:8.8:sm_50", "12.9:6.0:sm_60"]
# What stands around an instruction; the same declarations as in harness/ptx/tests/it/assembler.rs, without registers of 128 bits.
BEFORE = """\
.global .surfref surf; .global .texref tex; .global .u32 gv; .global .b8 ga[64]; .const .u32 cv;
.func (.param .b32 rv) fun(.param .b32 a0) { st.param.b32 [rv], 1; ret; }
.visible .entry k(.param .u64 p0, .param .u32 p1) {
.reg .pred %p<8>; .reg .b8 %b<8>; .reg .b16 %rs<8>; .reg .b32 %r<8>; .reg .u32 %u<8>; .reg .s32 %s<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>; .reg .f64 %fd<8>; .reg .u16 %us<8>; .reg .u64 %ud<8>; .reg .s64 %sd<8>;
.reg .v2 .u32 %vv<4>; .reg .v4 .f32 %vf<4>;
.shared .align 8 .b32 sh[8]; .local .align 8 .b32 lo[8];
"""
AFTER = "\nL_end: ret;\n}\n"
# `@%p1 atom.global.add.u32 %r1, [%rd1], 7;`
FORM = re.compile(r"^(@!?%\w+ )?([a-z][\w:.]*?)( .*)?;$")


def accepted():
    """The forms that the assembler takes for some target, and all words behind dots."""
    forms, words = [], set()
    for path in sorted((ROOT / "harness/ptx/tests/assembler").glob("*.tsv")):
        for line in path.read_text().splitlines()[1:]:
            form, *verdicts = line.split("\t")
            if "A" in verdicts and (match := FORM.match(form)):
                forms.append(match.groups(""))
                words.update(match[2].split(".")[1:])
    return forms, sorted(words)


def changed(draw, form, words):
    """The form with one modifier left out, added, replaced or moved, or one operand left out, doubled, replaced or moved."""
    guard, opcode, rest = form
    name, *modifiers = opcode.split(".")
    operands = re.split(r", (?![^{\[(]*[}\])])", rest.strip()) if rest.strip() else []
    # ptxas takes a tuple in the place of some registers of 32 bits: an accident, of which the tables have nothing either.
    single = [operand for operand in operands if not operand.startswith("{")]
    parts, spare = (modifiers, words) if draw.random() < 0.7 else (operands, single + ["0", "-1", "%r0", "%rd0", "%f0", "[%rd0]"])
    how = draw.choice(["out", "in", "other", "move"])
    at = draw.randrange(len(parts)) if parts else 0
    if how == "in" or not parts:
        parts.insert(draw.randrange(len(parts) + 1), draw.choice(spare) if spare else "0")
    elif how == "out":
        parts.pop(at)
    elif how == "other":
        parts[at] = draw.choice(spare)
    else:
        parts.insert(draw.randrange(len(parts)), parts.pop(at))
    text = ", ".join(operands)
    return f"{guard}{'.'.join([name, *modifiers])}{' ' + text if text else ''};"


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    draw = random.Random(seed)
    forms, words = accepted()
    near = set()
    while len(near) < count:
        near.add(changed(draw, draw.choice(forms), words))
    escaped = [text.replace("\\", "\\\\").replace("\n", "\\n") for text in (BEFORE, AFTER)]
    print(f"# {count} nearly valid instructions of seed {seed}, by ci/near_valid.py")
    for circumstance in CIRCUMSTANCES:
        print(f"circumstance\t{circumstance}")
    print("\t".join(["frame", *escaped]))
    print("\t".join(["id", "frame", "source", "answers"]))
    for number, form in enumerate(sorted(near)):
        print("\t".join([f"near/{number}", "0", form, "R" * len(CIRCUMSTANCES)]))


main()
