"""Complex numbers in kernels: builtin complex, complex64, complex128."""

import cmath
import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.complex_numbers import divide, multiply
from support.errors import expect_refusal
from support.launching import result_type, run
from support.scalars import SMALL_FLOATS, TYPES, assert_same_bits

from support import small_floats

BLOCK = 128


def launch(kernel, n, *args):
    run(kernel, *args, grid=n // BLOCK + 1, block=BLOCK)


def parts(seed, n, dtype):
    """Four columns: numbers of all sizes, and what has rules of its own."""
    rng = np.random.default_rng(seed)
    special = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, np.finfo(dtype).max,
                        np.finfo(dtype).tiny, 1e-30, -1e30, 3.0])  # fmt: skip
    columns = rng.normal(size=(4, n)) * np.exp2(rng.integers(-20, 20, (4, n)))
    troubled = special[rng.integers(0, len(special), (4, n))]
    columns = np.where(np.arange(n) % 2 == 0, columns, troubled)
    return [np.ascontiguousarray(c, dtype=dtype) for c in columns]


@D.kernel(fmad=False)
def arithmetic(x, y, out):
    i = D.tid(1)
    if i < x.size:
        a = x[i]
        b = y[i]
        out[0, i] = a + b
        out[1, i] = a - b
        out[2, i] = a * b
        out[3, i] = a / b
        out[4, i] = -a
        out[5, i] = a.conjugate()
        out[6, i] = a * b.real
        out[7, i] = b.real - a
        out[8, i] = a / b.real


@clause("DEV-FIX-06", "DEV-PROMO-01")
@pytest.mark.parametrize("part", [np.float32, np.float64])
def test_arithmetic_is_that_of_annex_g(target, part):
    n = 4000
    a, b, c, d = parts(1, n, part)
    dtype = np.result_type(part, np.complex64)
    x, y = (np.stack(v, axis=1).view(dtype)[:, 0] for v in ((a, b), (c, d)))
    out = np.zeros((9, n), dtype)
    launch(arithmetic, n, x, y, out)
    with np.errstate(all="ignore"):
        expected = [(a + c, b + d), (a - c, b - d), multiply(a, b, c, d), divide(a, b, c, d),
                    (-a, -b), (a, -b), (a * c, b * c), (c - a, -b), (a / c, b / c)]  # fmt: skip
    for k, (re, im) in enumerate(expected):
        assert_same_bits(out[k].real.copy(), re, x, y)
        assert_same_bits(out[k].imag.copy(), im, x, y)


@D.kernel
def places(a, out, weak, typed, pair):
    t = D.thread_idx.x
    shared = D.shared_array(32, a.dtype)
    local = D.local_array(2, D.complex128)
    shared[t] = a[t]
    D.syncthreads()
    local[0] = shared[31 - t]
    local[1] = weak
    out[t] = local[0] * typed + local[1] + pair[1]
    out[t] += 1


@clause("DEV-NUM-05", "DEV-FIX-11", "DEV-MEM-09", "DEV-ARR-18", partial="the other types")
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_arrays_and_arguments(target, dtype):
    rng = np.random.default_rng(3)
    a = (rng.normal(size=32) + 1j * rng.normal(size=32)).astype(dtype)
    out = np.zeros(32, np.complex128)
    run(places, a, out, 0.1 + 2j, dtype(2j), (1, 0.5j), block=32)
    weak = np.complex64(0.1 + 2j)  # two binary32 numbers
    expected = a[::-1].astype(np.complex128) * 2j + np.complex128(weak) + 0.5j + 1
    assert np.abs(out - expected).max() < 1e-15


@D.struct
class Wave:
    phase: D.int8
    amplitude: complex


@D.kernel
def of_builtin_complex(out, waves, z, wave):
    out[0] = z
    out[1] = wave.amplitude
    out[2] = z * (1 + 2j)
    waves[0].amplitude = z
    waves[1] = wave


@clause("DEV-NUM-05")
def test_builtin_complex_is_two_binary32_numbers(target):
    out, waves = np.zeros(3, np.complex128), np.zeros(2, Wave.numpy_dtype)
    run(of_builtin_complex, out, waves, 0.1 + 2j, Wave(3, 0.3 - 1j))
    z, amplitude = np.complex64(0.1 + 2j), np.complex64(0.3 - 1j)
    assert out[:2].tolist() == [z, amplitude]
    assert abs(out[2] - (0.1 + 2j) * (1 + 2j)) < 1e-6
    assert waves["amplitude"].tolist() == [z, amplitude]
    assert waves["phase"].tolist() == [0, 3]
    assert (Wave.numpy_dtype.itemsize, Wave.numpy_dtype.fields["amplitude"][1]) == (16, 8)
    assert Wave.numpy_dtype["amplitude"] == np.complex64
    for large in (1e300j, -4e38 + 0j):
        with pytest.raises(OverflowError, match="does not fit complex, which is complex64"):
            run(of_builtin_complex, out, waves, large, Wave(3, 0))


