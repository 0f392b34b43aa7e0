#!/usr/bin/env python3
"""Holds machine words against nvdisasm: decoded, printed as nvdisasm 12.8 prints them, and assembled to the same bits.

    ci/words.py --ptxas PTXAS --nvdisasm NVDISASM [--archs sm_50,...] [--levels O0,...] [--flags=FLAG] [--keep DIR] PLACE...

A place is a PTX program, a cubin, or a folder of them. Programs are compiled for each architecture (sm_50, sm_52 and sm_53) at each
level (-O0 to -O3), up to 100 in a module, since a call of a tool costs more than what it does for one program: what they declare gets
names of its own. Programs of which ptxas complains are counted and left out, and the others of the module compiled again.
A program whose `.target` is newer is compiled with that lowered to the architecture, and with a `.version` that the architecture needs.

The example `agree` of warpdiff-sass then compares: our listing of a cubin is nvdisasm's; our text of it is assembled to the same words,
control fields included; nvdisasm's whole listing with encodings (`-hex`) is assembled to the same words, and without them to the same
instructions. `--fields COUNT` holds single words instead: every field of every form at every value, and COUNT random words of each form
(the example `fields`), with each in the listing of a raw image. Generated programs come from `cargo run -p
warpdiff-generator --example programs`. Exits with 1 at a difference.
"""
import argparse
import bisect
import collections
import concurrent.futures
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

PROGRAMS = 100
# Names that a program declares outside of functions, and the name of each function.
FUNCTION = re.compile(r"\.(?:entry|func(?:\s*\([^)]*\))?)\s+([\w$%]+)")
VARIABLE = re.compile(r"\.(?:global|const|shared|local|tex)\b[^=;{]*?([A-Za-z_$%][\w$]*)\s*(?:\[[^\]]*\]\s*)*(?:[=;,]|$)")
MORE = re.compile(r",\s*([A-Za-z_$%][\w$]*)\s*(?:\[[^\]]*\]\s*)*(?==|;|,|$)")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
COUNTS = re.compile(r"(\d+) cubins, (\d+) words, (\d+) kinds of difference")


def declared(text: str) -> set[str]:
    """The names that a program declares outside of functions."""
    outside, depth, start = [], 0, 0
    for brace in re.finditer(r"[{}]", text):
        if depth == 0:
            outside.append(text[start : brace.start()])
        depth += 1 if brace[0] == "{" else -1
        start = brace.end()
    outside.append(text[start:])
    names = set()
    for piece in outside:
        names.update(FUNCTION.findall(piece))
        for statement in piece.split(";"):
            found = VARIABLE.search(statement)
            if found and not FUNCTION.search(statement):
                names.add(found[1])
                if "=" not in statement:
                    names.update(MORE.findall(statement, found.end(1)))
    return names


class Program:
    """A PTX program: the head that it needs, and the rest under names of its own."""

    def __init__(self, path: pathlib.Path, number: int):
        self.path = path
        # Architectures for which ptxas does not take it.
        self.not_for: set[str] = set()
        text = COMMENT.sub(" ", path.read_text())
        version = re.search(r"\.version\s+(\d+)\.(\d+)", text)
        target = re.search(r"\.target\s+([^\n;]*)", text)
        address = re.search(r"\.address_size\s+\d+", text)
        if not version or not target:
            self.head, self.body = ("", 0, "", ""), text.rstrip() + "\n"
            return
        sm = re.search(r"sm_(\d+)", target[1])
        self.head = (
            max((int(version[1]), int(version[2])), (4, 2)),
            int(sm[1]) if sm else 0,
            ", texmode_independent" if "texmode_independent" in target[1] else "",
            address[0] if address else "",
        )
        body = text[max(found.end() for found in (version, target, address) if found) :]
        names = declared(body)
        if names:
            either = "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))
            body = re.sub(rf"(?<![%\w.$])({either})(?![\w$])", rf"m{number}_\1", body)
        # A line break at the end: messages name lines.
        self.body = body.rstrip() + "\n"

    def headline(self, arch: str) -> str:
        version, sm, mode, address = self.head
        if not version:
            return ""
        target = f"sm_{sm}" if sm and sm < int(arch[3:]) else arch
        return f".version {version[0]}.{version[1]}\n.target {target}{mode}\n{address}\n"


def run(*command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, capture_output=True)


