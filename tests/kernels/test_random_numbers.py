"""device.random: known answers of Philox, the same on the host and in kernels."""

import numpy as np
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
