"""Atomic as a type, structs with atomic members, elements of every size (DEV-ATOM, DEV-STRUCT)."""

import copy
import dataclasses
import decimal
import mmap
import os
import pickle
import threading

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run
from support.mutexes import ticket_mutex


@D.struct(align=8)
class Pair:
    x: D.float32
    y: D.int16
    z: bool


@D.struct(align=16)
class Span:
    first: D.int64
    last: D.float64


# --- elements of every size ---


@D.kernel
def moves_of_small(arrays, values, olds):
    """Elements of at most 8 bytes: a thread for each."""
    i = D.thread_idx.x
    for a, x, old in zip(arrays, values, olds):  # noqa: B905 kernels have no strict=
        ref = D.atomic_ref(a, i)
        old[0, i] = ref.exch(x[i])
        old[1, i] = ref.cas(x[i], x[i + 1])
        old[2, i] = ref.cas(x[i], x[i + 2])
        old[3, i] = ref.load("acquire", "device")
        s = D.shared_array(8, a.dtype, align=16)
        s[i] = x[i]
        shared = D.atomic_ref(s, i)
        old[4, i] = shared.exch(x[i + 2], "relaxed", "block")
        shared.cas(x[i + 2], x[i + 1])
        old[5, i] = s[i]
        t = D.local_array((1, 2), a.dtype, align=16)
        t[0, 1] = x[i]
        local = D.atomic_ref(t, (0, 1))
        old[6, i] = local.exch(x[i + 1])
        local.cas(x[i], x[i + 2])
        old[7, i] = local.load()


@D.kernel
def moves_of_all(arrays, values, olds):
    i = D.thread_idx.x
    for a, x, old in zip(arrays, values, olds):  # noqa: B905
        ref = D.atomic_ref(a, i)
        old[0, i] = ref.load()
        ref.store(x[i], memory="release")
        old[1, i] = ref.load("relaxed", "block")
        s = D.shared_array(8, a.dtype, align=16)
        D.atomic_ref(s, i).store(x[i + 1])
        old[2, i] = s[i]
        old[3, i] = D.atomic_ref(s, i).load()
        t = D.local_array(2, a.dtype, align=16)
        D.atomic_ref(t, 1).store(x[i + 2])
        old[4, i] = D.atomic_ref(t, 1).load()


def numbers(dtype, count, start=1):
    """Values that differ, of any dtype."""
    kind = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    if kind.names is None:
        x = (
            np.arange(start, start + count) % 2
            if kind.kind == "b"
            else np.arange(start, start + count)
        )
        return (x * (1 + 2j) if kind.kind == "c" else x).astype(kind)
    a = D.zeros(count, dtype=dtype, device="cpu")
    for k, name in enumerate(kind.names):
        a[name] = numbers(a.dtype[name], count, start + 3 * k)
    return a


SMALL = [
    *(np.bool_, np.int8, np.float16, np.float32, np.uint64, np.complex64),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, D.int8x2, D.uint8x4, D.float32x2, Pair),
]
PAIRS = [np.complex128, D.int64x2, D.float32x4, D.uint16x4, Span]


def operands(dtypes, rows):
    arrays = tuple(numbers(t, 8, 20) for t in dtypes)
    values = tuple(numbers(t, 10) for t in dtypes)
    return arrays, values, tuple(np.zeros((rows, 8), a.dtype) for a in arrays)


@clause("DEV-ATOM-13", "DEV-ATOM-15", "DEV-ATOM-25", "DEV-MEM-14")
def test_exch_and_cas_of_every_type(target):
    arrays, values, olds = operands(SMALL, 8)
    before = [a.copy() for a in arrays]
    run(moves_of_small, arrays, values, olds, block=8)
    for a, x, old, start in zip(arrays, values, olds, before, strict=True):
        x0, x1 = x[:8], x[1:9]
        np.testing.assert_array_equal(old[0], start)
        np.testing.assert_array_equal(old[1], x0)
        np.testing.assert_array_equal(old[2], x1)
        np.testing.assert_array_equal(old[3], x1)
        np.testing.assert_array_equal(a, x1)
        np.testing.assert_array_equal(old[4], x0)
        np.testing.assert_array_equal(old[5], x1)
        np.testing.assert_array_equal(old[6], x0)
        np.testing.assert_array_equal(old[7], x1)


