"""Each fact of the launch key: where it is claimed and where not, and what a wrong claim does.

Facts are all that compiled code may assume beyond the types of its arguments (support/facts.def).
Most of them are true of every small array, so that a wrong claim stays hidden. Arrays beyond 2 GiB
lie in memory that is reserved and never backed: pages that nobody touches cost nothing.
"""

import mmap
import random

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from numpy.lib.stride_tricks import as_strided
from support.launching import run
from support.programs import environment, run_text

GIB = 1 << 30
LIMIT = 1 << 31
MAP_NORESERVE = 0x4000


@pytest.fixture(scope="module")
def reserved():
    """12 GiB of bytes that read as zeros. Tests use the middle: an offset that has lost its upper
    half stays within."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    return np.frombuffer(mmap.mmap(-1, 12 * GIB, flags=flags), np.uint8)


@D.kernel
def one(a):
    a[0] = a[0]


@D.kernel
def look(a):
    _ = a.size


@D.kernel
def look_at_two(a, b):
    _ = a.size + b.size


def facts_of(*arrays):
    """The facts of each array, as words, when these are the arguments of one launch."""
    kernel = look if len(arrays) == 1 else look_at_two
    lines = kernel.inspect(*arrays, what="facts", target="interpreter").splitlines()
    found = [line.split(": ")[1].split(", ") for line in lines if line.startswith("array ")]
    assert len(found) == len(arrays)
    return found if len(arrays) > 1 else found[0]


def strided(memory, shape, strides, dtype=np.uint8, start=0):
    """An array of these bytes, from byte `start` of the memory on, without looking at its end."""
    first = memory[start : start + np.dtype(dtype).itemsize].view(dtype)
    return as_strided(first, shape, strides)


def model_of(a):
    """What is claimed of one array, from its definition (support/facts.def)."""
    item, axes = a.itemsize, [*zip(a.shape, a.strides, strict=True)]
    reaches = [(extent - 1) * stride for extent, stride in axes if extent > 1]
    low, high = (sum(r for r in reaches if side * r > 0) for side in (-1, 1))
    packed = [item * int(np.prod(a.shape[i + 1 :], dtype=object)) for i in range(a.ndim)]
    rows = all(n == 1 or stride == p for (n, stride), p in zip(axes, packed, strict=True))
    small = all(n < LIMIT and abs(stride) < LIMIT for n, stride in axes)
    aligned = all(n % item == 0 for n in (a.ctypes.data, *a.strides))
    touched = min(item * a.size, high - low + item) if a.size else 0
    beyond = 0 < _testing._core.beyond_cache_bytes() <= touched
    claims = {
        "unit inner stride": not axes or axes[-1][0] <= 1 or axes[-1][1] == item,
        "contiguous": a.size == 0 or rows,
        "aligned to 64": beyond and a.flags.writeable and a.ctypes.data % 64 == 0,
        "elements aligned": aligned,
        "read-only": not a.flags.writeable,
        "fits 31 bits": small and high + item < LIMIT and low > -LIMIT,
        "no alias": True,
        "beyond the cache": beyond,
    }
    return [words for words, claimed in claims.items() if claimed]


def test_random_arrays(reserved):
    """Most are laid out row by row, as arrays mostly are: launches look at those apart."""
    rng = random.Random(11)
    seen = set()
    for _ in range(3000):
        dtype = np.dtype(rng.choice(("u1", "i2", "f4", "f8", "c16")))
        shape = [rng.choice((0, 1, 1, 2, 3, 8, 100, 5000)) for _ in range(rng.randint(0, 4))]
        if shape and rng.random() < 0.1:
            shape[rng.randrange(len(shape))] = rng.choice((LIMIT // 16, LIMIT // 8, LIMIT))
        strides, step = [], dtype.itemsize
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= max(extent, 1)
        if shape and rng.random() < 0.3:
            i = rng.randrange(len(shape))
            strides[i] = rng.choice((0, -strides[i], strides[i] + 1, 2 * strides[i], LIMIT))
        reach = sum(max(n - 1, 0) * abs(step) for n, step in zip(shape, strides, strict=True))
        if reach > 2 * GIB:
            continue
        a = strided(reserved, shape, strides, dtype, start=4 * GIB + rng.choice((0, 0, 8, 64, 1)))
        if rng.random() < 0.3:
            a.flags.writeable = False
        with _testing.beyond_cache(rng.choice((1, 64, 4096, GIB))):
            claims = facts_of(a)
            assert claims == model_of(a), (a.dtype, a.shape, a.strides)
        seen |= {*claims}
    assert len(seen) == 8


# --- unit_inner ---


@D.kernel
def copy(out, a):
    i = D.tid(1)
    if i < a.shape[0]:
        out[i] = a[i]


def copied(a):
    out = np.zeros(a.shape, a.dtype)
    run(copy, out, a, grid=2, block=32)
    return out


@pytest.mark.usefixtures("target")
def test_unit_inner():
    words = np.arange(200, dtype=np.int32)
    assert "unit inner stride" in facts_of(words)
    assert "unit inner stride" in facts_of(words[::7][:1])  # of one element no stride is asked for
    for a in (words[::4], words[49::-1], np.broadcast_to(words[3], (50,))):
        assert "unit inner stride" not in facts_of(a)
        np.testing.assert_array_equal(copied(a), a)


# --- contiguous ---


def test_contiguous():
    """Only PTX asks: with `fits_31` offsets are unsigned numbers of 32 bits there."""
    table = np.zeros((6, 8), np.int32)
    for a in (table, table[2:4], table[:1, 3:], table[:0, ::2], table.reshape(-1)):
        assert "contiguous" in facts_of(a)
    for a in (table.T, table[:, 1:], table[::2], table[::-1], table[:, ::-1]):
        assert "contiguous" not in facts_of(a)
    forward, backward = (
        copy.inspect(a, a, what="ptx", target="sm_90", block=32)
        for a in (np.zeros(100, np.int32), np.zeros(100, np.int32)[::-1])
    )
    assert "mul.wide.u32" in forward
    assert "mul.wide.u32" not in backward


# --- aligned and element_aligned ---

NONTEMPORAL = """
import numpy as np
from cuda import device as D
from cuda.device import _testing
from numpy.lib.stride_tricks import as_strided

