"""Where a thread stands: thread_idx, tid and their like. They exist in kernels only."""

from typing import Any, NoReturn

from cuda.device.errors import DeviceOnlyError


def _refuse(name: str) -> NoReturn:
    raise DeviceOnlyError(
        f"cuda.device.{name} exists in kernels only; it was used in host code: "
        "write what uses it into a kernel, and launch that"
    )


class _DeviceOnly:
    """A name that kernels use; on the host it can be imported and passed on, nothing else."""

    __slots__ = ("_name",)
    _name: str

    def __init__(self, name: str) -> None:
        object.__setattr__(self, "_name", name)

    def __getattr__(self, attribute: str) -> Any:
        # Tools that look for protocols must see that there are none.
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        _refuse(self._name)

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"<cuda.device.{self._name}, in kernels only>"


def _refusing(operation: str) -> Any:
    def method(self: _DeviceOnly, *args: object) -> NoReturn:
        _refuse(self._name)

    method.__name__ = operation
    return method


_BINARY = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
_OTHERS = (
    "neg pos abs invert int float complex bool index round trunc floor ceil eq ne lt le gt ge "
    "getitem setitem delitem len iter contains call setattr"
)


def _make_operations() -> None:
    """Every use in an expression is refused; being hashed and compared by identity is not."""
    binary = _BINARY.split()
    for operation in [*binary, *(f"r{name}" for name in binary), *_OTHERS.split()]:
        setattr(_DeviceOnly, f"__{operation}__", _refusing(f"__{operation}__"))
    _DeviceOnly.__hash__ = object.__hash__  # type: ignore[method-assign]


_make_operations()


# DEV-POS-02: index of the thread in its block: .x .y .z, or [0] [1] [2]; uint32.
thread_idx: Any = _DeviceOnly("thread_idx")
# DEV-POS-03: index of the block in the grid, as thread_idx.
block_idx: Any = _DeviceOnly("block_idx")
# DEV-POS-04: shape of the block in threads, as thread_idx.
block_dim: Any = _DeviceOnly("block_dim")
# DEV-POS-05: shape of the grid in blocks, as thread_idx.
grid_dim: Any = _DeviceOnly("grid_dim")
# DEV-POS-10: threads of a warp: 32 on every target; int32.
warp_size: Any = _DeviceOnly("warp_size")
# DEV-POS-11: index of the thread in its warp: 0 to 31; int32.
lane_id: Any = _DeviceOnly("lane_id")


def tid(ndims: int) -> Any:
    """Position of the thread in the grid: block_idx * block_dim + thread_idx on each axis.

    ndims: 1, 2 or 3, a constant.

    The result is an int32 for 1 dimension, a tuple of int32, x first, for 2 and 3. Raises
    DeviceOnlyError in host code.
    """
    _refuse("tid")


def grid_size(ndims: int) -> Any:
    """Number of threads of the grid, grid_dim * block_dim on each axis; ndims and result as tid."""
    _refuse("grid_size")