@clause("DEV-ATOM-09", "DEV-ATOM-11", "DEV-MEM-14")
def test_load_and_store_of_every_type(target):
    arrays, values, olds = operands(SMALL + PAIRS, 5)
    before = [a.copy() for a in arrays]
    run(moves_of_all, arrays, values, olds, block=8)
    for a, x, old, start in zip(arrays, values, olds, before, strict=True):
        np.testing.assert_array_equal(old[0], start)
        np.testing.assert_array_equal(old[1], x[:8])
        np.testing.assert_array_equal(a, x[:8])
        np.testing.assert_array_equal(old[2], x[1:9])
        np.testing.assert_array_equal(old[3], x[1:9])
        np.testing.assert_array_equal(old[4], x[2:10])


def stores_beside_loads(in_halves):
    """A kernel of two blocks: one stores two equal numbers, at once or by two stores, and the other
    one counts how often it sees new ones, and how often two that differ."""

    @D.kernel
    def kernel(place, rounds, changes, torn):
        ref = D.atomic_ref(place, 0)
        halves = place.view(D.int64)
        if D.block_idx.x == 0:
            for k in range(rounds):
                if in_halves:
                    D.atomic_ref(halves, 0).store(D.int64(k), "relaxed")
                    D.atomic_ref(halves, 1).store(D.int64(k), "relaxed")
                else:
                    ref.store(D.int64x2(k, k), "relaxed")
        else:
            last, new, different = D.int64(0), D.int32(0), D.int32(0)
            for _ in range(rounds):
                seen = ref.load("relaxed")
                new += 1 if seen.x != last else 0
                different += 1 if seen.x != seen.y else 0
                last = seen.x
            changes[0] += new
            torn[0] += different

    return kernel


AT_ONCE, IN_HALVES = map(stores_beside_loads, (False, True))
RUN_SIDE_BY_SIDE = ("interpreter-seed1", "avx512", "avx2", "sse4", "avx512-threads", "cuda")


def seen_beside(kernel, rounds, is_enough):
    """Numbers that were new and halves that differed, of as many launches as it takes."""
    place, changes, torn = D.zeros(1, dtype=D.int64x2), np.zeros(1, "i4"), np.zeros(1, "i4")
    for _ in range(5000):
        run(kernel, place, rounds, changes, torn, grid=2)
        if is_enough(changes[0], torn[0]):
            break
    assert place["x"][0] == place["y"][0] == rounds - 1
    return int(changes[0]), int(torn[0])


@clause("DEV-ATOM-11")
@pytest.mark.targets(*RUN_SIDE_BY_SIDE)
def test_sixteen_bytes_are_not_torn(target):
    """The blocks run side by side: the same kernel with two stores is seen to tear. What makes one
    access in PTX, test_atomic_code asks."""
    if not target.startswith("interpreter") and len(os.sched_getaffinity(0)) < 2:
        pytest.skip("waits for a second CPU")
    rounds = 400 if target.startswith("interpreter") else 200_000
    _, torn = seen_beside(IN_HALVES, rounds, lambda changes, torn: torn > 0)
    assert torn > 0, "two stores were not seen to be two: this test shows nothing"
    changes, torn = seen_beside(AT_ONCE, rounds, lambda changes, torn: changes >= 1000)
    assert changes >= 1000
    assert torn == 0


# --- Atomic as a type and as an object ---

COUNTER = D.Atomic(D.uint64)


