"""Operations of a warp as instructions: of PTX, and of each host form."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run


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


@D.kernel
def indexed(a, b, lanes):
    t = D.thread_idx.x
    lane = lanes[t]
    b[t] = a[t]
    lanes[t + 32] = lane


@D.kernel
def by_lanes(a, b, lanes):
    t = D.thread_idx.x
    lane = lanes[t]
    b[t] = D.shfl_sync(-1, a[t], lane)
    lanes[t + 32] = lane


@D.kernel
def marked(a, b):
    v = a[D.thread_idx.x]
    b[D.thread_idx.x] = v
    b[32] = 3


@D.kernel
def balloted_into_memory(a, b):
    v = a[D.thread_idx.x]
    b[D.thread_idx.x] = v
    b.view(D.int32)[32] = D.ballot_sync(-1, lambda: v > 0)


LANES = np.zeros(64, np.int32)


# For two registers of 16 lanes each. What a kernel takes without is subtracted.
@pytest.mark.parametrize(
    ("kernel", "without", "more", "form", "most"),
    [
        (by_a_constant, copied, (), "avx512", 2),  # loads are operands of shuffles
        (by_a_constant, copied, (), "avx2", 4),
        (by_a_number, copied, (3,), "avx512", 6),
        (by_a_number, copied, (3,), "avx2", 50),  # 46 where LLVM tunes for AMD's CPUs
        (by_lanes, indexed, (LANES,), "avx512", 4),
        (by_lanes, indexed, (LANES,), "avx2", 48),  # 44
        (balloted, compared, (), "avx512", 8),
        (balloted, compared, (), "avx2", 16),
        (balloted_into_memory, marked, (), "avx512", 4),  # the comparison too
        (balloted_into_memory, marked, (), "avx2", 13),
    ],
    ids=lambda x: x.__name__ if hasattr(x, "__name__") else str(x),
)
def test_few_instructions(kernel, without, more, form, most):
    a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
    took = len(instructions(kernel, a, b, *more, form=form))
    base = len(
        instructions(without, a, b, *more[: len(more) if without is indexed else 0], form=form)
    )
    assert took - base <= most, took - base


# What moves lanes, or puts those of two registers into one.
MOVES = re.compile(
    r"vp?perm\w*|vp?shuf\w*|vp?align\w*|vp?unpck\w*|vp?blend\w*|vmovs[hl]dup|vmovddup|vinsert\w*"
    r"|vextract\w*|v?p?broadcast\w*|vmovl?hps|vps[rl]l\w*"
)


def moves_of(kind, number, form):
    """The instructions that move lanes, of a shuffle by a constant."""

    @D.kernel
    def moved(a, b):
        t = D.thread_idx.x
        if kind == "up":
            b[t] = D.shfl_up_sync(-1, a[t], number)
        elif kind == "down":
            b[t] = D.shfl_down_sync(-1, a[t], number)
        elif kind == "xor":
            b[t] = D.shfl_xor_sync(-1, a[t], number)
        else:
            b[t] = D.shfl_sync(-1, a[t], number)

    a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
    lines = instructions(moved, a, b, form=form)
    return [line for line in lines if MOVES.match(line.split()[0])]


@pytest.mark.parametrize(
    ("kind", "numbers", "most"),
    [
        ("up", (1, 2, 3, 8, 16, 31), 2),
        ("down", (1, 2, 3, 8, 16, 31), 2),
        ("xor", range(1, 32), 2),
        ("to one", (0, 7, 31), 1),
    ],
)
def test_a_shuffle_by_a_constant_moves_each_register_once(kind, numbers, most):
    for number in numbers:
        moves = moves_of(kind, number, "avx512")
        assert len(moves) <= most, (number, moves)


@pytest.mark.parametrize(
    ("kind", "numbers", "most"),
    [
        ("xor", (1, 2, 3, 4, 12, 24), 4),
        ("xor", (8, 16), 0),
        ("xor", (5, 15, 31), 8),
        ("up", (1, 2, 3), 10),
        ("down", (16,), 0),
        ("to one", (0, 7, 31), 1),
    ],
)
def test_a_shuffle_by_a_constant_in_registers_of_eight(kind, numbers, most):
    for number in numbers:
        moves = moves_of(kind, number, "avx2")
        assert len(moves) <= most, (number, moves)


@D.kernel
def where_any(a, b):
    v = a[D.thread_idx.x]
    b[D.thread_idx.x] = v
    if D.any_sync(-1, lambda: v > 0):
        b[32] = 3


@D.kernel
def where_all(a, b):
    v = a[D.thread_idx.x]
    b[D.thread_idx.x] = v
    if D.all_sync(-1, lambda: v > 0):
        b[32] = 3


# What is no part of a vote: copying, comparisons of lanes, and the loop over the blocks.
NO_VOTE = re.compile(
    r"vmovups|vxorps|vcmp[a-z]+ps|movq\s+\d*\(|movl\s+\$\d+, 128\("
    r"|incq|cmpq\s+%rcx, %rdx|j[a-z]+\s|vzeroupper|retq"
)


# From the comparisons, one for each register, to the jump: a mask of two words is one, goes to a
# general register, and is tested. Where there are no mask registers, four registers are packed into
# one of bytes first.
@pytest.mark.parametrize("kernel", [where_any, where_all], ids=["any", "all"])
@pytest.mark.parametrize(("form", "most"), [("avx512", 3), ("avx2", 8)])
def test_a_vote_is_a_mask_and_a_test(kernel, form, most):
    a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
    lines = [line.strip() for line in instructions(kernel, a, b, form=form)]
    comparisons = [line for line in lines if re.match(r"vcmp", line)]
    assert len(comparisons) == {"avx512": 2, "avx2": 4}[form]
    found = [line for line in lines if not NO_VOTE.match(line)]
    assert 1 <= len(found) <= most, found


@D.kernel
def butterfly_sum(a, out):
    i = D.block_idx.x * D.block_dim.x + D.thread_idx.x
    v = a[i]
    for d in (16, 8, 4, 2, 1):
        v += D.shfl_xor_sync(0xFFFFFFFF, v, d)
    out[i] = v


# 32 lanes are two vectors, and both get the same sum. Written by hand: one addition, and then four
# shuffles, each with an addition.
def test_butterfly_sum_takes_what_hand_written_code_takes():
    a = np.arange(32, dtype=np.float32)
    out = np.zeros_like(a)
    text = butterfly_sum.inspect(a, out, what="asm", target="avx512", grid=1, block=32)
    assert len(re.findall(r"\tvaddps\b.*zmm", text)) == 5
    assert (
        len(re.findall(r"\tvp?(?:shuf|perm|unpck|align|extract|insert|blend)\w*\b.*zmm", text)) == 4
    )
    assert "%k" not in text
    run(butterfly_sum, a, out, grid=1, block=32)
    assert (out == a.sum()).all()
