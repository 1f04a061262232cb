"""CuPy's RawKernel: the twin in CUDA C++ (bench/cuda), compiled by NVRTC."""

import numpy as np
import nvcc
from peers import Contestant, NotAvailable

GROUP = "CuPy RawKernel"


def cupy_here():
    """The module, on GPU 0. Raises NotAvailable."""
    try:
        import cupy

        cupy.cuda.Device(0).use()
    except Exception as error:  # of its own libraries too
        raise NotAvailable(f"not here: {type(error).__name__}: {error}") from error
    return cupy


def stream_of(cupy, handle):
    """A stream that CuPy did not make, as one of its own."""
    return cupy.cuda.ExternalStream(handle)


def argument(cupy, problem, place, name):
    if name in place.arrays:
        return cupy.asarray(place.arrays[name])
    value = problem.values[name]
    return value if isinstance(value, np.floating) else np.int32(value)


def contestants(problem, place):
    cupy = cupy_here()
    options = ("-std=c++17", *nvcc.defines(problem))
    module = cupy.RawModule(code=nvcc.source(problem).read_text(), options=options)
    function = module.get_function(problem.kernel)
    args = tuple(argument(cupy, problem, place, name) for name in problem.arguments.split())
    grid, block = ((*extents, 1, 1)[:3] for extents in (problem.grid, problem.block))
    stream = stream_of(cupy, place.handle)

    def run():
        with stream:
            function(grid, block, args)

    return [Contestant(GROUP, GROUP, run)]
