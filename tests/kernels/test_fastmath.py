"""@kernel(fastmath=): results within the bounds of docs/math.md on every target, the instructions
that are taken for it, and none of that without."""

import math
import re
import shutil

import cloudpickle
import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.cuda_tools import find_nvcc, nvcc
from support.launching import run

from support import targets

FORMS = ("avx512", "avx2", "sse4")


def divide(x, y):
    return x / y


def inverse(x, y):
    return 1 / y


def third(x, y):
    return x / 3


def root(x, y):
    return math.sqrt(x)


def inverse_root(x, y):
    return 1 / math.sqrt(x)


def over_root(x, y):
    return y / math.sqrt(x)


def power(x, y):
    return x**y


def function(name):
    chosen = getattr(math, name)

    def body(x, y):
        return chosen(x)

    return body


def kernel_of(body, **options):
    @D.kernel(**options)
    def compute(out, x, y):
        i = D.tid(1)
        if i < out.size:
            out[i] = body(x[i], y[i])

    return compute


def computed(body, x, y, **options):
    out = np.empty_like(x)
    run(kernel_of(body, **options), out, x, y, grid=len(x) // 96 + 1, block=96)
    return out


def ulps(found, exact):
    unit = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    return np.abs(found.astype(np.float64) - exact) / unit


def positive(n, low, high):
    """Numbers whose logarithms are spread evenly."""
    return np.exp(np.random.default_rng(3).uniform(np.log(low), np.log(high), n)).astype(np.float32)


# Of docs/math.md: the looser one of those of AVX2 and GPUs.
ROUGH = {
    "divide": (divide, np.divide, 4),
    "inverse": (inverse, lambda x, y: 1 / y, 4),
    "third": (third, lambda x, y: x / 3, 2),
    "root": (root, lambda x, y: np.sqrt(x), 5),
    "inverse_root": (inverse_root, lambda x, y: 1 / np.sqrt(x), 5),
    "over_root": (over_root, lambda x, y: y / np.sqrt(x), 6),
}


@clause("DEV-KERN-10")
@pytest.mark.parametrize("name", ROUGH)
def test_divisions_and_roots(target, name):
    body, exact, bound = ROUGH[name]
    x, y = positive(3000, 1e-18, 1e18), positive(3000, 1e-15, 1e15)[::-1].copy()
    if "root" not in name:
        x[::3] *= -1
    found = computed(body, x, y, fastmath=True)
    assert ulps(found, exact(x.astype(np.float64), y.astype(np.float64))).max() <= bound


@pytest.mark.parametrize("name", ROUGH)
def test_what_is_not_finite(target, name):
    body, exact, _ = ROUGH[name]
    values = np.array([0.0, np.inf, np.nan, 1.0, 4.0], np.float32)
    x, y = (a.ravel().copy() for a in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        want = exact(x.astype(np.float64), y.astype(np.float64)).astype(np.float32)
    found = computed(body, x, y, fastmath=True)
    np.testing.assert_allclose(found, want, rtol=1e-6)


# Numbers at which an estimate of the reciprocal is zero, infinite or subnormal.
EDGES = np.array(
    [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1,
        3,
        2.0**125,
        2.0**126,
        -(2.0**126),
        2.0**127,
        3e38,
        -3e38,
        1e38,
        2.0**-126,
        2.0**-125,
        1.1e-38,
        1e-40,
        -1e-40,
        1e-45,
        2.0**97,
        2.0**-95,
    ],
    np.float32,
)


def assert_close(found, want, least=3 * 2.0**-149):
    """Within a few units, of subnormal results too."""
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, want.astype(np.float32), rtol=5e-7, atol=least)


@clause("DEV-KERN-10")
def test_divisions_that_keep_subnormal_numbers_have_no_edges(target):
    """Without flush_subnormals the estimate is of every quotient, as div.full of GPUs."""
    x, y = (a.ravel().copy() for a in np.meshgrid(EDGES, EDGES))
    found = computed(divide, x, y, fastmath={"approximate_divide"})
    with np.errstate(all="ignore"):
        assert_close(found, x.astype(np.float64) / y)
        found = computed(inverse, x, y, fastmath={"approximate_divide"})
        assert_close(found, 1 / y.astype(np.float64))


DIVISORS = (3e38, 2.0**126, 2.0**127, np.inf, 0.0)
BY_CONSTANTS = [
    *(({"approximate_divide"}, divisor) for divisor in (1e-40, 1e-45, *DIVISORS)),
    *((True, divisor) for divisor in DIVISORS),  # a subnormal one may count as zero
]


@pytest.mark.parametrize(("options", "divisor"), BY_CONSTANTS)
def test_divisions_by_constants_have_no_edges(target, divisor, options):
    x = EDGES[~(np.abs(EDGES) < 1e-30) | (EDGES == 0)] if options is True else EDGES

    def body(x, y):
        return x / D.float32(divisor)

    with np.errstate(all="ignore"):
        want = x.astype(np.float64) / np.float64(np.float32(divisor))
    least = 2.0**-126 if options is True else 3 * 2.0**-149
    assert_close(computed(body, x, x, fastmath=options), want, least)


# The error is at most so much of the result plus so much of one.
FUNCTIONS = {
    "exp": (-80, 80, 2**-17, 0),
    "exp2": (-120, 120, 2**-20, 0),
    "log": (1e-30, 1e30, 2**-20, 2**-20),
    "log2": (1e-30, 1e30, 2**-20, 2**-20),
    "log10": (1e-30, 1e30, 2**-20, 2**-20),
    "sin": (-3.1, 3.1, 0, 2**-20),
    "cos": (-3.1, 3.1, 0, 2**-20),
    "tan": (-1.2, 1.2, 2**-18, 2**-20),
    "tanh": (-12, 12, 2**-10, 0),
}


def spread(low, high):
    if low > 0:
        return positive(3000, low, high)
    return np.random.default_rng(4).uniform(low, high, 3000).astype(np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(target, name):
    low, high, relative, absolute = FUNCTIONS[name]
    x = spread(low, high)
    exact = getattr(np, name)(x.astype(np.float64))
    found = computed(function(name), x, x, fastmath=True)
    assert np.all(np.abs(found - exact) <= relative * np.abs(exact) + absolute)


def test_powers(target):
    x, y = positive(3000, 1e-3, 1e3), spread(-5, 5)
    exact = x.astype(np.float64) ** y.astype(np.float64)
    assert np.all(np.abs(computed(power, x, y, fastmath=True) / exact - 1) <= 2**-16)


TINY = np.array([1e-40, -1e-40, 1e-45, 2.0**-127, 2.0**-126, 2.0**-24], np.float32)
LARGE = np.array([3e38, -3e38, 1e10, 89, -104, 128, -126.5, -140, -150, 2.0**24], np.float32)
PLAIN = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 0.5, 2], np.float32)
OF_ANGLES = ("sin", "cos", "tan")
EDGES_OF_FUNCTIONS = {
    **{name: (function(name), getattr(np, name)) for name in FUNCTIONS},
    "sqrt": (root, np.sqrt),
    "rsqrt": (inverse_root, lambda x: 1 / np.sqrt(x)),
}


