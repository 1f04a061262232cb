"""@func(inline=): functions that are called when the kernel runs, or inlined at every call."""

import pickle

import cloudpickle
import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run

INLININGS = ["never", "always", None]


@D.func(inline="never")
def product(x, y):
    return x * y


@D.func(inline="always")
def square(x):
    return x * x


@D.kernel
def sums(out, a, b):
    i = D.tid(1)
    if i < out.size:
        out[i] = product(a[i], b[i]) + square(a[i])


@clause("DEV-FUNC-02")
def test_called_and_inlined(target):
    a, b = np.arange(40, dtype=np.int32), np.arange(40, 0, -1, dtype=np.int32)
    out = np.zeros(40, dtype=np.int32)
    run(sums, out, a, b, grid=2, block=32)
    assert out.tolist() == (a * b + a * a).tolist()


def floats(size):
    values = np.random.default_rng(5).uniform(1, 2, (3, size))
    return list(values.astype(np.float32))


def kernels_of(inline):
    """Kernels that have a product and a sum on two sides of a call, or on one."""

    @D.func(inline=inline)
    def times(x, y):
        return x * y

    @D.func(inline=inline)
    def plus(x, y):
        return x + y

    @D.func(inline=inline)
    def times_plus(x, y, z):
        return x * y + z

    @D.func(inline=inline)
    def both(x, y):
        p = x * y
        return p, p + x

    @D.kernel
    def of_result(out, a, b, c):
        i = D.tid(1)
        out[i] = times(a[i], b[i]) + c[i]

    @D.kernel
    def of_argument(out, a, b, c):
        i = D.tid(1)
        out[i] = plus(a[i] * b[i], c[i])

    @D.kernel
    def of_variable(out, a, b, c):
        i = D.tid(1)
        p = a[i] * b[i]
        out[i] = plus(p, c[i])

    @D.kernel
    def within(out, a, b, c):
        i = D.tid(1)
        out[i] = times_plus(a[i], b[i], c[i])

    @D.kernel
    def ignored(out, a, b, c):
        i = D.tid(1)
        _, out[i] = both(a[i], b[i])

    @D.func(inline=inline)
    def applied(f, x):
        return f(x)

    @D.kernel
    def captured(out, a, b, c):
        i = D.tid(1)
        p = a[i] * b[i]
        out[i] = applied(lambda z: z + p, c[i])

    return of_result, of_argument, of_variable, within, ignored, captured


def rounded_sum(a, b, c):
    return a * b + c


def fused_sum(a, b, c):
    return (a.astype(np.float64) * b + c).astype(np.float32)


EXPECTED = [
    *(rounded_sum, rounded_sum, rounded_sum, fused_sum),
    lambda a, b, c: rounded_sum(a, b, a),
    rounded_sum,
]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("inline", INLININGS)
@pytest.mark.parametrize("which", range(len(EXPECTED)))
def test_contracts_within_one_function(target, inline, which):
    a, b, c = floats(96)
    out = np.zeros(96, dtype=np.float32)
    run(kernels_of(inline)[which], out, a, b, c, block=96)
    assert out.tobytes() == EXPECTED[which](a, b, c).tobytes()


@D.func(inline="never")
def three():
    return 3.0


@D.kernel
def constant_results(out, a):
    i = D.tid(1)
    out[i] = three() * 0.1 + a[i]


@clause("DEV-FUNC-02")
def test_constant_results_are_constants(target):
    """The product of constants is one in Python's own floats, as where the function is inlined."""
    a = floats(32)[0]
    out = np.zeros(32, dtype=np.float32)
    run(constant_results, out, a, block=32)
    assert out.tobytes() == (np.float32(3.0 * 0.1) + a).tobytes()


@D.func(inline="never")
def power(x, n):
    if n == 0:
        return 1
    return x * power(x, n - 1)


@D.func(inline="never")
def counted(n, depth):
    if n == 0:
        return depth
    return counted(n - 1, depth + 1)


@D.kernel
def recursions(out):
    i = D.tid(1)
    out[i] = power(i, 3) + counted(i, 0)


@clause("DEV-FUNC-02")
def test_called_functions_that_call_themselves(target):
    out = np.zeros(20, dtype=np.int32)
    run(recursions, out, block=20)
    assert out.tolist() == [i**3 + i for i in range(20)]


@D.func(inline="always")
def thrice(x, n):
    return x if n == 0 else 3 * thrice(x, n - 1)


@D.func(inline="always")
def ping(n):
    return 0 if n <= 0 else pong(n - 1) + 1


@D.func
def pong(n):
    return 0 if n <= 0 else ping(n - 1) + 1


@D.kernel
def inlined_recursions(out):
    i = D.tid(1)
    out[i, 0] = thrice(i, 4)
    out[i, 1] = ping(i)


@clause("DEV-FUNC-02")
def test_inlines_as_long_as_constants_end_it(target):
    """Of a cycle, the function that may be called is."""
    out = np.zeros((9, 2), dtype=np.int32)
    run(inlined_recursions, out, block=9)
    assert out.tolist() == [[81 * i, i] for i in range(9)]
    called = inlined_recursions.inspect(out, block=9, what="plan")
    assert "calls 'pong'" in called or "calls 'ping'" not in called


@D.func(inline="always")
def endless(n):
    return 1 if n <= 0 else n * endless(n - 1)


@D.kernel
def calls_endless(out):
    i = D.tid(1)
    out[i] = endless(i)


