"""Arrays of counts in tables of each worker: which kernels and launches get them, and that nothing
but the time that it takes is another than in the array itself."""

import threading

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from support.launching import run
from support.targets import on_this_machine

# So large that every worker has threads enough for a table, however many workers there are.
GRID, BLOCK = 4, 1024
N = GRID * BLOCK
FORMS = ["avx512", "avx2", "sse4"]
IN_TABLE = "in a table of the worker"


def facts(kernel, *args, form="avx2"):
    return kernel.inspect(*args, what="facts", target=form, grid=GRID, block=BLOCK)


def places(bins, n=N, seed=1):
    return np.random.default_rng(seed).integers(0, bins, n, np.int32)


# --- what they hold ---


@D.kernel
def adds(counts, source):
    D.atomic_ref(counts, source[D.tid(1)]).add(3, "relaxed", "device")


@D.kernel
def subtracts_too(counts, source):
    i = D.tid(1)
    ref = D.atomic_ref(counts, source[i])
    if i % 3 == 0:
        ref.sub(i, "relaxed", "device")
    else:
        ref.add(i, "relaxed", "block")


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_sums(target, dtype):
    source = places(37)
    counts = np.arange(37).astype(dtype) * dtype(1000)
    expected = counts + dtype(3) * np.bincount(source, minlength=37).astype(dtype)
    run(adds, counts, source, grid=GRID, block=BLOCK)
    assert counts.tolist() == expected.tolist()
    i = np.arange(N)
    np.add.at(expected, source, np.where(i % 3 == 0, -i, i).astype(dtype))
    run(subtracts_too, counts, source, grid=GRID, block=BLOCK)
    assert counts.tolist() == expected.tolist()


@D.kernel
def updates(a, o, x, greatest, least, source, values):
    i = D.tid(1)
    k, v = source[i], values[i]
    D.atomic_ref(a, k).and_(~(v & 255), "relaxed", "device")
    D.atomic_ref(o, k).or_(v & 1023, "relaxed", "device")
    D.atomic_ref(x, k).xor(v, "relaxed", "device")
    D.atomic_ref(greatest, k).max(v, "relaxed", "device")
    D.atomic_ref(least, k).min(v, "relaxed", "device")


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_every_operation(target, dtype):
    random = np.random.default_rng(5)
    info = np.iinfo(dtype)
    source, values = places(11), random.integers(info.min, info.max, N, dtype, endpoint=True)
    start = random.integers(info.min, info.max, (5, 12), dtype, endpoint=True)
    found, expected = start.copy(), start.copy()
    run(updates, *found, source, values, grid=GRID, block=BLOCK)
    np.bitwise_and.at(expected[0], source, ~(values & dtype(255)))
    np.bitwise_or.at(expected[1], source, values & dtype(1023))
    np.bitwise_xor.at(expected[2], source, values)
    np.maximum.at(expected[3], source, values)
    np.minimum.at(expected[4], source, values)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("form", FORMS)
def test_facts_say_so(form):
    source = places(37)
    for kernel in (adds, subtracts_too):
        assert IN_TABLE in facts(kernel, np.zeros(37, np.int32), source, form=form)
    arrays = np.zeros((5, 12), np.int64)
    text = facts(updates, *arrays, source, np.zeros(N, np.int64), form=form)
    assert text.count(IN_TABLE) == 5


# --- where their elements are ---


@D.kernel
def adds_in_two_axes(counts, rows, columns):
    i = D.tid(1)
    D.atomic_ref(counts, (rows[i], columns[i])).add(1, "relaxed", "device")


@pytest.mark.parametrize(
    "part",
    [np.s_[:, :], np.s_[::2, 1::3], np.s_[::-1, ::-1], np.s_[5:1:-1, ::4], np.s_[3:4, :]],
)
@pytest.mark.parametrize("transposed", [False, True])
def test_arrays_of_any_strides(target, part, transposed):
    """Elements between those of the array stay as they are."""
    whole = np.arange(9 * 17, dtype=np.int32).reshape(9, 17)
    expected = whole.copy()
    views = [a.T[part] if transposed else a[part] for a in (whole, expected)]
    rows, columns = (places(extent, seed=k) for k, extent in enumerate(views[0].shape))
    run(adds_in_two_axes, views[0], rows, columns, grid=GRID, block=BLOCK)
    np.add.at(views[1], (rows, columns), 1)
    assert whole.tolist() == expected.tolist()


@D.kernel
def adds_to_parts(counts, source):
    i = D.tid(1)
    row, back = counts[i % 3], counts.T[1:, ::-1]
    D.atomic_ref(row, -1 - source[i]).add(1, "relaxed", "device")
    D.atomic_ref(back, (source[i], i % 3)).add(2, "relaxed", "device")


def test_parts_that_the_kernel_makes(target):
    counts, source, i = np.zeros((3, 12), np.int64), places(11), np.arange(N)
    run(adds_to_parts, counts, source, grid=GRID, block=BLOCK)
    expected = np.zeros_like(counts)
    np.add.at(expected, (i % 3, -1 - source), 1)
    np.add.at(expected.T[1:, ::-1], (source, i % 3), 2)
    assert counts.tolist() == expected.tolist()
    assert facts(adds_to_parts, counts, source).count(IN_TABLE) == 2


