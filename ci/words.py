#!/usr/bin/env python3
"""Holds the machine words of PTX programs against nvdisasm.

  ci/words.py --ptxas PTXAS --nvdisasm NVDISASM [--archs sm_50,…] [--levels O0,…] [--keep DIR] FILE.ptx…

Compiles each program for sm_50, sm_52 and sm_53 at -O0 to -O3, lists each distinct machine code with nvdisasm (12.8), and lets the
example `agree` of warpdiff-sass compare: our listing, our text and nvdisasm's read as the same words. A program whose `.target` is
newer is compiled with that lowered to the architecture. What ptxas rejects is counted and left out.
"""
import argparse, concurrent.futures, hashlib, os, re, struct, subprocess, sys, tempfile

options = argparse.ArgumentParser()
options.add_argument("--ptxas", required=True)
options.add_argument("--nvdisasm", required=True)
options.add_argument("--agree", help="the example, built; otherwise cargo builds it")
options.add_argument("--archs", default="sm_50,sm_52,sm_53")
options.add_argument("--levels", default="O0,O1,O2,O3")
options.add_argument("--keep", help="folder in which cubins and listings stay")
options.add_argument("--jobs", type=int, default=2)
options.add_argument("programs", nargs="+")
options = options.parse_args()


def code(cubin):
    """The names and contents of the sections of code, and the symbols: what a listing is made of."""
    at, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + size * n) for n in range(count)]
    strings = heads[names][4]
    digest = hashlib.sha256()
    for head in heads:
        name = cubin[strings + head[0] : cubin.index(b"\0", strings + head[0])]
        if name.startswith((b".text", b".rel", b".symtab")):
            digest.update(name + b"\0" + cubin[head[4] : head[4] + head[5]])
    return digest.digest()


def compile(program):
    """Compiles a program everywhere; returns the files of distinct code, and the numbers of compilations and rejections."""
    with open(program) as file:
        text = file.read()
    files, seen, rejected, done = [], set(), 0, 0
    for arch in options.archs.split(","):
        target = re.search(r"^\.target\s+sm_(\d+)", text, re.M)
        # An older target stays.
        lowered = text
        if target and int(target[1]) > int(arch[3:]):
            lowered = re.sub(r"^(\.target\s+)sm_\w+", r"\g<1>" + arch, text, flags=re.M)
        source = os.path.join(folder, f"{os.path.basename(program)}.{arch}.ptx")
        with open(source, "w") as file:
            file.write(lowered)
        for level in options.levels.split(","):
            stem = os.path.join(folder, f"{os.path.basename(program)[:-4]}.{arch}.{level}")
            done += 1
            # In a folder of its own, since ptxas names what it makes after the source.
            made = subprocess.run([options.ptxas, f"-arch={arch}", f"-{level}", "-o", stem + ".cubin", source], capture_output=True)
            if made.returncode != 0:
                rejected += 1
                errors.add(made.stderr.decode(errors="replace").splitlines()[0].split(";")[-1][:120] if made.stderr else "crash")
                continue
            with open(stem + ".cubin", "rb") as file:
                digest = code(file.read())
            if digest in seen:
                os.remove(stem + ".cubin")
                continue
            seen.add(digest)
            listed = subprocess.run([options.nvdisasm, "-c", "-ndf", stem + ".cubin"], capture_output=True)
            if listed.returncode != 0:
                errors.add("nvdisasm: " + listed.stderr.decode()[:200])
                os.remove(stem + ".cubin")
                continue
            with open(stem + ".sass", "wb") as file:
                file.write(listed.stdout)
            files.append(stem + ".cubin")
        os.remove(source)
    return files, done, rejected


errors = set()
with tempfile.TemporaryDirectory() as temporary:
    folder = options.keep or temporary
    os.makedirs(folder, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        made = list(pool.map(compile, options.programs))
    files = [file for files, _, _ in made for file in files]
    print(f"{len(made)} programs, {sum(done for _, done, _ in made)} compilations, {sum(no for _, _, no in made)} rejected,",
          f"{len(files)} distinct")
    for error in sorted(errors):
        print(" ", error)
    sys.stdout.flush()
    agree = [options.agree] if options.agree else ["cargo", "run", "-q", "-p", "warpdiff-sass", "--example", "agree", "--"]
    status = 0
    for start in range(0, len(files), 5000):
        status |= subprocess.run(agree + files[start : start + 5000]).returncode
sys.exit(status)
