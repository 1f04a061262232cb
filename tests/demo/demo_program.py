"""Runs demo/run.py with launches watched.

demo_program.py spoil KERNEL ARGUMENT...   makes this kernel's first output wrong in some elements
demo_program.py ptx FOLDER ARGUMENT...     writes the PTX of every kernel to FOLDER/<name>.ptx
demo_program.py fake COUNTS ARGUMENT...    on the tests' driver, whose launches the CPU runs; writes
                                           to the file COUNTS what was launched and copied, as JSON
"""

import atexit
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))

import numpy as np
import run
from cuda import device
from cuda.device import _core

TESTS = Path(__file__).resolve().parents[1]
launch = device.launch


def spoiled(kernel_name):
    """A launch that a wrong kernel would make."""

    def launch_and_spoil(kernel, *arguments, **options):
        launch(kernel, *arguments, **options)
        if kernel.underlying.__name__ == kernel_name:
            arguments[0].reshape(-1)[::97] += 2

    return launch_and_spoil


def recorded(folder):
    """A launch that writes down the kernel as PTX before it runs it here."""

    def launch_and_record(kernel, *arguments, grid, block, **options):
        path = Path(folder) / f"{kernel.underlying.__name__}.ptx"
        if not path.exists():
            path.write_text(kernel.inspect(*arguments, what="ptx", grid=grid, block=block))
        launch(kernel, *arguments, grid=grid, block=block, **options)

    return launch_and_record


def gpu_program():
    """tests/support/gpu_program.py, beside the demos' own module `support`."""
    of_demos = sys.modules.pop("support")
    sys.path.insert(0, str(TESTS))
    from support import gpu_program

    sys.path.remove(str(TESTS))
    sys.modules["support"] = of_demos
    return gpu_program


def form_of(argument):
    """What a launch's argument is for gpu_program.py; arrays are to be on the GPU."""
    if isinstance(argument, device.Array):
        return argument.dtype, argument.ndim
    if hasattr(type(argument), "numpy_dtype"):
        return type(argument)
    assert isinstance(argument, int | np.generic), f"{type(argument)} is not on the GPU"
    if isinstance(argument, bool):
        return np.bool_
    return np.int32 if isinstance(argument, int) else argument.dtype


def on_fake_gpu(counts):
    """A launch on a GPU whose driver is that of the tests."""
    on_fake, launched = gpu_program(), []
    on_fake.runs_with[0] = ""

    def launch_and_count(kernel, *arguments, **options):
        on_fake.runs_on_fake(*map(form_of, arguments))(kernel)
        launched.append(kernel.underlying.__name__)
        launch(kernel, *arguments, **options)

    def write():
        calls = on_fake.fake.fake_take_calls().decode().split()
        copies = sum(call.startswith("copy") for call in calls)
        done = [name for name, _, _ in on_fake.launches]
        Path(counts).write_text(json.dumps([launched, done, copies]))

    atexit.register(write)
    return launch_and_count


watchers = {"fake": on_fake_gpu, "spoil": spoiled, "ptx": recorded}
device.launch = watchers[sys.argv[1]](sys.argv[2])
_core.launch = device.launch  # what k[grid, block](...) calls
sys.exit(run.main(sys.argv[3:]))
