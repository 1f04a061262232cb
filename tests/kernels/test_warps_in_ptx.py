"""Operations of a warp in PTX, with their operands: as a table says, and as nvcc prints them.

What a kernel stores is compared as an expression of its parameters and of what it loads, so that an
operand in the wrong place, another mask, or halves of a number that are exchanged are seen.
"""

import os
import re

import numpy as np
import pytest
from cuda import device as D
from support.cuda_tools import find_nvcc, ptx_by_nvcc
from support.ptx_values import operations_and_stores
from support.sources import executed

LONG = bool(os.environ.get("CUDA_DEVICE_LONG_TESTS"))
ARCHITECTURES = (
    ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] if LONG else ["sm_75", "sm_90", "sm_120"]
)
TYPES = {"int32": "int", "float32": "float", "int64": "long long", "float64": "double"}
MASK, BY = "p2", "p3"
# By operation: CUDA's function, PTX's instruction, and its last but one operand.
SHUFFLES = {
    "shfl_sync": ("__shfl_sync", "idx", 31),
    "shfl_up_sync": ("__shfl_up_sync", "up", 0),
    "shfl_down_sync": ("__shfl_down_sync", "down", 31),
    "shfl_xor_sync": ("__shfl_xor_sync", "bfly", 31),
}
VOTES = {
    "all_sync": ("__all_sync", "all.pred"),
    "any_sync": ("__any_sync", "any.pred"),
    "eq_sync": ("__uni_sync", "uni.pred"),
    "ballot_sync": ("__ballot_sync", "ballot.b32"),
}


class Row:
    """One kernel, (a, out, mask, by): its bodies in both languages, and what it stores."""

    def __init__(self, name, dtype, python, cuda, stored):
        self.name, self.dtype = f"{name}_{dtype}", dtype
        self.python, self.cuda, self.stored = python, cuda, stored

    def in_python(self):
        return (
            f"@D.kernel\ndef {self.name}(a, out, mask, by):\n    t = D.thread_idx.x\n"
            f"    out[t] = {self.python}\n"
        )

    def in_cuda(self):
        c, out = TYPES[self.dtype], "int" if self.of_lanes() else TYPES[self.dtype]
        return (
            f'extern "C" __global__ void {self.name}({c} *a, {out} *out, unsigned mask, int by)'
            " {\n"
            f"  int t = threadIdx.x, all;\n  out[t] = {self.cuda};\n}}\n"
        )

    def of_lanes(self):
        return not self.name.startswith("shfl")

    def compiled(self, kernel, architecture):
        a = np.zeros(32, self.dtype)
        out = np.zeros(32, np.int32) if self.of_lanes() else a.copy()
        options = {"what": "ptx", "target": architecture, "grid": 1, "block": 32}
        return kernel.inspect(a, out, D.WarpMask(5), 3, **options)


def moved(kind, end, dtype, lane, mask):
    def of(value):
        return f"shfl.sync.{kind}.b32({value}, {lane}, {end}, {mask})"

    if dtype.endswith("32"):
        return of("value")
    return f"join({of('low(value)')}, {of('high(value)')})"


def rows():
    for name, (function, kind, end) in SHUFFLES.items():
        for dtype in TYPES:
            yield Row(
                *(name, dtype, f"D.{name}(mask, a[t], by)", f"{function}(mask, a[t], by)"),
                moved(kind, end, dtype, BY, MASK),
            )
            yield Row(
                *(f"{name}_by_a_constant", dtype, f"D.{name}(-1, a[t], 5)"),
                *(f"{function}(-1, a[t], 5)", moved(kind, end, dtype, 5, -1)),
            )
    for name, (function, kind) in VOTES.items():
        yield Row(
            *(name, "int32", f"D.{name}(mask, lambda: a[t] > by)"),
            *(f"{function}(mask, a[t] > by)", f"vote.sync.{kind}(gt(value, {BY}), {MASK})"),
        )
    for dtype in TYPES:
        bits = f"b{dtype[-2:]}(value, {MASK})"
        yield Row(
            *("match_any_sync", dtype, "D.match_any_sync(mask, a[t])"),
            *("__match_any_sync(mask, a[t])", f"match.any.sync.{bits}"),
        )
        yield Row(
            *("match_all_sync", dtype, "D.match_all_sync(mask, a[t])[0]"),
            *("__match_all_sync(mask, a[t], &all)", f"match.all.sync.{bits}"),
        )
    yield Row("activemask", "int32", "D.activemask()", "__activemask()", "activemask.b32()")


ROWS = list(rows())


