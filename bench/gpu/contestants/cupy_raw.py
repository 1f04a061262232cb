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


def stream_of(cupy, stream):
    """A stream of ours as one of CuPy's, which had another name for it before 14."""
    if hasattr(cupy.cuda.Stream, "from_external"):
        return cupy.cuda.Stream.from_external(stream)
    return cupy.cuda.ExternalStream(stream.handle)


def argument(cupy, problem, arguments, name):
    if name in arguments.arrays:
        return cupy.asarray(arguments.arrays[name])
    value = problem.values[name]
    return value if isinstance(value, np.floating) else np.int32(value)


def contestants(problem, arguments):
    cupy = cupy_here()
    options = ("-std=c++17", *nvcc.defines(problem))
    module = cupy.RawModule(code=nvcc.source(problem).read_text(), options=options)
    function = module.get_function(problem.kernel)
    args = tuple(argument(cupy, problem, arguments, name) for name in problem.arguments.split())
    grid, block = ((*extents, 1, 1)[:3] for extents in (problem.grid, problem.block))
    stream = stream_of(cupy, arguments.stream)

    def run():
        with stream:
            function(grid, block, args)

    return [Contestant(GROUP, GROUP, run)]
