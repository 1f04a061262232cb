"""Structs in kernels (DEV-STRUCT): compared with the same source on host objects, or with NumPy."""

# ruff: noqa: B905

import math
import re
from typing import ClassVar

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run, run_as_host


def zeros(n=32):
    return np.zeros(n)


def pages(*shape, dtype):
    return D.zeros(shape, dtype=dtype, device="cpu")


@D.struct
class Point:
    x: int
    y: int
    z: int = 3
    AXES: ClassVar[int] = 3
    SCALE: ClassVar[D.float32] = 0.5

    @D.func
    def norm2(self):
        return self.x**2 + self.y**2 + self.z**2

    def shifted(self, by, scale=1):
        return D.replace(self, x=self.x + by * scale)

    @staticmethod
    def origin():
        return Point(0, 0, 0)

    @D.func
    def length(self):
        return math.sqrt(float(self.norm2()))

    @property
    def total(self):
        return self.x + self.y + self.z


@D.struct()
class Segment:
    a: Point
    b: Point
    w: D.float32x4
    t: tuple[int, D.float64]
    n: None
    flag: bool = False
    h: D.float16 = 1.5
    v: D.int16x2 = D.int16x2(1, 2)


@D.struct(align=16)
class Pair:
    real: float
    imag: float

    def times(self, other):
        return Pair(
            self.real * other.real - self.imag * other.imag,
            self.real * other.imag + self.imag * other.real,
        )


def segment(**changes):
    values = {"a": Point(1, 2), "b": Point(3, 4, 5), "w": D.float32x4(1, 2, 3, 4), "t": (1, 2.5)}
    return Segment(**{**values, "n": None, **changes})


# --- construction, attributes, methods ---


@D.kernel
def constructed(out, n):
    p = Point(1, n)
    q = Point(y=n, x=2, z=n + 1)
    out[0] = p.x + p.y * 10 + p.z * 100
    out[1] = q.x + q.y * 10 + q.z * 100
    out[2] = (p == q) + 2 * (p != q) + 4 * (p == Point(1, n, 3)) + 8 * (Point.origin() == p)
    out[3] = p.norm2() + q.total * 1000
    r = q.shifted(n).shifted(1, scale=2)
    out[4] = r.x + q.x * 100
    out[5] = Point.origin().z + Point.AXES * 10 + p.AXES * 100
    out[6] = Point.norm2(r) + round(q.length()) + Point.SCALE
    s = Segment(p, q, D.float32x4(n, 2, 3, 4), (n, 0.5), None)
    out[7] = s.a.y + s.b.z * 10 + s.w.x * 100 + s.w[-1] * 1000
    out[8] = s.t[0] + s.t[1] + s.h + s.v.y + s.flag
    out[9] = (s.n is None) + 2 * (s.a == p) + 4 * (s.t == (n, 0.5))
    u = D.replace(s, a=D.replace(s.a, x=50), flag=True, w=s.w * 2)
    out[10] = u.a.x + u.flag * 100 + u.w.y * 1000 + s.a.x * 10000 + s.flag * 100000
    a, b = u.t
    out[11] = a + b
    out[12] = Pair(n, 1).times(Pair(0.5, n)).imag
    k = 13
    for point in (p, q, u.a):
        out[k] = point.norm2()
        k += 1


@clause("DEV-STRUCT-01", "DEV-STRUCT-02", "DEV-STRUCT-10", "DEV-STRUCT-12", "DEV-STRUCT-13")
@pytest.mark.parametrize("n", [4, -2])
def test_construction_attributes_and_methods(target, n):
    run_as_host(constructed, zeros(), n)


@D.func
def farther(p, q, n):
    if n > 2:
        return p if p.norm2() > q.norm2() else q
    if n > 1:
        return Point(n, n)
    return Point.origin()


@D.func
def both(p, n):
    return p, D.replace(p, z=n)


