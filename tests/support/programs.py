"""Programs in processes of their own: what they print and how they end."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

HEAD = """
import numpy as np
from cuda import device as D
from cuda.device import _core, core

@D.kernel
def spin(a, n):  # takes about as many nanoseconds as n
    x = D.uint32(a[0])
    i = 0
    while i < n:
        x = x * 1664525 + 1013904223
        i += 1
    a[0] = x
"""


def environment(**variables):
    """Variables of a child that imports what this process can, the tests' own modules too; without
    the variables that are None."""
    paths = [str(TESTS), *filter(None, sys.path)]
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **variables}
    return {name: value for name, value in found.items() if value is not None}


def run_text(folder, text, timeout=120, env=None):
    """Runs the text as a program; the subprocess.CompletedProcess."""
    path = folder / "program.py"
    path.write_text(text)
    return subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=env,
    )


def run_program(folder, text):
    """Runs HEAD and the text, which may be indented; the subprocess.CompletedProcess."""
    return run_text(folder, HEAD + textwrap.dedent(text))
