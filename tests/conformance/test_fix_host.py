"""Fixed-format numbers in host code (DEV-FIX): the classes of NumPy and ml_dtypes."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause

# What kernels do is shown elsewhere.
HOST = "host code"

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
SMALL = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3": ml_dtypes.float8_e4m3fn,
    "float8e5m2": ml_dtypes.float8_e5m2,
}
REALS = [*INTEGERS, "float16", "float32", "float64", *SMALL]
FORMATS = [*REALS, "complex64", "complex128"]


@clause("DEV-FIX-10", "DEV-FIX-11", partial=HOST)
def test_formats_are_classes_that_make_numbers():
    for name in FORMATS:
        kind = getattr(D, name)
        assert kind is SMALL.get(name, getattr(np, name, None))
        made = kind(1)
        assert type(made) is kind
        assert made == 1
        assert complex(made) == 1
        assert (float(made), int(made)) == (1, 1) if name in REALS else True


@clause("DEV-FIX-12", partial=HOST)
def test_numbers_have_the_attributes_of_arrays():
    for name in FORMATS:
        x = getattr(D, name)(3)
        assert (x.dtype, x.shape, x.strides, x.size, x.ndim) == (np.dtype(type(x)), (), (), 1, 0)
        assert type(x[()]) is type(x)
        assert x[()] == x[...] == x.reshape(()) == x
        assert x.reshape(1).shape == (1,)
        assert x.astype(np.complex128) == 3
        bits = np.dtype(f"u{x.itemsize}") if x.itemsize <= 8 else x.dtype
        assert x.view(bits).view(x.dtype) == x
        with pytest.raises(TypeError):
            len(x)
        with pytest.raises(TypeError):
            x[()] = 1
    assert D.float32(1.0).view(D.int32) == 0x3F800000
    assert D.bfloat16(1.0).view(D.uint16) == 0x3F80


@clause("DEV-FIX-13", partial=HOST)
def test_every_format_converts_to_every_other():
    for source, target in itertools.product(REALS, FORMATS):
        for value in (0, 1, 7, 96):
            made = getattr(D, target)(getattr(D, source)(value))
            assert type(made) is getattr(D, target)
            assert made == value
    for target in FORMATS:
        assert getattr(D, target)(True) == getattr(D, target)(np.True_) == 1
    for target in INTEGERS:
        for kind in (float, D.float32, D.float64, D.float16):
            assert getattr(D, target)(kind(2.75)) == 2
    assert D.int8(D.float32(-2.75)) == D.int8(D.bfloat16(-2.75)) == -2


@clause("DEV-FIX-14", partial=HOST)
def test_integers_of_python_have_to_fit():
    for name in INTEGERS:
        kind = getattr(D, name)
        limits = np.iinfo(kind)
        assert (kind(limits.min), kind(limits.max)) == (limits.min, limits.max)
        for value in (limits.min - 1, limits.max + 1):
            with pytest.raises(OverflowError):
                kind(value)
    with pytest.raises(OverflowError):
        D.int8(300)
    with pytest.raises(OverflowError):
        D.uint8(-1)


@clause("DEV-NUM-05", partial=HOST)
def test_a_complex_member_is_a_complex64():
    @D.struct
    class Wave:
        phase: D.int8
        amplitude: complex

    layout = Wave.__cuda_device_struct__
    assert (layout.size, layout.align, layout.fields[1].offset) == (16, 8, 8)
    assert type(Wave(1, 2).amplitude) is complex