@D.kernel
def joined(out, p, q, n):
    r = p
    if n > 2:
        r = q
    elif n > 1:
        r = Point(n, 1, z=n)
    out[0] = r.x + r.y * 10 + r.z * 100
    i = 0
    while i < n:
        r = D.replace(r, y=r.y + i, x=r.z)
        i += 1
        if r.y > 8:
            break
        if r.y == 3:
            continue
        r = r.shifted(i)
    out[1] = r.x + r.y * 10 + r.z * 100
    r = farther(p, r, n)
    out[2] = r.x + r.y * 10 + r.z * 100
    a, b = both(r, n)
    a, b = b, a
    out[3] = a.z + b.z * 10
    c = (a, b)[n % 2]
    out[4] = c.z
    s = Segment(a, b, D.float32x4(n, 0, 0, 1), (n, n), None)
    for k in range(3):
        s = D.replace(s, w=s.w + k, t=(s.t[0] + k, s.t[1] * 2), b=s.a, a=s.b)
    out[5] = s.w.x + s.w.w * 10 + s.t[0] * 100 + s.t[1] * 1000
    out[6] = s.a.z + s.b.z * 10
    t = s if n > 2 else D.replace(s, flag=True, v=D.int16x2(7, 8))
    out[7] = t.flag + t.v.x * 10 + t.h


@clause("DEV-STRUCT-01", "DEV-STRUCT-10", "DEV-STRUCT-12")
@pytest.mark.parametrize("n", [1, 2, 5])
def test_variables_and_results_of_functions(target, n):
    run_as_host(joined, zeros(), Point(1, 2), Point(4, 5, 6), n)


# --- arguments ---


@D.kernel
def taken(out, p, s, c, several):
    out[0] = p.x + p.y * 10 + p.total * 100
    out[1] = s.a.norm2() + s.b.z * 100 + s.w.z * 1000 + s.t[0] + s.t[1]
    out[2] = (s.n is None) + s.flag * 2 + s.h + s.v.x * 10 + s.v[-1] * 100
    out[3] = c.times(c).real
    out[4] = several[0].x + several[1][0].w.w + several[1][1]
    out[5] = len(s.w) + s.t[1]


@clause("DEV-STRUCT-01", "DEV-STRUCT-12", "DEV-STRUCT-13", "DEV-NONE-01", "DEV-TUP-01")
@clause("DEV-STRUCT-11", partial="interoperable calls")
def test_arguments(target):
    arguments = Point(1, 2), segment(flag=True, h=0.25), Pair(1.5, -2)
    run_as_host(taken, zeros(), *arguments, (Point(7, 8), (segment(), 2.5)))
    run_as_host(taken, zeros(), *arguments, (Point(9, 8), (segment(w=D.float32x4(1, 2, 3, 0)), 1)))


@D.kernel
def extremes(out, s):
    out[0] = s.a
    out[1] = s.b
    out[2] = s.c
    out[3] = s.d


@D.struct
class Wide:
    a: D.int64
    b: D.uint64
    c: D.uint8
    d: D.int8


def test_integers_of_arguments_keep_their_width(target):
    out = np.zeros(4, np.uint64)
    run(extremes, out, Wide(-(2**63), 2**64 - 1, 255, -1))
    assert out.tolist() == [2**63, 2**64 - 1, 255, 2**64 - 1]


# --- constants of the surroundings ---

HERE = Point(10, 20)
PLACES = (HERE, Point(1, 1, 1))
DEFAULT = segment()


def shift_by_default(p, by=HERE):
    return p.shifted(by.x)


@D.kernel
def constants(out, p, n):
    out[0] = HERE.y + PLACES[1].total + HERE.norm2() * 100
    out[1] = DEFAULT.w.y + DEFAULT.t[1] + DEFAULT.b.z + DEFAULT.v.y * 10 + DEFAULT.h
    out[2] = shift_by_default(p).x + (p == HERE) * 1000
    q = p if n > 1 else HERE
    out[3] = q.total
    r = HERE
    r = r.shifted(n)
    out[4] = r.x


@clause("DEV-STRUCT-01", "DEV-CONST-03")
def test_instances_outside_of_the_kernel_are_constants(target):
    run_as_host(constants, zeros(), Point(5, 6), 1)
    run_as_host(constants, zeros(), HERE, 2)


def test_another_constant_makes_another_kernel(target):
    global HERE
    before = HERE
    try:
        HERE = Point(1, 2)
        run_as_host(constants, zeros(), Point(5, 6), 1)
    finally:
        HERE = before


@D.kernel
def sized(out):
    a = D.local_array(Point.AXES + HERE.x, D.int32)
    out[0] = a.shape[0]


@clause("DEV-CONST-03")
def test_attributes_of_constants_are_constant_expressions(target):
    out = zeros(1)
    run(sized, out)
    assert out[0] == 13


# --- arrays ---