@D.kernel
def functions(a, b, re, im):
    i = D.tid(1)
    if i < a.size:
        z = D.complex128(complex(a[i], b[i]))
        results = (cmath.exp(z), cmath.log(z), cmath.sqrt(z), cmath.sin(z), cmath.cos(z),
                   cmath.tan(z), cmath.sinh(z), cmath.cosh(z), cmath.tanh(z), cmath.asin(z),
                   cmath.acos(z), cmath.atan(z), cmath.asinh(z), cmath.acosh(z), cmath.atanh(z),
                   cmath.log10(z), cmath.log(z, 2),
                   z**3, z**-2, z**0, z**0.5, 2**z, z**z)  # fmt: skip
        for k, y in enumerate(results):
            re[k, i] = y.real
            im[k, i] = y.imag


FUNCTIONS = ["exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin", "arccos",
             "arctan", "arcsinh", "arccosh", "arctanh", "log10"]  # fmt: skip


@clause("DEV-FIX-06")
def test_functions_of_cmath(target):
    rng = np.random.default_rng(2)
    on_axes = np.array([[x, y] for x in (-2, -1, -0.5, -0.0, 0.0, 0.5, 1, 2, 30)
                        for y in (-2, -0.5, -0.0, 0.0, 0.5, 2, 30)])  # fmt: skip
    far = rng.normal(size=(100, 2)) * 1e3
    points = np.concatenate([rng.normal(size=(500, 2)) * 2, far, on_axes])
    a, b = (np.ascontiguousarray(v, dtype=np.float32) for v in points.T)
    z = a.astype(complex)
    z.imag = b
    re, im = (np.zeros((23, len(a))) for _ in range(2))
    launch(functions, len(a), a, b, re, im)
    with np.errstate(all="ignore"):
        expected = [getattr(np, f)(z) for f in FUNCTIONS]
        expected += [np.log(z) / np.log(2 + 0j), z**3, z**-2.0, z**0, z**0.5, 2**z, z**z]
    for k, y in enumerate(expected):
        name = (*FUNCTIONS, "log2", "cube", "inverse square", "one", "root", "2**z", "z**z")[k]
        found = re[k] + 1j * im[k]
        fine = np.isfinite(y) & (np.abs(y) < 1e100) & np.isfinite(z)
        error = np.abs(found - y)[fine] / np.maximum(np.abs(y[fine]), 1e-3)
        at = np.argmax(error)
        assert error.max() < 2e-13, (name, z[fine][at], found[fine][at], y[fine][at])
        if name in FUNCTIONS[:15]:  # on which side of a cut: signs of zero count
            sides = fine & (y.real != 0) & (y.imag != 0) & (np.abs(y) > 1e-6)
            assert np.all(np.signbit(re[k]) == np.signbit(y.real), where=sides), name
            assert np.all(np.signbit(im[k]) == np.signbit(y.imag), where=sides), name


@D.kernel
def parts_and_truths(out, re, im, x):
    z = complex(x, 2)
    w = z
    if x > 0:
        w = 3
    out[0] = w == 3
    out[1] = z != w
    out[2] = bool(z) and not complex() and bool(z)  # noqa: UP018
    out[3] = z.real == x and z.imag == 2 and x.imag == 0 and x.real == x and x.conjugate() == x
    out[4] = abs(complex(3, 4)) == 5 and cmath.phase(-1) == cmath.pi
    out[5] = cmath.isnan(z * math.nan) and cmath.isinf(z * math.inf) and cmath.isfinite(z)
    out[6] = cmath.isclose(z, z + 1e-3j, abs_tol=0.01) and not cmath.isclose(z, 2 * z)
    out[7] = z in (1, z) and (z if x > 0 else 1j) == z
    out[8] = complex(1j, 1j) == -1 + 1j and complex(z) == z and 1j * 1j == -1
    out[9] = D.complex64(z).dtype(1) == 1 and z.shape == () and z.ndim == 0 and z.size == 1
    r, phi = cmath.polar(z)
    re[0] = cmath.rect(r, phi).imag
    im[0] = helper(z, 1j)[1].imag
    total = 0j
    for k in range(4):
        total += k * 1j
    im[1] = total.imag


def helper(z, w):
    if z == w:
        return z, w
    return w, z


