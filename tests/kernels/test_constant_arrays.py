"""Global arrays, bytes, long tuples and members of enumerations are constants of kernels."""

import enum

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

WEIGHTS = np.array([0.25, 0.5, 0.25])
GRID = np.arange(12, dtype=np.int16).reshape(3, 4)[:, ::-1]
MASK = np.array([True, False, True, True])
HALVES = np.array([0.5, 1.5, -2.0], np.float16)
POINT = np.array(1.5)
CODES = b"\x01\x80\xff"
LONG = tuple(range(0, 300, 3))
SIZES = np.array([2, 3])


class Color(enum.Enum):
    RED = 1
    BLUE = (2, 0.5)
    CRIMSON = 1


class Level(enum.IntEnum):
    LOW = 3


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()


@D.kernel
def reads(out, n):
    i = D.tid(1)
    if i < n:
        out[0, i] = WEIGHTS[i % 3] + WEIGHTS[-1] + WEIGHTS[1]
        out[1, i] = GRID[i % 3, i % 4] + GRID[-1, -2] + 10 * len(GRID)
        out[2, i] = MASK[i % 4] + 2 * MASK[1]
        out[3, i] = HALVES[i % 3]
        out[4, i] = POINT + 1
        out[5, i] = CODES[i % 3] + len(CODES) + b"AB"[i % 2]
        out[6, i] = LONG[i % 100] + LONG[-(i % 7) - 1] + LONG[50]
        row = GRID[i % 3]
        total = 0
        for x in row[1:]:
            total += x
        out[7, i] = total
        out[8, i] = sum(w * k for k, w in enumerate(WEIGHTS))
        tile = D.local_array((SIZES[0], SIZES[1]), D.int32)
        tile[1, 2] = i
        out[9, i] = tile[1, 2] + WEIGHTS.shape[0] + GRID.ndim


def expected(n):
    out = np.zeros((10, n))
    for i in range(n):
        out[0, i] = WEIGHTS[i % 3] + WEIGHTS[-1] + WEIGHTS[1]
        out[1, i] = GRID[i % 3, i % 4] + GRID[-1, -2] + 30
        out[2, i] = MASK[i % 4]
        out[3, i] = HALVES[i % 3]
        out[4, i] = 2.5
        out[5, i] = CODES[i % 3] + len(CODES) + b"AB"[i % 2]
        out[6, i] = LONG[i % 100] + LONG[-(i % 7) - 1] + LONG[50]
        out[7, i] = GRID[i % 3][1:].sum()
        out[8, i] = (WEIGHTS * np.arange(3)).sum()
        out[9, i] = i + 3 + 2
    # Elements of int16 and uint8 have their formats in sums.
    out[5] = [np.uint8(CODES[i % 3]) + np.int64(len(CODES)) + b"AB"[i % 2] for i in range(n)]
    return out


@clause("DEV-CONST-03")
def test_reads(target):
    n = 77
    out = np.zeros((10, n))
    run(reads, out, n, grid=3, block=32)
    assert np.array_equal(out, expected(n))


@D.kernel
def scaled(out):
    i = D.tid(1)
    out[i] = WEIGHTS[i] * 8


def test_contents_are_read_at_each_launch(target):
    out = np.zeros(3)
    run(scaled, out, block=3)
    assert out.tolist() == [2, 4, 2]
    WEIGHTS[1] = 1.0  # the same object
    try:
        run(scaled, out, block=3)
        assert out.tolist() == [2, 8, 2]
    finally:
        WEIGHTS[1] = 0.5
    run(scaled, out, block=3)
    assert out.tolist() == [2, 4, 2]


BIG = np.arange(16 * 1024, dtype=np.int32)


@D.kernel
def gathers(out, at):
    i = D.tid(1)
    out[i] = BIG[at[i]] + BIG[i]


def test_an_array_of_64_kib(target):
    at = np.random.default_rng(5).integers(0, BIG.size, 256)
    out = np.zeros(256, np.int32)
    run(gathers, out, at, grid=4, block=64)
    assert np.array_equal(out, BIG[at] + BIG[:256])


@D.func
def code_of(color):
    if color is Color.BLUE:
        return 20
    return color.value


@D.kernel
def members(out, n):
    out[0] = code_of(Color.RED) + code_of(Color.BLUE) + code_of(Color.CRIMSON)
    out[1] = Color.BLUE.value[1] + Color.RED.value
    out[2] = (Color.RED == Color.CRIMSON) + 2 * (Color.RED != Color.BLUE)
    out[2] += 4 * (Color.RED is Color.RED)
    out[3] = Level.LOW + Level.LOW.value + n
    both = Access.READ | Access.WRITE
    out[4] = (both.value if both & Access.WRITE else 0) + 10 * (not Access.READ & Access.WRITE)
    chosen = Color.RED
    out[5] = sum(1 if c == chosen else 10 for c in (Color.RED, Color.BLUE))


def test_members_of_enumerations(target):
    ours, right = np.zeros(6), np.zeros(6)
    run(members, ours, 2)
    members.underlying(right, 2)
    assert np.array_equal(ours, right)


@pytest.mark.parametrize("n", [16, 17, 100])
def test_long_tuples_of_constants_are_tables(n):
    table = tuple(range(n))

    @D.kernel
    def looked_up(out):
        i = D.tid(1)
        out[i] = table[i % 128]

    out = np.zeros(128, np.int32)
    text = looked_up.inspect(out, what="ir")
    assert ("array &0" in text) == (n > 16)
    D.launch(looked_up, out, grid=1, block=128)
    assert out[:n].tolist() == list(table)
    assert set(out[n:].tolist()) <= set(table)  # any element
