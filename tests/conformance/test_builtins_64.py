"""Kernels whose builtin numbers have 64 bits, as Python's own: builtins=64."""

import cmath
import math
import warnings

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run
from support.scalars import assert_same_bits


def thrice(x, by=0.1):
    return 3 * x * by


@D.func
def mean(a, b):
    return (a + b) / 2


def computed(floats, ints, complexes, singles, bytes_, x, n, z, flag):
    """Python and NumPy compute the same on the host."""
    floats[0] = x
    floats[1] = x * 3 + 0.1
    floats[2] = n / 7
    floats[3] = math.sqrt(x) * math.pi
    floats[4] = 0.1 if flag else 0.3
    total = 0.0
    for k in range(10):
        total += k * 0.1
    floats[5] = total
    floats[6] = thrice(x)
    floats[7] = mean(x, n)
    floats[8] = float(n) / 3 + int(n)
    floats[9] = math.frexp(x)[0] + math.frexp(x)[1]
    floats[10] = x // 0.03
    floats[11] = x % 0.03
    floats[12] = min(x, 0.7) + max(n, 2)
    floats[13] = abs(-x) + (-x)
    floats[14] = 1 / 3
    floats[15] = (n > 2**35) + True
    pair = (x, n)
    floats[16] = pair[0] * pair[1]
    declared: float = x
    floats[17] = declared + math.fmod(x, 0.03) if flag else 0.0
    ints[0] = n + 5_000_000_000
    ints[1] = n * 3 - 2
    ints[2] = n // -7
    ints[3] = n % -7
    ints[4] = n >> 35
    ints[5] = ~n & 0xFFFF_FFFF_FF
    ints[6] = n << 3
    ints[7] = int(x * 1e12)
    ints[8] = round(x * 1e12)
    large = 1
    for k in range(n, n + 3):
        large = large + k
    ints[9] = large
    for i, k in enumerate(range(4)):
        ints[10] = n * i + k
    ints[11] = n**1 + (2**40 if flag else 1)
    ints[12] = isinstance(n, int) + 2 * isinstance(x, float) + 4 * isinstance(z, complex)
    ints[13] = int(True) + int(flag)
    complexes[0] = z * z + 0.1j
    complexes[1] = z * x + n
    complexes[2] = complex(x, n)
    complexes[3] = cmath.pi * z
    singles[0] = singles[8] * x
    singles[1] = singles[8] + n
    singles[2] = (singles[8] + 0.1) * 3
    bytes_[0] = bytes_[8] + 1
    bytes_[1] = bytes_[8] * 3


def arguments():
    singles, bytes_ = np.full(9, 0.7, np.float32), np.full(9, 100, np.int8)
    arrays = np.zeros(18), np.zeros(14, np.int64), np.zeros(4, complex), singles, bytes_
    return (*arrays, 0.1, 2**40 + 12345, 0.1 + 0.7j, True)


@clause("DEV-PROMO-02", "DEV-PROMO-03", partial="builtin numbers of 32 bits")
def test_builtin_numbers_are_pythons(target):
    kernel = D.kernel(fmad=False, builtins=64)(computed)
    got, expected = arguments(), arguments()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(kernel, *got)
    with np.errstate(over="ignore"):
        computed(*expected)
    assert_same_bits(got[0], expected[0])
    assert got[1].tolist() == expected[1].tolist()
    assert got[2].tolist() == expected[2].tolist()
    assert_same_bits(got[3], expected[3])
    assert got[4].tolist() == expected[4].tolist()


@D.struct
class Weighted:
    count: int
    weight: float
    pair: tuple[int, float] = (7, 0.3)


@D.kernel(builtins=64)
def of_structs(out, w, several):
    out[0] = w.weight / 3
    out[1] = w.count * 2_000_000_000
    out[2] = w.pair[1] / w.pair[0]
    several[0].weight += 0.1
    out[3] = several[0].weight * 3
    made = Weighted(w.count + 1, w.weight)
    out[4] = made.count * 2_000_000_000


def test_structs_keep_32_bits_and_compute_in_64(target):
    out, several = np.zeros(5), D.zeros(1, dtype=Weighted, device="cpu")
    run(of_structs, out, Weighted(3, 0.1), several)
    tenth, third = float(np.float32(0.1)), float(np.float32(0.3))
    assert out.tolist() == [tenth / 3, 6e9, third / 7, tenth * 3, 8e9]


@D.kernel(builtins=64)
def memory_of_builtins(out, x, n):
    held = D.local_array(2, float)
    whole = D.local_array(1, int)
    held[0] = x
    whole[0] = n
    out[0] = held[0]
    out[1] = whole[0]
    out[2] = x.dtype == D.float64
    out[3] = D.float32(x)
    out[4] = D.int32(n)


@pytest.mark.parametrize("n", [-(2**63), 2**63 - 1, 5])
def test_arguments_and_memory_have_64_bits(target, n):
    out = np.zeros(5)
    run(memory_of_builtins, out, 0.1, n)
    low = (n + 2**31) % 2**32 - 2**31
    assert out.tolist() == [0.1, float(n), 1.0, float(np.float32(0.1)), low]


def test_an_int_beyond_64_bits():
    with pytest.raises(OverflowError) as raised:
        D.launch(memory_of_builtins, np.zeros(5), 0.1, 2**63, grid=1, block=1)
    assert str(raised.value) == (
        "argument 3 ('n') of kernel 'memory_of_builtins': 9223372036854775808 does not fit int, "
        "which has 64 bits in kernels\n  pass it as a float"
    )


@D.kernel(builtins=64)
def exponents(out, x):
    exponent = math.frexp(x)[1]
    out[0] = exponent + 2**40


def test_exponents_are_builtin_ints(target):
    out = np.zeros(1, np.int64)
    run(exponents, out, np.float32(12))
    assert out[0] == 4 + 2**40
