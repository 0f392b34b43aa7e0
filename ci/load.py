#!/usr/bin/env python3
"""Measures the memory of a large run: ci/load.sh says what for.

    ci/load.py WARPDIFF [VARIANTS]

Makes a corpus of VARIANTS variants (default 100000) in a temporary folder, runs it against four targets of the emulator, with and without reports,
and ends with 1 if a limit is exceeded: 1 GiB at the peak, and 64 MiB more with results as JSON Lines than without."""
import os, pathlib, subprocess, sys, tempfile, time

MIB = 1 << 20
PEAK = 1024
RESULTS = 64
TARGETS = ["emulator", "emulator+suld.clamp-as-zero", "emulator+surface.x-as-texel", "emulator+atom.inc-off-by-one"]
REQUIREMENTS = """- {id: add, kind: must, section: "9.7.1.1", text: add adds.}
- {id: suld.clamp, kind: must, section: "9.7.10.1", text: suld with .clamp loads the nearest texel.}
"""
# Each variant is a program of its own. One case in ten has a surface, which one of the targets gets wrong.
SUM = """- case: add and sub undo each other
  covers: [add]
  why: the sum less the same number
  matrix: {{a: [{tens}], b: [{hundred}]}}
  inputs: {{x: u32}}
  outputs: {{d: u32}}
  body: |
    add.u32 %d, %x, ${{a}};
    sub.u32 %d, %d, ${{a}};
    add.u32 %d, %d, ${{b}};
    sub.u32 %d, %d, ${{b}};
  rows:
    - {{x: 5, d: 5}}
"""
LOAD = """- case: suld clamps
  covers: [suld.clamp]
  why: one texel past the end of the last row, which holds 4 * 2 + 3
  matrix: {{a: [{tens}], b: [{hundred}]}}
  surfaces:
    image: {{geometry: 2d, extent: [4, 3, 1], format: u32, texels: sequence}}
  inputs: {{x: s32, y: s32}}
  outputs: {{d: b32}}
  body: |
    suld.b.2d.b32.clamp %d, [image, {{%x, %y}}];
    add.u32 %d, %d, ${{a}};
    sub.u32 %d, %d, ${{a}};
    add.u32 %d, %d, ${{b}};
    sub.u32 %d, %d, ${{b}};
  rows:
    - {{x: 16, y: 2, d: 11}}
"""

def write(folder, variants):
    cases = folder / "cases"
    for subject in ["integer", "surface"]: (cases / subject).mkdir(parents=True)
    (cases / "requirements.yaml").write_text(REQUIREMENTS)
    per_case = max(variants // 10, 100)
    names = {"tens": ", ".join(map(str, range(per_case // 100))), "hundred": ", ".join(map(str, range(100)))}
    for number in range(9): (cases / "integer" / f"sum{number}.yaml").write_text(SUM.format(**names))
    (cases / "surface" / "load.yaml").write_text(LOAD.format(**names))
    return per_case // 100 * 100 * 10

def run(folder, program, options, summary=False):
    """The peak of resident memory in MiB, and the seconds."""
    against = [word for target in TARGETS for word in ("--against", target)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "WARPDIFF_"))}
    if summary: environment["GITHUB_STEP_SUMMARY"] = str(folder / "summary.md")
    begun = time.time()
    command = [program, "run", "--no-golden", *against, *options]
    child = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) != 1:
        sys.exit(f"error: {' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}, and a target violates the specification in it")
    return usage.ru_maxrss * 1024 / MIB, time.time() - begun

def main():
    program, variants = str(pathlib.Path(sys.argv[1]).resolve()), int((sys.argv[2:] or [100_000])[0])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        variants = write(folder, variants)
        print(f"{variants} variants x {len(TARGETS)} targets")
        plain = None
        for name, options, summary in [
            ("the terminal alone", [], False),
            ("with results", ["--results", "results.jsonl"], False),
            ("with every report", ["--results", "results.jsonl", "--junit", "junit.xml", "--html", "page.html"], True),
        ]:
            peak, seconds = run(folder, program, options, summary)
            plain = peak if plain is None else plain
            print(f"  {name}: {peak:.0f} MiB at the peak, {peak - plain:+.0f} MiB, {seconds:.0f} s")
            if peak > PEAK: failed = True; print(f"    more than {PEAK} MiB")
            if name == "with results" and peak - plain > RESULTS: failed = True; print(f"    more than {RESULTS} MiB for results")
    sys.exit(int(failed))

main()
