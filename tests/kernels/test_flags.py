"""Members of Flag and IntFlag: what a kernel puts together of them."""

import enum

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run_as_host


class Access(enum.Flag):
    READ = enum.auto()
    WRITE = enum.auto()
    RUN = enum.auto()
    COPY = READ | WRITE

    @property
    def is_safe(self):
        return Access.RUN not in self

    def without(self, other):
        return self & ~other


class Bits(enum.IntFlag):
    LOW = 1
    MIDDLE = 4
    HIGH = 32


class Loose(enum.Flag, boundary=enum.KEEP):
    A = 1
    B = 2


class Named(enum.Flag):
    A = 1
    B = 2

    def __str__(self):
        return f"bits {self.value}"


VALUES = Access.READ, Access.WRITE, Access.RUN, Access.COPY, Access.READ | Access.RUN, ~Access.COPY


@D.kernel
def operators(out, n, given):
    chosen = VALUES[n]
    out[0] = (chosen | Access.RUN).value
    out[1] = (chosen & Access.COPY).value
    out[2] = (chosen ^ given).value
    out[3] = (~chosen).value
    out[4] = Access.WRITE in chosen
    out[5] = Access.WRITE not in given | chosen
    out[6] = chosen in Access.COPY
    out[7] = chosen == Access.COPY
    out[8] = bool(chosen & given) + 2 * (not chosen ^ chosen)
    out[9] = chosen.is_safe
    out[10] = chosen.without(Access.READ).value
    out[11] = (~Access.READ).value + (Access.READ ^ Access.COPY).value
    out[12] = chosen is Access.RUN
    kept = Access(0)
    for one in Access:
        if one in chosen:
            kept |= one
    out[13] = kept == chosen
    out[14] = given == 7 or given != 7
    out[15] = len(Access)
    match chosen:
        case Access.COPY:
            out[16] = 1
        case Access.RUN | Access.READ:
            out[16] = 2


@pytest.mark.parametrize("n", range(len(VALUES)))
def test_operators(target, n):
    run_as_host(operators, np.zeros(17, np.int32), n, Access.WRITE | Access.RUN)


@D.kernel
def of_ints(out, n, given):
    chosen = Bits.LOW if n else Bits.MIDDLE
    out[0] = chosen | Bits.HIGH
    out[1] = ~chosen
    out[2] = ~(Bits.LOW | Bits.HIGH)
    out[3] = (given & ~chosen) + 100
    out[4] = Bits.LOW in given
    out[5] = (given ^ chosen) in given
    out[6] = 255 & ~chosen
    out[7] = chosen | 2
    out[8] = Bits(n) | chosen
    out[9] = Bits(n - 3)
    out[10] = isinstance(chosen | 1, Bits) + 2 * isinstance(chosen + 1, Bits)
    out[11] = given.value + chosen.value
    out[12] = chosen < given


@pytest.mark.parametrize("n", range(3))
def test_of_ints(target, n):
    run_as_host(of_ints, np.zeros(13, np.int32), n, Bits.LOW | Bits.MIDDLE)


@D.kernel
def by_value(out, n, given):
    out[0] = Access(n).value
    out[1] = Access(-n - 1).value
    out[2] = Access(6) is ~Access.READ
    out[3] = Access(given) is given
    out[4] = Access["COPY"].value


@pytest.mark.parametrize("n", range(8))
def test_by_value(target, n):
    run_as_host(by_value, np.zeros(5, np.int32), n, Access.COPY)


@D.kernel
def of_value(out, n):
    out[0] = Access(n).value


@pytest.mark.parametrize("n", [8, -9, 1 << 20])
def test_a_value_with_other_bits(n):
    with pytest.raises(ValueError, match=f"<flag 'Access'> invalid value {n}"):
        D.launch(of_value, np.zeros(1), n, grid=1, block=1)


@D.kernel
def written(n, given):
    chosen = VALUES[n] | given
    print(chosen, repr(chosen), f"{chosen}|{chosen!r}", chosen & Access.READ, (~chosen,))
    print(Access.READ | Access.RUN, repr(~Access.WRITE), (Access.COPY | Access.RUN).name)
    print(Access.COPY.name, Access.COPY & ~Access.READ, Access(0), repr(Access(0)), Access(0).name)
    print(Bits.LOW | Bits.HIGH, repr(Bits.LOW | Bits.HIGH), repr(Bits.LOW | 2), ~Bits.LOW)
    print(Bits.LOW if n else Bits.HIGH, f"{given.value}", (Bits.LOW | 2).name)
    print(Named.A | Named.B, Named.A, f"{Named(n & 1)}")


@pytest.mark.parametrize("n", range(len(VALUES)))
def test_members_are_written(on_the_host, capsys, n):
    written.underlying(n, Access.RUN)
    expected = capsys.readouterr().out
    D.launch(written, n, Access.RUN, grid=1, block=1)
    assert capsys.readouterr().out == expected


