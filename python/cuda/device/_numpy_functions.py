"""NumPy's ufuncs and functions of Arrays: the functions of the standard, in array_api.

They are found by the function itself, whatever its name: numpy.transpose is permute_dims, and
numpy.concatenate concat. numpy.add.reduce is sum. A few more are there that the standard lacks.
"""

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device._core import Array
from cuda.device._mixing import arrays_of_gpu, on_gpu

__all__ = ["function", "ufunc"]

# Functions of NumPy's own that do the same.
_OTHERS = {
    "amax": "max",
    "amin": "min",
    "around": "round",
    "cumprod": "cumulative_prod",
    "cumsum": "cumulative_sum",
    "rint": "round",
}
# The standard's functions that methods of ufuncs are.
_METHODS = {
    (np.add, "reduce"): "sum",
    (np.multiply, "reduce"): "prod",
    (np.maximum, "reduce"): "max",
    (np.minimum, "reduce"): "min",
    (np.logical_and, "reduce"): "all",
    (np.logical_or, "reduce"): "any",
    (np.add, "accumulate"): "cumulative_sum",
    (np.multiply, "accumulate"): "cumulative_prod",
}
_OPERANDS = (Array, bool, int, float, complex, np.generic, list, tuple)
# Keywords of NumPy's that the standard has under another name.
_KEYWORDS = {"a_min": "min", "a_max": "max", "ddof": "correction"}


@functools.cache
def _standard_names() -> dict[Any, str]:
    """The standard's name of each function of NumPy that is one of its."""
    from cuda.device import array_api

    # Those that make arrays of numbers are NumPy's own.
    making = ("arange", "asarray", "eye", "from_dlpack", "full", "linspace", "ones", "zeros")
    names = {getattr(np, name, None): name for name in array_api.__all__ if name not in making}
    names |= {getattr(np, other): name for other, name in _OTHERS.items()}
    for part in ("linalg", "fft"):
        module = getattr(np, part)
        names |= {
            getattr(module, name): f"{part}.{name}" for name in vars(getattr(array_api, part))
        }
    return names


def _standard(name: str) -> Callable[..., Any]:
    from cuda.device import _gpu_arrays, array_api

    if "." not in name and name not in vars(array_api):
        return functools.partial(_gpu_arrays.call, name)
    found: Callable[..., Any] = operator.attrgetter(name)(array_api)
    return found


def _name_of(called: Any) -> str | None:
    """What a ufunc is called in the standard or, where it is not there, in NumPy."""
    from cuda.device._gpu_arrays import _ufuncs

    known: str = called.__name__
    more = known if _ufuncs.is_elementwise(known) and called is getattr(np, known, None) else None
    return _standard_names().get(called) or more


def _stored(found: Any, out: Any, spreads: bool = False, where: Any = True) -> Any:
    """A result in the array that was given for it, of its shape; spreads: ufuncs fill more.

    where: a mask of what is stored.
    """
    from cuda.device._gpu_arrays import _ufuncs

    if out is None:
        return found if where is True else _ufuncs.computed(found, where)
    if not isinstance(out, Array):
        raise TypeError(f"out= expects an array, found {type(out).__qualname__!r}")
    if not spreads and out.shape != found.shape:
        raise ValueError(f"out= of shape {out.shape} for a result of shape {found.shape}")
    if not np.can_cast(found.dtype, out.dtype, "same_kind"):
        raise TypeError(f"out= of {out.dtype} for a result of {found.dtype}")
    out[...] = found if where is True else _ufuncs.chosen(found, where, out)
    return out


