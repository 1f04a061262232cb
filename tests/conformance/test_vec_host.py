"""Vectors in host code (DEV-VEC): the 56 types, Vector, Dim3."""

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause

# What kernels do is shown elsewhere.
HOST = "host code"
CHECKED = "an index at run time in a checked kernel"

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float8e4m3", "float8e5m2", "float16", "bfloat16", "float32", "float64"]
TYPES = [(number, lanes) for number in INTEGERS + FLOATS for lanes in (1, 2, 3, 4)]


def vector_type(number, lanes):
    return getattr(D, f"{number}x{lanes}")


def components(vector):
    return [float(c) for c in vector]


def assert_vector(found, expected):
    """The same type, and the same components in type and value."""
    assert type(found) is type(expected)
    assert [(type(c), float(c)) for c in found] == [(type(c), float(c)) for c in expected]


# --- the types ---


@clause("DEV-VEC-01", "DEV-VEC-06")
@clause("DEV-VEC-02", "DEV-VEC-05")
def test_all_types_exist_with_their_size_and_dtype():
    assert len(TYPES) == 56
    for number, lanes in TYPES:
        kind = vector_type(number, lanes)
        made = kind(*range(1, lanes + 1))
        assert issubclass(kind, D.Vector)
        assert isinstance(made, D.Vector)
        assert (kind.__module__, kind.__name__) == ("cuda.device", f"{number}x{lanes}")
        assert kind.dtype is made.dtype is getattr(D, number)
        assert kind.size == made.size == len(made) == lanes


@clause("DEV-VEC-06")
def test_dtype_compares_with_the_format():
    assert D.uint32x3(1, 2, 3).dtype == D.uint32


@clause("DEV-VEC-02", "DEV-VEC-07", "DEV-VEC-10", "DEV-VEC-16")
def test_components_read_back_in_their_format():
    for number, lanes in TYPES:
        made = vector_type(number, lanes)(*range(1, lanes + 1))
        assert components(made) == list(range(1, lanes + 1))
        for i, name in enumerate("xyzw"[:lanes]):
            assert type(made[i]) is type(getattr(made, name)) is getattr(D, number)
            assert float(made[i]) == float(getattr(made, name)) == float(made[i - lanes]) == i + 1


@clause("DEV-VEC-01")
def test_vector_itself_makes_nothing():
    with pytest.raises(TypeError, match="make one of them"):
        D.Vector()


# --- construction ---


@clause("DEV-VEC-07")
def test_each_component_is_converted():
    made = D.float32x2(1, 2.5)
    assert_vector(made, D.float32x2(np.float32(1), np.float32(2.5)))
    assert components(D.int32x4(True, 2.9, -2.9, np.int8(-3))) == [1, 2, -2, -3]
    assert components(D.float64x2(Fraction(1, 4), Decimal("0.5"))) == [0.25, 0.5]
    assert D.float32x1(0.1).x == np.float32(0.1)
    assert D.float32x1(2**24 + 1).x == np.float32(2**24)
    assert D.float64x1(2**100).x == 2.0**100
    assert D.uint64x2(2**64 - 1, 2.0**63).x == 2**64 - 1


@clause("DEV-VEC-07")
@clause("DEV-FIX-14", partial=HOST)
def test_numbers_of_numpy_convert_as_in_kernels():
    made = D.int8x4(np.int32(300), np.float32(1e9), np.float64("nan"), np.int64(-129))
    assert components(made) == [44, 127, 0, 127]
    assert components(D.uint8x2(np.int8(-1), np.float32(-3))) == [255, 0]
    assert D.float8e4m3x1(np.float32(1e6)).x == 448
    assert np.isinf(D.float16x1(np.float64(1e6)).x)


@clause("DEV-VEC-08")
@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("a", "str"),
        (None, "NoneType"),
        (1j, "complex"),
        (np.complex64(1), "numpy.complex64"),
        (np.zeros(1), "numpy.ndarray"),
        (np.zeros(()), "numpy.ndarray"),
        ((1,), "tuple"),
        (D.float32x1(1), "cuda.device.float32x1"),
    ],
)
def test_what_is_no_real_number(value, name):
    for kind in (D.int32x2, D.float32x2, D.bfloat16x2):
        with pytest.raises(TypeError) as info:
            kind(1, value)
        text = f"component y of {kind.__name__} expects a real number, found '{name}'"
        assert str(info.value) == text


