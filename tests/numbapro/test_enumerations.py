"""Members of enumerations in NumbaPro's dialect: numbers are, and nothing else is."""

import enum
import math

import numpy as np
import pytest
from cuda.device.numbapro import cuda
from support.numbapro import expect_errors


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 9


class Shape(enum.Enum):
    ROUND = 1


class Bits(enum.IntFlag):
    LOW = 1
    HIGH = 4


@cuda.autojit
def numbers(out, level, n):
    out[0] = Level.LOW + level
    chosen = Level.LOW if n > 0 else Level.HIGH
    out[1] = chosen * 2
    out[2] = level == 9
    out[3] = Level.HIGH.value


def test_members_that_are_numbers(target):
    out = np.zeros(4)
    numbers[1, 1](out, Level.HIGH, 1)
    assert out.tolist() == [10, 2, 1, 9]


@cuda.autojit
def no_members(out, level, n):
    out[0] = Shape.ROUND  # error at `Shape.ROUND`: the member 'ROUND' of an enumeration is a Python
    # ... object, which this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    out[0] = level.name  # error at `level.name`: int64 has no attribute 'name'
    # hint: numbers have real and imag, and complex ones conjugate()
    out[0] = Level(n)  # error at `Level`: the class 'Level' is a Python object, which this dialect
    # ... has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    for k in Level:  # error at `Level`: the class 'Level' is a Python object, which this dialect
        # ... has none of
        # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type
        # ... objects such as float32
        out[0] = k


def test_no_other_members():
    expect_errors(no_members, np.zeros(1), Level.LOW, 1)


@cuda.autojit
def no_argument(out, shape):
    out[0] = 1


def test_no_members_as_arguments():
    with pytest.raises(TypeError, match="an object of class 'Shape'; kernels take"):
        no_argument[1, 1](np.zeros(1), Shape.ROUND)


@cuda.autojit
def complements(out, bits):
    out[0] = ~Bits.LOW
    out[1] = ~bits
    out[2] = bits | Bits.LOW


def test_flags_are_numbers(target):
    out = np.zeros(3)
    complements[1, 1](out, Bits.HIGH)
    assert out.tolist() == [-2, -5, 5]


@cuda.autojit
def module_in_a_variable(out):
    m = math
    out[0] = m.sqrt(out[0])  # error at `m.sqrt`: module math has no attribute 'sqrt'
    # hint: write math.sqrt


def test_no_module_in_a_variable():
    expect_errors(module_in_a_variable, np.zeros(1))
