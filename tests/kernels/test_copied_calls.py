"""Calls that differ in nothing that is known when compiling are lowered once, and copied: what each
has of its own stays its own."""

import inspect
import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run, run_as_python


def failure(kernel, *args, raises=AssertionError):
    with pytest.raises(raises) as caught:
        run(kernel, *args)
    return str(caught.value)


def line_of(kernel, text):
    """The one of the kernel's source that has the text, as messages name it."""
    lines, first = inspect.getsourcelines(kernel.__wrapped__)
    return f":{first + next(k for k, line in enumerate(lines) if text in line)},"


# --------------------------------------------------------------- variables, arrays, early returns


def root(x, steps):
    """Newton's method, with a loop, branches and a return in each."""
    if x <= 0:
        return x * 0
    guess = x
    for _ in range(steps):
        following = (guess + x / guess) / 2
        if following == guess:
            return guess
        guess = following
    return guess


def norm(x, y):
    return root(x * x + y * y, 20)


@D.kernel(fmad=False)
def norms(out, a):
    out[0] = root(a[0], 20)
    out[1] = root(a[1], 20) + root(-a[1], 20)
    for k in range(2, 6):
        if a[k] > 0:
            out[k] = norm(a[k - 1], a[k]) - root(a[k], 20)
        else:
            out[k] = norm(a[k], norm(a[k - 1], a[k]))
    out[6] = root(a[0], 1) + norm(a[1], a[0])


@clause("DEV-FUNC-02")
def test_each_call_has_variables_of_its_own(target):
    run_as_python(norms, np.zeros(7), np.array([2.0, 9, -3, 4, 0.25, -8]))


def reversed_in_place(a, first, last):
    while first < last:
        a[first], a[last] = a[last], a[first]
        first += 1
        last -= 1


@D.kernel
def rotates(a, b, n):
    for k in range(3):
        reversed_in_place(a, 0, n - 1)
        reversed_in_place(a, n, 9)
        reversed_in_place(a, 0, 9)
        reversed_in_place(b, k, 9)
        reversed_in_place(b[2:], k, 7)
        reversed_in_place(b[2:], 0, n)


@clause("DEV-FUNC-02")
def test_each_array_and_view_is_itself(target):
    run_as_python(rotates, np.arange(10), np.arange(10) * 10, 3)


def middle(a, first):
    own = D.local_array(3, D.int32)
    own[0] = 7
    for k in range(3):
        own[k] += a[first + k]
    own[1], own[2] = max(own[1], own[2]), min(own[1], own[2])
    own[0], own[1] = max(own[0], own[1]), min(own[0], own[1])
    return max(own[1], own[2])


@D.kernel
def medians(out, a):
    t = D.tid(1)
    out[t] = middle(a, t) * 10000 + middle(a, t + 1) * 100 + middle(a, t + 2)


@clause("DEV-FUNC-02")
def test_each_call_has_local_arrays_of_its_own(target):
    a = np.array([5, 3, 9, 1, 7, 2, 8], dtype=np.int32)
    out = np.zeros(3, dtype=np.int32)
    run(medians, out, a, block=3)
    expected = []
    for t in range(3):
        threes = [sorted([7 + a[k], a[k + 1], a[k + 2]])[1] for k in range(t, t + 3)]
        expected.append(threes[0] * 10000 + threes[1] * 100 + threes[2])
    assert out.tolist() == expected


def applied(f, x):
    return f(x)


def scaled(x, by):
    def times(y):
        return y * by

    return applied(times, x) + times(by)


@D.kernel
def with_closures(out, a):
    by = a[1]

    def times(x):
        return x * by

    out[0] = applied(times, a[0])
    by = a[2]
    out[1] = applied(times, a[0])
    out[2] = applied(times, a[0])
    out[3] = scaled(a[0], a[1]) + scaled(a[1], a[2]) + scaled(a[2], a[3])


@clause("DEV-FUNC-02")
def test_closures_read_variables_as_they_are(target):
    run_as_python(with_closures, np.zeros(4), np.array([2.0, 3, 5, 7]))


def of_pair(pair, x):
    return pair[0] * x - pair[1]


@D.kernel(fmad=False)
def of_pairs(out, a):
    x = a[0]
    out[0] = of_pair((x, x), x)
    out[1] = of_pair((a[1], x), x)
    out[2] = of_pair((x, a[1]), x)
    out[3] = of_pair((a[2], a[1]), x)
    out[4] = of_pair((2, a[1]), x) + of_pair((3, a[1]), x) + of_pair((2, a[2]), x)


@clause("DEV-FUNC-02")
def test_one_number_given_twice_is_no_two_numbers(target):
    run_as_python(of_pairs, np.zeros(5), np.array([2.0, 3, 5]))


# --------------------------------------------------------------------------------------- failures


@D.kernel
def with_factorials(out, a):
    out[0] = math.factorial(a[0])  # first
    out[1] = math.factorial(a[1])  # second
    out[2] = math.factorial(a[2])  # third
    out[3] = math.factorial(a[3])  # fourth


@pytest.mark.parametrize("place", range(4))
def test_a_failure_in_the_library_is_where_it_is_called(target, place):
    if target == "cuda":
        pytest.skip("for other targets: a raise ends the context of a GPU")
    a = np.full(4, 3, dtype=np.int32)
    a[place] = -1
    text = failure(with_factorials, np.zeros(4, np.int32), a, raises=ValueError)
    assert line_of(with_factorials, ("first", "second", "third", "fourth")[place]) in text


def checked(x):
    assert x > 0, "not positive"
    return x


@D.kernel
def with_messages(out, a):
    out[0] = checked(a[0]) + checked(a[1])
    assert a[2] > 0, f"a[2] and {checked(a[3])}"
    assert a[4] > 0, f"a[4] and {checked(a[3])}"
    out[1] = checked(a[5])


@pytest.mark.parametrize(
    ("zeros", "message"),
    [
        ([], ""),
        ([0], "not positive"),
        ([1, 2], "not positive"),
        ([2], "a[2] and 1.0"),
        ([2, 3], "not positive"),
        ([4], "a[4] and 1.0"),
        ([5], "not positive"),
    ],
)
def test_failures_in_messages(target, zeros, message):
    if target == "cuda":
        pytest.skip("for other targets: a GPU makes no checks of assert")
    a = np.ones(6)
    a[zeros] = 0
    if message:
        assert message in failure(with_messages, np.zeros(2), a)
    else:
        out = np.zeros(2)
        run(with_messages, out, a)
        assert out.tolist() == [2, 1]


# ------------------------------------------------------------------------------------------ depth


DEPTHS = tuple(range(120))  # more than inlined calls may stand in one another


def powered(x, n):
    return x if n == 0 else powered(x, n - 1) * x + 1


@D.kernel
def powers(out, a):
    for n in DEPTHS:
        out[n] = powered(a[0], n)


@clause("DEV-FUNC-02")
def test_copies_stand_in_one_another_as_deep_as_calls(target):
    out = np.zeros(120, dtype=np.int64)
    run(powers, out, np.array([1], dtype=np.int64))
    assert out.tolist() == [1 + n for n in range(120)]
