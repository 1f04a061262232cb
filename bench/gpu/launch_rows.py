"""Who launches an empty kernel and one of sixteen arrays: functions that launch so many times."""

import ctypes

import numpy as np
from cuda import device

from gpu import driver, launch_loop, on_gpu
from gpu.contestants.cupy_raw import cupy_here, stream_of
from gpu.contestants.numba_cuda import numba_here

ARRAYS = 16
EMPTY, SIXTEEN = "empty", f"{ARRAYS} arrays"


@device.kernel
def nothing():
    pass


def ours(stream, arrays, sixteen):
    # Each by its name, as a program would have them.
    a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = arrays
    launch = device.launch

    def empty(times):
        for _ in range(times):
            launch(nothing, grid=1, block=1, stream=stream)

    def many(times):
        for _ in range(times):
            launch(
                sixteen, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q,
                grid=1, block=1, stream=stream,
            )  # fmt: skip

    return {EMPTY: empty, SIXTEEN: many}


class Parameter(ctypes.Structure):
    """An array of one dimension, as kernels of ours take it."""

    _fields_ = (("address", ctypes.c_uint64), ("size", ctypes.c_int64), ("stride", ctypes.c_int64))


def parameter(array):
    address = array.__cuda_array_interface__["data"][0]
    return Parameter(address, array.size, array.itemsize)


def loaded(kernel, arrays):
    """The kernel that ours launches, as the driver's own handle, from the same PTX."""
    major, minor = device.core.Device(0).compute_capability
    target = f"sm_{major}{minor}"
    ptx = kernel.inspect(*arrays, what="ptx", target=target, grid=1, block=1)
    if ptx.count(f".b8 {kernel.underlying.__name__}_param_") != len(arrays):
        raise ValueError(f"parameters of another form:\n{ptx[:2000]}")
    library = driver.load(ptx.encode() + b"\0")
    return driver.kernel(library, kernel.underlying.__name__)


def bare(stream, arrays, sixteen, folder):
    """The same kernels by a loop in C. Raises NotAvailable."""
    loop = launch_loop.compiled(folder)
    made = {}
    for row, kernel, given in ((EMPTY, nothing, []), (SIXTEEN, sixteen, arrays)):
        parameters = [parameter(array) for array in given]
        function = loaded(kernel, given)
        made[row] = launch_loop.looper(loop, function, (1,), (1,), stream.handle, parameters)
    return made


CUPY_SOURCE = """
extern "C" __global__ void nothing() {}
extern "C" __global__ void sixteen(PARAMETERS) { p0[0] = SUM; }
""".replace("PARAMETERS", ", ".join(f"float* p{i}" for i in range(ARRAYS))).replace(
    "SUM", " + ".join(f"p{i}[0]" for i in range(1, ARRAYS))
)


def cupy(stream, arrays):
    module_of_cupy = cupy_here()
    code = module_of_cupy.RawModule(code=CUPY_SOURCE)
    given = tuple(module_of_cupy.asarray(array) for array in arrays)
    external = stream_of(module_of_cupy, stream)

    def launches(name, args):
        function = code.get_function(name)

        def run(times):
            with external:
                for _ in range(times):
                    function((1,), (1,), args)

        return run

    return {EMPTY: launches("nothing", ()), SIXTEEN: launches("sixteen", given)}


NUMBA_SOURCE = f"""
@cuda.jit
def nothing():
    pass

@cuda.jit
def sixteen({", ".join(f"p{i}" for i in range(ARRAYS))}):
    p0[0] = {" + ".join(f"p{i}[0]" for i in range(1, ARRAYS))}
"""


def numba(stream, arrays):
    _, cuda = numba_here()
    names = {"cuda": cuda, "__name__": "numba_launches"}
    exec(NUMBA_SOURCE, names)
    given = tuple(cuda.as_cuda_array(array) for array in arrays)
    external = cuda.external_stream(stream.handle)

    def launches(name, args):
        configured = names[name][1, 1, external]

        def run(times):
            for _ in range(times):
                configured(*args)

        return run

    return {EMPTY: launches("nothing", ()), SIXTEEN: launches("sixteen", given)}


def sixteen_arrays():
    made = [device.full(1, 1, np.float32, device=on_gpu.DEVICE) for _ in range(ARRAYS)]
    on_gpu.wait()
    return made
