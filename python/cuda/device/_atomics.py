"""Atomics: Atomic, atomic_ref and their interface, in host memory too (DEV-ATOM).

On the host an operation is done by one instruction or a loop around compare-and-swap, so threads of
Python share atomics, with each other and with kernels that run meanwhile. Every operation there is
sequentially consistent, whatever weaker order is asked for.
"""

import functools
import operator
import time
from typing import Any, NoReturn, Protocol, cast

import numpy as np
from cuda.device import _core
from cuda.device._atomic_values import as_number
from cuda.device._hints import (
    AtomicType,
    Hint,
    atomic_type,
    check_format,
    hint_of_dtype,
    holds_atomics,
)
from cuda.device._memory import check_order_and_scope

__all__ = ["Atomic", "AtomicInterface", "AtomicRef", "atomic_ref"]

_ARITHMETIC = (np.uint32, np.int32, np.uint64, np.int64, np.float32, np.float64)
_INTEGERS = _ARITHMETIC[:4]
_LOADS = ("relaxed", "consume", "acquire", "seq_cst")
_STORES = ("relaxed", "release", "seq_cst")


@functools.cache
def _numbers(dtype: "np.dtype[Any]", size: int) -> bytes:
    """Ones for the bits of the numbers in `size` bytes of memory; the others are padding."""
    ones = np.zeros(size, np.uint8)

    def mark(part: "np.dtype[Any]", offset: int) -> None:
        if part.names is None:
            ones[offset : offset + part.itemsize] = 255
            return
        for field in (part.fields or {}).values():
            mark(field[0], offset + field[1])

    mark(dtype, 0)
    return ones.tobytes()


class _Update(Protocol):
    def __call__(self, val: Any, memory: str = "seq_cst", scope: str = "system") -> Any: ...


def _updating(name: str, meaning: str) -> _Update:
    """The method of this name, which computes the value anew."""
    operation = name.rstrip("_")

    def method(
        self: "AtomicInterface", val: Any, memory: str = "seq_cst", scope: str = "system"
    ) -> Any:
        return self._update(name, operation, val, memory, scope)

    method.__name__, method.__doc__ = name, meaning
    method.__qualname__ = f"AtomicInterface.{name}"
    return cast(_Update, method)