class Campaign:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.rejections: collections.Counter[str] = collections.Counter()

    def compile(self, head: str, programs: list[Program], arch: str, level: str, stem: str) -> tuple[list[pathlib.Path], int]:
        """Cubins of all programs that ptxas takes, and how many it does not take."""
        known = [program for program in programs if arch not in program.not_for]
        lost = len(programs) - len(known)
        if not known:
            return [], lost
        source, cubin = pathlib.Path(stem + ".ptx"), pathlib.Path(stem + ".cubin")
        source.write_text(head + "".join(program.body for program in known))
        made = run(self.options.ptxas, f"-arch={arch}", f"-{level}", *self.options.flags, "-o", str(cubin), str(source))
        source.unlink()
        if made.returncode == 0:
            return [cubin], lost
        message = made.stderr.decode(errors="replace")
        starts = [0]
        for text in [head] + [program.body for program in known]:
            starts.append(starts[-1] + text.count("\n"))
        wrong = {bisect.bisect_left(starts, int(line)) - 2 for line in re.findall(r", line (\d+); (?:error|fatal)", message)}
        wrong = {at for at in wrong if 0 <= at < len(known)}
        if len(known) == 1:
            wrong = {0}
        if wrong:
            lines = message.splitlines() or ["crash"]
            self.rejections[lines[0].split(";")[-1].strip()[:120]] += len(wrong)
            for at in wrong:
                # What ptxas says of an instruction it says at every level.
                known[at].not_for.add(arch)
                if self.options.verbose:
                    print(known[at].path, lines[0])
            left, more = self.compile(head, known, arch, level, stem + "c")
            return left, lost + more
        middle = len(known) // 2
        front, less = self.compile(head, known[:middle], arch, level, stem + "a")
        back, more = self.compile(head, known[middle:], arch, level, stem + "b")
        return front + back, lost + less + more

    def listed(self, cubins: list[pathlib.Path]) -> list[str]:
        """Writes nvdisasm's listings beside the cubins; returns what it says of those that it does not list."""
        errors = []
        for cubin in cubins:
            made = run(self.options.nvdisasm, "-c", "-ndf", "-hex", str(cubin))
            if made.returncode:
                errors.append(f"{cubin}: nvdisasm: {made.stderr.decode(errors='replace')[:200]}")
            cubin.with_suffix(".sass").write_bytes(made.stdout)
        return errors

    def agree(self, cubins: list[pathlib.Path]) -> tuple[int, int, list[str]]:
        """The numbers of words and of differences, and what differs."""
        if not cubins:
            return 0, 0, []
        # The example reads the listings beside them.
        command = [self.options.agree] if self.options.agree else ["cargo", "run", "-q", "-p", "warpdiff-sass", "--example", "agree", "--"]
        made = run(*command, *map(str, cubins))
        *differences, last = made.stdout.decode().splitlines() or [""]
        counts = COUNTS.search(last)
        if not counts:
            return 0, 1, [made.stderr.decode()[-2000:]]
        return int(counts[2]), int(counts[3]), differences

    def batch(self, head: str, programs: list[Program], arch: str, level: str, stem: str) -> tuple[int, int, int, list[str]]:
        """Of some programs with one head: programs not taken, words, differences, and what differs."""
        cubins, lost = self.compile(head, programs, arch, level, stem)
        errors = self.listed(cubins)
        words, differences, what = self.agree(cubins)
        if not self.options.keep:
            for cubin in cubins:
                cubin.unlink()
                cubin.with_suffix(".sass").unlink()
        return lost, words, differences + len(errors), errors + what

    def programs(self, programs: list[Program], folder: str) -> bool:
        fails = False
        for arch in self.options.archs.split(","):
            heads: dict[str, list[Program]] = {}
            for program in programs:
                heads.setdefault(program.headline(arch), []).append(program)
            size = self.options.together
            batches = [(head, all[first : first + size]) for head, all in heads.items() for first in range(0, len(all), size)]
            for level in self.options.levels.split(","):
                with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
                    tasks = [
                        pool.submit(self.batch, head, some, arch, level, f"{folder}/{number}.{arch}.{level}")
                        for number, (head, some) in enumerate(batches)
                    ]
                    done = [task.result() for task in tasks]
                lost, words, differences = (sum(one[at] for one in done) for at in range(3))
                taken = len(programs) - lost
                print(f"{arch} -{level}: {taken} programs, {words} words, {differences} kinds of difference; {lost} programs not taken", flush=True)
                for line in [line for one in done for line in one[3]][: self.options.show]:
                    print(" ", line, flush=True)
                fails |= differences > 0
        return fails

    def cubins(self, cubins: list[pathlib.Path], folder: str) -> bool:
        links = []
        for number, cubin in enumerate(cubins):
            # The listing goes beside a link, not into somebody's folder.
            links.append(pathlib.Path(folder) / f"{number}.{cubin.name}")
            links[-1].symlink_to(cubin.resolve())
        errors = self.listed(links)
        words, differences, what = self.agree(links)
        print(f"{len(cubins)} cubins, {words} words, {differences + len(errors)} kinds of difference")
        for line in (errors + what)[: self.options.show]:
            print(" ", line)
        return bool(errors) or differences > 0