@clause("DEV-VEC-08")
@clause("DEV-FIX-14", partial=HOST)
@pytest.mark.parametrize(
    ("kind", "value", "bounds"),
    [
        (D.int8x1, 300, "int8, -128 to 127"),
        (D.int8x1, -129, "int8, -128 to 127"),
        (D.uint8x1, -1, "uint8, 0 to 255"),
        (D.int8x1, 128.0, "int8, -128 to 127"),
        (D.int8x1, float("inf"), "int8, -128 to 127"),
        (D.uint64x1, 2**64, "uint64, 0 to 18446744073709551615"),
        (D.int64x1, -(2**63) - 1, "int64, -9223372036854775808 to 9223372036854775807"),
        (D.float32x1, 1e300, "float32, -3.4028235e+38 to 3.4028235e+38"),
        (D.float16x1, 65520, "float16, -65504.0 to 65504.0"),
        (D.float8e4m3x1, 1e6, "float8e4m3, -448.0 to 448.0"),
    ],
)
def test_numbers_of_python_have_to_fit(kind, value, bounds):
    with pytest.raises(OverflowError) as info:
        kind(value)
    text = f"component x of {kind.__name__}: {value!r} is out of the range of {bounds}"
    assert str(info.value) == text


@clause("DEV-FIX-14", partial=HOST)
def test_nan_is_no_integer():
    with pytest.raises(ValueError, match="cannot convert nan to int8"):
        D.int8x1(float("nan"))
    assert np.isnan(D.float8e4m3x1(float("nan")).x)


@clause("DEV-VEC-09")
def test_another_number_of_components():
    for values in ((1, 2), (1, 2, 3, 4), ()):
        with pytest.raises(TypeError) as info:
            D.int32x3(*values)
        assert str(info.value) == f"int32x3() takes 3 components, found {len(values)}"
    with pytest.raises(TypeError, match=r"int8x1\(\) takes 1 component, found 0"):
        D.int8x1()
    with pytest.raises(TypeError, match="in order, without names"):
        D.float32x2(x=1, y=2)


# --- components ---


@clause("DEV-VEC-12")
def test_assignment_changes_the_object():
    v = D.float32x3(1, 2, 3)
    w = v
    v[1] = 9
    v[-1] = np.float64(0.5)
    assert components(w) == [1, 9, 0.5]


@clause("DEV-VEC-04")
def test_operators_make_new_objects():
    v = D.int32x2(1, 2)
    w = v
    w += 1
    assert (components(v), components(w)) == ([1, 2], [2, 3])
    assert (v + 0) is not v
    assert (+v) is not v


@clause("DEV-VEC-13")
@pytest.mark.parametrize("value", [1j, "a", np.zeros(1), None])
def test_assignment_of_what_is_no_real_number(value):
    v = D.float32x2(1, 2)
    with pytest.raises(TypeError, match="component x of float32x2 expects a real number"):
        v[0] = value
    with pytest.raises(OverflowError):
        D.int8x1(0)[0] = 128
    assert components(v) == [1, 2]


@clause("DEV-VEC-11", "DEV-VEC-14", partial=CHECKED)
def test_indices_out_of_range():
    for number, lanes in TYPES[:4]:
        v = vector_type(number, lanes)(*[0] * lanes)
        for index in (lanes, -lanes - 1, 100):
            with pytest.raises(IndexError, match=f"int8x{lanes} has {lanes} component"):
                v[index]
            with pytest.raises(IndexError):
                v[index] = 1
    v = D.float32x2(1, 2)
    for index in (1.0, "x"):
        with pytest.raises(TypeError):
            v[index]
    assert v[1:3] == tuple(v)[1:3]
    with pytest.raises(TypeError, match="cannot be deleted"):
        del v[0]


@clause("DEV-VEC-15")
def test_iteration():
    v, w = D.float32x3(1, 2, 3), D.int32x3(4, 5, 6)
    a, b, c = v
    assert (a, b, c) == (1, 2, 3) == tuple(v)
    assert [(float(p), int(q)) for p, q in zip(v, w, strict=True)] == [(1, 4), (2, 5), (3, 6)]
    assert {type(e) for e in v} == {np.float32}
    assert 2 in v


