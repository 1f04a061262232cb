"""Slices, rows, transposes, other shapes and types of arrays (DEV-ARR-04, 06, 12, 14, 16).

One thread runs each kernel; Python runs it too, on NumPy's arrays, and says what is right.
"""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run, run_as_python
from support.layouts import layouts

# --- slices ---


@D.kernel
def slices_of_a_vector(out, a):
    k = 0
    for x in a[2:10:3]:
        out[k] = x
        k += 1
    for x in a[::-1]:
        out[k] = x
        k += 1
    for x in a[-3:]:
        out[k] = x
        k += 1
    for x in a[8:2:-2]:
        out[k] = x
        k += 1
    for x in a[1:-1][::2][-2::-1]:
        out[k] = x
        k += 1
    out[k] = len(a[2:10:3]) + 100 * len(a[5:2]) + 1000 * len(a[:-100]) + 10000 * len(a[-100:100])
    out[k + 1] = a[3:][0] + a[:4][-1] + a[::2][2] + a[::-3][1] + a[:][5]


@clause("DEV-ARR-04")
@pytest.mark.parametrize("n", [8, 11])
def test_slices_of_a_vector(target, n):
    run_as_python(slices_of_a_vector, np.zeros(60, dtype=np.int64), np.arange(100, 100 + n))


@D.kernel
def slices_of_a_matrix(out, a, i, j):
    k = 0
    for x in a[i, :]:
        out[k] = x
        k += 1
    for x in a[:, j]:
        out[k] = x
        k += 1
    for row in a[1:-1, ::-2]:
        for x in row:
            out[k] = x
            k += 1
    out[k] = a[i][j] + a[-1][-2] + a[i:][0][j] + a[:, j][i] + a[::-1, ::-1][i, -j]
    out[k + 1] = a[i:, j:][1, 1] + a[i:][:, j:][-1, -1] + a[: i + 2, 1 : j + 1].size


MATRICES = [n for n in layouts() if layouts()[n].ndim == 2 and layouts()[n].shape[1] > 2]


@clause("DEV-ARR-04")
@pytest.mark.parametrize("name", MATRICES)
def test_slices_of_a_matrix(target, name):
    with np.errstate(over="ignore"):
        run_as_python(slices_of_a_matrix, np.zeros(90), layouts()[name][-6:, -5:], 2, 1)


@D.kernel
def bounds_at_run_time(out, a, lower, upper, step):
    s = a[lower:upper:step]
    t = a[lower:upper]
    u = a[lower:]
    v = a[:upper]
    w = a[::step]
    out[0] = len(s)
    out[1] = len(t)
    out[2] = len(u)
    out[3] = len(v)
    out[4] = len(w)
    k = 5
    for x in s:
        out[k] = x
        k += 1
    for x in t:
        out[k] = x
        k += 1
    for x in u:
        out[k] = x
        k += 1
    for x in v:
        out[k] = x
        k += 1
    for x in w:
        out[k] = x
        k += 1
    if len(s) > 0:
        out[k] = s[-1] * 1000 + s[0]


@clause("DEV-ARR-04")
def test_bounds_and_steps_at_run_time_are_pythons(target):
    a = np.arange(1, 8)
    bounds = (-9, -7, -3, -1, 0, 1, 4, 6, 7, 9)
    for lower, upper in zip(bounds, bounds[3:] + bounds[:3], strict=True):
        for step in (1, 2, -1, -3, 100):
            run_as_python(bounds_at_run_time, np.zeros(45, dtype=np.int64), a, lower, upper, step)


@clause("DEV-ARR-04")
def test_bounds_of_every_integer_type(target):
    for name in ("int8", "uint8", "uint16", "int64", "uint64"):
        two, five = np.array([2, 5], dtype=name)
        run_as_python(
            bounds_at_run_time, np.zeros(45, dtype=np.int64), np.arange(1, 8), two, five, two
        )


