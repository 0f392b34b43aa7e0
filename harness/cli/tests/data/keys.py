#!/usr/bin/env python3
"""The digests that tests/it/keys.rs pins, computed from the description in harness/recordings/src/encoding.rs alone.

Prints one line for each: its name and the hash in hexadecimal. Nothing runs this but a person who gave an encoding a new version.
"""
import hashlib
import struct


def number(value):
    return struct.pack("<Q", value & (1 << 64) - 1)


def field(tag, kind, value=b""):
    tag = tag.encode()
    return number(len(tag)) + tag + kind + value


def text(tag, value):
    value = value.encode() if isinstance(value, str) else value
    return field(tag, b"b", number(len(value)) + value)


def num(tag, value):
    return field(tag, b"n", number(value))


def many(tag, values):
    return b"".join(num(tag, value) for value in values)


def listed(tag, elements):
    return field(tag, b"l", number(len(elements))) + b"".join(elements)


def image(name="img", geometry=2, extent=(2, 1, 1), layers=1, channel=1, channels=1, bound=None, data=b"\x01\x02"):
    return (text("image", name) + num("geometry", geometry) + many("extent", extent) + num("layers", layers)
            + num("channel", channel) + num("channels", channels)
            + (field("bound to", b"-") if bound is None else text("bound to", bound)) + text("bytes", data))


def texture(address=(2, 2, 2), filter=1, normalized=0, read=1, border=(0, 0, 0, 0)):
    return (image(name="tex", bound="tex") + many("address", address) + num("filter", filter)
            + num("normalized coordinates", normalized) + num("read", read) + many("border", border))


ARGUMENTS = [
    num("argument", 1) + text("bytes", b"\x2a\x00"),
    num("argument", 2) + num("index", 1) + num("offset", -4),
    num("argument", 3) + num("index", 2),
    num("argument", 4) + num("index", 3),
    num("argument", 5) + num("index", 4),
    num("argument", 6) + num("index", 5),
    num("argument", 7) + num("index", 6),
]


def start(arguments=(), entry="k", grid=(1, 1, 1), block=(1, 1, 1), shared=0, observed=(), writes=()):
    return (text("entry", entry) + many("grid", grid) + many("block", block) + num("dynamic shared", shared)
            + listed("arguments", list(arguments))
            + listed("observed variables", [text("variable", name) for name in observed])
            + listed("host writes", [text("variable", n) + text("bytes", b) for n, b in writes]))


def buffer(name, data, defined=b""):
    return text("buffer", name) + text("bytes", data) + text("defined", defined)


def meaning(program=("P",), rows=(), columns=(), buffers=(), surfaces=(), textures=(), steps=1 << 26, **more):
    data = text("what", "meaning of a launch") + num("version", 1)
    data += listed("program", [text("part", part) for part in program])
    data += listed("rows", [listed("inputs", [text("input", n) + text("value", v) for n, v in row]) for row in rows])
    data += listed("columns", [text("column", n) + text("type", t) for n, t in columns])
    data += listed("buffers", list(buffers)) + listed("surfaces", list(surfaces)) + listed("textures", list(textures))
    if not rows:
        data += start(**more)
    data += num("step budget", steps)
    return "v1-" + hashlib.sha256(data).hexdigest()[:16]


def launch(program="P", buffers=(), surfaces=(), textures=(), steps=1 << 26, **more):
    data = text("what", "launch") + num("version", 1) + text("program", program) + start(**more)
    data += listed("buffers", list(buffers)) + listed("surfaces", list(surfaces)) + listed("textures", list(textures))
    data += num("step budget", steps)
    return hashlib.sha256(data).hexdigest()


say = print
say("nothing", meaning())
for name, argument in zip(["value", "buffer", "surface", "surface-reference", "texture", "texture-reference", "sampler-reference"], ARGUMENTS):
    say("argument", name, meaning(arguments=[argument]))
for code, name in enumerate(["1d", "2d", "3d", "a1d", "a2d"], 1):
    say("geometry", name, meaning(surfaces=[image(geometry=code)]))
for code, name in enumerate("u8 u16 u32 s8 s16 s32 f16 f32 unorm8 unorm16 snorm8 snorm16".split(), 1):
    say("channel", name, meaning(surfaces=[image(channel=code)]))
for code, name in enumerate("wrap clamp mirror border clamp-ogl".split(), 1):
    say("address", name, meaning(textures=[texture(address=(code, 2, 2))]))
for code, name in enumerate(["nearest", "linear"], 1):
    say("filter", name, meaning(textures=[texture(filter=code)]))
for code, name in enumerate(["element", "normalized-float"], 1):
    say("read", name, meaning(textures=[texture(read=code)]))
full = dict(
    arguments=ARGUMENTS, entry="main", grid=(1, 2, 3), block=(4, 5, 6), shared=48, observed=["v", "w"],
    writes=[("m", b"\x07\x08")], steps=99,
    surfaces=[image(geometry=5, extent=(3, 2, 1), layers=4, channel=12, channels=4, bound="ref", data=bytes(range(6)))],
    textures=[texture(address=(1, 3, 4), filter=2, normalized=1, read=2, border=(1, 2, 3, 0xFFFFFFFF))],
)
small = buffer("b", b"\x05\x06", b"\xff\x0f")
say("whole", meaning(program=["full program"], buffers=[small], **full))
rows = [[("x", "16"), ("y", "-1")], [("x", "0x10"), ("y", "2")]]
say("table", meaning(program=[".version 8.0", ".target sm_50", "body;"], rows=rows, columns=[("d", "b32")], buffers=[small]))
guarded = lambda name, data, defined, guard, stride: buffer(name, data, defined) + num("guard", guard) + num("stride", stride)
say("launch", launch())
for length in (1024, 1025, 3000):
    say("long", launch(program="P" * length))
say("launch", launch(program="full program",
                     buffers=[guarded("b", b"\x05\x06", b"\xff\x0f", 16, 0), guarded("out", bytes(8), b"", 256, 4)], **full))
