"""Members of enumerations that are chosen when the kernel runs, and their classes."""

import dataclasses
import enum
import typing

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run_as_host


class Colour(enum.Enum):
    RED = 10
    GREEN = 20
    BLUE = 30
    CRIMSON = 10  # another name of RED

    def mixed(self, x):
        return self.value + x

    @property
    def is_warm(self):
        return self is Colour.RED

    @classmethod
    def first(cls):
        return cls.RED

    def __lt__(self, other):
        return self.value < other.value


class Level(enum.IntEnum):
    LOW = 1
    MIDDLE = 5
    HIGH = 9

    def above(self, x):
        return self > x

    @property
    def half(self):
        return self.value // 2


class Rank(enum.IntEnum):
    FIRST = 1
    SECOND = 2

    def __lt__(self, other):
        return self.value > other.value

    def __add__(self, other):
        return self.value * 10 + other

    def __neg__(self):
        return 7


class Kind(enum.Enum):
    NAME = "name"
    NUMBER = 3
    PAIR = (1, 2)
    LIST = [3]  # noqa: RUF012


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    BOTH = 3


@D.kernel
def chosen(out, n):
    c = Colour.RED if n > 1 else Colour.BLUE
    d = Colour.GREEN
    for _ in range(n):
        d = Colour.BLUE if d is Colour.GREEN else Colour.GREEN
    e = (Colour.BLUE, Colour.RED, c, d)[n]
    out[0] = c.value + d.value + e.value
    out[1] = c is Colour.RED
    out[2] = c == d
    out[3] = c != e
    out[4] = e in (Colour.RED, d)
    out[5] = c.mixed(n) + Colour.GREEN.mixed(1)
    out[6] = c.is_warm or d.is_warm
    out[7] = c < e
    out[8] = Colour.first() is c
    match d:
        case Colour.RED | Colour.GREEN:
            out[9] = 1
        case Colour.BLUE:
            out[9] = 2


@pytest.mark.parametrize("n", range(4))
def test_plain_members(target, n):
    run_as_host(chosen, np.zeros(10, np.int32), n)


@D.kernel
def numbers(out, n):
    level = Level.LOW if n > 1 else Level.HIGH
    other = (Level.LOW, Level.MIDDLE, Level.HIGH)[n]
    out[0] = level + other
    out[1] = level.value * 2
    out[2] = level is other
    out[3] = level.above(4)
    out[4] = other.half
    out[5] = level in (Level.LOW, other)
    out[6] = max(level, other)
    out[7] = other < Level.HIGH
    out[8] = isinstance(level, Level) + 2 * isinstance(n, Level)


@pytest.mark.parametrize("n", range(3))
def test_numbers(target, n):
    run_as_host(numbers, np.zeros(9, np.int32), n)


@D.kernel
def with_operators(out, n, given):
    rank = Rank.FIRST if n else Rank.SECOND
    out[0] = rank < given
    out[1] = given + 3
    out[2] = -rank
    out[3] = rank > 1
    out[4] = 3 + rank
    out[5] = Rank.FIRST < Rank.SECOND
    out[6] = Rank.FIRST > Rank.SECOND  # int's own
    out[7] = given > rank


@pytest.mark.parametrize("n", range(2))
def test_operators_of_the_class(target, n):
    run_as_host(with_operators, np.zeros(8, np.int32), n, Rank.FIRST)


class Shade(enum.Enum):
    RED = 10
    GREEN = 20


class Permission(enum.Flag):
    READ = 1
    WRITE = 2


@D.kernel
def of_two_classes(out, n, access):
    level = Level.LOW if n else Level.HIGH
    rank = Rank.FIRST if n else Rank.SECOND
    out[0] = level is rank
    out[1] = level is not rank
    out[2] = level == rank
    out[3] = level in (rank, 9)
    out[4] = Colour.RED == Shade.RED
    out[5] = (Colour.RED if n else Colour.GREEN) is Shade.RED
    out[6] = (Shade.RED if n else Shade.GREEN) != Colour.RED
    out[7] = access == Permission.READ
    out[8] = access is Permission.READ
    out[9] = Level.LOW is Rank.FIRST