@clause("DEV-VEC-16", "DEV-VEC-17")
def test_components_that_are_not_there():
    for lanes in (1, 2, 3, 4):
        v = vector_type("int32", lanes)(*range(lanes))
        assert [hasattr(v, name) for name in "xyzw"] == [i < lanes for i in range(4)]
    with pytest.raises(AttributeError):
        D.int32x1(1).y  # noqa: B018


@clause("DEV-VEC-04")
@clause("DEV-HTYPE-02", partial="atomics and masks")
def test_attributes_are_fixed():
    v = D.float32x2(1, 2)
    with pytest.raises(AttributeError, match=r"read-only; write v\[0\] = value"):
        v.x = 3
    for name in ("foo", "size", "dtype", "z"):
        with pytest.raises(AttributeError):
            setattr(v, name, 1)
    for kind in (D.Vector, D.float32x2, D.uint32x3, D.Dim3):
        with pytest.raises(TypeError, match="immutable type"):
            kind.foo = 1


# --- as values ---


def test_equality_is_one_bool():
    v = D.int32x2(-1, 2)
    assert (v == D.int32x2(-1, 2)) is True
    assert (v != D.int32x2(-1, 3)) is True
    assert v == D.float32x2(-1, 2)
    assert v != D.uint32x2(2**32 - 1, 2)
    assert D.int64x1(-1) != D.uint64x1(2**64 - 1)
    assert v != D.int32x3(-1, 2, 3)
    assert v != (-1, 2)
    assert D.float32x1(float("nan")) != D.float32x1(float("nan"))
    assert D.float32x1(0.0) == D.float32x1(-0.0)
    with pytest.raises(TypeError, match="not supported"):
        v < v  # noqa: B015
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)


def test_repr_pickle_and_copy():
    assert repr(D.float32x2(1, 2.5)) == "device.float32x2(1.0, 2.5)"
    assert repr(D.bfloat16x3(0.1, -2, float("inf"))) == "device.bfloat16x3(0.1, -2.0, inf)"
    assert repr(D.Dim3(1, 2, 3)) == "device.Dim3(1, 2, 3)"
    for number, lanes in TYPES:
        v = vector_type(number, lanes)(*range(lanes))
        for made in (pickle.loads(pickle.dumps(v)), copy.copy(v), copy.deepcopy(v)):
            assert_vector(made, v)
            assert made is not v


def test_numpy_sees_the_components():
    for number, lanes in TYPES:
        v = vector_type(number, lanes)(*range(lanes))
        a = np.asarray(v)
        assert (a.dtype, a.shape) == (np.dtype(v.dtype), (lanes,))
        assert a.astype(float).tolist() == components(v)
    assert np.asarray(D.int32x2(1, 2), np.float64).dtype == np.float64
    with pytest.raises(ValueError, match="is a copy"):
        np.asarray(D.int32x2(1, 2), copy=False)


