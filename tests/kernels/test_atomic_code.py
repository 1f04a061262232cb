"""The code of atomic operations on the host: where all lanes meet, one locked instruction."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.sources import executed

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


# --- what an order costs, and what it keeps ---


def straight(*statements):
    """A kernel of one thread."""
    lines = ["def kernel(a, flag, out):", "ref = D.atomic_ref(flag, 0)", *statements]
    return D.kernel(executed("\n    ".join(lines) + "\n")["kernel"])


# A loop like this one is for threads one by one.
WAITS = "while D.atomic_ref(out, 7).load('relaxed') == 0: pass"
PLANS = {"gangs": (), "threads": (WAITS,)}


@pytest.mark.parametrize("form", ["avx512", "avx2", "sse4"])
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(
    ("statement", "locked"),
    [
        *[(f"D.threadfence('{order}')", 0) for order in ("relaxed", "acquire", "acq_rel")],
        *[("D.threadfence()", 1), ("D.threadfence('seq_cst', 'block')", 1)],
        *[("ref.store(1)", 1), ("ref.store(1, 'release')", 0), ("ref.store(1, 'relaxed')", 0)],
        *[("out[0] = ref.load()", 0), ("out[0] = ref.load('acquire')", 0)],
        *[("ref.add(1, 'relaxed', 'block')", 1), ("out[0] = ref.exch(2, 'release')", 1)],
        *[("out[0] = ref.cas(1, 2, 'acquire')", 1), ("ref.add(1, scope='thread')", 0)],
    ],
)
def test_locked_instructions_of_orders(statement, locked, plan, form):
    """A store that is sequentially consistent is an exchange, and a fence a locked instruction; all
    other orders of loads, stores and fences cost none."""
    kernel = straight(*PLANS[plan], statement)
    assert plan in kernel.inspect(INTS, INTS, INTS, what="plan", target=form, grid=1, block=1)
    text = kernel.inspect(INTS, INTS, INTS, what="asm", target=form, grid=1, block=1)
    found = re.findall(LOCKED + r"|^\s*mfence", text, re.MULTILINE)
    assert len(found) == locked, text


READS = ("x = a[0]", "z = a[0]", "out[0] = x", "out[1] = z")
WRITES = ("a[0] = 1", "a[0] = 2")


@clause("DEV-ORDER-03", "DEV-ORDER-04", "DEV-ORDER-05", "DEV-ORDER-06", "DEV-FENCE-01")
@pytest.mark.parametrize("form", ["avx512", "avx2", "sse4"])
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(
    ("accesses", "between"),
    [
        *[(READS, f"D.threadfence('{order}')") for order in ("acquire", "acq_rel", "seq_cst")],
        *[(READS, f"y = ref.load('{order}')") for order in ("acquire", "consume", "seq_cst")],
        *[(WRITES, f"D.threadfence('{order}')") for order in ("release", "acq_rel", "seq_cst")],
        *[(WRITES, f"ref.store(1, '{order}')") for order in ("release", "seq_cst")],
    ],
)
def test_orders_keep_plain_accesses_apart(accesses, between, plan, form):
    """Another thread may have written before the second read, or read after the first write. The
    compiler makes one access of two where the order is relaxed, or a fence is the thread's own."""
    first, *others = accesses
    kinds = {READS: r" = load i32, ", WRITES: r"^\s*store i32 [12], "}

    def count(statement):
        kernel = straight(*PLANS[plan], first, statement, *others)
        text = kernel.inspect(INTS, INTS, INTS, what="llvm", target=form, grid=1, block=1)
        return len(re.findall(kinds[accesses], text, re.MULTILINE))

    weaker = re.sub("'[a-z_]+'", "'relaxed'", between)
    assert count(between) == count(weaker) + 1


@clause("DEV-ORDER-01", "DEV-ORDER-02", "DEV-ORDER-03", "DEV-ORDER-04", "DEV-ORDER-05")
@pytest.mark.parametrize("form", ["avx512", "sse4"])
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize(
    ("order", "ordering", "of_a_failure"),
    [
        *[("relaxed", "monotonic", "monotonic"), ("consume", "acquire", "acquire")],
        *[("acquire", "acquire", "acquire"), ("release", "release", "monotonic")],
        *[("acq_rel", "acq_rel", "acquire"), ("seq_cst", "seq_cst", "seq_cst")],
    ],
)
def test_orders_of_updates(order, ordering, of_a_failure, plan, form):
    """One instruction for all of them, so the order is only in what the compiler is told."""
    kernel = straight(*PLANS[plan], f"ref.add(1, '{order}')", f"ref.cas(1, 2, '{order}')")
    text = kernel.inspect(INTS, INTS, INTS, what="llvm", target=form, grid=1, block=1)
    assert re.search(rf"atomicrmw add .* {ordering}, align", text), text
    assert re.search(rf"cmpxchg .* {ordering} {of_a_failure}, align", text), text
