"""Examples in Markdown pages: fenced blocks, run in order, each page in a namespace of its own.

A `python` block runs. What it prints is the `output` block that follows it; if it ends with an
exception, that is the `error` block that follows. A block that prints or raises without one, and
a block of either kind that follows nothing, is a mistake of the page. `numba`, `numba-output` and
`numba-error` blocks are the same for programs of Numba, which run only where it is installed.
Others are text.
"""

import contextlib
import io
import linecache
import re
import traceback
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "guide"

_FENCE = re.compile(r"^(?P<fence>`{3,})(?P<kind>[\w-]*)[^\n`]*$")
_RESULTS = ("output", "error")
_PACKAGES = re.compile(r"\S*/site-packages/")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


@dataclass
class Block:
    """One fenced block; lines of the page count from 0, `first` is that of the opening fence."""

    kind: str
    first: int
    text: str

    @property
    def end(self):
        """The line of the closing fence."""
        return self.first + self.text.count("\n") + 1


@dataclass
class Cell:
    """A program, and the blocks with what comes of it."""

    program: Block
    results: dict = field(default_factory=dict)


def pages():
    """The pages whose examples run."""
    return [ROOT / "README.md", *sorted(GUIDE.glob("*.md"))]


def blocks_of(text):
    """All fenced blocks of a page."""
    found, opened, lines = [], None, []
    for number, line in enumerate(text.splitlines()):
        match = _FENCE.match(line)
        if opened is None:
            if match:
                opened, lines = (match["fence"], match["kind"], number), []
        elif match and match["fence"] == opened[0] and not match["kind"]:
            found.append(Block(opened[1], opened[2], "".join(f"{text}\n" for text in lines)))
            opened = None
        else:
            lines.append(line)
    assert opened is None, f"the block of line {opened[2] + 1} is not closed"
    return found


def cells_of(blocks, language="python"):
    """The programs of a language, each with its results."""
    prefix = "" if language == "python" else f"{language}-"
    kinds = {prefix + kind: kind for kind in _RESULTS}
    cells, last = [], None
    for block in blocks:
        if block.kind == language:
            last = Cell(block)
            cells.append(last)
        elif block.kind in kinds:
            kind = kinds[block.kind]
            assert last is not None, f"line {block.first + 1}: '{block.kind}' of no program"
            assert kind not in last.results, f"line {block.first + 1}: a second '{block.kind}'"
            last.results[kind] = block
        elif block.kind not in ("numba", "numba-error", "numba-output", *_RESULTS):
            last = None
    return cells


def _exception_text(error, folder):
    """What ends Python's traceback, without what differs from one run to the next."""
    text = "".join(traceback.format_exception_only(error)).replace(folder, "")
    return _ADDRESS.sub("0x...", _PACKAGES.sub("", text))


class Runner:
    """Runs the cells of one page, each in a file of its own: kernels are read from their source."""

    def __init__(self, page, language="python"):
        self.prefix = f"<{language} of {page.stem}>"
        self.namespace = {"__name__": f"{language}_of_{page.stem.replace('-', '_')}"}
        self.number = 0

    def run(self, cell):
        """What the program printed and raised, as {"output": text, "error": text}."""
        self.number += 1
        folder = f"{self.prefix}/{self.number}/"
        file = f"{folder}example.py"
        text = cell.program.text
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        printed, raised = io.StringIO(), ""
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(text, file, "exec"), self.namespace)
            except Exception as error:
                raised = _exception_text(error, folder)
        return {"output": printed.getvalue(), "error": raised}


def compare(text):
    """A text without blanks at the ends of its lines, which pages do not keep."""
    return [line.rstrip() for line in text.rstrip().splitlines()]


def differences(page, cell, found):
    """What is wrong with a cell, as text."""
    wrong = []
    for kind in _RESULTS:
        block = cell.results.get(kind)
        want, have = compare(block.text if block else ""), compare(found[kind])
        if want != have:
            line = (block or cell.program).first + 1
            has = "\n".join(have) or "nothing"
            wrong.append(f"{page.name}:{line}: the '{kind}' of this example is\n{has}")
    return wrong


def rewritten(text, cells, found):
    """The page with the results that were found in place of those it has."""
    lines = text.splitlines()
    for cell, results in reversed(list(zip(cells, found, strict=True))):
        for kind in reversed(_RESULTS):
            if block := cell.results.get(kind):
                lines[block.first + 1 : block.end] = compare(results[kind])
    return "\n".join(lines) + "\n"
