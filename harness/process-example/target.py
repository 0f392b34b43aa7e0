"""A target for warpdiff in 60 lines: it runs kernels of one thread that store to buffers, and says so of all else. The protocol is
described in docs/protocol.md. Try: warpdiff conform-protocol --against "process:python3 harness/process-example/target.py" """
import json, re, sys

class Stop(Exception): """Ends a launch with the outcome it carries."""
def unsupported(what): return Stop({"kind": "unsupported", "what": what})
def rejected(stage, why): return Stop({"kind": "rejected", "stage": stage, "message": why})

def kernel(launch):
    """The parameters and instructions of the entry, as text."""
    text, name = launch["program"], re.escape(launch["entry"])
    if ".version" not in text: raise rejected("parse", "no .version")
    if not re.search(rf"\.entry\s+{name}\b", text): raise rejected("load", f"no entry {launch['entry']}")
    found = re.search(rf"\.entry\s+{name}\s*\(([^)]*)\)\s*{{([^{{}}:@/]*)}}", text)
    if not found or launch["grid"] + launch["block"] != [1] * 6 or launch["surfaces"] or launch["observed_variables"]:
        raise unsupported("comments, branches, vectors, functions, surfaces, variables, more than one thread")
    instructions = [re.split(r"[\s,]+", i.strip()) for i in found[2].split(";") if i.strip()]
    return re.findall(r"(\w+)\s*(?:,|$)", found[1].strip()), [i for i in instructions if i[0] != ".reg"]

def run(launch):
    names, instructions = kernel(launch)
    memory, values, registers = [], [], {}  # one bytearray per buffer, guard bands included; an address is index + 1, offset
    for b in launch["buffers"]:
        guard = b"\xA5" * b["guard"]
        memory.append(bytearray(guard + bytes.fromhex(b["bytes"]) + guard))
    for a in launch["arguments"]:
        if a["kind"] == "value": values.append(int.from_bytes(bytes.fromhex(a["bytes"]), "little"))
        else: values.append((a["index"] + 1 << 32) + launch["buffers"][a["index"]]["guard"] + a["offset"])
    parameters = dict(zip(names, values))
    def value(operand): return registers[operand] if operand in registers else int(operand, 0)
    for opcode, *operands in instructions:
        if opcode == "ret": break
        elif opcode == "trap": raise Stop({"kind": "faulted", "class": "trap"})
        elif re.fullmatch(r"ld\.param\.u(32|64)", opcode): registers[operands[0]] = parameters[operands[1].strip("[]")]
        elif opcode in ("cvta.to.global.u64", "mov.u32", "mov.u64"): registers[operands[0]] = value(operands[1])
        elif store := re.fullmatch(r"st\.global\.u(8|16|32|64)", opcode):
            size, address = int(store[1]) // 8, value(operands[0].strip("[]"))
            index, at = (address >> 32) - 1, address & 0xFFFFFFFF
            if not 0 <= index < len(memory) or at + size > len(memory[index]):
                raise Stop({"kind": "faulted", "class": "out-of-bounds"})
            memory[index][at:at + size] = (value(operands[1]) % 256**size).to_bytes(size, "little")
        else: raise unsupported(opcode)
    sizes = [(b["name"], b["guard"], len(m) - b["guard"], m) for b, m in zip(launch["buffers"], memory)]
    return {"kind": "completed", "state": {"buffers": {name: m[start:end].hex() for name, start, end, m in sizes},
                                           "guards": {name: (m[:start] + m[end:]).hex() for name, start, end, m in sizes}}}

def answer(message):
    if message["type"] == "hello": yield {"type": "hello", "protocol": 1, "name": "60 lines of Python", "dialects": ["ptx"]}
    elif message["type"] == "launch" and message["program"]:
        yield {"type": "started", "id": message["id"]}
        try: outcome = run(message)
        except Stop as stop: outcome = stop.args[0]
        except (KeyError, ValueError) as error: outcome = unsupported(repr(error)).args[0]
        yield {"type": "observed", "id": message["id"], "outcome": outcome}
    else: raise ValueError("unknown type")

for line in sys.stdin:
    try:
        for reply in answer(json.loads(line)): print(json.dumps(reply), flush=True)
    except (ValueError, KeyError, TypeError) as error: print(json.dumps({"type": "refused", "message": repr(error)}), flush=True)
