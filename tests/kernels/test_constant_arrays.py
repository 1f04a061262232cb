"""Global arrays, bytes, long tuples and members of enumerations are constants of kernels."""

import enum
from typing import ClassVar

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


ROOTS = np.exp(2j * np.pi * np.arange(8) / 8)
SMALL_ROOTS = ROOTS.astype(np.complex64)[::-1]
TURN = np.array(2 - 1j)
CORNERS = D.zeros((2, 3), dtype=D.float32x4, device="cpu")
for _k in range(6):
    CORNERS[_k // 3, _k % 3] = (_k, _k + 0.25, -_k, 0.5)
PACKED = np.dtype([("kind", "i1"), ("weight", "f8"), ("rows", "i2", (2, 3)), ("z", "c8")])
RECORDS = np.zeros(10, PACKED)
RECORDS["kind"] = np.arange(-5, 5)
RECORDS["weight"] = np.arange(10) / 4
RECORDS["rows"] = np.arange(60).reshape(10, 2, 3)
RECORDS["z"] = np.arange(10) * (1 + 2j)
EVERY_OTHER = RECORDS[::-2]
NOTHING = np.zeros((3, 0), np.int32)
NO_RECORDS = np.zeros(0, PACKED)


@D.struct(align=16)
class Sphere:
    centre: D.float32x3
    radius: float
    tag: tuple[int, D.int8]
    nothing: None

    UNIT: ClassVar[np.ndarray] = np.array([1.0, 0.5, 0.25])
    AXES: ClassVar[np.ndarray] = D.zeros(2, dtype=D.float64x2, device="cpu")

    @D.func
    def scaled(self, k):
        return self.radius * self.UNIT[k]


Sphere.AXES[0], Sphere.AXES[1] = (1, 2), (3, 4)
SPHERES = D.zeros(4, dtype=Sphere, device="cpu")
for _k in range(4):
    SPHERES[_k] = (_k, 1, 2), _k + 0.5, (_k * 10, -_k), b""


@D.kernel
def reads_records(out, n):
    i = D.tid(1)
    if i >= n:
        return
    z = ROOTS[i % 8] * ROOTS[1] + TURN
    w = SMALL_ROOTS[i % 8]
    out[0, i] = z.real + 10 * z.imag
    out[1, i] = w.real + 10 * w.imag
    v = CORNERS[i % 2, i % 3]
    out[2, i] = v.y + CORNERS[1, 2].x + CORNERS[-1][i % 3].z + v[i % 4]
    r = RECORDS[i % 10]
    out[3, i] = r.kind + r.weight + r.z.imag + RECORDS[i % 10].rows[1, i % 3] + RECORDS[3].weight
    out[4, i] = EVERY_OTHER[i % 5]["kind"] + len(EVERY_OTHER)
    out[5, i] = RECORDS["weight"][i % 10] + RECORDS["rows"][2, 1, i % 3]
    s = SPHERES[i % 4]
    out[6, i] = s.centre.x + s.radius + s.tag[0] + s.tag[1] + s.scaled(i % 3)
    out[7, i] = Sphere.UNIT[2] + Sphere.AXES[i % 2].y + s.AXES[1].x
    total = len(NOTHING) + NOTHING.shape[1] + NOTHING.size + len(NO_RECORDS)
    for row in NOTHING:
        for x in row:
            total += x + 100
    for one in NO_RECORDS:
        total += one.kind
    for k in range(len(NO_RECORDS) * n):
        total += NO_RECORDS[k].kind
    out[8, i] = total
    tile = D.local_array(RECORDS[7].kind, D.int32)
    out[9, i] = tile.size


def expected_of_records(n):
    out = np.zeros((10, n))
    for i in range(n):
        z, w = ROOTS[i % 8] * ROOTS[1] + TURN, SMALL_ROOTS[i % 8]
        out[0, i] = z.real + 10 * z.imag
        out[1, i] = np.float32(w.real) + np.float32(10) * np.float32(w.imag)
        corner = [tuple(c) for c in CORNERS.reshape(6)]
        v = corner[i % 2 * 3 + i % 3]
        out[2, i] = v[1] + 5 - (3 + i % 3) + v[i % 4]
        r = RECORDS[i % 10]
        out[3, i] = r["kind"] + r["weight"] + r["z"].imag + r["rows"][1, i % 3] + 0.75
        out[4, i] = 4 - 2 * (i % 5) + 5
        out[5, i] = i % 10 / 4 + RECORDS["rows"][2, 1, i % 3]
        k = i % 4
        out[6, i] = k + (k + 0.5) * (1 + Sphere.UNIT[i % 3]) + 10 * k - k
        out[7, i] = 0.25 + (2, 4)[i % 2] + 3
        out[8, i] = 3
        out[9, i] = 2
    return out


@clause("DEV-CONST-03")
def test_arrays_of_records_are_constants(target):
    n = 77
    out = np.zeros((10, n))
    run(reads_records, out, n, grid=3, block=32)
    assert np.allclose(out, expected_of_records(n), rtol=1e-6, atol=1e-5)


@D.kernel
def radius_of(out):
    i = D.tid(1)
    out[i] = SPHERES[i].radius + Sphere.UNIT[i]


def test_contents_of_records_are_read_at_each_launch(target):
    out = np.zeros(2)
    run(radius_of, out, block=2)
    assert out.tolist() == [1.5, 2.0]
    before, SPHERES["radius"][1] = SPHERES["radius"][1], 8.0  # the same object
    Sphere.UNIT[0] = 2.0
    try:
        run(radius_of, out, block=2)
        assert out.tolist() == [2.5, 8.5]
    finally:
        SPHERES["radius"][1], Sphere.UNIT[0] = before, 1.0
    run(radius_of, out, block=2)
    assert out.tolist() == [1.5, 2.0]


PAIRS = np.array([(1, 2)], [("x", "i4"), ("y", "i4")])
TURNED = PAIRS.view([("y", "i4"), ("x", "i4")])


@D.kernel
def first_of(out):
    out[0] = PAIRS[out.size - 1].x + 10 * TURNED[out.size - 1].x


def test_elements_of_another_type_are_another_constant(monkeypatch, target):
    out = np.zeros(1)
    run(first_of, out)
    assert out[0] == 21
    monkeypatch.setitem(globals(), "PAIRS", TURNED)
    run(first_of, out)
    assert out[0] == 22


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
