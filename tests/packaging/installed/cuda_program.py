"""cuda_program.py [first|last|without]: what `cuda.*` and numba.cuda are like, as JSON.

With first or last, cuda.device is imported before or after all of them, and runs a kernel.
"""

import contextlib
import importlib
import io
import json
import pkgutil
import sys

# Everything public below these; their own tests and tools are not imported.
PACKAGES = ("cuda.bindings", "cuda.core", "cuda.pathfinder")


def run_kernel():
    import numpy as np
    from cuda import device

    @device.kernel
    def squares(out):
        i = device.tid(1)
        if i < out.size:
            out[i] = i * i

    out = np.zeros(1000, np.int32)
    device.launch(squares, out, grid=8, block=128)
    assert (out == np.arange(1000) ** 2).all()


def outcome_of(action):
    """What an action gives: its value's text, or its error."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        try:
            return str(action())
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def names_below(package):
    module = importlib.import_module(package)
    found = [entry.name for entry in pkgutil.iter_modules(module.__path__, f"{package}.")]
    return sorted(name for name in found if not name.rpartition(".")[2].startswith("_"))


def import_module(name):
    module = importlib.import_module(name)
    return f"{len(dir(module))} names, version {getattr(module, '__version__', None)}"


def ask_cuda_core():
    from cuda.core import Device

    return Device().name


def ask_driver():
    from cuda.bindings import driver

    return driver.cuInit(0)


def ask_numba():
    from numba import cuda

    return cuda.is_available(), cuda.__name__, cuda.jit.__module__


def simulate_numba():
    """A kernel of numba-cuda, in its simulator where NUMBA_ENABLE_CUDASIM is set."""
    global cuda  # the simulator changes what the kernel's module calls cuda
    import numpy as np
    from numba import cuda

    @cuda.jit
    def squares(out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = i * i

    out = np.zeros(10, np.int32)
    squares[1, 16](out)
    return out.tolist()


def look():
    report = {}
    for package in PACKAGES:
        for name in [package, *names_below(package)]:
            report[name] = outcome_of(lambda name=name: import_module(name))
    for action in (ask_driver, ask_cuda_core, ask_numba, simulate_numba):
        report[action.__name__] = outcome_of(action)
    return report


if __name__ == "__main__":
    when = sys.argv[1]
    if when == "first":
        run_kernel()
    report = look()
    if when == "last":
        run_kernel()
    print(json.dumps(report))
