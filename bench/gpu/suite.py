"""The whole test suite with --target=cuda, by several processes that share the GPU."""

import argparse
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from gpu import outcome

ROOT = Path(__file__).resolve().parents[2]
NEEDS = ("pytest", "pytest_timeout", "xdist")
# Each process has a context of its own on the GPU, some 0.5 GB; the GPU takes turns among them.
MOST_PROCESSES = 14
# A part of their own (runtime.py), which has the GPU to itself.
ALONE = ("tests/interop/test_on_gpu.py", "tests/interop/test_on_gpu_faults.py")
SHOWN = 40  # failures of which the report has the first line


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--out", type=Path, required=True)
    p.add_argument("--quick", action="store_true")
    p.add_argument("pytest", nargs="*", help="after --: arguments for pytest")
    return p.parse_args(argv)


def arguments(more):
    processes = max(1, min(MOST_PROCESSES, len(os.sched_getaffinity(0)) - 1))
    # --target names a target that must be here: pytest refuses where there is no GPU.
    chosen = ["--target=cuda", f"-n{processes}", "--dist=worksteal", "-q", "-rfE", "--tb=short"]
    # One whose GPU is lost ends, and another takes its place (tests/support/targets.py).
    chosen.append("--max-worker-restart=200")
    chosen += [f"--ignore={path}" for path in ALONE]
    return [*chosen, *more]


def run(arguments, **variables):
    """Passes pytest's output on; its status and its text. Ends with it where it is interrupted."""
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "COLUMNS": "200", **variables},
    )
    lines = []
    while True:
        try:
            for line in process.stdout:
                lines.append(line.decode(errors="replace"))
                sys.stdout.write(lines[-1])
            return process.wait(), "".join(lines)
        except KeyboardInterrupt:  # pytest got it too, and says what it has
            continue


def failures(text):
    """A line for each test; one that took its process along is there twice."""
    lines = re.findall(r"^(?:FAILED|ERROR) .*", text, re.MULTILINE)
    return list({line.partition(" - ")[0]: line for line in reversed(lines)}.values())[::-1]


def counts(text):
    """What pytest's last line says, without its frame."""
    found = re.findall(
        r"^(?:=+ )?((?:\d+ \w+|no tests ran)[^=\n]* in [\d.]+s.*?)(?: =+)?$", text, re.MULTILINE
    )
    return found[-1] if found else None


def conclude(status, text):
    failed, said = failures(text), counts(text)
    outcome.report("\n".join(f"* `{line}`" for line in failed[:SHOWN]))
    if len(failed) > SHOWN:
        outcome.report(f"* and {len(failed) - SHOWN} more")
    last = text.strip().splitlines()[-1:] or ["nothing"]
    words = said or f"pytest ended with status {status}: {last[0]}"
    outcome.summary(words + (f"; first: {failed[0][:160]}" if failed else ""))
    return outcome.PASSED if status == 0 else outcome.FAILED


def main(argv):
    options = parse(argv)
    missing = [name for name in NEEDS if find_spec(name) is None]
    if missing:
        outcome.summary(f"not here: {', '.join(missing)}")
        return outcome.NOT_HERE
    return conclude(*run(arguments(options.pytest)))