@D.kernel
def counts(out, totals):
    s = D.shared_array(2, D.Atomic(int))
    wide = D.shared_array((2, 2), COUNTER)
    t = D.thread_idx.x
    if t < 2:
        s[t].store(0)
        wide[t, 1].store(D.uint64(0))
    D.syncthreads()
    s[t % 2].add(1)
    last = wide[1]
    last[-1].add(D.uint64(t), memory="relaxed")
    mine = D.Atomic(D.float32)
    zero = mine.load()
    twin = mine
    twin.add(2.5)
    vector = D.Atomic(D.float32x2)
    vector.store(D.float32x2(1, 2))
    D.syncthreads()
    is_ref = isinstance(s[0], D.AtomicRef) and not isinstance(t, D.AtomicRef)
    is_one = is_ref and isinstance(s[0], D.AtomicInterface) and not isinstance(t, D.AtomicInterface)
    same = s[0].dtype == int and wide.dtype.dtype == D.uint64 and mine.dtype == D.float32
    if t == 0 and is_one and same:
        totals[0].add(s[0].load() - s[1].load())
        totals[1].add(D.int32(wide[1, 1].load()))
    out[t] = zero + mine.load() * 10 + vector.load().y


@clause("DEV-ATOM-01", "DEV-ATOM-02", "DEV-ATOM-03", "DEV-ATOM-05", "DEV-MEM-09")
def test_atomic_as_type_and_object(target):
    out, totals = np.zeros(33, np.float32), D.zeros(2, dtype=D.Atomic(int))
    run(counts, out, totals, block=33)
    assert out.tolist() == [27.0] * 33
    assert totals["value"].tolist() == [1, 32 * 33 // 2]


@D.kernel
def begins_anew(out):
    """What the iteration before, and another function's, left is not there."""
    t = D.thread_idx.x
    for k in range(4):
        mine = D.Atomic(int)
        pair = D.Atomic(D.float64x2)
        out[t] += mine.add(7) + D.int32(pair.load().y)
        pair.store(D.float64x2(k + 1, 3))


@clause("DEV-ATOM-03")
def test_an_atomic_begins_at_zero_each_time(target):
    out = np.zeros(40, np.int32)
    run(begins_anew, out, block=40)
    assert not out.any()


def given_and(x):
    y = x + 1
    return y


@D.kernel
def several_at_once(out):
    t = D.thread_idx.x
    first, n, last = D.Atomic(int), given_and(t), D.Atomic(D.float32)
    first.add(n)
    first.add(2)
    last.store(0.5)
    out[t] = first.load() + last.load()


def own_atomics(dtype):
    @D.kernel
    def kernel(out, given):
        mine = D.Atomic(dtype)
        i = D.tid(1)
        if i < out.size:
            mine.store(given[i])
            out[i] = mine.load()

    return kernel


@clause("DEV-ATOM-03", "DEV-MEM-09")
@pytest.mark.parametrize("dtype", [D.float32x2, D.int64x2, D.float64x2, np.complex128, D.int32x4])
def test_each_thread_has_an_atomic_of_its_own(dtype, target):
    """Of 16 bytes too, which are stored as whole records in other memory."""
    numbers = np.dtype(getattr(dtype, "numpy_dtype", dtype))
    given = np.arange(130 * numbers.itemsize // 4, dtype=np.int32).view(numbers)
    out = np.zeros(130, numbers)
    run(own_atomics(dtype), out, given, grid=3, block=64)
    assert out.tobytes() == given.tobytes()


@D.kernel
def zero_again(out, given):
    for i in range(D.tid(1), out.size, 96):
        mine = D.Atomic(D.float32x4)
        if given[i] > 2:
            out[i] = mine.load()
        mine.store(D.float32x4(7, 8, 9, 10))


@clause("DEV-ATOM-03", "DEV-MEM-09")
def test_an_atomic_of_floats_begins_at_zero_and_is_stored_as_integers(target):
    given = (np.arange(300) * 7 % 11).astype(np.int32)
    out = np.full(300, 3, D.float32x4.numpy_dtype)
    run(zero_again, out, given, grid=3, block=32)
    expected = np.where(given > 2, 0, 3)
    for name in out.dtype.names:
        assert out[name].tolist() == expected.tolist()


@clause("DEV-ATOM-03")
def test_several_names_get_atomics_at_once(target):
    out = np.zeros(40, np.float32)
    run(several_at_once, out, block=40)
    assert out.tolist() == [t + 3.5 for t in range(40)]


# --- structs with atomics ---


@D.struct
class Guarded:
    mutex: ticket_mutex
    name: D.int16
    total: D.Atomic(D.float64)

    @D.func
    def add(self, x):
        self.mutex.lock()
        self.total.store(self.total.load("relaxed") + x, "relaxed")
        self.mutex.unlock()


def twice(guarded: Guarded, ref: D.AtomicInterface):
    guarded.add(0.5)
    ref.add(0.25)


@D.kernel
def guards(mutexes, plain, all_of):
    m = mutexes[0]
    for _ in range(100):
        m.lock()
        plain[0] += 1
        m.unlock()
    g = all_of[1]
    twice(g, g.total)
    for one in all_of:
        one.total.add(one.name)


@clause("DEV-STRUCT-14", "DEV-STRUCT-15", "DEV-ATOM-02", "DEV-ATOM-29")
def test_structs_with_atomics(target):
    assert ticket_mutex.numpy_dtype.itemsize == 32
    assert [ticket_mutex.numpy_dtype.fields[n][1] for n in ("line", "current")] == [0, 16]
    assert ticket_mutex.numpy_dtype.alignment == 16
    mutexes, plain = D.zeros(1, dtype=ticket_mutex), np.zeros(1, np.int32)
    all_of = D.zeros(2, dtype=Guarded)
    all_of["name"] = [3, 4]
    run(guards, mutexes, plain, all_of, grid=64)
    assert plain[0] == 6400
    assert mutexes["line"][0] == mutexes["current"][0] == 6400
    assert all_of["total"].tolist() == [64 * 3, 64 * (0.75 + 4)]
    assert all_of["mutex"]["line"].tolist() == [0, 64]


@D.kernel
def waits(flags, data, out):
    """Blocks take turns: each waits for the one before it."""
    b = D.block_idx.x
    turn = D.atomic_ref(flags, b)
    if b > 0:
        turn.wait(0, memory="acquire", scope="device")
        out[b] = data[b - 1]
    data[b] = out[b] + turn.load("relaxed")
    if b + 1 < D.grid_dim.x:
        after = D.atomic_ref(flags, b + 1)
        after.store(2.0, "release")
        after.notify_one(scope="device")


@clause("DEV-ATOM-29", "DEV-ORDER-07")
def test_wait_between_blocks(target):
    n = 1000
    flags, data, out = (np.zeros(n, np.float32) for _ in range(3))
    run(waits, flags, data, out, grid=n)
    assert out.tolist() == [2.0 * max(b - 1, 0) for b in range(n)]


# --- on the host ---


def copies_of(x):
    return pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)


@clause("DEV-ATOM-02", "DEV-ATOM-05")
@pytest.mark.parametrize("dtype", [int, "f8", D.float32x2, tuple[int, float], Pair])
def test_copies_of_an_atomic_are_objects_of_their_own(dtype):
    for align in (None, 32):
        atomic = D.Atomic(dtype, align=align)
        some = {"f8": 2.5, int: 7, Pair: Pair(1, 2, True)}.get(dtype, (1, 2))
        some = D.float32x2(1, 2) if dtype is D.float32x2 else some
        atomic.store(some)
        held = atomic.load()
        for made in copies_of(atomic):
            assert repr(made) == repr(atomic)
            assert made.numpy_dtype == atomic.numpy_dtype
            assert made.load() == held
            made.store(D.Atomic(dtype).load())
            assert made.load() != held
            assert atomic.load() == held
    counts = D.zeros(2, dtype=D.Atomic(dtype), device="cpu")
    assert pickle.loads(pickle.dumps(counts)).dtype == counts.dtype


@D.struct
class Tally:
    total: D.Atomic(D.float64)
    name: D.int16


def test_copies_of_structs_with_atomics():
    tally = Tally(name=3)
    tally.total.store(2.5)
    for made in (pickle.loads(pickle.dumps(tally)), copy.deepcopy(tally)):
        made.total.add(1)
        assert (made.name, made.total.load(), tally.total.load()) == (3, 3.5, 2.5)


@D.struct
class Counter:
    n: D.Atomic(int)
    step: int

    def plainly(self, by):
        return self.n.add(by * self.step)

    @D.func
    def by_func(self, by):
        return self.n.add(by * self.step)

    @staticmethod
    def of_the_class(n):
        return n + 1

    @property
    def seen(self):
        return self.n.load()


@clause("DEV-STRUCT-14", "DEV-STRUCT-15")
def test_methods_of_references_on_the_host():
    counters = D.zeros(2, dtype=Counter, device="cpu")
    one = D.atomic_ref(counters, 1)
    one.step = 3
    assert (one.plainly(1), one.by_func(2), one.of_the_class(4), one.seen) == (0, 3, 5, 9)
    assert counters["n"].tolist() == [0, 9]
    mutex = D.atomic_ref(D.zeros(1, dtype=ticket_mutex, device="cpu"), 0)
    mutex.lock()
    mutex.unlock()
    assert (mutex.line.load(), mutex.current.load()) == (1, 1)


def test_references_are_not_copied():
    array, guarded = np.zeros(2, np.int32), D.zeros(1, dtype=Guarded, device="cpu")
    for ref, what in (
        (D.atomic_ref(array, 1), "an AtomicRef refers to memory of an array"),
        (D.atomic_ref(guarded, 0), "a reference to a struct refers to memory of an array"),
    ):
        assert copy.copy(ref) is ref
        for make in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match=what):
                make(ref)


