"""The match statement: numbers, tuples, structs, enumerations, guards."""

import enum
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from cuda import device as D
from support.launching import run, run_as_python


class Mode(enum.Enum):
    ADD = 1
    SCALE = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 9


@D.struct
class Point:
    x: D.int32
    y: D.int32


def kind_of(v):
    match v:
        case bool():
            return 1
        case int(n) if n == 3:
            return 2
        case int():
            return 3
        case float(f):
            return 4 + f
        case (a, b):
            return 100 * a + b
        case (first, *rest):
            return 1000 + first + len(rest)
        case None:
            return 7
        case _:
            return 8


def by_mode(mode, x):
    match mode:
        case Mode.ADD:
            return x + 1
        case Mode.SCALE:
            return x * 10


def where(p):
    match p:
        case Point(0, 0):
            return 0
        case Point(x=0, y=1 | 2 as y):
            return 1 + y
        case Point(x, y=0):
            return 10 + x
        case Point(x, y) if x == y:
            return 20 + x
        case Point() as q:
            return q.x + q.y


@D.kernel
def numbers(out, level):
    i = D.tid(1)
    x = -1
    match i % 6:
        case 0:
            x = 10
        case 1 | 2:
            x = 20 + i
        case 3 as three:
            x = three * 100
        case n if n == 4 and i > 5:
            x = n
    out[i, 0] = x
    match i * 0.5, i > 4:
        case 0.5, flag:
            out[i, 1] = 1 + flag
        case h, True if h > 3:
            out[i, 1] = 3
        case _, True:
            out[i, 1] = 4
        case _:
            out[i, 1] = 5
    match level:
        case Level.LOW:
            out[i, 2] = 1
        case Level.HIGH:
            out[i, 2] = 2
    t = 0
    for k in range(i + 1):
        match k:
            case 0:
                continue
            case 7:
                break
            case 2 if i == 5:
                t += 1000
            case _:
                t += k
    out[i, 3] = t
    for k in (1, 2, 3):
        match k + i:
            case 3:
                break
            case _:
                out[i, 4] += k


def expect_numbers(i, level):
    row = [{0: 10, 1: 20 + i, 2: 20 + i, 3: 300}.get(i % 6, 4 if i % 6 == 4 and i > 5 else -1)]
    row.append(1 + (i > 4) if i == 1 else 3 if i > 6 else 4 if i > 4 else 5)
    row.append({1: 1, 9: 2}.get(level, 0))
    t = 0
    for k in range(i + 1):
        if k == 7:
            break
        t += 1000 if k == 2 and i == 5 else k
    row.append(t)
    added = 0
    for k in (1, 2, 3):
        if k + i == 3:
            break
        added += k
    row.append(added)
    return row


def test_match_on_numbers_and_tuples(target):
    for level in (Level.LOW, Level.HIGH, 4):
        out = np.zeros((40, 5), dtype=np.int64)
        run(numbers, out, level, block=40)
        assert out.tolist() == [expect_numbers(i, level) for i in range(40)]


@D.kernel
def constants(out, f):
    out[0] = kind_of(True)
    out[1] = kind_of(3)
    out[2] = kind_of(4)
    out[3] = kind_of(0.5)
    out[4] = kind_of((1, 2))
    out[5] = kind_of((1, 2, 3, 4))
    out[6] = kind_of(None)
    out[7] = kind_of("text")
    out[8] = by_mode(Mode.ADD, 5) + by_mode(Mode.SCALE, 5)
    i = D.int32(f)
    out[9] = where(Point(i - 2, i - 2))
    out[10] = where(Point(i, 0))
    out[11] = where(Point(i, i))
    out[12] = where(Point(i, 40))
    out[13] = kind_of(i)
    out[14] = kind_of(f)
    out[15] = where(Point(i - 2, i))


def test_match_on_what_is_known_when_compiling(target):
    out = np.zeros(16)
    run(constants, out, 2.25)
    expected = [1, 2, 3, 4.5, 102, 1004, 7, 8, 56, 0, 12, 22, 42, 8, 6.25, 3]
    assert out.tolist() == expected


@D.kernel
def names_in_several_patterns(out, a, b, pairs):
    i = D.tid(1)
    match (a[i], b[i]):
        case (0, n) | (n, 0):
            out[0, i] = n
        case (1, n) | (n, 1) | (n, 2) if n > 4:
            out[0, i] = 100 + n
        case (n, m) | ((n, m), 7):
            out[0, i] = 1000 + 10 * n + m
    k = 1
    for pair in pairs:
        match pair:
            case (int(n), None) | (None, int(n)):
                out[k, i] = n
            case (Point(x=n) as p, _) | (_, Point(y=n) as p):
                out[k, i] = 10 * n + p.x + a[i]
            case (((n, m) | (n, m, _)), _):
                out[k, i] = n - m
        k += 1


