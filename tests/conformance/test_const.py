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
    pytest.param(local, marks=clause("DEV-CONST-02"), id="local"),
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


@D.func
def repeated(x, times: D.ConstExpr = 2):
    out = x
    for part in (x,) * times:  # a tuple has a constant number of elements
        out = out * 10 + part
    return out


@D.func
def digits(n: D.ConstExpr[D.int32], form: D.ConstExpr[str], flag: "D.ConstExpr[bool]"):
    # a plain n is no constant expression unless the annotation asks for one
    tile = D.local_array((n, n + 1), D.int32) if D.target(D.is_device) else None
    if form == "rows":
        return tile.shape[0] + (100 if flag else 0)
    return tile.shape[1]


def scale_of(factor: D.ConstExpr, kind: D.ConstExpr[D.TargetDescription] = D.is_device):
    if D.target(kind):
        return factor * 2
    return factor


@D.kernel
def const_parameters(out, wide):
    n = 2
    m: D.ConstExpr = n + 1
    out[0] = repeated(wide, m)
    out[1] = repeated(wide)
    out[2] = repeated(3, times=len((1, 2)) - 1)
    out[3] = digits(m, "rows", True)
    out[4] = digits(FACTOR + 1, "columns", False)
    out[5] = digits(D.int32(7), "rows", n == 3)
    out[6] = scale_of(FACTOR) + scale_of(5, D.is_host)


@clause("DEV-CONST-02", "DEV-CONST-05", "DEV-CONST-06")
def test_parameters_that_are_constant_expressions(target, monkeypatch):
    out = np.zeros(7, dtype=np.int64)
    run(const_parameters, out, np.int64(4))
    assert out.tolist() == [4444, 444, 33, 103, 5, 7, 11]
    monkeypatch.setitem(globals(), "FACTOR", 8)
    run(const_parameters, out, np.int64(4))
    assert out.tolist() == [4444, 444, 33, 103, 10, 7, 21]


@clause("DEV-CONST-06")
def test_hints_of_constant_expressions_are_values():
    assert D.ConstExpr[D.int32] == D.ConstExpr[D.int32]
    assert D.ConstExpr[D.int32] != D.ConstExpr[D.int64]
    assert len({D.ConstExpr[int], D.ConstExpr[int], D.ConstExpr[float]}) == 2
    assert repeated.underlying.__annotations__["times"] is D.ConstExpr


def launched(n: D.ConstExpr[int], out, f: D.ConstExpr, table: D.ConstExpr = (1, 2, 3)):
    tile = D.shared_array((n, 2), D.int32)
    i = D.tid(1)
    tile[i % n, 0] = i
    D.syncthreads()
    total = 0
    for k in table:
        total += f(k)
    out[i, 0] = tile.shape[0]
    out[i, 1] = total
    out[i, 2] = table[i % len(table)]


@clause("DEV-CONST-05", "DEV-CONST-06", "DEV-CONST-03")
def test_arguments_of_launches_that_are_constant_expressions(target):
    kernel = D.kernel(launched)
    out = np.zeros((6, 3), dtype=np.int64)
    for n in (4, 7, 4):
        run(kernel, n, out, repeated, block=6)
        assert out.tolist() == [[n, 111 + 222 + 333, i % 3 + 1] for i in range(6)]
    run(kernel, 4, out, lambda x: -x, np.array([5, 6]), block=6)
    assert out.tolist() == [[4, -11, 5 + i % 2] for i in range(6)]
    run(kernel, 4, out, D.float32, block=6)
    assert out[:, 1].tolist() == [6] * 6


@D.func
def rank(shape: D.ConstExpr[tuple[int, ...]], any: D.ConstExpr[tuple] = (1, 2)):
    x: D.ConstExpr[tuple[D.int16, str]] = (7, "rows")
    return len(shape) * 100 + len(any) * 10 + (x[0] if x[1] == "rows" else 0)


@D.kernel
def shaped(
    out,
    shape: D.ConstExpr[tuple[int, int]],
    quoted: "D.ConstExpr[tuple[int, tuple[str, D.float64]]]",
    either: D.ConstExpr[float | None] = None,
):
    tile = D.shared_array(shape, D.int32)
    i = D.tid(1)
    tile[0, i] = i
    D.syncthreads()
    out[0] = tile.size * 1000 + tile[0, shape[1] - 1]
    out[1] = rank(shape) + rank((), any=(3,))
    out[2] = quoted[0] + quoted[1][1] + len(quoted[1][0])
    out[3] = 5 if either is None else D.local_array(int(either), D.int8).size


@clause("DEV-CONST-05", "DEV-CONST-06", "DEV-TUP-01")
def test_tuples_that_are_constant_expressions(target):
    out = np.zeros(4)
    for shape in ((2, 3), (4, 2), (2, 3)):
        run(shaped, out, shape, (1, ("ab", 0.1)), block=shape[1])
        size = shape[0] * shape[1] * 1000 + shape[1] - 1
        assert out.tolist() == [size, 227 + 17, 1 + 0.1 + 2, 5]
    run(shaped, out, (1, 1), (1, ("ab", 0.1)), 3.0)
    assert out.tolist() == [1000, 227 + 17, 1 + 0.1 + 2, 3]


@clause("DEV-CONST-07")
@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((1, 2, 3), ("'shape' is declared a tuple of 2 elements", "value is (int, int, int)")),
        (4, ("'shape' is declared a tuple of 2 elements", "the value is int")),
        ((1, 2.5), ("element 1 of parameter 'shape' is declared int", "the value is float")),
        (("a", 2), ("element 0 of parameter 'shape' is declared int", "the value is str")),
    ],
)
def test_what_a_constant_tuple_refuses(shape, words):
    with pytest.raises(D.errors.CompileError) as raised:
        run(shaped, np.zeros(4), shape, (1, ("ab", 0.1)))
    assert all(word in str(raised.value) for word in words)


@D.func
def declares_a_tuple(x: D.ConstExpr[tuple[int, int]]):  # refused
    return x[0]


@D.kernel
def gives_a_tuple_of_a_variable(out, n):
    out[0] = declares_a_tuple((1, n))


@D.func
def typed_constant(n: D.ConstExpr[D.int32]):  # refused
    return n


@D.func
def any_constant(n: D.ConstExpr):  # refused
    return n


@D.kernel
def gives_a_variable(out, n):
    out[0] = any_constant(n)


@D.kernel
def gives_a_wrong_type(out, n):
    out[0] = typed_constant(2.5)


@D.kernel
def gives_text(out, n):
    out[0] = typed_constant("3")


@D.kernel
def keeps_a_variable(out, n):
    m: D.ConstExpr = n  # refused
    out[0] = m


@clause("DEV-CONST-07")
@pytest.mark.parametrize(
    ("kernel", "function", "words"),
    [
        (
            gives_a_variable,
            any_constant,
            ("parameter 'n' is declared ConstExpr", "known at run time only"),
        ),
        (
            gives_a_wrong_type,
            typed_constant,
            ("parameter 'n' is declared int32", "the value is float"),
        ),
        (
            gives_a_tuple_of_a_variable,
            declares_a_tuple,
            ("parameter 'x' is declared ConstExpr", "of type (int, int), is known at run time"),
        ),
        (gives_text, typed_constant, ("parameter 'n' is declared int32", "the value is str")),
        (keeps_a_variable, None, ("'m' is declared ConstExpr", "of type int,")),
    ],
)
def test_what_a_constant_parameter_refuses(kernel, function, words):
    functions = (function,) if function else ()
    expect_refusal(kernel, np.zeros(2), 1, functions=functions, words=words)


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