@clause("DEV-ATOM-01", "DEV-ATOM-05")
def test_types_on_the_host():
    assert issubclass(D.Atomic, D.AtomicInterface)
    assert issubclass(D.AtomicRef, D.AtomicInterface)
    ref = D.atomic_ref(np.zeros(3, np.int16), 1)
    assert isinstance(ref, D.AtomicRef)
    assert ref.dtype is np.int16
    atomic = D.Atomic(D.float64x2, align=32)
    assert isinstance(atomic, D.AtomicInterface)
    assert atomic.dtype is D.float64x2
    assert D.Atomic(int).dtype is int
    assert D.Atomic(D.int8x3).numpy_dtype.itemsize == 4
    assert D.align(D.Atomic(int), 16).numpy_dtype.itemsize == 16
    with pytest.raises(TypeError, match="call them"):
        D.AtomicInterface()


def parts(value):
    """A value, or its members."""
    if dataclasses.is_dataclass(value):
        return dataclasses.astuple(value)
    return tuple(value) if isinstance(value, D.Vector | np.void) else value


@clause("DEV-ATOM-13", "DEV-ATOM-15", "DEV-ATOM-25")
@pytest.mark.parametrize("dtype", SMALL)
def test_moves_on_the_host(dtype):
    x = numbers(dtype, 4)
    first, second, third = (parts(v) for v in x[:3])
    for ref in (D.atomic_ref(numbers(dtype, 3, 9), -1), D.Atomic(dtype)):
        start = parts(ref.load())
        assert parts(ref.exch(x[0])) == start
        assert parts(ref.cas(x[0], x[1])) == first
        assert parts(ref.cas(x[0], x[2])) == second
        assert parts(ref.load()) == second
        ref.store(x[2], memory="release")
        assert parts(ref.exch(x[1])) == third


