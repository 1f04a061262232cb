"""Constant expressions, shown where a constant is needed: the argument of tid (DEV-CONST)."""

import types

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run

NDIMS = 2
FACTOR = 3
settings = types.SimpleNamespace(factor=10, ndims=2)


@D.kernel
def literal(out):
    x, y = D.tid(2)
    out[y, x] = x + 10 * y


@D.kernel
def local(out):
    n = 2
    m = n
    x, y = D.tid(m)
    out[y, x] = x + 10 * y


@D.kernel
def folded(out):
    x, y = D.tid(7 // 2 - 1)
    out[y, x] = x + 10 * y


@D.kernel
def global_(out):
    x, y = D.tid(NDIMS)
    out[y, x] = x + 10 * y


@D.kernel
def attribute(out):
    x, y = D.tid(settings.ndims)
    out[y, x] = x + 10 * y


def from_closure():
    n = 2

    @D.kernel
    def closure(out):
        x, y = D.tid(n)
        out[y, x] = x + 10 * y

    return closure


closure = from_closure()

CONSTANTS = [
    pytest.param(literal, marks=clause("DEV-CONST-01"), id="literal"),
    pytest.param(folded, marks=clause("DEV-CONST-01"), id="folded"),
    pytest.param(local, marks=clause("DEV-CONST-02", partial="parameters"), id="local"),
    pytest.param(global_, marks=clause("DEV-CONST-03"), id="global"),
    pytest.param(attribute, marks=clause("DEV-CONST-03"), id="attribute"),
    pytest.param(closure, marks=clause("DEV-CONST-03"), id="closure"),
]


@pytest.mark.parametrize("kernel", CONSTANTS)
def test_constant_expressions(target, kernel):
    out = np.full((4, 6), -1, dtype=np.int64)
    run(kernel, out, grid=(2, 2), block=(3, 2))
    y, x = np.indices(out.shape)
    assert np.array_equal(out, x + 10 * y)


@D.kernel
def scaled(out, x):
    out[0] = x * FACTOR
    out[1] = x * settings.factor


@clause("DEV-CONST-03")
def test_globals_are_read_at_each_launch(target, monkeypatch):
    out = np.zeros(2)
    run(scaled, out, np.int32(2))
    assert out.tolist() == [6, 20]
    monkeypatch.setitem(globals(), "FACTOR", 5)
    settings.factor = 0.25
    try:
        run(scaled, out, np.int32(2))
    finally:
        settings.factor = 10
    assert out.tolist() == [10, 0.5]
    monkeypatch.undo()
    run(scaled, out, np.int32(2))
    assert out.tolist() == [6, 20]


@D.func
def helper(x):
    return x + FACTOR


@D.kernel
def calls_helper(out, x):
    out[0] = helper(x)


@clause("DEV-CONST-03")
def test_globals_of_called_functions_are_read_at_each_launch(target, monkeypatch):
    out = np.zeros(1)
    run(calls_helper, out, 1)
    assert out[0] == 4
    monkeypatch.setitem(globals(), "FACTOR", 40)
    run(calls_helper, out, 1)
    assert out[0] == 41


@D.kernel
def from_an_argument(out, n):
    out[0] = D.tid(n)  # refused


@D.kernel
def from_a_shape(out, n):
    out[0] = D.tid(out.shape[0])  # refused


@D.kernel
def reassigned(out, n):
    m = 1
    if n > 3:
        m = 2
    out[0] = D.tid(m)  # refused


@D.kernel
def loop_carried(out, n):
    m = 1
    for i in range(2):
        out[i] = D.tid(m)  # refused
        m = m + 1


@D.kernel
def undefined(out, n):
    out[0] = D.tid(NO_SUCH_GLOBAL)  # refused # noqa: F821


@clause("DEV-CONST-04")
@pytest.mark.parametrize("kernel", [from_an_argument, from_a_shape, reassigned, loop_carried])
def test_what_is_no_constant_expression(kernel):
    expect_refusal(kernel, np.zeros(2), 1, words=("constant",))


@clause("DEV-CONST-04")
def test_an_undefined_global_is_refused():
    expect_refusal(undefined, np.zeros(2), 1, words=("NO_SUCH_GLOBAL",))


@D.kernel
def sets_on_an_array(a, x):
    a.foo = 1  # refused


@D.kernel
def sets_on_a_number(a, x):
    x.foo = 1  # refused


@D.kernel
def sets_shape(a, x):
    a.shape = (1,)  # refused


@clause("DEV-HTYPE-02", partial="atomics, masks")
@pytest.mark.parametrize(
    ("kernel", "word"),
    [(sets_on_an_array, "foo"), (sets_on_a_number, "foo"), (sets_shape, "shape")],
)
def test_attributes_are_not_added_in_device_code(kernel, word):
    expect_refusal(kernel, np.zeros(2), 1, words=(word,))
