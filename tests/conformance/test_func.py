"""Heterogeneous functions (DEV-FUNC)."""

import inspect

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import result_type, run


def recip_source(a):
    """One over a."""
    return 1 / a


recip = D.func(recip_source)


@D.func
def diff(a, b):
    return abs(a - b)


@D.kernel
def reciprocals(a, out):
    i = D.tid(1)
    out[i] = recip(a[i])


SPELLINGS = {
    "bare": D.func(recip_source),
    "called": D.func()(recip_source),
    "with interop": D.func(interop=False)(recip_source),
}


@clause("DEV-FUNC-01")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_the_decorator(target, spelling):
    function = SPELLINGS[spelling]

    @D.kernel
    def kernel(a, out):
        i = D.tid(1)
        out[i] = function(a[i])

    a = np.array([1.0, 2.0, 4.0, -0.5])
    out = np.zeros(4)
    run(kernel, a, out, block=4)
    assert np.array_equal(out, 1 / a)


@clause("DEV-FUNC-02")
@pytest.mark.parametrize(
    ("source", "result"),
    [("float32", "float32"), ("float64", "float64"), ("int32", "float32"), ("int64", "float64")],
)
def test_called_with_several_types(target, source, result):
    a = np.array([1, 2, 3, 5, 7], dtype=source)
    out = np.zeros(5)
    run(reciprocals, a, out, block=5)
    assert np.array_equal(out, np.array(1, dtype=result) / a.astype(result))
    assert result_type(recip, getattr(D, source)) == result


@D.func
def square(x):
    return x * x


@D.func
def norm2(x, y):
    return square(x) + square(y)


@D.func
def both(x, n):
    return norm2(x, x) + norm2(n, n)


@D.kernel(fmad=False)
def nested(x, n, out):
    i = D.tid(1)
    out[i] = both(x[i], n[i])


@clause("DEV-FUNC-02")
def test_nested_calls_are_typed_one_by_one(target):
    x = np.array([0.5, 1.5, -2.5])
    n = np.array([100, 7, -3], dtype=np.int8)
    out = np.zeros(3)
    run(nested, x, n, out, block=3)
    squares = (n * n) + (n * n)  # int8 throughout, wrapping
    assert np.array_equal(out, 2 * x * x + squares)


@D.func
def first_multiple(a, n):
    i = 0
    while i < n:
        if a[i] % 7 == 0:
            return i
        i += 1
    return -1


@D.kernel
def search(a, out):
    i = D.tid(1)
    out[i] = first_multiple(a, i)


@clause("DEV-FUNC-02")
def test_functions_take_arrays_and_return_from_loops(target):
    a = np.array([3, 5, 9, 14, 7, 21, 1], dtype=np.int32)
    out = np.zeros(40, dtype=np.int32)
    a = np.concatenate([a, np.ones(40, dtype=np.int32)])
    run(search, a, out, block=40)
    assert out.tolist() == [-1 if i <= 3 else 3 for i in range(40)]


@D.func
def order(a, b):
    if a > b:
        return b, a
    return a, b


@D.func
def scaled(x, *, factor=2, offset=1):
    return x * factor + offset


@D.kernel
def keywords(out, a, b):
    low, high = order(a, b)
    out[0] = low
    out[1] = high
    out[2] = scaled(a)
    out[3] = scaled(a, offset=5)
    out[4] = scaled(offset=0, factor=b, x=a)
    out[5] = diff(b=a, a=b)


@clause("DEV-FUNC-02")
def test_tuples_defaults_and_keywords(target):
    out = np.zeros(6, dtype=np.int64)
    run(keywords, out, 9, 4)
    assert out.tolist() == [4, 9, 19, 23, 36, 5]


@clause("DEV-FUNC-03")
def test_called_on_the_host():
    assert recip(4.0) == 0.25
    assert diff(2, 5) == 3
    assert diff(a=5, b=2) == 3
    assert scaled(4, offset=5) == 13
    assert order(9, 4) == (4, 9)
    assert norm2(3, 4) == 25


