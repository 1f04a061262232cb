"""The table of tuning heuristics for docs/inspecting.md, from src/support/tuning.def."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEFINITIONS = ROOT / "src" / "support" / "tuning.def"
LINE = re.compile(r'^HEURISTIC\((\w+), (\d+), "(.*)"\)$', re.MULTILINE)


def decision(number: int) -> str:
    """A link to it, by its number."""
    (file,) = (ROOT / "docs" / "decisions").glob(f"{number:04}-*.md")
    return f"[{number:04}](decisions/{file.name})"


def table() -> str:
    rows = LINE.findall(DEFINITIONS.read_text(encoding="utf-8"))
    lines = ["| name | what it does | decision |", "|---|---|---|"]
    lines += [f"| `{name}` | {text} | {decision(int(number))} |" for name, number, text in rows]
    return "\n".join(lines)
