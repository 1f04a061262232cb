"""What a PTX text consists of, and what ptxas makes of it."""

import re
import struct
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

INSTRUCTION = re.compile(r"^(?:@!?%p\d+\s+)?([a-z][\w.:]*)(?:\s|;|$)")
# Neither LLVM nor nvcc writes several on a line; one over several lines is a call's.
NO_INSTRUCTION = re.compile(r"^(?:\.|//|\{|\}|\)|\$|$)")
FLOATING = {"f16", "f16x2", "bf16", "bf16x2", "f32", "f32x2", "f64"}
# fmt: off
ARITHMETIC = {
    "abs", "add", "and", "bfe", "bfi", "bfind", "brev", "clz", "copysign", "cos", "cvt", "div",
    "dp2a", "dp4a", "ex2", "fns", "lg2", "lop3", "mad", "mad24", "max", "min", "mul", "mul24",
    "neg", "not", "or", "popc", "prmt", "rcp", "rem", "rsqrt", "sad", "set", "setp", "shf",
    "shl", "shr", "sin", "sqrt", "sub", "szext", "tanh", "testp", "xor",
}
# fmt: on


@dataclass(frozen=True)
class Assembled:
    """What ptxas says of one kernel, and how many machine instructions its code has room for
    (16 bytes each; the last of them are padding)."""

    registers: int
    spill_stores: int  # bytes
    spill_loads: int  # bytes
    shared: int  # bytes
    machine: int


def instructions(ptx):
    """The parts of each instruction's name: ("ld", "global", "nc", "b32")."""
    for line in ptx.splitlines():
        text = line.strip()
        found = None if NO_INSTRUCTION.match(text) else INSTRUCTION.match(text)
        if found:
            yield tuple(part for part in found.group(1).replace("::", ".").split(".") if part)


def is_memory(*wanted):
    """Whether the name begins so."""
    return lambda parts: parts[: len(wanted)] == wanted


def is_vector(parts):
    return parts[0] in ("ld", "st") and ("v2" in parts or "v4" in parts or "v8" in parts)


def is_float(parts):
    return parts[0] in ARITHMETIC and not FLOATING.isdisjoint(parts)


def is_integer(parts):
    return parts[0] in ARITHMETIC and FLOATING.isdisjoint(parts)


# Column → whether an instruction belongs there. One may belong to several.
COLUMNS = {
    "ld.global": is_memory("ld", "global"),
    "of them .nc": lambda parts: parts[:2] == ("ld", "global") and "nc" in parts,
    "vector ld, st": is_vector,
    "st.global": is_memory("st", "global"),
    "ld.shared": is_memory("ld", "shared"),
    "st.shared": is_memory("st", "shared"),
    "local": lambda parts: parts[0] in ("ld", "st") and parts[1] == "local",
    "fma": lambda parts: parts[0] == "fma",
    "other float": is_float,
    "integer": is_integer,
    "branches": lambda parts: parts[0] in ("bra", "brx", "call"),
    "barriers": lambda parts: parts[0] in ("bar", "barrier"),
    "PTX": lambda parts: True,
}


def counts(ptx):
    """Instructions in the text, by column."""
    every = list(instructions(ptx))
    return {name: sum(map(belongs, every)) for name, belongs in COLUMNS.items()}


def said(text, pattern):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else 0


def sections(elf):
    """(type, flags, size) of each section of a 64-bit little-endian ELF file."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry, number = struct.unpack_from("<HH", elf, 0x3A)
    for k in range(number):
        at = table + k * entry
        kind, flags = struct.unpack_from("<IQ", elf, at + 4)
        (size,) = struct.unpack_from("<Q", elf, at + 0x20)
        yield kind, flags, size


def code_bytes(elf):
    contents, executable = 1, 4
    return sum(
        size for kind, flags, size in sections(elf) if kind == contents and flags & executable
    )


def assemble(ptxas, ptx, architecture):
    """Assembled, of a text with one kernel. CalledProcessError, with what ptxas wrote, where it is
    refused."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder) / "kernel.ptx", Path(folder) / "kernel.cubin"
        source.write_text(ptx)
        command = [ptxas, "-v", f"-arch={architecture}", "-o", cubin, source]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        size = code_bytes(cubin.read_bytes())
    report = done.stdout + done.stderr
    return Assembled(
        registers=said(report, r"Used (\d+) registers"),
        spill_stores=said(report, r"(\d+) bytes spill stores"),
        spill_loads=said(report, r"(\d+) bytes spill loads"),
        shared=said(report, r"(\d+) bytes smem"),
        machine=size // 16,
    )