@clause("DEV-FUNC-02")
def test_always_inlined_recursion_is_refused():
    with pytest.raises(errors.CompileError) as caught:
        calls_endless.inspect(np.zeros(4, np.int32), block=4, what="ir")
    message = str(caught.value)
    assert "'endless' calls itself, and inline=\"always\"" in message
    assert "in 'endless', called here" in message
    assert "test_inlining.py" in message


@clause("DEV-FUNC-02")
def test_plan_says_what_is_called():
    arguments = np.zeros(4, np.int32), np.zeros(4, np.int32), np.zeros(4, np.int32)
    plan = sums.inspect(*arguments, block=4, what="plan")
    assert "threads" in plan
    assert "calls 'product'" in plan
    ir = sums.inspect(*arguments, block=4, what="ir")
    assert ir.count('function ^0 "product"') == 1
    assert "square" not in ir


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("value", ["sometimes", True, 1, "Never"])
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match=r"@func: inline must be 'never', 'always' or None, found"):
        D.func(inline=value)


def test_the_host_calls_python():
    assert product(3, 4) == 12
    assert square(5) == 25


# ------------------------------------------------------------------ options of functions


@D.func(fmad=False)
def apart(x, y, z):
    def within(p):
        return p * y + z

    return x * y + z, within(x)


@D.func
def fused(x, y, z):
    return x * y + z


@D.kernel
def both_kinds(out, a, b, c):
    i = D.tid(1)
    out[i, 0] = fused(a[i], b[i], c[i])
    out[i, 1], out[i, 2] = apart(a[i], b[i], c[i])
    out[i, 3] = a[i] * b[i] + c[i]


@D.kernel(fmad=False)
def none_fused(out, a, b, c):
    i = D.tid(1)
    out[i, 0] = fused(a[i], b[i], c[i])
    out[i, 1], out[i, 2] = apart(a[i], b[i], c[i])
    out[i, 3] = a[i] * b[i] + c[i]


@clause("DEV-FUNC-02")
def test_a_function_without_contraction_has_none_in_any_kernel(target):
    a, b, c = floats(96)
    fma, plain = fused_sum(a, b, c), rounded_sum(a, b, c)
    assert (fma != plain).any()
    out = np.zeros((96, 4), dtype=np.float32)
    run(both_kinds, out, a, b, c, block=96)
    assert out.tobytes() == np.stack([fma, plain, plain, fma], axis=1).tobytes()
    run(none_fused, out, a, b, c, block=96)
    assert out.tobytes() == np.stack([plain] * 4, axis=1).tobytes()


@D.func(inline="never", fmad=False)
def apart_when_called(x, y, z):
    return x * y + z


@D.kernel
def calls_apart(out, a, b, c):
    i = D.tid(1)
    out[i] = apart_when_called(a[i], b[i], c[i])


@clause("DEV-FUNC-02")
def test_contraction_of_called_functions(target):
    a, b, c = floats(96)
    out = np.zeros(96, dtype=np.float32)
    run(calls_apart, out, a, b, c, block=96)
    assert out.tobytes() == rounded_sum(a, b, c).tobytes()


@D.func(fastmath=True)
def rough(x, y):
    return x / y


def kernel_that_is_rough(**options):
    @D.kernel(**options)
    def calls_rough(out):
        out[0] = rough(out[0], out[1])

    return calls_rough


@clause("DEV-FUNC-02")
def test_fast_math_of_a_function_is_not_ignored():
    out = np.zeros(2, dtype=np.float32)
    for options, missing in [
        ({}, "'flush_subnormals', 'approximate_divide', 'approximate_sqrt'"),
        ({"fastmath": {"approximate_divide"}}, "'flush_subnormals', 'approximate_sqrt'"),
    ]:
        with pytest.raises(errors.CompileError) as caught:
            kernel_that_is_rough(**options).inspect(out, what="ir")
        text = str(caught.value)
        assert f"@func of 'rough' allows {missing}" in text
        assert "write it at @kernel too" in text
        assert "rough(out[0], out[1])" in text
    assert "div_estimate" in kernel_that_is_rough(fastmath=True).inspect(out, what="ir")


@D.func(builtins=64)
def in_64_bits(n):
    return n * 3000000000


def kernel_of_wide_numbers(**options):
    @D.kernel(**options)
    def calls_wide(out, n):
        out[0] = in_64_bits(n)

    return calls_wide


def test_builtins_of_a_function_are_not_ignored():
    out = np.zeros(1)
    with pytest.raises(errors.CompileError) as caught:
        run(kernel_of_wide_numbers(), out, 5)
    text = str(caught.value)
    assert "@func of 'in_64_bits' says builtins=64, and the kernel" in text
    assert "write builtins=64 at @kernel too" in text
    assert "in_64_bits(n)" in text
    run(kernel_of_wide_numbers(builtins=64), out, 5)
    assert out[0] == 15000000000
    arrived = pickle.loads(cloudpickle.dumps(kernel_of_wide_numbers(builtins=64)))
    run(arrived, out, 7)
    assert out[0] == 21000000000


@D.kernel(execution="gangs")
def gangs_that_call(out, a, b):
    i = D.tid(1)
    out[i] = product(a[i], b[i])


@clause("DEV-FUNC-02")
def test_gangs_are_not_given_threads_in_silence():
    arrays = [np.zeros(4, dtype=np.int32)] * 3
    with pytest.raises(errors.CompileError) as caught:
        D.launch(gangs_that_call, *[D.asarray(a, device="cpu") for a in arrays], grid=1, block=4)
    text = str(caught.value)
    assert "'product' is called when the kernel runs, and threads of gangs cannot" in text
    assert "product(a[i], b[i])" in text
    assert 'leave execution="gangs" out' in text
