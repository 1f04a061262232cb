"""Libraries whose arrays lie in memory of the host, in one form: how to make an array of theirs, to
look at it without us, and to take one of ours."""

import numpy as np

NUMBERS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
SMALL_FLOATS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  # of ml_dtypes
REALS = tuple(name for name in NUMBERS if not name.startswith("complex"))


class Library:
    """name: of the package. dtypes: that it has. lacks: columns of the table that it has not."""

    name = "numpy"
    dtypes = NUMBERS
    takes_too = ()  # formats in which it takes ours, beside those
    lacks = frozenset()
    streams = "none: its calls are done when they return"
    note = ""

    def __init__(self):
        self.version = __import__(self.name).__version__

    def cell(self, column):
        """What the table has to say of it there."""
        if column in self.lacks:
            return "-"
        return str(len(self.dtypes)) if column == "dtypes" else True

    def make(self, array):
        """An array of the library with these elements, in memory that it has allocated."""
        raise NotImplementedError

    def given(self, theirs):
        """What a launch takes: the object itself, or what it gives without a copy."""
        return theirs

    def look(self, theirs):
        """Its elements as the library itself sees them."""
        return np.asarray(theirs)

    def store(self, theirs, index, value):
        theirs[index] = value

    def read_only(self, array):
        """A read-only array of the library."""
        raise NotImplementedError

    def strided(self, theirs):
        """Every second element of it."""
        return theirs[::2]

    def take(self, ours):
        """The library's own array in the memory of one of ours."""
        raise NotImplementedError


class NumPy(Library):
    def make(self, array):
        return array.copy()

    def read_only(self, array):
        made = array.copy()
        made.flags.writeable = False
        return made

    def take(self, ours):
        return np.from_dlpack(ours)


class PyTorch(Library):
    name = "torch"
    takes_too = SMALL_FLOATS
    lacks = frozenset({"read-only"})  # tensors have no such flag

    def make(self, array):
        import torch

        return torch.from_numpy(array.copy()).clone()

    def look(self, theirs):
        import ml_dtypes
        import torch

        found = str(theirs.dtype).removeprefix("torch.")
        if found not in SMALL_FLOATS:
            return theirs.numpy()
        return theirs.view(torch.uint8).numpy().view(getattr(ml_dtypes, found))

    def take(self, ours):
        import torch

        return torch.from_dlpack(ours)


class Jax(Library):
    name = "jax"
    takes_too = SMALL_FLOATS
    # A slice is an array of its own.
    lacks = frozenset({"our stores", "their stores", "not contiguous"})
    note = (
        "arrays never change: kernels may only read them, which their class says and their tensors "
        "do not; memory that does not begin with a cache line is copied"
    )

    def __init__(self):
        super().__init__()
        import jax

        jax.config.update("jax_platforms", "cpu")
        jax.config.update("jax_enable_x64", True)

    def make(self, array):
        import jax.numpy as jnp

        made = jnp.array(array, copy=True)
        return made.block_until_ready()

    def read_only(self, array):
        return self.make(array)

    def take(self, ours):
        import jax.numpy as jnp

        return jnp.from_dlpack(ours)


class PyArrow(Library):
    name = "pyarrow"
    lacks = frozenset({"our stores", "their stores", "not contiguous"})
    dtypes = tuple(name for name in REALS if name != "bool")  # its bools are bits
    note = "arrays never change: kernels may only read them"

    def make(self, array):
        import pyarrow

        buffer = pyarrow.py_buffer(array.tobytes())
        kind = pyarrow.from_numpy_dtype(array.dtype)
        return pyarrow.Array.from_buffers(kind, array.size, [None, buffer])

    def look(self, theirs):
        return theirs.to_numpy(zero_copy_only=True)

    def read_only(self, array):
        return self.make(array)

    def take(self, ours):
        import pyarrow

        return pyarrow.array(np.asarray(ours))


class Dpctl(Library):
    name = "dpctl"
    dtypes = ("uint8",)  # its memory objects are bytes
    # Its own memory goes back to it (test_sycl.py); it takes no other.
    lacks = frozenset({"out", "read-only", "zero size", "not contiguous"})
    streams = "its queue is waited for by the producer"
    note = "memory objects are bytes; shared and host memory"

    def make(self, array):
        import dpctl.memory

        made = dpctl.memory.MemoryUSMShared(array.nbytes)
        memoryview(made)[:] = array.tobytes()
        return made

    def look(self, theirs):
        return np.asarray(memoryview(theirs))

    def store(self, theirs, index, value):
        memoryview(theirs)[index] = value


