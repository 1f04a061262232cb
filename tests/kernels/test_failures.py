"""assert and raise in kernels: who fails, what is told, and what still runs."""

import inspect
import pickle
import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core, errors
from support.launching import run


@pytest.fixture(autouse=True)
def _checked(target):
    if target == "cuda":
        pytest.skip(
            "for other targets: a GPU makes no checks of assert, and a raise ends its context"
        )


def line_of(kernel, text):
    """Where the kernel's source has the text, as the message names it."""
    lines, first = inspect.getsourcelines(kernel)
    found = [i for i, line in enumerate(lines) if text in line]
    assert len(found) == 1
    return f"{inspect.getsourcefile(kernel)}:{first + found[0]}"


def failure(kernel, *args, raises=AssertionError, **dims):
    with pytest.raises(raises) as caught:
        run(kernel, *args, **dims)
    assert isinstance(caught.value, errors.KernelFailure)
    return str(caught.value)


@D.kernel
def positive(a, n):
    i = D.tid(1)
    if i < a.size:
        assert a[i] > 0
        assert i < n, "n is too small"
        a[i] += 1


def test_a_failed_assertion_is_an_exception():
    a = np.ones(100)
    run(positive, a, 100, grid=4, block=32)
    assert (a == 2).all()
    a[77] = -1
    assert failure(positive, a, 100, grid=4, block=32) == (
        "kernel 'positive': assertion failed: a[i] > 0 "
        f"({line_of(positive.__wrapped__, 'assert a[i]')}, block (2, 0, 0), thread (13, 0, 0))"
    )
    a[:] = 1
    assert failure(positive, a, 98, grid=4, block=32) == (
        "kernel 'positive': assertion failed: n is too small "
        f"({line_of(positive.__wrapped__, 'too small')}, block (3, 0, 0), thread (2, 0, 0))"
    )


def test_launches_after_a_failure_work():
    a = np.ones(1000)
    for _ in range(3):
        a[500] = 0
        failure(positive, a, 1000, grid=32, block=32)
        a[:] = 1
        run(positive, a, 1000, grid=32, block=32)
        assert (a == 2).all()
        a[:] = 1


def test_numbers_that_are_not_positive_nor_negative():
    a = np.ones(10)
    a[3] = np.nan
    assert "thread (3, 0, 0)" in failure(positive, a, 10, block=10)


@D.kernel
def classes(a, k):
    i = D.tid(1)
    if i == 40:
        if k == 0:
            raise ValueError("a value")
        if k == 1:
            raise IndexError
        if k == 2:
            raise OSError("of the system")
        if k == 3:
            raise ZeroDivisionError()
        if k == 4:
            raise NotImplementedError("so far")
        if k == 5:
            raise StopIteration("the end")
        if k == 6:
            raise RuntimeError("")
        assert k != 7
        if k == 8:
            raise KeyError("key")
    a[i] = k


@pytest.mark.parametrize(
    ("k", "raises", "text"),
    [
        (0, ValueError, "a value"),
        (1, IndexError, "IndexError"),
        (2, OSError, "of the system"),
        (3, ZeroDivisionError, "ZeroDivisionError"),
        (4, NotImplementedError, "so far"),
        (5, StopIteration, "the end"),
        (6, RuntimeError, "RuntimeError"),
        (7, AssertionError, "assertion failed: k != 7"),
        (8, KeyError, "'key'"),
    ],
)
def test_exception_classes(k, raises, text):
    with pytest.raises(raises) as caught:
        run(classes, np.zeros(64), k, grid=2, block=32)
    error = caught.value
    assert type(error).__name__ == f"Kernel{raises.__name__}"
    assert isinstance(error, errors.KernelFailure)
    assert str(error).startswith(f"kernel 'classes': {text} (")
    assert str(error).endswith(", block (1, 0, 0), thread (8, 0, 0))")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), copy.args) == (type(error), error.args)


def root(x):
    if x < 0:
        raise ValueError("no root of a negative number")
    return x**0.5


def twice(x):
    assert x != 7, "seven"
    return root(x) + root(x)


@D.kernel
def calls(a):
    i = D.tid(1)
    a[i] = twice(a[i])


def test_failures_in_functions():
    a = np.full(64, 4.0)
    run(calls, a, grid=2, block=32)
    assert (a == 4).all()
    a[50] = -1
    text = failure(calls, a, raises=ValueError, grid=2, block=32)
    assert text.startswith("kernel 'calls': no root of a negative number (")
    assert line_of(root, "raise") in text
    a[50] = 7
    assert line_of(twice, "seven") in failure(calls, a, grid=2, block=32)


def checked(x):
    if x > 5:
        return 2 * x
    elif x > 3:
        y = x
    else:
        raise ValueError("too small")
    return y


def never(x):
    raise ValueError("never")


def impossible(x):
    if x > 5:
        y = 1
    else:
        assert False, "impossible"  # noqa: B011, PT015
    return y