def assert_function_of(found, exact, x, flushed):
    """Of each number, or of zero where it is subnormal and may be taken for that."""
    with np.errstate(all="ignore"):
        zero = np.where(np.abs(x) < 2.0**-126, np.copysign(0.0, x), x)
        wanted = [exact(v.astype(np.float64)).astype(np.float32) for v in (x, zero)]
        near = [np.isclose(found, w, rtol=2**-10, atol=2**-20, equal_nan=True) for w in wanted]
    fine = near[0] | near[1] if flushed else near[0]
    assert fine.all(), list(zip(x[~fine], found[~fine], wanted[0][~fine], strict=True))


@clause("DEV-KERN-10")
@pytest.mark.parametrize(
    "options", [True, {"approximate_functions", "approximate_sqrt"}], ids=["all", "some"]
)
@pytest.mark.parametrize("name", EDGES_OF_FUNCTIONS)
def test_edges_of_functions(target, name, options):
    body, exact = EDGES_OF_FUNCTIONS[name]
    x = np.concatenate([PLAIN, TINY] if name in OF_ANGLES else [PLAIN, TINY, LARGE])
    found = computed(body, x, x, fastmath=options)
    # Radicands below 2**-126 count as zero on AVX2 and SSE4 whatever is allowed.
    assert_function_of(found, exact, x, options is True or "sqrt" in name)
    if name in ("tanh", "sqrt", "rsqrt"):
        assert np.signbit(found[1])  # of -0.0