@D.kernel
def moved(points, segments, out, n):
    i = D.tid(1)
    if i < n:
        p = points[i]
        out[i] = p.norm2() + points[i].total * 1000
        points[i] = p.shifted(i)
        points[-1 - i].z = points[i].x
        s = segments[i]
        out[i] += s.w.y + s.a.z + s.t[1]
        segments[i].a = p
        segments[i].b.y = i
        segments[i].w = s.w + 1
        segments[i].w.x = 0.5
        segments[i].t = (i, 0.25)
        segments[i]["flag"] = i % 2 == 0
        segments[i].h += i
        segments[i].v[1] = -i
        segments[n + i] = D.replace(s, h=D.float16(i), t=(i, s.w.z))


@clause("DEV-STRUCT-18", "DEV-ARR-20", "DEV-STRUCT-10", "DEV-STRUCT-12")
def test_arrays_of_structs(target):
    n = 40
    points, segments, out = pages(2 * n, dtype=Point), pages(2 * n, dtype=Segment), zeros(n)
    i = np.arange(2 * n)
    points["x"], points["y"], points["z"] = i, i + 1, i + 2
    segments["w"]["y"], segments["w"]["z"], segments["a"]["z"] = i, 2 * i, 3 * i
    segments["t"][segments["t"].dtype.names[1]] = i / 4
    run(moved, points, segments, out, n, grid=2, block=32)
    i = np.arange(n)
    norm2 = i**2 + (i + 1) ** 2 + (i + 2) ** 2
    assert np.array_equal(out, norm2 + 1000 * (3 * i + 3) + i + 3 * i + i / 4)
    assert np.array_equal(points["x"][:n], 2 * i)
    assert np.array_equal(points["z"][:n], i + 2)
    assert np.array_equal(points["z"][: -n - 1 : -1], 2 * i)
    here, there = segments[:n], segments[n:]
    first, second = here["t"].dtype.names
    assert np.array_equal(here["a"]["y"], i + 1)
    assert np.array_equal(here["b"]["y"], i)
    assert np.array_equal(here["w"]["x"], np.full(n, 0.5))
    assert np.array_equal(here["w"]["y"], i + 1)
    assert np.array_equal(here["t"][first], i)
    assert np.array_equal(here["t"][second], np.full(n, 0.25))
    assert np.array_equal(here["flag"], i % 2 == 0)
    assert np.array_equal(here["h"], i)
    assert np.array_equal(here["v"]["y"], -i)
    assert np.array_equal(there["w"]["y"], i)
    assert np.array_equal(there["h"], i)
    assert np.array_equal(there["t"][second], 2 * i)


@D.struct
class Mixed:
    a: D.int8
    b: D.float64
    c: bool
    d: D.float32x3
    e: D.align(D.int16, 8)
    f: Pair
    g: tuple[D.int8, D.float32]
    h: D.uint8


MIXED = [("a", "i1", 0), ("b", "f8", 8), ("c", "?", 16), ("d", "3f4", 20), ("e", "i2", 32)]
MIXED += [("f", "2f4", 48), ("g0", "i1", 64), ("g1", "f4", 68), ("h", "u1", 72)]


@D.kernel
def mixed(a):
    i = D.tid(1)
    if i < a.shape[0]:
        pair = Pair(i + 0.5, float(-i))
        v, t = D.float32x3(i, 2, 3), (D.int8(i), 1.5)
        a[i] = Mixed(D.int8(-i), i * 0.5, i > 2, v, D.int16(i * 100), pair, t, 200)


@clause("DEV-STRUCT-03", "DEV-STRUCT-04", "DEV-STRUCT-12", "DEV-STRUCT-16", "DEV-STRUCT-18")
@clause("DEV-ARR-20")
@clause("DEV-STRUCT-11", "DEV-ABI-06", "DEV-ABI-08", partial="interoperable calls")
def test_memory_has_the_layout_of_cpp(target):
    n = 7
    a = pages(n, dtype=Mixed)
    a.view(np.uint8)[...] = 0xAA
    run(mixed, a, block=8)
    names, formats, offsets = zip(*MIXED)
    assert a.itemsize == 80
    plain = {"names": names, "formats": formats, "offsets": offsets, "itemsize": 80}
    b, i = a.view(np.uint8).view(np.dtype(plain)), np.arange(n)
    expected = {"a": -i, "b": i / 2, "c": i > 2, "e": 100 * i, "g0": i, "g1": np.full(n, 1.5)}
    for name, value in expected.items():
        assert np.array_equal(b[name], value), name
    assert np.array_equal(b["d"], np.stack([i, 0 * i + 2, 0 * i + 3], 1))
    assert np.array_equal(b["f"], np.stack([i + 0.5, -i], 1))
    assert (b["h"] == 200).all()
    used = np.zeros(80, bool)
    for name, at in zip(names, offsets):
        used[at : at + np.dtype(plain).fields[name][0].itemsize] = True
    assert (a.view(np.uint8).reshape(n, 80)[:, ~used] == 0xAA).all()


