"""Vectors in kernels (DEV-VEC, DEV-POS-01), compared with host objects and with NumPy."""

# ruff: noqa: B905, SIM108, SIM113

import functools

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run, run_as_host

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float8e4m3", "float8e5m2", "float16", "bfloat16", "float32", "float64"]
LANES = (1, 2, 3, 4)


def vector_type(number, lanes):
    return getattr(D, f"{number}x{lanes}")


def zeros(n=64):
    return np.zeros(n)


def pages(*shape, dtype):
    return D.zeros(shape, dtype=dtype, device="cpu")


def filled(array):
    """An array of vectors with different components, small ones."""
    columns = [array[name] for name in array.dtype.names]
    for i in range(array.size):
        for c, column in enumerate(columns):
            column.flat[i] = (7 * i + 3 * c) % 11 + 1
    return array


# --- the 56 types ---


@functools.cache
def kernel_of(number):
    """All that one format needs: its four types as arguments, elements and values."""
    one, two, three = (vector_type(number, lanes) for lanes in (1, 2, 3))
    scalar = getattr(D, number)

    @D.kernel
    def components(out, a, b, c, d, v, at):
        i = D.tid(1)
        if i >= a.shape[0]:
            return
        p, q, r, s = a[i], b[i], c[i], d[i]
        k = 0
        for w in (p, q, r, s):
            for e in w:
                out[i, k] = float(e)
                k += 1
        out[i, 10] = float(p.x) + float(q.y) * 16 + float(r.z) * 256 + float(s.w) * 4096
        out[i, 11] = float(p[0]) + float(q[-1]) * 16 + float(r[1]) * 256 + float(s[at[0]]) * 4096
        out[i, 12] = p.size + q.size * 10 + len(r) * 100 + len(s) * 1000
        out[i, 13] = (p.dtype == scalar) + 2 * (s.dtype == scalar) + 4 * (r.z.dtype == scalar)
        a[i] = one(v.w)
        b[i] = two(v.z, 2)
        c[i] = three(s[at[0]], i % 2, v[at[1]])
        s[at[1]] = v.y
        s[0] = 5
        d[i] = s
        d[i].z = 7

    return components


@clause("DEV-VEC-02", "DEV-VEC-05", "DEV-VEC-06", "DEV-VEC-07", "DEV-VEC-10", "DEV-VEC-12")
@clause("DEV-VEC-15", "DEV-VEC-16", "DEV-VEC-18")
@clause("DEV-VEC-03", partial="interoperable calls")
@pytest.mark.parametrize("number", [*INTEGERS, *FLOATS])
def test_each_type_as_argument_element_and_value(target, number):
    n = 37
    arrays = [filled(pages(n, dtype=vector_type(number, lanes))) for lanes in LANES]
    before = [a.copy() for a in arrays]
    out, at = np.zeros((n, 14)), np.array([-1, 2], np.int32)
    run(kernel_of(number), out, *arrays, vector_type(number, 4)(3, 4, 5, 6), at, grid=2, block=32)
    components = [a[name].astype(float) for a in before for name in a.dtype.names]
    assert np.array_equal(out[:, :10].T, components)
    last = np.array([b[b.dtype.names[-1]].astype(float) for b in before])
    assert np.array_equal(out[:, 10], last.T @ [1, 16, 256, 4096])
    middle = before[2]["y"].astype(float)
    assert np.array_equal(out[:, 11], last[0] + 16 * last[1] + 256 * middle + 4096 * last[3])
    assert (out[:, 12] == 4321).all()
    assert (out[:, 13] == 7).all()
    found = [[a[name].astype(float) for name in a.dtype.names] for a in arrays]
    everywhere = np.ones(n)
    assert np.array_equal(found[0], [6 * everywhere])
    assert np.array_equal(found[1], [5 * everywhere, 2 * everywhere])
    assert np.array_equal(found[2], [last[3], np.arange(n) % 2, 5 * everywhere])
    unchanged = before[3]["y"].astype(float), last[3]
    assert np.array_equal(found[3], [5 * everywhere, unchanged[0], 7 * everywhere, unchanged[1]])


# --- values ---


@D.func
def reversed_components(v):
    a, b, c = v
    return D.float32x3(c, b, a)