@clause("DEV-KERN-10")
@pytest.mark.parametrize("options", [True, {"approximate_functions"}], ids=["all", "some"])
def test_edges_of_powers(target, options):
    """Those of exp2(y * log2(x)): NaN for negative numbers, and where zero meets an infinity."""
    values = np.concatenate([PLAIN, TINY, [3e38, 1e10]]).astype(np.float32)
    x, y = (a.ravel().copy() for a in np.meshgrid(values, values))

    def exact(x, y):
        with np.errstate(all="ignore"):
            return np.exp2(y * np.log2(x)).astype(np.float32)

    def zero(v):
        return np.where(np.abs(v) < 2.0**-126, np.copysign(0.0, v), v)

    found = computed(power, x, y, fastmath=options)
    wide = x.astype(np.float64), y.astype(np.float64)
    choices = [exact(*wide)]
    if options is True:
        choices += [exact(zero(wide[0]), wide[1]), exact(wide[0], zero(wide[1]))]
        choices += [exact(zero(wide[0]), zero(wide[1]))]
    with np.errstate(all="ignore"):
        choices.append((x.astype(np.float64) ** y).astype(np.float32))  # the interpreter's
        near = [np.isclose(found, c, rtol=2**-10, atol=2.0**-126, equal_nan=True) for c in choices]
    fine = np.any(near, axis=0)
    assert fine.all(), list(zip(x[~fine], y[~fine], found[~fine], choices[0][~fine], strict=True))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_angles_of_any_size_stay_within_one(target, name):
    x = np.array([1e6, -3e9, 1e30, 3e38, np.inf, np.nan], np.float32)
    found = computed(function(name), x, x, fastmath=True)
    assert np.all(np.abs(found[:4]) <= 1.0001)
    assert np.isnan(found[4:]).all()


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_other_formats_are_left_alone(target, dtype):
    x, y = (np.arange(1, 300) * 3).astype(dtype), (np.arange(1, 300)[::-1] * 2).astype(dtype)

    def body(x, y):
        return math.sqrt(D.float64(x)) / y + x // y

    out, exact = np.empty((2, len(x)))
    run(kernel_of(body, fastmath=True), out, x, y, grid=1, block=320)
    run(kernel_of(body), exact, x, y, grid=1, block=320)
    assert out.tobytes() == exact.tobytes()


@pytest.mark.parametrize("options", [{}, {"fastmath": False}, {"fastmath": set()}])
def test_no_part_changes_no_bit(target, options):
    """Against NumPy, which rounds each operation; with subnormal numbers, and quotients and roots
    that an estimate misses by a bit somewhere."""
    x, y = positive(2000, 1e-44, 1e38), positive(2000, 1e-35, 1e35)[::-1].copy()

    def body(x, y):
        return ((x / y - math.sqrt(x)) + 1 / math.sqrt(y)) - x / 3 - y

    with np.errstate(all="ignore"):
        root = np.float32(1) / np.sqrt(y)
        want = ((x / y - np.sqrt(x)) + root) - x / np.float32(3) - y
        quotient = x / y
    found = computed(body, x, y, fmad=False, **options)
    assert found.tobytes() == want.tobytes()
    assert computed(divide, x, y, **options).tobytes() == quotient.tobytes()
    assert np.count_nonzero(np.abs(quotient[quotient != 0]) < 2.0**-126) > 0


def sum_of_terms(x, y):
    return x - y + x * y - 3 * x + y * y + 7 - x * x