# --- arithmetic ---


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (D.int32x3(1, 2, 3) * 2, D.int32x3(2, 4, 6)),
        (D.int32x3(1, 2, 3) * 0.5, D.float32x3(0.5, 1, 1.5)),
        (2.0 * D.float16x2(1, 2), D.float16x2(2, 4)),
        (D.int8x2(1, 2) + D.uint8x2(3, 250), D.int16x2(4, 252)),
        (D.int64x1(-1) + D.uint64x1(3), D.uint64x1(2)),
        (D.float16x1(1) + D.bfloat16x1(2), D.float32x1(3)),
        (D.int32x2(1, 2) + D.float32x2(0.5, 1), D.float32x2(1.5, 3)),
        (np.float64(2) * D.float32x2(1, 2), D.float64x2(2, 4)),
        (D.uint8x2(1, 2) + True, D.uint8x2(2, 3)),
        (D.int8x2(127, -128) + D.int8x2(1, -1), D.int8x2(-128, 127)),
        (10 - D.int32x2(1, 2), D.int32x2(9, 8)),
        (D.int32x2(7, 1) / D.int32x2(2, 2), D.float32x2(3.5, 0.5)),
        (D.int64x1(7) / 2, D.float64x1(3.5)),
        (D.int32x4(-7, 7, 7, -7) // D.int32x4(2, 2, 0, 0), D.int32x4(-4, 3, -1, -1)),
        (D.int32x4(-7, 7, 7, -7) % D.int32x4(3, -3, 0, 3), D.int32x4(2, -2, 7, 2)),
        (D.float32x2(-7, 7) // 2, D.float32x2(-4, 3)),
        (D.float32x2(-7, 7) % 4, D.float32x2(1, 3)),
        (D.float64x1(-0.0) // 3, D.float64x1(-0.0)),
        (D.int32x2(2, 3) ** 2, D.int32x2(4, 9)),
        (2 ** D.int32x2(3, 4), D.int32x2(8, 16)),
        (D.int8x2(2, 3) ** 300, D.int8x2(0, 113)),
        (D.int32x3(1, -1, 2) ** D.int32x3(-3, -3, -1), D.int32x3(1, -1, 0)),
        (D.int32x2(2, 4) ** -1, D.float32x2(0.5, 0.25)),
        (D.float32x1(9) ** 0.5, D.float32x1(3)),
        (D.uint8x2(12, 10) & 6, D.uint8x2(4, 2)),
        (D.uint8x2(12, 10) | D.uint8x2(1, 1), D.uint8x2(13, 11)),
        (D.int8x2(12, 10) ^ -1, D.int8x2(-13, -11)),
        (D.int32x3(1, 1, -8) << D.int32x3(31, 32, 1), D.int32x3(-(2**31), 0, -16)),
        (D.int32x2(-8, 8) >> D.int32x2(1, 40), D.int32x2(-4, 0)),
        (-D.float32x2(1, -2), D.float32x2(-1, 2)),
        (-D.uint8x1(1), D.uint8x1(255)),
        (abs(D.int8x2(-5, -128)), D.int8x2(5, -128)),
        (~D.uint8x2(0, 1), D.uint8x2(255, 254)),
        (D.float8e4m3x2(300, 1) * D.float8e4m3x2(2, 1), D.float8e4m3x2(448, 1)),
        (D.float16x1(2048) + 1, D.float16x1(2048)),
        (divmod(D.int32x2(7, -7), 3)[0], D.int32x2(2, -3)),
        (divmod(D.int32x2(7, -7), 3)[1], D.int32x2(1, 2)),
        (D.Dim3(1, 2, 3) + 1, D.uint32x3(2, 3, 4)),
    ],
)
def test_operators(found, expected):
    assert_vector(found, expected)
    signs = [np.signbit(float(c)) for c in found]
    assert signs == [np.signbit(float(c)) for c in expected]


def test_arithmetic_of_each_format_agrees_with_numpy():
    """Every format with itself: two of NumPy's or ml_dtypes' own operations on each component."""
    for number in INTEGERS + FLOATS:
        dtype = np.dtype(getattr(D, number))
        x, y = np.array([5, 1, 7, 2], dtype), np.array([2, 3, 4, 0.5], np.float64).astype(dtype)
        v, w = vector_type(number, 4)(*x), vector_type(number, 4)(*y)
        for found, expected in ((v + w, x + y), (v - w, x - y), (v * w, x * y)):
            assert found.dtype == dtype.type
            assert np.asarray(found).tobytes() == expected.tobytes(), number


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (lambda v: v + D.float32x3(1, 2, 3), "'float32x2 + float32x3': vectors of 2 and of 3"),
        (lambda v: v & v, "'float32x2 & float32x2': both sides have to be integers"),
        (lambda v: v << 1, "'float32x2 << int': both sides have to be integers"),
        (lambda v: D.float8e4m3x2(1, 2) + v, "no promotion is defined for this pair"),
        (lambda v: v + np.zeros(2), "vectors compute with vectors and numbers"),
        (lambda v: np.zeros(2) * v, "'numpy.ndarray * float32x2'"),
        (lambda v: ~v, "'~' works on integers, not on float32x2"),
        (lambda v: v + None, "unsupported operand"),
        (lambda v: (1, 2) - v, "unsupported operand"),
        (lambda v: v + 1j, "unsupported operand"),
        (lambda v: 1j * v, "unsupported operand"),
        (lambda v: v @ v, "unsupported operand"),
        (lambda v: pow(v, v, 2), "unsupported operand"),
    ],
)
def test_operands_that_do_not_go_together(operation, text):
    with pytest.raises(TypeError) as info:
        operation(D.float32x2(1, 2))
    assert text in str(info.value)


