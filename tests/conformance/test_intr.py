"""Numeric intrinsics (DEV-INTR)."""

from fractions import Fraction

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import result_type, run
from support.scalars import INTEGERS, assert_same_bits, samples, ulps

from support import reference

OTHERS = [1j, np.complex64(1), np.complex128(1), D.float32x2(1, 2), D.int32x3(1, 2, 3)]


@D.func
def popc(x):
    return D.popc(x)


@D.func
def clz(x):
    return D.clz(x)


@D.func
def ffs(x):
    return D.ffs(x)


@D.func
def brev(x):
    return D.brev(x)


@D.func
def cbrt(x):
    return D.cbrt(x)


@D.func
def fma(a, b, c):
    return D.fma(a, b, c)


@D.kernel
def every_bit_function(x, popcs, clzs, ffss, brevs):
    i = D.tid(1)
    if i < x.size:
        popcs[i] = D.popc(x[i])
        clzs[i] = D.clz(x[i])
        ffss[i] = D.ffs(x[i])
        brevs[i] = D.brev(x[i])


@D.kernel
def every_bit_function_of(x, out):
    out[0] = D.popc(x)
    out[1] = D.clz(x)
    out[2] = D.ffs(x)
    out[3] = D.brev(x)


def bit_patterns(name):
    """Edge values, every single bit, every run of low bits, and random ones."""
    width = np.iinfo(name).bits
    values = [1 << i for i in range(width)] + [(1 << i) - 1 for i in range(width + 1)]
    values += [int(v) for v in np.random.default_rng(2).integers(0, 2**63, 40, dtype=np.uint64)]
    patterns = np.array([reference.wrap(v, name) for v in values], dtype=name)
    return np.concatenate([samples(name), patterns])


