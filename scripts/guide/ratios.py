"""The ratios to hand-written code, from the table of bench/README.md."""

import re
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench" / "README.md"


def rows() -> list[dict[str, str]]:
    """The rows of the table, by the names of its columns."""
    lines = BENCH.read_text(encoding="utf-8").split("<!-- results: begin -->")[1].splitlines()
    cells = [
        [c.strip() for c in line.strip("| ").split(" | ")] for line in lines if line[:1] == "|"
    ]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def ratio(row: dict[str, str]) -> str:
    """To the better of the two forms of hand-written code."""
    values = [re.sub(r" .*", "", row[c]) for c in ("ours ÷ hand", "÷ hand nt")]
    return min((v for v in values if v != "-"), key=float, default="-")


def table() -> str:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows():
        found.setdefault(row["kernel"], {})[row["threads"]] = row
    threads = list(next(iter(found.values())))
    titles = [f"÷ hand, {n} thread{'s' * (n != '1')}" for n in threads]
    titles += [f"÷ best peer, {n}" for n in threads]
    lines = ["| " + " | ".join(["kernel", *titles]) + " |", "|---" + "|--:" * len(titles) + "|"]
    for kernel, by_threads in found.items():
        values = [ratio(by_threads[n]) for n in threads]
        values += [by_threads[n]["÷ best peer"] for n in threads]
        lines.append("| " + " | ".join([f"`{kernel}`", *values]) + " |")
    return "\n".join(lines)