@pytest.mark.parametrize("dtype", PAIRS)
def test_pairs_on_the_host(dtype):
    x = numbers(dtype, 3)
    place = numbers(dtype, 2, 9)
    ref = D.atomic_ref(place, 1)
    ref.store(x[2])
    np.testing.assert_array_equal(place[1], x[2])
    assert parts(ref.load()) == parts(x[2])
    if np.dtype(getattr(dtype, "numpy_dtype", dtype)).itemsize == 16:
        with pytest.raises(TypeError, match="at most 8 bytes"):
            ref.exch(x[0])


@D.kernel
def stores(places, i, x):
    for place in places:
        D.atomic_ref(place, i).store(x[i])


@clause("DEV-ATOM-28")
@pytest.mark.parametrize(
    "values",
    [
        np.array([1e20, -1e20, np.nan, np.inf, 3.99, -3.99, 300, -0.5]),
        np.array([1e20, -1e20, np.nan, -np.inf, 2.5], np.float32),
        np.array([2**40 + 3, -1, 2**63 - 1, -(2**63)]),
        np.array([2**64 - 1, 200], np.uint64),
        np.array([True, False]),
        np.array([7, -300, 448], ml_dtypes.bfloat16),
    ],
)
def test_numbers_become_the_elements_type_as_in_kernels(values, target):
    """Integers wrap, floats saturate; NaN becomes 0."""
    kinds = (np.bool_, np.int8, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16)
    kinds = (*kinds, np.float32, np.float64, ml_dtypes.bfloat16)
    by_host, by_kernel = (tuple(np.zeros(values.size, kind) for kind in kinds) for _ in range(2))
    for i, x in enumerate(values):
        run(stores, by_kernel, i, values)
        for place in by_host:
            D.atomic_ref(place, i).store(x)
    for host, kernel in zip(by_host, by_kernel, strict=True):
        assert str(host.tolist()) == str(kernel.tolist())  # NaN is NaN


