"""Stores that are if-converted, or sunk below the if: what threads do not store must stay as it
is."""

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.targets import require, use_target

WIDTHS = ("avx512", "avx512x64", "avx2", "sse4", "interpreter")
BLOCKS = [1, 31, 32, 64, 100]


def numbers(count, dtype=np.float32, seed=1):
    return np.random.default_rng(seed).integers(-50, 50, count).astype(dtype)


def threads(size, block):
    return {"grid": max(1, -(-size // block)), "block": block}


# ------------------------------------------------------------------- both sides store to one place


@D.kernel
def one_axis(out, a, n):
    i = D.tid(1)
    if i < n:
        if a[i] > 0:
            out[i] = 2 * a[i]
        else:
            out[i] = a[i] - 1


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("block", BLOCKS)
def test_one_axis(target, dtype, block):
    a, out = numbers(100, dtype), np.full(110, 7, dtype)
    run(one_axis, out, a, 90, **threads(100, block))
    assert out[:90].tolist() == np.where(a > 0, 2 * a, a - 1)[:90].tolist()
    assert out[90:].tolist() == [7] * 20


@D.kernel
def converted(out, a, b):
    i = D.tid(1)
    if a[i] > 0:
        out[i] = a[i] > 3
    else:
        out[i] = b[i]


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int16, np.float64])
def test_each_side_converts_its_own_value(target, dtype):
    a, b, out = numbers(96), numbers(96, np.int32, 2), np.zeros(96, dtype)
    run(converted, out, a, b, grid=3, block=32)
    expected = np.where(a > 0, (a > 3).astype(dtype), b.astype(dtype))
    assert out.tolist() == expected.tolist()


@D.kernel
def two_axes(out, a):
    x, y = D.tid(2)
    height, width = out.shape
    if x < width and y < height:
        if 0 < x < width - 1:
            out[y, x] = a[y, x - 1] + a[y, x + 1]
        else:
            out[y, x] = a[y, x]


@pytest.mark.parametrize("block", [(32, 2), (8, 8), (10, 3)])
def test_two_axes(target, block):
    a = numbers((20, 50))
    out = np.zeros_like(a)
    run(two_axes, out, a, grid=(-(-50 // block[0]), -(-20 // block[1])), block=block)
    expected = a.copy()
    expected[:, 1:-1] = a[:, :-2] + a[:, 2:]
    assert out.tolist() == expected.tolist()


@D.kernel
def from_the_end(out, a):
    i = D.tid(1)
    if a[i] > 0:
        out[-1 - i] = a[i]
    else:
        out[-1 - i] = 0


def test_negative_indices(target):
    a, out = numbers(64), np.full(64, 7, np.float32)
    run(from_the_end, out, a, grid=2, block=32)
    assert out[::-1].tolist() == np.where(a > 0, a, 0).tolist()


@D.kernel
def other_places(out, a):
    i = D.tid(1)
    if a[i] > 0:
        out[i] = 1
    else:
        out[i + 64] = 2


def test_other_places(target):
    a, out = numbers(64), np.zeros(128, np.int32)
    run(other_places, out, a, grid=2, block=32)
    assert out.tolist() == (a > 0).astype(int).tolist() + (2 * (a <= 0)).tolist()


@D.kernel
def reads_after(out, seen, a, again):
    i = D.tid(1)
    if a[i] > 0:
        out[i] = a[i]
        seen[i] = again[i]
    else:
        out[i] = -1


@pytest.mark.parametrize("overlaps", [True, False])
def test_a_side_reads_what_it_stored(target, overlaps):
    a, out, seen = numbers(64), np.full(64, 7, np.float32), np.zeros(64, np.float32)
    again = out if overlaps else out.copy()
    run(reads_after, out, seen, a, again, grid=2, block=32)
    assert out.tolist() == np.where(a > 0, a, -1).tolist()
    assert seen.tolist() == np.where(a > 0, a if overlaps else 7, 0).tolist()


@D.kernel
def writes_after(out, other, a):
    i = D.tid(1)
    if a[i] > 0:
        out[i] = 1
        other[i] = 2
    else:
        out[i] = 3


@pytest.mark.parametrize("overlaps", [True, False])
def test_a_side_stores_to_two_arrays(target, overlaps):
    a, out = numbers(64), np.zeros(64, np.int32)
    other = out if overlaps else np.zeros(64, np.int32)
    run(writes_after, out, other, a, grid=2, block=32)
    assert out.tolist() == np.where(a > 0, 2 if overlaps else 1, 3).tolist()
    assert other.tolist() == np.where(a > 0, 2, 3 if overlaps else 0).tolist()


@D.kernel
def reads_the_other_array(a, b, c):
    i = D.tid(1)
    if c[i] > 0:
        x = b[i]
        a[i] = x + 1
        b[i] = x + 2
    else:
        a[i] = 5
        b[i] = a[i] * 2


@pytest.mark.parametrize("overlaps", [True, False])
def test_two_arrays_that_may_be_one(target, overlaps):
    c, a = numbers(64), numbers(64, np.int32, 2)
    b = a if overlaps else numbers(64, np.int32, 3)
    before = b.copy()
    run(reads_the_other_array, a, b, c, grid=2, block=32)
    last = np.where(c > 0, before + 2, 10)
    assert b.tolist() == last.tolist()
    assert a.tolist() == (last if overlaps else np.where(c > 0, before + 1, 5)).tolist()


@D.kernel
def jumps(out, a, n):
    i = D.tid(1)
    for k in range(n):
        if a[i] > 0:
            if (i + k) % 3 == 0:
                continue
            out[i] = 100 + k
        else:
            if k == i % 5:
                break
            out[i] = k
        out[i + 64] += 1
    if a[i] < -10:
        out[i] = -1
        if a[i] < -30:
            return
    else:
        out[i] += 1000
    out[i + 128] = 1


def test_jumps_in_the_sides(target):
    a, out = numbers(64), np.zeros(192, np.int32)
    run(jumps, out, a, 4, grid=2, block=32)
    expected = np.zeros(192, int)
    for i in range(64):
        for k in range(4):
            if a[i] > 0:
                if (i + k) % 3 == 0:
                    continue
                expected[i] = 100 + k
            else:
                if k == i % 5:
                    break
                expected[i] = k
            expected[i + 64] += 1
        if a[i] < -10:
            expected[i] = -1
        else:
            expected[i] += 1000
        expected[i + 128] = a[i] >= -30
    assert out.tolist() == expected.tolist()


@D.kernel
def early_return(out, a):
    i = D.tid(1)
    if a[i] > 10:
        out[i] = 1
        return
    if a[i] > 0:
        out[i] = 2
        return
    out[i] = a[i]


def test_early_returns(target):
    a, out = numbers(100), np.full(100, 7, np.float32)
    run(early_return, out, a, grid=1, block=100)
    assert out.tolist() == np.where(a > 10, 1, np.where(a > 0, 2, a)).tolist()


@D.kernel
def nested(out, a, n):
    i = D.tid(1)
    if i < n:
        if a[i] > 0:
            if i % 3 == 0:
                out[i, 0] = 1
                out[i, 1] = 2
            else:
                out[i, 0] = 3
                out[i, 1] = 4
        else:
            out[i, 0] = 5
            out[i, 1] = 6


@pytest.mark.parametrize("block", BLOCKS)
def test_nested_ifs_with_two_stores(target, block):
    a, out = numbers(100), np.zeros((128, 2), np.int16)
    run(nested, out, a, 90, **threads(100, block))
    i = np.arange(90)
    first = np.where(a[:90] > 0, np.where(i % 3 == 0, 1, 3), 5)
    assert out[:90].tolist() == np.stack((first, first + 1), 1).tolist()
    assert not out[90:].any()


@D.kernel
def at_a_variable(out, a, n):
    i = D.tid(1)
    at = 2 * i * n
    while at < 2 * i * n + n:
        if a[at] > 0:
            out[at] = 1
        else:
            out[at] = 2
        if a[at] > 10:
            at += 2
            out[at - 1] = 3
        else:
            at += 1
            out[at - 1] = 4


def test_an_index_that_a_side_changes(target):
    a, out = numbers(512), np.zeros(512, np.int32)
    run(at_a_variable, out, a, 4, grid=2, block=32)
    expected = np.zeros(512, int)
    for i in range(64):
        at = i * 8
        while at < i * 8 + 4:
            far = a[at] > 10
            expected[at] = 1 if a[at] > 0 else 2
            at += 2 if far else 1
            expected[at - 1] = 3 if far else 4
    assert out.tolist() == expected.tolist()


# ------------------------------------------------------------------ what was loaded, or another one


def sorts(kernel, count, block):
    source = numbers(count * 3)
    out = np.zeros_like(source)
    run(kernel, out, source, grid=3, block=block)
    assert out.tolist() == np.sort(source.reshape(3, count), axis=1).ravel().tolist()


@D.kernel
def odd_even_sort(out, source):
    key = D.shared_array(128, D.float32)
    t = D.int32(D.thread_idx.x)
    first = D.int32(D.block_idx.x) * 128
    key[t] = source[first + t]
    key[t + 64] = source[first + t + 64]
    D.syncthreads()
    for k in range(128):
        low = 2 * t + k % 2
        if low < 127:
            a = key[low]
            b = key[low + 1]
            if a > b:
                key[low] = b
                key[low + 1] = a
        D.syncthreads()
    out[first + t] = key[t]
    out[first + t + 64] = key[t + 64]


@D.kernel
def threads_that_wait(out, source):
    """Every thread loads a pair; every other one, in turn, exchanges its own."""
    key = D.shared_array(65, D.float32)
    t = D.thread_idx.x
    key[t] = source[D.block_idx.x * 64 + t]
    if t == 0:
        key[64] = D.float32(1e30)
    D.syncthreads()
    for k in range(64):
        a = key[t]
        b = key[t + 1]
        if a > b and (t + k) % 2 == 0:
            key[t] = b
            key[t + 1] = a
        D.syncthreads()
    out[D.block_idx.x * 64 + t] = key[t]


@D.kernel
def bitonic_sort(out, source):
    key = D.shared_array(128, D.float32)
    t = D.thread_idx.x
    first = D.block_idx.x * 128
    key[t] = source[first + t]
    key[t + 64] = source[first + t + 64]
    D.syncthreads()
    k = 2
    while k <= 128:
        j = k // 2
        while j > 0:
            low = 2 * t - (t & (j - 1))
            a = key[low]
            b = key[low + j]
            if (a > b) == ((low & k) == 0):
                key[low] = b
                key[low + j] = a
            D.syncthreads()
            j //= 2
        k *= 2
    out[first + t] = key[t]
    out[first + t + 64] = key[t + 64]


def test_odd_even_sort(target):
    sorts(odd_even_sort, 128, 64)


def test_bitonic_sort(target):
    sorts(bitonic_sort, 128, 64)


@D.kernel
def own_sort(out, source):
    own = D.local_array(6, D.float32)
    i = D.tid(1)
    for k in range(6):
        own[k] = source[i, k]
    for k in range(source.shape[1]):
        for low in range(k % 2, 5, 2):
            a = own[low]
            b = own[low + 1]
            if a > b:
                own[low] = b
                own[low + 1] = a
    for k in range(6):
        out[i, k] = own[k]


def test_sort_of_own_arrays(target):
    source = numbers((64, 6))
    out = np.zeros_like(source)
    run(own_sort, out, source, grid=2, block=32)
    assert out.tolist() == np.sort(source, axis=1).tolist()


@D.kernel
def own_elements_that_may_meet(out, a, n):
    own = D.local_array(8, D.int32)
    i = D.tid(1)
    for k in range(8):
        own[k] = k
    x = own[n]
    y = own[2 * n]
    if a[i] > 0:
        own[n] = 100
        own[2 * n] = 200
    out[i] = own[n] + 1000 * own[2 * n] + x + y


def test_own_elements_that_may_meet(target):
    a = numbers(64)
    for n in range(4):
        out = np.zeros(64, np.int32)
        run(own_elements_that_may_meet, out, a, n, grid=2, block=32)
        stored = (200 if n == 0 else 100) + 1000 * 200
        assert out.tolist() == (np.where(a > 0, stored, 1001 * n + 1000 * n) + 3 * n).tolist()


@D.kernel
def changed_in_between(out, a):
    s = D.shared_array(64, D.float32)
    t = D.thread_idx.x
    s[t] = a[t]
    old = s[t]
    s[t] = 7
    if old > 0:
        s[t] = -1
    first = s[t]
    if old > 10 and t % 2 == 0:
        s[t] = 8
    if old < -10:
        s[t] = -2
    D.syncthreads()
    other = s[63 - t]
    D.syncthreads()
    s[63 - t] = other + 100
    D.syncthreads()
    if old > 20:
        s[t] = 9
    out[t] = s[t] + 1000 * first


def test_what_changes_in_between(target):
    a, out = numbers(64), np.zeros(64, np.float32)
    run(changed_in_between, out, a, grid=1, block=64)
    first = np.where(a > 0, -1, 7)
    s = np.where((a > 10) & (np.arange(64) % 2 == 0), 8, first)
    s = np.where(a < -10, -2, s) + 100
    assert out.tolist() == (np.where(a > 20, 9, s) + 1000 * first).tolist()


@D.kernel
def cheap_or_dear(out, a, n):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = t
    old = s[t]
    if a[t] > 0:
        s[t] = old * 3 - n
    again = s[t]
    if a[t] < -5:
        s[t] = again // n
    last = s[t]
    if a[t] > 20:
        s[t] = int(a[64 + t * n])
    out[t] = s[t] + last


def test_values_of_stores(target):
    a = np.concatenate((numbers(64), np.zeros(64, np.float32), numbers(128)))
    out = np.zeros(64, np.int32)
    run(cheap_or_dear, out, a, 3, grid=1, block=64)
    t, b = np.arange(64), a[:64]
    last = np.where(b > 0, 3 * t - 3, np.where(b < -5, t // 3, t))
    stored = np.where(b > 20, a[64 + 3 * t].astype(int), last)
    assert out.tolist() == (stored + last).tolist()


# ------------------------------------------- lanes of a gang that have one element: host forms only
#
# One of these threads stores, the other one only loads; whether it loads what was there before or
# after is open, and unused. What is stored must be there.


@pytest.fixture(params=WIDTHS)
def form(request):
    require(request.param)
    with use_target(request.param):
        yield request.param


@D.kernel
def pairs_of_lanes(out):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = -1
    D.syncthreads()
    old = s[t // 2]
    if t % 2 == 0:
        s[t // 2] = t
    D.syncthreads()
    out[t] = s[t]
    if t % 2 == 0:
        out[t + 64] = old


def test_two_lanes_at_one_element(form):
    out = np.zeros(128, np.int32)
    run(pairs_of_lanes, out, grid=1, block=64)
    assert out[:64].tolist() == list(range(0, 64, 2)) + [-1] * 32


def test_lanes_at_elements_of_their_neighbours(form):
    sorts(threads_that_wait, 64, 64)


@D.kernel
def folded_lanes(out, n):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = -1
    D.syncthreads()
    low = t % 16
    old = s[low]
    if t < n:
        s[low] = t
    D.syncthreads()
    out[t] = s[t] + 0 * old


@pytest.mark.parametrize("n", [1, 5, 16])
def test_lanes_folded_onto_few_elements(form, n):
    out = np.zeros(64, np.int32)
    run(folded_lanes, out, n, grid=1, block=64)
    assert out.tolist() == list(range(n)) + [-1] * (64 - n)


@D.kernel
def folded_at_64(out):
    s = D.shared_array(64, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = -1
    D.syncthreads()
    low = t & 31
    old = s[low]
    if t < 20:
        s[low] = t
    D.syncthreads()
    out[t] = s[t] + 0 * old


def test_lanes_of_wide_gangs_at_one_element(form):
    out = np.zeros(64, np.int32)
    run(folded_at_64, out, grid=1, block=64)
    assert out.tolist() == list(range(20)) + [-1] * 44


# --------------------------------------------------------------------------------- what is compiled


def text(kernel, *arguments, what="ir", target="avx512", **launch):
    return kernel.inspect(*arguments, what=what, target=target, **launch)


def test_one_store_after_the_if():
    out, a = np.zeros(64, np.float32), numbers(64)
    for target, stores in (("avx512", 1), ("avx2", 1), ("sm_90", 2), ("interpreter", 2)):
        ir = text(one_axis, out, a, 64, target=target, grid=2, block=32)
        assert ir.count("  store ") == stores


@D.kernel
def on_global(a, c):
    i = D.tid(1)
    old = a[i]
    if c[i] > 0:
        a[i] = old + 1


def test_arrays_in_global_memory_are_stored_to_only_where_the_kernel_says_so():
    ir = text(on_global, numbers(64), numbers(64), grid=2, block=32)
    assert "\n  if " in ir
    assert "\n    store " in ir
    assert "select" not in ir


@pytest.mark.parametrize("kernel", [bitonic_sort, odd_even_sort])
def test_an_exchange_has_no_mask(kernel):
    out, a = np.zeros(128, np.float32), numbers(128)
    for target in ("avx512", "avx2"):
        ir = text(kernel, out, a, target=target, grid=1, block=64)
        assert "select" in ir
    ir = text(kernel, out, a, target="interpreter", grid=1, block=64)
    assert "select" not in ir
