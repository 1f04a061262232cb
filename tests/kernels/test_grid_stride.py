"""Loops over elements as far apart as the grid is wide."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing

LAUNCHES = [(1, 32), (2, 64), (2, 100), (1, 256), (2, (16, 4)), (1, (32, 2))]
SIZES = [0, 1, 33, 256, 1003]


def width(grid, block):
    return grid * (block if isinstance(block, int) else block[0])


@D.kernel
def sums(out, last, source, n, more):
    total = 0.0
    i = -7
    for i in range(D.tid(1), n, D.grid_size(1)):
        total += source[i]
    else:
        total += more
    out[D.tid(1)] = total
    last[D.tid(1)] = i


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32])
@pytest.mark.parametrize(("grid", "block"), LAUNCHES)
def test_each_thread_sums_its_own(target, grid, block, dtype):
    threads = width(grid, block)
    for n in [*SIZES, threads - 1, threads, 3 * threads + 5]:
        source = (np.arange(max(n, 1)) % 8).astype(np.float32)
        out, last = np.zeros(threads, np.float32), np.zeros(threads, np.int64)
        D.launch(sums, out, last, source, dtype(n), np.float32(2), grid=grid, block=block)
        own = [range(k, n, threads) for k in range(threads)]
        assert out.tolist() == [2 + sum(source[i] for i in mine) for mine in own]
        assert last.tolist() == [mine[-1] if mine else -7 for mine in own]


@D.kernel
def some(c, a, n, more):
    for i in range(D.tid(1), n, D.grid_size(1)):
        if a[i] > 6:
            continue
        if a[i] > 3:
            c[i] = a[i] * more
        else:
            c[i] = -a[i]


@pytest.mark.parametrize(("grid", "block"), LAUNCHES)
def test_each_element_is_stored_once_or_not_at_all(target, grid, block):
    threads = width(grid, block)
    for n in [*SIZES, threads - 1, threads, 3 * threads + 5]:
        a = (np.arange(max(n, 1)) % 8).astype(np.float32)
        c = np.full_like(a, -100)
        D.launch(some, c, a, n, np.float32(3), grid=grid, block=block)
        want = np.where(a > 6, -100, np.where(a > 3, 3 * a, -a))
        want[n:] = -100
        assert c.tolist() == want.tolist()


@D.kernel
def counted(c, first, n, step):
    t = D.thread_idx.x
    k = 0
    for i in range(first + t, n, step):
        k = k + 1
        c[t, k] = i


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64])
def test_counters_near_the_end_of_their_type(target, dtype):
    top = int(np.iinfo(dtype).max)
    for first in (top - 100, top - 63, top - 64, top - 33, top - 32):
        for n, step in ((top, 1), (top, 31), (top - 1, 32), (top - 40, 3), (top, 33), (top, 64)):
            c = np.zeros((32, 140), np.int64)
            D.launch(counted, c, dtype(first), dtype(n), dtype(step), grid=1, block=32)
            for t in range(32):
                want = [0, *range(first + t, n, step)]
                assert c[t].tolist() == want + [0] * (140 - len(want)), (first, n, step, t)


def test_steps_smaller_than_a_block(target):
    for n in range(0, 200, 13):
        c = np.zeros((64, 60), np.int32)
        D.launch(counted, c, 0, n, 5, grid=1, block=64)
        for t in range(64):
            want = [0, *range(t, n, 5)]
            assert c[t].tolist() == want + [0] * (60 - len(want)), (n, t)


@D.kernel
def strided(out, source):
    total = source.dtype(0)
    for i in range(D.tid(1), source.size, D.grid_size(1)):
        total = max(total, source[i])
    out[D.tid(1)] = total


@D.kernel
def not_strided(out, source):
    i = D.tid(1)
    out[i] = source[i]


# A gang's run of memory is twice as long, where two registers hold a warp's.
@pytest.mark.parametrize(
    ("form", "dtype", "gang"),
    [
        ("avx512", np.float32, 64),
        ("avx512", np.int8, 64),
        ("avx512", np.float64, 32),
        ("avx2", np.float32, 32),
    ],
)
def test_gangs_of_two_warps_read_from_beyond_the_cache(form, dtype, gang):
    source, out = np.zeros(1000, dtype), np.zeros(512, dtype)

    def chosen(kernel, block):
        return kernel.stats(out, source, target=form, grid=2, block=block).gang

    with _testing.beyond_cache(1):
        assert chosen(strided, 256) == chosen(strided, (64, 4)) == gang
        assert chosen(strided, 96) == 32
        assert chosen(strided, (32, 8)) == 32, "two rows, each as short as one alone"
        assert chosen(not_strided, 256) == 32
    assert chosen(strided, 256) == 32


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.int16, np.float64])
@pytest.mark.parametrize("n", [0, 1, 255, 256, 600, 1100])
def test_elements_that_gangs_of_two_warps_sum(target, n, dtype):
    source = (np.arange(n) * 7 % 101).astype(dtype)
    out = np.zeros(256, dtype)
    with _testing.beyond_cache(1):
        D.launch(strided, out, source, grid=2, block=128)
    assert out.tolist() == [max(source[i::256], default=0) for i in range(256)]
