"""NumPy's ufuncs and functions of Arrays: the functions of the standard, in array_api.

They are found by the function itself, whatever its name: numpy.transpose is permute_dims, and
numpy.concatenate concat.
"""

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from cuda.device._core import Array

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
# Keywords of NumPy's that the standard has under another name.
_KEYWORDS = {"a_min": "min", "a_max": "max", "ddof": "correction"}


@functools.cache
def _standard_names() -> dict[Any, str]:
    """The standard's name of each function of NumPy that is one of its."""
    from cuda.device import array_api

    names = {getattr(np, name, None): name for name in array_api.__all__}
    names |= {getattr(np, other): name for other, name in _OTHERS.items()}
    for part in ("linalg", "fft"):
        module = getattr(np, part)
        names |= {
            getattr(module, name): f"{part}.{name}" for name in vars(getattr(array_api, part))
        }
    return names


def _standard(name: str) -> Callable[..., Any]:
    from cuda.device import array_api

    found: Callable[..., Any] = operator.attrgetter(name)(array_api)
    return found


def _stored(found: Any, out: Any) -> Any:
    if out is None:
        return found
    out[...] = found
    return out


def ufunc(self: Array, called: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """__array_ufunc__ of Arrays."""
    numbers = Array | bool | int | float | complex | np.generic
    (out,) = kwargs.pop("out", (None,))
    name = _standard_names().get(called)
    known = method == "__call__" and not kwargs and all(isinstance(x, numbers) for x in inputs)
    return _stored(_standard(name)(*inputs), out) if name and known else NotImplemented


def function(self: Array, called: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """__array_function__ of Arrays."""
    name = _standard_names().get(called)
    if name is None:
        return NotImplemented
    parameters = _parameters(name)
    if parameters is None:
        return _standard(name)(*args, **kwargs)
    given, out = _given(called, args, kwargs)
    positional, keywords = _placed(f"numpy.{called.__name__}", given, parameters)
    return _stored(_standard(name)(*positional, **keywords), out)


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
            known = ", ".join(key for key in parameters if key not in ("x", "operands"))
            raise TypeError(
                f"{caller}() of arrays on a GPU takes no {parameter.name}={value!r}; "
                f"the standard's function has {known or 'no keywords'}"
            )
    return positional, keywords