@D.func
def returned_early(v, n):
    if n > 2:
        return v
    if n > 1:
        return v * 2
    return D.float32x3(n, 0, v.z)


@D.kernel
def values(out, v, w, n, at):
    out[0] = reversed_components(v).x
    x, y, z = v
    out[1] = x + y * 10 + z * 100
    first, *others = v
    out[2] = first + len(others) * 10 + others[1] * 100
    out[3] = sum(v) + max(v) * 100 + min(w) * 1000
    t = tuple(w)
    out[4] = t[0] + t[-1] * 10 + len(t + tuple(v)) * 100
    out[5] = len(D.float32x3(n, n, n)) + w.size * 10
    k = 6
    for e in v:
        out[k] = e
        k += 1
    for i, (p, q) in enumerate(zip(v, w)):
        out[k] = p * q + i
        k += 1
    u = v if n > 2 else w * 0.5
    out[k] = u.y
    if n > 1:
        u = -u
    else:
        u = D.float32x3(1, n, 3)
    out[k + 1] = u.z
    for j in range(3):
        u[at[j]] = u[at[j]] + j
        u += v
    out[k + 2] = u.x + u.y * 10 + u.z * 100
    out[k + 3] = returned_early(v, n).x + returned_early(v, n).y * 10
    pair = (v, (n, w))
    out[k + 4] = pair[0].z + pair[1][1].x * 10
    for pair in ((v, 1), (u, 2)):
        out[k + 4] += pair[0][pair[1]]
    out[k + 5] = (v == v) + 2 * (v == w) + 4 * (v != w) + 8 * (w == D.float32x3(4, 5, 6))
    out[k + 6] = n in w
    while n < 4:
        u[n % 3] = n
        n += 1
        if n == 3:
            continue
        u = u * 0.5 + w
    out[k + 7] = u[0] + u[1] * 10 + u[2] * 100
    u[0], u[1] = u[1], u[0]
    u[-1] += 3
    out[k + 8] = u[0] + u[1] * 10 + u[2] * 100
    out[k + 9] = isinstance(u, D.float32x3) + 2 * isinstance(w, (D.float32x3, D.Vector))
    out[k + 9] += 4 * isinstance(w, D.uint32x3) + 8 * isinstance(n, D.Vector)


@clause("DEV-VEC-05", "DEV-VEC-07", "DEV-VEC-10", "DEV-VEC-12", "DEV-VEC-15", "DEV-VEC-16")
@clause("DEV-VEC-18")
@pytest.mark.parametrize("n", [1, 2, 3])
def test_values(target, n):
    v, w = D.float32x3(1, 2.5, 4), D.int32x3(4, 5, 6)
    run_as_host(values, zeros(), v, w, n, np.array([2, 0, -1]))


@D.func
def changed(v, i):
    v[i] = 100
    return v


@D.kernel
def aliases(out, v, at):
    w = v
    w[0] = 9
    out[0] = v.x + w.x * 100
    w = v
    w += 1
    out[1] = v.y + w.y * 100
    w = changed(v, 1)
    out[2] = v.y + w.y * 100
    t = (v, v)
    w = t[0]
    w[at[0]] = 50
    out[3] = v.z + w.z * 100 + t[1].z * 10000
    for w in (v, v):
        w[0] = 7
        out[4] += v.x + w.x * 100
    u = D.float32x3(0, 0, 0)
    out[5] = u.x
    for i in range(3):
        previous = u
        u[i] = i + 1
        out[5] += u[i] * 10 + previous[i]


@clause("DEV-VEC-04", "DEV-VEC-12")
def test_a_changed_vector_leaves_others_alone(target):
    out = zeros(6)
    run(aliases, out, D.float32x3(1, 2, 3), np.array([2]))
    assert out.tolist() == [901, 302, 10002, 35003, 1402, 60]


@D.kernel
def sizes(out, v):
    a = D.local_array(v.size, D.int32)
    b = D.local_array((len(v), D.int8x2(1, 2).size), D.int32)
    out[0] = a.shape[0] + b.shape[0] * 10 + b.shape[1] * 100


@clause("DEV-VEC-05")
def test_sizes_are_constant_expressions(target):
    out = zeros(1)
    run(sizes, out, D.uint8x3(1, 2, 3))
    assert out[0] == 233


TABLE = D.int32x4(5, 6, 7, 8)