# One cycle, no barriers: nothing is issued together.
CONTROL = sum(0x7E1 << 21 * slot for slot in range(3))
NOTHING = 0x50B0000000070F00


def raw_texts(words: list[int], nvdisasm: str, arch: str, image: pathlib.Path) -> list[str]:
    """The address of each word and what nvdisasm prints there; nothing for those that it refuses, which it names."""
    refused: set[int] = set()
    place = lambda index: index // 3 * 32 + 8 + index % 3 * 8
    while True:
        shown = [NOTHING if place(index) in refused else word for index, word in enumerate(words)]
        shown += [NOTHING] * (-len(shown) % 3)
        bundles = [struct.pack("<4Q", CONTROL, *shown[at : at + 3]) for at in range(0, len(shown), 3)]
        image.write_bytes(b"".join(bundles))
        made = run(nvdisasm, "-b", arch.upper().replace("_", ""), "-ndf", str(image))
        if made.returncode == 0:
            break
        more = {int(at, 16) for at in re.findall(r"at address (0x[0-9a-f]+)", made.stderr.decode())} - refused
        if not more:
            sys.exit(f"nvdisasm: {made.stderr.decode()[:500]}")
        refused |= more
    lines = dict(re.findall(r"^\s*/\*([0-9a-f]+)\*/\s*(.*?)\s*;\s*$", made.stdout.decode(), re.M))
    text = lambda at: "" if at in refused else lines[f"{at:04x}"]
    return [f"{at}\t{text(at)}" for at in map(place, range(len(words)))]


def fields(options: argparse.Namespace) -> int:
    """Single words of every form against the raw listing."""
    command = [options.words] if options.words else ["cargo", "run", "-q", "-p", "warpdiff-sass", "--example", "fields", "--"]
    words = [int(line, 16) for line in run(*command, "emit", str(options.seed), str(options.fields)).stdout.split()]
    fails = 0
    for arch in options.archs.split(","):
        lines = []
        with tempfile.TemporaryDirectory() as folder:
            for first in range(0, len(words), 3000):
                some = words[first : first + 3000]
                texts = raw_texts(some, options.nvdisasm, arch, pathlib.Path(folder) / "image")
                lines += [f"{word:#018x}\t{text}\n" for word, text in zip(some, texts)]
        made = subprocess.run([*command, "check"], input="".join(lines).encode(), capture_output=True)
        print(f"{arch}: {made.stdout.decode()}{made.stderr.decode()}", end="", flush=True)
        fails |= made.returncode
    return fails


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ptxas")
    options.add_argument("--nvdisasm", required=True)
    options.add_argument("--agree", help="the example, built; otherwise cargo builds it")
    options.add_argument("--archs", default="sm_50,sm_52,sm_53")
    options.add_argument("--levels", default="O0,O1,O2,O3")
    options.add_argument("--flags", action="append", default=[], help="another option of ptxas: --flags=-c")
    options.add_argument("--keep", help="folder in which cubins and listings stay")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--together", type=int, default=PROGRAMS, help="the most programs in a module")
    options.add_argument("--show", type=int, default=20, help="the most differences that are printed of each level")
    options.add_argument("--verbose", action="store_true", help="names the programs that ptxas does not take")
    options.add_argument("--fields", type=int, help="holds single words: so many random ones of each form, besides every field")
    options.add_argument("--seed", type=int, default=1, help="of single words")
    options.add_argument("--words", help="the example `fields`, built")
    options.add_argument("places", nargs="*", type=pathlib.Path)
    options = options.parse_args()
    if options.fields is not None:
        return fields(options)
    files = []
    for place in options.places:
        files += sorted(path for path in place.rglob("*") if path.suffix in (".ptx", ".cubin")) if place.is_dir() else [place]
    cubins = [path for path in files if path.suffix == ".cubin"]
    programs = [Program(path, number) for number, path in enumerate(path for path in files if path.suffix != ".cubin")]
    if programs and not options.ptxas:
        sys.exit("--ptxas: programs need a compiler")
    campaign = Campaign(options)
    fails = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        if cubins:
            fails |= campaign.cubins(cubins, folder)
        if programs:
            fails |= campaign.programs(programs, folder)
    for message, count in campaign.rejections.most_common(options.show):
        print(f"{count} not taken: {message}")
    return int(fails)


if __name__ == "__main__":
    sys.exit(main())
