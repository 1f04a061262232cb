"""The functions of `math` in NumbaPro's dialect (NP-MATH, NP-ARITH-08)."""

import cmath
import math

import cloudpickle
import numpy as np
import pytest
from cuda import device
from cuda.device.numbapro import cuda, int8
from support.clauses import clause
from support.numbapro import expect_errors, made_of, types_of_variables

# Units in the last place that CUDA documents for float32 and float64.
ULPS = {
    "acos": (2, 2), "asin": (2, 2), "atan": (2, 2), "atan2": (3, 2), "cos": (2, 2),
    "sin": (2, 2), "tan": (4, 2), "acosh": (4, 3), "asinh": (3, 3), "atanh": (3, 2),
    "cosh": (2, 1), "sinh": (3, 2), "tanh": (2, 2), "exp": (2, 1), "expm1": (1, 1),
    "log": (1, 1), "log10": (2, 1), "log1p": (1, 1), "sqrt": (0, 0), "pow": (4, 2),
    "fabs": (0, 0), "ceil": (0, 0), "floor": (0, 0), "copysign": (0, 0), "fmod": (0, 0),
}  # fmt: skip
SAMPLES = 160


def _samples():
    """{name: float64 numbers}: whole domains, sparse where they are wide."""
    random = np.random.default_rng(1)

    def signed(low, high):  # either sign, evenly spread over the exponents
        sizes = np.exp(random.uniform(np.log(low), np.log(high), SAMPLES))
        return sizes * random.choice([-1, 1], SAMPLES)

    return {
        "of_one": signed(1e-4, 0.999),
        "wide": signed(1e-6, 1e5),
        "positive": np.abs(signed(1e-30, 1e30)),
        "from_one": 1 + np.abs(signed(1e-3, 1e10)),
        "exponent": random.uniform(-80, 80, SAMPLES),
        "base": np.abs(signed(1e-3, 1e3)),
        "small": random.uniform(-9, 9, SAMPLES),
    }


SAMPLED = _samples()
ARGUMENTS = {
    **dict.fromkeys(ULPS, ("wide",)),
    **dict.fromkeys(("acos", "asin", "atanh"), ("of_one",)),
    **dict.fromkeys(("log", "log10", "log1p", "sqrt"), ("positive",)),
    **dict.fromkeys(("exp", "expm1", "sinh", "cosh"), ("exponent",)),
    **{"acosh": ("from_one",), "atan2": ("wide", "small"), "pow": ("base", "small")},
    **{"copysign": ("wide", "small"), "fmod": ("wide", "small")},
}


def _kernel():
    lines = [f"def k(out, {', '.join(SAMPLED)}):", "    i = cuda.grid(1)", "    if i < wide.size:"]
    for at, name in enumerate(ULPS):
        arguments = ", ".join(f"{each}[i]" for each in ARGUMENTS[name])
        lines.append(f"        out[{at}, i] = math.{name}({arguments})")
    lines.append(f"        out[{len(ULPS)}, i] = math.arctan(wide[i])")
    return made_of("\n".join(lines) + "\n", math=math)


MATH = _kernel()


@clause("NP-MATH-01", "NP-MATH-02", "NP-MATH-03", "NP-MATH-04", "NP-MATH-05")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_function_is_as_exact_as_cuda_documents(target, dtype):
    given = {name: numbers.astype(dtype) for name, numbers in SAMPLED.items()}
    out = np.zeros((len(ULPS) + 1, SAMPLES), dtype)
    MATH[5, 32](out, *given.values())
    for at, (name, ulps) in enumerate(ULPS.items()):
        arguments = [given[each] for each in ARGUMENTS[name]]
        wanted = [getattr(math, name)(*map(float, each)) for each in zip(*arguments, strict=True)]
        error = np.abs(out[at].astype(np.float64) - wanted)
        unit = np.spacing(np.abs(np.array(wanted)).astype(dtype)).astype(np.float64)
        allowed = ulps[dtype is np.float64] + (0.51 if dtype is np.float32 else 1)
        assert np.all(error <= allowed * unit), name
    assert np.array_equal(out[len(ULPS)], out[list(ULPS).index("atan")])


@cuda.autojit
def special(out, flags, x, nan, inf):
    out[0] = math.sqrt(-1.0)
    out[1] = math.log(0.0)
    out[2] = math.floor(-1.5)
    out[3] = math.fmod(-5.5, 2)
    out[4] = math.copysign(0.0, -1)
    out[5] = math.ceil(1e300)
    out[6] = math.floor(-1.5) / 4
    out[7] = math.acos(x)
    out[8] = math.exp(x * 1e6)
    out[9] = math.pi
    flags[0, 0], flags[0, 1] = math.isnan(nan), math.isinf(nan)
    flags[1, 0], flags[1, 1] = math.isnan(inf), math.isinf(inf)
    flags[2, 0], flags[2, 1] = math.isnan(-inf), math.isinf(-inf)
    flags[3, 0], flags[3, 1] = math.isnan(0.0), math.isinf(0.0)


@clause("NP-MATH-01", "NP-MATH-05", "NP-MATH-06")
def test_no_exceptions_but_nan_and_infinity(target):
    out, flags = np.zeros(10), np.zeros((4, 2), bool)
    special[1, 1](out, flags, 2.0, math.nan, math.inf)
    wanted = [math.nan, -math.inf, -2, -1.5, -0.0, 1e300, -0.5, math.nan, math.inf, math.pi]
    assert np.array_equal(out, wanted, equal_nan=True)
    assert np.signbit(out[4])
    assert flags.tolist() == [[True, False], [False, True], [False, True], [False, False]]


