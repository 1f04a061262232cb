"""Classes of the module itertools, as Python that kernels compile in their place.

Each gives a tuple, whose elements a loop has a copy of its body for: what they go through has a
number of elements that is known when the kernel is compiled.
"""

import itertools
import operator
from collections.abc import Callable
from typing import Any


def accumulate(iterable: Any, func: Any = operator.add, *, initial: Any = None) -> Any:
    elements = tuple(iterable)
    if initial is not None:
        return accumulate((initial, *elements), func)
    if len(elements) < 2:
        return elements
    sums = accumulate(elements[:-1], func)
    return (*sums, func(sums[-1], elements[-1]))


def chain(*iterables: Any) -> Any:
    return tuple(x for one in iterables for x in one)


def combinations(iterable: Any, r: Any) -> Any:
    elements = tuple(iterable)
    if r == 0:
        return ((),)
    if len(elements) < r:
        return ()
    rest = elements[1:]
    with_first = tuple((elements[0], *others) for others in combinations(rest, r - 1))
    return with_first + combinations(rest, r)


def combinations_with_replacement(iterable: Any, r: Any) -> Any:
    elements = tuple(iterable)
    if r == 0:
        return ((),)
    if not elements:
        return ()
    shorter = combinations_with_replacement(elements, r - 1)
    with_first = tuple((elements[0], *others) for others in shorter)
    return with_first + combinations_with_replacement(elements[1:], r)


def compress(data: Any, selectors: Any) -> Any:
    return tuple(x for x, chosen in zip(data, selectors, strict=False) if chosen)


def islice(iterable: Any, *bounds: Any) -> Any:
    if len(bounds) == 1:
        return tuple(iterable)[: bounds[0]]
    if len(bounds) == 2:
        return tuple(iterable)[bounds[0] : bounds[1]]
    return tuple(iterable)[bounds[0] : bounds[1] : bounds[2]]


def pairwise(iterable: Any) -> Any:
    elements = tuple(iterable)
    return tuple((elements[k], elements[k + 1]) for k in range(len(elements) - 1))


def _without(elements: Any, place: Any) -> Any:
    return elements[:place] + elements[place + 1 :]


def permutations(iterable: Any, r: Any = None) -> Any:
    elements = tuple(iterable)
    length = len(elements) if r is None else r
    if length == 0:
        return ((),)
    places = range(len(elements))
    return tuple(
        (elements[k], *others)
        for k in places
        for others in permutations(_without(elements, k), length - 1)
    )


def product(*iterables: Any, repeat: Any = 1) -> Any:
    parts = iterables * repeat
    if not parts:
        return ((),)
    rest = product(*parts[1:])
    return tuple((x, *others) for x in parts[0] for others in rest)


def repeat(object: Any, times: Any) -> Any:
    return (object,) * times


def starmap(function: Any, iterable: Any) -> Any:
    return tuple(function(*arguments) for arguments in iterable)


def zip_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    parts = tuple(tuple(one) for one in iterables)
    size = max(len(part) for part in parts)
    return tuple(
        tuple(part[k] if k < len(part) else fillvalue for part in parts) for k in range(size)
    )


_OF_ITERTOOLS: list[Callable[..., Any]] = [
    accumulate,
    chain,
    combinations,
    combinations_with_replacement,
    compress,
    islice,
    pairwise,
    permutations,
    product,
    repeat,
    starmap,
    zip_longest,
]

# What stands for what, by the object that a program names.
IN_KERNELS: dict[Any, Callable[..., Any]] = {
    getattr(itertools, function.__name__): function for function in _OF_ITERTOOLS
}
