"""Fields of arrays of structs as arrays, and elements of such fields by indices at run time."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run

PLAIN = np.dtype([("x", "f4"), ("v", "i4", (5,)), ("m", "f8", (2, 3)), ("n", "u2")], align=True)
PACKED = np.dtype([("n", "u1"), ("x", "f4"), ("v", "i4", (5,)), ("m", "f8", (2, 3))])
INNER = np.dtype([("a", "i2"), ("b", "f4")], align=True)
NESTED = np.dtype([("s", INNER, (4,)), ("k", "i4")], align=True)


@D.struct
class Particle:
    mass: D.float64
    p: D.float32x4
    id: int


def filled(dtype, shape, seed=0):
    """Numbers that every format holds, and other ones in the padding."""
    rng = np.random.default_rng(seed)
    array = np.zeros(shape, dtype)
    array.view(np.uint8)[...] = 0xA5

    def fill(part):
        if part.dtype.names:
            for name in part.dtype.names:
                fill(part[name])
        else:
            part[...] = rng.integers(0, 100, part.shape)

    fill(array)
    return array


def copy_of(array):
    """With its padding, which NumPy's copies leave out."""
    return array.view(np.uint8).copy().view(array.dtype)


@D.kernel
def reads(out, a, k, j):
    i = D.tid(1)
    if i < a.size:
        out[0, i] = a["x"][i]
        out[1, i] = a["v"][i, k]
        out[2, i] = a[i].v[k]
        out[3, i] = a[i]["v"][-1 - k]
        out[4, i] = a["m"][i, j, k % 3]
        out[5, i] = a[i]["m"][j, k % 3]
        out[6, i] = a[i].m[-j, 1]
        out[7, i] = a[2:]["x"][0] + a["x"][::-1][i]
        out[8, i] = len(a["x"]) + a["v"].shape[1] * 10 + a["m"].ndim * 100
        total = 0
        for v in a["v"][i]:
            total += v
        out[9, i] = total
        r = a[i]
        out[10, i] = r.v[k] + r.m[j, k % 3]


def expected_reads(a, k, j):
    x, v, m = a["x"].astype(float), a["v"].astype(float), a["m"]
    return np.array(
        [
            x,
            v[:, k],
            v[:, k],
            v[:, -1 - k],
            m[:, j, k % 3],
            m[:, j, k % 3],
            m[:, -j, 1],
            x[2] + x[::-1],
            np.full(len(a), len(a) + 50 + 300),
            v.sum(1),
            v[:, k] + m[:, j, k % 3],
        ]
    )


@pytest.mark.parametrize("dtype", [PLAIN, PACKED], ids=["aligned", "packed"])
def test_fields_of_arrays_are_read(target, dtype):
    for n, k, j in ((37, 3, 1), (70, 0, 0)):
        a = filled(dtype, n)
        out = np.zeros((11, n))
        run(reads, out, a, k, j, grid=4, block=32)
        assert np.array_equal(out, expected_reads(a, k, j))
    # elements that lie apart
    a = filled(dtype, 80)[::2]
    out = np.zeros((11, 40))
    run(reads, out, a, 2, 1, grid=4, block=32)
    assert np.array_equal(out, expected_reads(a, 2, 1))


@D.kernel
def writes(a, k):
    i = D.tid(1)
    if i < a.size:
        a["x"][i] = i + 0.5
        a[i].v[k] = i
        a[i]["v"][-1 - k] += 1000
        a[i].m[i % 2, k % 3] = -i
        a["m"][i, 1 - i % 2] = i * 2
        a["v"][i, 2:3] = 77


def write_on_host(a, k):
    for i in range(len(a)):
        a["x"][i] = i + 0.5
        a["v"][i, k] = i
        a["v"][i, -1 - k] += 1000
        a["m"][i, i % 2, k % 3] = -i
        a["m"][i, 1 - i % 2] = i * 2
        a["v"][i, 2:3] = 77


