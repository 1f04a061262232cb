"""cuda.jit and cuda.autojit: kernels launched as k[grid, block, stream, sharedmem](...)."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, NoReturn

import numpy as np
from cuda.device import _core
from cuda.device._decorators import _parts_of_fast_math
from cuda.device.errors import LaunchError, LaunchOverflowError, LaunchTypeError
from cuda.device.numbapro._memory import DeviceNDArray, Stream, argument_of, is_cuda_array
from cuda.device.numbapro._messages import in_own_words
from cuda.device.numbapro._types import (
    NUMBERS,
    ArrayType,
    NumberType,
    Signature,
    Type,
    signature_of,
    void,
)

_TARGETS = ("gpu", "cuda")


def jit(
    *signature: Any,
    restype: Any = None,
    argtypes: Any = None,
    device: bool = False,
    inline: bool = False,
    bind: bool = True,
    target: str = "gpu",
    fmad: bool = True,
    fastmath: bool | Iterable[str] = False,
    **unknown: Any,
) -> Any:
    """Makes a function a kernel, or with device=True one that kernels call.

    signature: a call of a type object, void(float32[:]), its text, or the arguments' types in a
    tuple; argtypes and restype say the same, and so do the result's type and the arguments' as
    separate values. Arguments of a launch are converted to its numbers, and arrays must have its
    types. Without a signature a kernel is specialised for what it gets.
    device=True: a function that only kernels call, whose arguments and result have the types of its
    signature; arguments' types alone declare that there is no result. inline and bind change
    nothing: functions are always inlined, kernels always bound.
    target: "gpu" or "cuda".
    fmad: False keeps a*b + c as two roundings.
    fastmath: True computes float32 as nvcc --use_fast_math does, a set of names allows parts of
    that; both as cuda.device.kernel(). Device functions take neither fmad nor fastmath: they
    compute as the kernel that calls them.

    Raises TypeError for a signature that is none, a kernel with a result, and unknown options.
    """
    for option in unknown:
        raise TypeError(
            f"cuda.jit() got an unexpected keyword argument {option!r}; it takes restype, "
            "argtypes, device, inline, bind, target, fmad and fastmath"
        )
    if target not in _TARGETS:
        raise TypeError(f"cuda.jit(target={target!r}) is not possible; target is 'gpu'")
    options = _Rounding(fmad, _parts_of_fast_math("cuda.jit", fastmath))
    if device and (options.fastmath or not fmad):
        given = f"fastmath={fastmath!r}" if options.fastmath else f"fmad={fmad!r}"
        raise TypeError(
            f"cuda.jit(device=True) takes neither fmad nor fastmath, found {given}: a device "
            "function computes as the kernel that calls it; give the option to the kernel"
        )
    if len(signature) == 1 and isinstance(signature[0], types.FunctionType):
        return _made(signature[0], None, device, options)
    found = _declared(signature, restype, argtypes)
    return lambda function: _made(function, found, device, options)


class _Rounding(NamedTuple):
    """The options that change results."""

    fmad: bool
    fastmath: list[str]


def _declared(given: tuple[Any, ...], restype: Any, argtypes: Any) -> Signature | None:
    if argtypes is not None:
        return signature_of(argtypes, restype)
    if len(given) > 1:  # the result first
        return signature_of(given[1:], given[0])
    return signature_of(given[0], restype) if given and given[0] is not None else None


def autojit(function: Any = None, device: bool = False, target: str = "gpu", **options: Any) -> Any:
    """Makes a function a kernel that is specialised for the arguments of each launch.

    Options, and what it raises, are those of cuda.jit(), but for a signature.
    """
    for name in ("restype", "argtypes"):
        if name in options:
            _refuse_signature(f"{name}={options[name]!r}")
    if function is not None and not isinstance(function, types.FunctionType):
        _refuse_signature(repr(function))
    decorator = jit(device=device, target=target, **options)
    return decorator if function is None else decorator(function)


def _refuse_signature(found: str) -> NoReturn:
    raise TypeError(
        f"cuda.autojit() takes no signature, found {found}: types follow from the arguments of "
        "each launch; cuda.jit() takes one"
    )


def _made(function: Any, signature: Signature | None, device: bool, options: _Rounding) -> Any:
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"cuda.jit expects a Python function, found {type(function).__name__!r}")
    count = function.__code__.co_argcount
    if signature and len(signature.args) != count:
        raise TypeError(
            f"{function.__name__}() has {count} parameters, but its signature {signature} has "
            f"{len(signature.args)}"
        )
    if not device:
        return CUDAKernel(function, signature, options)
    texts = [] if signature is None else map(_text, (signature.return_type, *signature.args))
    return _core.make_device_function(function, fmad=options.fmad, signature=list(texts))


def _text(declared: Type) -> str:
    """A type as the compiler writes it."""
    if isinstance(declared, ArrayType):
        return f"array[{declared.dtype.name}, {declared.ndim}]"
    return "None" if declared == void else declared.name


def _text_of_layout(declared: Type) -> str:
    """As _text, of a contiguous array with its layout."""
    if isinstance(declared, ArrayType) and declared.layout != "A":
        return f"array[{declared.dtype.name}, {declared.ndim}, {declared.layout}]"
    return _text(declared)


def typeof(value: Any) -> Type | None:
    """The type that an argument of a launch has in a kernel; None: no kernel takes it."""
    if isinstance(value, bool | int | float | complex):
        return NUMBERS[np.asarray(value).dtype.name] if not _is_int(value) else NUMBERS["int64"]
    if isinstance(value, np.generic):
        return NUMBERS.get(value.dtype.name)
    dtype, shape = _dtype_and_shape(value)
    element = NUMBERS.get(dtype.name) if dtype is not None else None
    return ArrayType(element, len(shape)) if element else None


def _dtype_and_shape(value: Any) -> tuple[np.dtype[Any] | None, tuple[int, ...]]:
    """Of an array, or of what shows itself as one; no dtype: it is none."""
    plain = value._array if isinstance(value, DeviceNDArray) else value
    dtype, shape = getattr(plain, "dtype", None), getattr(plain, "shape", None)
    interface = None if shape is not None else getattr(value, "__cuda_array_interface__", None)
    if isinstance(interface, dict):
        dtype, shape = interface["typestr"], interface["shape"]
    return (None, ()) if dtype is None or shape is None else (np.dtype(dtype), tuple(shape))


def _described(value: Any) -> str:
    """What a launch is given and does not take, for messages."""
    dtype, shape = _dtype_and_shape(value)
    if dtype is None or isinstance(value, np.str_ | np.bytes_):
        return f"an object of class {type(value).__name__!r}"
    kind = str(dtype) if dtype.names else f"{dtype.name} ({dtype.str!r})"
    if isinstance(value, np.generic):
        return f"a struct {kind}" if dtype.names else f"a {kind}"
    return f"a {len(shape)}-d array of {'structs ' if dtype.names else ''}{kind}"


def _taken() -> str:
    """The numbers of the dialect, for messages."""
    *most, last = dict.fromkeys(each.dtype.name for each in NUMBERS.values())
    return f"{', '.join(most)} and {last}"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _plain(value: Any) -> Any:
    """What a launch takes for an array of ours, or of a library that shows it by a dictionary."""
    if isinstance(value, DeviceNDArray):
        return value._array
    if isinstance(value, np.ndarray | _core.Array) or not is_cuda_array(value):
        return value
    # The launch comes after the stream that the dictionary names, if the layer's settings say so.
    return argument_of(value)


def _is_contiguous(array: Any, declared: ArrayType) -> bool:
    """Whether the elements lie as '::1' says; what is not NumPy's is looked at by its strides."""
    shape, strides = tuple(array.shape), array.strides
    if declared.layout == "A" or 0 in shape:
        return True
    columns = declared.layout == "F"
    step = declared.dtype.dtype.itemsize
    for axis in range(len(shape)) if columns else reversed(range(len(shape))):
        if shape[axis] > 1 and strides[axis] != step:
            return False
        step *= shape[axis]
    return True


