"""Random numbers of a type, for the arrays and scalars of random programs."""

from __future__ import annotations

import random

import numpy

from . import model
from .arrays import flat


def interesting(rng: random.Random, t: str):
    """A number of type t: mostly small, sometimes at the edges of the format."""
    if t == "b1":
        return rng.random() < 0.5
    if model.is_float(t):
        if rng.random() < 0.1:
            return rng.choice(
                (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3e38, -1.0)
            )
        return rng.uniform(-100, 100) if rng.random() < 0.5 else rng.randint(-50, 50) / 4
    width, signed = model.bits(t), model.machine(t)[0] == "i"
    if rng.random() < 0.15:
        low, high = (
            (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
        )
        return rng.choice((low, high, high - 1, low + 1))
    return rng.randint(-60 if signed else 0, 100)


def numbers(rng: random.Random, t: str, shape: tuple[int, ...]) -> numpy.ndarray:
    some = numpy.array([interesting(rng, t) for _ in range(40)], model.NUMPY[model.machine(t)])
    chosen = rng.choices(range(some.size), k=flat(shape))
    return some[chosen].reshape(shape)
