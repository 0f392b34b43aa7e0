#!/usr/bin/env python3
"""Every machine word that ptxas makes of generated programs: decoded, printed as nvdisasm prints it, and assembled to the same bits.

    ci/generated_words.py WARPDIFF PTXAS NVDISASM FOLDER...

A folder has programs as `cargo run -p warpdiff-generator --example programs` writes them. ptxas must be one that knows sm_50, nvdisasm that of
CUDA 12.8. Programs that ptxas does not take for sm_50 are left out and counted. Exits with 1 at a difference.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LEVELS = "0123"
# Programs in a module: a call of a tool costs more than what it does for one.
PROGRAMS = 100
# Names of module scope in generated programs.
NAMES = re.compile(r"(?<![%\w.])(specimen|source|sink|picture|sampler|table\d+)\b")
HEAD = ".version 8.1\n.target sm_50{mode}\n.address_size 64\n"


def body(number: int, text: str) -> tuple[str, str]:
    """The head that a program needs, and the rest under names of its own."""
    mode = ", texmode_independent" if "texmode_independent" in text else ""
    rest = text.split(".address_size 64\n", 1)[1]
    return HEAD.format(mode=mode), NAMES.sub(rf"m{number}_\1", rest)


def run(*command: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, input=stdin, capture_output=True, text=True)


def modules(head: str, bodies: list[str], ptxas: str, level: str, folder: pathlib.Path) -> tuple[list[pathlib.Path], int]:
    """Cubins of all programs that ptxas takes, and how many it does not take. A module that it rejects is halved."""
    source, cubin = folder / "in.ptx", folder / f"{len(list(folder.glob('*.cubin')))}.cubin"
    source.write_text(head + "".join(bodies))
    if run(ptxas, "-arch=sm_50", f"-O{level}", "-o", str(cubin), str(source)).returncode == 0:
        return [cubin], 0
    if len(bodies) == 1:
        return [], 1
    middle = len(bodies) // 2
    front, lost = modules(head, bodies[:middle], ptxas, level, folder)
    back, more = modules(head, bodies[middle:], ptxas, level, folder)
    return front + back, lost + more


def words_of(listing: str) -> list[str]:
    return re.findall(r"/\* (0x[0-9a-f]{16}) \*/", listing)


def in_order(listing: str) -> list[str]:
    """The lines with labels numbered by their first place: nvdisasm leaves out numbers where kernels call functions."""
    numbers: dict[str, str] = {}
    number = lambda found: numbers.setdefault(found[0], f".L_{len(numbers)}")
    return [re.sub(r"\.L_x_\d+", number, line) for line in listing.splitlines()]


def check(cubin: pathlib.Path, warpdiff: str, nvdisasm: str) -> tuple[int, list[str]]:
    """The number of words of a cubin, and what differs."""
    theirs = run(nvdisasm, "-c", "-ndf", str(cubin))
    ours = run(warpdiff, "disassemble", "--as", "nvdisasm", str(cubin))
    if theirs.returncode or ours.returncode:
        return 0, [theirs.stderr or ours.stderr or ours.stdout]
    listings = in_order(theirs.stdout), in_order(ours.stdout)
    wrong = [f"nvdisasm: {a}\nwarpdiff: {b}" for a, b in zip(*listings) if a != b]
    if len(listings[0]) != len(listings[1]):
        wrong.append("the listings have different lengths")
    words = words_of(run(nvdisasm, "-c", "-ndf", "-hex", str(cubin)).stdout)
    # Branches are relative, so the kernels can stand behind one another in one program.
    text = run(warpdiff, "disassemble", "-", stdin=" ".join(words))
    again = run(warpdiff, "assemble", "-", stdin=text.stdout)
    if text.returncode or again.returncode:
        return len(words), wrong + [text.stderr or again.stdout[:2000] + again.stderr[:2000]]
    assembled = again.stdout.split()
    if assembled != words:
        wrong += [f"{a} is assembled as {b}" for a, b in zip(words, assembled) if a != b][:10]
        if len(assembled) != len(words):
            wrong.append(f"{len(words)} words are assembled as {len(assembled)}")
    return len(words), wrong


def main() -> int:
    warpdiff, ptxas, nvdisasm, *folders = sys.argv[1:]
    failed = False
    for folder in folders:
        by_head: dict[str, list[str]] = {}
        for number, path in enumerate(sorted(pathlib.Path(folder).glob("*.ptx"))):
            head, rest = body(number, path.read_text())
            by_head.setdefault(head, []).append(rest)
        for level in LEVELS:
            count, lost, kernels, wrong = 0, 0, 0, []
            for head, bodies in by_head.items():
                for first in range(0, len(bodies), PROGRAMS):
                    with tempfile.TemporaryDirectory() as place:
                        chunk = bodies[first : first + PROGRAMS]
                        cubins, left = modules(head, chunk, ptxas, level, pathlib.Path(place))
                        lost += left
                        kernels += len(chunk) - left
                        for cubin in cubins:
                            number, found = check(cubin, warpdiff, nvdisasm)
                            count += number
                            wrong += found
            print(f"{folder} -O{level}: {kernels} kernels, {count} words, {lost} programs not for sm_50, {len(wrong)} differences", flush=True)
            for line in wrong[:20]:
                print(line)
            failed |= bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
