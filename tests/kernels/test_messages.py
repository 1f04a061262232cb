"""Messages of assert and raise with values: as Python has them, of the thread that failed."""

import collections
import pickle
import re

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from support.launching import run

HEAD = re.compile(
    r"kernel '\w+': (?:assertion failed: )?(.*) \(\S+:\d+, block (.*), thread (.*)\)$", re.S
)


@pytest.fixture
def tells(target):
    if target == "cuda":
        pytest.skip("for other targets: a GPU traps, and makes no checks of assert")


def told(kernel, *args, raises=Exception, **dims):
    """The message of the failure, and the number of its thread in the x axis."""
    with pytest.raises(raises) as caught:
        run(kernel, *args, **dims)
    text, block, thread = HEAD.match(str(caught.value)).groups()
    across = dims.get("block", 1)
    across = across if isinstance(across, int) else across[0]
    return text, int(block[1:].split(",")[0]) * across + int(thread[1:].split(",")[0])


def in_python(kernel, *args):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        kernel.underlying(*args)
    return type(caught.value), str(caught.value).split("\nassert ")[0]  # which pytest adds


LIMIT = 100


def helper(x, what):
    if x < 0:
        raise ValueError(f"{what} is {x}")
    return x


@D.kernel(builtins=64)
def every_form(k, i, x, b, z):
    t = (i, x, b)
    if k == 0:
        raise ValueError(f"bad value {x:.3f} at {i}")
    if k == 1:
        raise ValueError("bad", i)
    if k == 2:
        raise IndexError(i)
    if k == 3:
        raise IndexError("x" + str(i) + "y")
    if k == 4:
        raise TypeError(t)
    if k == 5:
        raise RuntimeError(f"{i:5d}|{i:<5}|{i:+}|{i:x}|{x:8.2f}|{x:e}|{b}|{b:d}|{b!r}|{z}|{None}")
    if k == 6:
        raise ValueError(f"{{{i}}}" + " and " + f"{LIMIT} or {LIMIT:04d}, {2.5:.2f}, {'text'}")
    if k == 7:
        raise ValueError(None)
    if k == 8:
        raise ValueError("it's", 'a "quote"', "both ' and \"", "a\\b\n\t\x01", f"{i}'s")
    if k == 9:
        raise ValueError(f"{t} {(i,)} {()}", (t, None))
    if k == 10:
        raise ValueError(*t)
    if k == 11:
        helper(-i, "the index")
    if k == 12:
        assert i < 0, ("pair", i, x)
    if k == 13:
        assert i < 0, i
    if k == 14:
        assert i < 0, f"{i} is not negative"
    if k == 15:
        assert x < -i, f"{LIMIT} is a constant" + "!"
    if k == 16:
        message = f"kept {i}"
        i += 1
        raise ValueError(message + f", now {i}")
    if k == 17:
        raise ValueError(f"{i=} {x = :.1f}")
    if k == 18:
        raise ValueError(f"{x / 3} {i // 3} {i % 4} {min(i, 3)} {'yes' if i is None else 'no'}")
    if k == 19:
        raise ValueError(str(x), str(f"{i}"), str(None))
    if k == 20:
        raise KeyError(i, "is missing")
    if k == 21:
        raise ValueError(f"{0.1 + 0.2} {1 / 3} {10**20} {-0.0}")


@pytest.mark.usefixtures("tells")
@pytest.mark.parametrize("k", range(22))
@pytest.mark.parametrize(("i", "x"), [(7, 0.1), (123456789, -1234.5678), (1, 1e22)])
def test_the_text_is_python_s(k, i, x):
    arguments = k, i, x, i % 2 == 0, complex(x, -1)
    cls, text = in_python(every_form, *arguments)
    found, _ = told(every_form, *arguments, raises=cls)
    assert found == text


TYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, ml_dtypes.bfloat16, np.float32, np.float64]
SMALL = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]


@D.kernel
def element(a, n):
    i = D.tid(1)
    if i < a.size:
        assert i != n, f"a[{i}] is {a[i]}"


@pytest.mark.usefixtures("tells")
@pytest.mark.parametrize("dtype", [np.bool_, *TYPES, *FLOATS, *SMALL], ids=lambda t: t.__name__)
def test_values_of_every_type(dtype):
    a = np.arange(70).astype(dtype)
    a[45] = 2.5
    assert told(element, a, 45, grid=3, block=32) == (f"a[45] is {a[45].item()!r}", 45)


@D.kernel
def lanes(a, n):
    i = D.tid(1)
    x = a[i] * 2
    assert x < n, f"{i}: {x} and {a[i]}, {n}"


