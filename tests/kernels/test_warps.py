"""Operations of a warp as instructions: of PTX, and of each host form."""

import re

import numpy as np
import pytest
from cuda import device as D


@D.kernel
def each(a, b, out, by):
    lane = D.lane_id
    mask = D.ballot_sync(-1, lambda: a[lane] > 2)
    if D.any_sync(-1, lambda: a[lane] > by) and D.all_sync(-1, lambda: a[lane] > 1):
        mask |= D.match_any_sync(-1, a[lane])
    mask ^= D.match_all_sync(-1, b[lane])[0] if D.eq_sync(-1, lambda: a[lane] > 7) else mask
    x = D.shfl_sync(-1, a[lane], by) + D.shfl_up_sync(-1, a[lane], 1)
    y = D.shfl_down_sync(-1, b[lane], 1) + D.shfl_xor_sync(-1, b[lane], by)
    D.syncwarp()
    out[lane] = x + y
    out[lane + 32] = D.popc(mask & D.activemask())


@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_ptx_has_an_instruction_for_each(architecture):
    a, b = np.zeros(64, np.float32), np.zeros(64)
    ptx = each.inspect(a, b, b.copy(), 3, what="ptx", target=architecture, grid=1, block=32)
    for instruction, count in {
        "vote.sync.ballot.b32": 1,
        "vote.sync.any.pred": 1,
        "vote.sync.all.pred": 1,
        "vote.sync.uni.pred": 1,
        "match.any.sync.b32": 1,
        "match.all.sync.b64": 1,
        "shfl.sync.idx.b32": 1,
        "shfl.sync.up.b32": 1,
        "shfl.sync.down.b32": 2,  # a float64 goes in halves
        "shfl.sync.bfly.b32": 2,
        "bar.warp.sync": 1,
        "activemask.b32": 1,
    }.items():
        assert len(re.findall(rf"{re.escape(instruction)}\b", ptx)) == count, instruction
    assert "trap" not in ptx


def instructions(kernel, *arguments, form):
    """The machine code of a kernel, without directives and labels."""
    text = kernel.inspect(*arguments, what="asm", target=form, grid=1, block=32)
    return [line for line in text.splitlines() if re.match(r"\s+[a-z]\w*(\s|$)", line)]


@D.kernel
def copied(a, b):
    b[D.thread_idx.x] = a[D.thread_idx.x]


@D.kernel
def by_a_constant(a, b):
    b[D.thread_idx.x] = D.shfl_xor_sync(-1, a[D.thread_idx.x], 5)


@D.kernel
def by_a_number(a, b, n):
    b[D.thread_idx.x] = D.shfl_xor_sync(-1, a[D.thread_idx.x], n)


@D.kernel
def compared(a, b):
    b[D.thread_idx.x] = a[D.thread_idx.x]
    if D.thread_idx.x == 0:
        b[32] = 3


@D.kernel
def balloted(a, b):
    v = a[D.thread_idx.x]
    b[D.thread_idx.x] = v
    lanes = D.ballot_sync(-1, lambda: v > 0)
    if D.thread_idx.x == 0:
        b[32] = int(lanes)


# For two registers of 16 lanes each. What a kernel takes without is subtracted.
@pytest.mark.parametrize(
    ("kernel", "without", "more", "form", "most"),
    [
        (by_a_constant, copied, (), "avx512", 4),
        (by_a_constant, copied, (), "avx2", 16),
        (by_a_number, copied, (3,), "avx512", 9),
        (by_a_number, copied, (3,), "avx2", 60),
        (balloted, compared, (), "avx512", 8),
        (balloted, compared, (), "avx2", 16),
    ],
    ids=lambda x: x.__name__ if hasattr(x, "__name__") else str(x),
)
def test_few_instructions(kernel, without, more, form, most):
    a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
    took = len(instructions(kernel, a, b, *more, form=form))
    base = len(instructions(without, a, b, form=form))
    assert took - base <= most, took - base