@D.kernel
def grid(into, source):
    i, j = D.tid(2)
    if i < source.shape[0] and j < source.shape[1]:
        into[i, j] = D.replace(source[i, j], x=source[-1 - i, j].y)
        row = source[i]
        into[i, j].z = row[j].z * 2


@clause("DEV-STRUCT-18", "DEV-ARR-20")
def test_arrays_with_strides(target):
    whole, result = pages(10, 12, dtype=Point), pages(9, 24, dtype=Point)
    for k, name in enumerate("xyz"):
        whole[name] = np.arange(120).reshape(10, 12) * (k + 1)
    source = whole[::-2, 1:-1]
    source.flags.writeable = False
    into = result[5:0:-1, ::2][:, :10]
    run(grid, into, source, grid=(2, 2), block=(4, 8))
    assert np.array_equal(into["x"], source["y"][::-1])
    assert np.array_equal(into["y"], source["y"])
    assert np.array_equal(into["z"], source["z"] * 2)
    assert not result[:, 1::2].tobytes().strip(b"\0")


@D.kernel
def own_memory(out, a, n):
    i = int(D.thread_idx.x)
    tile = D.shared_array((2, 32), Segment)
    stack = D.local_array(4, Point)
    tile[0, i] = a[i]
    tile[1, 31 - i].a = Point(i, 1, 2)
    for k in range(4):
        stack[k] = Point(k, i)
    stack[i % 4].y = 100
    D.syncthreads()
    other = tile[0, 31 - i]
    total = 0
    for k in range(4):
        total += stack[k].y + stack[(i + k) % 4].x
    if i < n:
        out[i] = other.a.x + tile[1, i].a.x * 100 + other.w.y * 0.5 + total * 10000


@clause("DEV-STRUCT-18")
def test_arrays_of_the_block_and_of_the_thread(target):
    a, out = pages(32, dtype=Segment), zeros()
    a["a"]["x"], a["w"]["y"] = np.arange(32), np.arange(32) * 3
    run(own_memory, out, a, 32, block=32)
    i = np.arange(32)
    other = 31 - i
    assert np.array_equal(out, other + 100 * other + other * 1.5 + 10000 * (3 * i + 100 + 6))


@D.struct
class Empty:
    pass


@D.struct
class Cell:
    value: D.align(D.int32, 16)
    empty: Empty
    rest: D.int8


@D.kernel
def aligned(a, out):
    a[0] = Cell(3, Empty(), 1)
    v = a[1].value + 1
    out[0] = v.dtype == D.int32
    out[1] = v + a[1].rest + (a[1].empty == Empty())


@clause("DEV-STRUCT-16")
def test_aligned_members_are_numbers(target):
    a, out = pages(2, dtype=Cell), zeros(2)
    assert (a.itemsize, a.dtype.alignment) == (16, 16)
    a[1].value, a[1].rest = 41, 7
    run(aligned, a, out)
    assert out.tolist() == [1, 50]
    assert (a[0].value, a[0].rest) == (3, 1)


# --- structured dtypes of NumPy ---

INNER = np.dtype([("u", "i2"), ("v", "f8")])
FIELDS = [("x", "f4"), ("flag", "?"), ("n", "i8"), ("inner", INNER), ("m", "f4", (2, 3))]
FIELDS += [("k", "u1", 4), ("h", "f2")]
PACKED, ALIGNED = np.dtype(FIELDS), np.dtype(FIELDS, align=True)


@D.kernel
def records(a, b, out):
    i = D.tid(1)
    if i < a.shape[0]:
        r = a[i]
        out[i, 0] = r.x + r["n"] * 10 + r.inner.u * 100 + a[i]["inner"]["v"] * 1000
        out[i, 1] = (
            r.m[1, 2] + r.k[3] * 10.0 + r.h * 100 + float(r["k"][i % 4]) * 1000 + r.flag * 10000
        )
        b[i] = r
        b[i].x = i
        b[i]["n"] += 5
        b[i].inner.u = -i
        b[i]["inner"]["v"] = 0.5
        b[i].m[0, 1] = 7
        b[i].m[-1, -1] += 1
        b[i].k[2] = 9
        b[i].flag = not r.flag


