"""Mistakes with target descriptions (DEV-TGT)."""

import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms

bad = BadPrograms()

DESCRIPTION = D.provides(D.sm80)


@bad.kernel(FLOATS, 1, raises=errors.CompileTypeError, clause="DEV-TGT-11")
def no_description(a, n):
    # error at `3`: target() takes a target description, but an int is given
    # hint: for example is_device or provides(sm80), or several of them combined by ~, | and &
    x = D.target(3)
    # error at `n`: target() takes a target description, but an int is given
    # hint: for example is_device or provides(sm80), or several of them combined by ~, | and &
    x = D.target(n)
    # error at `D.target()`: target() takes 1 argument, but 0 are given
    # hint: give it the others too
    x = D.target()


@bad.kernel(FLOATS, clause="DEV-TGT-15")
def description_as_a_condition(a):
    # error at `D.provides(D.sm80)`: a target description as a condition is not supported in kernels
    # hint: ask target(...) whether it holds; combine descriptions by ~, | and &, not by 'not', 'or'
    # ... and 'and'
    if D.target(not D.provides(D.sm80)):
        a[0] = 1


@bad.kernel(FLOATS, clause="DEV-TGT-15")
def descriptions_joined_as_conditions(a):
    # error at `D.is_host`: a target description as a condition is not supported in kernels
    # hint: ask target(...) whether it holds; combine descriptions by ~, | and &, not by 'not', 'or'
    # ... and 'and'
    if D.target(D.is_host or D.is_device):
        a[0] = 1
    # error at `DESCRIPTION`: a target description as a condition is not supported in kernels
    # hint: ask target(...) whether it holds; combine descriptions by ~, | and &, not by 'not', 'or'
    # ... and 'and'
    if DESCRIPTION:
        a[0] = 2


@bad.kernel(FLOATS, raises=errors.CompileTypeError, clause="DEV-TGT-19")
def no_selector(a):
    # error at `80`: provides() takes an architecture, but an int is given
    # hint: write one of its selectors, for example sm80
    x = D.target(D.provides(80))
    # error at `"sm80"`: is_exactly() takes an architecture, but a str is given
    # hint: write one of its selectors, for example sm80
    x = D.target(D.is_exactly("sm80"))
    # error at `DESCRIPTION`: provides() takes an architecture, but a target description is given
    # hint: write one of its selectors, for example sm80
    x = D.target(D.provides(DESCRIPTION))


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
