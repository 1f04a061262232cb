"""print in kernels: what is written, in which order, and when."""

import collections
import contextlib
import io
import sys

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from support.launching import run


@pytest.fixture(autouse=True)
def _collected(target):
    if target == "cuda":
        pytest.skip(
            "for other targets: CUDA's driver writes to the process's standard output itself"
        )


def printed(kernel, *args, **dims):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        run(kernel, *args, **dims)
    return out.getvalue()


@D.kernel
def scalars(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, b):
    print(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, b)


FORMATS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]


@pytest.mark.parametrize("which", ["min", "max"])
def test_every_type(which):
    integers = [getattr(np.iinfo(t), which) for t in FORMATS]
    arguments = [t(v) for t, v in zip(FORMATS, integers, strict=True)]
    text = printed(scalars, *arguments, np.float32(0.1), np.float64(0.1), which == "min")
    assert text == " ".join(map(str, integers)) + f" 0.1 0.1 {which == 'min'}\n"


@D.kernel
def each(a):
    i = D.tid(1)
    if i < a.size:
        print(a[i])


FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 1e-4, 9.999e-5, 1e15, 1e16, 123456789.0, np.pi, 1 / 3]
FLOATS += [np.inf, -np.inf, np.nan, 2.0**-1000, 1.7976931348623157e308, 5e-324, 1e22, 1e23]


def test_floats_as_python_writes_them():
    rng = np.random.default_rng(7)
    random = rng.integers(0, 2**64, 1000, np.uint64).view(np.float64).tolist()
    values = np.array(FLOATS + random)
    assert printed(each, values, block=len(values)) == "".join(f"{v!r}\n" for v in values.tolist())


def test_float32_has_its_own_digits():
    rng = np.random.default_rng(8)
    random = rng.integers(0, 2**32, 1000, np.uint32).view(np.float32)
    with np.errstate(over="ignore", under="ignore"):
        values = np.concatenate([np.array(FLOATS).astype(np.float32), random])
    expected = [repr(float(str(v))) for v in values]
    assert printed(each, values, block=len(values)).splitlines() == expected


@D.kernel
def strings(a, n):
    print()
    print("plain")
    print("braces {} {0} {{", "percent %d %%", "a 'quote' \"both\"", "ä → ∞ 😀")
    print(1, 2.5, True, None, -0.0, 10**20, "", "x", sep="")
    print("a", n, sep="-", end="")
    print("b", "c", sep=None, end=None)
    print("tab\t", "line\n", end="!\n")
    print((n, 2.0), (n,), (), ((1, n), None))
    print(n if n > 1 else -n, a.size, a.shape, a[0] > 0)


def test_constants_and_separators():
    expected = io.StringIO()
    with contextlib.redirect_stdout(expected):
        strings.__wrapped__(np.ones(3), 7)
    assert printed(strings, np.ones(3), 7) == expected.getvalue()


@D.kernel
def f_strings(i, j, x, y, b, u):
    print(f"{i} {x} {b} {{}} {'text'} {None}")
    print(f"{i:5d}|{i:<5}|{i:>5}|{i:05}|{i:+}|{i: d}|{i:x}|{i:X}|{i:o}|{j:x}|{j:08d}")
    print(f"{x:.3f}|{x:8.2f}|{x:<8.2f}|{x:08.2f}|{x:+.0f}|{x:e}|{x:.2E}|{x:g}|{x:G}|{x:12}|{x:+}")
    print(f"{y:.3f}|{y:.10f}|{y}|{y:10}")
    print(f"{i:.2f} {b:d} {b:3} {u:X} {i=} {x=:.1f} {i!r} {x!s}")
    print(f"a{i}", f"{j}b", sep=", ", end=" {}\n") if i < 0 else print(f"{i}{j}", x)


@pytest.mark.parametrize("i", [42, -42, 0])
@pytest.mark.parametrize("x", [1234.5678, -0.25, 1e-7, float("inf"), float("nan")])
def test_f_strings_as_python_has_them(i, x):
    values = (i, -i, x, float(np.float32(0.1)), i > 0, 255)
    expected = io.StringIO()
    with contextlib.redirect_stdout(expected):
        f_strings.__wrapped__(*values)
    found = printed(
        f_strings, np.int32(i), np.int64(-i), np.float64(x), np.float64(values[3]), i > 0, 255
    )
    assert found == expected.getvalue()


