"""Gangs of less than a warp, where registers are far from holding a warp's values."""

import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.launching import run
from support.targets import require, use_target

OWN, DEPTH = 6, 8


@D.kernel
def tile(out, a, b):
    """6 x 6 sums a thread: 144 vectors of AVX2 in a gang of 32, of which there are 16."""
    part = D.shared_array((DEPTH, 8 * OWN), D.float32)
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
def tile_of_lanes(out, a, b):
    total = D.local_array((OWN, OWN), D.float32)
    x, y, lane = D.thread_idx.x, D.thread_idx.y, D.lane_id
    for i in range(OWN):
        for j in range(OWN):
            total[i, j] = lane
    for k in range(a.shape[1]):
        for i in range(OWN):
            for j in range(OWN):
                total[i, j] += a[y + 8 * i, k] * b[k, x + 16 * j]
    for i in range(OWN):
        for j in range(OWN):
            out[y + 8 * i, x + 16 * j] = total[i, j]


@D.kernel
def scaled(out, a):
    i = D.tid(1)
    if i < out.size:
        out[i] = 2 * a[i]


@D.kernel
def between_barriers(a):
    """Six values of each thread's own, in each step."""
    s = D.shared_array(256, D.float32)
    t = D.thread_idx.x
    u, v, w, x, y, z = a[t], a[t + 1], a[t + 2], a[t + 3], a[t + 4], a[t + 5]
    for _ in range(3):
        s[t] = u
        D.syncthreads()
        u, v, w, x, y, z = v * s[255 - t], w + u, x - v, y * w, z + x, u - y
        D.syncthreads()
    a[t] = u + v + w + x + y + z


@D.kernel
def without_barriers(a):
    t = D.thread_idx.x
    u, v, w, x, y, z = a[t], a[t + 1], a[t + 2], a[t + 3], a[t + 4], a[t + 5]
    for _ in range(300):
        u, v, w, x, y, z = v * u, w + u, x - v, y * w, z + x, u - y
    a[t] = u + v + w + x + y + z


@D.kernel
def shared_by_all(a):
    t = D.thread_idx.x
    u, v, w, x, y, z = a[0], a[1], a[2], a[3], a[4], a[5]
    for _ in range(300):
        u, v, w, x, y, z = v * u, w + u, x - v, y * w, z + x, u - y
    a[t] = u + v + w + x + y + z


@D.kernel
def escapes(out, step, limit):
    """Spills in gangs of 32; of rows that are short, less so."""
    x, y = D.tid(2)
    height, width = out.shape
    if x < width and y < height:
        cr, ci = step * x - 2.0, step * y - 1.0
        zr, zi, k = cr, ci, 0
        while k < limit and zr * zr + zi * zi < 4:
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            k += 1
        out[y, x] = k


