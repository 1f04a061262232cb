"""launch_loop.c, compiled where it is needed."""

import ctypes
import shutil
import subprocess
from pathlib import Path

from peers import NotAvailable

from gpu import driver

SOURCE = Path(__file__).with_name("launch_loop.c")
COMPILERS = ("cc", "gcc", "clang")


def compiled(folder):
    """The function. Raises NotAvailable."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if not compiler:
        raise NotAvailable(f"not here: a C compiler ({', '.join(COMPILERS)})")
    out = Path(folder) / "liblaunch_loop.so"
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", out, SOURCE], check=True)
    return ctypes.CDLL(str(out)).launch_loop


def looper(loop, function, grid, block, stream, parameters):
    """A function that launches so many times."""
    config, where = driver.config(grid, block, stream), driver.pointers(parameters)
    launch = ctypes.cast(driver.library().cuLaunchKernelEx, ctypes.c_void_p)
    fixed = (launch, ctypes.byref(config), function, where)

    def run(times, kept=(config, parameters)):
        error = loop(*fixed, ctypes.c_long(times))
        if error:
            raise driver.DriverError(f"cuLaunchKernelEx: error {error}")

    return run