@clause("DEV-INTR-01", "DEV-INTR-02", "DEV-INTR-03", "DEV-INTR-04")
@pytest.mark.parametrize("name", INTEGERS)
def test_bit_functions(target, name):
    x = bit_patterns(name)
    counts = [np.zeros(len(x), dtype=np.int64) for _ in range(3)]
    reversed_ = np.zeros_like(x)
    run(every_bit_function, x, *counts, reversed_, grid=len(x) // 32 + 1, block=32)
    functions = (reference.popc, reference.clz, reference.ffs)
    for found, function in zip(counts, functions, strict=True):
        expected = np.array([function(v, name) for v in x.tolist()])
        assert_same_bits(found, expected, x)
    expected = np.array([reference.brev(v, name) for v in x.tolist()], dtype=name)
    assert_same_bits(reversed_, expected, x)


@clause("DEV-INTR-01", "DEV-INTR-02", "DEV-INTR-03", "DEV-INTR-04")
@pytest.mark.parametrize("value", [0, 1, -1, 12, -(2**31), 2**31 - 1])
def test_bit_functions_of_builtin_int(target, value):
    out = np.zeros(4, dtype=np.int64)
    run(every_bit_function_of, value, out)
    functions = (reference.popc, reference.clz, reference.ffs, reference.brev)
    assert out.tolist() == [function(value, "int32") for function in functions]


@clause("DEV-INTR-01", "DEV-INTR-02", "DEV-INTR-03", "DEV-INTR-04")
@pytest.mark.parametrize("name", INTEGERS)
def test_result_types_of_bit_functions(name):
    type_ = getattr(D, name)
    assert result_type(popc, type_) == "int32"
    assert result_type(clz, type_) == "int32"
    assert result_type(ffs, type_) == "int32"
    assert result_type(brev, type_) == name


@D.kernel
def popc_of(out, x):
    out[0] = D.popc(x)  # refused


@D.kernel
def clz_of(out, x):
    out[0] = D.clz(x)  # refused


@D.kernel
def ffs_of(out, x):
    out[0] = D.ffs(x)  # refused


@D.kernel
def brev_of(out, x):
    out[0] = D.brev(x)  # refused


OUT = np.zeros(1, dtype=np.float64)


@clause("DEV-INTR-05")
@pytest.mark.parametrize(
    "value", [1.5, True, np.float32(1), np.float64(1), np.ones(3), *OTHERS], ids=repr
)
@pytest.mark.parametrize("kernel", [popc_of, clz_of, ffs_of, brev_of])
def test_bit_functions_need_an_integer(kernel, value):
    name = kernel.underlying.__name__.partition("_")[0]
    expect_refusal(kernel, OUT, value, words=(name, "integer"))


@D.kernel
def cube_roots(x, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = D.cbrt(x[i])


def cube_root(x):
    """By Newton's method in extended precision from NumPy's value."""
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        root = np.cbrt(wide)
        better = root - (root * root * root - wide) / (3 * root * root)
    return np.where(np.isfinite(better) & (wide != 0), better, root).astype(x.dtype)


@clause("DEV-INTR-06")
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_cbrt(target, name):
    rng = np.random.default_rng(8)
    exponents = rng.uniform(-36, 36, 2000)
    x = np.concatenate([
        samples(name),
        np.array([27, -8, 1, -1, 1e-3, 64], dtype=name),
        (rng.choice([-1, 1], 2000) * 10.0**exponents).astype(name),
    ])  # fmt: skip
    out = np.zeros_like(x)
    run(cube_roots, x, out, grid=len(x) // 64 + 1, block=64)
    expected = cube_root(x)
    assert ulps(out, expected).max() <= 1
    assert np.array_equal(np.signbit(out[x == 0]), np.signbit(x[x == 0]))


@D.kernel
def cube_root_of(x, out):
    out[0] = D.cbrt(x)


@clause("DEV-INTR-06")
def test_cbrt_of_builtin_float(target):
    out = np.zeros(1)
    for value, root in ((27.0, 3.0), (-8.0, -2.0), (2.0, 2 ** (1 / 3))):
        run(cube_root_of, value, out)
        assert abs(out[0] - root) <= np.spacing(np.float32(abs(root)))
        assert out[0] == np.float32(out[0])


@clause("DEV-INTR-06")
def test_cbrt_keeps_the_type():
    assert result_type(cbrt, D.float32) == "float32"
    assert result_type(cbrt, D.float64) == "float64"
    assert result_type(cbrt, float) == "float"


@D.kernel
def refused_cbrt(out, x):
    out[0] = D.cbrt(x)  # refused


@clause("DEV-INTR-07")
@pytest.mark.parametrize(
    "value", [1, True, np.int8(1), np.uint64(1), np.ones(3), *OTHERS], ids=repr
)
def test_cbrt_needs_a_float(value):
    expect_refusal(refused_cbrt, OUT, value, words=("cbrt", "float"))


@D.kernel(fmad=False)
def fused(a, b, c, out):
    i = D.tid(1)
    if i < a.size:
        out[i] = D.fma(a[i], b[i], c[i])


def fused_once(a, b, c, name):
    """a*b+c exactly as a fraction, rounded once to nearest even."""
    value = Fraction(a) * Fraction(b) + Fraction(c)
    if name == "float64":
        return float(value)
    return round_to_float32(value)


def round_to_float32(value):
    """A fraction to binary32: the nearer neighbour of its binary64 rounding, ties to even."""
    guess = np.float32(float(value))
    around = [np.nextafter(guess, -np.inf), guess, np.nextafter(guess, np.inf)]

    def key(candidate):
        return abs(Fraction(float(candidate)) - value), int(candidate.view(np.uint32)) & 1

    return min((np.float32(v) for v in around if np.isfinite(v)), key=key)


def fma_operands(name, n=400):
    rng = np.random.default_rng(9)
    a, b = (rng.normal(size=n).astype(name) for _ in range(2))
    c = -(a * b)  # cancels all but the rounding of the product
    c[::3] = rng.normal(size=len(c[::3])).astype(name)
    return a, b, c


@clause("DEV-INTR-08")
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_fma_rounds_once(target, name):
    a, b, c = fma_operands(name)
    out = np.zeros_like(a)
    run(fused, a, b, c, out, grid=len(a) // 32 + 1, block=32)
    triples = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    expected = np.array([fused_once(*t, name) for t in triples], dtype=name)
    assert (expected != a * b + c).any()
    # The sign of an exact zero is that of the sum of two zeros, which fractions do not have.
    zero = expected == 0
    assert_same_bits(out[~zero], expected[~zero], a[~zero], b[~zero], c[~zero])
    assert (out[zero] == 0).all()


@clause("DEV-INTR-08")
def test_fma_promotes_its_operands():
    f4, f8 = D.float32, D.float64
    assert result_type(fma, f4, f4, f4) == "float32"
    assert result_type(fma, f4, f4, f8) == "float64"
    assert result_type(fma, f8, f4, f4) == "float64"
    assert result_type(fma, f4, float, f4) == "float32"
    assert result_type(fma, float, float, float) == "float"


@D.kernel
def refused_fma(out, a, b, c):
    out[0] = D.fma(a, b, c)  # refused


@clause("DEV-INTR-09")
@pytest.mark.parametrize("wrong", [1, True, np.int32(1), np.ones(3), *OTHERS], ids=repr)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_fma_needs_floats(wrong, place):
    arguments = [1.5, 2.5, 3.5]
    arguments[place] = wrong
    expect_refusal(refused_fma, OUT, *arguments, words=("fma", "float"))