class CUDAKernel:
    """A kernel: k[grid, block, stream, sharedmem](*arguments) launches it."""

    def __init__(
        self, function: Callable[..., Any], signature: Signature | None, options: _Rounding
    ) -> None:
        self._take_names(function)
        self.signature = signature
        self._kernel = _core.make_kernel(function, **options._asdict(), dialect="numbapro")
        self._specialised: dict[tuple[Type, ...], None] = {}
        if signature is None:
            return
        if signature.return_type != void:
            raise TypeError(
                f"the kernel {self.__name__!r} is declared to return {signature.return_type}; "
                "kernels return nothing: write void(...), or device=True for a function"
            )
        self._kernel.inspect(*map(_text, signature.args), what="ir_raw")
        self._specialised[signature.args] = None

    @property
    def __definition__(self) -> Callable[[], object]:
        """What pickle takes instead; see _pickling.py."""
        return self._kernel.__definition__

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        by_name = self._kernel.__reduce_ex__(protocol)
        if isinstance(by_name, str):
            return by_name
        return CUDAKernel._of_kernel, (*by_name, self.signature, list(self._specialised))

    @classmethod
    def _of_kernel(
        cls,
        arrived: Callable[[Any], _core.Kernel[Any]],
        parts: tuple[Any, ...],
        signature: Signature | None,
        specialised: list[tuple[Type, ...]],
    ) -> CUDAKernel:
        made = cls.__new__(cls)
        made._kernel = arrived(*parts)
        made._take_names(made._kernel.underlying)
        made.signature = signature
        made._specialised = dict.fromkeys(specialised)
        return made

    def _take_names(self, function: Callable[..., Any]) -> None:
        self.py_func = function
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self.__wrapped__ = function

    def __repr__(self) -> str:
        return f"<CUDA kernel {self.__name__}{self.signature.args if self.signature else ''}>"

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        given = configuration if isinstance(configuration, tuple) else (configuration,)
        if not 2 <= len(given) <= 4:
            raise LaunchTypeError(
                f"the kernel {self.__name__!r} is launched as {self.__name__}[grid, block](...), "
                f"with a stream and bytes of shared memory after them; found {len(given)} values"
            )
        return self.configure(*given)

    def configure(
        self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0
    ) -> Callable[..., None]:
        """The kernel with a grid and block, as k[griddim, blockdim, stream, sharedmem]."""
        if not isinstance(sharedmem, int | np.integer):
            raise LaunchTypeError(
                f"the kernel {self.__name__!r} is launched with sharedmem={sharedmem!r}; it is a "
                f"number of bytes, an int: {self.__name__}[grid, block, stream, bytes](...)"
            )
        # Without bytes a kernel's shared arrays of the launch have no elements.
        options: dict[str, Any] = {"grid": griddim, "block": blockdim, "shared": int(sharedmem)}
        queue = stream._stream if isinstance(stream, Stream) else stream
        if queue is not None and not (isinstance(stream, int) and stream == 0):
            options["stream"] = queue

        def launch(*arguments: Any, **named: Any) -> None:
            self._check_count(arguments, named)
            self._launch(arguments, options)

        return launch

    @property
    def launch_syntax(self) -> str:
        """How it is launched, for messages."""
        return f"{self.__name__}[grid, block](...)"

    def __call__(self, *arguments: Any) -> None:
        raise LaunchTypeError(
            f"the kernel {self.__name__!r} needs a grid and a block: "
            f"{self.__name__}[grid, block](...)"
        )

    def _check_count(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        for name in named:
            raise LaunchTypeError(
                f"a launch of the kernel {self.__name__!r} takes no keyword arguments, found "
                f"{name!r}: arguments are given by position"
            )
        code = self.py_func.__code__
        most, least = code.co_argcount, code.co_argcount - len(self.py_func.__defaults__ or ())
        if self.signature:
            least = most
        if code.co_flags & inspect.CO_VARARGS or least <= len(arguments) <= most:
            return
        takes = self.signature.args if self.signature else inspect.signature(self.py_func)
        raise LaunchTypeError(
            f"the kernel {self.__name__}{takes} takes {most} arguments, but {len(arguments)} were "
            "given"
        )

    def _launch(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        declared = self.signature.args if self.signature else (None,) * len(arguments)
        packed = [
            self._packed(at, each, want)
            for at, (each, want) in enumerate(zip(arguments, declared, strict=True))
        ]
        try:
            _core.launch(self._kernel, *packed, **options)
        except LaunchError as error:
            error.args = (in_own_words(str(error)),)
            raise
        self._specialised[self._types(arguments)] = None

    def _types(self, arguments: tuple[Any, ...]) -> tuple[Type, ...]:
        if self.signature:
            return self.signature.args
        return tuple(found for found in map(typeof, arguments) if found)

    def _place(self, at: int) -> str:
        names = self.py_func.__code__.co_varnames[: self.py_func.__code__.co_argcount]
        name = f" ({names[at]!r})" if at < len(names) else ""
        return f"argument {at + 1}{name} of kernel {self.__name__!r}"

    def _packed(self, at: int, value: Any, declared: Type | None) -> Any:
        """The argument as the compiler takes it: numbers in the format of the signature."""
        found = typeof(value)
        if found is None:
            raise LaunchTypeError(
                f"{self._place(at)} is {_described(value)}; kernels take numbers and arrays of "
                f"numbers: {_taken()}"
            )
        if isinstance(declared, ArrayType) or isinstance(found, ArrayType):
            return self._array(at, value, found, declared)
        if declared is None:
            return value  # Python's numbers get their formats from the language's rules
        assert isinstance(found, NumberType)
        assert isinstance(declared, NumberType)
        if found.dtype.kind == "c" and declared.dtype.kind != "c":
            self._mismatch(at, found, declared)
        most = 1 << (64 if declared == NUMBERS["uint64"] else 63)
        if _is_int(value) and not -(1 << 63) <= value < most:
            raise LaunchOverflowError(
                f"{self._place(at)} is {value}, which does not fit {declared}"
            )
        return declared(value)

    def _array(self, at: int, value: Any, found: Type, declared: Type | None) -> Any:
        plain = _plain(value)
        if declared is None:
            return plain
        if not isinstance(found, ArrayType) or not isinstance(declared, ArrayType):
            self._mismatch(at, found, declared)
        if (found.dtype, found.ndim) != (declared.dtype, declared.ndim):
            self._mismatch(at, found, declared)
        if not _is_contiguous(plain, declared):
            raise LaunchTypeError(
                f"{self._place(at)} is declared {declared}, but the array is not contiguous"
            )
        return plain

    def _mismatch(self, at: int, found: Type, declared: Type) -> NoReturn:
        raise LaunchTypeError(f"{self._place(at)} is {found}, but declared {declared}")

    @property
    def specializations(self) -> list[tuple[Type, ...]]:
        """The types of the arguments of each version, in the order in which they came."""
        return list(self._specialised)

    @property
    def ptx(self) -> str:
        """PTX of the version that came last, for the arrays that its signature declares.

        Those of '::1' are contiguous; others have any strides and alignment, and so have those of a
        version that a launch made. Raises TypeError where there is no version.
        """
        if not self._specialised:
            raise TypeError(
                f"the kernel {self.__name__!r} has no PTX before its first launch, which says the "
                "types of its arguments; cuda.jit() with a signature says them at once"
            )
        return self.inspect_ptx()[self.specializations[-1]]

    def inspect_ptx(self) -> dict[tuple[Type, ...], str]:
        """PTX of each version, by the types of its arguments."""
        return {
            types: self._kernel.inspect(*map(_text_of_layout, types), what="ptx")
            for types in self._specialised
        }

    def inspect(self, *types: Any, what: str = "ir", **options: Any) -> str:
        """What the compiler makes of it for these types of arguments; as Kernel.inspect."""
        texts = [_text_of_layout(each) if isinstance(each, Type) else each for each in types]
        return self._kernel.inspect(*texts, what=what, **options)
