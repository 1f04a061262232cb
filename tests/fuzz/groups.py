"""Arrays that a launch gives as attributes of one struct, in which a struct and a tuple are."""

from __future__ import annotations

import random

import numpy
from cuda import device as D


@D.struct
class Inner:
    number: int
    first: numpy.ndarray


@D.struct
class Group:
    inner: Inner
    pair: tuple[numpy.ndarray, float]
    v: D.float32x2
    last: numpy.ndarray


PARAMETER = "g"
PLACES = ("g.inner.first", "g.pair[0]", "g.last")


def choose_group(seed: int, arrays: list[str]) -> list[str]:
    """The parameters that are given so, none in most programs."""
    rng = random.Random(f"{seed} has a group")
    return rng.sample(arrays, 3) if rng.random() < 0.25 else []


def lines(seed: int, group: list[str]) -> list[str]:
    """What the kernel begins with: the arrays by their names."""
    if not group:
        return []
    found = [f"{name} = {place}" for name, place in zip(group, PLACES, strict=True)]
    if seed % 3 == 0:
        found.insert(0, f"{PARAMETER} = D.replace({PARAMETER}, v=D.float32x2(1, 2))")
    return found


def struct_of(first, second, last) -> Group:
    return Group(Inner(3, first), (second, 0.5), D.float32x2(0, 0), last)