def operations_in(stored):
    return sorted(
        re.findall(r"(?:shfl|vote|match|activemask)[\w.]*\((?:\w+\([^()]*\)|[^()])*\)", stored)
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_operands(architecture):
    kernels = executed("\n\n".join(row.in_python() for row in ROWS))
    for row in ROWS:
        found = operations_and_stores(row.compiled(kernels[row.name], architecture))
        assert found == (operations_in(row.stored), [row.stored]), row.name


@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_operands_are_nvccs(architecture, tmp_path):
    """The table is nvcc's, and so is what test_operands finds."""
    theirs = ptx_by_nvcc("".join(row.in_cuda() for row in ROWS), architecture, tmp_path)
    for row in ROWS:
        found = operations_and_stores(theirs[row.name])
        assert found == (operations_in(row.stored), [row.stored]), row.name


@D.kernel
def waits(out, mask):
    D.syncwarp(mask)
    D.syncwarp()
    out[0] = 1


WAITS_IN_CUDA = """
extern "C" __global__ void waits(int *out, unsigned mask) {
  __syncwarp(mask);
  __syncwarp();
  out[0] = 1;
}
"""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_syncwarp(architecture, tmp_path):
    wanted = ["bar.warp.sync(-1)", "bar.warp.sync(p1)"], ["1"]
    text = waits.inspect(np.zeros(1, np.int32), D.WarpMask(5), what="ptx", target=architecture)
    assert operations_and_stores(text) == wanted
    if find_nvcc():
        theirs = ptx_by_nvcc(WAITS_IN_CUDA, architecture, tmp_path)
        assert operations_and_stores(theirs["waits"]) == wanted


@D.kernel
def whether_all(a, out, mask):
    lanes, same = D.match_all_sync(mask, a[D.thread_idx.x])
    out[0] = lanes
    out[1] = same


def test_whether_all_match_is_asked_of_the_lanes():
    a, out = np.zeros(32, np.int32), np.zeros(2, np.int32)
    text = whether_all.inspect(a, out, D.WarpMask(5), what="ptx", target="sm_90", block=32)
    match = "match.all.sync.b32(value, p2)"
    assert operations_and_stores(text) == ([match], [match, f"ne({match}, 0)"])


@D.kernel
def moved_at_once(a, out, mask, by):
    out[D.thread_idx.x] = D.shfl_xor_sync(mask, a[D.thread_idx.x], by)


@D.kernel
def matched_at_once(a, out, mask):
    out[D.thread_idx.x] = D.match_any_sync(mask, a[D.thread_idx.x])


# By type: words of 32 bits that are moved, and words of 32 and of 64 that are compared.
WORDS = {
    D.int8x4: (1, 1, 0),
    D.uint8x3: (1, 1, 0),
    D.float8e4m3x2: (1, 1, 0),
    D.int16x2: (1, 1, 0),
    D.bfloat16x2: (1, 1, 0),
    D.float16x4: (2, 0, 1),
    D.float32x2: (2, 0, 1),
    D.complex64: (2, 0, 1),
    D.float64: (2, 0, 1),
    D.int32x3: (None, 1, 1),
    D.float64x2: (None, 0, 2),
}


@pytest.mark.parametrize("dtype", WORDS, ids=lambda t: t.__name__)
def test_small_scalars_share_a_word(dtype):
    moves, *matches = WORDS[dtype]
    a, out = D.zeros(32, dtype=dtype, device="cpu"), np.zeros(32, np.int32)
    options = {"what": "ptx", "target": "sm_90", "grid": 1, "block": 32}
    text = matched_at_once.inspect(a, out, D.WarpMask(5), **options)
    assert [text.count(f"match.any.sync.b{bits}") for bits in (32, 64)] == matches
    if moves:
        text = moved_at_once.inspect(a, a, D.WarpMask(5), 3, **options)
        assert text.count("shfl.sync.bfly.b32") == moves


@D.kernel
def mixed(a, b, flags, out):
    """A scalar of 64 bits stands between those that share a word."""
    t = D.thread_idx.x
    out[t] = D.match_any_sync(-1, (a[t], b[t], flags[t]))


def test_scalars_that_share_a_word_need_not_stand_together():
    a, b, out = np.zeros(32, np.int8), np.zeros(32, np.float64), np.zeros(32, np.int32)
    text = mixed.inspect(a, b, np.zeros(32, bool), out, what="ptx", target="sm_90", block=32)
    assert [text.count(f"match.any.sync.b{bits}") for bits in (32, 64)] == [1, 1]


@pytest.mark.parametrize(
    "dtype", [D.int8x4, D.float8e5m2x4, D.int16x2, D.float16x2], ids=lambda t: t.__name__
)
def test_a_vector_of_a_word_is_never_taken_apart(dtype):
    a = D.zeros(32, dtype=dtype, device="cpu")
    text = moved_at_once.inspect(a, a, D.WarpMask(5), 3, what="ptx", target="sm_90", block=32)
    moved = "shfl.sync.bfly.b32(value, p3, 31, p2)"
    assert operations_and_stores(text) == ([moved], [moved])
