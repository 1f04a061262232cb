"""Programs in processes of their own: what they print and how they end."""

import subprocess
import sys
import textwrap

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


def run_program(folder, text):
    """Runs HEAD and the text, which may be indented; the subprocess.CompletedProcess."""
    path = folder / "program.py"
    path.write_text(HEAD + textwrap.dedent(text))
    return subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=120, check=False
    )
