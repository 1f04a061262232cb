"""Arrays of records: whole ones are loaded and stored by vectors, whatever their fields are."""

import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.clauses import clause


@D.struct
class Mixed:
    a: D.float64
    b: int
    c: D.int16
    d: D.int16


@D.struct
class Packed:  # eight bytes: an integer a lane
    a: D.int16
    b: D.uint8
    c: bool
    d: float


@D.struct
class Padded:  # its gap is written by nothing
    a: D.uint8
    b: D.int32


VECTORS = "float32x2 float32x3 float32x4 float64x2 float64x3 uint8x2 uint8x3 uint8x4 int16x3"
KINDS = [getattr(D, name) for name in VECTORS.split()] + [Mixed, Packed, Padded]


@D.kernel
def copy(a, b, step):
    i = D.tid(1)
    if i < a.size:
        b[i] = a[(i * step) % a.size]


@D.kernel
def copy_from_the_end(a, b):
    i = D.tid(1)
    if i < a.size:
        b[-1 - i] = a[-1 - i]


@D.kernel
def copy_some(a, b):
    i = D.tid(1)
    if i < a.size and i % 3 != 1:
        b[i] = a[i]


def random_records(dtype, n):
    rng = np.random.default_rng(n)
    made = np.frombuffer(rng.bytes(dtype.itemsize * n), dtype).copy()
    for name in dtype.names:
        if dtype[name] == np.bool_:
            made[name] = rng.integers(0, 2, n)
    return made


def assert_same_records(found, expected):
    for name in expected.dtype.names:
        assert found[name].tobytes() == expected[name].tobytes(), name


@clause("DEV-VEC-18", "DEV-STRUCT-18", "DEV-ARR-20")
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_records_are_copied_whole(target, kind):
    for n in (1, 31, 33, 100):
        a = random_records(kind.numpy_dtype, 2 * n)[::2]
        for step in (1, 3):
            b = np.zeros(n, kind.numpy_dtype)
            D.launch(copy, a.copy(), b, step, grid=4, block=32)
            assert_same_records(b, a[(np.arange(n) * step) % n])
        b = np.zeros(2 * n, kind.numpy_dtype)[::-2]
        D.launch(copy, a, b, 1, grid=4, block=32)
        assert_same_records(b, a)
        b = np.zeros(n, kind.numpy_dtype)
        D.launch(copy_from_the_end, a.copy(), b, grid=4, block=32)
        assert_same_records(b, a)
        b = np.zeros(n, kind.numpy_dtype)
        D.launch(copy_some, a.copy(), b, grid=4, block=32)
        some = np.arange(n) % 3 != 1
        assert_same_records(b, np.where(some, a, np.zeros_like(a)))


@clause("DEV-ARR-30")
def test_what_lies_between_the_fields_stays(target):
    dtype = np.dtype(
        {"names": ["a", "b"], "formats": ["u1", "i4"], "offsets": [1, 4], "itemsize": 12}
    )
    a, b = random_records(dtype, 50), np.full(50 * 12, 0xAA, np.uint8).view(dtype)
    D.launch(copy, a, b, 1, grid=2, block=32)
    assert_same_records(b, a)
    raw = b.view(np.uint8).reshape(50, 12)
    assert (raw[:, [0, 2, 3, 8, 9, 10, 11]] == 0xAA).all()


@D.kernel
def scale(a, b, s):
    i = D.tid(1)
    b[i] = a[i] * s


@D.kernel
def first_field(a, o):
    i = D.tid(1)
    if i < a.size:
        o[i] = a[i].x


def counted(text, pattern):
    return len(re.findall(rf"^\t{pattern}\b", text, re.MULTILINE))


def test_vectors_of_memory_serve_all_components():
    """32 float32x4 are eight vectors of AVX-512: eight loads, eight stores, no gather."""
    a = np.zeros(4096, D.float32x4.numpy_dtype)
    if "avx512" not in _testing.targets():
        pytest.skip("waits for a CPU with AVX-512")
    with _testing.use_target("avx512"):
        asm = scale.inspect(a, a.copy(), 2.0, what="asm", grid=16, block=256)
    assert counted(asm, r"v(p?gather|scatter)\w*") == 0
    loads = re.findall(r"^\tvmov[ud]\w+\t[-\d]*\(%r\w+,%r\w+\), %zmm", asm, re.MULTILINE)
    stores = re.findall(r"^\tvmov[ud]\w+\t%zmm\d+, [-\d]*\(%r\w+,%r\w+\)", asm, re.MULTILINE)
    assert (len(loads), len(stores)) == (8, 8)