def test_pythons_numbers_on_the_host():
    a = D.Atomic(int)
    for x in (7, 2.5, True, decimal.Decimal(3), np.array(4), np.array(5.5)):
        a.store(x)
        assert a.load() == int(x)
    f = D.Atomic(float)
    f.store(float("inf"))
    assert f.exch(float("nan")) == np.inf
    assert np.isnan(f.load())
    c = D.Atomic("c16")
    c.store(2)
    assert c.load() == 2


def has_avx():
    with open("/proc/cpuinfo") as file:
        return " avx " in file.read()


@clause("DEV-ATOM-08", "DEV-ATOM-09")
@pytest.mark.parametrize("dtype", [np.int8, np.int64, D.int64x2, np.complex128])
def test_loads_of_memory_that_cannot_be_written(dtype):
    if np.dtype(getattr(dtype, "numpy_dtype", dtype)).itemsize == 16 and not has_avx():
        pytest.skip("waits for a CPU with AVX")
    with mmap.mmap(-1, 4096, prot=mmap.PROT_READ) as memory:
        place = np.frombuffer(memory, getattr(dtype, "numpy_dtype", dtype))
        ref = D.atomic_ref(place, 3)
        assert parts(ref.load()) == parts(D.Atomic(dtype).load())
        with pytest.raises(TypeError, match="the array is read-only"):
            ref.store(place[0])
        del ref, place


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_memory_of_the_host():
    counts = bytearray(8)
    matrix = np.asmatrix(np.frombuffer(counts, np.int32))
    for memory in (memoryview(counts).cast("i"), matrix):
        index = (0, 1) if memory.ndim == 2 else 1
        assert D.atomic_ref(memory, index).add(5) in (0, 5)
    assert counts == bytes(4) + bytes([10, 0, 0, 0])
    with pytest.raises(TypeError, match="the array is read-only"):
        D.atomic_ref(memoryview(bytes(8)), 0).store(1)