def test_sums_by_pairs_have_the_same_bits_everywhere(target):
    x, y = spread(-3, 3), spread(1, 2)

    def by_pairs(x, y):
        return ((x - y) + (x * y - 3 * x)) + ((y * y + 7) - x * x)

    found = computed(sum_of_terms, x, y, fastmath={"reassociate"})
    assert found.tobytes() == computed(by_pairs, x, y).tobytes()
    assert found.tobytes() != computed(sum_of_terms, x, y).tobytes()


def small_product(x, y):
    return x * y


@pytest.mark.parametrize("form", [*FORMS, "avx512-threads"])
def test_subnormal_numbers_are_flushed_on_the_host(form):
    targets.require(form)
    x = np.array([1e-30, 1e-40, -1e-40, 1.0], np.float32)
    y = np.array([1e-10, 1.0, 1.0, 1e-40], np.float32)
    with targets.use_target(form):
        flushed = computed(small_product, x, y, fastmath={"flush_subnormals"})
        kept = computed(small_product, x, y)
    assert (flushed == 0).all()
    assert (kept != 0).all()


def test_float64_keeps_its_subnormal_numbers(target):
    out = np.zeros(1)
    x = np.array([1e-310])

    @D.kernel(fastmath=True)
    def keep(out, x):
        out[0] = x[0] * 2

    run(keep, out, x, grid=1, block=1)
    assert out[0] == 2e-310


def assembly(body, form, **options):
    x = np.zeros(64, np.float32)
    return kernel_of(body, **options).inspect(x, x, x, what="asm", target=form, grid=1, block=64)


ESTIMATES = {"avx512": r"v{}14ps\b.*zmm", "avx2": r"v{}ps\b.*ymm", "sse4": r"\b{}ps\b"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("body", "instruction"),
    [
        (divide, "rcp"),
        (inverse, "rcp"),
        (inverse_root, "rsqrt"),
        (root, "rsqrt"),
        (over_root, "rsqrt"),
    ],
)
def test_host_code_has_estimates(form, body, instruction):
    pattern = ESTIMATES[form].format(instruction)
    fast = assembly(body, form, fastmath=True)
    assert re.search(pattern, fast)
    assert not re.search(r"\bv?(div|sqrt)ps\b", fast)
    plain = assembly(body, form)
    assert not re.search(pattern, plain)
    assert re.search(r"\bv?(div|sqrt)ps\b", plain)


CUDA = """
extern "C" __global__ void k(float* out, const float* a, const float* b) {
  int i = threadIdx.x;
  float x = a[i], y = b[i];
  out[i] = %s;
}
"""
PTX = {
    "x / y": divide,
    "1.0f / y": inverse,
    "sqrtf(x)": root,
    "1.0f / sqrtf(x)": inverse_root,
    "sinf(x)": function("sin"),
    "cosf(x)": function("cos"),
    "tanf(x)": function("tan"),
    "expf(x)": function("exp"),
    "exp2f(x)": function("exp2"),
    "logf(x)": function("log"),
    "log2f(x)": function("log2"),
    "log10f(x)": function("log10"),
    "powf(x, y)": power,
    "tanhf(x)": function("tanh"),
}


def ptx_arithmetic(text):
    """Names of instructions; LLVM says that products round to nearest, nvcc does not."""
    found = re.findall(r"^\s+((?:\w+\.approx|div|mul|rcp|sqrt)[\w.]*f32)\s", text, re.M)
    return [name.replace("mul.rn.", "mul.") for name in found]


def ptx_of(body, **options):
    x = np.zeros(64, np.float32)
    return kernel_of(body, **options).inspect(x, x, x, what="ptx", target="sm_80", grid=1, block=64)


@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
@pytest.mark.parametrize("expression", PTX)
def test_ptx_is_what_nvcc_writes(tmp_path, expression):
    source = tmp_path / "k.cu"
    source.write_text(CUDA % expression)
    done = nvcc("-arch=sm_80", "--use_fast_math", "-ptx", "-o", "-", source)
    assert done.returncode == 0, done.stderr
    found = ptx_arithmetic(ptx_of(PTX[expression], fastmath=True))
    assert found == ptx_arithmetic(done.stdout)
    assert found


