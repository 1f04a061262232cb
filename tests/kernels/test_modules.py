"""Modules that are values of kernels: in variables, tuples and arguments of functions."""

import cmath
import math
import operator
import types

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run_as_host

MODULES = math, operator
OWN = types.ModuleType("own_constants")
OWN.factor = 3.0
OWN.inner = types.ModuleType("own_constants.inner")
OWN.inner.offset = 0.5
OWN.double = lambda x: 2 * x


def root(m, x):
    return m.sqrt(x)


def with_default(x, m=math):
    return m.floor(x)


@D.kernel(builtins=64)
def uses(out, n, x):
    m = math
    out[0] = m.sqrt(x) + m.pi
    out[1] = root(math, x) + root(m=m, x=4.0) + root(np, x)
    f, g = MODULES
    out[2] = f.exp(0.0) + g.add(n, 2)
    out[3] = with_default(x)
    own = OWN
    out[4] = own.factor * own.inner.offset + own.double(n)
    inner = own.inner
    out[5] = inner.offset
    out[6] = (lambda k: k.cos(0.0))(m)
    for module in (math, cmath):
        out[7] += module.e
    sine = m.sin
    out[8] = sine(0.0)
    out[9] = MODULES[0].ceil(x)


@pytest.mark.parametrize("n", range(2))
def test_modules_are_values(target, n):
    run_as_host(uses, np.zeros(10), n, 2.25)


def test_an_attribute_that_changes(monkeypatch):
    out = np.zeros(10)
    D.launch(uses, out, 1, 2.25, grid=1, block=1)
    assert out[5] == 0.5
    monkeypatch.setattr(OWN.inner, "offset", 4.5)
    D.launch(uses, out, 1, 2.25, grid=1, block=1)
    assert out[5] == 4.5


@D.kernel
def no_such_name(out):
    m = OWN
    out[0] = m.absent


@D.kernel
def no_such_function(out):
    m = math
    out[0] = m.square_root(2.0)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (no_such_name, "module own_constants has no attribute 'absent'"),
        (no_such_function, "module math has no attribute 'square_root'"),
    ],
)
def test_mistakes(kernel, message):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, np.zeros(1), grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert message in found.message, found
