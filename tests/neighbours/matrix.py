"""matrix.py [--write]: which library does what with our arrays; docs/neighbours.md holds the table.

Exits with 1 where something that should work does not.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

from neighbours.host_libraries import HOST_LIBRARIES  # noqa: E402

PAGE = TESTS.parent / "docs" / "neighbours.md"
COLUMNS = (
    *("in", "out", "our stores", "their stores", "source deleted", "read-only"),
    *("dtypes", "zero size", "not contiguous"),
)
SHOWN = {True: "✓", "-": "\N{EN DASH}"}


def answer_of(name):
    """What host_checks.py says of one library; None where the library is not installed."""
    if importlib.util.find_spec(name) is None:
        return None
    command = [sys.executable, TESTS / "neighbours" / "host_checks.py", name]
    paths = [str(TESTS), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        return {"version": "?", "results": {each: {"error": done.stderr} for each in COLUMNS}}
    return json.loads(done.stdout.splitlines()[-1])


def errors_of(answer):
    return {
        check: found["error"]
        for check, found in answer["results"].items()
        if isinstance(found, dict)
    }


def cell(found):
    return "✗" if isinstance(found, dict) else SHOWN.get(found, str(found))


def table(answers):
    head = ["library", "version", *COLUMNS]
    rows = [head, ["---", *[":-:"] * (len(head) - 1)]]
    for name, answer in answers.items():
        cells = [cell(answer["results"][check]) for check in COLUMNS]
        rows.append([name, answer["version"], *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def notes(answers):
    lines = []
    for name, answer in answers.items():
        said = [answer.get("note", ""), answer.get("streams", "")]
        text = "; ".join(part for part in said if part and not part.startswith("none:"))
        if text:
            lines.append(f"* {name}: {text}.")
    return "\n".join(lines)


def main(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--write", action="store_true", help="write docs/neighbours.md")
    options = p.parse_args(argv)
    found = {name: answer_of(name) for name in HOST_LIBRARIES}
    answers = {name: answer for name, answer in found.items() if answer}
    print(table(answers))
    for name, answer in answers.items():
        for check, text in errors_of(answer).items():
            print(f"\n{name}, {check}:\n{text}", file=sys.stderr)
    missing = [name for name in found if name not in answers]
    if missing:
        print(f"not installed: {', '.join(missing)} (scripts/neighbours installs them)")
    if options.write and not missing:
        write(answers)
    return 1 if any(map(errors_of, answers.values())) else 0


BEGIN, END = "<!-- begin: tests/neighbours/matrix.py -->", "<!-- end -->"


def write(answers):
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    made = f"{table(answers)}\n\n{notes(answers)}"
    PAGE.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
