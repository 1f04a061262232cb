"""Annotations of Python's typing that say nothing of how a value is stored declare nothing."""

import collections.abc
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Generic, Literal, Optional, Protocol, TypeVar, Union

import numpy as np
import pytest
from cuda import device as D
from numpy.typing import NDArray
from support.launching import run

# ruff: noqa: UP007, UP037, UP045

pytestmark = pytest.mark.filterwarnings("ignore:.*is a builtin float")

T = TypeVar("T")
Number = Union[int, float]
Either = D.float32 | D.float64


class Scalable(Protocol):
    def scaled(self, by: float) -> float: ...


class Box(Protocol, Generic[T]):
    value: T


def same(x: T) -> T:
    return x


def half(x: Number) -> float | None:
    return x / 2 if D.warp_size == 32 else None


def or_else(x: float | None, other: Optional[float] = None) -> Optional[float]:
    if x is not None:
        return x
    return other


@D.func
def total(values: Sequence[float], weigh: Callable[[float], float]) -> "Either":
    out = D.float64(0)
    for value in values:
        out += weigh(value)
    return out


def protocols(x: Scalable, y: Box[int], z: "Box[T]", any: typing.Any, one: Literal[1]) -> "T":
    return x + y + z + any + one


@D.kernel
def declared(
    out: NDArray[np.float64] | None,
    n: Union[int, float],
    x: float | None = None,
    y: Optional[D.float64] = None,
    t: collections.abc.Sequence[int] = (1, 2),
):
    out[0] = same(n) + same(0.5)
    out[1] = half(n)
    out[2] = 7 if or_else(x) is None else or_else(x, 1)
    out[3] = 8 if y is None else y
    out[4] = total(t, lambda v: v * 2)
    out[5] = protocols(1, n, 3, 4, 1)


def test_hints_of_parameters_and_results(target):
    out = np.zeros(6)
    run(declared, out, 3)
    assert out.tolist() == [3.5, 1.5, 7, 8, 6, 12]
    run(declared, out, np.int64(4), 0.5, np.float64(0.1), (D.int8(1), 2.5))
    assert out.tolist() == [4.5, 2, 0.5, 0.1, 7, 13]
    run(declared, out, 1.5, None, None, (np.float32(4),))
    assert out.tolist() == [2, 0.75, 7, 8, 8, 10.5]


@D.kernel
def variables(out, n):
    a: Final = n
    b: Final[D.float64] = 0.1
    c: float | None = None
    d: "D.float32 | D.float64" = b
    e: Optional[int] = n if c is None else None
    f: T = b
    g: Iterable[int] = (1, n)
    h: typing.Any
    h = n
    k: Number | tuple[int, ...] | Any = 0.5
    m: tuple[D.float64, float | None] = (0.1, None)
    out[0] = a + h
    out[1] = b * 10
    out[2] = d
    out[3] = e + k
    out[4] = f
    out[5] = g[1] + len(g)
    out[6] = m[0] if m[1] is None else 0


def test_hints_of_variables(target):
    out = np.zeros(7)
    run(variables, out, 3)
    assert out.tolist() == [6, 0.1 * 10, 0.1, 3.5, 0.1, 5, 0.1]


Later = typing.Any


@D.kernel
def by_a_name(out, x: "Later"):
    out[0] = x


def test_a_name_is_read_again_when_it_becomes_a_type():
    out = np.zeros(1)
    run(by_a_name, out, 0.1)
    assert out[0] == np.float32(0.1)
    globals()["Later"] = D.float64
    try:
        run(by_a_name, out, 0.1)
    finally:
        globals()["Later"] = typing.Any
    assert out[0] == 0.1


@D.kernel
def never(out, n):
    match n:
        case 1:
            out[0] = 1
        case _:
            typing.assert_never(n)


def test_assert_never_fails(target):
    out = np.zeros(1)
    run(never, out, 1)
    assert out[0] == 1
    with pytest.raises(AssertionError, match="to be unreachable, but got: 2"):
        run(never, out, 2)