def test_parts_of_ptx():
    assert "div.full.f32" in ptx_of(divide, fastmath={"approximate_divide"})
    assert "div.rn.ftz.f32" in ptx_of(divide, fastmath={"flush_subnormals"})
    assert "sqrt.approx.f32" in ptx_of(root, fastmath={"approximate_sqrt"})
    assert "ex2.approx.f32" in ptx_of(function("exp"), fastmath={"approximate_functions"})
    for body in (divide, root, function("exp"), small_product):
        text = ptx_of(body)
        assert "ftz" not in text.replace("ex2.approx.ftz", "")
        assert not re.search(r"(div|sqrt|rsqrt)\.(approx|full)", text)


@D.kernel(fastmath={"reassociate", "flush_subnormals"}, max_registers=40)
def plain(out, x):
    out[D.tid(1)] = x[D.tid(1)]


def test_parts_travel_and_are_told():
    again = cloudpickle.loads(cloudpickle.dumps(plain))
    x = np.zeros(64, np.float32)
    for k in (plain, again):
        raw = k.inspect(x, x, what="ir_raw")
        assert "options fmad flush_subnormals reassociate\n" in raw
        assert "bounds max_registers 40 min_blocks 0\n" in raw
    syntax = plain.inspect(x, x, what="syntax")
    assert "fastmath={flush_subnormals, reassociate} max_registers=40" in syntax


def test_options_of_one_function_are_different_kernels(target):
    """Each has code of its own, though the source is one."""
    x, y = positive(200, 1, 100), positive(200, 1, 100)[::-1].copy()
    exact = computed(sum_of_terms, x, y)
    pairs = computed(sum_of_terms, x, y, fastmath={"reassociate"})
    assert computed(sum_of_terms, x, y).tobytes() == exact.tobytes()
    assert pairs.tobytes() != exact.tobytes()


# --- registers and blocks of a GPU ---


def hungry(out, x):
    i = D.tid(1)
    values = D.local_array(64, D.float32)
    for k in range(64):
        values[k] = x[i + 64 * k]
    product = 1.0
    for _ in range(3):
        for k in range(64):
            product = product * values[k] + k
    out[i] = product


def stats_of(block=256, **options):
    out, x = np.zeros(256, np.float32), np.zeros(4352, np.float32)
    return D.kernel(**options)(hungry).stats(out, x, grid=1, block=block, target="sm_80")


def bounds_of(block, **options):
    out, x = np.zeros(256, np.float32), np.zeros(4352, np.float32)
    text = D.kernel(**options)(hungry).inspect(
        out, x, what="ptx", target="sm_80", grid=1, block=block
    )
    return re.findall(r"\.(maxnreg|minnctapersm) (\d+)", text)


@clause("DEV-KERN-10")
def test_registers_and_blocks_in_ptx():
    assert bounds_of(256) == []
    assert bounds_of(256, max_registers=32) == [("maxnreg", "32")]
    assert bounds_of(256, min_blocks=4) == [("minnctapersm", "4")]
    both = bounds_of(256, max_registers=40, min_blocks=4)
    assert sorted(both) == [("maxnreg", "40"), ("minnctapersm", "4")]


@pytest.mark.skipif(not shutil.which("ptxas"), reason="waits for ptxas")
def test_registers_that_ptxas_gives():
    plain = stats_of().registers
    assert plain > 48
    assert stats_of(max_registers=32).registers <= 32
    assert stats_of(min_blocks=6).registers <= 40  # 65536 for 6 blocks of 256 threads


def test_bounds_change_nothing_else(target):
    x = spread(-1, 1)[:64]
    results = []
    for options in ({}, {"max_registers": 24, "min_blocks": 2}):
        out = np.zeros(64, np.float32)
        data = np.resize(x, 64 * 65)
        run(D.kernel(**options)(hungry), out, data, grid=1, block=64)
        results.append(out.tobytes())
    assert results[0] == results[1]
