"""Device functions of NumbaPro's dialect: results and arguments in the types of a signature."""

import numpy as np
import pytest
from cuda.device.numbapro import cuda, float32, int16, int32
from support.clauses import clause
from support.numbapro import expect_errors


@cuda.jit("int16(uint64)", device=True)
def returns_early(x):
    if x > 5:
        return 3 - x  # a uint64 that wraps, not a float64 that saturates
    return x / 2e-9


@cuda.autojit
def calls(out, x):
    out[cuda.threadIdx.x] = returns_early(x + cuda.threadIdx.x)


@clause("NP-NPM-09")
def test_each_return_is_converted_to_the_type_of_the_signature(target):
    out = np.zeros(2)
    calls[1, 2](out, 5)
    assert out.tolist() == [32767, -3]


@cuda.jit("complex64(complex128, float32)", device=True)
def of_complex(z, x):
    if x > 1:
        return 2
    return z * x


@cuda.autojit
def calls_with_complex(out, z, x):
    out[0] = of_complex(1, x)
    out[1] = of_complex(z[0], x)


@clause("NP-NPM-09", "NP-ARITH-06")
def test_complex_numbers_are_converted_to_those_of_a_signature(target):
    out, z = np.zeros(2, np.complex128), np.array([0.1 + 1j], np.complex64)
    calls_with_complex[1, 1](out, z, 0.5)
    assert out.tolist() == [0.5, np.complex64(z[0] * 0.5)]
    calls_with_complex[1, 1](out, z, 2)
    assert out.tolist() == [2, 2]


@cuda.autojit
def of_real_and_complex(out, z, x):
    out[0] = z[0] * x
    out[1] = x - z[1]


@clause("NP-ARITH-06")
def test_a_real_operand_becomes_complex(target):
    """As the text says of both operands: with an imaginary part of zero."""
    z = np.array([complex(np.inf, 1), complex(1, 0)])
    out = np.zeros(2, np.complex128)
    of_real_and_complex[1, 1](out, z, 2.0)
    assert np.isnan(out[0].imag)
    assert out[0].real == np.inf
    assert not np.signbit(out[1].imag)


@cuda.jit((int32, float32), restype=int16, device=True)
def of_tuple(n, x):
    return n + x


@cuda.jit(int16, int32, float32, device=True)
def of_types(n, x):
    return n + x


@cuda.autojit
def calls_both(out):
    out[0] = of_tuple(2.9, 70000)
    out[1] = of_types(2.9, 1.5)


@clause("NP-NPM-09")
def test_the_result_beside_or_in_front_of_the_arguments(target):
    out = np.zeros(2)
    calls_both[1, 1](out)
    assert out.tolist() == [32767, 3]


half = lambda v: v * 0.5  # noqa: E731


def plus(v, w):
    return v + w / 4


@cuda.jit("int32(int32)", device=True)
def rounds_within(n):
    return plus(half(n + 0.75), n)


@cuda.autojit
def calls_rounds_within(out):
    out[cuda.threadIdx.x] = rounds_within(cuda.threadIdx.x)


@clause("NP-NPM-09")
def test_a_signature_is_not_that_of_functions_that_are_called(target):
    """Their arguments and results keep their types; the one result is converted."""
    out = np.zeros(6)
    calls_rounds_within[1, 6](out)
    assert out.tolist() == [int((n + 0.75) * 0.5 + n / 4) for n in range(6)]


@cuda.jit("int32(int32)", device=True)
def one_more(x):
    return x + 1


@cuda.jit("int32(int32)", device=True)
def two_more(x):
    return x + 2


@cuda.autojit
def chosen_by_branches(out, n):
    f = one_more
    if n > 0:
        f = two_more  # error at `two_more`: 'f' would be one of several functions, chosen at run
        # ... time
        # hint: give them different names, and call each where it is known which one is meant: f(x)
        # ... if condition else g(x)
    out[0] = f(n)


@cuda.autojit
def chosen_by_expressions(out, n):
    f = one_more if n > 0 else two_more  # error at `one_more if n > 0 else two_more`: this would
    # ... be one of several functions, chosen at run time
    # hint: give them different names, and call each where it is known which one is meant: f(x)
    # ... if condition else g(x)
    out[0] = f(n)


@pytest.mark.parametrize("kernel", [chosen_by_branches, chosen_by_expressions])
def test_no_function_is_chosen_at_run_time(kernel):
    expect_errors(kernel, np.zeros(1, np.int32), 1)