@D.struct
class Bin:
    weight: float
    count: D.Atomic(int)
    least: D.Atomic(int)


@D.kernel
def counts_members(bins, source):
    i = D.tid(1)
    bins[source[i]].count.add(1, "relaxed", "device")


@D.kernel
def counts_atomics(counts, source):
    i = D.tid(1)
    counts[source[i]].add(1, "relaxed", "device")


def test_atomics_as_elements_and_members(target):
    source = places(20)
    expected = np.bincount(source, minlength=20).tolist()
    counts = D.zeros(20, dtype=D.Atomic(int), device="cpu")
    run(counts_atomics, counts, source, grid=GRID, block=BLOCK)
    assert counts.view(np.int32).tolist() == expected
    assert IN_TABLE in facts(counts_atomics, counts, source)
    bins = D.zeros(20, dtype=Bin, device="cpu")
    bins["weight"] = 2
    run(counts_members, bins, source, grid=GRID, block=BLOCK)
    words = bins.view(np.int32).reshape(20, 3)
    assert words[:, 1].tolist() == expected
    assert (bins["weight"] == 2).all()
    assert not words[:, 2].any()
    assert IN_TABLE in facts(counts_members, bins, source)


@D.kernel
def adds_in_loops(counts, total, source):
    """Under masks, in a loop that threads leave at different times, and all at one element."""
    i = D.tid(1)
    for k in range(source[i] % 5):
        if (i + k) % 3 == 0:
            D.atomic_ref(counts, (source[i] + k) % counts.size).add(1, "relaxed", "device")
        D.atomic_ref(total, 0).add(k, "relaxed", "device")
    if i % 7 == 3:
        return
    D.syncthreads()
    D.atomic_ref(total, 1).add(1, "relaxed", "device")


def test_divergent_code(target):
    counts, total, source = np.zeros(13, np.uint32), np.zeros(2, np.int64), places(1000)
    run(adds_in_loops, counts, total, source, grid=GRID, block=BLOCK)
    expected, sums = np.zeros(13, np.uint32), [0, 0]
    for i, s in enumerate(source.tolist()):
        for k in range(s % 5):
            expected[(s + k) % 13] += (i + k) % 3 == 0
            sums[0] += k
        sums[1] += i % 7 != 3
    assert counts.tolist() == expected.tolist()
    assert total.tolist() == sums


@D.kernel
def adds_to_many(a, b, c, d, e, f, g, h, i, j, source):
    k = source[D.tid(1)]
    for n, array in enumerate((a, b, c, d, e, f, g, h, i, j)):
        D.atomic_ref(array, k).add(n, "relaxed", "device")


def test_many_arrays(target):
    """More than a kernel has tables for."""
    source, arrays = places(5), np.zeros((10, 5), np.int32)
    run(adds_to_many, *arrays, source, grid=GRID, block=BLOCK)
    assert arrays.tolist() == np.outer(np.arange(10), np.bincount(source, minlength=5)).tolist()


# --- what gets none ---


@D.kernel
def uses_the_result(counts, source):
    i = D.tid(1)
    source[i] = D.atomic_ref(counts, source[i]).add(1, "relaxed", "device")


@D.kernel
def reads_it_too(counts, source):
    i = D.tid(1)
    D.atomic_ref(counts, source[i]).add(1, "relaxed", "device")
    source[i] = counts[0]


@D.kernel
def writes_it_too(counts, source):
    i = D.tid(1)
    counts[counts.size - 1] = 7
    D.atomic_ref(counts, source[i]).add(1, "relaxed", "device")


@D.kernel
def for_all_of_the_system(counts, source):
    D.atomic_ref(counts, source[D.tid(1)]).add(1, "relaxed")


@D.kernel
def in_order(counts, source):
    D.atomic_ref(counts, source[D.tid(1)]).add(1, scope="device")


@D.kernel
def releases(counts, source):
    i = D.tid(1)
    D.atomic_ref(counts, source[i]).add(1, "relaxed", "device")
    D.threadfence()
    D.atomic_ref(source, i).store(1, "relaxed", "device")


@D.kernel
def two_operations(counts, source):
    i = D.tid(1)
    if i % 2 == 0:
        D.atomic_ref(counts, source[i]).add(1, "relaxed", "device")
    else:
        D.atomic_ref(counts, source[i]).max(1, "relaxed", "device")


@D.kernel
def exchanges(counts, source):
    D.atomic_ref(counts, source[D.tid(1)]).exch(1, "relaxed", "device")


@D.kernel
def reads_others_in_a_loop(counts, source):
    i = D.tid(1)
    for k in range(3):
        here = D.atomic_ref(source, (i + k) % source.size).load("relaxed", "device")
        D.atomic_ref(counts, here).add(1, "relaxed", "device")


NONE = [
    uses_the_result,
    reads_it_too,
    writes_it_too,
    for_all_of_the_system,
    in_order,
    releases,
    two_operations,
    exchanges,
    reads_others_in_a_loop,
]