@pytest.mark.parametrize(("kind", "instruction"), [("float32x4", "v4"), ("float64x2", "v2")])
def test_ptx_accesses_whole_vectors(kind, instruction):
    a = np.zeros(64, getattr(D, kind).numpy_dtype)
    with _testing.use_target("sm_90"):
        ptx = scale.inspect(a, a.copy(), 2.0, what="ptx", grid=1, block=64)
        one = first_field.inspect(a, np.zeros(64, np.float64), what="ptx", grid=1, block=64)
    assert re.search(rf"ld\.global(\.nc)?\.{instruction}\.", ptx)
    assert re.search(rf"st\.global\.{instruction}\.", ptx)
    assert not re.search(r"ld\.global(\.nc)?\.v", one)  # a field alone


@D.struct
class Body:  # 32 bytes
    mass: D.float64
    x: D.float32
    y: D.float32
    id: D.int64
    cell: D.int64


@D.kernel
def fields_together(a, o):
    i = D.tid(1)
    o[i] = a[i].mass * a[i].x


@D.kernel
def fields_apart(a, o):
    i = D.tid(1)
    s = a[i].mass * 2
    if s > 1:
        s += o[i]
    o[i] = s + a[i].x


@pytest.mark.parametrize("kernel", [fields_together, fields_apart], ids=["together", "apart"])
def test_fields_take_each_line_once(kernel):
    """32 bodies are 16 lines of 64 bytes: 16 loads, whichever fields are read, and wherever."""
    if "avx512" not in _testing.targets():
        pytest.skip("waits for a CPU with AVX-512")
    a, o = np.zeros(4096, Body.numpy_dtype), np.zeros(4096, np.float32)
    with _testing.use_target("avx512"):
        asm = kernel.inspect(a, o, what="asm", grid=16, block=256)
    assert counted(asm, r"v(p?gather)\w*") == 0
    loads = re.findall(r"^\tvmov[ud]\w+\t(\d*)\(%r\w+,%r\w+,8\), %zmm\d+$", asm, re.MULTILINE)
    assert sorted(int(offset or 0) for offset in loads) == list(range(0, 1024, 64))


@D.kernel
def turned(q, z, wide, out):
    i = D.tid(1)
    square = z[i] * z[i]
    for _ in range(4):
        q[i] += D.complex64(1j)
    out[i] = wide[i] - D.complex128(square)


@pytest.mark.parametrize("block", [2, 3, 4, 5, 8, 16])
def test_complex_numbers_of_small_blocks(block, target):
    """LLVM 22 selects no zero extension of four of eight lanes: records are packed by shuffles."""
    z = (np.arange(2 * block) + 1j).astype(np.complex64)
    q, wide = np.zeros_like(z), np.full(z.shape, 2.5j)
    out = np.zeros_like(wide)
    D.launch(turned, q, z, wide, out, grid=2, block=block)
    assert (q == 4j).all()
    assert (out == wide - z.astype(np.complex128) ** 2).all()


@D.kernel
def real(q, w, n):
    i = D.tid(1)
    v = D.int32(0)
    for _ in range(n):
        v = ~D.int32(w[i] / 3)
        q[i] = D.complex64(D.float32(v))
        q[i] *= D.complex64(w[i])
        D.syncthreads()
    q[i] += D.complex64(D.float32(v))


@pytest.mark.parametrize("block", [2, 4, 8])
def test_complex_numbers_without_an_imaginary_part_in_small_blocks(block, target):
    """LLVM makes a zero extension of a shuffle with zeros, too."""
    w = np.arange(2 * block) + 0.5
    q = np.zeros(w.shape, np.complex64)
    D.launch(real, q, w, 2, grid=2, block=block)
    v = ~(w / 3).astype(np.int32)
    assert np.array_equal(q, (v * w.astype(np.float32) + v).astype(np.complex64))
