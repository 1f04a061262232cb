"""Python imports this at its start where the folder is in PYTHONPATH: launches on GPUs are then
those of the tests' driver, and the CPU runs them.

PLANT=wrong:KERNEL    its first argument is spoiled after each launch
PLANT=lost:KERNEL     it fails when its turn comes, and with it the process's context
PLANT=crash:KERNEL    the process ends where it is launched
PLANT=hang:KERNEL     the process sleeps where it is launched
"""

import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from cuda import device

from support import gpu_program

launch = device.launch
gpu_program.runs_with[0] = ""  # the best form that the CPU has
plant, _, planted = os.environ.get("PLANT", "").partition(":")


def form_of(argument):
    """What gpu_program.py takes an argument for."""
    if hasattr(argument, "__dlpack_device__"):
        array = argument if hasattr(argument, "ndim") else device.from_dlpack(argument)
        return array.dtype, array.ndim
    if isinstance(argument, int) and not isinstance(argument, bool):
        return np.int32
    return np.asarray(argument).dtype


def launch_known(kernel, *arguments, **options):
    name = kernel.underlying.__name__
    gpu_program.runs_on_fake(*map(form_of, arguments))(kernel)
    if name == planted and plant == "crash":
        os._exit(9)
    if name == planted and plant == "hang":
        time.sleep(600)
    if name == planted and plant == "lost":
        gpu_program.fake.fake_fault(name.encode(), 700)
    launch(kernel, *arguments, **options)
    if name == planted and plant == "wrong":
        device.core.Device(0).sync()
        arguments[0][...] = np.ones(arguments[0].shape, arguments[0].dtype)


device.launch = launch_known
