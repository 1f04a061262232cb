"""The twin in CUDA C++ (bench/cuda), as nvcc made it before, launched through the driver."""

import ctypes

import numpy as np
from peers import Contestant, NotAvailable

from gpu import driver

GROUP = "nvcc -O3"


def parameter(problem, arguments, name):
    """As the C++ takes it: an array's address, an int, a float."""
    if name in arguments.arrays:
        return ctypes.c_uint64(arguments.pointer(name))
    value = problem.values[name]
    return ctypes.c_float(value) if isinstance(value, np.floating) else ctypes.c_int(int(value))


def cubin(problem, arguments):
    file = arguments.cubins / f"{problem.name}.cubin"
    if not file.exists():
        reason = arguments.cubins / f"{problem.name}.txt"
        raise NotAvailable(reason.read_text() if reason.exists() else "not compiled")
    return file.read_bytes()


def contestants(problem, arguments):
    function = driver.kernel(driver.load(cubin(problem, arguments)), problem.kernel)
    parameters = [parameter(problem, arguments, name) for name in problem.arguments.split()]
    run = driver.launcher(function, problem.grid, problem.block, arguments.handle, parameters)
    return [Contestant(GROUP, GROUP, run)]
