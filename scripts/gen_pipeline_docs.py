#!/usr/bin/env python3
"""Writes the dumps in docs/pipeline.md.

scripts/gen_pipeline_docs.py           writes them (on a machine with AVX-512)
scripts/gen_pipeline_docs.py --check   fails where one above LLVM is not current

Needs cuda.device on PYTHONPATH.
"""

import linecache
import re
import sys
from pathlib import Path

import numpy as np

DOC = Path(__file__).resolve().parents[1] / "docs" / "pipeline.md"
DUMP = re.compile(r"(<!-- dump: (\w+) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)
CHECKED = ("source", "syntax", "ir_raw", "ir", "facts")

SOURCE = """\
from cuda import device


@device.kernel
def halvings(out, x, limit):
    i = device.tid(1)
    if i < out.size:
        v = x[i]
        n = 0
        while n < limit and v > 1.0:
            v *= 0.5
            n += 1
        out[i] = n
"""


def kernel():
    name = "halvings.py"
    linecache.cache[name] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), name)
    namespace: dict = {}
    exec(compile(SOURCE, name, "exec"), namespace)
    return namespace["halvings"]


def inspect(what, target=None):
    # Away from the start of a page, so that no fact depends on where the allocator put them.
    out, x = (np.zeros(1032, t)[1:1001] for t in (np.int32, np.float32))
    return kernel().inspect(out, x, 100, what=what, target=target, grid=4, block=256)


def llvm_loop():
    text = inspect("llvm", "avx512")
    again = re.search(r"^again:.*?(?=^endwhile:)", text, re.DOTALL | re.MULTILINE)
    return again[0].rstrip() + "\n"


def asm_loop(target):
    """The loop that halves, which alone multiplies: the first of the copies LLVM makes of it."""
    blocks = re.split(r"^(?=\.LBB\w+:)", inspect("asm", target), flags=re.MULTILINE)
    return next(b for b in blocks if "vmulps" in b).expandtabs(8)


DUMPS = {
    "source": lambda: SOURCE,
    "syntax": lambda: inspect("syntax"),
    "ir_raw": lambda: inspect("ir_raw"),
    "ir": lambda: inspect("ir"),
    "facts": lambda: inspect("facts", "avx512"),
    "llvm_loop": llvm_loop,
    "asm_loop": lambda: asm_loop("avx512"),
    "avx2_loop": lambda: asm_loop("avx2"),
    "ptx": lambda: inspect("ptx", "sm_90"),
}


def block(name):
    language = "python" if name == "source" else "text"
    return f"```{language}\n{DUMPS[name]().strip()}\n```\n"


def main() -> int:
    text = DOC.read_text()
    if "--check" in sys.argv:
        stale = [m[2] for m in DUMP.finditer(text) if m[2] in CHECKED and m[3] != block(m[2])]
        if stale:
            print(f"docs/pipeline.md is not current: {', '.join(stale)}", file=sys.stderr)
        return 1 if stale else 0
    DOC.write_text(DUMP.sub(lambda m: m[1] + block(m[2]) + m[4], text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
