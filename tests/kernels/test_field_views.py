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
