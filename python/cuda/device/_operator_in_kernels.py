"""Functions of the module operator, as Python that kernels compile in their place.

Those that the compiler has itself are in src/frontend/calls/intrinsics.def.
"""

import operator
from collections.abc import Callable
from typing import Any


def call(f: Any, *arguments: Any, **keywords: Any) -> Any:
    return f(*arguments, **keywords)


def getitem(a: Any, b: Any) -> Any:
    return a[b]


def setitem(a: Any, b: Any, c: Any) -> None:
    a[b] = c


def contains(a: Any, b: Any) -> Any:
    return b in a


def concat(a: Any, b: Any) -> Any:
    return a + b


def index(a: Any) -> Any:
    return a | 0  # TypeError for a float


def is_none(a: Any) -> Any:
    return a is None


def is_not_none(a: Any) -> Any:
    return a is not None


def itemgetter(item: Any, *items: Any) -> Any:
    if not items:
        return lambda a: a[item]
    return lambda a: (a[item], *(a[i] for i in items))


_OF_OPERATOR: list[Callable[..., Any]] = [
    call,
    getitem,
    setitem,
    contains,
    concat,
    index,
    is_none,
    is_not_none,
    itemgetter,
]

# What stands for what, by the object that a program names.
IN_KERNELS: dict[Any, Callable[..., Any]] = {
    getattr(operator, function.__name__): function
    for function in _OF_OPERATOR
    if hasattr(operator, function.__name__)  # is_none came with Python 3.14
}
IN_KERNELS[operator.iconcat] = concat