@D.kernel
def in_a_loop(n):
    i = D.tid(1)
    for k in range(n):
        if (i + k) % 3 == 0:
            print(i, k)
        elif k == i:
            print(f"{i} is k")
    if i % 2:
        return
    print(i, "ends")


def lines_of_thread(i, n):
    for k in range(n):
        if (i + k) % 3 == 0:
            yield f"{i} {k}"
        elif k == i:
            yield f"{i} is k"
    if i % 2 == 0:
        yield f"{i} ends"


@pytest.mark.parametrize(("grid", "block"), [(1, 5), (3, 33), (20, 64)])
def test_a_thread_prints_in_its_order_and_whole_lines(grid, block):
    of_thread = collections.defaultdict(list)
    for line in printed(in_a_loop, 6, grid=grid, block=block).splitlines():
        of_thread[int(line.split()[0])].append(line)
    for i in range(grid * block):
        assert of_thread[i] == list(lines_of_thread(i, 6))


def called(x, name):
    print("called with", x)
    return x + 1


@D.kernel
def once_each(a):
    i = D.thread_idx.x
    x = called(a[i], "x")
    y = called(a[i], "y") if a[i] > 1 else 0.0
    called(0.0, "not used")
    D.syncthreads()
    print(i, "after", x + y)


def test_calls_and_barriers():
    found = printed(once_each, np.arange(3.0), block=3).splitlines()
    before, after = found[:7], found[7:]
    assert collections.Counter(before) == collections.Counter(
        ["called with 0.0"] * 4 + ["called with 1.0", "called with 2.0", "called with 2.0"]
    )
    assert after == ["0 after 1.0", "1 after 2.0", "2 after 6.0"]


@D.kernel
def before_it_fails(a):
    i = D.tid(1)
    print("before", i)
    assert a[i] == 0, "fails"
    print("after", i)


def test_what_was_printed_before_a_failure_is_written():
    out = io.StringIO()
    a = np.zeros(4)
    a[0] = 1
    with contextlib.redirect_stdout(out), pytest.raises(AssertionError, match="fails"):
        run(before_it_fails, a, block=4)
    assert out.getvalue().startswith("before 0\n")
    assert "after" not in out.getvalue()


@D.kernel
def much(n):
    for _ in range(n):
        print("0123456789012345678901234567890123456789012345678901234567890", D.tid(1))


def test_more_than_a_launch_keeps():
    text = printed(much, 4000, block=8)
    assert 2**20 - 100 < len(text) < 2**20 + 100
    kept = text.count("\n") - 1
    assert text.endswith(
        f"... output dropped: that of {8 * 4000 - kept} prints; a launch keeps the first MiB\n"
    )
    assert printed(much, 1, block=2).count("\n") == 2


@D.kernel
def tell(n):
    print("n is", n)


def test_a_stream_s_prints_are_written_where_somebody_waits():
    streams = [core.Device("host").create_stream() for _ in range(2)]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for n in range(3):
            D.launch(tell, n, grid=1, block=1, stream=streams[0])
        event = streams[0].record()
        streams[1].wait(event)
        D.launch(tell, 3, grid=1, block=1, stream=streams[1])
        assert out.getvalue() == ""
        event.sync()
        assert out.getvalue().startswith("n is 0\nn is 1\nn is 2\n")
        streams[1].sync()
        assert out.getvalue() == "n is 0\nn is 1\nn is 2\nn is 3\n"
        D.launch(tell, 4, grid=1, block=1, stream=streams[0])
        core.Device("host").sync()
    assert out.getvalue().endswith("n is 3\nn is 4\n")


def test_pytest_sees_it(capsys):
    run(tell, 5)
    assert capsys.readouterr().out == "n is 5\n"


class Broken:
    def write(self, text):
        raise OSError(f"cannot write {text!r}")


def test_where_nothing_can_be_written(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Broken())
    with pytest.raises(OSError, match=r"cannot write 'n is 6\\n'"):
        run(tell, 6)
    monkeypatch.setattr(sys, "stdout", None)
    run(tell, 7)
    monkeypatch.undo()
    assert printed(tell, 8) == "n is 8\n"


def test_a_failure_is_raised_whatever_becomes_of_prints(monkeypatch):
    heard = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    monkeypatch.setattr(sys, "stdout", Broken())
    with pytest.raises(AssertionError, match="fails"):
        run(before_it_fails, np.ones(1))
    assert [type(h.exc_value) for h in heard] == [OSError]
