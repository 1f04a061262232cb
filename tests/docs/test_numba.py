"""What the guide says of Numba is what Numba says, where it is installed.

`pip install numba-cuda nvidia-nvvm nvidia-cuda-nvrtc` and pytest's own packages make an environment
for it; no GPU is needed. The messages belong to the versions that the page names.
"""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys

import pytest
from support.pages import GUIDE, ROOT

UPDATE = ROOT / "tests" / "docs" / "update.py"
# Kernels that are launched need a GPU, or Numba's simulator, which compiles nothing.
PAGES = {"common-mistakes.md": {}, "porting-from-numba.md": {"NUMBA_ENABLE_CUDASIM": "1"}}


@pytest.mark.parametrize("name", PAGES)
def test_numba(name):
    if not importlib.util.find_spec("numba_cuda"):
        pytest.skip("numba-cuda is not installed")
    version = importlib.metadata.version("numba-cuda")
    if f"numba-cuda {version}" not in (GUIDE / "common-mistakes.md").read_text():
        pytest.skip(f"the page names another version of numba-cuda than {version}")
    command = [sys.executable, UPDATE, "--language=numba", "--check", GUIDE / name]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | PAGES[name])
    assert done.returncode == 0, done.stdout + done.stderr