class AtomicInterface:
    """What threads access atomically: the base of Atomic and AtomicRef.

    All methods take memory='seq_cst' and scope='system': an order of ISO C++ ('relaxed', 'consume',
    'acquire', 'release', 'acq_rel', 'seq_cst') and the threads that it is for ('system', 'device',
    'block', 'thread'). All but store, wait, notify_one and notify_all give the value before the
    operation.

    load and store are for elements of up to 16 bytes, exch and cas of up to 8. add, sub, max, min,
    nanmax and nanmin are for uint32, int32, uint64, int64, float32 and float64, and_, or_ and xor
    for the integers among them. A NaN changes nothing in max and min, and is no number to nanmax
    and nanmin. cas and wait compare bits, but for padding. Kernels refuse other elements, orders
    and scopes with a CompileError, host code with a TypeError or ValueError.

    A number becomes one of the element's type as in kernels. Those of Python are as literals: an
    OverflowError where they do not fit. Of NumPy's, integers wrap, and floats that become integers
    saturate.
    """

    __slots__ = ("_element", "_hint")
    _element: "np.ndarray[Any, Any]"  # without dimensions
    _hint: Hint

    def __new__(cls, *_: Any, **__: Any) -> Any:
        if cls is AtomicInterface:
            raise TypeError("Atomic and atomic_ref() give what is an AtomicInterface; call them")
        return super().__new__(cls)

    @property
    def dtype(self) -> Any:
        """The type of the value."""
        return self._hint.type

    def load(self, memory: str = "seq_cst", scope: str = "system") -> Any:
        """The value."""
        check_order_and_scope("load", memory, scope, _LOADS)
        return self._value(_core.atomic_load(self._element))

    def store(self, val: Any, memory: str = "seq_cst", scope: str = "system") -> None:
        """Sets the value."""
        check_order_and_scope("store", memory, scope, _STORES)
        self._check_writable()
        _core.atomic_exchange(self._element, self._bytes("store", val))

    def exch(self, val: Any, memory: str = "seq_cst", scope: str = "system") -> Any:
        """Sets the value."""
        self._check_change("exch", memory, scope)
        return self._value(_core.atomic_exchange(self._element, self._bytes("exch", val)))

    def cas(self, old: Any, val: Any, memory: str = "seq_cst", scope: str = "system") -> Any:
        """Sets the value where it is `old`, bit by bit."""
        self._check_change("cas", memory, scope)
        expected, wanted = self._bytes("cas", old), self._bytes("cas", val)
        numbers = _numbers(self._hint.format(), len(expected))
        return self._value(_core.atomic_swap_if(self._element, expected, wanted, numbers))

    add = _updating("add", "Adds to the value; integers wrap.")
    sub = _updating("sub", "Subtracts from the value; integers wrap.")
    and_ = _updating("and_", "Clears the bits that are not in val.")
    or_ = _updating("or_", "Sets the bits of val.")
    xor = _updating("xor", "Flips the bits of val.")
    max = _updating("max", "Sets the value to val where that is greater.")
    min = _updating("min", "Sets the value to val where that is less.")
    nanmax = _updating(
        "nanmax", "Sets the value to val where that is greater, or the value is NaN."
    )
    nanmin = _updating("nanmin", "Sets the value to val where that is less, or the value is NaN.")

    def wait(self, old: Any, memory: str = "seq_cst", scope: str = "system") -> None:
        """Waits until the value is not `old`, bit by bit."""
        check_order_and_scope("wait", memory, scope, _LOADS)
        expected = int.from_bytes(self._bytes("wait", old))
        numbers = int.from_bytes(_numbers(self._hint.format(), self._element.itemsize))
        pause = 0.0
        while int.from_bytes(_core.atomic_load(self._element)) & numbers == expected & numbers:
            time.sleep(pause)
            pause = min(pause + 1e-6, 1e-3)

    def notify_one(self, scope: str = "system") -> None:
        """Wakes a thread that waits; those that do look again by themselves."""
        check_order_and_scope("notify_one", "seq_cst", scope)

    def notify_all(self, scope: str = "system") -> None:
        """Wakes all threads that wait."""
        check_order_and_scope("notify_all", "seq_cst", scope)

    # --- values ---

    def _check_writable(self) -> None:
        if not self._element.flags.writeable:
            raise TypeError("the array is read-only; only load() and wait() are for it")

    def _check_change(self, method: str, memory: str, scope: str) -> None:
        check_order_and_scope(method, memory, scope)
        self._check_writable()
        if self._element.itemsize > 8:
            raise TypeError(
                f"{method}() is for elements of at most 8 bytes; "
                f"{_name(self)} has {self._element.itemsize}"
            )

    def _update(self, method: str, operation: str, val: Any, memory: str, scope: str) -> Any:
        allowed = _INTEGERS if operation in ("and", "or", "xor") else _ARITHMETIC
        if self._element.dtype.type not in allowed:
            names = ", ".join(kind.__name__ for kind in allowed)
            raise TypeError(f"{method}() is not for elements of {_name(self)}; it is for {names}")
        self._check_change(method, memory, scope)
        return self._value(_core.atomic_update(self._element, operation, self._bytes(method, val)))

    def _bytes(self, method: str, value: Any) -> bytes:
        dtype = self._hint.format()
        if dtype.names is None:
            made: Any = as_number(dtype, value, method, _name(self))
        else:
            parts = self._hint.convert(value, f"the value of {method}()")
            made = np.zeros((), dtype)  # padding is zero
            made[()] = _plain(parts)
        return (
            np.asarray(made, dtype).tobytes()[: dtype.itemsize].ljust(self._element.itemsize, b"\0")
        )

    def _value(self, data: bytes) -> Any:
        dtype = self._hint.format()
        value = np.frombuffer(data, dtype, 1)[0]
        return value if dtype.names is None else self._hint.convert(value, "the value")


def _plain(value: Any) -> Any:
    from cuda.device._elements import plain

    return plain(value)


def _name(atomic: AtomicInterface) -> str:
    kind = atomic._hint.type
    return getattr(kind, "__name__", str(kind))


