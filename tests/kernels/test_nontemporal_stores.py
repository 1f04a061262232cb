"""Non-temporal (streaming) stores: whole lines of arrays far larger than the cache.

How many bytes that takes is the machine's affair; most tests here say that few do.
"""

import re
import threading

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, _testing, core
from support.kernels import triad
from support.launching import run
from support.targets import require, use_target

FORMS = ("avx512", "avx512x64", "avx2", "avx2x64", "sse4", "interpreter")
NONTEMPORAL = re.compile(r"\tv?movnt")
LINE = 64


@D.kernel
def copy2d(out, source):
    x, y = D.tid(2)
    height, width = out.shape
    if x < width and y < height:
        out[y, x] = source[y, x]


@D.kernel
def transpose(out, source):
    tile = D.shared_array((32, 33), D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    x = D.block_idx.x * 32 + tx
    y = D.block_idx.y * 32 + ty
    for j in range(0, 32, 8):
        tile[ty + j, tx] = source[y + j, x]
    D.syncthreads()
    x = D.block_idx.y * 32 + tx
    y = D.block_idx.x * 32 + ty
    for j in range(0, 32, 8):
        out[y + j, x] = tile[tx, ty + j]


@D.kernel
def stencil(out, source, c0, c1):
    x, y = D.tid(2)
    height, width = out.shape
    if x < width and y < height:
        if 0 < x < width - 1 and 0 < y < height - 1:
            across = source[y, x - 1] + source[y, x + 1]
            down = source[y - 1, x] + source[y + 1, x]
            out[y, x] = c0 * source[y, x] + c1 * (across + down)
        else:
            out[y, x] = source[y, x]


@D.kernel
def strides(out, a, n):
    i = D.tid(1)
    while i < n:
        out[i] = a[i]
        i += D.grid_size(1)


@D.kernel
def columns(out, source):
    x = D.tid(1)
    height, width = out.shape
    if x < width:
        for y in range(height):
            out[y, x] = source[y, x]


@D.kernel
def again_and_again(out, n):
    i = D.tid(1)
    for k in range(n):
        out[i] = k


@D.kernel
def add(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] += b[i]


@pytest.fixture(params=FORMS)
def form(request):
    require(request.param)
    with use_target(request.param):
        yield request.param


@pytest.fixture
def small_cache():
    with _testing.beyond_cache(1):
        yield


def placed(shape, dtype, away, fill=None, pitch=0):
    """An array whose data begins `away` bytes after a line, rows `pitch` elements longer than it
    says; and all of its memory, with room on both sides."""
    *outer, width = (shape,) if isinstance(shape, int) else shape
    count = int(np.prod(outer, dtype=int)) * (width + pitch)
    item = np.dtype(dtype).itemsize
    memory = np.full(count * item + 5 * LINE, 0x5A, np.uint8)
    start = -memory.ctypes.data % LINE + LINE + away
    whole = memory[start : start + count * item].view(dtype).reshape(*outer, width + pitch)
    array = whole[..., :width]
    if fill is not None:
        array[...] = fill
    return array, memory


def numbers(shape, dtype=np.float32):
    return (np.arange(np.prod(shape)) % 1021).astype(dtype).reshape(shape)


def others(memory, array):
    """The bytes around an array's elements."""
    inside = np.zeros(memory.size, bool)
    at = array.ctypes.data - memory.ctypes.data
    for index in np.ndindex(array.shape[:-1]):
        row = at + sum(i * s for i, s in zip(index, array.strides, strict=False))
        inside[row : row + array.shape[-1] * array.itemsize] = True
    return memory[~inside]


def assert_written(array, memory, expected):
    np.testing.assert_array_equal(array, expected)
    assert (others(memory, array) == 0x5A).all()


# --- who has the fact ---


def beyond(*arrays, kernel=copy2d):
    """Which of the arrays, of a kernel with so many, are said to be beyond the cache."""
    text = kernel.inspect(*arrays, what="facts", target="avx2")
    lines = re.findall(r"^array \w+: (.*)$", text, re.MULTILINE)
    return ["beyond the cache" in line for line in lines]


def test_arrays_from_some_size_on():
    out, source = np.zeros((2, 64, 64), np.float32)
    with _testing.beyond_cache(out.nbytes):
        assert beyond(out, source) == [True, True]
        assert beyond(out[1:], source) == [False, True]
    with _testing.beyond_cache(out.nbytes + 1):
        assert beyond(out, source) == [False, False]
    assert beyond(out, source) == [False, False]


def test_the_size_on_this_machine():
    size = _core.beyond_cache_bytes()
    assert f"beyond cache={size}\n" in _core.info()
    assert size >= 16 << 20
    small = np.zeros((1, 1), np.uint8)
    large = np.empty((1, size), np.uint8)  # pages that nobody touches
    assert beyond(large, small) == [True, False]
    assert beyond(large[:, 1:], small) == [False, False]


def test_what_is_read_only_counts():
    """It is prefetched."""
    out, source = np.zeros((2, 64, 64), np.float32)
    source.flags.writeable = False
    with _testing.beyond_cache(1):
        assert beyond(out, source) == [True, True]


def test_what_counts_is_what_a_kernel_would_write():
    whole = np.zeros((64, 64), np.float32)
    column, empty = whole[:, :1], whole[:0]
    repeated = np.lib.stride_tricks.as_strided(whole, (1 << 40, 64), (0, 4))
    with _testing.beyond_cache(1 << 12):
        assert beyond(whole, column) == [True, False]
        assert beyond(whole, empty) == [True, False]
        assert beyond(whole, repeated) == [True, False]
        assert beyond(whole[::-1, ::-1], whole) == [True, True]


def test_facts_name_the_stores(small_cache):
    a, b, c = np.zeros((3, 1000), np.float32)
    arguments = dict(what="facts", target="avx2", grid=4, block=256)
    text = triad.inspect(a, b, c, np.float32(2), 1000, **arguments)
    assert "streaming stores of whole lines, else consecutive elements" in text
    assert "streaming stores" not in add.inspect(a, b, **arguments)


# --- results ---


@pytest.mark.parametrize("away", [0, 4, 16, 32, 60])
@pytest.mark.parametrize("count", [1, 31, 64, 1000, 4096])
def test_runs(form, small_cache, away, count):
    a, memory = placed(count, np.float32, away)
    b, c = numbers(count), numbers(count) + 7
    run(triad, a, b, c, np.float32(3), count, grid=(count + 255) // 256, block=256)
    assert_written(a, memory, b + np.float32(3) * c)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int16, np.int64, np.float64])