def ufunc(self: Array, called: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """__array_ufunc__ of Arrays."""
    from cuda.device._gpu_arrays import _ufuncs

    outs = kwargs.pop("out", (None,) * called.nout)
    on_gpu(*inputs, *outs, kwargs.get("where"))
    others = [x for x in inputs if not isinstance(x, _OPERANDS)]
    if any(hasattr(x, "__array_ufunc__") for x in others):
        return NotImplemented
    caller = f"numpy.{called.__name__}{'' if method == '__call__' else '.' + method}"
    if others:
        raise TypeError(f"{caller}() of an array on a GPU and {type(others[0]).__qualname__!r}")
    if (called, method) in _METHODS:
        return _stored(_method(called, method, *inputs, **kwargs), outs[0])
    name = _name_of(called)
    if name is None or method not in ("__call__", "outer"):
        raise TypeError(
            f"{caller}() takes no arrays on a GPU: copy them by cuda.device.to_host(), or write a "
            "kernel"
        )
    if not arrays_of_gpu(*inputs):  # they are places for results
        inputs = _ufuncs.on_gpu(inputs, self)
    if method == "outer":
        inputs = _ufuncs.crossed(*inputs)
    where, dtype = kwargs.pop("where", True), kwargs.pop("dtype", None)
    for key, value in kwargs.items():
        _refuse(caller, key, value, ("out", "where", "dtype"), "such functions have")
    said = {} if dtype is None else {"dtype": dtype}
    if said and not _ufuncs.is_elementwise(name):
        _refuse(caller, "dtype", dtype, ("out", "where"), "it has")
    found = _standard(name)(*inputs, **said)
    results = found if isinstance(found, tuple) else (found,)
    made = [_stored(each, out, True, where) for each, out in zip(results, outs, strict=True)]
    return made[0] if called.nout == 1 else tuple(made)


def _method(called: Any, method: str, array: Any, /, *, axis: Any = 0, **kwargs: Any) -> Any:
    """numpy.add.reduce and its kin, which take the first axis where none is said."""
    name = _METHODS[called, method]
    if array.ndim == 0:
        raise TypeError(f"numpy.{called.__name__}.{method}() of an array of no dimensions")
    parameters = _parameters(name)
    keywords = {key: value for key, value in kwargs.items() if value is not None}
    for key, value in keywords.items():
        if key not in parameters:
            _refuse(f"numpy.{called.__name__}.{method}", key, value, parameters)
    return _standard(name)(array, axis=axis, **keywords)


def function(self: Array, called: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """__array_function__ of Arrays."""
    from cuda.device._gpu_arrays import _beyond

    on_gpu(*args, *kwargs.values())
    if called in _beyond.FUNCTIONS:
        return _beyond.FUNCTIONS[called](*args, **kwargs)
    name = _standard_names().get(called)
    if name is None:
        return NotImplemented
    parameters = _parameters(name)
    if parameters is None:
        return _standard(name)(*args, **kwargs)
    given, out = _given(called, args, kwargs)
    positional, keywords = _placed(f"numpy.{called.__name__}", given, parameters)
    return _stored(_standard(name)(*positional, **keywords), out, called is np.clip)


@functools.cache
def _parameters(name: str) -> Any:
    """Those of the standard's function; None where it has NumPy's."""
    from cuda.device import _gpu_arrays

    try:
        found = _gpu_arrays.kernels_of(name)
    except NotImplementedError:
        found = _standard(name)
    return None if hasattr(found, "__wrapped__") else inspect.signature(found).parameters


def _given(called: Any, args: Any, kwargs: Any) -> tuple[list[tuple[Any, Any]], Any]:
    """The arguments that are not the defaults of NumPy's function, by parameter; and `out`."""
    signature = inspect.signature(called)
    said = signature.bind(*args, **kwargs).arguments
    out = said.pop("out", None)
    given = []
    for name, value in said.items():
        parameter = signature.parameters[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            given += [(parameter, each) for each in value]
        elif value is not parameter.default:
            given.append((parameter, value))
    return given, out


def _refuse(
    caller: str,
    name: str,
    value: Any,
    parameters: Any,
    whose: str = "the standard's function has",
) -> None:
    known = ", ".join(key for key in parameters if key not in ("x", "operands", "said"))
    said = f"an array of {value.dtype}" if isinstance(value, Array) else repr(value)
    raise TypeError(
        f"{caller}() of arrays on a GPU takes no {name}={said}; {whose} {known or 'no keywords'}"
    )


def _placed(caller: str, given: Any, parameters: Any) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of NumPy's function as those of the standard's; TypeError for one it lacks."""
    kinds = [parameter.kind for parameter in parameters.values()]
    places = kinds.count(inspect.Parameter.POSITIONAL_ONLY)
    many = inspect.Parameter.VAR_POSITIONAL in kinds
    positional: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter, value in given:
        name = _KEYWORDS.get(parameter.name, parameter.name)
        if len(positional) < places or (many and parameter.default is parameter.empty):
            positional.append(value)
        elif name in parameters:
            keywords[name] = value
        else:
            _refuse(caller, parameter.name, value, parameters)
    return positional, keywords