class Six(enum.Flag):
    A = 1
    B = 2
    C = 8
    D = 16
    E = 64
    F = 256


class Zero(enum.Flag):
    NONE = 0
    A = 1
    B = 4
    BOTH = 5


class Rights(enum.IntFlag):
    NONE = 0
    READ = 1
    WRITE = 2
    COPY = 3


class Far(enum.Flag, boundary=enum.KEEP):
    A = 1
    B = 4


SETS = Six.A | Six.C, Six.F, Six(0), ~Six.A, Six.B | Six.D | Six.E
ZEROS = Zero.NONE, Zero.A, Zero.B, Zero.BOTH
KEPT = Far.A, ~Far.A, ~Far.B, ~(Far.A | Far.B)


@D.kernel
def named(n):
    chosen = VALUES[n % 6]
    print(chosen.name, chosen.name == "COPY", chosen.name in ("READ", "WRITE|RUN"))
    if SETS[n % 5]:
        print(SETS[n % 5].name, len(SETS[n % 5].name))
    print(SETS[n % 5], repr(SETS[n % 5]))
    print(ZEROS[n % 4].name, ZEROS[n % 4], f"{ZEROS[n % 4]!r}")
    print(KEPT[n % 4], repr(KEPT[n % 4]), f"{KEPT[n % 4]:>12}")
    if KEPT[n % 4] & (Far.A | Far.B):
        print(KEPT[n % 4].name)
    bits, rights = Bits(n), Rights(n)
    print(repr(bits), f"{bits!r:>20}|", repr(rights), (bits, rights), bits)
    if bits & (Bits.LOW | Bits.MIDDLE | Bits.HIGH):
        print(bits.name)
    if n == 0 or rights & Rights.COPY:
        print(rights.name)


def test_names_and_representations_at_run_time(on_the_host, capsys):
    for n in [*range(40), 1 << 20, (1 << 20) + 37]:
        named.underlying(n)
        expected = capsys.readouterr().out
        D.launch(named, n, grid=1, block=1)
        assert capsys.readouterr().out == expected, n


@D.kernel
def without_a_name(access, bits):
    if access:
        print(access.name)
    print(bits.name)


def test_members_without_a_name(on_the_host, capsys):
    """Python's is None."""
    assert (Access(0).name, Bits(2).name, Rights(8).name) == (None, None, None)
    D.launch(without_a_name, Access(0), Bits.LOW, grid=1, block=1)
    assert capsys.readouterr().out == "LOW\n"
    for access, bits in ((Bits.LOW, Access(0)), (Access.READ, Bits(2)), (Access.READ, Rights(8))):
        with pytest.raises(ValueError, match=f"{type(bits).__name__} without members has no name"):
            D.launch(without_a_name, access, bits, grid=1, block=1)


class Seven(enum.Flag):
    A = 1
    B = 2
    C = 4
    D = 8
    E = 16
    F = 32
    G = 64


class SixAndANameOfTwo(enum.IntFlag):
    A = 1
    B = 2
    C = 4
    D = 8
    E = 16
    F = 32
    TWO = 3


@D.kernel
def name_of_seven(out, access):
    print((Seven.A if out[0] else Seven.B).name)


@D.kernel
def repr_of_seven(out, access):
    print(Seven.A if out[0] else Seven.B)


@D.kernel
def repr_of_six_ints(out, access):
    bits = SixAndANameOfTwo.A if out[0] else SixAndANameOfTwo.B
    print(repr(bits))


@D.kernel
def no_bits(out, access):
    out[0] = Access(8).value


@D.kernel
def with_a_number(out, access):
    out[0] = (access | 1).value


@D.kernel
def of_two_classes(out, access):
    out[0] = (access | Loose.A).value


@D.kernel
def number_in_flags(out, access):
    out[0] = 1 in access


@D.kernel
def kept_bits(out, access):
    out[0] = Loose(9).value


@pytest.mark.parametrize(
    ("kernel", "message", "hint"),
    [
        (no_bits, "Access has no member of this value, found int", "ask x in Access first"),
        (with_a_number, "cannot apply | to 'Access' and 'int'", ""),
        (of_two_classes, "cannot apply | to 'Access' and 'Loose'", ""),
        (number_in_flags, "'in' needs a tuple, a range, an array or a generator expression", ""),
        (
            name_of_seven,
            "the run-time name of members of a Flag of more than six bits",
            "x in Seven",
        ),
        (kept_bits, "making members of a Flag whose boundary is 'keep'", "name them: Loose.A"),
        (repr_of_seven, "members of a Flag that are put together in the kernel", ""),
        (repr_of_six_ints, "members of a Flag that are put together in the kernel", ""),
    ],
)
def test_mistakes(kernel, message, hint):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, np.zeros(1), Access.READ, grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert message in found.message
    assert hint in found.hint
