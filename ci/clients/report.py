"""Makes each kind of mistake once, and reads the report of libcuda about it (WARPDIFF_CUDA_REPORT), through NVIDIA's Python bindings.

Run by ci/clients.sh and by harness/libcuda/tests/python.rs. Each mistake gets a process of its own, as after a fault a process cannot
use the device any more.
"""

import ctypes
import json
import os
import subprocess
import sys
import tempfile

HEAD = """.version 8.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out)
{
    .shared .align 8 .b32 cells[2];
    .reg .pred %p;
    .reg .b32 %r<8>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd0, %r0, 4;
    add.u64 %rd0, %rd0, %rd1;
    mov.u32 %r1, cells;
    mad.lo.u32 %r1, %r0, 4, %r1;
    xor.b32 %r2, %r1, 4;
"""

# Its name; the instructions; threads; whether memory is written before; the result code; then what the report says: the finding, the
# instruction, the thread, and of a race the hazard, the earlier instruction and its thread.
MISTAKES = {
    "no mistake": (["st.shared.u32 [%r1], %r0;", "bar.sync 0;", "ld.shared.u32 %r3, [%r2];", "st.global.u32 [%rd0], %r3;"], 2, True, 0),
    "a race": (
        ["st.shared.u32 [%r1], %r0;", "ld.shared.u32 %r3, [%r2];", "st.global.u32 [%rd0], %r3;"], 2, True, 0,
        ("race", 1, [0, 0, 0]), ("read-after-write", 0, [1, 0, 0]),
    ),
    "an uninitialised read": (["ld.global.u32 %r3, [%rd0];", "st.global.u32 [%rd0], %r3;"], 1, False, 0, ("uninitialised-read", 0, [0, 0, 0])),
    "a branch on an unwritten register": (
        ["setp.eq.u32 %p, %r7, 3;", "@%p st.global.u32 [%rd0], 5;"], 1, True, 0, ("undefined-use", 1, [0, 0, 0]),
    ),
    "out of bounds": (["st.global.u32 [%rd0+4], 5;"], 2, True, 700, ("out-of-bounds", 0, [1, 0, 0])),
    "misaligned": (["st.global.u32 [%rd0+2], 5;"], 1, True, 716, ("misaligned", 0, [0, 0, 0])),
    "a deadlock": (["bar.sync 0, 64;"], 32, True, 702, ("deadlock", 0, [0, 0, 0])),
}


def program(lines):
    return HEAD + "".join(f"    {line}\n" for line in lines) + "    ret;\n}\n"


def run(name):
    """Launches the program of a mistake; ends with the result code of the launch on the standard output."""
    from cuda.bindings import driver as cuda

    def ok(answer):
        code, *values = answer
        assert code == cuda.CUresult.CUDA_SUCCESS, code
        return values[0] if values else None

    lines, threads, written, _, *_ = MISTAKES[name]
    ok(cuda.cuInit(0))
    context = ok(cuda.cuDevicePrimaryCtxRetain(ok(cuda.cuDeviceGet(0))))
    ok(cuda.cuCtxSetCurrent(context))
    module = ok(cuda.cuModuleLoadData(program(lines).encode()))
    kernel = ok(cuda.cuModuleGetFunction(module, b"k"))
    out = ok(cuda.cuMemAlloc(8))
    if written:
        ok(cuda.cuMemsetD32(out, 7, 2))
    ok(cuda.cuLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, 0, ((out,), (None,)), 0))
    (code,) = cuda.cuCtxSynchronize()
    print(int(code))


def main():
    head = len(HEAD.splitlines())
    for name, (lines, _, _, code, *expected) in MISTAKES.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report.jsonl")
            environment = {**os.environ, "WARPDIFF_CUDA_REPORT": path}
            made = subprocess.run([sys.executable, __file__, name], env=environment, capture_output=True, text=True)
            assert made.returncode == 0, made.stderr
            assert int(made.stdout.split()[-1]) == code, (name, made.stdout, made.stderr)
            begin, launch, *found = [json.loads(line) for line in open(path)]
        assert begin["report"] == "libwarpdiff_cuda", begin
        assert (launch["kernel"], launch["code"], launch["findings"]) == ("k", code, 1 if expected else 0), (name, launch, found)
        if expected:
            (finding,) = found
            kind, index, thread = expected[0]
            assert (finding["finding"], finding["line"]) == (kind, head + 1 + index), finding
            assert (finding["block"], finding["thread"]) == ([0, 0, 0], thread), finding
            # An instruction is shown as it is written.
            assert finding["instruction"] == lines[index], finding
        if len(expected) > 1:
            hazard, index, thread = expected[1]
            assert finding["hazard"] == hazard, finding
            assert (finding["earlier"]["line"], finding["earlier"]["thread"]) == (head + 1 + index, thread), finding
        print(f"{name}: " + (f"{finding['finding']} in line {finding['line']}" if expected else "nothing found"))
    print("done")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]) if len(sys.argv) > 1 else main())