@pytest.mark.parametrize("kernel", NONE, ids=lambda kernel: kernel.__name__)
def test_kernels_that_may_tell_the_difference(kernel):
    text = facts(kernel, np.zeros(37, np.int32), places(37))
    assert "atomic" in text
    assert IN_TABLE not in text


def test_floats_have_none():
    """A sum of sums rounds as no order of the additions does."""
    assert IN_TABLE not in facts(adds, np.zeros(37, np.float32), places(37))


def test_threads_one_by_one_have_none():
    @D.kernel(execution="threads")
    def alone(counts, source):
        D.atomic_ref(counts, source[D.tid(1)]).add(1, "relaxed", "device")

    counts, source = np.zeros(37, np.int32), places(37)
    run(alone, counts, source, grid=GRID, block=BLOCK)
    assert counts.tolist() == np.bincount(source, minlength=37).tolist()
    assert IN_TABLE not in facts(alone, counts, source)


@D.kernel
def adds_where_another_says(counts, source, out):
    i = D.tid(1)
    D.atomic_ref(counts, source[i] % counts.size).add(0, "relaxed", "device")
    out[i] = source[i]


def test_arrays_that_overlap_others(target):
    memory = np.arange(N + 5, dtype=np.int32)
    out = np.zeros(N, np.int32)
    run(adds_where_another_says, memory[5:], memory[:N], out, grid=GRID, block=BLOCK)
    assert (out == np.arange(N)).all()
    assert IN_TABLE not in facts(adds_where_another_says, memory[5:], memory[:N], out)
    apart = facts(adds_where_another_says, memory[N:], memory[:N], out)
    assert IN_TABLE in apart


def test_one_array_under_two_names(target):
    @D.kernel
    def both(a, b):
        i = D.tid(1)
        D.atomic_ref(a, i % 4).add(1, "relaxed", "device")
        D.atomic_ref(b, i % 4).max(1000 * (i % 4), "relaxed", "device")

    a = np.zeros(4, np.int32)
    run(both, a, a, grid=GRID, block=BLOCK)
    assert a[0] == N // 4
    assert (a[1:] >= 1000 * np.arange(1, 4)).all()
    assert IN_TABLE not in facts(both, a, a)


def test_launches_too_small_and_arrays_too_large(target):
    """They have code for a table and none; and arrays of no elements."""
    for bins, grid, block in [(37, 1, 32), (1 << 19, GRID, BLOCK), (1 << 16, 1, 64)]:
        counts, source = np.zeros(bins, np.int32), places(bins, grid * block)
        run(adds, counts, source, grid=grid, block=block)
        assert (counts == 3 * np.bincount(source, minlength=bins)).all()

    @D.kernel
    def none(counts):
        if counts.size > 0:
            D.atomic_ref(counts, 0).add(1, "relaxed", "device")

    run(none, np.zeros(0, np.int32), grid=GRID, block=BLOCK)


def test_the_switch(monkeypatch):
    def make():
        @D.kernel
        def counting(counts, source):
            D.atomic_ref(counts, source[D.tid(1)]).add(1, "relaxed", "device")

        return counting

    counts, source = np.zeros(37, np.int32), places(37)
    assert IN_TABLE in facts(make(), counts, source)
    monkeypatch.setenv("CUDA_DEVICE_TUNING", "-worker_tables")
    assert IN_TABLE not in facts(make(), counts, source)


# --- what else may happen ---


def test_failures(target):
    """What had been counted is in the array, and the next launch begins with nothing."""
    if target == "cuda":
        pytest.skip("for other targets: a raise ends a GPU's context")

    @D.kernel
    def fails(counts, source, bad):
        i = D.tid(1)
        D.atomic_ref(counts, source[i]).add(1, "relaxed", "device")
        if i == bad:
            raise ValueError("in the middle")

    source = places(37, 64 * BLOCK)
    counts = np.zeros(37, np.int32)
    exact = np.bincount(source, minlength=37)
    with pytest.raises(ValueError, match="in the middle"):
        run(fails, counts, source, 2000, grid=64, block=BLOCK)
    assert 0 < counts.sum() <= exact.sum()
    assert (counts <= exact).all()
    for round_ in range(1, 4):
        before = counts.copy()
        run(fails, counts, source, -1, grid=64, block=BLOCK)
        assert (counts - before == exact).all(), round_


@pytest.mark.parametrize("form", FORMS)
def test_launches_at_the_same_time(form):
    """From threads of the program and on streams, all into one array."""
    source, counts = places(300, 64 * BLOCK), np.zeros(300, np.int64)
    rounds, launchers = 20, 3

    def launch(stream):
        from cuda.device._testing import use_target

        with use_target(on_this_machine(form)):
            for _ in range(rounds):
                D.launch(adds, counts, source, grid=64, block=BLOCK, stream=stream)

    streams = [core.Device("host").create_stream() for _ in range(launchers)]
    threads = [threading.Thread(target=launch, args=(stream,)) for stream in streams]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for stream in streams:
        stream.sync()
    exact = 3 * np.bincount(source, minlength=300)
    assert (counts == rounds * launchers * exact).all()