@pytest.mark.parametrize("n", range(2))
def test_members_of_two_classes(target, n):
    run_as_host(of_two_classes, np.zeros(10, np.int32), n, Access.READ)


@dataclasses.dataclass(frozen=True)
class Cell:
    colour: Colour
    level: Level = Level.LOW

    def total(self):
        return self.colour.value + self.level


class Pair(typing.NamedTuple):
    colour: Colour
    x: int


CELLS = Cell(Colour.RED), Cell(Colour.BLUE, Level.HIGH), Cell(Colour.GREEN, Level.MIDDLE)
TABLE = tuple(list(Level)[k % 3] for k in range(40))
COLOURS = tuple(list(Colour)[k * k % 3] for k in range(40))


def of_annotated(c: Colour, level: Level) -> int:
    return c.value + level


@D.kernel
def in_others(out, n, cell):
    chosen = CELLS[n]
    out[0] = chosen.total() + cell.total()
    out[1] = chosen == cell
    out[2] = chosen.colour is cell.colour
    made = Cell(Colour.RED if n else Colour.BLUE, cell.level)
    out[3] = made.total()
    out[4] = TABLE[3 * n + 7] is TABLE[n]
    out[5] = TABLE[n + 20].half + COLOURS[n + 20].value
    pair = Pair(COLOURS[n], n)
    colour, x = pair
    out[6] = colour.value + x
    out[7] = of_annotated(colour, TABLE[n])
    match chosen:
        case Cell(colour=Colour.BLUE, level=level):
            out[8] = level
        case Cell(Colour.GREEN):
            out[8] = -1
    match Level.LOW if n else Level.HIGH:
        case Level.HIGH:
            out[9] = 1
        case Level(value=v):
            out[9] = v + 10
    out[10] = TABLE[n]
    out[10] = Level(out[10]).half
    out[11] = Colour.RED == 10 or Colour.RED in (10, 20)
    out[12] = colour == n or colour == None  # noqa: E711
    out[13] = colour != 10
    c = TABLE[n] if n > 1 else n
    out[14] = c + 1


@pytest.mark.parametrize("n", range(3))
def test_members_in_other_values(target, n):
    run_as_host(in_others, np.zeros(15, np.int32), n, Cell(Colour.BLUE, Level.HIGH))


@D.kernel
def of_names(out, n):
    kind = (Kind.NAME, Kind.NUMBER, Kind.PAIR)[n]
    out[0] = kind.name == "PAIR"
    out[1] = len(Kind.NAME.value) + Kind.PAIR.value[1]
    out[2] = Kind("name") is kind
    out[3] = Kind((1, 2)) is kind
    out[4] = Kind(3) is kind
    out[5] = kind is Kind.LIST or kind != Kind.LIST
    out[6] = (Colour.GREEN if n else Colour.RED).name == "RED"
    out[7] = 3 in Kind.PAIR.value


@pytest.mark.parametrize("n", range(3))
def test_values_that_are_no_numbers(target, n):
    run_as_host(of_names, np.zeros(8, np.int32), n)