@D.kernel
def constants(out, i):
    out[0] = TABLE.y + TABLE[i] * 10
    out[1] = (TABLE * 2)[i]
    scaled = TABLE / 2
    out[2] = scaled.x


def test_global_vectors_are_constants(target):
    run_as_host(constants, zeros(3), 2)


# --- memory ---


@D.kernel
def in_memory(a, b, out, n):
    i = D.tid(1)
    tile = D.shared_array(32, D.float32x4)
    mine = D.local_array((2, 2), D.int16x3)
    tile[D.thread_idx.x] = a[i % n] * 2
    mine[0, 0] = D.int16x3(i, 1, 2)
    mine[i % 2, 1] = mine[0, 0] + 10
    mine[i % 2, 1].y = -i
    mine[0, 0][1] = 30
    D.syncthreads()
    other = tile[31 - D.thread_idx.x]
    tail = mine[i % 2, 1]
    if i < n:
        out[i] = other.x + other.w * 100 + tail.x + tail.y + mine[0, 0].y
        b[i, 0] = other
        b[i, 1].z = a[i].x
        b[i, 1]["w"] += 0.5
        b[i, 1][0] = i


@clause("DEV-VEC-18", "DEV-VEC-04")
def test_elements_of_every_memory(target):
    n = 32
    a, b, out = filled(pages(n, dtype=D.float32x4)), pages(n, 2, dtype=D.float32x4), zeros(n)
    run(in_memory, a, b, out, n, block=32)
    i, other = np.arange(n), a[::-1]
    assert np.array_equal(out, 2 * other["x"] + 200 * other["w"] + i + 10 - i + 30)
    for name in "xyzw":
        assert np.array_equal(b[:, 0][name], 2 * other[name])
    assert np.array_equal(b[:, 1]["x"], i)
    assert np.array_equal(b[:, 1]["z"], a["x"])
    assert (b[:, 1]["y"] == 0).all()
    assert (b[:, 1]["w"] == 0.5).all()


@D.kernel
def copied(target, source):
    i, j = D.tid(2)
    if i < source.shape[0] and j < source.shape[1]:
        v = source[i, j]
        target[i, j] = v + v.y
        target[-1, j].x = source[0, j][1]


@clause("DEV-VEC-18")
@pytest.mark.parametrize("kind", [D.float32x4, D.uint8x3, D.float64x2])
def test_elements_of_views(target, kind):
    whole, result = filled(pages(10, 12, dtype=kind)), pages(9, 24, dtype=kind)
    source = whole[::-2, 1:-1]
    source.flags.writeable = False
    into = result[5:0:-1, ::2][:, :10]
    run(copied, into, source, grid=(2, 2), block=(4, 8))
    for name in kind.numpy_dtype.names:
        expected = source[name] + source["y"]
        if name == "x":
            expected[-1] = source["y"][0]
        assert np.array_equal(into[name], expected)
    assert not result[:, 1::2].tobytes().strip(b"\0")


# --- arithmetic ---


