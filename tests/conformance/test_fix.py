"""Fixed-format numbers (DEV-FIX). The types that the compiler has; others are left out in words."""

import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import result_type, run
from support.reference import convert
from support.scalars import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    SIGNED,
    TYPES,
    UNSIGNED,
    assert_same_bits,
    samples,
)


def host_type(name):
    return bool if name == "bool" else getattr(D, name)


@D.kernel
def copy(out, x):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i]


@D.kernel
def store(out, x):
    out[0] = x


@D.func
def as_it_is(x):
    return x


def round_trip(name):
    """Edge values of a type through arrays and as arguments."""
    x = samples(name)
    out = np.zeros_like(x)
    run(copy, out, x, grid=2, block=32)
    assert_same_bits(out, x, x)
    for value in x[[0, -1]]:
        run(store, out, value)
        assert_same_bits(out[:1], np.array([value]))


@clause("DEV-FIX-01")
@pytest.mark.parametrize("name", SIGNED)
def test_signed_round_trip(target, name):
    assert np.dtype(getattr(D, name)).itemsize == int(name[3:]) // 8
    round_trip(name)


@clause("DEV-FIX-02")
@pytest.mark.parametrize("name", UNSIGNED)
def test_unsigned_round_trip(target, name):
    assert np.dtype(getattr(D, name)).itemsize == int(name[4:]) // 8
    round_trip(name)


@D.kernel(fmad=False)
def arithmetic(x, y, add, sub, mul, div, root):
    i = D.tid(1)
    if i < x.size:
        add[i] = x[i] + y[i]
        sub[i] = x[i] - y[i]
        mul[i] = x[i] * y[i]
        div[i] = x[i] / y[i]
        root[i] = math.sqrt(abs(x[i]))


def random_floats(name, n, seed):
    """Every bit pattern is equally likely: all exponents, subnormals, infinities, NaN."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(f"u{np.dtype(name).itemsize}")
    return rng.integers(0, np.iinfo(kind).max, n, dtype=kind, endpoint=True).view(name)


def near_floats(name, n, seed):
    """Moderate values with full mantissas, and subnormals."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n).astype(name) * np.exp2(rng.integers(-20, 20, n)).astype(name)
    x[::7] *= np.finfo(name).tiny
    return x


def exact(operation, name, *operands):
    """The operation on binary32 through binary64, which rounds innocuously; binary64 by NumPy."""
    wide = "float64" if name == "float32" else name
    with np.errstate(all="ignore"):
        return operation(*(x.astype(wide) for x in operands)).astype(name)


