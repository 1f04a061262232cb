"""What print and messages write of other values than numbers, and strings of run time."""

import collections
import dataclasses
import enum
import re
from typing import NamedTuple

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run

HEAD = re.compile(r"kernel '\w+': (?:assertion failed: )?(.*) \(\S+:\d+, block .*\)$", re.S)


@pytest.fixture(autouse=True)
def _collected(target):
    if target == "cuda":
        pytest.skip("for other targets: CUDA's driver writes to standard output itself")


def prints_as_python(capsys, kernel, *args):
    run(kernel, *args)
    found = capsys.readouterr().out
    kernel.underlying(*args)
    assert found == capsys.readouterr().out
    return found


def fails_as_python(kernel, *args):
    with pytest.raises(Exception) as caught:  # noqa: PT011
        kernel.underlying(*args)
    expected = str(caught.value).split("\nassert ")[0]  # which pytest adds
    with pytest.raises(caught.type) as raised:
        run(kernel, *args)
    assert HEAD.match(str(raised.value))[1] == expected


class Pair(NamedTuple):
    x: int
    y: float = 0.5


class Named(NamedTuple):
    x: int

    def __str__(self):
        return f"the {self.x}"

    def twice(self):
        return Named(2 * self.x)


Plain = collections.namedtuple("Plain", "a b")


@dataclasses.dataclass(frozen=True)
class Point:
    x: float
    hidden: int = dataclasses.field(repr=False)
    tag: str = "a'b"


@dataclasses.dataclass(frozen=True)
class Derived(Point):
    more: int = 3


@dataclasses.dataclass(frozen=True)
class Own:
    x: int

    def __repr__(self):
        return f"<{self.x:03}>"

    def __format__(self, spec):
        return f"formatted {self.x} by {spec!r}"


class Color(enum.Enum):
    RED = 1
    GREEN = "green"

    def __str__(self):
        return f"the colour {self.name}"


class Mode(enum.Enum):
    FAST = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Flags(enum.Flag):
    A = 1
    B = 2


BOTH = Flags.A | Flags.B


@D.kernel(builtins=64)
def classes(n, x):
    p = Pair(n, x)
    print(p, Pair(1), Pair(x=n), (p, 1), f"{p}", f"{p!r}", str(p))
    print(Named(n), f"{Named(n)!r}", (Named(n),), Named(n).twice(), Plain(n, (x, None)))
    q = Point(x, n)
    print(q, f"{q}", (q,), Derived(x, n), Point(tag="c", x=2.0, hidden=1))
    print(Own(n), f"{Own(n)!r} {Own(n)!s}", (Own(n),), f"{Own(n):>5}", format(Own(n)))


@pytest.mark.parametrize(("n", "x"), [(1, 0.5), (-70, 1e22)])
def test_instances_of_classes(capsys, n, x):
    prints_as_python(capsys, classes, n, x)


@D.kernel(builtins=64)
def members(n):
    print(Color.RED, f"{Color.RED!r}", (Color.RED, Mode.FAST), Mode.FAST, f"{Mode.FAST}")
    print(Level.LOW, f"{Level.LOW} {Level.LOW!r} {Level.HIGH:03}", (Level.LOW, n), Level.HIGH + n)
    print(
        Flags.A,
        BOTH,
        f"{BOTH!r}",
        Color.GREEN.value,
        Mode.FAST.name,
        Mode.FAST.name if n < 0 else "",
    )
    level = Level.HIGH
    print(level, (level,), repr(level), range(n), range(1, n, 3))


def test_members_of_enumerations(capsys):
    prints_as_python(capsys, members, 5)


@D.struct
class Particle:
    x: D.float32
    v: D.float32x2
    n: int
    alive: bool


@D.kernel
def values(p, v, m):
    print(p, f"{p}", (v,), v * 2, D.float64x2(1, 2))
    print(m, f"{m!r}", str(v))


def test_structs_and_vectors_as_the_host_has_them(capsys):
    particle = Particle(1.5, D.float32x2(1, 2), 3, True)
    vector, mask = D.int32x4(1, -2, 3, 4), D.WarpMask(0xFF)
    run(values, particle, vector, mask)
    found = capsys.readouterr().out
    print(particle, f"{particle}", (vector,), vector * 2, D.float64x2(1, 2))
    print(mask, f"{mask!r}", str(vector))
    assert found == capsys.readouterr().out


@D.kernel
def masks(mask, i):
    print(mask, str(mask), repr(mask), f"{mask}{mask!r}", format(mask, ""))
    print(f"{mask:d}", mask.with_lane(i, True), mask.bit_count(), (mask, mask[i]))


@D.kernel
def formats_of_masks(mask):
    print(f"{mask!s:>30} {mask:x} {mask:>14} {mask:#b}", hex(mask), bin(mask), oct(mask))


@pytest.mark.parametrize("pattern", [5, 0x80000001, 0xFFFFFFFF])
def test_masks_of_warps_as_the_host_has_them(capsys, target, pattern):
    prints_as_python(capsys, masks, D.WarpMask(pattern), 7)
    if target != "ptx":  # printf has other formats
        prints_as_python(capsys, formats_of_masks, D.WarpMask(pattern))


