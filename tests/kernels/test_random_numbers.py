"""device.random: known answers of Philox, the same on the host and in kernels."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import random
from support.launching import run

# From the reference implementation's kat_vectors: counter, key, result.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]


@D.kernel
def known_answers(inputs, out):
    i = D.tid(1)
    row = inputs[i]
    numbers = random.philox((row[0], row[1], row[2], row[3]), (row[4], row[5]))
    for k, number in enumerate(numbers):
        out[i, k] = number


def test_known_answers(target):
    inputs = np.array([(*counter, *key) for counter, key, _ in KNOWN], np.uint32)
    out = np.zeros((len(KNOWN), 4), np.uint32)
    run(known_answers, inputs, out, block=len(KNOWN))
    assert out.tolist() == [list(wanted) for _, _, wanted in KNOWN]
    for counter, key, wanted in KNOWN:
        assert random.philox(counter, key) == wanted


@D.kernel
def numbers(seed, out, normals):
    i = D.tid(1)
    for k, x in enumerate(random.uniform(seed, i, 5)):
        out[i, k] = x
    for k, x in enumerate(random.normal(seed, i)):
        normals[i, k] = x


def test_kernels_draw_what_the_host_draws(target):
    seed = np.uint64(0x1234_5678_9ABC_DEF0)
    out, normals = np.zeros((256, 4), np.float32), np.zeros((256, 4), np.float32)
    run(numbers, seed, out, normals, grid=2, block=128)
    assert out.tolist() == [[float(x) for x in random.uniform(seed, i, 5)] for i in range(256)]
    wanted = np.array([random.normal(seed, i) for i in range(256)])
    assert np.allclose(normals, wanted, atol=1e-5)
    assert 0 <= out.min() < 0.01
    assert 0.99 < out.max() < 1
    assert abs(out.mean() - 0.5) < 0.03
    assert abs(normals.mean()) < 0.1
    assert abs(normals.std() - 1) < 0.1


@D.kernel
def rolls(low, high, seed, out):
    i = D.tid(1)
    for k, x in enumerate(random.integers(low, high, seed, i, 3)):
        out[i, k] = x


def test_integers_are_those_of_the_host_and_cover_their_range(target):
    out = np.zeros((256, 4), np.int64)
    for low, high in ((1, 7), (-3, -2), (-(1 << 31), 1 << 31)):
        run(rolls, np.int64(low), np.int64(high), np.uint64(7), out, grid=2, block=128)
        wanted = [[int(x) for x in random.integers(low, high, 7, i, 3)] for i in range(256)]
        assert out.tolist() == wanted
        bits = [[int(x) for x in random.bits(7, i, 3)] for i in range(256)]
        assert out.tolist() == [[low + ((high - low) * x >> 32) for x in row] for row in bits]
        assert low <= out.min() < low + max((high - low) / 64, 1)
        assert high - max((high - low) / 64, 1) <= out.max() < high


def test_the_counter_is_the_step_and_the_stream():
    seed, stream, step = 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, 0x1122_3344_5566_7788
    counter = (0x5566_7788, 0x1122_3344, 0x7654_3210, 0xFEDC_BA98)
    wanted = random.philox(counter, (0x89AB_CDEF, 0x0123_4567))
    assert random.bits(seed, stream, step) == wanted


def chi_square(bins, count):
    """Over its mean, in standard deviations."""
    found = np.bincount(bins.ravel(), minlength=count)
    wanted = bins.size / count
    return (((found - wanted) ** 2 / wanted).sum() - count) / np.sqrt(2 * count)


@pytest.fixture
def drawn(target):
    out, normals = np.zeros((2048, 4), np.float32), np.zeros((2048, 4), np.float32)
    run(numbers, np.uint64(11), out, normals, grid=16, block=128)
    return out.astype(float), normals.astype(float)


def test_numbers_are_uniform_to_the_last_bit(drawn):
    whole = (drawn[0] * 2**24).astype(np.int64)
    assert np.array_equal(whole * 2.0**-24, drawn[0])
    assert np.unique(whole).size > whole.size - 20
    for shift in (0, 8, 16):
        assert abs(chi_square(whole >> shift & 255, 256)) < 4, shift


def test_normals_have_the_shape_of_the_normal_distribution(drawn):
    ends = [-1.5341205, -0.88714656, -0.48877641, -0.15731068]  # of sixteenths 1, 3, 5 and 7
    ends += [-end for end in reversed(ends)]
    bins = np.searchsorted(ends, drawn[1])
    shares = np.array([1, 2, 2, 2, 2, 2, 2, 2, 1]) / 16
    wanted = shares * bins.size
    found = np.bincount(bins.ravel(), minlength=9)
    assert ((found - wanted) ** 2 / wanted).sum() < 30


@pytest.mark.parametrize("which", [0, 1], ids=["uniform", "normal"])
def test_numbers_do_not_follow_from_one_another(drawn, which):
    rows = drawn[which]
    next_to = np.corrcoef(np.hstack([rows[:-1], rows[1:]]).T)
    assert np.abs(next_to - np.eye(8)).max() < 5 / np.sqrt(len(rows))
    sizes = np.corrcoef(np.hstack([np.abs(rows[:-1]), np.abs(rows[1:])]).T)
    assert np.abs(sizes - np.eye(8)).max() < 5 / np.sqrt(len(rows))


EMPTY, WIDE = "needs a low below its high", "gives at most 2\\*\\*32 different numbers"


@pytest.mark.parametrize(
    ("low", "high", "says"),
    [(7, 1, EMPTY), (5, 5, EMPTY), (0, (1 << 32) + 1, WIDE), (-(1 << 62), 1 << 62, WIDE)],
)
def test_ranges_of_no_or_too_many_numbers_are_refused(target, low, high, says):
    with pytest.raises(ValueError, match=says):
        random.integers(low, high, 1, 2)
    if target == "cuda":
        pytest.skip("for other targets: a raise ends the context of a GPU")
    with pytest.raises(ValueError, match=says):
        run(rolls, np.int64(low), np.int64(high), np.uint64(7), np.zeros((1, 4), np.int64))


def test_a_seed_is_an_integer():
    with pytest.raises(TypeError):
        random.bits(2.5, 1)
