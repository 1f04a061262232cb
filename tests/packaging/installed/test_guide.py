"""What the guide says of Numba is what Numba says, of the version that its pages name.

Numba has an environment of its own; no GPU is needed.
"""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "guide"
UPDATE = ROOT / "tests" / "docs" / "update.py"
# Kernels that are launched need a GPU, or Numba's simulator, which compiles nothing.
PAGES = {"common-mistakes.md": {}, "porting-from-numba.md": {"NUMBA_ENABLE_CUDASIM": "1"}}


@pytest.fixture(scope="module")
def with_numba(make_environment):
    text = (GUIDE / "common-mistakes.md").read_text()
    cuda, numba = re.search(r"numba-cuda ([\d.]+)\s+with numba ([\d.]+\d)", text).groups()
    packages = f"numba-cuda=={cuda}", f"numba=={numba}", "nvidia-nvvm", "nvidia-cuda-nvrtc"
    # Of later ones this numba asks for what they do not have any more.
    return make_environment(*packages, "numpy<2.5")


@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11),
    reason="waits for Python 3.11, whose bytecode names values as in Numba's words",
)
@pytest.mark.parametrize("name", PAGES)
def test_numba(with_numba, name):
    arguments = [UPDATE, "--language=numba", "--check", GUIDE / name]
    done = with_numba.run(*arguments, check=False, **PAGES[name])
    assert done.returncode == 0, done.stdout + done.stderr