@pytest.mark.parametrize("dtype", [PLAIN, PACKED], ids=["aligned", "packed"])
def test_fields_of_arrays_are_written_and_nothing_else_is(target, dtype):
    for n, k in ((37, 1), (66, 4)):
        a = filled(dtype, n)
        expected = copy_of(a)
        write_on_host(expected, k)
        run(writes, a, k, grid=3, block=32)
        assert a.tobytes() == expected.tobytes()


@D.kernel
def nested(out, a, k):
    i = D.tid(1)
    if i < a.size:
        out[0, i] = a[i].s[k].b
        out[1, i] = a["s"]["a"][i, k]
        out[2, i] = a["s"][i, k].a
        a[i].s[k].a = i
        a["s"]["b"][i, (k + 1) % 4] = 2 * i
        r = a[i]
        out[3, i] = r.s[(k + 1) % 4].b + r.s[k].a


def test_sub_arrays_of_structs(target):
    a = filled(NESTED, 50)
    expected = copy_of(a)
    out = np.zeros((4, 50))
    run(nested, out, a, 2, grid=2, block=32)
    i = np.arange(50)
    assert np.array_equal(out[0], expected["s"]["b"][:, 2])
    assert np.array_equal(out[1], expected["s"]["a"][:, 2])
    assert np.array_equal(out[2], expected["s"]["a"][:, 2])
    assert np.array_equal(out[3], 2 * i + i)
    expected["s"]["a"][:, 2] = i
    expected["s"]["b"][:, 3] = 2 * i
    assert a.tobytes() == expected.tobytes()


@D.kernel
def vectors_and_structs(out, particles, vectors, k):
    i = D.tid(1)
    if i < particles.size:
        out[0, i] = particles["mass"][i]
        out[1, i] = particles[i].p[k]
        out[2, i] = vectors[i][k]
        particles[i].p[k] = i
        vectors[i][k] += 2 * i
        particles["id"][i] = i
        out[3, i] = particles["p"][i].x


def test_vectors_in_memory_take_indices_at_run_time(target):
    n = 40
    particles = np.zeros(n, Particle.numpy_dtype)
    particles["mass"] = np.arange(n) / 4
    for k, axis in enumerate("xyzw"):
        particles["p"][axis] = np.arange(n) * (k + 1)
    vectors = np.zeros(n, D.int32x3.numpy_dtype)
    for k, axis in enumerate("xyz"):
        vectors[axis] = np.arange(n) + 100 * k
    kept, kept_vectors = copy_of(particles), copy_of(vectors)
    out = np.zeros((4, n))
    run(vectors_and_structs, out, particles, vectors, 2, grid=2, block=32)
    i = np.arange(n)
    assert np.array_equal(out, [i / 4, i * 3, i + 200, i])
    kept["p"]["z"] = i
    kept["id"] = i
    kept_vectors["z"] += 2 * i.astype(np.int32)
    assert particles.tobytes() == kept.tobytes()
    assert vectors.tobytes() == kept_vectors.tobytes()


@D.kernel
def own_memory(out, k):
    t = int(D.thread_idx.x)
    tile = D.shared_array(32, Particle)
    own = D.local_array(3, Particle)
    tile[t] = Particle(t * D.float64(0.5), D.float32x4(t, t + 1, t + 2, t + 3), t)
    for j in range(3):
        own[j] = Particle(j, D.float32x4(j, j * 2, j * 3, t), j)
    own[k % 3].p[k] = 50 + t
    tile["mass"][t] += 1
    D.syncthreads()
    out[0, t] = tile["mass"][31 - t]
    out[1, t] = tile[31 - t].p[k]
    out[2, t] = own["p"][k % 3].y + own[k % 3].p[k] * 100


