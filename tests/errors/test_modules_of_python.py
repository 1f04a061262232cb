"""Each function of numbers that NumPy, math, operator and Python have works in kernels, or its error
says what to write: new versions that add one fail here."""

import builtins
import linecache
import math
import operator

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.targets import use_target

GENERAL = ("call it outside of the kernel", "write a plain function that does what it does")

# Functions of NumPy that work element by element and are no ufuncs.
ELEMENTWISE = (
    "angle around fix i0 imag interp isclose iscomplex isneginf isposinf isreal nan_to_num "
    "piecewise real real_if_close round select sinc unwrap where clip choose"
).split()
# Of the host's files, code and sessions: the general hint, to call them there, is theirs.
OF_THE_HOST = set(
    "breakpoint bytearray bytes classmethod compile copyright credits dir eval exec exit globals "
    "help input license locals memoryview object open property quit staticmethod super vars".split()
)


def names_of(module, kind):
    return [n for n in dir(module) if not n.startswith("_") and kind(getattr(module, n))]


def is_function(value):
    return callable(value) and not isinstance(value, type)


def is_function_of_builtins(value):
    return callable(value) and not (isinstance(value, type) and issubclass(value, BaseException))


FUNCTIONS = [
    *(("np", n) for n in names_of(np, lambda f: isinstance(f, np.ufunc))),
    *(("np", n) for n in ELEMENTWISE),
    *(("math", n) for n in names_of(math, is_function)),
    *(("operator", n) for n in names_of(operator, callable)),
    *(("builtins", n) for n in names_of(builtins, is_function_of_builtins) if n not in OF_THE_HOST),
]


def kernel_that_calls(module, name, arguments):
    text = f"def calls_it(out, x, k):\n    y = {module}.{name}({arguments})\n"
    file = f"<{module}.{name}({arguments})>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"np": np, "math": math, "operator": operator, "builtins": builtins}
    exec(compile(text, file, "exec"), scope)
    return D.kernel(scope["calls_it"])


@pytest.mark.parametrize(("module", "name"), FUNCTIONS, ids=lambda n: n)
def test_each_works_or_says_what_to_write(module, name):
    """Of one to three numbers, or of tuples; what a call lacks is another error."""
    hints = []
    with use_target("interpreter"):
        for arguments in ("x", "x, x", "x, x, x", "k", "k, k"):
            try:
                kernel = kernel_that_calls(module, name, arguments)
                D.launch(kernel, np.zeros(4), np.float32(1.5), np.int32(2), grid=1, block=1)
                return
            except errors.CompileError as error:
                hints += [d.hint for d in error.diagnostics]
    assert not [h for h in hints if h.startswith(GENERAL)], hints
