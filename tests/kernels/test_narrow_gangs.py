"""Gangs of less than a warp, where registers are far from holding a warp's values (0033)."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.targets import require, use_target

OWN, DEPTH = 8, 8


@D.kernel
def tile(out, a, b):
    """8 x 8 sums a thread: 256 vectors of AVX2 in a gang of 32, of which there are 16."""
    part = D.shared_array((DEPTH, 64), D.float32)
    total = D.local_array((OWN, OWN), D.float32)
    x, y = D.thread_idx.x, D.thread_idx.y
    for i in range(OWN):
        for j in range(OWN):
            total[i, j] = 0
    for first in range(0, a.shape[1], DEPTH):
        if x < DEPTH:
            for i in range(OWN):
                part[x, y + 8 * i] = a[y + 8 * i, first + x]
        D.syncthreads()
        for k in range(DEPTH):
            for i in range(OWN):
                for j in range(OWN):
                    total[i, j] += part[k, y + 8 * i] * b[first + k, x + 16 * j]
        D.syncthreads()
    for i in range(OWN):
        for j in range(OWN):
            out[y + 8 * i, x + 16 * j] = total[i, j]


@D.kernel
def scaled(out, a):
    i = D.tid(1)
    if i < out.size:
        out[i] = 2 * a[i]


def lanes_of(kernel, *args, target, block):
    first = kernel.inspect(*args, what="facts", target=target, grid=1, block=block).splitlines()
    line = next(line for line in first if line.startswith("lanes:"))
    found = re.search(r"(\d+) a gang", line)
    return int(found[1]) if found else 32


def arguments():
    random = np.random.default_rng(3)
    a = random.integers(-8, 8, (64, 3 * DEPTH)).astype(np.float32)
    b = random.integers(-8, 8, (3 * DEPTH, OWN * 16)).astype(np.float32)
    return np.zeros((64, OWN * 16), np.float32), a, b


def test_sums_beyond_the_registers_make_gangs_of_one_vector():
    assert lanes_of(tile, *arguments(), target="avx2", block=(16, 8)) == 8
    assert lanes_of(tile, *arguments(), target="avx2x32", block=(16, 8)) == 32


def test_a_forced_number_of_lanes_is_kept():
    for lanes in (8, 16):
        assert lanes_of(tile, *arguments(), target=f"avx2x{lanes}", block=(16, 8)) == lanes


def test_gangs_fill_a_vector():
    with pytest.raises(ValueError, match="avx512x8"):
        lanes_of(tile, *arguments(), target="avx512x8", block=(16, 8))


def test_what_fits_keeps_its_warp():
    a = np.zeros(1000, np.float32)
    assert lanes_of(scaled, a, a, target="avx2", block=256) == 32


def test_every_text_is_of_the_code_that_runs():
    """The IR has loops for the sums that a vector of a narrow gang can carry."""
    out, a, b = arguments()
    narrow, warp = (
        tile.inspect(out, a, b, what="ir", target=target, grid=1, block=(16, 8))
        for target in ("avx2x8", "avx2x32")
    )
    assert narrow != warp
    assert tile.inspect(out, a, b, what="ir", target="avx2", grid=1, block=(16, 8)) == narrow
    asm = tile.inspect(out, a, b, what="asm", target="avx2", grid=1, block=(16, 8))
    forced = tile.inspect(out, a, b, what="asm", target="avx2x8", grid=1, block=(16, 8))
    assert asm == forced


@pytest.mark.parametrize("form", ["avx2x8", "avx2x16", "avx512x16", "sse4x8"])
def test_forced_gangs_give_the_same(form):
    require(form)
    out, a, b = arguments()
    with use_target(form):
        D.launch(tile, out, a, b, grid=1, block=(16, 8))
    assert (out == a @ b).all()


def test_sums_of_a_tile(target):
    out, a, b = arguments()
    run(tile, out, a, b, grid=1, block=(16, 8))
    assert (out == a @ b).all()
