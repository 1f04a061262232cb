#!/usr/bin/env python3
"""Writes what pages take from elsewhere: messages, heuristics, figures of the benchmarks, drawings.

scripts/gen_guide_docs.py           writes the FILES below in docs
scripts/gen_guide_docs.py --check   fails where one of them is not current

In a page, such text stands between `<!-- NAME: generated -->` and `<!-- end of NAME -->`.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from guide import draw_bench, draw_execution, heuristics, message_index, ratios

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GUIDE = DOCS / "guide"


def replaced(text: str, name: str, new: str) -> str:
    """The page with the generated part of this name made anew."""
    begin, end = f"<!-- {name}: generated -->", f"<!-- end of {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        sys.exit(f"the page has no part '{name}': give it {begin} and {end}")
    head, rest = text.split(begin)
    return f"{head}{begin}\n\n{new.strip()}\n\n{end}{rest.split(end)[1]}"


def errors_page() -> str:
    text = (GUIDE / "errors.md").read_text(encoding="utf-8")
    for section, entries in message_index.sections().items():
        text = replaced(text, section, entries)
    return text


def execution_page() -> str:
    text = (GUIDE / "execution-on-a-cpu.md").read_text(encoding="utf-8")
    return replaced(text, "ratios", ratios.table())


def inspecting_page() -> str:
    text = (DOCS / "inspecting.md").read_text(encoding="utf-8")
    return replaced(text, "heuristics", heuristics.table())


FILES: dict[str, Callable[[], str]] = {
    "guide/errors.md": errors_page,
    "guide/execution-on-a-cpu.md": execution_page,
    "guide/execution.svg": draw_execution.drawing,
    "inspecting.md": inspecting_page,
    "images/bench.svg": draw_bench.drawing,
}


def main(arguments: list[str]) -> int:
    stale = []
    for name, make in FILES.items():
        file, wanted = DOCS / name, make()
        if arguments == ["--check"]:
            if not file.exists() or file.read_text(encoding="utf-8") != wanted:
                stale.append(f"docs/{name}")
        else:
            file.write_text(wanted, encoding="utf-8")
    if stale:
        print(f"not current: {', '.join(stale)}; run scripts/gen_guide_docs.py", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
