"""NumbaPro's CUDA Python, specification v0.2 of 2014: the language and the names of its programs.

from cuda.device.numbapro import cuda, float32

@cuda.jit("void(float32[:], float32[:], float32[:])")
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]

add[c.size // 256 + 1, 256](a, b, c)

Programs that say `from numbapro import cuda` run unchanged after `install()`, or by
`python -m cuda.device.numbapro program.py`.
"""

from cuda.device.numbapro import cuda
from cuda.device.numbapro._install import install
from cuda.device.numbapro._jit import autojit, jit
from cuda.device.numbapro._types import *  # noqa: F403 all that it lists
from cuda.device.numbapro._types import __all__ as _type_names

# The version of the NumbaPro whose language this is: programs compare it.
__version__ = "0.12.0"

__all__ = ["__version__", "autojit", "cuda", "install", "jit"]
__all__ += _type_names