def test_runs_of_other_types(form, small_cache, dtype):
    source = numbers((3, 777), dtype)
    for away in (0, 8):
        out, memory = placed((3, 777), dtype, away, pitch=23)
        run(copy2d, out, source, grid=(4, 3), block=256)
        assert_written(out, memory, source)


@pytest.mark.parametrize("block", [(32, 8), (64, 2), (16, 16), (8, 8), (10, 10), (128, 1)])
@pytest.mark.parametrize("pitch", [0, 1, 4, 17])
def test_rows(form, small_cache, block, pitch):
    height, width = 45, 239
    source = numbers((height, width))
    grid = (-(-width // block[0]), -(-height // block[1]))
    for away in (0, 16):
        out, memory = placed((height, width), np.float32, away, pitch=pitch)
        run(copy2d, out, source, grid=grid, block=block)
        assert_written(out, memory, source)


# Rows that begin with lines in part, and rows whose distance is not a number of lines.
@pytest.mark.parametrize("pitch", [0, 8, 16])
def test_rows_backwards(form, small_cache, pitch):
    source = numbers((32, 64))
    out, memory = placed((32, 64), np.float32, 0, pitch=pitch)
    run(copy2d, out[::-1], source, grid=(4, 2), block=(16, 16))
    assert_written(out, memory, source[::-1])


@pytest.mark.parametrize("away", [0, 16])
def test_transpose(form, small_cache, away):
    source = numbers((96, 160))
    out, memory = placed((160, 96), np.float32, away, pitch=away)
    run(transpose, out, source, grid=(5, 3), block=(32, 8))
    assert_written(out, memory, source.T)


def test_border(form, small_cache):
    source = numbers((40, 130))
    c0, c1 = np.float32(2), np.float32(4)
    expected = source.copy()
    across = source[1:-1, :-2] + source[1:-1, 2:]
    down = source[:-2, 1:-1] + source[2:, 1:-1]
    expected[1:-1, 1:-1] = c0 * source[1:-1, 1:-1] + c1 * (across + down)
    out, memory = placed((40, 130), np.float32, 0, pitch=14)
    run(stencil, out, source, c0, c1, grid=(5, 5), block=(32, 8))
    assert_written(out, memory, expected)


def test_loops(form, small_cache):
    a = numbers(10_000)
    out, memory = placed(10_000, np.float32, 0)
    run(strides, out, a, 10_000, grid=3, block=256)
    assert_written(out, memory, a)
    source = numbers((40, 500))
    out, memory = placed((40, 500), np.float32, 0, pitch=12)
    run(columns, out, source, grid=2, block=256)
    assert_written(out, memory, source)
    out, memory = placed(512, np.int32, 0)
    run(again_and_again, out, 5, grid=2, block=256)
    assert_written(out, memory, np.full(512, 4))


# --- what others see, and when ---


def test_beyond_the_cache_of_this_machine():
    count = _core.beyond_cache_bytes() // 4 + 15
    b, c = np.ones(count, np.float32), np.full(count, 2, np.float32)
    a = np.zeros(count, np.float32)
    arguments = (a, b, c, np.float32(3), count)
    grid, block = (count + 255) // 256, 256
    assert NONTEMPORAL.search(triad.inspect(*arguments, what="asm", grid=grid, block=block))
    run(triad, *arguments, grid=grid, block=block)
    assert (a == 7).all()


def test_the_next_kernel_of_a_stream_and_the_host(form, small_cache):
    stream = core.Device("host").create_stream()
    b, ones = numbers(1 << 16), np.ones(1 << 16, np.float32)
    first, _ = placed(1 << 16, np.float32, 0)
    second, _ = placed(1 << 16, np.float32, 0)
    arguments = dict(grid=256, block=256, stream=stream)
    for value in range(20):
        s = np.float32(value)
        D.launch(triad, first, b, ones, s, 1 << 16, **arguments)
        D.launch(strides, second, first, 1 << 16, **(arguments | dict(grid=7)))
        D.launch(add, second, first, **arguments)
        stream.sync()
        np.testing.assert_array_equal(first, b + s)
        np.testing.assert_array_equal(second, 2 * (b + s))


def test_two_streams_wait_for_each_other(form, small_cache):
    device = core.Device("host")
    one, other = device.create_stream(), device.create_stream()
    b, ones = numbers(1 << 16), np.ones(1 << 16, np.float32)
    first, _ = placed(1 << 16, np.float32, 0)
    second, _ = placed(1 << 16, np.float32, 0)
    for value in range(20):
        s = np.float32(value)
        D.launch(triad, first, b, ones, s, 1 << 16, grid=256, block=256, stream=one)
        other.wait(one.record())
        D.launch(strides, second, first, 1 << 16, grid=5, block=256, stream=other)
        one.wait(other.record())
        other.sync()
        np.testing.assert_array_equal(second, b + s)
    one.sync()


def test_threads(small_cache):
    wrong = []

    def work(index):
        b, ones = numbers(40_000) + index, np.ones(40_000, np.float32)
        a, memory = placed(40_000, np.float32, 0)
        for value in range(50):
            s = np.float32(value)
            run(triad, a, b, ones, s, 40_000, grid=157, block=256)
            if not np.array_equal(a, b + s) or (others(memory, a) != 0x5A).any():
                wrong.append((index, value))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


# --- where not ---


def has_nontemporal_stores(kernel, *arguments, **launch):
    return NONTEMPORAL.search(kernel.inspect(*arguments, what="asm", target="avx2", **launch))


def test_arrays_that_are_loaded_or_overlap(small_cache):
    a, b, c = np.zeros((3, 1000), np.float32)
    launch = dict(grid=4, block=256)
    s = np.float32(2)
    assert has_nontemporal_stores(triad, a, b, c, s, 1000, **launch)
    assert not has_nontemporal_stores(triad, a, a, c, s, 1000, **launch)
    assert not has_nontemporal_stores(triad, a, a[1:], c, s, 999, **launch)
    assert not has_nontemporal_stores(add, a, b, **launch)
    assert not has_nontemporal_stores(again_and_again, a, 5, **launch)
    rows, source = np.zeros((2, 40, 1000), np.float32)
    assert has_nontemporal_stores(columns, rows, source, **launch)


def test_no_facts_of_the_cache_in_ptx(small_cache):
    a, b, c = np.zeros((3, 1000), np.float32)
    arguments = (a, b, c, np.float32(2), 1000)
    large = triad.inspect(*arguments, what="ptx", target="sm_80", grid=4, block=256)
    with _testing.beyond_cache(1 << 40):
        small = triad.inspect(*arguments, what="ptx", target="sm_80", grid=4, block=256)
    assert large == small
