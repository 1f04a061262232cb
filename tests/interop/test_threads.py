"""Many threads launching: right results, one compilation for each kernel and signature."""

import os
import sys
import threading

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.kernels import spin

THREADS = 8
LAUNCHES = 12_500 if os.environ.get("CUDA_DEVICE_LONG_TESTS") else 200  # of a thread


@pytest.fixture(autouse=True)
def quick_switches():
    """Lets Python switch threads often, so that races show."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def in_threads(work):
    """Runs work(index) in all threads at once; raises the first error."""
    barrier = threading.Barrier(THREADS)
    errors = []

    def body(index):
        try:
            barrier.wait()
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def make_kernel(factor):
    @D.kernel
    def kernel(out, a):
        i = D.tid(1)
        if i < out.size:
            out[i] = a[i] * factor

    return kernel


def compilations():
    return _testing.counters()["compilations"]


def zeros(n, past_line):
    """float32, beginning so many elements after a 64-byte line."""
    raw = np.zeros(4 * n + 128, dtype=np.uint8)
    start = -raw.ctypes.data % 64 + 4 * past_line
    return raw[start : start + 4 * n].view(np.float32)


def check(kernel, factor, n=10_000, places=(0, 0), **options):
    out, a = (zeros(n, past_line) for past_line in places)
    a[:] = np.arange(n)
    D.launch(kernel, out, a, grid=(n + 127) // 128, block=128, **options)
    return out, a * np.float32(factor)


def test_one_kernel_in_all_threads_compiles_once():
    kernel = make_kernel(3)
    before = compilations()

    def work(index):
        for i in range(20):
            out, expected = check(kernel, 3, places=(i % 16, index))
            assert np.array_equal(out, expected)

    in_threads(work)
    assert compilations() == before + 1


def test_a_kernel_for_each_thread_compiles_each_once():
    kernels = [make_kernel(i) for i in range(THREADS)]
    before = compilations()

    def work(index):
        for shift in range(THREADS):
            number = (index + shift) % THREADS
            out, expected = check(kernels[number], number)
            assert np.array_equal(out, expected)

    in_threads(work)
    assert compilations() == before + THREADS


def test_signatures_of_one_kernel():
    kernel = make_kernel(2)
    dtypes = [np.int32, np.float32, np.float64, np.uint8]
    before = compilations()

    def work(index):
        for shift in range(len(dtypes)):
            dtype = dtypes[(index + shift) % len(dtypes)]
            a, out = np.zeros(100, dtype), np.zeros(100, dtype)
            a[:] = np.arange(100)
            D.launch(kernel, out, a, grid=1, block=128)
            assert np.array_equal(out, a * dtype(2))

    in_threads(work)
    assert compilations() == before + len(dtypes)


def test_a_stream_for_each_thread():
    kernel = make_kernel(5)
    device = D.core.Device("host")

    def work(index):
        stream = device.create_stream()
        results = [check(kernel, 5, n=1000 + index, stream=stream) for _ in range(50)]
        stream.sync()
        for out, expected in results:
            assert np.array_equal(out, expected)

    in_threads(work)


def test_one_stream_for_all_threads():
    kernel = make_kernel(7)
    stream = D.core.Device("host").create_stream()
    results = []

    def work(index):
        for _ in range(25):
            results.append(check(kernel, 7, n=500, stream=stream))

    in_threads(work)
    stream.sync()
    assert len(results) == 25 * THREADS
    for out, expected in results:
        assert np.array_equal(out, expected)


def test_other_threads_run_while_one_compiles_and_runs():
    """The GIL is released: a thread counts on while a long kernel runs."""

    done = threading.Event()
    counts = []

    def count():
        n = 0
        while not done.is_set():
            n += 1
        counts.append(n)

    a = np.ones(1, dtype=np.uint32)
    D.launch(spin, a, 1, grid=1, block=1)
    thread = threading.Thread(target=count)
    thread.start()
    D.launch(spin, a, 100_000_000, grid=1, block=1)
    done.set()
    thread.join()
    assert counts[0] > 10_000


@D.kernel
def adds(counts, value):
    D.atomic_ref(counts, D.tid(1) % counts.size).add(value)


@D.kernel
def adds_by_swaps(counts, value):
    ref = D.atomic_ref(counts, D.tid(1) % counts.size)
    seen = ref.load("relaxed")
    before = ref.cas(seen, seen + value)
    while before != seen:
        seen = before
        before = ref.cas(seen, seen + value)


@D.kernel
def takes_turns(counts, tickets):
    """A ticket for each thread; each is given once."""
    taken = D.atomic_ref(tickets, 0).add(1, "relaxed", "device")
    D.atomic_ref(counts, D.int64(taken) % counts.size).add(1)


def random_launches(seed, shared, tickets, streams):
    """Launches of one thread on arrays that all threads share; what they add, and take."""
    rng = np.random.default_rng(seed)
    added = np.zeros(shared.size, np.int64)
    taken = 0
    for _ in range(LAUNCHES):
        grid, block = int(rng.integers(1, 6)), int(rng.integers(1, 100))
        options = {"grid": grid, "block": block}
        if rng.random() < 0.3:
            options["stream"] = streams[int(rng.integers(len(streams)))]
        kind = rng.integers(5)
        if kind == 0:
            D.launch(takes_turns, shared[shared.size // 2 :], tickets, **options)
            taken += grid * block
            continue
        size, value = int(rng.integers(1, shared.size // 2)), int(rng.integers(-9, 9))
        D.launch(adds if kind < 3 else adds_by_swaps, shared[:size], value, **options)
        added[:size] += value * np.bincount(np.arange(grid * block) % size, minlength=size)
    return added, taken


def test_random_launches_of_shared_atomics():
    shared, tickets = np.zeros(64, np.int64), np.zeros(1, np.int32)
    streams = [D.core.Device("host").create_stream() for _ in range(3)]
    done = [None] * THREADS

    def work(index):
        done[index] = random_launches(index, shared, tickets, streams)

    in_threads(work)
    for stream in streams:
        stream.sync()
    half = shared.size // 2
    taken = sum(count for _, count in done)
    assert tickets[0] == taken
    assert shared[:half].tolist() == sum(added for added, _ in done)[:half].tolist()
    assert shared[half:].tolist() == np.bincount(np.arange(taken) % half, minlength=half).tolist()