@D.struct
class Padded:
    tag: D.int8
    small: D.Atomic(D.uint8x3)
    large: D.Atomic(D.float32x3)
    both: D.Atomic(tuple[int, D.int8])
    apart: D.Atomic(D.int8x3, align=16)
    last: D.Atomic(int)


def padded_array():
    a = D.zeros(2, dtype=Padded, device="cpu")
    a["small"]["value"]["z"] = 7
    return a


@D.kernel
def changes_padded(a):
    p = a[1]
    p.small.store(p.small.load() + D.uint8x3(1, 2, 3))
    p.large.store(D.float32x3(1.5, 2.5, 3.5))
    p.apart.cas(D.int8x3(0, 0, 0), D.int8x3(4, 5, 6))
    p.last.add(9)


@clause("DEV-STRUCT-14", "DEV-ATOM-02")
def test_members_with_padding_are_as_objects_and_arrays_of_them(target):
    by_kernel, by_host = padded_array(), padded_array()
    run(changes_padded, by_kernel)
    p = D.atomic_ref(by_host, 1)
    assert p.small.dtype is D.uint8x3
    assert p.small.load() == D.uint8x3(0, 0, 7)
    p.small.store(D.uint8x3(1, 2, 10))
    p.large.store(D.float32x3(1.5, 2.5, 3.5))
    assert p.apart.cas(D.int8x3(0, 0, 0), D.int8x3(4, 5, 6)) == D.int8x3(0, 0, 0)
    p.last.add(9)
    assert by_host.tobytes() == by_kernel.tobytes()
    p.both.store((3, -4))
    assert p.both.load() == (3, -4)
    for made in (pickle.loads(pickle.dumps(by_host)), by_host.copy()):
        assert D.atomic_ref(made, 1).large.load() == D.float32x3(1.5, 2.5, 3.5)
        assert D.atomic_ref(made, 1).both.load() == (3, -4)


@clause("DEV-ATOM-17", "DEV-ATOM-18", "DEV-ATOM-19", "DEV-ATOM-20", "DEV-ATOM-21", "DEV-ATOM-22")
def test_operations_on_the_host():
    a = D.Atomic(D.uint32)
    assert [a.add(7), a.sub(9), a.and_(0xFF), a.or_(0x100), a.xor(1)] == [0, 7, 2**32 - 2, 254, 510]
    assert [a.max(600), a.min(5), a.load()] == [511, 600, 5]
    f = D.Atomic(float)
    assert [f.add(1.5), f.max(float("nan")), f.nanmax(2.0), f.min(-1.0)] == [0, 1.5, 1.5, 2.0]
    f.store(float("nan"))
    assert np.isnan(f.max(1.0))
    assert np.isnan(f.nanmin(4.0))
    assert f.load() == 4.0
    assert isinstance(f.load(), np.float32)


@clause("DEV-ATOM-02")
def test_threads_of_python_share_atomics():
    counter, mutex, plain = D.Atomic(D.int64), ticket_mutex(), [0]

    def work():
        for _ in range(2000):
            counter.add(1)
        for _ in range(20):
            mutex.lock()
            plain[0] += 1
            mutex.unlock()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.load() == 8000
    assert plain[0] == 80


@D.kernel
def answers(flag, answer):
    ref = D.atomic_ref(flag, 0)
    ref.store(1)
    ref.wait(1)
    answer[0] = ref.load()


def test_a_kernel_and_the_host_share_an_element():
    flag, answer = np.zeros(1, np.int32), np.zeros(1, np.int32)
    ref = D.atomic_ref(flag, 0)
    thread = threading.Thread(
        target=D.launch, args=(answers, flag, answer), kwargs={"grid": 1, "block": 1}
    )
    thread.start()
    ref.wait(0)
    ref.store(42)
    thread.join()
    assert answer[0] == 42