@clause("DEV-ARR-04")
def test_bounds_and_steps_at_the_ends_of_int64_and_uint64(target):
    ends = np.iinfo(np.int64)
    numbers = [np.int64(n) for n in (ends.min, ends.min + 1, ends.max - 1, ends.max)]
    numbers += [np.int64(3)]
    a = np.arange(1, 8)
    for lower in numbers:
        for upper in numbers:
            for step in (np.int64(2), np.int64(-2), ends.max, np.int64(-ends.max)):
                run_as_python(
                    bounds_at_run_time, np.zeros(45, np.int64), a, lower, upper, np.int64(step)
                )
    beyond = [np.uint64(n) for n in (2**63 - 1, 2**63, 2**63 + 5, 2**64 - 1, 3)]
    for lower in beyond:
        for upper in beyond:
            run_as_python(bounds_at_run_time, np.zeros(45, np.int64), a, lower, upper, np.uint64(2))


@D.kernel
def other_shapes(out, a, n, m):
    out[0] = len(a.reshape(n, -1))
    out[1] = a.reshape(n, m)[n - 1, m - 1]


@D.kernel
def wider(out, a):
    out[0] = a.view(D.float64).size


@clause("DEV-ARR-15", partial="at run time")
def test_shapes_of_another_size_fail_at_run_time(target):
    a = np.arange(8)
    for n in (1, 2, 4, 8):
        run_as_python(other_shapes, np.zeros(2), a, n, 8 // n)
    for n, m in ((3, 3), (-2, -4), (0, 1), (-1, 8), (1000, 100_000), (3, 2)):
        with pytest.raises(ValueError, match="cannot be reshaped into a shape of another size"):
            run(other_shapes, np.zeros(2), a, n, m)
    out = np.zeros(1)
    run(wider, out, np.zeros(4, np.float32))
    assert out[0] == 2
    with pytest.raises(ValueError, match="no whole number of elements"):
        run(wider, out, np.zeros(3, np.float32))


def test_a_step_of_zero_at_run_time_fails(target):
    with pytest.raises(ValueError, match="slice step cannot be zero"):
        run(bounds_at_run_time, np.zeros(45, dtype=np.int64), np.arange(7), 0, 7, 0)


@D.kernel
def stores_through_views(a, b, i):
    s = a[1::2]
    s[0] = 7
    s[-1] += 2
    row = b[i]
    row[1] = a[0]
    row[::2][1] = 9
    column = b[:, 0]
    column[-1] = 5
    b[::-1, ::-1][0, 0] = 3
    b.T[2, 1] *= 4


@clause("DEV-ARR-04", "DEV-ARR-10")
def test_a_store_through_a_view_changes_the_array(target):
    run_as_python(stores_through_views, np.arange(9.0), np.arange(20.0).reshape(4, 5), 2)


# --- ellipsis, new axes, the empty index ---


@D.kernel
def new_axes(out, a, b, zero):
    n = a[None, :]
    m = a[:, None]
    out[0] = n.shape[0] * 100 + n.shape[1] * 10 + n[0, 3]
    out[1] = m.shape[0] * 100 + m.shape[1] * 10 + m[2, 0]
    out[2] = n.strides[0] + n.strides[1] + 3 * m.strides[0] + 5 * m.strides[1]
    out[3] = b[..., 0][1, 2] + b[0, ...][1, 1] + b[1, ..., 2][0] + b[...][1, 1, 1]
    out[4] = b[..., 1:, None, 0][1, 0, 0] + b[None][0, 1, 2, 3] + b[None, ..., None].ndim
    out[5] = b[..., 1, 2, 3] if b.ndim == 3 else 0
    out[6] = zero[()] + zero[...][()] + zero[None][0] + zero[None, None][-1, -1]
    zero[()] = 4
    zero[...] = zero[()] + 1
    zero[None][0] += 2
    b[..., 0, 0] = 1
    a[..., 0] = 8
    a[...] += 1


@clause("DEV-ARR-06")
def test_new_axes_ellipses_and_the_empty_index(target):
    b = np.arange(24).reshape(2, 3, 4)
    run_as_python(new_axes, np.zeros(7, dtype=np.int64), np.arange(4), b, np.array(3))


# --- variables, helpers ---


def total(row):
    s = row[0]
    for k in range(1, row.size):
        s += row[k]
    return s


def part(a, first):
    return a[first:, 1:]


@D.kernel
def views_as_variables(out, a, n):
    row = a[0]
    for y in range(a.shape[0]):
        out[y] = total(row) + row[-1]
        row = a[-1 - y]
    rest = a
    k = 10
    while rest.shape[0] > 1:
        out[k] = rest[0, 0] + rest.shape[0]
        rest = rest[1:]
        k += 1
    ends = a[:2] if n > 2 else a[1:]
    out[20] = ends[0, 1] + len(ends)
    inner = part(a, n)
    out[21] = inner[0, 0] + inner.shape[0] * 10 + inner.shape[1]
    pair = a[n], a[:, n]
    out[22] = pair[0][1] + pair[1][1]
    out[23] = total(part(a.T, 1)[0]) + total(a[::2, n])


@clause("DEV-ARR-04")
@pytest.mark.parametrize("n", [2, 3])
def test_views_are_variables(target, n):
    run_as_python(views_as_variables, np.zeros(24), np.arange(30.0).reshape(5, 6), n)


@D.kernel
def many_threads(out, a, b):
    x, y = D.tid(2)
    inner = out[1:-1, 1:-1]
    if y < inner.shape[0] and x < inner.shape[1]:
        row = a[y + 1]
        up, down = a[y], a[2:][y]
        inner[y, x] = row[x + 1] * 4 - row[x] - row[2:][x] - up[x + 1] - down[1:][x]
        b.T[x, y] = a[::-1, ::-1][y, x]


@clause("DEV-ARR-04")
def test_views_in_many_threads(target):
    a = np.random.default_rng(1).integers(0, 100, (19, 41)).astype(np.float32)
    out, b = np.zeros_like(a), np.zeros_like(a)
    run(many_threads, out, a, b, grid=(2, 5), block=(32, 4))
    expected = np.zeros_like(a)
    neighbours = a[1:-1, :-2] + a[1:-1, 2:] + a[:-2, 1:-1] + a[2:, 1:-1]
    expected[1:-1, 1:-1] = a[1:-1, 1:-1] * 4 - neighbours
    assert np.array_equal(out, expected)
    assert np.array_equal(b[:17, :39], a[::-1, ::-1][:17, :39])


@D.struct
class Point:
    """Two numbers."""

    x: D.float32
    y: D.float32


@D.kernel
def numbered(points, vectors):
    for i in range(points.shape[0]):
        for k in range(points.shape[1]):
            points[i, k] = Point(D.float32(i * 4 + k), 100)
    numbers = vectors.view(D.float32)
    for k in range(numbers.size):
        numbers[k] = k


@D.kernel
def views_of_records(out, points, vectors):
    s = 0.0
    for row in points[1:, ::2]:
        for p in row:
            s += p.x + p.y
    out[0] = s
    out[1] = points[1:, ::2][0][1].x
    points.T[1, 1].y = 7
    points[0] = points[1]
    points[..., -1:] = points[-1, 0]
    numbers = vectors.view(D.float32)
    out[2] = vectors[::-1][0].x + numbers.reshape(-1, 4)[1, 2]
    vectors[:2] = vectors[2]
    vectors[1:] = vectors[:-1]
    out[3] = numbers.view(D.float32x2)[3].y


@clause("DEV-ARR-04", "DEV-ARR-12")
def test_views_of_structs_and_vectors(target):
    points, vectors = D.zeros((3, 4), dtype=Point), D.zeros(6, dtype=D.float32x4)
    out = np.zeros(4)
    run(numbered, points, vectors)
    run(views_of_records, out, points, vectors)
    assert out.tolist() == [428, 6, 26, 11]
    points, vectors = D.to_host(points), D.to_host(vectors)
    assert points["x"].tolist() == [[4, 5, 6, 8], [4, 5, 6, 8], [8, 9, 10, 8]]
    assert points["y"].tolist() == [[100, 7, 100, 100], [100, 7, 100, 100], [100] * 4]
    assert vectors.view(np.float32).reshape(6, 4)[:, 0].tolist() == [8, 8, 8, 8, 12, 16]


@D.kernel
def stores_to_fields_through_views(points, boxes):
    boxes["low"][1][2] = 5
    boxes["at"][0].x = 7
    boxes["at"][1:][0].y += 2
    boxes[1:]["low"] = 3
    boxes[1:]["low"] -= 1
    points[1][2].x = 9
    points[1:][0][3].y *= 2
    points[2][0] = Point(11, 12)
    points[:1]["x"][0, 1] = 6
    points["x"][2][1:] = 8


@clause("DEV-ARR-04", "DEV-STRUCT-12")
def test_fields_are_stored_through_views(target):
    box = np.dtype([("low", "<i2", (4,)), ("at", [("x", "<f4"), ("y", "<f4")])])
    boxes, points = np.zeros(3, box), D.zeros((3, 4), dtype=Point)
    points = np.ones((3, 4), D.to_host(points).dtype)
    expected, corners = boxes.copy(), points.copy()
    expected["low"][1:] = 2
    expected["at"]["x"][0], expected["at"]["y"][1] = 7, 2
    corners["x"][1, 2], corners["y"][1, 3] = 9, 2
    corners[2, 0] = (11, 12)
    corners["x"][0, 1] = 6
    corners["x"][2, 1:] = 8
    run(stores_to_fields_through_views, points, boxes)
    assert boxes.tobytes() == expected.tobytes()
    assert points.tobytes() == corners.tobytes()


# --- attributes ---


@D.kernel
def attributes_of_views(out, a):
    t = a.T
    out[0] = t.shape[0]
    out[1] = t.shape[1]
    out[2] = t.strides[0]
    out[3] = t.strides[1]
    s = a[1::2, ::-1]
    out[4] = s.shape[0]
    out[5] = s.shape[1]
    out[6] = s.strides[0]
    out[7] = s.strides[1]
    out[8] = s.size
    out[9] = s.ndim
    out[10] = len(a[0])
    out[11] = len(a[:, 0])
    out[12] = t[1, 0]
    if t.dtype == D.float64 and s.dtype == a.dtype and a[0].dtype == D.float64:
        out[13] = 1


@clause("DEV-ARR-10")
@pytest.mark.parametrize("name", MATRICES)
def test_attributes_of_views(target, name):
    a = layouts()[name].astype(np.float64, copy=False)
    out = np.zeros(14, dtype=np.int64)
    run(attributes_of_views, out, a)
    s = a[1::2, ::-1]
    expected = [*a.T.shape, *a.T.strides, *s.shape, *s.strides, s.size, 2, a.shape[1], a.shape[0]]
    assert out.tolist() == [*expected, a[0, 1], 1]


# --- view(dtype) ---


@D.kernel
def views_of_bits(out, a, b):
    out[0] = a.view(D.uint32)[1]
    out[1] = a.view()[2]
    out[2] = a.view(D.uint64)[1] >> 32
    out[3] = a.view("u1")[7]
    out[4] = a.view(dtype=D.int16).size
    out[5] = a[1:5].view(D.int16)[3]
    out[6] = b.view(D.int32)[1, 2]
    out[7] = b.view(D.uint8)[1, 5]
    out[8] = b[1].view("u8").size * 10 + b[:, ::-1].view(D.uint32)[0, 0]
    words = b.view(D.uint8)[1:, 4:8].view(D.uint32)
    words[0, 0] = 0x40490FDB
    a.view(D.uint32)[0] = 0x3F800000
    a[3:].view(D.int32)[::2][1] = 1
    out[9] = b.T.view(D.int32)[2, 1]
    out[10] = a.view(D.uint32).view(D.float32)[2]
    out[11] = a.view(D.int32)[1::2][0] + a.view(D.int16).reshape(-1, 2)[1, 1]
    out[12] = b.view(D.int16).reshape(-1)[9] + b[1:].view("u1").reshape(4, -1).size


@clause("DEV-ARR-12")
def test_views_of_the_bits_of_arguments(target):
    a = np.array([0.5, -1.25, 3, 1e30, 7, 9], dtype=np.float32)
    b = np.arange(8, dtype=np.float32).reshape(2, 4)
    out = np.zeros(13, dtype=np.int64)
    expected_a, expected_b = a.copy(), b.copy()
    expected_b.view(np.uint8)[1:, 4:8].view(np.uint32)[0, 0] = 0x40490FDB
    expected_a.view(np.uint32)[0] = 0x3F800000
    expected_a[3:].view(np.int32)[::2][1] = 1
    expected = [
        a.view("u4")[1],
        3,
        a.view("u8")[1] >> 32,
        a.view("u1")[7],
        12,
        a[1:5].view("i2")[3],
        b.view("i4")[1, 2],
        b.view("u1")[1, 5],
        20 + b[:, ::-1].view("u4")[0, 0],
        expected_b.T.view("i4")[2, 1],
        3,
        a.view("i4")[1] + np.int64(a.view("i2")[3]),
        b.view("i2").reshape(-1)[9] + 16,
    ]
    run(views_of_bits, out, a, b)
    assert out.tolist() == [int(e) for e in expected]
    assert np.array_equal(a.view("u4"), expected_a.view("u4"))
    assert np.array_equal(b.view("u4"), expected_b.view("u4"))


# --- reshape ---


@D.kernel
def shapes(out, a, b, c, n):
    out[0] = a.reshape(3, 4)[1, 2]
    out[1] = a.reshape((-1, 2))[4, 1]
    out[2] = a.reshape(n, -1)[-1, -2] + a.reshape(n, -1).shape[1] * 1000
    out[3] = a.reshape(2, n, 2)[1][1, 0] + a.reshape(2, n, 2)[1].strides[0] * 1000
    out[4] = b.reshape(-1)[7] + b.reshape(b.size).size * 1000
    out[5] = b[1].reshape(2, 3)[1, 1]
    out[6] = b[1:3].reshape(-1, 4)[1, 0]
    out[7] = a[::2].reshape(2, 3)[1, 1] + a[::-1].reshape(3, -1)[0, 1]
    out[8] = b.reshape(2, -1).reshape(-1)[5] + b.reshape(-1).reshape(n, -1)[1, 1]
    out[9] = a[None].reshape((4, 3), copy=False)[2, 1]
    out[10] = a.reshape(3, 4).T[1, 2] + a.reshape(3, 4)[::-1, 1:][0, 0]
    a.reshape(6, 2)[2, 1] = 50
    b.reshape(-1)[3] = 60
    b.reshape(-1, 2, order="C")[-1] = 70
    square = a.reshape(n, 4)
    for y in range(n):
        square[y, y] += 1
    c.reshape(1, -1)[0, 1] = c[0:1].reshape(())[()]
    out[11] = a.reshape(3, 4)[1:].size


@clause("DEV-ARR-14")
def test_reshape_without_a_copy(target):
    arguments = [np.zeros(12, dtype=np.int64), np.arange(12), np.arange(24).reshape(4, 6)]
    arguments += [np.arange(5)[::2], 3]
    run_as_python(shapes, *arguments)


@D.kernel
def shapes_in_many_threads(out, a, w):
    x, y = D.tid(2)
    m = a.reshape(-1, w)
    o = out.reshape(m.shape)
    if y < m.shape[0] and x < m.shape[1]:
        o[y, x] = m[y, x] * 2 + m.T[x, y]


@clause("DEV-ARR-14")
def test_reshape_in_many_threads(target):
    a = np.arange(35 * 7, dtype=np.float32)
    for given in (a, a.reshape(5, 49), np.repeat(a, 2)[::2]):
        out = np.zeros_like(a)
        run(shapes_in_many_threads, out, given, 35, grid=(2, 2), block=(32, 4))
        assert np.array_equal(out, a * 3)


# --- astype ---


@D.kernel
def same_types(out, a, n):
    same = a.astype(D.float32, copy=False)
    same[n] = 5
    out[0] = a[1:].astype("f4", copy=False)[0] + a.astype(dtype=a.dtype, copy=False).size


@clause("DEV-ARR-16")
def test_astype_of_the_same_type_is_the_array(target):
    a, out = np.zeros(4, dtype=np.float32), np.zeros(1)
    run(same_types, out, a, 1)
    assert a.tolist() == [0, 5, 0, 0]
    assert out.tolist() == [9]