@D.kernel
def flows(a, k):
    i = D.tid(1)
    if k == 0:
        a[i] = checked(a[i])
    elif k == 1:
        never(a[i])
    elif k == 2:
        a[i] = impossible(a[i])
    else:
        while never(a[i]):
            a[i] += 1


def test_control_flow_that_ends_in_a_raise():
    a = np.array([4.0, 5.0, 6.0, 7.0])
    run(flows, a, 0, block=4)
    assert a.tolist() == [4, 5, 12, 14]
    a[2] = 1
    assert "too small" in failure(flows, a, 0, raises=ValueError, block=4)
    assert "never (" in failure(flows, a, 1, raises=ValueError, block=4)
    assert "thread (0, 0, 0)" in failure(flows, a, 2, block=4)
    assert "never (" in failure(flows, a, 3, raises=ValueError, block=4)


@D.kernel
def loops(a, n):
    i = D.tid(1)
    total = 0.0
    for k in range(n):
        if k % 2 == 0:
            continue
        x = a[(i + k) % a.size]
        while x > 1:
            assert x != 64.0, "64"
            x /= 2
        total += x
        assert total < 40
    a[i] = total


def test_failures_in_loops():
    run(loops, np.full(100, 3.0), 10, grid=2, block=50)
    a = np.full(100, 3.0)
    a[60] = 256
    assert "assertion failed: 64" in failure(loops, a, 10, grid=2, block=50)
    assert "total < 40" in failure(loops, np.full(100, 3.0), 1000, grid=2, block=50)


@D.kernel
def around_barriers(a, n):
    s = D.shared_array(64, D.int32)
    i = D.thread_idx.x
    s[i] = a[i]
    D.syncthreads()
    for _ in range(n):
        x = s[63 - i]
        assert x != 5, "five"
        D.syncthreads()
        if x == 9:
            raise ValueError("nine")
        s[i] = x + 1
        D.syncthreads()
    a[i] = s[i]


def test_failures_around_barriers():
    a = np.full(64, 10, np.int32)
    run(around_barriers, a, 4, block=64)
    assert (a == 14).all()
    a[:] = 6
    assert "nine" in failure(around_barriers, a, 4, raises=ValueError, block=64)
    a[:] = 10
    a[60] = 3
    assert "five" in failure(around_barriers, a, 4, block=64)
    a[:] = 10
    a[10] = 5
    assert "thread (53, 0, 0)" in failure(around_barriers, a, 4, block=64)


@D.kernel
def one_fails_others_wait(a, n):
    s = D.shared_array(64, D.int32)
    i = D.thread_idx.x
    if a[i] == 5:
        raise ValueError("five")
    else:
        s[i] = a[i]
        D.syncthreads()
    if a[i] < n:
        D.syncthreads()
        a[i] = s[63 - i]
        D.syncthreads()
    else:
        raise IndexError("n")


def test_a_thread_fails_while_the_others_wait():
    """Threads differ in the condition, but those that go on do not."""
    a = np.arange(6, 70, dtype=np.int32)
    run(one_fails_others_wait, a, 100, block=64)
    assert (a == np.arange(69, 5, -1)).all()
    a[50] = 5
    text = failure(one_fails_others_wait, a, 100, raises=ValueError, block=64)
    assert "five" in text
    assert "thread (50, 0, 0)" in text
    a[50] = 100
    text = failure(one_fails_others_wait, a, 100, raises=IndexError, block=64)
    assert "thread (50, 0, 0)" in text


@D.kernel
def some_have_left(a):
    i = D.thread_idx.x
    if i % 3 == 0:
        return
    count = D.syncthreads_count(lambda: a[i] > 0)
    assert count == 42, "another count"
    a[i] = count


def test_failures_after_threads_have_left():
    a = np.ones(64)
    run(some_have_left, a, block=64)
    assert a[:3].tolist() == [1, 42, 42]
    a[:] = 1
    a[2] = 0
    text = failure(some_have_left, a, block=64)
    assert "thread (1, 0, 0)" in text


@D.kernel
def places(a):
    x, y = D.tid(2)
    z = D.thread_idx.z
    if x < a.shape[2] and y < a.shape[1]:
        assert a[z, y, x] == 0