def test_fields_of_arrays_of_the_kernels_own(target):
    for k in (1, 3):
        out = np.zeros((3, 32))
        run(own_memory, out, k, block=32)
        t = np.arange(32)
        y = 50 + t if k == 1 else 0 * t
        assert np.array_equal(out, [(31 - t) * 0.5 + 1, 31 - t + k, y + (50 + t) * 100])


@D.func
def following(calls, i):
    calls[i] += 1
    return calls[i]


@D.kernel
def counted(out, calls, a):
    i = D.tid(1)
    out[i] = a[i].v[following(calls, i)]
    a[i].v[following(calls, i)] += 1


def test_an_index_is_evaluated_once(target):
    a = filled(PLAIN, 8)
    expected = a["v"].copy()
    out, calls = np.zeros(8), np.zeros(8, np.int32)
    run(counted, out, calls, a, block=8)
    assert (calls == 2).all()
    assert np.array_equal(out, expected[:, 1])
    expected[:, 2] += 1
    assert np.array_equal(a["v"], expected)


@D.kernel
def reads_parts(out, a, k, j):
    i = D.tid(1)
    if i < a.size:
        row = a[i].m[j]
        out[0, i] = row[k] + len(row) * 100
        out[1, i] = sum(a[i]["m"][1, :])
        out[2, i] = a[i].m[:, k][j]
        out[3, i] = a[i].v[1:4][k]
        out[4, i] = a[i]["v"][::-1][k]
        x, y, z = a[i].m[-1]
        out[5, i] = x + 2 * y + 4 * z
        out[6, i] = a[i].m[..., 1][j] + a[i].m[None, j][0, k] + a[i]["v"][k:][0]
        out[7, i] = a[i].m.ndim if False else a[i].m[:].ndim
        total = 0
        for row in a[i].m:
            for number in row:
                total += number
        out[8, i] = total
        r = a[i]
        out[9, i] = r.m[j][k] + sum(r.m[1]) + r.m[:, k][j] + r.m[0, 1:][-1] + len(r.m) + len(r.m[0])
        out[10, i] = (
            r.m[j, :2][1] + r.m[..., j][0] + r.m[None][0, 1, k] + r.v[1:3][1] + r.m[()][j, 0]
        )


def expected_parts(a, k, j):
    v, m = a["v"].astype(float), a["m"].astype(float)
    return [
        m[:, j, k] + 300,
        m[:, 1].sum(1),
        m[:, j, k],
        v[:, 1:4][:, k],
        v[:, ::-1][:, k],
        m[:, -1] @ [1, 2, 4],
        m[:, j, 1] + m[:, j, k] + v[:, k],
        np.full(len(a), 2),
        m.sum((1, 2)),
        m[:, j, k] + m[:, 1].sum(1) + m[:, j, k] + m[:, 0, 2] + 5,
        m[:, j, 1] + m[:, 0, j] + m[:, 1, k] + v[:, 2] + m[:, j, 0],
    ]


@pytest.mark.parametrize("dtype", [PLAIN, PACKED], ids=["aligned", "packed"])
def test_parts_of_sub_arrays_are_read(target, dtype):
    for n, k, j in ((37, 2, 1), (70, 0, 0)):
        a = filled(dtype, n)
        out = np.zeros((11, n))
        run(reads_parts, out, a, k, j, grid=4, block=32)
        assert np.array_equal(out, expected_parts(a, k, j))


@D.kernel
def writes_parts(a, b, k, j):
    i = D.tid(1)
    if i < a.size:
        a[i].m[j] = 7
        a[i]["v"][:] = b[i].v
        a[i]["m"][1 - j, :] = b[i]["m"][j, ::-1]
        a[i].m[j][k] = i
        a[i].m[:, (k + 1) % 3][j] += 500
        a[i].v[1:3] += k
        a[i].v[3:][0] = -1
        r = b[i]
        b[i].m = 3
        b[i].m += r.m[0, 1]
        b[i].m[0] = r.m[1]
        b[i].m[1, 1:] = r.m[0, :2]


