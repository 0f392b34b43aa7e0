"""The next step after target.py, in 130 lines: integer kernels of many threads with predicates and branches, so that the kernel around
the tables of the corpus runs. What is beyond it is unsupported. docs/emulator.md tells how to go on from here."""
import json, re, sys

class Stop(Exception): """Ends a launch with the outcome it carries."""
def unsupported(what): return Stop({"kind": "unsupported", "what": what})
def rejected(stage, why): return Stop({"kind": "rejected", "stage": stage, "message": why})
def fault(kind): return Stop({"kind": "faulted", "class": kind})

def kernel(text, entry):
    """The names of the parameters, the instructions as (guard, opcode, operands), and the labels with their places."""
    if ".version" not in text: raise rejected("parse", "no .version")
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    found = re.search(rf"\.entry\s+{re.escape(entry)}\b\s*(?:\(([^)]*)\))?\s*{{([^{{}}]*)([{{}}])", text)
    if not re.search(rf"\.entry\s+{re.escape(entry)}\b", text): raise rejected("load", f"no entry {entry}")
    if not found or found[3] == "{": raise unsupported("vectors, scopes, directives of kernels")
    if other := re.search(r"\.(global|const|shared|local|func|extern)\s+[^;{]*", text): raise unsupported(other[0].strip())
    code, labels = [], {}
    for statement in (s.strip() for s in found[2].split(";")):
        while label := re.match(r"([\w$]+)\s*:\s*", statement):
            labels[label[1]], statement = len(code), statement[label.end():]
        if re.match(r"\.reg\b|$", statement): continue
        guard, opcode, operands = re.fullmatch(r"(?:@(!?[\w%$]+)\s+)?(\S+)\s*(.*)", statement, re.S).groups()
        if opcode.startswith("."): raise unsupported(opcode)
        code.append((guard, opcode, [operand.strip() for operand in operands.split(",")]))
    return re.findall(r"(\S+)\s*(?:,|$)", (found[1] or "").strip()), code, labels

class Memory:
    """The buffers with their guard bands. The data of buffer i begins at (i + 1 << 32) + DATA."""
    DATA = 1 << 31
    def __init__(self, buffers):
        self.buffers = buffers
        band = lambda b: b"\xA5" * b["guard"]
        self.bytes = [bytearray(band(b) + bytes.fromhex(b["bytes"]) + band(b)) for b in buffers]
    def address(self, index, offset): return (index + 1 << 32) + self.DATA + offset
    def place(self, address, size):
        index = (address >> 32) - 1
        if not 0 <= index < len(self.bytes): raise fault("out-of-bounds")
        at = address - self.address(index, 0) + self.buffers[index]["guard"]
        if not 0 <= at <= len(self.bytes[index]) - size: raise fault("out-of-bounds")
        if address % size: raise fault("misaligned")
        return self.bytes[index], slice(at, at + size)
    def state(self):
        cut = [(b["name"], b["guard"], len(m) - b["guard"], m) for b, m in zip(self.buffers, self.bytes)]
        return {"buffers": {name: m[start:end].hex() for name, start, end, m in cut},
                "guards": {name: (m[:start] + m[end:]).hex() for name, start, end, m in cut}}

COMPARISONS = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b}
for names, compare in (("lt lo", lambda a, b: a < b), ("le ls", lambda a, b: a <= b), ("gt hi", lambda a, b: a > b), ("ge hs", lambda a, b: a >= b)):
    COMPARISONS.update(dict.fromkeys(names.split(), compare))
ARITHMETIC = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul.lo": lambda a, b: a * b, "mul.wide": lambda a, b: a * b,
    "mad.lo": lambda a, b, c: a * b + c, "mad.wide": lambda a, b, c: a * b + c, "min": min, "max": max, "neg": lambda a: -a,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "not": lambda a: ~a,
    "shl": lambda a, b: a << min(b, 64), "shr": lambda a, b: a >> min(b, 64),  # a shift by more than the width is one by the width
    # Division truncates; what a quotient by zero is, is left open.
    "div": lambda a, b: 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "rem": lambda a, b: 0 if b == 0 else abs(a) % abs(b) * (1 if a >= 0 else -1),
}

