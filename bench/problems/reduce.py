"""Sums by a tree in shared memory: one of each block's elements, one over a long stream."""

import numpy as np
from arrays import aligned

from .problem import (
    INTEL,
    Hand,
    Problem,
    WrongResult,
    chunks,
    grid_for,
    of_items,
    require_equal,
    whole_numbers,
)

BLOCK = 256


def reduce_256(quick):
    n = (1 << 16 if quick else 1 << 22) + 77
    blocks = grid_for((n,), (BLOCK,))
    arrays = {"out": aligned(blocks, np.float32), "source": aligned((n,), np.float32)}
    whole_numbers(arrays["source"], 9)
    return of_items(
        *("reduce 256", "block_sums", n, arrays, BLOCK, blocks),
        judge=check_blocks,
        hand=(Hand("hand_block_sums"),),
        wanted=0.4,
        ahead_of=(INTEL,),
        whole_arrays=sum_blocks,
    )


def sum_blocks(out, source):
    np.add.reduceat(source, np.arange(0, source.size, BLOCK), out=out)


def exact_sums(source):
    padded = np.zeros(-(-source.size // BLOCK) * BLOCK)
    padded[: source.size] = source
    return padded.reshape(-1, BLOCK).sum(1)


def check_blocks(p):
    require_equal(p, "out", p.once("sums", lambda: exact_sums(p.arrays["source"])))


def reduce_stream(quick):
    n, parts = (1 << 18, 64) if quick else (1 << 26, 1024)
    arrays = {"out": aligned((parts,), np.float32), "source": aligned((n,), np.float32)}
    whole_numbers(arrays["source"], 10)
    return Problem(
        name="reduce stream",
        kernel="sum_parts",
        unit="GB/s",
        amount=4e-9 * n,
        size=f"n = {n:,} in {parts} parts",
        arrays=arrays,
        outputs=("out",),
        values={"n": n, "parts": parts},
        arguments="out source n",
        block=(BLOCK,),
        grid=(parts,),
        judge=check_total,
        hand=(Hand("hand_sum_parts", arguments="out source n parts"),),
        wanted=0.85,
        ahead_of=(INTEL,),
        whole_arrays=sum_parts,
    )


def sum_parts(out, source):
    np.sum(source.reshape(out.size, -1), axis=1, out=out)


def check_total(p):
    # Which elements make a part is the contestant's choice; every part is exact, so is the total.
    source = p.arrays["source"]
    total = p.once(
        "total", lambda: sum(source[c].sum(dtype=np.float64) for c in chunks(len(source)))
    )
    got = p.arrays["out"].sum(dtype=np.float64)
    if not got == total:
        raise WrongResult(f"reduce stream: the parts make {got}, not {total}")


PROBLEMS = {"reduce 256": reduce_256, "reduce stream": reduce_stream}
