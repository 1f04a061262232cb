"""Local, shared and dynamic shared memory (DEV-MEM)."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

SHAPE = (2, 3)
SIZES = {"bytes": 4}


class Sizes:
    tile = 4


# --- contents and storage ---


@D.kernel
def eight_of_its_own(out):
    mine = D.local_array(8, D.int32)
    i = D.tid(1)
    for k in range(8):
        mine[k] = i
    total = 0
    for k in range(8):
        total += mine[k]
    out[i] = total


@clause("DEV-MEM-01")
def test_local_arrays_do_not_interfere(target):
    out = np.zeros(70, np.int32)
    run(eight_of_its_own, out, grid=2, block=35)
    assert out.tolist() == [8 * i for i in range(70)]


@D.kernel
def reversed_blocks(a):
    held = D.shared_array(1024, D.float32)
    t = D.thread_idx.x
    held[t] = a[D.tid(1)]
    D.syncthreads()
    a[D.tid(1)] = held[D.block_dim.x - 1 - t]


@clause("DEV-MEM-02", "DEV-BLK-01")
@pytest.mark.parametrize("block", [1, 2, 31, 32, 33, 100, 1000, 1024])
def test_blocks_are_reversed(target, block):
    a = np.arange(2 * block, dtype=np.float32)
    expected = a.reshape(2, block)[:, ::-1].reshape(-1).copy()
    run(reversed_blocks, a, grid=2, block=block)
    assert a.tolist() == expected.tolist()


@D.kernel
def two_call_sites(out):
    first = D.shared_array(32, D.int32)
    second = D.shared_array(32, D.int32)
    t = D.thread_idx.x
    first[t] = t
    second[t] = -t
    D.syncthreads()
    out[t] = first[31 - t] * 100 + second[31 - t]


@clause("DEV-MEM-02")
def test_distinct_call_sites_have_distinct_storage(target):
    out = np.zeros(32, np.int32)
    run(two_call_sites, out, grid=1, block=32)
    assert out.tolist() == [99 * (31 - t) for t in range(32)]


# --- shapes, orders, alignments ---


@D.kernel
def shapes(out):
    number = D.shared_array(8, D.int32)
    one = D.local_array((4,), D.int32)
    two = D.shared_array(SHAPE, D.int32)
    none = D.local_array((), D.int32)
    empty = D.shared_array((0, 5), D.int32)
    expression = D.local_array((Sizes.tile + 1, 2 * Sizes.tile), D.int32)
    n = 3
    m = n
    name = D.shared_array((n, m), D.int32)
    none[()] = 7
    out[0] = len(number) + 10 * number.ndim
    out[1] = one.shape[0]
    out[2] = two.shape[0] * 10 + two.shape[1]
    out[3] = none[()] * 10 + none.ndim + none.size
    out[4] = empty.size * 10 + empty.shape[1]
    out[5] = expression.size
    out[6] = name.size


@clause("DEV-MEM-03", "DEV-CONST-01", "DEV-CONST-03")
@clause("DEV-CONST-02", partial="parameters")
def test_shapes(target):
    out = np.zeros(7, np.int64)
    run(shapes, out)
    assert out.tolist() == [18, 4, 23, 71, 5, 40, 9]


@D.kernel
def size_of_global(out):
    out[0] = D.shared_array(SIZE, D.uint8).size


SIZE = 16


@clause("DEV-CONST-03")
def test_shapes_are_read_at_each_launch(target, monkeypatch):
    out = np.zeros(1, np.int64)
    run(size_of_global, out)
    assert out[0] == 16
    monkeypatch.setitem(globals(), "SIZE", 32)
    run(size_of_global, out)
    assert out[0] == 32


def sized(n, t):
    held = D.local_array(n, D.int32)
    held[n - 1] = t
    return held[-1] + held.size


@D.kernel
def sized_by_a_parameter(out):
    out[D.tid(1)] = sized(3, D.tid(1)) * 100 + sized(5, D.tid(1))


@clause("DEV-CONST-02")
def test_a_parameter_called_with_a_constant_is_one(target):
    out = np.zeros(4, np.int64)
    run(sized_by_a_parameter, out, block=4)
    assert out.tolist() == [(t + 3) * 100 + t + 5 for t in range(4)]


@D.kernel
def strides(out):
    c = D.shared_array((4, 8), D.int32, order="C")
    f = D.local_array((4, 8), D.int32, "F")
    three = D.local_array((2, 3, 4), D.float64, order="F", align=32)
    out[0], out[1] = c.strides
    out[2], out[3] = f.strides
    out[4], out[5], out[6] = three.strides


@clause("DEV-MEM-05")
def test_orders(target):
    out = np.zeros(7, np.int64)
    run(strides, out)
    assert out.tolist() == [32, 4, 4, 16, 8, 16, 48]


@D.kernel
def by_columns(out):
    f = D.shared_array((4, 8), D.int32, order="F")
    x, y = D.tid(2)
    f[y, x] = 10 * y + x
    D.syncthreads()
    out[y, x] = f[3 - y, x - 1]


@clause("DEV-MEM-05")
def test_order_changes_no_element(target):
    out = np.zeros((4, 8), np.int32)
    run(by_columns, out, block=(8, 4))
    y, x = np.indices(out.shape)
    assert np.array_equal(out, 10 * (3 - y) + (x - 1) % 8)


@D.kernel
def aligned(out):
    small = D.shared_array(3, D.uint8)
    wide = D.shared_array(5, D.float32, align=128)
    t = D.thread_idx.x
    if t < 3:
        small[t] = t
        wide[t] = small[t] + 0.5
    D.syncthreads()
    out[t] = wide[2 - t % 3]


@clause("DEV-MEM-07")
def test_alignment(target):
    out = np.zeros(6, np.float32)
    run(aligned, out, block=6)
    assert out.tolist() == [2.5, 1.5, 0.5, 2.5, 1.5, 0.5]
    ptx = aligned.inspect(out, block=6, what="ptx", target="sm_90")
    assert re.search(r"\.shared \.align 128 \.b8 [\w$]+\[20\]", ptx)
    # The array is in a worker's memory, whose alignment is larger (unit/runtime/test_pool.cpp).
    host = aligned.inspect(out, block=6, what="llvm_raw", target="avx2")
    assert set(re.findall(r"ptr %arena, i64 (\d+)", host)) == {"0", "128"}


def test_arrays_are_among_the_facts():
    facts = aligned.inspect(np.zeros(6, np.float32), block=6, what="facts", target="sm_90")
    assert "shared array small: array<uint8, 1, shared>, 3 bytes\n" in facts
    assert "shared array wide: array<float32, 1, shared>, 20 bytes\n" in facts


# --- element types ---

TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64")  # fmt: skip


def kernel_of(dtype):
    @D.kernel
    def through_memory(out, a):
        shared = D.shared_array(40, dtype)
        local = D.local_array(3, dtype=dtype)
        t = D.thread_idx.x
        local[t % 3] = a[t]
        shared[t] = local[t % 3]
        D.syncthreads()
        out[t] = shared[39 - t]

    return through_memory


def values_of(name):
    dtype = np.dtype(name)
    if dtype.kind == "b":
        return np.arange(40) % 3 == 0
    info = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return np.linspace(float(info.min) / 2, float(info.max) / 2, 40).astype(dtype)


@clause("DEV-MEM-09", partial="float16, bfloat16, 8-bit floats, complex, structs, vectors, atomics")
@pytest.mark.parametrize("name", TYPES)
def test_element_types(target, name):
    a = values_of(name)
    forms = [np.dtype(name).type, np.dtype(name), name, np.dtype(name).str]
    if name in ("bool", "int32", "float32"):
        forms.append({"bool": bool, "int32": int, "float32": float}[name])
    for form in forms:
        out = np.zeros_like(a)
        run(kernel_of(form), out, a, block=40)
        assert np.array_equal(out, a[::-1]), form


@D.kernel
def typed_as_its_argument(out, a):
    held = D.shared_array(4, a.dtype)
    held[0] = 300
    out[0] = held[0]


@clause("DEV-MEM-09", partial="the other types")
def test_the_dtype_of_an_array(target):
    out = np.zeros(1, np.int64)
    run(typed_as_its_argument, out, np.zeros(1, np.int16))
    assert out[0] == 300


# --- dynamic shared memory ---


@D.kernel
def dynamic_size(out):
    memory = D.dynamic_shared_array()
    out[0] = memory.size
    out[1] = memory.ndim * 10 + memory.strides[0]
    out[2] = memory.view(D.float32).size
    if memory.size > 0:
        memory[-1] = 7
        out[3] = D.dynamic_shared_array()[memory.size - 1]


@clause("DEV-MEM-11", "DEV-LAUNCH-04")
@pytest.mark.parametrize("shared", [0, 1, 1000, 100 * 1024])
def test_dynamic_shared_memory_has_the_size_of_the_launch(target, shared):
    out = np.zeros(4, np.int64)
    run(dynamic_size, out, shared=shared)
    assert out.tolist() == [shared, 11, shared // 4, 7 if shared else 0]


@D.kernel
def static_and_dynamic(out):
    static = D.shared_array(8, D.int32)
    dynamic = D.dynamic_shared_array().view(D.int32)
    t = D.thread_idx.x
    static[t] = t
    dynamic[t] = 10 * t
    D.syncthreads()
    out[t] = static[7 - t] + dynamic[7 - t]


@clause("DEV-MEM-11")
def test_static_and_dynamic_memory_do_not_overlap(target):
    out = np.zeros(8, np.int32)
    run(static_and_dynamic, out, block=8, shared=32)
    assert out.tolist() == [11 * (7 - t) for t in range(8)]


# --- the subset of arrays ---


@D.kernel
def slices(out):
    t = D.thread_idx.x
    a = D.shared_array((4, 6), D.int32, align=8)
    a[t // 6, t % 6] = 10 * (t // 6) + t % 6
    D.syncthreads()
    if t == 0:
        out[0] = a[1][2]
        out[1] = a[-1, 1:][-1]
        out[2] = a[::-1, 2][0]
        out[3] = a[1:3, ::2].size
        out[4] = a[:, 4:1:-2][2, 1]
        out[5] = a[5:].size
        out[6] = a[-100:2, 3].shape[0]
        out[7] = a.T[5, 3]
        out[8] = a[2:, 1:4].T.shape[0]
        out[9] = a.reshape(24)[13]
        out[10] = a.reshape((2, -1))[1, 0]
        out[11] = a[1].reshape(2, 3)[1, 1]
        out[12] = a.view()[3, 5]
        out[13] = a.view(D.int64).shape[1]
        out[14] = a[1, t : t + 2][1]
        row = a[3]
        row[0] = -5
        out[15] = a[3, 0]


@clause("DEV-MEM-14", partial="atomic_ref, astype, new axes, ellipsis")
def test_shared_arrays_have_views(target):
    a = 10 * np.arange(4)[:, None] + np.arange(6)
    expected = [
        a[1][2],
        a[-1, 1:][-1],
        a[::-1, 2][0],
        a[1:3, ::2].size,
        a[:, 4:1:-2][2, 1],
        a[5:].size,
        a[-100:2, 3].shape[0],
        a.T[5, 3],
        a[2:, 1:4].T.shape[0],
        a.reshape(24)[13],
        a.reshape((2, -1))[1, 0],
        a[1].reshape(2, 3)[1, 1],
        a[3, 5],
        3,
        a[1, 0:2][1],
        -5,
    ]
    out = np.zeros(16, np.int64)
    run(slices, out, block=24)
    assert out.tolist() == [int(v) for v in expected]


@D.kernel
def slices_at_run_time(out, lower, upper):
    held = D.local_array(10, D.int32)
    for k in range(10):
        held[k] = k
    part = held[lower:upper]
    back = held[upper:lower:-3]
    out[0] = len(part)
    out[1] = len(back)
    if len(part) > 0:
        out[2] = part[0]
        out[3] = part[-1]
    if len(back) > 0:
        out[4] = back[0]
        out[5] = back[-1]


@clause("DEV-MEM-14", partial="other operations")
@pytest.mark.parametrize("lower", [-12, -10, -3, 0, 1, 9, 10, 15])
@pytest.mark.parametrize("upper", [-12, -10, -3, 0, 4, 9, 10, 15])
def test_bounds_of_slices_are_pythons(target, lower, upper):
    out = np.full(6, -1, np.int64)
    run(slices_at_run_time, out, lower, upper)
    held = list(range(10))
    part, back = held[lower:upper], held[upper:lower:-3]
    ends = [v for x in (part, back) for v in ((x[0], x[-1]) if x else (-1, -1))]
    assert out.tolist() == [len(part), len(back), *ends]


def counter():
    total = D.Atomic(int)

    def add(x):
        return total.add(x)

    return add


@D.kernel
def memory_of_each_copy(out):
    before = D.local_array(2, D.int32)
    before[0] = before[1] = 1
    for _ in (1, 2, 3):
        after = D.local_array(2, D.int32)
        after[0] = before[1]
        after[1] = before[0] + before[1]
        before = after
    out[0] = before[0] * 100 + before[1]

    counters = ()
    for k in (1, 2, 3):
        one = D.Atomic(int)
        one.store(k)
        counters = (*counters, one)
    out[1] = counters[0].load() * 100 + counters[1].load() * 10 + counters[2].load()

    each = tuple(counter() for _ in range(3))
    for k in range(3):
        each[k](k + 1)
    out[2] = each[0](0) * 100 + each[1](0) * 10 + each[2](0)

    tiles = tuple(D.shared_array(1, D.int32) for _ in range(2))
    tiles[0][0] = 4
    tiles[1][0] = 5
    out[3] = tiles[0][0] * 10 + tiles[1][0]


@clause("DEV-MEM-01", "DEV-MEM-09")
def test_each_copy_of_an_unrolled_loop_has_memory_of_its_own(target):
    out = np.zeros(4, np.int32)
    run(memory_of_each_copy, out)
    assert out.tolist() == [305, 123, 123, 45]


@D.kernel
def bits(out, x):
    held = D.local_array(2, D.float32, align=8)
    held[0] = x
    held[1] = -x
    out[0] = held.view(D.uint32)[0]
    out[1] = held.view(D.uint64)[0] >> 32
    halves = held.view("u2")
    out[2] = halves[1]
    out[3] = halves.size


@clause("DEV-MEM-14", partial="other operations")
def test_views_of_bits(target):
    out = np.zeros(4, np.uint64)
    run(bits, out, 1.0)
    assert out.tolist() == [0x3F800000, 0xBF800000, 0x3F80, 4]


@D.kernel
def the_rest_of_the_subset(out, n):
    shared = D.shared_array((3, 4), D.int32)
    local = D.local_array((3, 4), D.int32)
    for i in range(3):
        for j in range(4):
            shared[i, j] = 10 * i + j
            local[i, j] = 100 + 10 * i + j
    for k, a in enumerate((shared, local)):
        out[k, 0] = a[..., 1][2] + a[None, n][0, 3] + a[1, ..., None].shape[1]
        out[k, 1] = a[:, None, 2:].shape[1] * 100 + a[:, None, 2:][1, 0, -1]
        out[k, 2] = a.astype(D.int32, copy=False)[n, 2]
        out[k, 3] = len(a) * 1000 + a.size * 10 + a.ndim
        out[k, 4] = a.strides[0] * 100 + a.strides[1]
        out[k, 5] = a.dtype == D.int32
        old = D.atomic_ref(a, (n, -1)).add(5)
        out[k, 6] = old * 1000 + a[n, 3]
        a[0] = 7
        a[1:, ::2] += 1
        total = 0
        for row in a:
            for v in row:
                total += v
        out[k, 7] = total


@clause("DEV-MEM-14")
def test_shared_and_local_arrays_have_the_whole_subset(target):
    out = np.zeros((2, 8), np.int64)
    run(the_rest_of_the_subset, out, 1)
    for k in range(2):
        a = 100 * k + 10 * np.arange(3)[:, None] + np.arange(4)
        expected = [
            a[..., 1][2] + a[None, 1][0, 3] + 1,
            100 + a[:, None, 2:][1, 0, -1],
            a[1, 2],
            3122,
            1604,
            1,
            a[1, 3] * 1000 + a[1, 3] + 5,
        ]
        a[1, 3] += 5
        a[0] = 7
        a[1:, ::2] += 1
        assert out[k].tolist() == [*expected, a.sum()]