@pytest.mark.parametrize("block", [(8, 4), (32, 2), (5, 3), (7, 3, 2), (1, 1, 2), (64, 1), (3, 40)])
def test_the_place_is_told_in_every_shape_of_block(block):
    depth = block[2] if len(block) == 3 else 1
    grid = (3, 2)
    where = (depth, 2 * block[1], 3 * block[0])
    a = np.zeros(where, np.int32)
    run(places, a, grid=grid, block=block)
    for z, y, x in {(0, 0, 0), (depth - 1, where[1] - 1, where[2] - 1), (0, block[1] // 2, 2)}:
        a[:] = 0
        a[z, y, x] = 1
        text = failure(places, a, grid=grid, block=block)
        assert f"block ({x // block[0]}, {y // block[1]}, 0)" in text
        assert f"thread ({x % block[0]}, {y % block[1]}, {z})" in text


@D.kernel
def any_of_many(a, done):
    i = D.tid(1)
    assert a[i] % 1000 != 999, "one of many"
    done[i] = 1


def test_one_of_several_failures_is_told():
    n = 32 * 5000
    done = np.zeros(n, np.int8)
    text = failure(any_of_many, np.arange(n), done, grid=5000, block=32)
    block, thread = map(int, re.search(r"block \((\d+), 0, 0\), thread \((\d+), 0", text).groups())
    assert (32 * block + thread) % 1000 == 999
    assert not done[32 * block + thread]
    assert done.sum() < n // 2  # blocks that had not begun were left out


@D.kernel
def within(a):
    i = D.tid(1)
    assert i < a.size
    a[i] = 1


@pytest.mark.parametrize("block", [1, 20, 31, 32, 33, 63, 64, 100])
def test_lanes_without_a_thread_do_not_fail(block):
    a = np.zeros(3 * block, np.int32)
    run(within, a, grid=3, block=block)
    assert (a == 1).all()
    text = failure(within, np.zeros(3 * block - 1), grid=3, block=block)
    assert f"block (2, 0, 0), thread ({block - 1}, 0, 0)" in text


@D.kernel
def short_circuits(a, b):
    i = D.tid(1)
    assert i >= a.size or (a[i] > 0 and b[i] > 0)
    x = i
    assert True, "never"
    assert a.size, "an empty array"
    if x < a.size:
        a[i] = -a[i]


def test_conditions_of_asserts():
    a, b = np.ones(40), np.ones(40)
    run(short_circuits, a, b, grid=2, block=32)
    assert (a == -1).all()
    a[:] = 1
    b[39] = 0
    assert "i >= a.size or (a[i] > 0 and b[i] > 0)" in failure(
        short_circuits, a, b, grid=2, block=32
    )


@D.kernel
def several_lines(a):
    i = D.tid(1)
    assert (
        a[i]
        > 0
    )  # fmt: skip


def test_a_condition_of_several_lines():
    text = failure(several_lines, np.zeros(3), block=3)
    assert "assertion failed: a[i] > 0 (" in text


@D.kernel
def facts_follow(a, i, n):
    assert i >= 0, "negative"
    assert n == 3, "not three"
    for k in range(n):
        a[i + k] = i


def test_what_is_asserted_is_known_after_it():
    """The compiler may build on it; it must not build on it where nobody has looked."""
    a = np.zeros(10, np.int32)
    run(facts_follow, a, 4, 3)
    assert a.tolist() == [0, 0, 0, 0, 4, 4, 4, 0, 0, 0]
    assert "negative" in failure(facts_follow, a, -4, 3)
    assert "not three" in failure(facts_follow, a, 4, 2)
    assert a.tolist() == [0, 0, 0, 0, 4, 4, 4, 0, 0, 0]


@D.kernel
def nothing_but_raise():
    raise ValueError("always")


def test_a_kernel_that_always_fails():
    assert "always" in failure(nothing_but_raise, raises=ValueError, grid=7, block=7)


@D.func
def of_both(x):
    assert x > 0, "of both"
    return 2 * x


@D.kernel
def calls_of_both(a):
    a[0] = of_both(a[0])


def test_a_function_of_host_and_devices():
    with pytest.raises(AssertionError, match="of both"):
        of_both(-1.0)
    a = np.array([3.0])
    run(calls_of_both, a)
    assert a[0] == of_both(3.0) == 6
    assert "of both" in failure(calls_of_both, -a)


# --- streams ---


def test_a_stream_keeps_the_failure_until_somebody_waits():
    stream = core.Device("host").create_stream()
    a, b = np.ones(64), np.ones(64)
    a[40] = 0
    D.launch(positive, a, 64, grid=2, block=32, stream=stream)
    D.launch(positive, b, 64, grid=2, block=32, stream=stream)
    with pytest.raises(AssertionError) as caught:
        stream.sync()
    assert isinstance(caught.value, errors.KernelFailure)
    assert str(caught.value).startswith("kernel 'positive': assertion failed: a[i] > 0 (")
    assert str(caught.value).endswith("block (1, 0, 0), thread (8, 0, 0))")
    assert (b == 2).all()
    stream.sync()


def test_the_device_waits_for_all_streams():
    streams = [core.Device("host").create_stream() for _ in range(2)]
    for k, stream in enumerate(streams):
        D.launch(classes, np.zeros(64), k, grid=2, block=32, stream=stream)
    with pytest.raises((ValueError, IndexError)) as caught:
        core.Device("host").sync()
    assert isinstance(caught.value, errors.KernelFailure)
    assert len(caught.value.__notes__) == 1
    core.Device("host").sync()