def thread(code, labels, registers, parameters, memory, budget):
    """Runs a thread; returns what is left of the budget."""
    def raw(name):
        if name in registers: return registers[name]
        if re.fullmatch(r"-?(0[xX][0-9a-fA-F]+|[1-9]\d*|0)U?", name): return int(name.rstrip("U"), 0) % 2**64
        raise unsupported(f"{opcode} of {name}")
    def value(name, kind, bits):
        number = raw(name) % 2**bits
        return number - 2**bits if kind == "s" and number >> bits - 1 else number
    def place(operand, size):
        base, _, offset = operand.strip("[] ").partition("+")
        return memory.place(raw(base.strip()) + int(offset.strip() or "0", 0), size)
    at = 0
    while at < len(code):
        guard, opcode, operands = code[at]
        at, budget = at + 1, budget - 1
        if budget < 0: raise Stop({"kind": "timed-out"})
        if guard and raw(guard.lstrip("!")) == guard.startswith("!"): continue
        form, _, type_ = opcode.rpartition(".")
        kind, bits = (type_[0], int(type_[1:])) if re.fullmatch(r"[usbf]\d+", type_) else ("", 0)
        integer, d = kind in ("u", "s", "b") and bits, operands[0]
        if opcode in ("ret", "exit"): break
        elif opcode == "trap": raise fault("trap")
        elif opcode in ("bra", "bra.uni"): at = labels[d]
        elif form == "ld.param" and operands[1].strip("[]") in parameters: registers[d] = parameters[operands[1].strip("[]")] % 2**bits
        elif form == "mov" and bits or opcode == "cvta.to.global.u64": registers[d] = raw(operands[1]) % 2**bits
        elif form == "ld.global" and bits:
            buffer, where = place(operands[1], bits // 8)
            registers[d] = int.from_bytes(buffer[where], "little", signed=kind == "s") % 2**64
        elif form == "st.global" and bits:
            number = raw(operands[1]) % 2**bits
            buffer, where = place(d, bits // 8)
            buffer[where] = number.to_bytes(bits // 8, "little")
        elif re.fullmatch(r"setp\.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs)", form) and integer and "|" not in d:
            registers[d] = int(COMPARISONS[form[5:]](*(value(name, kind, bits) for name in operands[1:])))
        elif form in ARITHMETIC and integer:
            kinds = [(kind, bits)] * 3
            if form.endswith("wide"): kinds[2], bits = (kind, 2 * bits), 2 * bits
            if form in ("shl", "shr"): kinds[1] = ("u", 32)
            registers[d] = ARITHMETIC[form](*(value(name, *how) for name, how in zip(operands[1:], kinds))) % 2**bits
        else: raise unsupported(opcode)
    return budget

def run(launch):
    names, code, labels = kernel(launch["program"], launch["entry"])
    if launch["surfaces"] or launch["observed_variables"] or launch.get("textures"): raise unsupported("surfaces, variables, textures")
    memory = Memory(launch["buffers"])
    argument = {"value": lambda a: int.from_bytes(bytes.fromhex(a["bytes"]), "little"), "buffer": lambda a: memory.address(a["index"], a["offset"])}
    parameters = dict(zip(names, (argument[a["kind"]](a) for a in launch["arguments"])))
    places = lambda of: [(x, y, z) for z in range(of[2]) for y in range(of[1]) for x in range(of[0])]
    budget, axes = launch["step_budget"], "xyz"
    for block in places(launch["grid"]):
        for own in places(launch["block"]):
            special = {"%tid": own, "%ntid": launch["block"], "%ctaid": block, "%nctaid": launch["grid"]}
            registers = {f"{name}.{axis}": n for name, of in special.items() for axis, n in zip(axes, of)}
            budget = thread(code, labels, registers, parameters, memory, budget)
    return {"kind": "completed", "state": memory.state()}

for line in sys.stdin:
    try:
        message, reply = json.loads(line), lambda **fields: print(json.dumps(fields), flush=True)
        if message["type"] == "hello": reply(type="hello", protocol=1, name="rows in Python", dialects=["ptx"])
        elif message["type"] == "launch" and message["program"]:
            reply(type="started", id=message["id"])
            try: outcome = run(message)
            except Stop as stop: outcome = stop.args[0]
            except (LookupError, ValueError) as error: outcome = unsupported(repr(error)).args[0]
            reply(type="observed", id=message["id"], outcome=outcome)
        else: raise ValueError("unknown type")
    except (ValueError, KeyError, TypeError) as error: reply(type="refused", message=repr(error))
