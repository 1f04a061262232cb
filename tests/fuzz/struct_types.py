"""Random types of records: structs, tuples within them, and structured dtypes with sub-arrays.

A type is known by its code, which is all that its members are drawn from: ``S4711_0`` is the first
struct of program 4711, ``S4711_02`` or ``T4711_02`` what its third member is, a struct or a tuple,
``N4711`` a dtype of that program. So every process that meets a code makes the same type, and a
program imports its structs from here by name.
"""

from __future__ import annotations

import functools
import random
import re
from typing import NamedTuple

import numpy
from cuda import device as D

from . import model

SCALARS = (*model.TYPED, *model.EIGHT_BITS, "int", "float")
COMPONENTS = (*model.INTS, "f4", "f8", *model.SMALL)  # of vectors
NAMED = re.compile(r"\bS\d+_\d+\b")
MOST_NESTED = 3


class Member(NamedTuple):
    name: str
    code: str
    align: int = 0  # that its hint asks for; 0: none


def is_struct(code: str) -> bool:
    return code[0] == "S" and "_" in code


def is_tuple(code: str) -> bool:
    return code[0] == "T"


def is_dtype(code: str) -> bool:
    return code[0] == "N"


def is_one_of_these(code: str) -> bool:
    return code[:1] in ("S", "T", "N") and code[1:2].isdigit()


def struct_of(seed: int, k: int = 0) -> str:
    return f"S{seed}_{k}"


def dtype_of(seed: int) -> str:
    return f"N{seed}"


# --- structs and tuples ---


def _member_code(rng: random.Random, code: str, k: int) -> str:
    kind = rng.random()
    nested = len(code.partition("_")[2]) < MOST_NESTED
    if nested and kind < 0.3:
        return f"{'S' if kind < 0.15 else 'T'}{code[1:]}{k}"
    if kind < 0.55:
        return f"{rng.choice(COMPONENTS)}x{rng.randint(1, 4)}"
    return rng.choice(SCALARS)


@functools.cache
def members(code: str) -> tuple[Member, ...]:
    rng = random.Random(f"members of {code}")
    if is_tuple(code):
        count = rng.randint(2, 3)
        return tuple(Member(f"f{k}", _member_code(rng, code, k)) for k in range(count))
    names = rng.sample("abcdefghkmpqrsuvw", rng.randint(1, 6))
    return tuple(
        Member(
            name,
            _member_code(rng, code, k),
            rng.choice((1, 2, 4, 8, 16, 32)) if rng.random() < 0.1 else 0,
        )
        for k, name in enumerate(names)
    )


def hint(code: str):
    """What Python's source has for the type."""
    if is_struct(code):
        return class_of(code)
    if is_tuple(code):
        return tuple[tuple(hint(m.code) for m in members(code))]  # type: ignore[misc]
    own = {"int": int, "float": float, "b1": bool}
    if code in own:
        return own[code]
    number, _, lanes = code.partition("x")
    return getattr(D, model.NAMES[number] + ("x" + lanes if lanes else ""))


def _hint_of(member: Member):
    return D.align(hint(member.code), member.align) if member.align else hint(member.code)


@functools.cache
def class_of(code: str):
    align = random.Random(f"alignment of {code}").choice((0, 0, 0, 1, 4, 16, 32, 64))
    hints = {m.name: _hint_of(m) for m in members(code)}
    names = {"__module__": __name__, "__qualname__": code, "__annotations__": hints}
    made = type(code, (), names)
    return D.struct(align=align)(made) if align else D.struct(made)


def __getattr__(name: str):
    if NAMED.fullmatch(name):
        return class_of(name)
    raise AttributeError(name)


def imports(text: str) -> str:
    """The line that imports the structs which a program's source names; empty: it names none."""
    names = sorted(set(NAMED.findall(text)))
    return f"from {__name__} import {', '.join(names)}\n" if names else ""


def tuple_dtype(code: str) -> numpy.dtype:
    holder = type("Holder", (), {"__annotations__": {"t": hint(code)}, "__module__": __name__})
    return D.struct(holder).numpy_dtype["t"]


# --- structured dtypes with sub-arrays ---

SHAPES = ((5,), (2, 3), (3, 2, 2), (1,), (4,), (2, 1))
ELEMENTS = (*model.INTS, "f4", "f8", "f2", "bf")


@functools.cache
def fields_of_dtype(code: str) -> tuple[tuple[str, str], ...]:
    """Names and codes: "i4", "f4*2*3"."""
    rng = random.Random(f"fields of {code}")
    arrays = [
        "*".join((rng.choice(ELEMENTS), *map(str, rng.choice(SHAPES))))
        for _ in range(rng.randint(1, 3))
    ]
    fields = list(zip("vmk", arrays, strict=False))
    fields += list(zip("npq", rng.choices(ELEMENTS, k=rng.randint(0, 3)), strict=False))
    rng.shuffle(fields)
    return tuple(fields)


@functools.cache
def dtype(code: str) -> numpy.dtype:
    aligned = random.Random(f"layout of {code}").random() < 0.5
    fields = []
    for name, t in fields_of_dtype(code):
        element, *shape = t.split("*")
        fields.append((name, model.NUMPY[element], tuple(map(int, shape))))
    return numpy.dtype(fields, align=aligned)