class AtomicRef(AtomicInterface):
    """What atomic_ref() gives: one element of an array, accessed atomically."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError("atomic_ref(array, index) makes references")

    def __copy__(self) -> "AtomicRef":
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        _refuse_copy("an AtomicRef")

    def __repr__(self) -> str:
        return f"AtomicRef[{_name(self)}]({self.load()})"


class Atomic(AtomicInterface):
    """A value that threads access atomically; in kernels also its type.

    dtype: a number, vector, struct or tuple type of at most 16 bytes; a type of tuples is named
    outside of kernels: T = Atomic(tuple[int, float]). In memory it takes 1, 2, 4, 8 or 16 bytes, at
    a multiple of that.
    align: its alignment in bytes at least, a power of two.

    `Atomic(int)` is a type where one is expected: the dtype of shared_array and local_array, and
    the hint of a struct's attribute. Elsewhere on the host, and in a kernel where it is assigned to
    a name (`x = Atomic(int)`), it is an object that holds zero; one that a kernel makes is the
    thread's own. Kernels take none of the host's objects, but arrays: zeros(1, dtype=Atomic(int)).
    A struct with atomics is passed by reference, too: as an element of an array.

    A copy, or what pickle makes in another process, is an object of its own, which holds the value
    that the first one held.

    Raises TypeError for other types and for those that are larger.
    """

    __slots__ = ("_type",)
    _type: AtomicType

    def __init__(self, dtype: Any, align: int | None = None) -> None:
        self._hold_zero(atomic_type(dtype, align))

    @classmethod
    def of(cls, kind: AtomicType) -> "Atomic":
        """One of that type."""
        made: Atomic = cls.__new__(cls)
        made._hold_zero(kind)
        return made

    def _hold_zero(self, kind: AtomicType) -> None:
        memory = np.zeros(2 * kind.align + kind.size, np.uint8)
        start = -memory.ctypes.data % kind.align
        self._type, self._hint = kind, kind.hint
        self._element = memory[start : start + kind.bytes].view(kind.memory_dtype).reshape(())

    def __reduce__(self) -> tuple[Any, ...]:
        return _atomic_with, (self._type, _core.atomic_load(self._element))

    @property
    def __cuda_device_atomic__(self) -> AtomicType:
        return self._type

    @property
    def numpy_dtype(self) -> "np.dtype[Any]":
        """NumPy's dtype of arrays of it: a field "value"."""
        return self._type.numpy_dtype

    def __repr__(self) -> str:
        return f"device.{self._type.__name__}"


def _atomic_with(kind: AtomicType, data: bytes) -> Atomic:
    made = Atomic.of(kind)
    _core.atomic_exchange(made._element, data)
    return made


def _refuse_copy(what: str) -> NoReturn:
    raise TypeError(
        f"{what} refers to memory of an array, and is not copied; copy the array, and make another "
        "one by atomic_ref(array, index)"
    )


class StructRef:
    """A struct with atomics that lies in host memory: atomic_ref() gives it, as indexing does in
    kernels. Its atomic attributes are AtomicRefs, others are read and assigned, and methods of the
    struct's class are called on it (DEV-STRUCT-14)."""

    __slots__ = ("_class", "_element")
    _class: Any
    _element: "np.ndarray[Any, Any]"  # without dimensions

    def __init__(self) -> None:
        raise TypeError("atomic_ref(array, index) makes references")

    def __copy__(self) -> "StructRef":
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        _refuse_copy("a reference to a struct")

    def _field(self, name: str) -> Any:
        fields = self._class.__cuda_device_struct__.fields
        return next((field for field in fields if field.name == name), None)

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        if field is None:
            found = getattr(self._class, name)
            own = self._class.__dict__.get(name)
            return own.__get__(self, self._class) if hasattr(own, "__get__") else found
        element = self._element[name]
        if isinstance(field.type, AtomicType):
            return _reference_to_atomic(element, field.type)
        if holds_atomics(field.type):
            return _reference(element)
        return hint_of_dtype(element.dtype).convert(element[()], f"attribute {name!r}")

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._field(name)
        if field is None:
            raise AttributeError(f"{self._class.__name__} has no attribute {name!r} to assign")
        if holds_atomics(field.type):
            raise AttributeError(f"{name!r} is atomic: its methods change it, such as store()")
        element = self._element[name]
        element[...] = _plain(hint_of_dtype(element.dtype).convert(value, f"attribute {name!r}"))

    def __repr__(self) -> str:
        return f"reference to {self._class.__name__}"