@clause("DEV-NUM-01", "DEV-FIX-06")
def test_parts_comparisons_variables_and_helpers(target):
    out = np.zeros(10, bool)
    re, im = np.zeros(2), np.zeros(2)
    run(parts_and_truths, out, re, im, 1.0)
    assert out.all(), out
    assert abs(re[0] - 2) < 1e-6
    assert im.tolist() == [2, 6]


@D.kernel
def converted(x, small, large, weak, truth):
    i = D.tid(1)
    if i < x.size:
        small[i] = D.complex64(x[i])
        large[i] = D.complex128(x[i])
        weak[i] = complex(x[i])
        truth[i] = bool(x[i])


@clause("DEV-FIX-13", partial="the other types")
@pytest.mark.parametrize("name", [*TYPES, *SMALL_FLOATS, "complex64", "complex128"])
def test_conversions(target, name):
    numbers = np.array([0, 1, 3, 100])
    if name in SMALL_FLOATS:
        x = small_floats.rounded(numbers, name)
        exact = small_floats.wide(x)
    else:
        exact = numbers + (2 - 0.1j if name.startswith("complex") else 0)
        x = exact.astype(name)
        exact = x
    small, large = np.zeros(4, np.complex64), np.zeros(4, np.complex128)
    weak, truth = np.zeros(4, np.complex128), np.zeros(4, bool)
    launch(converted, 4, x, small, large, weak, truth)
    assert_same_bits(small.view("f4"), exact.astype(np.complex64).view("f4"))
    assert_same_bits(large.view("f8"), exact.astype(np.complex128).view("f8"))
    assert_same_bits(weak.view("f8"), exact.astype(np.complex64).astype(complex).view("f8"))
    assert_same_bits(truth, exact != 0)


@D.kernel
def prints(x):
    print(complex(x, -2), 2j, D.complex128(1.5).conjugate(), (1j, 2))


def test_print(target, capfd):
    run(prints, 1.0)
    assert capfd.readouterr().out == "(1-2j) 2j (1.5-0j) (1j, 2)\n"


@D.kernel
def ordered(out, x):
    out[0] = complex(x, 1) < 1  # refused


@D.kernel
def divided(out, x):
    out[0] = complex(x, 1) // 2  # refused


@D.kernel
def shifted(out, x):
    out[0] = complex(x, 1) << 2  # refused


@D.kernel
def as_integer(out, x):
    out[0] = int(complex(x, 1))  # refused


@D.kernel
def stored(out, x):
    out[0] = complex(x, 1)  # refused


@D.kernel
def counted(out, x):
    out[0] = D.popc(complex(x, 1))  # refused


@D.kernel
def rooted(out, x):
    out[0] = D.cbrt(complex(x, 1))  # refused


@D.kernel
def fused(out, x):
    out[0] = D.fma(complex(x, 1), 1.0, 1.0)  # refused


@D.kernel
def rounded(out, x):
    out[0] = math.sqrt(complex(x, 1))  # refused


@D.kernel
def with_float8(out, x):
    out[0] = (complex(x, 1) + D.float8e4m3(1)).real  # refused


@clause("DEV-INTR-05", "DEV-INTR-07", "DEV-INTR-09", partial="the other types")
@clause("DEV-PROMO-04", partial="the other types")
@pytest.mark.parametrize(
    "kernel",
    [ordered, divided, shifted, as_integer, stored, counted, rooted, fused, rounded, with_float8],
)
def test_what_complex_numbers_do_not_have(kernel):
    expect_refusal(kernel, np.zeros(1), 1.0, words=("complex",))


@D.func
def plus_half(x):
    return x + 0.5j


@clause("DEV-PROMO-02", "DEV-PROMO-04", partial="the other operators")
def test_types_beside_a_complex_literal():
    wide = {"float64": "complex128"}
    for name in ("int8", "uint64", "float16", "bfloat16", "float32", "float64"):
        assert result_type(plus_half, getattr(D, name)) == wide.get(name, "complex64")
    for kind in (bool, int, float):
        assert result_type(plus_half, kind) == "complex"


@D.kernel
def from_parts(out, x, y):
    out[0] = D.complex64(x[0], y[0])
    out[1] = D.complex128(x[0], 2) * D.complex64(0, 1)
    out[2] = D.complex128(D.complex64(1, 2), D.complex64(3, 4))
    out[3] = D.complex64(3) + D.complex64() + D.complex64(y[0], True)


@clause("DEV-NUM-01", partial="complex numbers from two numbers")
def test_complex_numbers_from_two_numbers(target):
    out, x, y = np.zeros(4, np.complex128), np.array([1.5]), np.array([-2], np.int16)
    run(from_parts, out, x, y)
    assert out.tolist() == [1.5 - 2j, (1.5 + 2j) * 1j, 1 + 2j + (3 + 4j) * 1j, 1 + 1j]