class Dpnp(Library):
    name = "dpnp"
    lacks = frozenset({"out"})  # memory has to be SYCL's
    dtypes = tuple(name for name in NUMBERS if name != "float16")
    streams = "its queue is waited for by the producer"
    note = "launches take device memory too, of a SYCL device that is a CPU"

    def make(self, array):
        import dpnp

        return dpnp.array(array, usm_type="shared")

    def look(self, theirs):
        return theirs.asnumpy()

    def read_only(self, array):
        made = self.make(array)
        made.flags.writable = False
        return made


class Numba(Library):
    name = "numba"
    note = "NumPy's arrays, made and changed by compiled functions"

    def make(self, array):
        import numba

        return numba.njit(lambda a: a.copy())(array)

    def look(self, theirs):
        import numba

        return numba.njit(lambda a: a.copy())(theirs)

    def store(self, theirs, index, value):
        import numba

        def put(a, i, x):
            a[i] = x

        numba.njit(put)(theirs, index, theirs.dtype.type(value))

    dtypes = tuple(name for name in NUMBERS if name != "float16")

    def read_only(self, array):
        made = self.make(array)
        made.flags.writeable = False
        return made

    def take(self, ours):
        return ours.view(np.ndarray)


class Pandas(Library):
    name = "pandas"
    lacks = frozenset({"our stores", "their stores"})
    note = "a Series gives its memory by `to_numpy()`, which is read-only there"

    def make(self, array):
        import pandas

        return pandas.Series(array.copy())

    def given(self, theirs):
        return theirs.to_numpy(copy=False)

    def read_only(self, array):
        return self.make(array)

    def take(self, ours):
        import pandas

        return pandas.Series(np.asarray(ours), copy=False)


class Xarray(Library):
    name = "xarray"
    note = "a DataArray gives its memory by `data`; one of ours keeps its class: test_xarray.py"

    def make(self, array):
        import xarray

        return xarray.DataArray(array.copy())

    def given(self, theirs):
        return theirs.data

    def look(self, theirs):
        return theirs.values

    def read_only(self, array):
        made = self.make(array)
        made.data.flags.writeable = False
        return made

    def take(self, ours):
        import xarray

        return xarray.DataArray(ours)


class MlDtypes(Library):
    name = "ml_dtypes"
    dtypes = SMALL_FLOATS
    lacks = frozenset({"out"})  # it has no arrays: PyTorch and JAX take ours of its formats
    note = "NumPy's arrays of formats that NumPy lacks; PyTorch and JAX take ours of these too"

    def make(self, array):
        return array.copy()

    def read_only(self, array):
        made = array.copy()
        made.flags.writeable = False
        return made


class Mpi4py(Library):
    name = "mpi4py"
    dtypes = NUMBERS[:-2]
    note = (
        "memory that MPI allocated, by `numpy.frombuffer`; messages from and to ours: test_mpi.py"
    )

    def make(self, array):
        from mpi4py import MPI

        made = np.frombuffer(MPI.Alloc_mem(max(array.nbytes, 1)), array.dtype, array.size)
        made[:] = array
        return made

    def read_only(self, array):
        made = self.make(array)
        made.flags.writeable = False
        return made

    def take(self, ours):
        from mpi4py import MPI

        return np.frombuffer(MPI.buffer(ours.view(np.uint8)), ours.dtype)


class Dask(Library):
    name = "dask"
    lacks = frozenset({"out", "our stores", "their stores", "read-only"})  # it holds recipes
    note = "a chunk is NumPy's array, as functions of `map_blocks` get it; clusters: test_dask.py"

    def make(self, array):
        import dask.array

        return dask.array.from_array(array.copy(), chunks=-1).persist()

    def given(self, theirs):
        return theirs.compute()

    def look(self, theirs):
        return theirs.compute()


HOST_LIBRARIES = {
    kind.name: kind
    for kind in (
        *(NumPy, PyTorch, Jax, PyArrow, Dpctl, Dpnp, Numba, Pandas, Xarray, MlDtypes, Mpi4py, Dask),
    )
}
