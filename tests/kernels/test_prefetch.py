"""Prefetches: of what the next gang, iteration or page of an array holds."""

import math
import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.launching import run
from support.targets import require


@D.kernel
def row_sums(out, first, last, value):
    row = D.tid(1)
    if row < out.size:
        total = 0
        for k in range(first[row], last[row]):
            if value[k] == 99:
                continue
            total += value[k]
            if total > 3000:
                break
        out[row] = total


def in_turn(counts, random):
    last = np.cumsum(counts, dtype=np.int32)
    return last - counts, last


def anywhere(counts, random):
    first = random.integers(0, 500, counts.size)
    return first.astype(np.int32), (first + counts).astype(np.int32)


def backwards(counts, random):
    first, last = in_turn(counts, random)
    return first[::-1].copy(), last[::-1].copy()


def expected(first, last, value):
    sums = []
    for row in range(first.size):
        total = 0
        for k in range(first[row], last[row]):
            if value[k] == 99:
                continue
            total += value[k]
            if total > 3000:
                break
        sums.append(total)
    return np.array(sums)


@pytest.mark.parametrize("layout", [in_turn, anywhere, backwards])
@pytest.mark.parametrize("rows", [1, 31, 64, 300])
def test_rows_wherever_they_lie(target, rows, layout):
    random = np.random.default_rng(rows)
    counts = random.integers(0, 40, rows).astype(np.int32)
    first, last = layout(counts, random)
    value = random.integers(0, 200, max(int(last.max()), 1)).astype(np.int32)
    out = np.zeros(rows, np.int32)
    with _testing.beyond_cache(1):
        run(row_sums, out, first, last, value, grid=3, block=128)
    np.testing.assert_array_equal(out, expected(first, last, value))


def test_rows_of_the_next_lanes_are_prefetched():
    """From where the last lane stops, if each lane starts where the one before it stops; in each
    iteration as many elements as the gang has lanes."""
    require("avx512")
    arrays = [np.zeros(300, np.int32) for _ in range(4)]
    with _testing.beyond_cache(1):
        text = row_sums.inspect(*arrays, what="llvm_raw", target="avx512x32", grid=3, block=128)
    number = r"(%[\w.]+)"
    together = re.search(
        rf"icmp ne <32 x i32> {number}, {number}\n.*reduce.or.*\n"
        rf".*xor i1 {number}, true\n.*extractelement <32 x i32> {number}, i64 31\n"
        rf".*sext i32 {number} to i64\n *(?P<step>%\d+) = select i1 {number}, i64 32, i64 0\n"
        rf".*sub i64 {number}, 32\n.*select i1 {number}, i64 {number}, i64 0\n",
        text,
    )
    assert together
    last_lanes, first_lanes = together[1], together[2]
    before = ", ".join(f"i32 {lane}" for lane in [*range(31), 30])
    after = ", ".join(f"i32 {lane}" for lane in [*range(1, 32), 31])
    assert re.search(rf"{last_lanes} = shufflevector .*<{before}>", text)
    assert re.search(rf"{first_lanes} = shufflevector .*<{after}>", text)
    step = together["step"]
    assert re.search(
        rf"{number} = load i64, ptr %ahead, align 8\n *{number} = add i64 \1, {step}\n"
        r" *store i64 \2, ptr %ahead, align 8\n",
        text,
    ), "each iteration goes on"
    prefetched = re.findall(
        rf"call void @llvm.prefetch.p0\(ptr {number}, i32 0, i32 2, i32 1\)", text
    )
    assert len(prefetched) == 4, "128 bytes for each of two loads of value"
    assert re.search(rf"{prefetched[0]} = getelementptr i8, ptr {number}, i64 {number}", text)
    assert re.search(rf"{prefetched[1]} = getelementptr i8, ptr {prefetched[0]}, i64 64", text)


@D.kernel
def strides(out, a, b):
    total = 0.0
    for i in range(D.tid(1), a.size, D.grid_size(1)):
        total += a[i] * b[i]
    out[D.tid(1)] = total


@D.kernel
def once(out, a):
    x, y = D.tid(2)
    out[y, x] = a[y, x]


@D.kernel
def march(out, a, steps):
    held = D.shared_array(32, D.float32)
    t = D.thread_idx.x
    total = 0.0
    for k in range(steps):
        held[t] = a[3 * k, t + 5]
        D.syncthreads()
        total += held[31 - t]
        D.syncthreads()
    out[t] = total


