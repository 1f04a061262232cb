"""Adjacent narrow blocks run together, row by row: every thread runs once, wherever it is."""

import os
import subprocess
import sys

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.targets import require, use_target


@D.kernel
def stamp(seen, block, thread):
    x, y, z = D.tid(3)
    depth, height, width = seen.shape
    if x < width and y < height and z < depth:
        b, t = D.block_idx, D.thread_idx
        seen[z, y, x] += 1
        block[z, y, x] = (b.z * 1000 + b.y) * 1000 + b.x
        thread[z, y, x] = (t.z * 100 + t.y) * 1000 + t.x


def expected(shape, block):
    z, y, x = np.indices(shape)
    bx, by, bz = block
    return (
        ((z // bz * 1000 + y // by) * 1000 + x // bx).astype(np.int32),
        ((z % bz * 100 + y % by) * 1000 + x % bx).astype(np.int32),
    )


BLOCKS = [
    (32, 8, 1),
    (16, 16, 1),
    (10, 10, 1),
    (64, 4, 1),
    (33, 3, 2),
    (8, 4, 4),
    (5, 7, 3),
    (1, 64, 1),
]
SHAPES = [(1, 40, 700), (3, 33, 129), (5, 9, 31), (1, 1, 1)]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_thread_runs_once_where_it_stands(target, block, shape):
    seen, blocks, threads = (np.zeros(shape, np.int32) for _ in range(3))
    grid = tuple(-(-n // b) for n, b in zip(reversed(shape), block, strict=True))
    run(stamp, seen, blocks, threads, grid=grid, block=block)
    assert (seen == 1).all()
    want_block, want_thread = expected(shape, block)
    np.testing.assert_array_equal(blocks, want_block)
    np.testing.assert_array_equal(threads, want_thread)


@D.kernel
def weighted(out, a, weights):
    """As long as the weights are: blocks go through the array's rows on their own."""
    x, y = D.tid(2)
    total = 0.0
    for k in range(weights.size):
        total += weights[k] * a[k, x]
    out[y, x] = total


@D.kernel
def blurred(out, a):
    x, y = D.tid(2)
    total = 0.0
    for k in range(5):
        total += a[y, x + k]
    out[y, x] = total


@D.kernel
def exchanged(out, a):
    held = D.shared_array(32, D.float32)
    x, y = D.tid(2)
    held[D.thread_idx.x] = a[y, x]
    out[y, x] = held[D.thread_idx.x]


def floats(*shape):
    return np.zeros(shape, np.float32)


TOGETHER = [
    (blurred, (floats(64, 64), floats(64, 80)), (32, 8), 8),
    (blurred, (floats(64, 64), floats(64, 80)), (16, 16), 16),
    (blurred, (floats(64, 64), floats(64, 80)), (64, 4), 4),
    (blurred, (floats(64, 64), floats(64, 80)), (128, 4), 2),
    (blurred, (floats(64, 64), floats(64, 80)), (256, 4), None),
    (blurred, (floats(64, 64), floats(64, 80)), (64, 1), None),
    (weighted, (floats(64, 64), floats(64, 80), floats(5)), (32, 8), None),
    (exchanged, (floats(64, 64), floats(64, 64)), (32, 8), None),
]


@pytest.mark.parametrize(("kernel", "arguments", "block", "blocks"), TOGETHER)
def test_which_blocks_run_together(kernel, arguments, block, blocks):
    launch = dict(target="avx2", grid=(2, 8), block=block)
    lanes = kernel.inspect(*arguments, what="facts", **launch).partition("\n")[0]
    words = f"runs of {blocks} adjacent blocks"
    assert lanes.endswith(words) if blocks else "adjacent" not in lanes


@pytest.mark.parametrize("threads", [1, 3])
def test_whole_runs_and_parts_of_them(threads):
    """One thread runs whole lines of blocks at once; several claim a few blocks at a time."""
    environment = os.environ | {"CUDA_DEVICE_NUM_THREADS": str(threads)}
    tests = f"{__file__}::{test_every_thread_runs_once_where_it_stands.__name__}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", tests]
    done = subprocess.run(
        [*command, "--target=avx2"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(BLOCKS) * len(SHAPES)} passed" in done.stdout


@D.kernel
def numbered(out):
    x, y = D.block_idx.x, D.block_idx.y
    if D.thread_idx.x == 2:
        out[y, x] = y * D.grid_dim.x + x


@pytest.mark.parametrize("grid", [1, 3, 10**6 + 3, (1021, 997)])
@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_every_block_of_a_large_grid_runs(form, grid):
    require(form)
    width, height = grid if isinstance(grid, tuple) else (grid, 1)
    out = np.full((height, width), -1, np.int32)
    with use_target(form):
        run(numbered, out, grid=grid, block=3)
    np.testing.assert_array_equal(out.ravel(), np.arange(out.size))