@D.kernel
def classes(out, n, x):
    for k, c in enumerate(Colour):
        out[k] = c.value
    out[3] = len(Colour)
    out[4] = Colour(20).value
    out[5] = Colour["CRIMSON"] is Colour.RED
    out[6] = Colour(n).value
    out[7] = Level(x) + 1
    out[8] = Colour.GREEN in Colour
    out[9] = sum(v for v in Level)
    c = Colour.RED
    for other in Colour:
        if other.value == n:
            c = other
    out[10] = c.value
    out[11] = Level(n // 10 * 4 - 3) is Level.MIDDLE
    out[12] = Level(Level.LOW + 8).half
    out[13] = Level(5) is Level.MIDDLE


@pytest.mark.parametrize("n", [10, 20, 30])
def test_classes(target, n):
    run_as_host(classes, np.zeros(14, np.int32), n, np.int32(5))


@D.kernel
def written(n):
    c = Colour.RED if n else Colour.BLUE
    level = Level.LOW if n else Level.HIGH
    kind = (Kind.NAME, Kind.NUMBER, Kind.PAIR)[n]
    print(c, repr(c), f"{c!r:>20}|{c:>15}|{c.name}", level, repr(level), f"{level:03}", level.name)
    print((c, level), (c,), (level,), kind, kind.name, f"{kind!r}")


@pytest.mark.parametrize("n", range(3))
def test_members_are_written(on_the_host, capsys, n):
    written.underlying(n)
    expected = capsys.readouterr().out
    D.launch(written, n, grid=1, block=1)
    assert capsys.readouterr().out == expected


@D.kernel
def best(out, n, given):
    levels = (Level.LOW, Level.MIDDLE, Level.HIGH)
    level = levels[n]
    rank = Rank.FIRST if n else Rank.SECOND
    most = max(level, given)
    out[0] = most.half
    out[1] = min(level, given).above(4)
    out[2] = most is given
    out[3] = max(levels[n], levels[-1 - n], key=lambda one: -one).half
    out[4] = max(one for one in levels if one <= level).half
    out[5] = max(rank, Rank.SECOND)
    out[6] = min(rank, Rank.FIRST)
    out[7] = min((Rank.SECOND, rank, Rank.FIRST))
    out[8] = sorted((level, given, Level.LOW))[1].half
    out[9] = sorted((Rank.FIRST, rank))[0]
    out[10] = max(level, n + 4)
    out[11] = max(Level.MIDDLE, 3).half
    out[12] = sorted((level, given, Level.LOW), reverse=True)[2].above(2)


@pytest.mark.parametrize("n", range(3))
def test_the_best_of_members_is_a_member(target, n):
    run_as_host(best, np.zeros(13, np.int32), n, Level.MIDDLE)


@D.kernel
def best_is_written(n, given):
    level = Level.LOW if n else Level.HIGH
    print(repr(max(level, given)), min(level, given).name, sorted((level, given)))


def test_the_best_of_members_is_written(on_the_host, capsys):
    for n in range(2):
        D.launch(best_is_written, n, Level.MIDDLE, grid=1, block=1)
        level = Level.LOW if n else Level.HIGH
        first, last = sorted((level, Level.MIDDLE))
        assert capsys.readouterr().out == f"{last!r} {first.name} ({first!r}, {last!r})\n"


@D.kernel
def arguments(out, c, level, access, pair):
    out[0] = c.value
    out[1] = c is Colour.GREEN
    out[2] = level + level.half
    out[3] = level is Level.HIGH
    out[4] = bool(access & Access.WRITE)
    out[5] = access == Access.READ
    out[6] = pair[0].mixed(pair[1])
    out[7] = c == Colour.BLUE


@clause("DEV-LAUNCH-07")
def test_arguments(target):
    for c in Colour:
        for level in Level:
            for access in (Access.READ, Access.WRITE, Access.BOTH):
                run_as_host(arguments, np.zeros(8, np.int32), c, level, access, (c, 3))


@D.kernel
def told(c, level):
    print(c, level, repr(c), repr(level), c.name, level.name)


def test_arguments_are_written(on_the_host, capsys):
    for c, level in zip(Colour, Level, strict=True):
        D.launch(told, c, level, grid=1, block=1)
        assert capsys.readouterr().out == f"{c} {level} {c!r} {level!r} {c.name} {level.name}\n"


@D.func(inline="never")
def mixed(c, level: Level):
    return c.value * level.half, c


@D.kernel
def called(out, n):
    c = Colour.RED if n else Colour.BLUE
    level = Level.MIDDLE if n else Level.HIGH
    v, same = mixed(c, level)
    out[0] = v
    out[1] = same is c


@pytest.mark.parametrize("n", range(2))
def test_calls_when_the_kernel_runs(target, n):
    run_as_host(called, np.zeros(2, np.int32), n)


@D.kernel
def by_value(out, n):
    out[0] = Colour(n).value


def test_a_value_that_no_member_has():
    with pytest.raises(ValueError, match="7 is not a valid Colour"):
        D.launch(by_value, np.zeros(1), 7, grid=1, block=1)


class Grade(enum.Enum):
    A = 1
    B = 2


def grade():
    """As a cell of a notebook makes the class anew."""
    return enum.Enum("Grade", {"A": 5, "B": 6})


@D.kernel
def of_global(out, n):
    out[0] = (Grade.A if n else Grade.B).value


def test_a_class_that_changes(monkeypatch):
    out = np.zeros(1)
    D.launch(of_global, out, 1, grid=1, block=1)
    assert out[0] == 1
    monkeypatch.setitem(globals(), "Grade", grade())
    D.launch(of_global, out, 1, grid=1, block=1)
    assert out[0] == 5


@D.kernel
def two_classes(out, n):
    c = Colour.RED if n else Kind.NAME
    out[0] = c.value


@D.kernel
def member_or_number(out, n):
    out[0] = (Level.LOW if n else 3).value


@D.kernel
def two_classes_of_numbers(out, n):
    out[0] = (Level.LOW if n else Rank.FIRST).half


@D.kernel
def with_a_list(out):
    out[0] = Kind.LIST.value


class Missing(enum.Enum):
    A = 1

    @classmethod
    def _missing_(cls, value):
        return cls.A


@D.kernel
def missing(out, n):
    out[0] = Missing(n).value


@D.kernel
def compared(out, n):
    out[0] = (Kind.NAME if n else Kind.NUMBER) < 3


@D.kernel
def stored(out, n):
    out[0] = Colour.RED if n else Colour.BLUE


@D.kernel
def by_text(out, n):
    out[0] = Colour[n].value


@D.kernel
def annotated(out, n: Colour):
    out[0] = n.value


@D.kernel
def no_such(out):
    out[0] = Colour(11).value


@D.kernel
def no_such_name(out):
    out[0] = Colour["PINK"].value


@D.kernel
def of_several_types(out, n):
    out[0] = (Kind.NAME if n else Kind.NUMBER).value


@pytest.mark.parametrize(
    ("kernel", "arguments", "message", "hint"),
    [
        (
            two_classes,
            (1,),
            "the alternatives have types Colour and Kind, which have no common type",
            "convert one of them",
        ),
        *(
            (
                kernel,
                (1,),
                f"int has no attribute '{name}'",
                "numbers have shape, strides, size, ndim, dtype, real, imag, view, reshape, astype"
                " and conjugate",
            )
            for kernel, name in ((member_or_number, "value"), (two_classes_of_numbers, "half"))
        ),
        (
            with_a_list,
            (),
            "objects of class 'list' cannot be used in kernels",
            "make it a tuple, such as L = (1, 2), or pass a NumPy array as an argument",
        ),
        (
            missing,
            (1,),
            "finding members by '_missing_' is not implemented yet",
            "ask x in Missing first, or write a function of your own",
        ),
        (
            compared,
            (1,),
            "'<' cannot compare 'Kind' and 'int'",
            "numbers can be compared, and tuples of them",
        ),
        (
            stored,
            (1,),
            "Colour cannot be stored in an array of float64",
            "an element takes a number",
        ),
        (
            by_text,
            (1,),
            "Colour[...] needs a constant string, found int",
            "give the name of a member, or find it by its value: Colour(...)",
        ),
        (
            annotated,
            (1,),
            "parameter 'n' is declared class Colour, but the value is int",
            "convert it explicitly, or change the annotation",
        ),
        (no_such, (), "Colour has no member of this value, found int", "ask x in Colour first"),
        (
            no_such_name,
            (),
            "class Colour has no attribute 'PINK'",
            "its members are BLUE, CRIMSON, GREEN, RED",
        ),
    ],
)
def test_mistakes(kernel, arguments, message, hint):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, np.zeros(1), *arguments, grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert (found.message, found.hint) == (message, hint)
