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
def name_at_run_time(out, access):
    print(access.name)


@D.kernel
def kept_bits(out, access):
    out[0] = Loose(9).value


@D.kernel
def repr_of_ints(out, access):
    bits = Bits.LOW if out[0] else Bits.HIGH
    print(repr(bits))


@pytest.mark.parametrize(
    ("kernel", "message", "hint"),
    [
        (no_bits, "Access has no member of this value, found int", "ask x in Access first"),
        (with_a_number, "cannot apply | to 'Access' and 'int'", ""),
        (of_two_classes, "cannot apply | to 'Access' and 'Loose'", ""),
        (number_in_flags, "'in' needs a tuple, a range, an array or a generator expression", ""),
        (name_at_run_time, "the name of a member of a Flag that is known at run time", "write"),
        (kept_bits, "making members of a Flag whose boundary is 'keep'", "name them: Loose.A"),
        (repr_of_ints, "members of a Flag that are put together in the kernel", ""),
    ],
)
def test_mistakes(kernel, message, hint):
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, np.zeros(1), Access.READ, grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert message in found.message
    assert hint in found.hint