@D.kernel
def integer_operators(out, wide, kinds, a, b, k):
    n = 0
    for r in (a + b, a - b, a * b, a // b, a % b, a & b, a | b, a ^ b, a << k, a >> k, ~a, -a, +a):
        for e in r:
            wide[n] = e
            n += 1
    for r in (a + k, k - a, a * k, a // k, k % a, abs(b), a + True):
        for e in r:
            wide[n] = e
            n += 1
    n = 0
    for r in (a / b, a / k, a * 0.5, 2.0 - b, a + D.float64(0.25), a**2, a // 2.0):
        for e in r:
            out[n] = e
            n += 1
    n = 0
    for r in (a + b, a * b, a // b, a & b, a << k, -a, a + k, a + True):
        kinds[n] = (
            (r.x.dtype == r.dtype)
            + 2 * (r.dtype == a.dtype)
            + 4 * (r.dtype == b.dtype)
            + 8 * (r.dtype == D.int16)
        )
        kinds[n] += 16 * (r.dtype == D.int32) + 32 * (r.dtype == D.int64)
        n += 1


PAIRS = [("int8", "int8"), ("int8", "uint8"), ("uint16", "int32"), ("int32", "uint32")]
PAIRS += [("uint32", "uint32"), ("int64", "uint8"), ("uint64", "uint64")]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_operators_of_integers(target, left, right):
    a, b = vector_type(left, 3)(7, 100, 13), vector_type(right, 3)(3, 5, 100)
    wide = np.zeros(64, "uint64" if left == "uint64" else "int64")
    kinds = np.zeros(8, np.int64)
    run_as_host(integer_operators, zeros(), wide, kinds, a, b, 3)


@D.kernel
def signed_operators(wide, a, b):
    n = 0
    for r in (a // b, a % b, a >> 1, abs(a), -a, a * b, (a // b) * b + a % b, a // 0, a % 0):
        for e in r:
            wide[n] = e
            n += 1


@pytest.mark.parametrize("number", ["int8", "int32", "int64"])
def test_operators_of_negative_integers(target, number):
    least = np.iinfo(number).min
    a, b = vector_type(number, 4)(-7, 7, -7, least), vector_type(number, 4)(2, -2, -3, -1)
    run_as_host(signed_operators, np.zeros(64, np.int64), a, b)


@D.kernel(fmad=False)
def float_operators(out, a, b, k):
    n = 0
    for r in (a + b, a - b, a * b, a / b, -a, +a, abs(a), a**2, a * 3, k - a, a / k, *divmod(a, b)):
        for e in r:
            out[n] = e
            n += 1
    out[n] = ((a + b).dtype == a.dtype) + 2 * ((a * k).dtype == a.dtype)


FLOAT_PAIRS = [("float32", "float32"), ("float64", "float32"), ("float16", "bfloat16")]
FLOAT_PAIRS += [("float16", "float16"), ("bfloat16", "bfloat16"), ("float32", "int32")]
FLOAT_PAIRS += [("float8e4m3", "float8e4m3"), ("float16", "int64")]


@pytest.mark.parametrize(("left", "right"), FLOAT_PAIRS)
def test_operators_of_floats(target, left, right):
    a, b = vector_type(left, 3)(-7.5, 0.1, 3), vector_type(right, 3)(2, -3, 1.5)
    run_as_host(float_operators, zeros(), a, b, 2.5)


def test_components_are_contracted_as_scalars_are(target):
    @D.kernel
    def fused(out, v, w, a):
        out[0] = v * a + w

    out = pages(1, dtype=D.float32x2)
    v, w, a = D.float32x2(1 + 2**-12, 3), D.float32x2(-1, 1), 1 + 2**-12
    run(fused, out, v, w, a)
    assert out[0].x == np.float32(2**-11 + 2**-24)
    run(D.kernel(fmad=False)(fused.underlying), out, v, w, a)
    assert out[0].x == np.float32(2**-11)


# --- positions ---


@D.kernel
def positions(out, same, shape):
    i, j = D.tid(2)
    x, y, z = D.thread_idx
    where = D.block_idx * D.block_dim + D.thread_idx
    total = D.grid_dim * D.block_dim
    out[i, j] = where[0] + where.y * 100
    out[i, j] += ((D.thread_idx.x == x) + 2 * (D.thread_idx[1] == y) + 4 * (z == 0)) * 10000
    out[i, j] += ((total == shape) + 2 * (where.dtype == D.uint32)) * 100000
    same[i, j] = (D.thread_idx == D.block_idx) + 2 * (where == D.uint32x3(i, j, 0))
    k = 0
    for n in D.block_dim:
        k = k * 10 + n
    out[i, j] += k * 1000000


@clause("DEV-POS-01")
def test_positions_are_vectors(target):
    out, same = np.zeros((6, 8)), np.zeros((6, 8))
    run(positions, out, same, D.uint32x3(6, 8, 1), grid=(3, 2), block=(2, 4))
    i, j = np.indices(out.shape)
    assert np.array_equal(out, i + 100 * j + 70000 + 300000 + 241000000)
    assert np.array_equal(same, 2 + ((i % 2 == i // 2) & (j % 4 == j // 4)))


@D.kernel
def shaped(out, shape):
    out[0] = shape.x + shape[1] * 10 + shape.z * 100
    out[1] = (shape == D.block_dim) + len(shape) * 10


@clause("DEV-POS-01")
def test_dim3_as_an_argument(target):
    out = zeros(2)
    run(shaped, out, D.Dim3(4, 2, 1))
    assert out.tolist() == [124, 30]
