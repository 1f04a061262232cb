"""Lanes that go through rows of their own, and ask for the next gang's rows ahead of time."""

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


def test_what_is_asked_for():
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
    behind = ", ".join(f"i32 {lane}" for lane in [*range(1, 32), 31])
    assert re.search(rf"{last_lanes} = shufflevector .*<{before}>", text)
    assert re.search(rf"{first_lanes} = shufflevector .*<{behind}>", text)
    step = together["step"]
    assert re.search(
        rf"{number} = load i64, ptr %ahead, align 8\n *{number} = add i64 \1, {step}\n"
        r" *store i64 \2, ptr %ahead, align 8\n",
        text,
    ), "each iteration goes on"
    asked = re.findall(rf"call void @llvm.prefetch.p0\(ptr {number}, i32 0, i32 2, i32 1\)", text)
    assert len(asked) == 4, "128 bytes for each of two loads of value"
    assert re.search(rf"{asked[0]} = getelementptr i32, ptr {number}, i64 {number}", text)
    assert re.search(rf"{asked[1]} = getelementptr i8, ptr {asked[0]}, i64 64", text)