@clause("NP-MATH-05", "NP-MATH-06", "NP-MATH-07")
def test_types_of_the_results():
    kernel = made_of(
        """
        def k(out, f, d, i):
            a = math.sin(f)
            b = math.sqrt(4)
            c = math.cos(d)
            e = math.exp(i)
            g = math.floor(f)
            h = math.isnan(d)
            j = math.atan2(f, d)
            l = math.pow(f, f)
            m = math.ceil(i)
            out[0] = a
        """,
        math=math,
    )
    found = types_of_variables(kernel, "array[float64, 1]", "float32", "float64", "int8")
    assert found == {
        "a": "float32", "b": "float64", "c": "float64", "e": "float64", "g": "float32",
        "h": "bool", "j": "float64", "l": "float32", "m": "float64",
    }  # fmt: skip


@cuda.autojit
def computes_by_type(out, f, n):
    out[0] = math.sin(f[0])
    out[1] = math.sqrt(n)
    out[2] = math.sqrt(int8(2))


@clause("NP-MATH-07")
def test_the_format_of_the_argument_computes(target):
    out, f = np.zeros(3), np.array([1], np.float32)
    computes_by_type[1, 1](out, f, 2)
    assert abs(out[0] - math.sin(1)) < 1e-7
    assert out[0] == np.float32(out[0])
    assert out[1:].tolist() == [math.sqrt(2)] * 2


@cuda.autojit
def of_complex(out, z):
    out[0] = math.sin(1j)  # error at `1j`: sin() needs a real number, found complex128
    # hint: .real and abs() are numbers without an imaginary part
    out[0] = math.sqrt(z[0])  # error at `z[0]`: sqrt() needs a real number, found complex64
    # hint: .real and abs() are numbers without an imaginary part


@clause("NP-MATH-08")
def test_functions_of_math_take_no_complex_numbers():
    expect_errors(of_complex, np.zeros(1), np.zeros(1, np.complex64))


@cuda.autojit
def divides_and_roots(quotients, roots, sums, a, b, c):
    i = cuda.grid(1)
    if i < a.size:
        quotients[i] = a[i] / b[i]
        roots[i] = math.sqrt(c[i])
        sums[i] = a[i] * b[i] + a[i]


@clause("NP-ARITH-08")
def test_division_roots_and_sums_are_rounded_correctly(target):
    n = 100_000 if target != "interpreter" else 2_000
    random = np.random.default_rng(2)
    a, b = (random.standard_normal(n).astype(np.float32) for _ in range(2))
    c = np.abs(random.standard_normal(n)) * 1e10
    quotients, roots, sums = np.zeros_like(a), np.zeros_like(c), np.zeros_like(a)
    divides_and_roots[n // 256 + 1, 256](quotients, roots, sums, a, b, c)
    assert np.array_equal(quotients, a / b)
    assert np.array_equal(roots, np.sqrt(c))
    exact = a.astype(np.longdouble) * b + a  # one rounding, as fma
    error = np.abs(sums - exact)
    assert np.all(error <= np.spacing(np.abs(sums)).astype(np.longdouble) * 0.50001)


def estimates(out, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] / y[i] + math.sqrt(x[i])


@device.kernel(fastmath=True)
def estimates_of_the_guide(out, x, y):
    i = device.tid(1)
    if i < out.size:
        out[i] = x[i] / y[i] + math.sqrt(x[i])


SINGLE = "array[float32, 1]"


def ptx_of(**options):
    return cuda.jit(**options)(estimates).inspect(SINGLE, SINGLE, SINGLE, what="ptx")


@clause("NP-FAST-01", "NP-MATH-09")
def test_fast_math_computes_as_that_of_the_guide(target):
    x, y = np.random.default_rng(5).uniform(0.1, 1e6, (2, 2000)).astype(np.float32)
    exact, fast, other = np.zeros((3, 2000), np.float32)
    cuda.autojit(fastmath=False)(estimates)[20, 100](exact, x, y)
    cuda.autojit(fastmath=True)(estimates)[20, 100](fast, x, y)
    device.launch(estimates_of_the_guide, other, x, y, grid=20, block=100)
    assert fast.tobytes() == other.tobytes()
    assert exact.tobytes() == (x / y + np.sqrt(x)).tobytes()
    assert np.allclose(fast, exact, rtol=1e-6)


@clause("NP-FAST-01")
def test_fast_math_takes_parts():
    instructions = ("div.approx.ftz.f32", "sqrt.approx.ftz.f32", "div.rn.f32", "sqrt.rn.f32")
    found = {
        name: [each in ptx_of(fastmath=parts) for each in instructions]
        for name, parts in (("none", False), ("all", True), ("one", {"approximate_sqrt"}))
    }
    assert found == {
        "none": [False, False, True, True],
        "all": [True, True, False, False],
        "one": [False, False, True, False],
    }
    kernel = cuda.jit(f"void({', '.join(['float32[:]'] * 3)})", fastmath=True)(estimates)
    assert kernel.ptx == cloudpickle.loads(cloudpickle.dumps(kernel)).ptx
    assert "div.approx.ftz.f32" in kernel.ptx


def test_cmath_keeps_the_width_of_its_argument():
    """An extension: a real argument becomes complex in its own format, an integer in float64's."""
    kernel = made_of(
        """
        def k(out, a, b, n):
            x = cmath.sqrt(a)
            y = cmath.sqrt(b)
            z = cmath.sqrt(n)
            out[0] = x + y + z
        """,
        cmath=cmath,
    )
    found = types_of_variables(kernel, "array[complex128, 1]", "float32", "float64", "int8")
    assert found == {"x": ("float32",) * 2, "y": ("float64",) * 2, "z": ("float64",) * 2}