NONE = ""
NAMES = "zero", "one", "two", "three"


@D.kernel(builtins=64)
def chosen(n, x):
    print("big" if n > 2 else "small", "and", f"{x}" if n > 2 else "none")
    kind = "one"
    if n > 1:
        kind = "several"
    if n > 2:
        kind = f"exactly {n} of {x:.2f}"
    print(kind, (kind, n), kind + "!", len(NAMES[n]))
    print(NAMES[n], NAMES[n] + NAMES[n - 1], NAMES[n] == "two", NAMES[n] < "two", "o" in NAMES[n])
    for name in NAMES:
        if len(name) == n + 3:
            print(name)
    s = ""
    for k in range(n):
        s = NAMES[k]
    print("last", s or "nothing", bool(s), s != "", not s)
    m: str = f"{n}"
    print(m, m + m, "-" * 10, "ab" * 2 + "c", min("b", "a"), max("b", "ba"), NONE or "empty")
    print("a" < "b", "a" == "b", "a" >= "b", "b" in "abc", "é" > "z", len("é"), len(""))


@pytest.mark.parametrize("n", range(4))
def test_strings_chosen_at_run_time(capsys, n):
    prints_as_python(capsys, chosen, n, n / 3)


@D.kernel(builtins=64)
def padded(n, x):
    kind = f"{n} of {x:.2f}" if n > 1 else "few"
    print(f"[{kind:>24}] [{kind:.3}] [{Pair(n, x)!s:^30}] {kind!r:*<9}")


@pytest.mark.parametrize("n", [1, 2])
def test_formats_of_strings_with_numbers_in_them(capsys, n, target):
    if target == "ptx":
        with pytest.raises(errors.CompileError, match="CUDA's printf, which cannot write a format"):
            run(padded, n, 0.5)
    else:
        prints_as_python(capsys, padded, n, 0.5)


def described(x, name="x", *, unit="m"):
    sign = "negative" if x < 0 else "positive"
    return f"{name} = {x} {unit}, {sign}"


@D.kernel(builtins=64)
def through_functions(n):
    print(described(n), described(-n, "n"), described(2 * n, unit="s"))
    kind = "odd" if n % 2 else "even"
    assert n < 5, f"{kind} {described(n)}"
    if n > 3:
        raise ValueError(kind, n)


@pytest.mark.parametrize("n", [2, 4, 7])
def test_texts_of_functions(capsys, n):
    if n < 4:
        prints_as_python(capsys, through_functions, n)
    else:
        fails_as_python(through_functions, n)


@D.kernel(builtins=64)
def failures(k, n, x):
    if k == 0:
        raise KeyError("missing")
    if k == 1:
        raise KeyError(f"no {n}")
    if k == 2:
        raise KeyError("it's" if n > 2 else "other")
    if k == 3:
        raise KeyError(Level.LOW)
    if k == 4:
        raise ValueError(Pair(n, x), Level.HIGH, Mode.FAST)
    if k == 5:
        raise ValueError("big" if n > 2 else "small")
    if k == 6:
        raise IndexError(Pair(n, x))
    if k == 7:
        assert n < 0, Point(x, n)
    if k == 8:
        assert n < 0, "big" if n > 2 else f"small {x:^9.2f}"
    if k == 9:
        raise ValueError("" if n > 2 else "text")
    if k == 10:
        raise TypeError(f"{n:,} {x:%} {n:#b} {n:^9}", "a" if n > 2 else "b")


@pytest.mark.parametrize("k", range(11))
@pytest.mark.parametrize("n", [1, 12345])
def test_messages(k, n):
    fails_as_python(failures, k, n, n / 7)


@D.kernel
def extremes(a, n):
    i = D.tid(1)
    assert a[i] < n, f"{a[i]} of {max(a)} to {min(a[k] for k in range(1, a.size))}"


@D.kernel
def refused(a, n):
    i = D.tid(1)
    assert a[i] < n, f"{max(x for x in a if x > 100)}"


def test_a_message_that_may_fail_itself():
    a = np.arange(5)
    run(extremes, a, 9, block=5)
    with pytest.raises(AssertionError, match="4 of 4 to 1"):
        run(extremes, a[[4, 1, 2, 3]].copy(), 4)
    run(refused, a, 9, block=5)
    with pytest.raises(ValueError, match=r"max\(\) arg is an empty sequence"):
        run(refused, a, 3, block=5)


@dataclasses.dataclass(frozen=True)
class Side:
    x: int

    def __repr__(self):
        return "left" if self.x < 0 else "right"


@D.kernel
def alone(n):
    print((Side(n),), f"{(Side(n),)}", ((Side(n),), n))


@pytest.mark.parametrize("n", [-1, 1])
def test_a_tuple_of_one_text_that_is_chosen(capsys, n):
    prints_as_python(capsys, alone, n)
