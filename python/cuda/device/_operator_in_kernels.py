"""Functions of the module operator, as Python that kernels compile in their place.

Those that the compiler has itself are in src/frontend/calls/intrinsics.def.
"""

import functools
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


def countOf(a: Any, b: Any) -> Any:
    return sum(1 for x in a if x == b)


def indexOf(a: Any, b: Any) -> Any:
    for i, x in enumerate(a):
        if x == b:
            return i
    raise ValueError("sequence.index(x): x not in sequence")


def _item_of(item: Any, a: Any) -> Any:
    return a[item]


def _items_of(items: Any, a: Any) -> Any:
    return tuple(a[i] for i in items)


def _attributes_of(names: Any, a: Any) -> Any:
    return tuple(getattr(a, name) for name in names)


def _attribute_of(name: Any, a: Any) -> Any:
    return getattr(a, name)


def _called_method(name: Any, arguments: Any, a: Any, **keywords: Any) -> Any:
    return getattr(a, name)(*arguments, **keywords)


def itemgetter(item: Any, *items: Any) -> Any:
    if not items:
        return functools.partial(_item_of, item)
    return functools.partial(_items_of, (item, *items))


def attrgetter(attr: Any, *attrs: Any) -> Any:
    if not attrs:
        return functools.partial(_attribute_of, attr)
    return functools.partial(_attributes_of, (attr, *attrs))


def methodcaller(name: Any, *arguments: Any, **keywords: Any) -> Any:
    return functools.partial(_called_method, name, arguments, **keywords)


def as_partial(getter: Any) -> "functools.partial[Any]":
    """What a getter that a program has made does, for kernels that read it."""
    make, arguments = getter.__reduce__()
    keywords = {}
    if isinstance(make, functools.partial):  # of a methodcaller with keywords
        arguments, keywords = (*make.args, *arguments), make.keywords
    partial: functools.partial[Any] = IN_KERNELS[type(getter)](*arguments, **keywords)
    return partial


_OF_OPERATOR: list[Callable[..., Any]] = [
    call,
    getitem,
    setitem,
    contains,
    concat,
    index,
    is_none,
    is_not_none,
    countOf,
    indexOf,
    itemgetter,
    attrgetter,
    methodcaller,
]

# What stands for what, by the object that a program names.
IN_KERNELS: dict[Any, Callable[..., Any]] = {
    getattr(operator, function.__name__): function
    for function in _OF_OPERATOR
    if hasattr(operator, function.__name__)  # is_none came with Python 3.14
}
IN_KERNELS[operator.iconcat] = concat