@pytest.mark.usefixtures("tells")
@pytest.mark.parametrize("block", [1, 5, 32, 33, 64, 100])
@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float64])
def test_the_values_are_those_of_the_thread(block, dtype):
    size = 3 * block
    for k in sorted({0, size // 2, size - 1}):
        a = np.zeros(size, dtype)
        a[k] = 60
        assert told(lanes, a, 100, grid=3, block=block) == (f"{k}: {dtype(120).item()} and "
            f"{dtype(60).item()}, 100", k)  # fmt: skip


@D.kernel
def many_fail(a, seen):
    i = D.tid(1)
    seen[i] = a[i]
    if a[i] % 7 == 3:
        raise ValueError(i, a[i], a[i] * 3, -a[i])


@pytest.mark.usefixtures("tells")
def test_values_of_two_threads_are_never_mixed():
    a = np.arange(32 * 2000)[::-1].copy()
    for _ in range(5):
        text, thread = told(many_fail, a, np.zeros_like(a), grid=2000, block=32)
        x = a[thread].item()
        assert text == str((thread, x, 3 * x, -x))
        assert x % 7 == 3


@D.kernel
def bounds_of_the_message(a, i):
    assert 0 <= i < a.size, f"index {i} out of {a.size}"
    assert a[i] > 0, f"{a[i]} at {i}, before it {a[i - 1]}"


@pytest.mark.usefixtures("tells")
def test_a_message_is_computed_where_it_is_told_only():
    """The message of the second one reads a[-1] for i == 0, which nobody does where it holds."""
    a = np.arange(1, 9)
    run(bounds_of_the_message, a, 0)
    assert told(bounds_of_the_message, a, 8)[0] == "index 8 out of 8"
    assert told(bounds_of_the_message, a, -1)[0] == "index -1 out of 8"
    a[4] = -2
    assert told(bounds_of_the_message, a, 4)[0] == "-2 at 4, before it 4"


def depth(x):
    n = 0
    while x > 1:
        x //= 2
        n += 1
    return n


@D.kernel(builtins=64)
def masked_loops(a, n):
    i = D.tid(1)
    total = 0
    for k in range(n):
        if (i + k) % 3 == 0:
            continue
        x = a[(i + k) % a.size]
        while x > 1:
            assert x != 65, f"thread {i}, k {k}, total {total}, depth {depth(a[i])}"
            x //= 2
        total += k
    a[i] = total


def model_of_masked_loops(a, n):
    for i in range(a.size):
        total = 0
        for k in range(n):
            if (i + k) % 3 == 0:
                continue
            x = a[(i + k) % a.size]
            while x > 1:
                if x == 65:
                    yield i, f"thread {i}, k {k}, total {total}, depth {depth(a[i])}"
                    return
                x //= 2
            total += k


@pytest.mark.usefixtures("tells")
@pytest.mark.parametrize("k", [1, 40, 98])
def test_in_loops_and_under_masks(k):
    a = np.full(100, 3)
    run(masked_loops, a.copy(), 10, grid=2, block=50)
    a[k] = 261
    text, thread = told(masked_loops, a, 1, grid=2, block=50)
    assert (thread, text) in list(model_of_masked_loops(a, 1))


@D.kernel
def around_barriers(a, n):
    s = D.shared_array(64, D.int32)
    i = D.thread_idx.x
    mine = a[i] * 3
    s[i] = a[i]
    D.syncthreads()
    for k in range(n):
        x = s[63 - i]
        if x == 9:
            raise ValueError(f"{i} {k} {mine} {s[i]}")
        else:
            D.syncthreads()
            s[i] = x + 1
        D.syncthreads()
        assert s[i] < 1000, (i, k, mine / 2)
    a[i] = s[i]


@pytest.mark.usefixtures("tells")
def test_around_barriers():
    a = np.full(64, 10, np.int32)
    run(around_barriers, a, 4, block=64)
    assert (a == 14).all()
    a[:] = 20
    a[50] = 7
    assert told(around_barriers, a, 4, block=64)[0] in (f"50 2 21 {22}", "13 2 60 22")
    a[:] = 20
    a[20] = 998
    text, thread = told(around_barriers, a, 4, block=64)
    assert text in ("(43, 0, 30.0)", "(20, 1, 1497.0)")
    assert thread in (43, 20)


@D.kernel(execution="threads")
def on_stacks(a, lock):
    i = D.tid(1)
    word = D.atomic_ref(lock, 0)
    while word.cas(0, 1) != 0:
        pass
    a[i] += 1
    word.store(0)
    assert a[i] != 5, f"{i} has {a[i]} and {float(a[i]) / 2}"


@pytest.mark.usefixtures("tells")
def test_threads_on_stacks():
    a = np.zeros(100, np.int64)
    a[70] = 4
    assert told(on_stacks, a, np.zeros(1, np.int32), grid=2, block=50) == ("70 has 5 and 2.5", 70)


def descend(n, x):
    if n == 0:
        if x > 10:
            raise ValueError(f"the bottom, {x} with {n}", x)
        return 0
    return descend(n - 1, x + n) + 1


@D.func(inline="never")
def careful(a, i):
    assert a[i] >= 0, f"a[{i}] = {a[i]}"
    return a[i] * 2


@D.kernel(builtins=64)
def calls(a, n, deep):
    i = D.tid(1)
    if i == n:
        a[i] = descend(deep, i)
    a[i] = careful(a, i)


@pytest.mark.usefixtures("tells")
def test_called_functions():
    a = np.arange(60)
    assert told(calls, a, 33, 4, grid=2, block=30) == ("('the bottom, 43 with 0', 43)", 33)
    a[59] = -8
    assert told(calls, a, 100, 4, grid=2, block=30) == ("a[59] = -8", 59)


@D.kernel
def wide(a):
    i = D.tid(1)
    assert a[i] == 0, (a[i], i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8, i + 9,
                       i + 10, i + 11, i + 12, i + 13, i + 14, i + 15, i + 16, i + 17, i + 18,
                       i + 19, i + 20, i + 21, i + 22, i + 23, i + 24, i + 25, i + 26, i + 27,
                       i + 28, i + 29, i + 30)  # fmt: skip


@pytest.mark.usefixtures("tells")
def test_as_many_values_as_there_may_be():
    a = np.zeros(40)
    a[35] = 1.5
    assert told(wide, a, block=40) == (str((1.5, *range(35, 66))), 35)


@D.kernel
def prints_and_fails(a):
    i = D.tid(1)
    print("before", i, (i, "x", f"{i}"))
    assert a[i] == 0, f"after {i}"


@pytest.mark.usefixtures("tells")
def test_printed_output_has_no_message_in_it(capsys):
    a = np.zeros(3)
    a[2] = 1
    assert told(prints_and_fails, a, block=3) == ("after 2", 2)
    assert capsys.readouterr().out == "".join(f"before {i} ({i}, 'x', '{i}')\n" for i in range(3))


@pytest.mark.usefixtures("tells")
def test_failures_of_streams_have_their_values():
    stream = core.Device("host").create_stream()
    a = np.zeros(64)
    a[40] = 3
    D.launch(lanes, a, 5, grid=2, block=32, stream=stream)
    D.launch(lanes, np.zeros(64), 5, grid=2, block=32, stream=stream)
    with pytest.raises(AssertionError, match=r"40: 6.0 and 3.0, 5 \(") as caught:
        stream.sync()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    stream.sync()


@D.kernel
def acts_elsewhere(a, n):
    """The message of a raise may do anything, as any statement before it."""
    i = D.tid(1)
    if i == n:
        raise ValueError(f"{D.atomic_ref(a, 0).add(1)}")


@pytest.mark.usefixtures("tells")
def test_the_message_of_a_raise_may_act():
    a = np.zeros(1, np.int32)
    assert told(acts_elsewhere, a, 40, grid=2, block=32) == ("0", 40)
    assert a[0] == 1


@D.kernel
def plain(a, b, n):
    i = D.tid(1)
    total = 0.0
    for k in range(n):
        x = b[k] * a[i]
        assert x < 5
        total += x
    a[i] = total


@D.kernel
def with_message(a, b, n):
    i = D.tid(1)
    total = 0.0
    for k in range(n):
        x = b[k] * a[i]
        assert x < 5, f"{i}, {k}: {x * 3:.3f} of {b[k + 1]}, {total}"
        total += x
    a[i] = total


def innermost_loop(kernel, *args):
    """How often it has each instruction: the shortest way from a label to a jump back to it."""
    lines = kernel.inspect(*args, block=64, what="asm", target="avx512").splitlines()
    loops, labels = [], {}
    for k, line in enumerate(lines):
        if label := re.match(r"(\S+):", line):
            labels[label[1]] = k
        elif (jump := re.match(r"\s+j\w+\s+(\S+)", line)) and jump[1] in labels:
            loops.append(lines[labels[jump[1]] : k])
    loop = min(loops, key=len)
    return collections.Counter(line.split()[0] for line in loop if re.match(r"\s+[a-z]", line))


def test_a_message_costs_nothing_where_nothing_fails():
    args = np.ones(64, np.float32), np.ones(100, np.float32), 50
    loop = innermost_loop(with_message, *args)
    assert loop == innermost_loop(plain, *args)
    assert 10 < loop.total() < 100


CHECKS = tuple(range(40))


@D.kernel
def with_many_checks(a, b):
    i = D.tid(1)
    for k in CHECKS:
        assert a[i] != k, f"{k}: {a[i]}, {b[i]}"


@pytest.mark.parametrize("form", ["avx512", "avx2", "sse4"])
def test_checks_share_what_tells_of_them(form):
    args = np.full(64, 100, np.int32), np.ones(64, np.float32)
    text = with_many_checks.inspect(*args, block=64, what="llvm_raw", target=form)
    assert text.count("call void @cd_kernel_failed(") == 1
    assert text.count("call void @cd.report.int32s.float32s(") == len(CHECKS)
    stack = with_many_checks.stats(*args, grid=1, block=64, target=form).stack_bytes
    vectors = 2 * 32 * 4  # of each of two values
    assert stack < 10 * vectors


@pytest.mark.parametrize("k", [0, 17, 39])
def test_each_of_many_checks_tells_of_its_own(k):
    a = np.full(64, 100, np.int32)
    a[60] = k
    assert told(with_many_checks, a, np.arange(64, dtype=np.float32), block=64) == (
        f"{k}: {k}, 60.0",
        60,
    )
