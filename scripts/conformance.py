#!/usr/bin/env python3
"""Runs the tests that name a row of the contract and prints the rows shown, by section and target.

python scripts/conformance.py [pytest arguments]      run the tests, then print
python scripts/conformance.py --jobs=4                in four processes, not in one for each CPU
python scripts/conformance.py --report FILE           print from a report written before
python scripts/conformance.py --missing-names         print the section for docs/not-implemented.md
python scripts/conformance.py --not-implemented       print the other section of it
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from support import clauses, planned, status, summary  # noqa: E402


def run_tests(arguments, jobs):
    """Exit status of pytest and the report that it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clauses.json"
        command = [sys.executable, "-m", "pytest", "-q", f"--numprocesses={jobs}"]
        command += ["--clauses-only", f"--clause-report={path}", "--every-architecture"]
        code = subprocess.run([*command, *(arguments or ["tests"])], cwd=ROOT).returncode
        report = json.loads(path.read_text()) if path.exists() else {"tests": []}
    return code, report


def print_missing_names():
    from cuda import device

    print(status.missing_section(set(dir(device))), end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--report", type=Path, help="a file written by pytest --clause-report")
    parser.add_argument("--missing-names", action="store_true")
    parser.add_argument("--not-implemented", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options, arguments = parser.parse_known_args()
    if options.missing_names:
        print_missing_names()
        return 0
    if options.not_implemented:
        print(planned.section(), end="")
        return 0
    code, report = 0, None
    if options.report:
        report = json.loads(options.report.read_text())
    else:
        code, report = run_tests(arguments, options.jobs)
    print(summary.render(clauses.load(), report))
    if code:
        print(f"pytest ended with status {code}: a module that fails to import shows no row")
    return code


if __name__ == "__main__":
    sys.exit(main())
