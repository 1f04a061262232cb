"""The code of atomic operations on the host: where all lanes meet, one locked instruction."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause

INTS, FLOATS = np.zeros(64, np.int32), np.zeros(64, np.float32)


@D.kernel
def adds(a, out):
    D.atomic_ref(out, 0).add(a[D.thread_idx.x], "relaxed", "device")


@D.kernel
def takes_tickets(a, out):
    a[D.thread_idx.x] = D.atomic_ref(out, 0).add(1)


@D.kernel
def counts(a, out):
    D.atomic_ref(out, a[D.thread_idx.x] & 7).add(1, "relaxed")


@D.kernel
def counts_in_shared_memory(a, out):
    bins = D.shared_array(8, D.int32)
    t = D.thread_idx.x
    if t < 8:
        bins[t] = 0
    D.syncthreads()
    D.atomic_ref(bins, a[t] & 7).add(1, "seq_cst", "block")
    D.syncthreads()
    if t < 8:
        out[t] = bins[t]


@D.kernel
def greatest(a, out):
    D.atomic_ref(out, 0).max(a[D.thread_idx.x])


@D.kernel
def reads(a, out):
    a[D.thread_idx.x] = D.atomic_ref(out, 0).load("acquire")


LOCKED = r"^\s*lock|^\s*xchg\w*\s.*\("


def loops_in(text):
    """How many jumps lead back: one is the loop over gangs or blocks."""
    places = {}
    for number, line in enumerate(text.splitlines()):
        if label := re.match(r"(\.LBB\w+):", line):
            places[label[1]] = number
        elif (jump := re.match(r"\s*j\w+\s+(\.LBB\w+)", line)) and jump[1] in places:
            yield number


@pytest.mark.parametrize("form", ["avx512", "avx2"])
@pytest.mark.parametrize(
    ("kernel", "arrays", "locked", "loops"),
    [
        (adds, (INTS, INTS), 1, 1),
        (takes_tickets, (INTS, INTS), 1, 1),
        (counts, (INTS, INTS), 3, 5),  # lanes that meet the first one at once; the rest; all
        (counts_in_shared_memory, (INTS, INTS), 0, 5),
        (adds, (FLOATS, FLOATS), 1, 3),
        (greatest, (FLOATS, FLOATS), 1, 3),
        (reads, (INTS, INTS), 0, 1),
    ],
)
def test_locked_instructions(kernel, arrays, locked, loops, form):
    text = kernel.inspect(*arrays, what="asm", target=form, grid=1, block=32)
    found = re.findall(LOCKED, text, re.MULTILINE)
    assert len(found) == locked, text
    assert len(list(loops_in(text))) == loops, text


@D.kernel
def moves_pairs(a, b):
    D.atomic_ref(a, 0).store(D.atomic_ref(b, 1).load())


@clause("DEV-ATOM-09", "DEV-ATOM-11")
def test_sixteen_bytes_are_accessed_in_one_step():
    """By what makes it one: aligned vectors of CPUs with AVX, else cmpxchg16b; b128 on GPUs."""
    pairs = D.zeros(2, dtype=D.int64x2, device="cpu")
    for form, load, store in [
        ("avx512", r"vmovdqa\s+16\(%r\w+\), %xmm", r"vmovdqa\s+%xmm\d+, \(%r\w+\)"),
        ("avx2", r"vmovdqa\s+16\(%r\w+\), %xmm", r"vmovdqa\s+%xmm\d+, \(%r\w+\)"),
        ("sse4", r"cmpxchg16b\s+16\(%r\w+\)", r"cmpxchg16b\s+\(%r\w+\)"),
    ]:
        text = moves_pairs.inspect(pairs, pairs, what="asm", target=form, grid=1, block=1)
        assert re.search(load, text), text
        assert re.search(store, text), text
    for architecture in ("sm_75", "sm_90"):
        text = moves_pairs.inspect(pairs, pairs, what="ptx", target=architecture)
        assert "ld.acquire.sys.global.b128" in text
        assert "st.relaxed.sys.global.b128" in text
