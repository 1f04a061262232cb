"""float16, bfloat16, float8e4m3, float8e5m2 in kernels: every number of them, rounded once."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run
from support.programs import run_program
from support.reference import convert
from support.scalars import INTEGERS, assert_same_bits
from support.small_float_kernels import arithmetic, launch, to_small
from support.small_floats import (
    DTYPES,
    NAMES,
    assert_same,
    decoded,
    patterns,
    random,
    rounded,
    rounded_fraction,
    wide,
)

FORMAT_CLAUSES = {
    "float16": "DEV-FIX-03",
    "bfloat16": "DEV-FIX-09",
    "float8e4m3": "DEV-FIX-07",
    "float8e5m2": "DEV-FIX-08",
}
BY_NAME = [pytest.param(n, marks=clause(FORMAT_CLAUSES[n]), id=n) for n in NAMES]


# --- conversions ---


@D.kernel
def to_every_type(x, b, i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, f2, bf, e4, e5):
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
        f2[i] = D.float16(v)
        bf[i] = D.bfloat16(v)
        e4[i] = D.float8e4m3(v)
        e5[i] = D.float8e5m2(v)


OTHERS = ("bool", *(f"int{n}" for n in (8, 16, 32, 64)), *(f"uint{n}" for n in (8, 16, 32, 64)),
          "float32", "float64")  # fmt: skip


@pytest.mark.parametrize("name", BY_NAME)
@clause("DEV-FIX-13", "DEV-FIX-14", partial="the other types")
def test_every_number_to_every_type(target, name):
    x = patterns(name)
    exact = decoded(name)
    others = [np.zeros(len(x), dtype=t) for t in OTHERS]
    small = {n: np.zeros(len(x), DTYPES[n]) for n in NAMES}
    launch(to_every_type, x, *others, *small.values())
    for out in others:
        assert_same_bits(out, convert(exact, out.dtype.name), exact)
    for n, out in small.items():
        assert_same(out, x if n == name else rounded(exact, n), exact)


def near_ties(rng):
    """Numbers of every format, halfway between neighbours, and next to that."""
    found = [np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 5e-324])]
    for name in NAMES:
        numbers = decoded(name)
        numbers = rng.permutation(numbers[np.isfinite(numbers)])[:2000]
        spacing = np.spacing(numbers.astype(np.float32)) * 2.0 ** (24 - {
            "float16": 11, "bfloat16": 8, "float8e4m3": 4, "float8e5m2": 3}[name])  # fmt: skip
        halves = numbers + spacing / 2
        found += [numbers, halves, np.nextafter(halves, np.inf), np.nextafter(halves, -np.inf)]
        smallest = np.abs(numbers[numbers != 0]).min()
        found += [smallest * np.arange(16) / 8, -smallest * np.arange(16) / 8 * (1 + 2**-40)]
    return np.concatenate(found)


def sources(name):
    rng = np.random.default_rng(7)
    if name == "float64":
        bits = rng.integers(0, 2**64, 20_000, dtype=np.uint64)
        return np.concatenate([near_ties(rng), bits.view(np.float64)])
    if name == "float32":
        with np.errstate(over="ignore"):
            ties = near_ties(rng).astype(np.float32)
        neighbours = [np.nextafter(ties, np.float32(s)) for s in (np.inf, -np.inf)]
        bits = rng.integers(0, 2**32, 20_000, dtype=np.uint64).astype(np.uint32)
        return np.concatenate([ties, *neighbours, bits.view(np.float32)])
    info = np.iinfo(name)
    any_size = rng.integers(info.min, info.max, 4000, dtype=name, endpoint=True) >> rng.integers(
        0, info.bits, 4000
    ).astype(name)
    near_powers = [
        s * 2**k * m // 1024 + d
        for s in (1, -1)
        for k in range(info.bits)
        for m in (1024, 1025, 1027, 1028, 1032, 1036, 1088, 1152)
        for d in (-1, 0, 1)
    ]
    inside = [v for v in near_powers if info.min <= v <= info.max]
    ends = [info.min, info.max, info.min // 2, 65519, 65520, 65521, 463, 464, 465, 61440]
    return np.concatenate([any_size, np.array(inside, dtype=name),
                           np.array([v for v in ends if v <= info.max], dtype=name)])  # fmt: skip


@clause("DEV-FIX-13", "DEV-FIX-14", partial="the other types")
@clause("DEV-FIX-03", "DEV-FIX-07", "DEV-FIX-08", "DEV-FIX-09")
@pytest.mark.parametrize("source", ["float32", "float64", *INTEGERS])
def test_other_numbers_are_rounded_once(target, source):
    x = sources(source)
    outs = {n: np.zeros(len(x), d) for n, d in DTYPES.items()}
    launch(to_small, x, *outs.values())
    for name, out in outs.items():
        assert_same(out, rounded(x, name), x)


# --- arithmetic ---


def signs(out, n):
    i = D.tid(1)
    if i < out.size:
        out[i] = math.copysign(i * 6, n / -2.125)


@pytest.mark.parametrize("execution", ["gangs", "threads"])
@pytest.mark.parametrize("fmt", ["float16", "bfloat16"])
def test_signs_of_float64_are_stored(fmt, execution, target):
    """LLVM makes one rounding of the two, of which it has none for scalars."""
    out = np.zeros(40, getattr(D, fmt, None) if fmt == "bfloat16" else fmt)
    kernel = D.kernel(builtins=64, execution=execution)(signs)
    run(kernel, out, 3, block=64)
    assert out.astype(np.float64).tolist() == [-6.0 * i for i in range(40)]


@D.kernel
def comparisons(x, y, eq, ne, lt, le, gt, ge, nan, inf):
    i = D.tid(1)
    if i < x.size:
        eq[i] = x[i] == y[i]
        ne[i] = x[i] != y[i]
        lt[i] = x[i] < y[i]
        le[i] = x[i] <= y[i]
        gt[i] = x[i] > y[i]
        ge[i] = x[i] >= y[i]
        nan[i] = math.isnan(x[i])
        inf[i] = math.isinf(x[i])


def pairs(name):
    """Every pair of the 8-bit numbers; many of the others."""
    x = patterns(name)
    if len(x) == 256:
        return np.repeat(x, 256), np.tile(x, 256)
    n = 100_000
    every = np.concatenate([x, random(name, n - len(x), 1)])
    # Partners of like size, where sums round, and any.
    near = bits_near(every, name)
    return every, np.where(np.arange(n) % 2 == 0, near, random(name, n, 2))


def bits_near(x, name):
    step = np.random.default_rng(5).integers(-4000, 4000, len(x))
    pattern = (x.view(np.uint16).astype(np.int64) + step) & 0xFFFF
    return pattern.astype(np.uint16).view(DTYPES[name])


@pytest.mark.parametrize("name", BY_NAME)
def test_arithmetic_rounds_after_every_operation(target, name):
    x, y = pairs(name)
    a, b = wide(x), wide(y)
    outs = [np.zeros_like(x) for _ in range(10)]
    launch(arithmetic, x, y, *outs)
    with np.errstate(all="ignore"):
        # float64 has more than twice the bits: rounding its results is rounding once.
        expected = [rounded(v, name) for v in (a + b, a - b, a * b, a / b)]
        expected += [np.where(b < a, y, x), np.where(b > a, y, x), rounded(np.sqrt(a), name)]
    for out, value in zip(outs, expected, strict=False):
        assert_same(out, value, x, y)
    top = 1 << (8 * x.itemsize - 1)
    pattern = x.view(f"u{x.itemsize}")
    # These move bits, those of NaN too.
    assert np.array_equal(outs[7].view(pattern.dtype), pattern ^ top)
    assert np.array_equal(outs[8].view(pattern.dtype), pattern & (top - 1))
    signs = y.view(pattern.dtype) & top
    assert np.array_equal(outs[9].view(pattern.dtype), (pattern & (top - 1)) | signs)


@pytest.mark.parametrize("name", NAMES)
def test_comparisons(target, name):
    x, y = pairs(name)
    a, b = wide(x), wide(y)
    outs = [np.zeros(len(x), bool) for _ in range(8)]
    launch(comparisons, x, y, *outs)
    expected = [a == b, a != b, a < b, a <= b, a > b, a >= b, np.isnan(a), np.isinf(a)]
    for out, value in zip(outs, expected, strict=True):
        assert_same_bits(out, value, a, b)


@D.kernel
def contracted(x, y, z, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i] * y[i] + z[i]


@clause("DEV-FIX-03")
def test_products_and_sums_are_not_fused(target):
    x, y, z = (random("float16", 2000, seed) for seed in (1, 2, 3))
    out = np.zeros_like(x)
    launch(contracted, x, y, z, out)
    with np.errstate(all="ignore"):
        assert_same(out, x * y + z, x, y, z)


@D.kernel
def fused(x, y, z, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = D.fma(x[i], y[i], z[i])


def fraction(number):
    return Fraction(float(number))


@pytest.mark.parametrize("name", NAMES)
@clause("DEV-INTR-08", partial="the other types")
def test_fma_is_rounded_once(target, name):
    finite = patterns(name)[np.isfinite(decoded(name))]
    rng = np.random.default_rng(11)
    x, y, z = (rng.choice(finite, 3000) for _ in range(3))
    with np.errstate(all="ignore"):  # addends that nearly cancel, or decide a tie far below it
        product = wide(x) * wide(y)
        z[::3] = rounded(-product[::3], name)
        z[1::3] = rounded(product[1::3] * 2.0**-12, name)
    z = np.where(np.isfinite(wide(z)), z, finite[1])
    out = np.zeros_like(x)
    launch(fused, x, y, z, out)
    exact = [fraction(a) * fraction(b) + fraction(c) for a, b, c in zip(x, y, z, strict=True)]
    expected = np.array([rounded_fraction(v, name) for v in exact], dtype=x.dtype)
    zero = np.array([v == 0 for v in exact])  # their signs: as float64 has them
    expected[zero] = rounded(product[zero] + wide(z)[zero], name)
    assert_same(out, expected, x, y, z)


@D.kernel
def quotients(x, y, quotient, rest, square, cube, power):
    i = D.tid(1)
    if i < x.size:
        quotient[i] = x[i] // y[i]
        rest[i] = x[i] % y[i]
        square[i] = x[i] ** 2
        cube[i] = x[i] ** 3.0
        power[i] = abs(x[i]) ** y[i]


@pytest.mark.parametrize("name", NAMES)
def test_quotients_and_powers_are_computed_in_float32(target, name):
    x, y = (v[::7] for v in pairs(name))
    a, b = wide(x).astype(np.float32), wide(y).astype(np.float32)
    outs = [np.zeros_like(x) for _ in range(5)]
    launch(quotients, x, y, *outs)
    with np.errstate(all="ignore"):
        expected = [a // b, a % b, a * a]
        for out, value in zip(outs, expected, strict=False):
            keep = (b != 0) | (out is outs[2])
            assert_same(out[keep], rounded(value, name)[keep], x[keep], y[keep])
        near(outs[3], a.astype(float) ** 3, name)
        near(outs[4], np.abs(a).astype(float) ** b.astype(float), name)


def near(found, exact, name):
    """Rounded from a value that is a few units of float32 off: at most a neighbour."""
    low = rounded(exact * (1 - 1e-5), name), rounded(exact * (1 + 1e-5), name)
    smallest, largest = np.minimum(*map(wide, low)), np.maximum(*map(wide, low))
    value = wide(found)
    fine = (value >= smallest) & (value <= largest)
    fine |= np.isnan(value) & np.isnan(exact)
    # A float32 that has become infinite, or zero, is so in the format too.
    assert np.all(fine), (found[~fine][:5], exact[~fine][:5])


@D.kernel
def functions(x, y, exp, log, sine, cube_root, angle, whole, parts, scaled, length, degrees):
    i = D.tid(1)
    if i < x.size:
        exp[i] = math.exp(x[i])
        log[i] = math.log(x[i], 10)
        sine[i] = math.sin(x[i])
        cube_root[i] = D.cbrt(x[i])
        angle[i] = math.atan2(x[i], y[i])
        whole[i] = math.floor(x[i])
        parts[i] = math.modf(x[i])[0]
        scaled[i] = math.ldexp(x[i], 3)
        length[i] = math.hypot(x[i], y[i], 1)
        degrees[i] = math.degrees(x[i])


@pytest.mark.parametrize("name", NAMES)
@clause("DEV-INTR-06", partial="the other types")
def test_functions_are_computed_in_float32(target, name):
    x, y = (v[::11] for v in pairs(name))
    keep = np.isfinite(wide(x)) & np.isfinite(wide(y)) & (np.abs(wide(x)) < 1e5)
    x, y = x[keep], y[keep]
    a, b = wide(x), wide(y)
    outs = [np.zeros_like(x) for _ in range(10)]
    launch(functions, x, y, *outs)
    with np.errstate(all="ignore"):
        expected = [np.exp(a), np.log10(a), np.sin(a), np.cbrt(a), np.arctan2(a, b), np.floor(a)]
        expected += [np.modf(a)[0], np.ldexp(a, 3), np.hypot(np.hypot(a, b), 1), np.degrees(a)]
    for out, value in zip(outs, expected, strict=True):
        near(out, value, name)


# --- where they stand ---


@D.func
def halved(x):
    return x / 2


@D.kernel
def in_places(a, out, scalar, weak):
    t = D.thread_idx.x
    shared = D.shared_array(32, a.dtype)
    local = D.local_array(2, a.dtype)
    shared[t] = a[t]
    D.syncthreads()
    local[0] = shared[31 - t]
    local[1] = 0.1
    best = local[0]
    if a[t] > scalar:
        best = scalar
    for _ in range(2):
        best = best + local[1]
    out[t] = halved(best) * weak


@pytest.mark.parametrize("name", NAMES)
@clause("DEV-FIX-11", "DEV-FIX-10", "DEV-MEM-09", partial="the other types")
def test_variables_arrays_arguments_and_helpers(target, name):
    dtype = DTYPES[name].type
    a = rounded(np.linspace(-3, 3, 32), name)
    out = np.zeros_like(a)
    scalar = dtype(0.75)
    run(in_places, a, out, scalar, 1.5, block=32)
    best = np.where(wide(a) > 0.75, 0.75, wide(a)[::-1])
    tenth = wide(rounded(np.array([0.1]), name))
    for _ in range(2):
        best = wide(rounded(best + tenth, name))
    assert_same(out, rounded(wide(rounded(best / 2, name)) * 1.5, name), a)


@D.kernel
def copies(out, x, y):
    out[0] = x
    out[1] = y
    out[2] = x + y


@pytest.mark.parametrize("name", NAMES)
@clause("DEV-FIX-10")
def test_numbers_made_on_the_host_are_arguments(target, name):
    kind = getattr(D, name)
    x, y = kind(0.3), kind(-2)
    assert type(x) is kind
    exact = float(rounded(np.array([0.3]), name)[0])
    assert (float(x), float(y)) == (exact, -2)
    assert exact != 0.3
    out = np.zeros(3)
    run(copies, out, x, y)
    assert out.tolist() == [exact, -2, float(rounded(np.array([exact - 2]), name)[0])]


@D.kernel
def prints(x):
    print(x, x + 1, f"{x:.3f}")


@pytest.mark.parametrize(
    ("name", "text"),
    [("float16", "0.1 1.1 0.100"), ("bfloat16", "0.1 1.1 0.100"),
     ("float8e4m3", "0.1 1.1 0.102"), ("float8e5m2", "0.09 1.0 0.094")],
)  # fmt: skip
def test_print(target, capfd, name, text):
    run(prints, DTYPES[name].type(0.1))
    assert capfd.readouterr().out == text + "\n"


HALF = np.float16(0.1)
BRAIN = ml_dtypes.bfloat16(3)


@D.kernel
def constants(out, x):
    out[0] = HALF
    out[1] = BRAIN + 1
    out[2] = D.float16(0.1) + 0.1
    out[3] = D.float8e4m3(448) * 2
    out[4] = x + 0.1
    out[5] = x * 70000 if x < 0 else D.float64(x)


@clause("DEV-PROMO-02", partial="the other types")
def test_constants_and_literals(target):
    out = np.zeros(6)
    run(constants, out, np.float32(2))
    tenth = np.float16(0.1)
    assert out[:4].tolist() == [float(tenth), 4.0, float(tenth + tenth), 448.0]


@D.kernel
def with_integers(x, out):
    i = D.tid(1)
    if i < x.size:
        out[i, 0] = x[i] < 100_000
        out[i, 1] = x[i] >= 100_000
        out[i, 2] = x[i] > -100_000
        out[i, 3] = 2049 > x[i]  # noqa: SIM300
        out[i, 4] = x[i] == 2049
        out[i, 5] = x[i] != 2049
        out[i, 6] = 16_777_217 <= x[i]  # noqa: SIM300
        out[i, 7] = x[i] <= 3


@pytest.mark.parametrize("name", [*NAMES, "float32", "float64"])
@clause("DEV-PROMO-04", partial="the other operators")
def test_comparisons_with_integer_literals_are_exact(target, name):
    if name in NAMES:
        x = patterns(name)
        a = wide(x)
    else:
        values = [np.nan, np.inf, -np.inf, 0, 3, 2048, 2049, 2050, 1e5, 16777216, 16777218, 1e38]
        x = np.array(values, dtype=name)
        a = x.astype(float)
    out = np.zeros((len(x), 8), dtype=bool)
    launch(with_integers, x, out)
    expected = [a < 1e5, a >= 1e5, a > -1e5, a < 2049, a == 2049, a != 2049, a >= 16777217, a <= 3]
    assert np.array_equal(out, np.stack(expected, axis=1))


@pytest.mark.parametrize("name", ["float8e4m3", "float8e5m2", "bfloat16"])
def test_arrays_by_the_names_that_kernels_have(name, tmp_path):
    """Also where nothing has loaded ml_dtypes, which tells NumPy of them."""
    text = f'a = D.zeros(2, dtype="{name}", device="cpu"); print(a.dtype == np.dtype(D.{name}))'
    done = run_program(tmp_path, text)
    assert done.stdout == "True\n", done.stderr
