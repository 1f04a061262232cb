"""Arrays of other libraries by a dictionary: the CUDA Array Interface, SYCL's USM array interface.

Both are read into one form, in bytes, and checked whole before anything is touched. What lies in
memory of the host becomes NumPy's array of the same memory, what a GPU reaches an Array.
"""

import re
from typing import Any, NamedTuple, NoReturn

import numpy as np
from cuda.device import _core, _sycl
from cuda.device._host_arrays import exporting

__all__ = ["as_cuda_array", "from_cuda_array_interface", "from_sycl_usm"]

_CUDA, _SYCL = "__cuda_array_interface__", "__sycl_usm_array_interface__"
_REQUIRED = ("shape", "typestr", "data", "version")
_SIZES = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "c": (8, 16)}
UNUSABLE = {
    "t": "bit fields",
    "m": "time differences",
    "M": "dates",
    "O": "Python objects",
    "S": "byte strings",
    "a": "byte strings",
    "U": "text",
}
_END = 1 << 64  # of addresses
_MOST_AXES = 64


class _Array(NamedTuple):
    """What a dictionary says; strides and address in bytes, low and high around all elements."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    read_only: bool
    low: int
    high: int


def refuse_mask(obj: Any) -> None:
    """TypeError for an array of NumPy's with a mask."""
    if type(obj) is not np.ndarray and isinstance(obj, np.ma.MaskedArray):
        raise TypeError(
            "an array with a mask, which would be lost; fill its elements first (a.filled()), or "
            "take a.data"
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _wrong_type(key: str, value: Any, wanted: str) -> NoReturn:
    raise TypeError(f"'{key}' is {_shown(value)}; {wanted} was expected")


def _wrong_value(key: str, value: Any, why: str) -> NoReturn:
    raise ValueError(f"'{key}' is {_shown(value)}: {why}")


def _integer(key: str, value: Any, whole: Any = None) -> int:
    """A Python int of an int or what has __index__; bools are none. whole: what it stands in."""
    shown = value if whole is None else whole
    if isinstance(value, bool | np.bool_) or not hasattr(type(value), "__index__"):
        _wrong_type(key, shown, "an int" if whole is None else "a tuple of ints")
    return int(value.__index__())


def _integers(key: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, tuple | list):
        _wrong_type(key, value, "a tuple of ints")
    return tuple(_integer(key, each, value) for each in value)


def _shape(value: Any) -> tuple[int, ...]:
    shape = _integers("shape", value)
    if len(shape) > _MOST_AXES:
        _wrong_value("shape", value, f"{len(shape)} dimensions; at most {_MOST_AXES} are allowed")
    if any(extent < 0 for extent in shape):
        _wrong_value("shape", value, "an extent is negative")
    if any(extent >= 1 << 63 for extent in shape):
        _wrong_value("shape", value, "an extent does not fit 64 bits")
    return shape


def _number_type(text: str, kind: str, size: int, order: str) -> np.dtype[Any]:
    if kind in UNUSABLE:
        raise TypeError(f"'typestr' is {text!r}: kernels do not take {UNUSABLE[kind]}")
    if kind == "V":
        if size == 0:
            _wrong_value("typestr", text, "an element has no bytes")
        return np.dtype(f"V{size}")
    if kind not in _SIZES:
        raise TypeError(f"'typestr' is {text!r}: there is no kind {kind!r} of elements")
    if size not in _SIZES[kind]:
        sizes = ", ".join(map(str, _SIZES[kind]))
        raise TypeError(f"'typestr' is {text!r}: elements of kind {kind!r} have {sizes} bytes")
    if order == ">" and size > 1:
        raise TypeError(
            f"'typestr' is {text!r}: the byte order is not this machine's; "
            "convert the array to little-endian first"
        )
    return np.dtype(f"{kind}{size}")


def _element(text: Any) -> np.dtype[Any]:
    """The dtype of a type string; '|' and no byte order mean this machine's."""
    if not isinstance(text, str):
        _wrong_type("typestr", text, "a string such as '<f4'")
    found = re.fullmatch(r"([<>|=]?)([A-Za-z])([0-9]{0,9})(\[[^]]*\])?", text, re.ASCII)
    has_unit = found is not None and found[4] is not None  # "<M8[s]"
    if (
        not found
        or (not found[3] and found[2] not in UNUSABLE)
        or (has_unit and found[2] not in "mM")
    ):
        _wrong_value("typestr", text, "a string such as '<f4' was expected")
    return _number_type(text, found[2], int(found[3] or 0), found[1])


def _nested(key: str, parts: Any, depth: int = 0) -> list[Any]:
    """A description whose parts have been looked at, as NumPy wants it."""
    if depth > 16:
        _wrong_value(key, parts, "structures are nested more than 16 deep")
    if not isinstance(parts, list) or not parts:
        _wrong_type(key, parts, "a list of (name, typestr[, shape])")
    made: list[Any] = []
    for part in parts:
        if not isinstance(part, tuple | list) or len(part) not in (2, 3):
            _wrong_type(key, part, "(name, typestr[, shape])")
        name = part[0]
        titled = isinstance(name, tuple) and len(name) == 2
        if not all(isinstance(each, str) for each in (name if titled else (name,))):
            _wrong_type(key, part, "a name, or (title, name),")
        element = part[1]
        if isinstance(element, list):
            element = _nested(key, element, depth + 1)
        else:
            element = _element(element).str
        made.append((name, element, *([_shape(part[2])] if len(part) == 3 else [])))
    return made


def _structured(key: str, parts: Any, element: np.dtype[Any], typestr: str) -> np.dtype[Any]:
    """The dtype of a description; that of the type string where it says no more than this."""
    if parts is None or _is_default(parts, typestr):
        return element
    checked = _nested(key, parts)
    try:
        made: np.dtype[Any] = np.lib.format.descr_to_dtype(checked)  # knows padding
    except (TypeError, ValueError, RecursionError, OverflowError) as error:
        raise ValueError(f"'{key}' is {_shown(parts)}: {error}") from None
    if made.itemsize != element.itemsize:
        _wrong_value(
            key,
            parts,
            f"it has {made.itemsize} bytes, and 'typestr' {typestr!r} {element.itemsize}",
        )
    if element.kind != "V":
        _wrong_value(key, parts, f"'typestr' {typestr!r} is no structure; '|V...' was expected")
    return made


def _is_default(parts: Any, typestr: str) -> bool:
    if not isinstance(parts, list) or len(parts) != 1:
        return False
    part = parts[0]
    if not isinstance(part, tuple | list) or len(part) != 2 or part[0] != "":
        return False
    return isinstance(part[1], str) and _without_order(part[1]) == _without_order(typestr)


def _without_order(typestr: str) -> str:
    """Without a byte order that is this machine's, or none."""
    return typestr.lstrip("<|=")


def _retyped(element: np.dtype[Any], dtype: Any) -> np.dtype[Any]:
    """The caller's dtype in the place of one that the type string cannot say."""
    if dtype is None:
        return element
    wanted: np.dtype[Any] = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    if wanted.hasobject:
        raise TypeError(f"dtype={wanted}: elements of arrays are no Python objects")
    if wanted.itemsize != element.itemsize:
        raise ValueError(
            f"dtype={wanted} has {wanted.itemsize} bytes, and an element {element.itemsize}"
        )
    return wanted


def _pointer(value: Any) -> tuple[int, bool]:
    if not isinstance(value, tuple | list):
        _wrong_type("data", value, "(address, read-only)")
    if len(value) != 2:
        _wrong_value("data", value, "(address, read-only) was expected")
    if isinstance(value[0], bool) or not hasattr(type(value[0]), "__index__"):
        _wrong_type("data", value, "an int as address")
    address = int(value[0].__index__())
    if not isinstance(value[1], bool | np.bool_ | int):
        _wrong_type("data", value, "a bool as read-only flag")
    if not 0 <= address < _END:
        _wrong_value("data", value, "the address does not fit 64 bits")
    return address, bool(value[1])


def _steps(value: Any, shape: tuple[int, ...], item: int, unit: int) -> tuple[int, ...]:
    """Strides in bytes; row by row where none are given. unit: bytes that one of them counts."""
    if value is not None:
        steps = _integers("strides", value)
        if len(steps) != len(shape):
            _wrong_value("strides", value, f"{len(shape)} were expected, one for each dimension")
        steps = tuple(step * unit for step in steps)
    else:
        steps = ()
        size = item
        for extent in reversed(shape):
            steps = (size, *steps)
            size *= max(extent, 1)
    if any(not -(1 << 63) <= step < 1 << 63 for step in steps):
        _wrong_value(
            "strides" if value is not None else "shape", value or shape, "64 bits overflow"
        )
    return steps


def _laid_out(
    address: int, shape: tuple[int, ...], steps: Any, dtype: np.dtype[Any], read_only: bool,
    unit: int,
) -> _Array:  # fmt: skip
    strides = _steps(steps, shape, dtype.itemsize, unit)
    if 0 in shape:
        return _Array(address, shape, strides, dtype, read_only, 0, 0)
    if address == 0:
        raise ValueError(f"'data' is the null pointer, and 'shape' {shape} has elements")
    spans = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low = address + sum(span for span in spans if span < 0)
    high = address + sum(span for span in spans if span > 0) + dtype.itemsize
    count = 1
    for extent in shape:
        count *= extent
    if low <= 0 or high >= _END or count * dtype.itemsize >= 1 << 63:
        raise ValueError(
            f"the elements of shape {_shown(shape)} and strides {_shown(strides)} (bytes) "
            f"from address {address:#x} do not fit the address space"
        )
    return _Array(address, shape, strides, dtype, read_only, low, high)


def _made(array: _Array, owner: Any, stream: int = 0) -> Any:
    made = _core.foreign_array(
        array.address,
        array.low,
        array.high,
        array.shape,
        array.strides,
        array.dtype,
        array.read_only,
        owner,
        stream,
    )
    return exporting(made)


def _dictionary(description: Any, attribute: str, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(description, dict):
        found = type(description).__qualname__
        raise TypeError(f"{attribute} is a {found!r}; a dict was expected")
    for key in keys:
        if key not in description:
            raise ValueError(f"{attribute} has no key '{key}'; {', '.join(keys)} are required")
    return description


# --- CUDA ---


def _stream(value: Any) -> int:
    """1 and 2: CUDA's default streams; others: a handle; 0: there is nothing to wait for."""
    if value is None:
        return 0
    stream = _integer("stream", value)
    if stream == 0:
        _wrong_value(
            "stream",
            value,
            "the interface forbids 0, which could be no stream or either default stream; its "
            "producer has to give None (nothing to wait for), 1 (the legacy default stream) or 2 "
            "(the default stream of a thread)",
        )
    if not 0 < stream < _END:
        _wrong_value("stream", value, "None, 1, 2 or the address of a cudaStream_t was expected")
    return stream


def _version(fields: dict[str, Any]) -> int:
    version = _integer("version", fields["version"])
    if version < 0:
        _wrong_value("version", version, "a version is not negative")
    return version


def _cuda_array(description: Any, owner: Any, sync: bool = True, dtype: Any = None) -> Any:
    fields = _dictionary(description, _CUDA, _REQUIRED)
    version = _version(fields)
    if version >= 1 and fields.get("mask") is not None:
        raise NotImplementedError(
            "the array has a 'mask', and masked arrays are not supported; fill its elements first"
        )
    element = _element(fields["typestr"])
    made = _structured("descr", fields.get("descr"), element, fields["typestr"])
    address, read_only = _pointer(fields["data"])
    array = _laid_out(
        address,
        _shape(fields["shape"]),
        fields.get("strides"),
        _retyped(made, dtype),
        read_only,
        1,
    )
    stream = _stream(fields.get("stream"))
    return _made(array, owner, stream if sync and _core.waits_for_producers() else 0)


def dtype_of_description(typestr: str, descr: Any) -> Any:
    """The dtype of elements that a dictionary describes, for launches, which keep it."""
    return _structured("descr", descr, _element(typestr), typestr)


def cuda_argument(owner: Any, description: Any) -> Any:
    """The array of an argument of launch(), which read the attribute."""
    return _cuda_array(description, owner)


def as_cuda_array(obj: Any, sync: bool = True) -> Any:
    """The array of an object with __cuda_array_interface__, in the same memory; keeps the object.

    What is done with it comes after the work on the stream that the object names, and that stream
    comes after launches on it. sync=False leaves this to the caller, as
    CUDA_DEVICE_ARRAY_INTERFACE_SYNC=0 (or Numba's NUMBA_CUDA_ARRAY_INTERFACE_SYNC=0) in the
    environment does for all.

    Memory of a GPU gives an Array, memory of the host a numpy.ndarray. Raises TypeError for an
    object without the attribute, TypeError and ValueError for a malformed dictionary,
    NotImplementedError for masked arrays.
    """
    description = None if isinstance(obj, type) else getattr(obj, _CUDA, None)
    if description is None:
        raise TypeError(f"as_cuda_array() needs {_CUDA}, which {type(obj).__qualname__!r} lacks")
    return _cuda_array(description, obj, sync)


def from_cuda_array_interface(
    desc: Any, owner: Any = None, sync: bool = True, *, dtype: Any = None
) -> Any:
    """The array that a dictionary of the CUDA Array Interface describes, as by as_cuda_array.

    owner: kept as long as the array; without one the caller keeps the memory. dtype: of elements
    that the type string cannot name, such as bfloat16, which is '<V2'.
    """
    return _cuda_array(desc, owner, sync, dtype)


# --- SYCL ---


def _check_buffer(read_only: bool, usm_type: str | None, readonly: bool | None) -> None:
    """What the caller says of an object's buffer, which is memory of the host."""
    if usm_type == "device":
        raise ValueError("usm_type='device': the buffer of an object is memory of the host")
    if read_only and readonly is False:
        raise ValueError("readonly=False: the object says that its buffer is read-only")


def _of_buffer(owner: Any) -> tuple[int, bool, int, Any]:
    """Address, read-only flag, bytes and keeper of an object's buffer: memory of the host."""
    try:
        view = np.frombuffer(owner, np.uint8)
    except (TypeError, ValueError, BufferError):
        raise ValueError(
            f"{_SYCL} has no key 'data', and {type(owner).__qualname__!r} no buffer of its own"
        ) from None
    return view.ctypes.data, not view.flags.writeable, view.nbytes, view


def _sycl_version(fields: dict[str, Any]) -> None:
    version = _integer("version", fields.get("version", 0))
    if version != 1:
        _wrong_value("version", version, "the only version is 1")


def _first(fields: dict[str, Any], address: int, item: int) -> int:
    offset = _integer("offset", fields.get("offset", 0)) * item
    if not 0 <= address + offset < _END:
        _wrong_value("offset", fields["offset"], "the address does not fit 64 bits")
    return address + offset


def _sycl_array(
    description: Any,
    owner: Any,
    usm_type: str | None = None,
    readonly: bool | None = None,
    *,
    is_launch: bool = False,
) -> Any:
    fields = _dictionary(description, _SYCL, ("shape", "typestr"))
    _sycl_version(fields)
    if "syclobj" not in fields:
        raise ValueError(f"{_SYCL} has no key 'syclobj'")
    shape, element = _shape(fields["shape"]), _element(fields["typestr"])
    key = "typedescr" if fields.get("typedescr") is not None else "descr"
    dtype = _structured(key, fields.get(key), element, fields["typestr"])
    if dtype.kind == "V" and dtype.names is None:
        _wrong_value("typestr", fields["typestr"], "it needs 'typedescr', which says what is in it")
    context = _sycl.context_of(fields["syclobj"])
    buffer = None
    if fields.get("data") is None:
        address, read_only, size, buffer = _of_buffer(owner)
        _check_buffer(read_only, usm_type, readonly)
    else:
        address, read_only = _pointer(fields["data"])
        read_only = read_only and not _sycl.flag_is_wrong(owner)
    start = _first(fields, address, dtype.itemsize) if 0 not in shape else address
    wanted = read_only if readonly is None else readonly
    array = _laid_out(start, shape, fields.get("strides"), dtype, wanted, dtype.itemsize)
    if buffer is not None:
        if array.low != array.high and not address <= array.low <= array.high <= address + size:
            raise ValueError(f"the elements are outside of the buffer, which has {size} bytes")
    elif array.low != array.high:
        said = usm_type, _sycl.said_type(owner)
        where = _sycl.place_of(fields["syclobj"], context)
        elements = array.low, array.high
        kind = _sycl.check_reach(address, elements, context, said, where, is_launch)
        if kind is not None and context.real is not None:
            owner = _sycl.Imported(owner, array.low, kind, context.real)
    return _made(array, (owner, buffer))


def sycl_argument(owner: Any, description: Any) -> Any:
    """The array of an argument of launch(), which read the attribute."""
    return _sycl_array(description, owner, is_launch=True)


def from_sycl_usm(obj: Any, *, usm_type: str | None = None, readonly: bool | None = None) -> Any:
    """The array of an object with __sycl_usm_array_interface__, in the same memory; keeps it.

    Bytes and other objects with a buffer are taken by that. usm_type: "host", "device" or "shared",
    of memory that neither CUDA nor this process's allocator knows. readonly: instead of what the
    object says.

    Memory of the host gives a numpy.ndarray, memory that a GPU reaches an Array. Raises TypeError
    for an object with neither, TypeError and ValueError for a malformed dictionary, ValueError for
    memory that is not of the context it names, or out of reach.
    """
    _sycl.check_type(usm_type)
    description = None if isinstance(obj, type) else getattr(obj, _SYCL, None)
    if description is not None:
        return _sycl_array(description, obj, usm_type, readonly)
    refuse_mask(obj)
    try:
        array = np.asarray(memoryview(obj))
    except TypeError:
        found = type(obj).__qualname__
        raise TypeError(f"from_sycl_usm() needs {_SYCL}, which {found!r} lacks") from None
    _check_buffer(not array.flags.writeable, usm_type, readonly)
    if readonly:
        array.flags.writeable = False
    return array