def _reference(element: "np.ndarray[Any, Any]") -> "AtomicRef | StructRef":
    """To an element, an array without dimensions."""
    dtype = element.dtype
    kind: Any = getattr(dtype.type, "__cuda_device_type__", None)
    if kind is not None and not isinstance(kind, AtomicType) and holds_atomics(kind):
        struct: StructRef = StructRef.__new__(StructRef)
        object.__setattr__(struct, "_class", kind)
        object.__setattr__(struct, "_element", element)
        return struct
    if isinstance(kind, AtomicType):
        return _reference_to_atomic(element, kind)
    return _reference_of(element, hint_of_dtype(dtype))


def _reference_to_atomic(element: "np.ndarray[Any, Any]", kind: AtomicType) -> "AtomicRef":
    """The element is one of an array, or a member of a struct."""
    fields: Any = {
        "names": ["value"],
        "formats": [kind.memory_dtype],
        "itemsize": element.itemsize,
    }
    return _reference_of(element.view(np.dtype(fields))["value"], kind.hint)


def _reference_of(element: "np.ndarray[Any, Any]", hint: Hint) -> "AtomicRef":
    _check_memory(element, hint)
    made: AtomicRef = AtomicRef.__new__(AtomicRef)
    made._hint = hint
    made._element = element
    return made


def _check_memory(element: "np.ndarray[Any, Any]", hint: Hint) -> None:
    check_format(hint, "atomic_ref()")
    size = element.itemsize
    if size not in (1, 2, 4, 8, 16):
        raise ValueError(f"atomic elements have 1, 2, 4, 8 or 16 bytes, found {size}")
    if not element.dtype.isnative:
        raise ValueError(
            f"the elements of the array, {element.dtype}, are not in this machine's byte order; "
            "convert it, for example with a.astype(a.dtype.newbyteorder('='))"
        )
    if element.ctypes.data % size:
        raise ValueError(
            f"the elements of the array do not lie at multiples of their size ({size} bytes); "
            "atomic operations need that"
        )


def _indices(index: Any) -> tuple[int, ...]:
    all_of = index if isinstance(index, tuple) else (index,)
    if any(isinstance(i, bool | np.bool_) for i in all_of):
        raise TypeError("a bool is no index")
    return tuple(map(operator.index, all_of))


def atomic_ref(array: Any, index: int | tuple[int, ...]) -> "AtomicRef | StructRef":
    """Reference to an element that threads access atomically; to a struct, of whose attributes
    some are atomic.

    array: global, shared or local in a kernel; on the host an array in host memory, or what has
    the buffer protocol, such as a bytearray or memoryview. Its elements are of types that kernels
    have, of 1, 2, 4, 8 or 16 bytes, and lie at multiples of their size.
    index: an int, or one for each dimension.

    On the host: TypeError for what is no array or no such index, and for elements that kernels
    have no format for, ValueError for those of other sizes, places and byte orders, IndexError for
    an index that is outside.
    """
    if isinstance(array, np.matrix):
        array = array.view(np.ndarray)  # one whose elements are arrays without dimensions
    elif isinstance(array, memoryview) or (not hasattr(array, "shape") and _has_buffer(array)):
        array = np.asarray(memoryview(array))
    if not isinstance(array, np.ndarray):
        raise TypeError(f"atomic_ref() takes an array in host memory, found {_kind(array)}")
    try:
        at = _indices(index)
    except TypeError:
        raise TypeError(
            f"the index of atomic_ref() is an int or a tuple of ints, found {index!r}"
        ) from None
    if len(at) != array.ndim:
        raise TypeError(f"atomic_ref() takes {array.ndim} indices of this array, found {len(at)}")
    place: Any = (*at, ...)
    return _reference(array[place])


def _has_buffer(value: object) -> bool:
    try:
        memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _kind(value: object) -> str:
    return f"{type(value).__name__!r}"