@clause("DEV-FUNC-03")
def test_host_calls_have_pythons_meaning():
    assert square(2**40) == 2**80
    assert recip(3.0) == 1 / 3
    assert np.array_equal(square(np.arange(4)), [0, 1, 4, 9])
    with pytest.raises(ZeroDivisionError):
        recip(0)


@D.func
def position():
    return D.thread_idx.x  # refused


@D.func
def index():
    return D.tid(1) + 1  # refused


@D.kernel
def uses_position(out):
    out[0] = position()


@D.kernel
def uses_index(out):
    out[0] = index()


@clause("DEV-FUNC-04")
def test_device_only_use_in_a_func_is_refused():
    out = np.zeros(1, dtype=np.int64)
    expect_refusal(uses_position, out, functions=(position,), words=("thread_idx", "position"))
    expect_refusal(uses_index, out, functions=(index,), words=("tid", "index"))


@clause("DEV-FUNC-05")
def test_underlying():
    assert recip.underlying is recip_source
    assert D.func()(recip_source).underlying is recip_source


@clause("DEV-FUNC-08")
@pytest.mark.parametrize("keyword", ["foo", "fmadd", "align"])
def test_unknown_keywords_are_refused(keyword):
    with pytest.raises(TypeError, match=keyword):
        D.func(**{keyword: 1})


@clause("DEV-FUNC-08")
def test_only_functions_are_decorated():
    for thing in (3, "recip", [recip_source]):
        with pytest.raises(TypeError):
            D.func(thing)


def plain_position(scale):
    return (D.tid(1) + 1) * scale


def plain(x):
    return x + plain_position(2)


@D.kernel
def uses_plain(out):
    i = D.tid(1)
    out[i] = plain(i)


@clause("DEV-FUNC-09")
def test_undecorated_functions_compile_and_may_be_device_only(target):
    out = np.zeros(6, dtype=np.int64)
    run(uses_plain, out, block=6)
    assert out.tolist() == [3 * i + 2 for i in range(6)]


@D.struct
class Line:
    slope: D.float64
    offset: D.float64

    @D.func
    def at(self, x, *, twice=False):
        y = self.slope * x + self.offset
        return 2 * y if twice else y

    @D.func
    def moved(self, by):
        return D.replace(self, offset=self.offset + by)

    @staticmethod
    @D.func
    def through(x, y):
        return Line(y / x, 0.0)


@D.kernel(fmad=False)
def uses_methods(out, line):
    i = D.tid(1)
    out[i, 0] = line.at(i)
    out[i, 1] = line.moved(i).at(2.0, twice=True)
    out[i, 2] = Line.through(2.0, 6.0).at(i)
    at = line.at
    out[i, 3] = at(0.5)


@clause("DEV-FUNC-10")
def test_methods_of_structs_are_functions(target):
    line = Line(0.5, 3.0)
    assert line.at(4) == 5
    assert line.moved(1.0).at(2.0, twice=True) == 10
    assert Line.through(2.0, 6.0) == Line(3.0, 0.0)
    out = np.zeros((6, 4))
    run(uses_methods, out, line, block=6)
    assert out.tolist() == [[0.5 * i + 3, 2 * (4.0 + i), 3.0 * i, 3.25] for i in range(6)]


@clause("DEV-FUNC-11")
def test_name_documentation_and_signature_are_kept():
    assert recip.__name__ == "recip_source"
    assert recip.__doc__ == "One over a."
    assert recip.__module__ == __name__
    assert list(inspect.signature(recip).parameters) == ["a"]


@D.func
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@D.kernel
def uses_factorial(out, n):
    out[0] = factorial(n)


@D.kernel
def uses_factorial_of_a_constant(out):
    out[0] = factorial(5)


@clause("DEV-FUNC-02")
def test_recursion_of_known_depth(target):
    out = np.zeros(1, dtype=np.int64)
    run(uses_factorial_of_a_constant, out)
    assert out[0] == 120


@clause("DEV-FUNC-02")
def test_recursion_at_run_time(target):
    for n in (0, 1, 5, 10):
        out = np.zeros(1, dtype=np.int32)
        run(uses_factorial, out, n)
        assert out[0] == factorial(n)