def write_parts_on_host(a, b, k, j):
    for i in range(len(a)):
        a["m"][i, j] = 7
        a["v"][i] = b["v"][i]
        a["m"][i, 1 - j] = b["m"][i, j, ::-1]
        a["m"][i, j, k] = i
        a["m"][i, j, (k + 1) % 3] += 500
        a["v"][i, 1:3] += k
        a["v"][i, 3] = -1
        m = b["m"][i].copy()
        b["m"][i] = 3 + m[0, 1]
        b["m"][i, 0] = m[1]
        b["m"][i, 1, 1:] = m[0, :2]


@pytest.mark.parametrize("dtype", [PLAIN, PACKED], ids=["aligned", "packed"])
def test_parts_of_sub_arrays_are_written_and_nothing_else_is(target, dtype):
    for n, k, j in ((37, 1, 1), (66, 0, 0)):
        a, b = filled(dtype, n), filled(dtype, n, 1)
        expected, expected_b = copy_of(a), copy_of(b)
        write_parts_on_host(expected, expected_b, k, j)
        run(writes_parts, a, b, k, j, grid=3, block=32)
        assert a.tobytes() == expected.tobytes()
        assert b.tobytes() == expected_b.tobytes()


@D.struct
class Tagged:
    pair: tuple[int, int, int]
    mixed: tuple[D.int16, float]


@D.kernel
def parts_in_own_memory(out, a, tagged, k):
    t = int(D.thread_idx.x)
    tile = D.shared_array(32, a.dtype)
    own = D.local_array(2, a.dtype)
    tile[t] = a[t]
    own[0] = a[t]
    own[1] = a[31 - t]
    tile[t].m[k % 2] = t
    own[k % 2].m[:, 1] = own[1 - k % 2].m[:, 0]
    own[0].s[1:]["a"] = 5
    own[0].s[k]["b"] += 1
    D.syncthreads()
    out[0, t] = tile[31 - t].m[k % 2][0] + tile[31 - t].m[1 - k % 2, :][2]
    out[1, t] = sum(own[k % 2].m[1]) + own[0].s[2].a * 100 + own[0].s[k].b
    tagged[t].pair[k] = t
    tagged[t].pair[-k] += 10
    tagged[t].mixed[1] = t
    out[2, t] = tagged[t].pair[k]


OWN = np.dtype([("m", "i4", (2, 3)), ("s", INNER, (4,))], align=True)


def test_parts_in_shared_and_local_memory_and_of_tuples(target):
    a, k = filled(OWN, 32), 1
    tagged = np.zeros(32, Tagged.numpy_dtype)
    out = np.zeros((3, 32))
    run(parts_in_own_memory, out, a, tagged, k, block=32)
    t = np.arange(32)
    first, second = a["m"], a["m"][::-1].copy()
    second[:, :, 1] = first[:, :, 0]
    assert np.array_equal(out[0], 31 - t + a["m"][::-1, 0, 2])
    assert np.array_equal(out[1], second[:, 1].sum(1) + 500 + a["s"]["b"][:, k] + 1)
    assert np.array_equal(out[2], t)
    assert np.array_equal(tagged["pair"]["f1"], t)
    assert (tagged["pair"]["f2"] == 10).all()
    assert np.array_equal(tagged["mixed"]["f1"], t)


@D.kernel
def fields_to_fields(a):
    a["x"][:] = a["n"]
    a["m"][0] = a["m"][1]
    a["v"][:, 1:] = a["v"][:, :-1]
    a[0].m[1] = a[0].m[0]


def test_fields_of_one_array_are_stored_in_each_other(target):
    a = filled(PACKED, 9)
    expected = copy_of(a)
    expected["x"] = expected["n"]
    expected["m"][0] = expected["m"][1]
    expected["v"][:, 1:] = expected["v"][:, :-1].copy()
    expected["m"][0, 1] = expected["m"][0, 0]
    run(fields_to_fields, a)
    assert a.tobytes() == expected.tobytes()