@D.kernel
def fill(out):
    x, y = D.tid(2)
    out[16 * y, x] = 1

memory = np.zeros(1 << 20, np.uint8)
start = -memory.ctypes.data % 64
for offset, row in {cases}:
    memory[:] = 0
    first = memory[start + offset : start + offset + 4].view(np.float32)
    out = as_strided(first, (64, 256), (row, 4))
    with _testing.beyond_cache(1):
        D.launch(fill, out, grid=(1, 4), block=256)
    assert out[::16].sum() == 4 * 256, (offset, row)
    assert out.sum() == 4 * 256, (offset, row)
print("filled")
"""


def filled(folder, *cases):
    """A child uses streaming stores, to arrays that begin so many bytes after a multiple of 64 and
    have rows of so many bytes: a line stored whole that does not begin at one ends the process."""
    done = run_text(folder, NONTEMPORAL.format(cases=list(cases)), env=environment())
    assert done.stdout == "filled\n", done.stderr
    assert done.returncode == 0


def test_aligned(tmp_path):
    """Claimed for what streaming stores write, and for nothing else."""
    memory = np.zeros(4096, np.uint8)
    memory = memory[-memory.ctypes.data % 64 :]
    whole = memory[:1024].view(np.float32)
    with _testing.beyond_cache(1):
        assert "aligned to 64" in facts_of(whole)
        for skipped in (1, 8, 15):
            assert "aligned to 64" not in facts_of(whole[skipped:])
        assert "aligned to 64" in facts_of(whole[16:])
        whole.flags.writeable = False
        assert "aligned to 64" not in facts_of(whole)
    filled(tmp_path, (0, 1024), (4, 1024), (32, 1024))


def test_element_aligned(tmp_path):
    memory = np.zeros(4096, np.uint8)
    memory = memory[-memory.ctypes.data % 64 :]
    for a in (memory[:64], memory[1:9], memory[:64].view(np.float64), memory[4:68].view(np.int32)):
        assert "elements aligned" in facts_of(a)
    odd_rows = strided(memory, (3, 4), (17, 4), np.float32)
    for a in (memory[1:65].view(np.int16), memory[4:68].view(np.float64), odd_rows):
        assert "elements aligned" not in facts_of(a)
    filled(tmp_path, (0, 1025), (0, 1026), (1, 1024))
    reads_bytes = "ld.global.nc.b8"
    texts = [
        copy.inspect(memory[2048:2112].view(np.float32), a, what="ptx", target="sm_90", block=32)
        for a in (memory[:64].view(np.float32), memory[1:65].view(np.float32))
    ]
    assert [reads_bytes in text for text in texts] == [False, True]


# --- read_only ---


def test_read_only():
    """Claimed of what may be written, it refuses the store; not claimed of what may not, it lets
    one through."""
    a = np.zeros(4, np.int32)
    assert "read-only" not in facts_of(a)
    run(one, a)
    a.flags.writeable = False
    assert "read-only" in facts_of(a)
    with pytest.raises(D.errors.CompileError, match="read-only"):
        run(one, a)


# --- fits_31 ---


@D.kernel
def put(a, i, v):
    a[i] = v


@D.kernel
def put_row(a, first):
    t = D.tid(1)
    a[first + t] = t + 1


@D.kernel
def put_far(a, step):
    t = D.thread_idx.x
    a[t * step] = t + 1


@D.kernel
def number_each(a):
    t = D.thread_idx.x
    if t < a.shape[0]:
        a[t] = t + 1


@D.kernel
def number_pairs(a):
    t = D.thread_idx.x
    if t < a.size:
        a[t // 2, t % 2] = t + 1


@D.kernel
def extents(out, a):
    out[0] = a.shape[0]
    out[1] = a.size
    out[2] = a.shape[0] > 2147483647


def fits_31(a):
    return "fits 31 bits" in facts_of(a)


def test_fits_31_is_claimed_below_the_limit_only(reserved):
    """Each side of each condition, by arrays that break no other one."""
    bytes_, middle = reserved, 4 * GIB
    for shape, strides, fits in (
        # the span forwards: the last byte lies below 2**31
        ((LIMIT - 1,), (1,), True),
        ((2,), (LIMIT - 2,), True),
        ((2,), (LIMIT - 1,), False),
        ((3,), (LIMIT // 2,), False),
        ((2, 2), (GIB, GIB - 2), True),
        ((2, 2), (GIB, GIB - 1), False),
        # backwards
        ((2,), (1 - LIMIT,), True),
        ((3,), (-LIMIT // 2,), False),
        ((2, 2), (-GIB, 1 - GIB), True),
        ((2, 2), (-GIB, -GIB), False),
        # an extent, where the span is one element
        ((LIMIT - 1,), (0,), True),
        ((LIMIT,), (0,), False),
        ((1, LIMIT), (0, 0), False),
        ((0, LIMIT), (1, 1), False),
        # a stride that no index multiplies; the halves of strides are read in PTX
        ((1,), (LIMIT - 1,), True),
        ((1,), (LIMIT,), False),
        ((1,), (1 - LIMIT,), True),
        ((1,), (-LIMIT,), False),
        # a span beyond 64 bits
        ((3,), (1 << 62,), False),
        ((2, 2), (-1 << 62, -1 << 62), False),
        ((2, 2, 2), (-1 << 62,) * 3, False),
    ):
        assert fits_31(strided(bytes_, shape, strides, start=middle)) == fits, (shape, strides)
    assert fits_31(strided(bytes_, (2,), (LIMIT - 9,), np.float64))
    assert not fits_31(strided(bytes_, (2,), (LIMIT - 8,), np.float64))


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
def test_fits_31_elements_beyond_2_gib(reserved, dtype):
    item = np.dtype(dtype).itemsize
    a = reserved[4 * GIB : 7 * GIB].view(dtype)
    last = a.size - 1
    beyond = LIMIT // item + 5
    for i in (beyond, last, -1, -2):
        run(put, a, np.int64(i), 7)
        assert a[i] == 7, i
        a[i] = 0
    run(put_row, a, np.int64(beyond), grid=2, block=32)
    np.testing.assert_array_equal(a[beyond : beyond + 64], np.arange(1, 65))
    a[beyond : beyond + 64] = 0
    run(put_far, a, a.size // 4, block=4)
    assert [a[i * (a.size // 4)] for i in range(4)] == [1, 2, 3, 4]
    a[:: a.size // 4] = 0


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("step", [LIMIT - 1, LIMIT, LIMIT + 64, -LIMIT - 1, -LIMIT - 64])
def test_fits_31_strides_of_2_gib(reserved, step):
    """Two elements, and two rows of two: each thread has its own, so that lanes differ in it."""
    a = strided(reserved, (2,), (step,), start=6 * GIB)
    run(number_each, a, block=32)
    assert a.tolist() == [1, 2]
    a[:] = 0
    rows = strided(reserved, (2, 2), (step, 3), start=6 * GIB)
    run(number_pairs, rows, block=32)
    assert rows.tolist() == [[1, 2], [3, 4]]
    rows[:] = 0


@pytest.mark.usefixtures("target")
@pytest.mark.parametrize("extent", [LIMIT - 1, LIMIT, LIMIT + 8, 1 << 40])
def test_fits_31_extents(reserved, extent):
    """Of an array whose elements are one and the same byte."""
    out = np.zeros(3, np.int64)
    run(extents, out, strided(reserved, (extent,), (0,)))
    assert out.tolist() == [extent, extent, extent >= LIMIT]


# --- no_alias ---


@D.kernel
def follow(out, a, b, n):
    """Reads what the other name has written."""
    total = 0
    for k in range(n):
        b[0] = k
        total += a[0]
    out[0] = total


def test_no_alias_is_claimed_of_arrays_apart_only():
    a = np.zeros(64, np.float32)
    for left, right in ((a[:32], a[32:]), (a, a[:0]), (a[32:], a[:32])):
        assert ["no alias" in found for found in facts_of(left, right)] == [True, True]
    for left, right in ((a, a), (a[:33], a[32:]), (a[::2], a[1::2]), (a[40:], a[:41][::-1])):
        assert ["no alias" in found for found in facts_of(left, right)] == [False, False]
    frozen = a.view()
    frozen.flags.writeable = False
    assert ["no alias" in found for found in facts_of(frozen, frozen)] == [True, True]
    assert ["no alias" in found for found in facts_of(frozen, a)] == [False, False]


@pytest.mark.usefixtures("target")
def test_no_alias():
    a = np.zeros(2, np.int32)
    out = np.zeros(1, np.int32)
    run(follow, out, a, a, 10)
    assert out[0] == 45
    run(follow, out, a[:1], a[:1][::-1], 10)
    assert out[0] == 45
    run(follow, out, a[1:], a, 10)
    assert out[0] == 0


@D.kernel
def follow_in_tuple(out, arrays, b, n):
    total = 0
    for k in range(n):
        b[0] = k
        total += arrays[0][0]
    out[0] = total


@pytest.mark.usefixtures("target")
def test_no_alias_among_more_arrays_than_are_compared():
    a = np.zeros(1, np.int32)
    out = np.zeros(1, np.int32)
    others = tuple(np.zeros(1, np.int32) for _ in range(40))
    run(follow_in_tuple, out, (a, *others), a, 10)
    assert out[0] == 45


# --- beyond_cache ---


def test_beyond_cache():
    """Right whether claimed or not: what streaming stores write is there all the same. So it is
    shown where it is claimed."""
    a = np.zeros((64, 64), np.float32)

    def beyond(array):
        return "beyond the cache" in facts_of(array)

    with _testing.beyond_cache(a.nbytes):
        assert beyond(a)
        assert not beyond(a[1:])
        assert not beyond(as_strided(a, (1 << 20, 64), (0, 4)))  # a row, however often
    with _testing.beyond_cache(1):
        assert beyond(a[:1, :1])
        assert not beyond(a[:0])
    with _testing.beyond_cache(a.nbytes + 1):
        assert not beyond(a)


# --- of the launch: grid_fits_31, and the block's shape ---


@D.kernel
def far_grid(out):
    if D.block_idx.x == 0 and D.thread_idx.x == 0:
        out[0] = D.grid_dim.x >= 2097152
        out[1] = D.grid_dim.x * D.block_dim.x > 2147483647


def test_grid_fits_31_is_claimed_below_the_limit_only():
    def fits(grid, block):
        text = far_grid.inspect(np.zeros(2, np.int64), what="facts", grid=grid, block=block)
        return "grid_fits_31" in text

    assert fits(2097151, 1024)
    assert not fits(2097152, 1024)
    assert fits(2147483647, 1)
    assert not fits(2147483647, 2)
    assert fits((1, 65535, 65535), (1, 16, 64))


def test_grid_fits_31():
    """On the host alone, which leaves out threads that do nothing: there are 2**31."""
    for grid, block, expected in ((2097151, 1024, [0, 0]), (2097152, 1024, [1, 1])):
        out = np.full(2, 5, np.int64)
        run(far_grid, out, grid=grid, block=block)
        assert out.tolist() == expected


@D.kernel
def shapes(out):
    d = D.block_dim
    t = (D.thread_idx.z * d.y + D.thread_idx.y) * d.x + D.thread_idx.x
    out[t] = d.x + 100 * d.y + 10000 * d.z


@pytest.mark.usefixtures("target")
def test_block_shape():
    """More shapes than get a version of their own."""
    for x, y, z in [(n, 1 + n % 3, 1 + n % 2) for n in range(1, 13)] * 2:
        out = np.zeros(100, np.int32)
        run(shapes, out, block=(x, y, z))
        threads = x * y * z
        assert np.all(out[:threads] == x + 100 * y + 10000 * z), (x, y, z)
        assert not out[threads:].any(), (x, y, z)