@D.kernel
def odd(out, a, n):
    """Guards, early returns, barriers and loops of each thread's own, in blocks of any shape."""
    part = D.shared_array(256, D.float32)
    t = D.thread_idx.x + D.block_dim.x * (D.thread_idx.y + D.block_dim.y * D.thread_idx.z)
    size = D.block_dim.x * D.block_dim.y * D.block_dim.z
    i = D.block_idx.x * size + t
    if i >= n:
        return
    part[t] = a[i]
    D.syncthreads()
    total = part[t]
    other = size - 1 - t
    if D.block_idx.x * size + other < n:
        total += 2 * part[other]
    for k in range(t % 5):
        total = total * 0.5 + k
    D.syncthreads()
    part[t] = total
    D.syncthreads()
    out[i] = part[t // 2] + total


def lanes_of(kernel, *args, target, block):
    first = kernel.inspect(*args, what="facts", target=target, grid=1, block=block).splitlines()
    line = next(line for line in first if line.startswith("lanes:"))
    found = re.search(r"(\d+) a gang", line)
    return int(found[1]) if found else 32


def arguments():
    random = np.random.default_rng(3)
    a = random.integers(-8, 8, (8 * OWN, 3 * DEPTH)).astype(np.float32)
    b = random.integers(-8, 8, (3 * DEPTH, OWN * 16)).astype(np.float32)
    return np.zeros((8 * OWN, OWN * 16), np.float32), a, b


def test_sums_beyond_the_registers_make_gangs_of_one_vector():
    assert lanes_of(tile, *arguments(), target="avx2", block=(16, 8)) == 8
    assert lanes_of(tile, *arguments(), target="avx2x32", block=(16, 8)) == 32


def test_a_forced_number_of_lanes_is_kept():
    for lanes in (8, 16):
        assert lanes_of(tile, *arguments(), target=f"avx2x{lanes}", block=(16, 8)) == lanes


def test_gangs_fill_a_vector():
    with pytest.raises(ValueError, match="avx512x8"):
        lanes_of(tile, *arguments(), target="avx512x8", block=(16, 8))
    with pytest.raises(ValueError, match="avx512x8"), use_target("avx512x8"):
        pass


def test_a_kernel_that_asks_for_its_lane_has_warps():
    for target in ("avx2", "avx2x8", "avx2x16"):
        assert lanes_of(tile_of_lanes, *arguments(), target=target, block=(16, 8)) == 32


def test_what_lives_across_barriers_does_not_count():
    """It is in memory there; loops around barriers run over gangs."""
    a = np.zeros(1024, np.float32)
    assert lanes_of(between_barriers, a, target="avx2", block=256) == 32
    assert lanes_of(without_barriers, a, target="avx2", block=256) == 16


def test_what_all_lanes_share_does_not_count():
    a = np.zeros(1024, np.float32)
    assert lanes_of(shared_by_all, a, target="avx2", block=256) == 32


def test_gangs_are_not_narrowed_where_lanes_would_be_idle():
    """Three rows of ten fill a gang of 32; 16 lanes hold one."""
    out = np.zeros((100, 100), np.int32)
    for block, lanes in (((32, 8), 16), ((10, 10), 32)):
        assert lanes_of(escapes, out, np.float32(0.03), 50, target="avx2", block=block) == lanes


def test_a_kernel_without_spills_keeps_its_warp():
    a = np.zeros(1000, np.float32)
    assert lanes_of(scaled, a, a, target="avx2", block=256) == 32


def test_every_stage_shows_the_code_that_runs():
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


LLVM = ["emission", "optimisation", "back end", "link"]


def stages(kernel, *args, **options):
    times = _testing.stage_times(kernel, *args, grid=1, block=(16, 8), **options)
    return [stage for stage, _ in times]


@pytest.mark.parametrize("form", ["avx2", "avx2x32", "sse4"])
def test_llvm_runs_once_whatever_the_lanes(form):
    ran = stages(tile, *arguments(), target=form)
    assert [stage for stage in ran if stage in LLVM] == LLVM


@pytest.mark.parametrize("form", ["avx2", "avx2x8", "avx512", "sse4", "sm_90"])
def test_ir_is_shown_without_llvm(form):
    ran = stages(tile, *arguments(), target=form, ir_only=True)
    assert "split_live_ranges" in ran or form == "sm_90"
    assert not set(LLVM) & set(ran)


@pytest.mark.parametrize("form", ["avx2x8", "avx2x16", "avx512x16", "sse4x8"])
def test_forced_gangs_give_the_same(form):
    require(form)
    out, a, b = arguments()
    with use_target(form):
        D.launch(tile, out, a, b, grid=1, block=(16, 8))
    assert (out == a @ b).all()


@pytest.mark.parametrize("form", ["interpreter", "avx2x8", "avx2x16", "avx512x16", "sse4x8"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8])
def test_blocks_of_odd_shapes(form, dtype):
    require(form)
    n = 500
    a = (np.arange(n) % 11).astype(dtype)
    for block in ((10, 10), (12, 5), (3, 7, 2), (7,), (33, 2), (4, 4, 4), (1,)):
        size = int(np.prod(block))
        out, expected = np.zeros(n), np.zeros(n)
        with use_target(form):
            D.launch(odd, out, a, n, grid=-(-n // size), block=block)
        for first in range(0, n, size):
            part = a[first : first + size].astype(np.float32)
            total = part.copy()
            for t in range(len(part)):
                if size - 1 - t < len(part):
                    total[t] = np.float32(total[t] + 2 * part[size - 1 - t])
                for k in range(t % 5):
                    total[t] = np.float32(total[t] * np.float32(0.5) + k)
            expected[first : first + size] = total[np.arange(len(part)) // 2] + total
        assert (out == expected).all(), block


def test_sums_of_a_tile(target):
    out, a, b = arguments()
    run(tile, out, a, b, grid=1, block=(16, 8))
    assert (out == a @ b).all()