def check_arithmetic(name):
    n = 5000
    x = np.concatenate([samples(name), random_floats(name, n, 3), near_floats(name, n, 4)])
    y = np.concatenate([samples(name, 2)[::-1], random_floats(name, n, 5), near_floats(name, n, 6)])
    outs = [np.zeros_like(x) for _ in range(5)]
    run(arithmetic, x, y, *outs, grid=len(x) // 96 + 1, block=96)
    for out, operation in zip(outs, (np.add, np.subtract, np.multiply, np.divide), strict=False):
        assert_same_bits(out, exact(operation, name, x, y), x, y)
    assert_same_bits(outs[4], exact(np.sqrt, name, np.abs(x)), x)


@clause("DEV-FIX-04")
def test_float32_arithmetic_is_correctly_rounded(target):
    check_arithmetic("float32")
    round_trip("float32")


@clause("DEV-FIX-05")
def test_float64_arithmetic_is_correctly_rounded(target):
    check_arithmetic("float64")
    round_trip("float64")


@clause("DEV-FIX-11")
@pytest.mark.parametrize("name", NUMBERS)
def test_host_values_are_typed_arguments(target, name):
    type_ = getattr(D, name)
    out = np.zeros(1, dtype=name)
    run(store, out, type_(1))
    assert out[0] == 1
    assert result_type(as_it_is, type_) == name


@D.kernel
def double(out, x):
    out[0] = x + x


@clause("DEV-FIX-11")
@pytest.mark.parametrize("name", INTEGERS)
def test_typed_arguments_keep_their_width(target, name):
    top = np.iinfo(name).max
    out = np.zeros(1, dtype=np.int64)
    run(double, out, getattr(D, name)(top))
    expected = -2 if name in SIGNED else np.array(top - 1, dtype=name).astype(np.int64)
    assert out[0] == expected


# --- numbers as arrays of no dimension ---


@D.kernel
def as_arrays(out, x):
    v = x[0]
    out[0] = v.shape == () and v.strides == ()
    out[1] = v.ndim == 0 and v.ndims == 0 and v.size == 1
    out[2] = v[()] == v and v[...] == v and v.reshape(()) == v
    out[3] = v.dtype(2.5) == 2.5
    out[4] = v.view(D.int32) == 0x3F800000
    out[5] = v.view("int32").view(np.float32) == v
    out[6] = v.astype(D.float16).view("uint16") == 0x3C00
    out[7] = v.astype("f8").dtype(0.1) == 0.1
    out[8] = D.float8e5m2(1).view(D.uint8) == 0x3C
    out[9] = D.bfloat16(-2).view("i2") == -0x4000


@clause("DEV-FIX-12")
def test_numbers_behave_as_arrays_of_no_dimension(target):
    out = np.zeros(10, dtype=bool)
    run(as_arrays, out, np.ones(1, dtype=np.float32))
    assert out.all(), out


@clause("DEV-FIX-12", partial="kernels")
@pytest.mark.parametrize("name", [*NUMBERS, "float16", "bfloat16", "float8e4m3", "float8e5m2"])
def test_numbers_on_the_host_behave_as_arrays_of_no_dimension(name):
    x = getattr(D, name)(1)
    assert x.shape == () == x.strides
    assert x.ndim == 0
    assert x.size == 1
    assert x[()] == x == x[...]
    assert x.dtype.itemsize == x.nbytes
    assert x.view(f"u{x.itemsize}").astype(D.int64) > 0
    assert x.reshape(()) == x


# --- conversion by call ---


@D.kernel
def to_every_type(x, b, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8):
    i = D.tid(1)
    if i < x.size:
        v = x[i]
        b[i] = bool(v)
        i1[i] = D.int8(v)
        i2[i] = D.int16(v)
        i4[i] = D.int32(v)
        i8[i] = D.int64(v)
        u1[i] = D.uint8(v)
        u2[i] = D.uint16(v)
        u4[i] = D.uint32(v)
        u8[i] = D.uint64(v)
        f4[i] = D.float32(v)
        f8[i] = D.float64(v)


def representable(x, name):
    """Elements of x whose truncated value exists in the integer type; every one for others."""
    if name not in INTEGERS:
        return np.ones(len(x), dtype=bool)
    info = np.iinfo(name)
    return np.array([bool(np.isfinite(v)) and info.min <= int(v) <= info.max for v in x.tolist()])


def convert_all(source):
    x = samples(source)
    if source in FLOATS:
        halves = np.array([2.5, -2.5, 0.99, -0.99, 126.9, 254.5, 65535.9, 2147483520.0])
        x = np.concatenate([x, halves.astype(source)])
    outs = {name: np.zeros(len(x), dtype=name) for name in TYPES}
    run(to_every_type, x, *outs.values(), grid=2, block=32)
    return x, outs


@clause("DEV-FIX-13")
@pytest.mark.parametrize("source", TYPES)
def test_conversion_of_representable_values(target, source):
    x, outs = convert_all(source)
    for name, out in outs.items():
        fits = representable(x, name)
        assert_same_bits(out[fits], convert(x, name)[fits], x[fits])
        host = np.array([host_type(name)(v) for v in x[fits]]).astype(name)
        assert_same_bits(out[fits], host, x[fits])


@clause("DEV-FIX-14", partial="the report under checking")
@pytest.mark.parametrize("source", NUMBERS)
def test_run_time_values_wrap_or_saturate(target, source):
    x, outs = convert_all(source)
    for name in INTEGERS:
        assert_same_bits(outs[name], convert(x, name), x)


@D.func
def to_int(x):
    return int(x)


@D.func
def to_float(x):
    return float(x)


@D.func
def to_bool(x):
    return bool(x)


@clause("DEV-FIX-13")
@pytest.mark.parametrize("source", TYPES)
def test_builtin_conversions_give_builtins(source):
    type_ = host_type(source)
    assert result_type(to_int, type_) == "int"
    assert result_type(to_float, type_) == "float"
    assert result_type(to_bool, type_) == "bool"


@D.kernel
def int8_of_300(out):
    out[0] = D.int8(300)  # refused


@D.kernel
def uint8_of_minus_1(out):
    out[0] = D.uint8(-1)  # refused


@D.kernel
def int32_of_2_to_the_31(out):
    out[0] = D.int32(2**31)  # refused


@D.kernel
def uint64_of_2_to_the_64(out):
    out[0] = D.uint64(18446744073709551616)  # refused


@D.kernel
def int16_of_a_constant(out):
    out[0] = D.int16(BIG)  # refused


BIG = 40_000
LITERALS = [
    (int8_of_300, "int8", "300"),
    (uint8_of_minus_1, "uint8", "-1"),
    (int32_of_2_to_the_31, "int32", "2147483648"),
    (uint64_of_2_to_the_64, "uint64", "18446744073709551616"),
    (int16_of_a_constant, "int16", "40000"),
]


@clause("DEV-FIX-14", partial="the report under checking")
@pytest.mark.parametrize(("kernel", "type_", "value"), LITERALS)
def test_literals_must_fit(kernel, type_, value):
    expect_refusal(kernel, np.zeros(1, dtype=np.int64), words=(type_, value))
    with pytest.raises(OverflowError):
        getattr(D, type_)(int(value))
