"""Where a thread stands: thread_idx, tid and their like. They exist in kernels only (DEV-POS)."""

from cuda.device.errors import DeviceOnlyError


def _refuse(name):
    raise DeviceOnlyError(f"cuda.device.{name} exists in kernels only; it was used in host code")


class _DeviceOnly:
    """A name that kernels use; on the host it can be imported and passed on, nothing else."""

    __slots__ = ("_name",)

    def __init__(self, name, doc):
        object.__setattr__(self, "_name", name)

    def __getattr__(self, attribute):
        # Tools that look for protocols must see that there are none.
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        _refuse(self._name)

    def __reduce__(self):
        return self._name

    def __repr__(self):
        return f"<cuda.device.{self._name}, in kernels only>"

    __hash__ = object.__hash__


def _refusing(operation):
    def method(self, *args):
        _refuse(object.__getattribute__(self, "_name"))

    method.__name__ = operation
    return method


_OPERATIONS = """
add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor
radd rsub rmul rmatmul rtruediv rfloordiv rmod rdivmod rpow rlshift rrshift rand ror rxor
neg pos abs invert int float complex bool index round trunc floor ceil
eq ne lt le gt ge getitem setitem delitem len iter contains call setattr
""".split()

for _operation in _OPERATIONS:
    setattr(_DeviceOnly, f"__{_operation}__", _refusing(f"__{_operation}__"))
_DeviceOnly.__hash__ = object.__hash__


class uint32x3:  # noqa: N801 the guide's name
    """Three uint32: x, y, z. Immutable."""

    __slots__ = ("_elements",)

    def __init__(self, x, y, z):
        import numpy

        elements = tuple(numpy.uint32(value) for value in (x, y, z))
        object.__setattr__(self, "_elements", elements)

    x = property(lambda self: self._elements[0])
    y = property(lambda self: self._elements[1])
    z = property(lambda self: self._elements[2])

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __len__(self):
        return 3

    def __getitem__(self, index):
        return self._elements[index]

    def __iter__(self):
        return iter(self._elements)

    def __eq__(self, other):
        return isinstance(other, uint32x3) and self._elements == other._elements

    def __hash__(self):
        return hash(self._elements)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(str(e) for e in self._elements)})"


class Dim3(uint32x3):
    """Type of thread_idx, block_idx, block_dim and grid_dim (DEV-POS-01)."""

    __slots__ = ()


thread_idx = _DeviceOnly("thread_idx", "Dim3: index of the thread in its block (DEV-POS-02).")
block_idx = _DeviceOnly("block_idx", "Dim3: index of the block in the grid (DEV-POS-03).")
block_dim = _DeviceOnly("block_dim", "Dim3: shape of the block (DEV-POS-04).")
grid_dim = _DeviceOnly("grid_dim", "Dim3: shape of the grid (DEV-POS-05).")
warp_size = _DeviceOnly("warp_size", "int32: threads of a warp, 32 (DEV-POS-10).")
lane_id = _DeviceOnly("lane_id", "int32: index of the thread in its warp (DEV-POS-11).")


def tid(ndims):
    """Position of the thread in the grid: an int32 for ndims 1, a tuple of them for 2 and 3 (DEV-POS-06)."""
    _refuse("tid")


def grid_size(ndims):
    """Number of threads along each axis: an int32 for ndims 1, else a tuple (DEV-POS-08)."""
    _refuse("grid_size")
