"""Sub-arrays, without elements too; elements of arrays as arguments; dtypes in kernels."""

import numpy as np
from cuda import device as D
from support.clauses import clause
from support.launching import run

EMPTY = np.dtype([("x", "u1", (0,)), ("r", "f4", (0, 3)), ("c", "f4", (3, 0)), ("y", "i4")])
MATRIX = np.dtype([("m", "f4", (3, 4)), ("n", "i2")])


@D.kernel
def reads_empty_parts(out, b, n):
    v = b[1]
    out[0] = len(b["x"][0]) + len(v.x) + v.x.size
    for q in b[n].x:
        out[0] += q
    for row in v.c:
        out[0] += len(row)
    b["x"][:] = 1
    b[n].x[:] = 2
    b[0].x = b[1].x
    out[1] = b["r"].shape[0] * 100 + b["r"].shape[1] * 10 + b["r"].shape[2]
    part = v.r[:, 1:]
    out[2] = part.ndim * 100 + part.shape[0] * 10 + part.shape[1]
    rest = v.c[2:2, :]
    out[3] = rest.shape[0] * 10 + rest.shape[1]
    b[2] = v
    out[4] = b[2].y


@clause("DEV-ARR-19", "DEV-ARR-20")
def test_sub_arrays_without_elements(target):
    b = np.zeros(3, EMPTY)
    b["y"] = 1, 2, 3
    out = np.zeros(5)
    run(reads_empty_parts, out, b, 1)
    assert out.tolist() == [0, 303, 202, 0, 2]
    assert b["y"].tolist() == [1, 2, 2]


@D.kernel
def attributes(out, b, i):
    m = b[i].m
    out[0] = m.size * 100 + m.ndim
    out[1] = m.shape[0] * 10 + m.shape[1]
    out[2] = m.T[3, 2]
    out[3] = m.T.shape[0] * 10 + m.T.shape[1]
    out[4] = m.dtype == D.float32
    out[5] = m.T[i][2] + b["m"][i].T[1, 2]


@clause("DEV-ARR-19")
def test_attributes_of_sub_arrays(target):
    b = np.zeros(2, MATRIX)
    b["m"] = np.arange(24).reshape(2, 3, 4)
    out = np.zeros(6)
    run(attributes, out, b, 1)
    m = b[1]["m"]
    assert out.tolist() == [1202, 34, m[2, 3], 43, 1, 2 * m[2, 1]]


@D.struct
class Particle:
    p: D.float32x2
    t: tuple[int, D.int8x2]
    nothing: None
    m: float = 1


@D.kernel
def of_struct(out, s):
    out[0] = s.m + 10 * s.p.y + 100 * s.t[0] + 1000 * D.int32(s.t[1].x)
    out[1] = s.nothing is None


@D.kernel
def of_vector(out, v):
    out[0] = v.x + 10 * v[1]


@D.kernel
def of_record(out, r, pair):
    out[0] = r.m[1, 2] + r.n
    out[1] = pair[0].n + pair[1]


@clause("DEV-ARR-20", "DEV-STRUCT-18", "DEV-VEC-18")
def test_elements_of_arrays_are_arguments(target):
    out = np.zeros(2)
    particle = Particle(D.float32x2(1, 2), (3, D.int8x2(4, 5)), None, 6)
    for given in (particle, D.full(2, particle, device="cpu")[1]):
        run(of_struct, out, given)
        assert out.tolist() == [4326, 1]
    run(of_vector, out, D.full(2, D.float32x2(3, 4), device="cpu")[0])
    assert out[0] == 43
    r = np.zeros(2, MATRIX)
    r["m"] = np.arange(24).reshape(2, 3, 4)
    r["n"] = 7, 8
    run(of_record, out, r[1], (r[0], 5))
    assert out.tolist() == [18 + 8, 12]


DTYPE = np.dtype([("a", "i1"), ("b", "f8")])
NUMBERS = np.dtype("i2")


@D.kernel
def dtypes(out, b):
    records = D.local_array(2, DTYPE)
    records[1].b = 2.5
    numbers = D.local_array(2, NUMBERS)
    numbers[0] = 3
    numbers[1] = D.local_array(1, NUMBERS).size
    particles = D.local_array(2, Particle.numpy_dtype)
    particles[1].m = 4
    vectors = D.local_array(2, D.float32x2.numpy_dtype)
    vectors[0] = D.float32x2(5, 6)
    out[0] = records[1].b + numbers[0] * 10 + numbers[1] * 100
    out[1] = particles[1].m + vectors[0].y * 10
    vectors["x"][:] = 9
    out[2] = vectors[1].x + vectors["y"][0] + b["p"]["y"][1]
    b["p"]["x"][1] = 8


@clause("DEV-MEM-01")
def test_dtypes_and_fields_of_vectors(target):
    b = D.full(2, Particle(D.float32x2(1, 2), (3, D.int8x2(4, 5)), None), device="cpu")
    out = np.zeros(3)
    run(dtypes, out, b)
    assert out.tolist() == [132.5, 64, 17]
    assert b[1].p.x == 8


@D.kernel
def dtypes_in_kernels(out, b):
    numbers = D.local_array(2, np.dtype("i2"))
    numbers[0] = 40000 + len(b) - 1  # wraps
    sized = D.shared_array(3, dtype=np.dtype("<f8"))
    sized[0] = 1 / 3
    records = D.local_array(2, np.dtype(DTYPE))
    records[1].b = 2.5
    particles = D.local_array(1, np.dtype(Particle))
    particles[0].m = 4
    out[0] = numbers[0]
    out[1] = sized[0]
    out[2] = records[1].b + particles[0].m
    out[3] = D.int32(b[0].astype(np.dtype(np.uint8))) + np.iinfo(np.dtype("H")).max
    out[4] = (
        (np.dtype(float) == D.float64)
        + 2 * (np.dtype(int) == np.dtype("int64"))
        + 4 * (np.dtype("f") == np.dtype(D.float32))
        + 8 * (b.dtype == np.dtype("d"))
        + 16 * (np.dtype(complex) == D.complex128)
        + 32 * (np.dtype("bool") == bool)
        + 64 * (np.dtype(D.bfloat16) == D.bfloat16)
        + 128 * (np.dtype("i4") == np.dtype("u4"))
    )
    out[5] = b.view(np.dtype("i8"))[0] >> 52


@clause("DEV-MEM-01")
def test_dtypes_made_in_kernels(target):
    out = np.zeros(6)
    run(dtypes_in_kernels, out, np.array([7.75]))
    assert out.tolist() == [40000 - 65536, 1 / 3, 6.5, 7 + 65535, 127, 1025]


@D.kernel
def of_numbers(out, c, n):
    out[0] = c[0].view(D.uint64)
    back = c[0].view(D.uint64).view(D.complex64)
    out[1] = back.real * 10 + back.imag
    out[2] = c[0].real.astype(D.float32, copy=False) + n.astype(dtype="float64", copy=True)
    out[3] = c[0].T.imag + n.T


@clause("DEV-FIX-12")
def test_methods_of_numbers(target):
    c = np.array([1.5 + 2j], np.complex64)
    out = np.zeros(4, np.uint64)
    run(of_numbers, out, c, np.float32(3))
    assert out.tolist() == [c.view(np.uint64)[0], 17, 4, 5]