@clause("DEV-ARR-19")
@pytest.mark.parametrize("dtype", [PACKED, ALIGNED], ids=["packed", "aligned"])
def test_structured_dtypes(target, dtype):
    n = 37
    a, b, out, i = np.zeros(n, dtype), np.zeros(2 * n, dtype)[::-2], np.zeros((n, 2)), np.arange(n)
    a["x"], a["n"], a["flag"], a["h"] = i / 4, i - 7, i % 3 == 0, i / 2
    a["inner"]["u"], a["inner"]["v"] = i, -i
    a["m"], a["k"] = np.arange(6 * n).reshape(n, 2, 3), np.arange(4 * n).reshape(n, 4) % 100
    run(records, a, b, out, grid=2, block=32)
    assert np.array_equal(out[:, 0], i / 4 + 10 * (i - 7) + 100 * i - 1000 * i)
    chosen = a["k"][i, i % 4].astype(float)
    rest = a["m"][:, 1, 2] + 10.0 * a["k"][:, 3] + 100 * i / 2 + 10000 * (i % 3 == 0)
    assert np.array_equal(out[:, 1], rest + 1000 * chosen)
    expected = a.copy()
    expected["x"], expected["n"], expected["flag"] = i, i - 2, i % 3 != 0
    expected["inner"]["u"], expected["inner"]["v"] = -i, 0.5
    expected["m"][:, 0, 1], expected["k"][:, 2] = 7, 9
    expected["m"][:, 1, 2] += 1
    assert np.array_equal(b, expected)


# --- nothing ---


@D.func
def doubled(x):
    if x is None:
        return None
    return x * 2


@D.kernel
def optional(out, x, a=None, b=None):
    out[0] = 1 if a is None else a[0]
    out[1] = doubled(b) is None
    if x is not None:
        out[2] = x
    if doubled(x) is not None:
        out[3] = doubled(x)


@clause("DEV-NONE-01")
def test_none_is_passed_tested_and_returned(target):
    for arguments in ((None,), (2, None, 3), (3, np.array([5.0])), (None, None, None)):
        run_as_host(optional, zeros(), *arguments)


# --- complex elements ---


@D.kernel
def parts(a, b):
    i = D.tid(1)
    if i < a.shape[0]:
        z = a[i]
        b[i] = a[-1] if i % 2 else z


@clause("DEV-ARR-18", partial="float16, bfloat16, float8, complex arithmetic")
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_elements(target, dtype):
    a = (np.arange(20) + 1j * np.arange(20, 40)).astype(dtype)
    b = np.zeros((20, 2), dtype)[:, 1]
    run(parts, a, b, block=32)
    expected = a.copy()
    expected[1::2] = a[-1]
    assert np.array_equal(b, expected)


# --- align, in kernels ---

WIDE = D.align(D.float32, 32)


@D.kernel
def aligned_types(out, a):
    number = D.align(D.int32, 16)
    x = number(a[0])
    y: WIDE = 3
    tile = D.shared_array(3, number)
    own = D.local_array(2, WIDE)
    slots = D.shared_array(2, D.Atomic(D.align(D.int32, 64)))
    others = D.shared_array(2, D.align(D.Atomic(D.int16), 8))
    tile[1] = x
    own[1] = WIDE(2) + y
    slots[1].store(4)
    others[1].store(4)
    out[0] = tile[1] / 2
    out[1] = own[1]
    out[2] = D.align(Point, 64)(1, 2).total
    out[3] = D.align(D.float32x2, 4)(1, 2).y
    out[4] = slots.strides[0]
    out[5] = others.strides[0]
    out[6] = isinstance(x, number) and isinstance(y, D.align(WIDE, 4))
    out[7] = tile.strides[0]


@clause("DEV-STRUCT-16")
def test_align_in_kernels(target):
    out = np.zeros(8)
    run(aligned_types, out, np.array([7], np.int32))
    assert out.tolist() == [3.5, 5, 6, 2, 64, 8, 1, 4]


@clause("DEV-STRUCT-16")
def test_arrays_of_aligned_types_begin_there():
    ptx = aligned_types.inspect(
        np.zeros(8), np.zeros(1, np.int32), what="ptx", target="sm_90", grid=1, block=1
    )
    aligns = [int(n) for n in re.findall(r"\.shared \.align (\d+)", ptx)]
    assert max(aligns, default=0) >= 64
