"""Launches among the streams, events and arrays of CuPy and PyTorch (test_gpu_neighbours.py)."""

import re
import subprocess
import sys
from importlib.util import find_spec

from gpu import machine, outcome, suite

TESTS = "tests/interop/test_gpu_neighbours.py"


def skipped(text):
    """The reasons, each once."""
    reasons = re.findall(r"^SKIPPED \[\d+\] \S+ (.*)$", text, re.MULTILINE)
    return list(dict.fromkeys(reasons))


def main(argv):
    machine.options(__doc__, argv)
    if find_spec("pytest") is None:
        outcome.summary("not here: pytest")
        return outcome.NOT_HERE
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rsfE", TESTS]
    done = subprocess.run(command, cwd=suite.ROOT, stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    reasons, failed = skipped(done.stdout), suite.failures(done.stdout)
    outcome.report("\n".join(f"* `{line}`" for line in failed))
    words = [suite.counts(done.stdout) or f"pytest ended with status {done.returncode}"]
    words += [f"not here: {reason}" for reason in reasons] + failed[:1]
    outcome.summary("; ".join(words))
    return outcome.status(done.returncode != 0, reasons)