def prefetched_lines(kernel, *arguments, block, form="avx512x32"):
    """The text, and of each line that is prefetched the instruction that makes its address."""
    require(form)
    with _testing.beyond_cache(1):
        text = kernel.inspect(*arguments, what="llvm_raw", target=form, grid=4, block=block)
    second_cache = "i32 0, i32 2, i32 1"
    prefetched = re.findall(rf"call void @llvm.prefetch.p0\(ptr (%[\w.]+), {second_cache}\)", text)
    assert len(prefetched) == text.count("call void @llvm.prefetch")
    return text, [re.search(rf"{re.escape(name)} = (.*)", text)[1] for name in prefetched]


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(("kind", "most"), [(np.float32, 1024), (np.float64, 512)])
def test_grid_stride_loops_prefetch_for_the_next_gang(kind, most):
    """Behind what this one reads, if it reads no more than 256 KiB in all: 1024 iterations of
    32 lanes and two arrays of float32."""
    arrays = [np.zeros(300, kind) for _ in range(3)]
    text, prefetched = prefetched_lines(strides, *arrays, block=64)
    number = r"%[\w.]+"
    assert re.search(
        rf"({number}) = mul i64 {number}, {most}\n"
        rf" *({number}) = icmp sle i64 {number}, \1\n"
        rf" *({number}) = select i1 \2, i64 32, i64 0\n *store i64 \3, ptr %ahead",
        text,
    )
    bytes_ = np.dtype(kind).itemsize
    firsts = [
        re.fullmatch(rf"getelementptr i8, ptr {number}, i64 ({number})", a) for a in prefetched
    ]
    counts = [re.search(rf"{m[1]} = mul i64 {bytes_}, ({number})\n", text) for m in firsts if m]
    assert len(counts) * 32 * bytes_ // 64 == len(prefetched) > 0, "each line of each load"
    assert all(re.search(rf"{c[1]} = load i64, ptr %ahead", text) for c in counts)


def test_the_stride_is_the_array_s_own():
    arrays = [np.zeros(300, np.float32), *(np.zeros(600, np.float32)[::2] for _ in range(2))]
    text, prefetched = prefetched_lines(strides, *arrays, block=64)
    assert prefetched
    assert not re.search(r"mul i64 4, ", text)


def test_rows_prefetch_the_next_page():
    page, second = r"getelementptr i8, ptr %\d+, i64 4096", r"getelementptr i8, ptr %\d+, i64 64"
    source = read_only(np.zeros((64, 64), np.float32))
    _, prefetched = prefetched_lines(once, np.zeros((64, 64)), source, block=(32, 8))
    assert prefetched
    for first, then in zip(prefetched[::2], prefetched[1::2], strict=True):
        assert re.fullmatch(page, first)
        assert re.fullmatch(second, then)


def test_the_next_iteration_prefetches_the_last_line_too():
    _, prefetched = prefetched_lines(
        march, np.zeros(32), np.zeros((99, 64), np.float32), 7, block=32
    )
    after = [re.search(r"i64 (\S+)$", address)[1] for address in prefetched]
    assert after[1:] == ["64", "127"]


@D.kernel
def long_work(out, a, b):
    i = D.tid(1)
    if i < out.size:
        out[i] = math.exp(a[i]) * math.log(b[i])


@D.kernel
def short_work(out, a, b):
    i = D.tid(1)
    if i < out.size:
        out[i] = a[i] * b[i]


# Counts of prefetched lines, in the code of whole gangs: two arrays, 128 bytes of each.
def prefetches(kernel, form):
    arrays = np.zeros((3, 1000), np.float32)
    text = kernel.inspect(*arrays, what="llvm_raw", target=form, grid=4, block=256)
    prefetched = re.findall(r"getelementptr i8, ptr %[\w.]+, i64 4096\n", text)
    return len(prefetched), len(re.findall("call void @llvm.prefetch", text))


@pytest.mark.parametrize("form", ["avx512x32", "avx2x32", "sse4x32"])
def test_gangs_that_compute_for_long_prefetch_the_next_page(form):
    prefetched, lines = prefetches(long_work, form)
    assert prefetched >= 2
    assert lines == 2 * prefetched
    assert prefetches(short_work, form) == (0, 0)


@D.kernel
def scattered(table, keys, weight):
    i = D.tid(1)
    if i < weight.size:
        D.atomic_ref(table, (D.uint32(keys[i]) * D.uint32(2654435769)) % 1000).add(weight[i])


@D.kernel
def scattered_twice(table, keys, weight, names):
    """By a table of names, and with fewer keys than threads would look for."""
    i = D.int32(D.block_idx.x * D.block_dim.x + D.thread_idx.x)
    for k in range(2):
        if i < weight.size:
            D.atomic_ref(table, names[keys[i]] + k).add(weight[i])


@pytest.mark.parametrize("n", [1, 31, 32, 33, 300, 511])
def test_places_that_data_decide(target, n):
    random = np.random.default_rng(n)
    keys = random.integers(0, 100, n).astype(np.int32)
    weight = random.integers(0, 9, n).astype(np.float32)
    names = random.permutation(999)[:100].astype(np.int64)
    for kernel, more, places in (
        (scattered, (), [keys.astype(np.uint32) * np.uint32(2654435769) % 1000]),
        (scattered_twice, (names,), [names[keys], names[keys] + 1]),
    ):
        table, wanted = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
        for each in places:
            np.add.at(wanted, each, weight)
        with _testing.beyond_cache(1):
            run(kernel, table, keys, weight, *more, block=128, grid=4)
        np.testing.assert_array_equal(table, wanted)


@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_the_places_of_the_next_gang_are_prefetched(form):
    table, keys = np.zeros(1000, np.float32), np.zeros(300, np.int32)
    arguments = (table, keys, np.zeros(300, np.float32))
    with _testing.beyond_cache(1):
        far = scattered.inspect(*arguments, grid=4, block=128, what="asm", target=form)
    near = scattered.inspect(*arguments, grid=4, block=128, what="asm", target=form)
    assert "\tprefetch" in far
    assert "\tprefetch" not in near
