"""WarpMask in host code (DEV-WARP-01 to -05)."""

import copy
import pickle

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause

PATTERNS = [0, 1, 5, 0x55555555, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF]
INTEGERS = (int, np.int64, np.uint32, np.uint64)


def signed(pattern):
    return pattern - (1 << 32) if pattern >> 31 else pattern


def assert_mask(found, pattern):
    assert type(found) is D.WarpMask
    assert int(found) == signed(pattern)


@clause("DEV-WARP-01", partial="in kernels, and in structs")
def test_a_mask_is_an_int32():
    assert issubclass(D.WarpMask, D.int32)
    for pattern in PATTERNS:
        for number in (pattern, signed(pattern), np.uint32(pattern), np.int32(signed(pattern))):
            assert_mask(D.WarpMask(number), pattern)
        assert_mask(D.WarpMask(D.WarpMask(pattern)), pattern)
        assert repr(D.WarpMask(pattern)) == str(D.WarpMask(pattern))
        assert eval(repr(D.WarpMask(pattern)), {"device": D}) == pattern
    assert repr(D.WarpMask(-1)) == "device.WarpMask(0xffffffff)"
    a = np.array([D.WarpMask(0x80000001), D.WarpMask(3)])
    assert (a.dtype, a.tolist()) == (np.int32, [signed(0x80000001), 3])
    assert D.zeros(3, dtype=D.WarpMask).itemsize == 4


@clause("DEV-WARP-01", partial="in kernels, and in structs")
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_copies_are_masks(copied):
    for pattern in PATTERNS:
        assert_mask(copied(D.WarpMask(pattern)), pattern)


@clause("DEV-WARP-02", partial="in kernels")
def test_lanes_are_read():
    for pattern in PATTERNS:
        mask = D.WarpMask(pattern)
        lanes = [bool(pattern >> i & 1) for i in range(32)]
        assert [mask[i] for i in range(32)] == [mask[np.uint8(i)] for i in range(32)] == lanes
        assert list(mask) == lanes
        assert mask.bit_count() == sum(lanes)
        assert type(mask[0]) is bool


@clause("DEV-WARP-04", partial="in kernels; masks of the host do not change")
def test_lanes_are_added_and_removed():
    for pattern in PATTERNS:
        for i in range(32):
            mask = D.WarpMask(pattern)
            assert_mask(mask.with_lane(i, True), pattern | 1 << i)
            assert_mask(mask.with_lane(i, np.False_), pattern & ~(1 << i))
            assert_mask(mask, pattern)


@clause("DEV-WARP-03", "DEV-WARP-05", partial="in kernels")
@pytest.mark.parametrize("lane", [32, -1, -32, 1 << 40])
def test_lanes_are_0_to_31(lane):
    mask = D.WarpMask(-1)
    for use in (lambda: mask[lane], lambda: mask.with_lane(lane, False)):
        with pytest.raises(IndexError) as info:
            use()
        assert str(info.value) == f"lane {lane} of a WarpMask: lanes are 0 to 31"


def test_operators_see_32_bits_without_a_sign():
    for a in PATTERNS:
        mask = D.WarpMask(a)
        assert_mask(~mask, a ^ 0xFFFFFFFF)
        for n in (0, 1, 31, 32, 1 << 40):
            assert_mask(mask >> n, a >> n if n < 32 else 0)
            assert_mask(mask << n, a << n & 0xFFFFFFFF if n < 32 else 0)
        for b in PATTERNS:
            for make in (D.WarpMask, *INTEGERS):
                other = make(b)
                assert_mask(mask & other, a & b)
                assert_mask(other & mask, a & b)
                assert_mask(mask | other, a | b)
                assert_mask(other | mask, a | b)
                assert_mask(mask ^ other, a ^ b)
                assert_mask(other ^ mask, a ^ b)
                found = (mask == other, mask != other, mask < other, mask <= other)
                assert found == (a == b, a != b, a < b, a <= b)
                found = (other == mask, other != mask, other < mask, other <= mask)
                assert found == (a == b, a != b, b < a, b <= a)
                assert (mask > other, mask >= other) == (a > b, a >= b)


def test_integers_that_are_no_masks_lie_beyond_all():
    mask = D.WarpMask(-1)
    assert mask < 1 << 32
    assert mask != 1 << 32
    assert D.WarpMask(0) > -(1 << 31) - 1
    assert mask != 1.5
    assert mask != "x"
    assert (np.array([-1, 0], np.int32) == mask).tolist() == [True, False]


REFUSED = [
    (
        lambda m: D.WarpMask(1 << 32),
        OverflowError,
        "4294967296 is out of the range of a WarpMask, "
        "which has 32 lanes: -2**31 to 2**32 - 1 (all lanes: -1 or 0xFFFFFFFF)",
    ),
    (
        lambda m: m & -(1 << 31) - 1,
        OverflowError,
        "-2147483649 is out of the range of a WarpMask, "
        "which has 32 lanes: -2**31 to 2**32 - 1 (all lanes: -1 or 0xFFFFFFFF)",
    ),
    (
        lambda m: D.WarpMask(1.0),
        TypeError,
        "a WarpMask is made of an integer, a bit for each lane, found float",
    ),
    (
        lambda m: D.WarpMask(True),
        TypeError,
        "a WarpMask is made of an integer, a bit for each lane, found bool",
    ),
    (lambda m: m[1.0], TypeError, "a lane of a WarpMask is an integer, found float"),
    (lambda m: m[True], TypeError, "a lane of a WarpMask is an integer, found bool"),
    (
        lambda m: m.with_lane(3, 1),
        TypeError,
        "a lane is in a WarpMask or not: True or False, found 1",
    ),
    (
        lambda m: m.__setitem__(3, True),
        TypeError,
        "a WarpMask does not change on the host; write mask = mask.with_lane(i, val)",
    ),
    (lambda m: m << -1, ValueError, "a WarpMask is shifted by 0 or more lanes, found -1"),
]


@pytest.mark.parametrize(("use", "error", "text"), REFUSED)
def test_what_a_mask_refuses(use, error, text):
    with pytest.raises(error) as info:
        use(D.WarpMask(6))
    assert str(info.value) == text


def test_a_mask_has_no_hash():
    """It equals integers whose hashes differ."""
    mask = D.WarpMask(PATTERNS[-1])
    assert mask == -1
    assert mask == 0xFFFFFFFF
    with pytest.raises(TypeError, match="unhashable"):
        hash(mask)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_texts_of_masks(pattern):
    mask = D.WarpMask(pattern)
    assert f"{mask}" == str(mask) == repr(mask) == format(mask, "")
    assert f"{mask:x}" == f"{signed(pattern):x}"
    assert f"{mask:>14}|{mask:d}" == f"{signed(pattern):>14}|{signed(pattern)}"
    assert (hex(mask), bin(mask)) == (hex(signed(pattern)), bin(signed(pattern)))


def test_a_mask_is_no_container_of_lanes():
    with pytest.raises(TypeError, match="is not a container"):
        5 in D.WarpMask(6)  # noqa: B015 it raises
