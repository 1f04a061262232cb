"""Arrays of the host and of GPUs do not mix: nothing is copied by itself."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from cuda.device._core import Array

__all__ = ["arrays_of_gpu", "on_gpu", "same_device"]


def same_device(a: Array, value: Any) -> None:
    """Raises TypeError for an array of the host, ValueError for one of another GPU."""
    if isinstance(value, np.ndarray):
        raise TypeError(
            f"an array in memory of the host beside one on {a.device}: copy it by "
            f"cuda.device.asarray(a, device={a.device!r})"
        )
    if isinstance(value, Array) and value.device != a.device:
        raise ValueError(
            f"arrays on {a.device} and {value.device}: copy one by x.to_device({a.device!r})"
        )


def _arrays_in(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (Array, np.ndarray)):
            yield value
        elif type(value) in (list, tuple):
            yield from _arrays_in(value)


def arrays_of_gpu(*values: Any) -> list[Any]:
    """The Arrays among the arguments of a function, in lists and tuples of them too."""
    return [a for a in _arrays_in(values) if isinstance(a, Array)]


def on_gpu(*values: Any) -> bool:
    """Whether Arrays are among the arguments of a function, in lists and tuples of them too.

    Raises TypeError for arrays of the host beside them, ValueError for Arrays of two GPUs.
    """
    arrays = list(_arrays_in(values))
    first = next((a for a in arrays if isinstance(a, Array)), None)
    if first is None:
        return False
    for each in arrays:
        same_device(first, each)
    return True