def test_numbers_of_python_have_to_fit_the_other_side():
    for operation in (lambda v: v + 300, lambda v: -1 - v, lambda v: v / 300, lambda v: v << 256):
        with pytest.raises(OverflowError, match="out of the range of uint8"):
            operation(D.uint8x4(1, 2, 3, 4))


# --- Dim3 ---


@clause("DEV-POS-01")
def test_dim3_is_a_uint32x3():
    assert issubclass(D.Dim3, D.uint32x3)
    d = D.Dim3(1, 2, 3)
    assert isinstance(d, D.Vector)
    assert (d.x, d.y, d.z) == (d[0], d[1], d[2]) == tuple(d) == (1, 2, 3)
    assert type(d.x) is np.uint32
    assert d == D.uint32x3(1, 2, 3)
    assert type(pickle.loads(pickle.dumps(d))) is D.Dim3


# --- as elements of arrays ---


@clause("DEV-VEC-18")
@clause("DEV-VEC-03", partial="interoperable calls")
def test_numpy_dtype_has_the_layout():
    for number, lanes in TYPES:
        kind = vector_type(number, lanes)
        dtype = kind.numpy_dtype
        item = np.dtype(kind.dtype).itemsize
        assert dtype.names == tuple("xyzw"[:lanes])
        assert [dtype.fields[name] for name in dtype.names] == [
            (np.dtype(kind.dtype), i * item) for i in range(lanes)
        ]
        whole = min(16, item * lanes) if lanes in (2, 4) else item
        assert (dtype.itemsize, dtype.alignment) == (item * lanes, whole)


@clause("DEV-VEC-18")
def test_arrays_of_vectors():
    a = D.zeros((2, 3), dtype=D.float32x4, device="cpu")
    assert (a.shape, a.itemsize, a.strides) == ((2, 3), 16, (48, 16))
    assert a.dtype == D.float32x4.numpy_dtype
    a[1, 2] = (1, 2, 3, 4)
    assert a[1, 2].w == 4
    a[1, 2].y = 7
    assert_vector(D.float32x4(*a[1, 2]), D.float32x4(1, 7, 3, 4))
    assert D.full(2, D.int8x2(1, 2), device="cpu").tolist() == [(1, 2), (1, 2)]
    assert D.full(1, (3, 4), dtype=D.float64x2, device="cpu").tolist() == [(3.0, 4.0)]
    b = D.asarray([D.float32x2(1, 2), D.float32x2(3, 4)], dtype=D.float32x2, device="cpu")
    assert b.tolist() == [(1.0, 2.0), (3.0, 4.0)]
    assert D.empty(3, dtype=D.bfloat16x3).itemsize == 6


def test_vectors_are_elements_of_their_dtype():
    kind, v, w = D.float32x2, D.float32x2(1, 2), D.float32x2(3, 4)
    assert np.asarray(v, dtype=kind.numpy_dtype).tolist() == (1, 2)
    a = D.zeros((2, 2), dtype=kind, device="cpu")
    a[0] = v
    a[1, 1:] = w
    assert a.tolist() == [[(1, 2), (1, 2)], [(0, 0), (3, 4)]]
    assert a[0, 0] == v
    assert v == a[0, 0]
    assert a[0, 0] != w
    assert np.asarray(v).tolist() == [1, 2]
    with pytest.raises(ValueError, match="sequence"):
        np.array([v, w], dtype=kind.numpy_dtype)


def test_elements_know_their_vector_through_views_and_pickle():
    a = D.zeros(4, dtype=D.int16x2, device="cpu")
    for b in (a[1:], a.copy(), pickle.loads(pickle.dumps(a)), a.reshape(2, 2)):
        assert b.dtype.type.__cuda_device_type__ is D.int16x2
        assert type(b.reshape(-1)[0]) is a.dtype.type


@pytest.mark.skipif(
    np.lib.NumpyVersion(np.__version__) < "2.4.0",
    reason="waits for NumPy 2.4, which asks types for their dtype",
)
def test_numpy_takes_the_type_as_a_dtype():
    assert np.dtype(D.float32x4) is D.float32x4.numpy_dtype
    assert np.zeros(2, D.uint8x3).nbytes == 6