def test_a_name_in_several_patterns(target):
    a = np.array([0, 3, 1, 5, 9, 1, 8, 3, 2], np.int32)
    b = np.array([4, 0, 6, 1, 2, 2, 1, 3, 0], np.int32)
    pairs = ((4, None), (None, 5), (Point(1, 2), 3), (4, Point(5, 6)), ((8, 3), 1), ((9, 1, 2), 2))
    out = np.zeros((7, a.size), np.int32)
    run(names_in_several_patterns, out, a, b, pairs, block=a.size)

    def by_case(x, y):
        if x == 0 or y == 0:
            return y if x == 0 else x
        for matches, n in ((x == 1, y), (y == 1, x), (y == 2, x)):
            if matches:
                if n > 4:
                    return 100 + n
                break
        return 1000 + 10 * x + y

    assert out[0].tolist() == [by_case(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    assert (out[1:3] == [[4], [5]]).all()
    assert (out[3:5] == [10 + 1 + a, 60 + 5 + a]).all()
    assert (out[5:] == [[5], [8]]).all()


@dataclass(frozen=True)
class Sized:
    width: int
    depth: int = field(default=1, kw_only=True)
    height: int = 2


@dataclass(frozen=True, match_args=False)
class Unnamed:
    x: int


class Turned(NamedTuple):
    x: int
    y: int

    __match_args__ = ("y", "x")


@dataclass(frozen=True)
class Base:
    a: int
    b: int


@dataclass(frozen=True)
class Derived(Base):
    c: int = 5


def by_position(v):
    match v:
        case Sized(1, 3, depth=4):
            return 1
        case Sized(w, h, depth=d):
            return 100 * w + 10 * h + d
        case Unnamed(x=3):
            return 3
        case Unnamed():
            return 4
        case Turned(y, 2):
            return 1000 + y
        case Turned(y=y, x=x):
            return 10 * x + y
        case Derived(a, 2, c):
            return 50 + a * c
        case Base(a, b):
            return a - b


@D.kernel
def objects(out, n):
    out[0] = by_position(Sized(n, 3, depth=4))
    out[1] = by_position(Sized(2, n, depth=n))
    out[2] = by_position(Unnamed(n))
    out[3] = by_position(Turned(n, 7))
    out[4] = by_position(Turned(2, n))
    out[5] = by_position(Derived(n, 2, 3))
    out[6] = by_position(Derived(n, 4))
    out[7] = by_position(Base(n, 4))


def test_patterns_take_fields_as_match_args_says(target):
    for n in (1, 2, 3):
        run_as_python(objects, np.zeros(8, np.int32), n)


@D.kernel
def parts_of_ranges(out, a):
    match range(2, 8, 3):
        case (x, y):
            out[0] = 10 * x + y
        case _:
            out[0] = -1
    match range(4):
        case [x, *rest]:
            out[1] = 100 * x + len(rest)
        case _:
            out[1] = -1
    if isinstance(f"{a[0]}", str):
        out[2] = 1


def test_ranges_are_sequences_and_texts_are_str(target):
    out = np.zeros(3, np.int32)
    run(parts_of_ranges, out, np.ones(1, np.int32))
    assert out.tolist() == [25, 3, 1]


@D.kernel
def ranges_of_run_time(out, n, step):
    match range(1, n, step):
        case []:
            out[0] = 1
        case [x]:
            out[0] = 10 + x
        case [x, y]:
            out[0] = 100 * x + 10 * y
        case [x, *rest, y, z] if len(rest) > 1:
            out[0] = 1000 * x + sum(rest) * 100 + y * 10 + z
            out[1] = rest[0] + rest[-1]
        case [_, *_]:
            out[0] = -1


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("n", [0, 2, 3, 4, 5, 9, 17])
def test_ranges_of_a_length_that_is_known_at_run_time(target, n, step):
    run_as_python(ranges_of_run_time, np.zeros(2, np.int32), n, step)


class Box(NamedTuple):
    width: int
    height: int
    __match_args__ = ("area", "width")

    @property
    def area(self):
        return self.width * self.height


@D.kernel
def properties(out, n):
    match Box(n, 3):
        case Box(6, w):
            out[0] = w
        case Box(area=9 | 12, height=h):
            out[0] = 10 + h
        case Box(a, _):
            out[0] = 100 + a


@pytest.mark.parametrize("n", range(1, 6))
def test_patterns_take_properties(target, n):
    run_as_python(properties, np.zeros(1, np.int32), n)
