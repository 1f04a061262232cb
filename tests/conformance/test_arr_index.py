"""Arrays in device code: integer indexing, striding, attributes (DEV-ARR-03, 05, 07, 10, 30)."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run
from support.scalars import INTEGERS


@D.kernel
def copy_1d(out, a):
    i = D.tid(1)
    if i < len(a):
        out[i] = a[i]


@D.kernel
def copy_2d(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[y, x]


@D.kernel
def copy_3d(out, a):
    x, y, z = D.tid(3)
    if z < a.shape[0] and y < a.shape[1] and x < a.shape[2]:
        out[z, y, x] = a[z, y, x]


COPY = {1: copy_1d, 2: copy_2d, 3: copy_3d}


def launch_copy(out, a):
    block = {1: (32,), 2: (8, 4), 3: (4, 4, 2)}[a.ndim]
    grid = tuple(-(-n // b) for n, b in zip(a.shape[::-1], block, strict=True))
    run(COPY[a.ndim], out, a, grid=grid, block=block)


SHAPES = [(1,), (7,), (100,), (1, 1), (5, 7), (33, 10), (2, 3, 4), (5, 1, 9)]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("shape", SHAPES)
def test_get_and_set(target, shape):
    a = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    out = np.full(shape, -1, dtype=np.float32)
    launch_copy(out, a)
    assert np.array_equal(out, a)


@clause("DEV-ARR-03")
def test_negative_indices_of_a_vector(target):
    a = np.arange(20)
    out = np.zeros(20, dtype=np.int64)
    run(ends, out, a)
    assert out[[0, 1, 18, 19]].tolist() == [19, 0, 1, 18]


@D.kernel
def ends(out, a):
    out[0] = a[-1]
    out[-1] = a[-2]
    out[1] = a[-20]
    out[-2] = a[1]


@D.kernel
def mirrored(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[-1 - y, -x - 1]


@clause("DEV-ARR-03")
def test_negative_indices_on_every_axis(target):
    a = np.arange(77.0).reshape(7, 11)
    out = np.zeros_like(a)
    run(mirrored, out, a, grid=(3, 2), block=(4, 4))
    assert np.array_equal(out, a[::-1, ::-1])


@D.kernel
def reversed_set(out, a):
    i = D.tid(1)
    if i < a.size:
        out[-1 - i] = a[i]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("n", [1, 31, 32, 33, 100])
def test_negative_indices_in_a_store(target, n):
    a = np.arange(n, dtype=np.int16)
    out = np.full(n, -1, dtype=np.int16)
    run(reversed_set, out, a, grid=n // 32 + 1, block=32)
    assert np.array_equal(out, a[::-1])


@D.kernel
def gather(out, a, index):
    i = D.tid(1)
    if i < index.size:
        out[i] = a[index[i]]


@D.kernel
def scatter(out, a, index):
    i = D.tid(1)
    if i < index.size:
        out[index[i]] = a[i]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("name", INTEGERS)
def test_indices_of_every_integer_type(target, name):
    rng = np.random.default_rng(4)
    index = rng.permutation(100).astype(name)
    if name.startswith("int"):
        index[::3] -= 100  # the same elements, counted from the end
    a = rng.normal(size=100)
    out = np.zeros(100)
    run(gather, out, a, index, grid=4, block=32)
    assert np.array_equal(out, a[index.astype(np.int64)])
    run(scatter, out, a, index, grid=4, block=32)
    expected = np.zeros(100)
    expected[index.astype(np.int64)] = a
    assert np.array_equal(out, expected)


@clause("DEV-ARR-03")
def test_indices_of_builtin_int(target):
    a = np.arange(30).reshape(5, 6)
    for i, j in ((0, 0), (2, 3), (-1, 4), (4, -5), (-5, 1)):
        out = np.zeros(1, dtype=np.int64)
        run(element, out, a, i, j)
        assert out[0] == a[i, j]


@D.kernel
def element(out, a, i, j):
    out[0] = a[i, j]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("name", ["int8", "uint16", "int64", "uint64", "float32", "float64"])
def test_an_element_has_the_type_of_the_array(target, name):
    """The sum of two elements wraps or rounds as that type does."""
    top = np.iinfo(name).max if np.dtype(name).kind in "iu" else 2 / 3
    a = np.array([top, 1 / 3 if np.dtype(name).kind == "f" else 1], dtype=name)
    out = np.zeros(1, dtype=np.float64 if a.dtype.kind == "f" else np.int64)
    run(sum_of_two, out, a)
    with np.errstate(over="ignore"):
        assert out[0] == np.array(a[0] + a[1]).astype(out.dtype)


@D.kernel
def sum_of_two(out, a):
    out[0] = a[0] + a[1]


@D.kernel
def augmented(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] += b[i]
        a[i] *= 2
        a[i] -= 1


@clause("DEV-ARR-03")
def test_augmented_assignment_to_an_element(target):
    a, b = np.arange(50), np.arange(50) ** 2
    expected = (a + b) * 2 - 1
    run(augmented, a, b, grid=2, block=32)
    assert np.array_equal(a, expected)


# --- striding ---


def layouts():
    base = np.arange(24 * 30, dtype=np.float64).reshape(24, 30)
    record = np.zeros((6, 5), dtype=np.dtype([("x", "i4"), ("y", "f8")], align=True))
    record["y"] = np.arange(30).reshape(6, 5)
    return {
        "contiguous": base,
        "Fortran order": np.asfortranarray(base),
        "transposed": base.T,
        "stepped rows": base[::3],
        "stepped columns": base[:, 1::4],
        "stepped both": base[1::2, ::5],
        "reversed rows": base[::-1],
        "reversed columns": base[:, ::-1],
        "reversed both, stepped": base[::-2, ::-3],
        "one column": base[:, 3:4],
        "inner block": base[2:9, 3:21],
        "broadcast rows": np.broadcast_to(base[0], (9, 30)),
        "broadcast columns": np.broadcast_to(base[:, :1], (24, 9)),
        "broadcast scalar": np.broadcast_to(base[3, 4], (5, 6)),
        "field of a record": record["y"],
        "vector, stepped": base.reshape(-1)[5::7],
        "vector, reversed": base.reshape(-1)[::-1],
        "vector, broadcast": np.broadcast_to(np.float64(2.5), (40,)),
        "box, permuted": base.reshape(4, 6, 30).transpose(2, 0, 1),
        "box, stepped": base.reshape(4, 6, 30)[::2, ::-1, ::7],
        "float32, stepped": base.astype(np.float32)[::2, ::3],
        "bytes, reversed": base.astype(np.int8)[:, ::-1],
    }


@clause("DEV-ARR-05")
@pytest.mark.parametrize("name", layouts())
def test_strides_of_an_input_are_honoured(target, name):
    a = layouts()[name]
    out = np.full(a.shape, -1, dtype=a.dtype)
    launch_copy(out, a)
    assert np.array_equal(out, a)


@clause("DEV-ARR-05")
@pytest.mark.parametrize("name", [n for n in layouts() if "broadcast" not in n])
def test_strides_of_an_output_are_honoured(target, name):
    out = layouts()[name]
    whole = out if out.base is None else out.base
    while whole.base is not None:
        whole = whole.base
    untouched = np.ones(whole.nbytes, dtype=bool)
    offset = np.lib.array_utils.byte_bounds(out)[0] - whole.__array_interface__["data"][0]
    steps = sum(
        np.arange(n).reshape([-1 if k == axis else 1 for k in range(out.ndim)]) * stride
        for axis, (n, stride) in enumerate(zip(out.shape, out.strides, strict=True))
    )
    start = (steps - steps.min() + offset).reshape(-1)
    for byte in range(out.itemsize):
        untouched[start + byte] = False
    before = np.frombuffer(whole.tobytes("A"), dtype=np.uint8)[untouched]
    values = np.random.default_rng(3).integers(0, 100, out.shape).astype(out.dtype)
    launch_copy(out, values)
    assert np.array_equal(out, values)
    assert np.array_equal(np.frombuffer(whole.tobytes("A"), dtype=np.uint8)[untouched], before)


@clause("DEV-ARR-05")
@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (0, 0)])
def test_arrays_of_size_zero(target, shape):
    a = np.zeros(shape)
    out = np.full((1,) * len(shape), 7.0)
    run(COPY[len(shape)], out, a, grid=1, block=32)
    assert (out == 7).all()


# --- attributes ---


@D.kernel
def attributes_1d(out, a):
    out[0] = a.shape[0]
    out[1] = a.strides[0]
    out[2] = a.size
    out[3] = a.ndim
    out[4] = len(a)
    out[5] = len(a.shape)


@D.kernel
def attributes_2d(out, a):
    h, w = a.shape
    s, t = a.strides
    out[0] = h
    out[1] = w
    out[2] = s
    out[3] = t
    out[4] = a.size
    out[5] = a.ndim
    out[6] = len(a)
    out[7] = a.shape[-1]
    out[8] = len(a.strides)


@D.kernel
def attributes_3d(out, a):
    d, h, w = a.shape
    out[0] = d
    out[1] = h
    out[2] = w
    out[3] = a.strides[0]
    out[4] = a.strides[1]
    out[5] = a.strides[-1]
    out[6] = a.size
    out[7] = a.ndim
    out[8] = len(a)


LATER = "dtype and T"


@clause("DEV-ARR-10", partial=LATER)
@pytest.mark.parametrize("name", [n for n in layouts() if layouts()[n].ndim == 1])
def test_attributes_of_a_vector(target, name):
    a = layouts()[name]
    out = np.zeros(6, dtype=np.int64)
    run(attributes_1d, out, a)
    assert out.tolist() == [len(a), a.strides[0], a.size, 1, len(a), 1]


@clause("DEV-ARR-10", partial=LATER)
@pytest.mark.parametrize("name", [n for n in layouts() if layouts()[n].ndim == 2])
def test_attributes_of_a_matrix(target, name):
    a = layouts()[name]
    out = np.zeros(9, dtype=np.int64)
    run(attributes_2d, out, a)
    assert out.tolist() == [*a.shape, *a.strides, a.size, 2, len(a), a.shape[1], 2]


@clause("DEV-ARR-10", partial=LATER)
@pytest.mark.parametrize("name", [n for n in layouts() if layouts()[n].ndim == 3])
def test_attributes_of_a_box(target, name):
    a = layouts()[name]
    out = np.zeros(9, dtype=np.int64)
    run(attributes_3d, out, a)
    assert out.tolist() == [*a.shape, *a.strides, a.size, 3, len(a)]


@D.kernel
def wide_attributes(out, a):
    out[0] = a.shape[0] * 1_000_000_000
    out[1] = a.size * 1_000_000_000
    out[2] = len(a) * 1_000_000_000
    out[3] = a.strides[0] * 1_000_000_000
    out[4] = a.shape[0] - 10


@clause("DEV-ARR-10", partial=LATER)
def test_attributes_are_int64(target):
    a = np.zeros(7, dtype=np.float64)
    out = np.zeros(5, dtype=np.int64)
    run(wide_attributes, out, a)
    assert out.tolist() == [7 * 10**9, 7 * 10**9, 7 * 10**9, 8 * 10**9, -3]


# --- refused ---


@D.kernel
def reads_flags(out, a):
    out[0] = a.flags  # refused


@D.kernel
def reads_device(out, a):
    out[0] = a.device  # refused


@D.kernel
def reads_nonsense(out, a):
    out[0] = a.colour  # refused


A1, A2 = np.zeros(4), np.zeros((4, 4))


@clause("DEV-ARR-11")
@pytest.mark.parametrize(
    ("kernel", "word"),
    [(reads_flags, "flags"), (reads_device, "device"), (reads_nonsense, "colour")],
)
def test_other_attributes_are_refused(kernel, word):
    expect_refusal(kernel, A1, A1, words=(word,))


@D.kernel
def too_many_indices(out, a):
    out[0] = a[0, 0]  # refused


@D.kernel
def too_many_in_a_store(out, a):
    a[0, 0, 0] = out[0]  # refused


@clause("DEV-ARR-07", partial="more than one ellipsis")
def test_too_many_indices_are_refused():
    expect_refusal(too_many_indices, A1, A1, words=("2", "1"))
    expect_refusal(too_many_in_a_store, A1, A2, words=("3", "2"))


@D.kernel
def indexed_by_an_array(out, a, index):
    out[0] = a[index]  # refused


@D.kernel
def indexed_by_a_float(out, a):
    out[0] = a[1.5]  # refused


@clause("DEV-ARR-09")
@pytest.mark.parametrize("index", [np.ones(4, dtype=bool), np.zeros(4, dtype=np.int64)], ids=repr)
def test_indexing_by_an_array_is_refused(index):
    expect_refusal(indexed_by_an_array, A1, A1, index, words=("index",))


def test_indexing_by_a_float_is_refused():
    expect_refusal(indexed_by_a_float, A1, A1, words=("index",))


# --- stores convert ---


@D.kernel
def store_literals(floats, ints, bools):
    floats[0] = 3
    floats[1] = True
    ints[0] = 3.9
    ints[1] = -3.9
    ints[2] = True
    bools[0] = 2
    bools[1] = 0.0
    bools[2] = -0.5


@D.kernel
def store_values(out, x):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i]


SLICES = "assignment to slices"


@clause("DEV-ARR-30", partial=SLICES)
def test_literals_are_converted_to_the_element_type(target):
    floats, ints, bools = np.zeros(2), np.zeros(3, dtype=np.int16), np.array([False, True, False])
    run(store_literals, floats, ints, bools)
    assert floats.tolist() == [3.0, 1.0]
    assert ints.tolist() == [3, -3, 1]
    assert bools.tolist() == [True, False, True]


@clause("DEV-ARR-30", partial=SLICES)
def test_values_are_converted_to_the_element_type(target):
    out = np.zeros(4, dtype=np.int8)
    run(store_values, out, np.array([300, -300, 127, 128]), block=4)
    assert out.tolist() == [44, -44, 127, -128]
    run(store_values, out, np.array([300.5, -300.5, np.nan, -2.9]), block=4)
    assert out.tolist() == [127, -128, 0, -2]
    wide = np.zeros(4)
    run(store_values, wide, np.array([1, 2, 3, 2**24 + 1], dtype=np.uint32), block=4)
    assert wide.tolist() == [1, 2, 3, 2**24 + 1]


@D.kernel
def stores_300(a):
    a[0] = 300  # refused


@D.kernel
def stores_minus_1(a):
    a[0] = -1  # refused


@clause("DEV-ARR-30", partial=SLICES)
def test_a_stored_literal_must_fit():
    expect_refusal(stores_300, np.zeros(1, dtype=np.int8), words=("300", "int8"))
    expect_refusal(stores_minus_1, np.zeros(1, dtype=np.uint16), words=("-1", "uint16"))


@D.kernel
def stores_complex(a, x):
    a[0] = 1j  # refused


@D.kernel
def stores_text(a, x):
    a[0] = "text"  # refused


@D.kernel
def stores_none(a, x):
    a[0] = None  # refused


@D.kernel
def stores_an_array(a, x):
    a[0] = x  # refused


@D.kernel
def stores_a_tuple(a, x):
    a[0] = (1, 2)  # refused


@D.kernel
def stores_a_function(a, x):
    a[0] = len  # refused


@clause("DEV-ARR-31")
@pytest.mark.parametrize(
    "kernel",
    [stores_complex, stores_text, stores_none, stores_an_array, stores_a_tuple, stores_a_function],
)
def test_only_real_numbers_go_into_a_real_element(kernel):
    expect_refusal(kernel, A1, A1)
