"""Arrays and buffers of the host device: NumPy's arrays in memory of our pool, and its Buffers."""

import array
import gc
import pickle
import sys
import threading

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core
from cuda.device import array_api as xp
from cuda.device.errors import OutOfMemoryError
from support.clauses import clause
from support.dlpack import Producer

from support import interfaces

HOST = core.Device("host")


@D.kernel
def add(a, v):
    i = D.tid(1)
    if i < a.size:
        a[i] += v


@D.kernel
def wait_and_fill(a, v, rounds):
    """Slow, so that what is queued after it has to wait."""
    x = v
    for _ in range(rounds):
        x = x * 1.0000001
    i = D.tid(1)
    if i < a.size:
        a[i] = v + (x - x)


def in_use():
    gc.collect()
    figures = _core.memory_figures(-1)
    return figures["allocations"], figures["in_use"]


@pytest.fixture
def nothing_left():
    before = in_use()
    yield
    assert in_use() == before


# --- arrays ---


@clause("DEV-ARR-02", partial="arrays in memory of a GPU")
@pytest.mark.usefixtures("nothing_left")
def test_arrays_of_the_host_are_numpys():
    """NumPy's own type implements the Array API."""
    a = D.zeros((3, 4), np.float32, device=HOST)
    assert type(a) is np.ndarray
    assert a.device == "cpu"
    assert a.dtype == np.float32
    assert a.flags.c_contiguous
    assert a.flags.writeable
    assert (a == 0).all()
    assert np.array_equal(D.full((2, 3), 7, np.int8, device=HOST), np.full((2, 3), 7, np.int8))
    assert D.full(2, 2.5, device=HOST).dtype == np.float64
    assert D.full(2, True, device=HOST).dtype == np.bool_
    assert D.zeros(2, device=HOST).dtype == np.float64
    assert D.empty((2, 3), order="F", device=HOST).flags.f_contiguous
    assert np.array_equal(D.arange(5, device=HOST), np.arange(5))
    assert np.array_equal(
        D.arange(2, 9, 3, np.float32, device=HOST), np.arange(2, 9, 3, np.float32)
    )
    assert D.zeros((), device=HOST).shape == ()
    assert D.zeros((0, 3), device=HOST).tolist() == []
    assert D.zeros(np.int64(3), device=HOST).shape == (3,)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("shape", [1, 100, (300, 70), (1 << 20,), (0,)])
def test_memory_is_aligned_and_zero(shape):
    for _ in range(3):  # memory that was used before is zero again
        a = D.zeros(shape, np.float32, device=HOST)
        assert a.size == 0 or a.ctypes.data % 256 == 0
        assert not a.any()
        a.fill(1)
        del a


@pytest.mark.parametrize(
    "format", [np.bool_, np.int8, np.uint64, np.float16, np.complex128, D.bfloat16, D.float8e5m2]
)
def test_every_format_of_elements(format):
    assert D.zeros(3, format, device=HOST).dtype == format
    assert D.full(3, 1, format, device=HOST).tolist() == np.ones(3, format).tolist()


def test_they_go_into_launches_and_through_dlpack():
    a = D.full(10, 2, np.float32, device=HOST)
    D.launch(add, a, 1.5, grid=1, block=32)
    assert a.tolist() == [3.5] * 10
    b = np.from_dlpack(a)
    assert np.shares_memory(a, b)
    assert memoryview(a).nbytes == 40


@pytest.mark.usefixtures("nothing_left")
def test_memory_lives_as_long_as_a_view_of_it():
    view = D.arange(1000, device=HOST)[500:]
    D.zeros(1000, np.int64, device=HOST).fill(9)
    assert view[0] == 500


def test_memory_that_was_freed_is_used_again():
    first = D.empty(5000, device=HOST)
    address = first.ctypes.data
    del first
    second = D.empty(4990, device=HOST)
    assert second.ctypes.data == address


@pytest.mark.usefixtures("nothing_left")
def test_memory_of_a_queued_launch_stays():
    """The launch owns the array until it is done, though nobody else holds it."""
    stream = HOST.create_stream()
    kept = D.zeros(4000, np.float32, device=HOST)
    D.launch(
        wait_and_fill,
        D.zeros(4000, np.float32, device=HOST),
        1.0,
        20000,
        grid=16,
        block=256,
        stream=stream,
    )
    taken = [D.zeros(4000, np.float32, device=HOST) for _ in range(20)]
    stream.sync()
    assert not any(t.any() for t in [kept, *taken])


def test_asarray_takes_what_holds_numbers():
    a = np.arange(5)
    assert D.asarray(a, device=HOST) is a
    assert D.asarray(a, copy=True, device=HOST) is not a
    assert D.asarray([1, 2.5], device=HOST).tolist() == [1.0, 2.5]
    assert D.asarray(3, np.float32, device=HOST).dtype == np.float32
    assert (
        np.shares_memory(
            D.asarray(array.array("i", [1, 2]), device=HOST),
            D.asarray(array.array("i"), device=HOST),
        )
        is False
    )
    assert D.asarray(array.array("i", [1, 2]), device=HOST).tolist() == [1, 2]
    assert D.asarray(memoryview(b"abc"), device=HOST).tolist() == list(b"abc")
    producer = Producer(np.arange(4.0))
    assert np.shares_memory(D.asarray(producer, device=HOST), producer.array)
    # What DLPack has no name for comes by __array__, where there is that.
    records = np.zeros(2, "i4,f4")
    with pytest.raises(BufferError, match="arrays of 'opaque64' cannot be passed"):
        D.asarray(Producer(records, code=3, bits=64), device=HOST)

    class Both(Producer):
        def __array__(self, dtype=None, copy=None):
            return self.array

    class Refuses(Both):
        def __dlpack__(self, **keywords):
            raise TypeError("bits have no type in DLPack")  # as PyArrow's arrays of bools do

    for take in (lambda x: D.asarray(x, device=HOST), D.to_host):
        assert take(Both(records, code=3, bits=64)) is records
        assert take(Refuses(records)) is records
    with pytest.raises(ValueError, match="copy"):
        D.asarray(a, np.float32, copy=False, device=HOST)
    with pytest.raises(TypeError, match="copy expects None, True or False, found 'x'"):
        D.asarray(a, copy="x", device=HOST)


TAKERS = (lambda x: D.asarray(x, device=HOST), D.to_host, xp.asarray)


@clause("DEV-ARR-22", "DEV-ARR-23")
@pytest.mark.parametrize("take", TAKERS)
def test_asarray_takes_every_protocol(take):
    a = np.arange(4.0)
    for producer in (interfaces.cuda(a), interfaces.sycl(a), interfaces.cuda(a[::-1])):
        found = take(producer)
        assert isinstance(found, np.ndarray)
        assert np.shares_memory(found, a)
        found[0] = 7
    assert a.tolist() == [7, 1, 2, 7]
    once = interfaces.cuda(a)
    take(once)
    assert once.reads == 1
    fixed = np.arange(4.0)
    fixed.flags.writeable = False
    assert not take(interfaces.cuda(fixed)).flags.writeable
    with pytest.raises(ValueError, match=r"'shape' is .-1,.: an extent is negative"):
        take(interfaces.cuda(a, shape=(-1,)))
    with pytest.raises(ValueError, match="'version' is 2: the only version is 1"):
        take(interfaces.sycl(a, version=2))


@clause("DEV-ARR-23")
@pytest.mark.parametrize("take", TAKERS)
def test_what_dlpack_refuses_comes_by_a_dictionary(take):
    class Records(Producer):
        reads = 0

        @property
        def __cuda_array_interface__(self):
            self.reads += 1
            return interfaces.cuda_dict(self.array, descr=self.array.dtype.descr)

    records = np.array([(1, 2.5), (3, 4.5)], "i4,f4")
    found = take(Records(records, code=3, bits=64))
    assert found.dtype == records.dtype
    assert np.shares_memory(found, records)
    both = Records(np.arange(3.0))
    assert np.shares_memory(take(both), both.array)
    assert both.reads == 0


@clause("DEV-DLP-15", partial="arrays of a GPU")
def test_masks_are_not_lost():
    a = np.ma.array([1.0, 99.0], mask=[False, True])
    for take in (*(D.asarray, D.from_dlpack, D.from_sycl_usm, D.to_host), xp.asarray,
                 xp.from_dlpack):  # fmt: skip
        with pytest.raises(TypeError, match=r"an array with a mask, which would be lost; fill its"):
            take(a)
    assert D.asarray(a.filled(0), device="cpu").tolist() == [1, 0]


def test_pythons_numbers_name_no_format():
    """They are 64 bits wide in NumPy's arrays and 32 in kernels."""
    for dtype, wide, narrow in (
        (float, "float64", "float32"),
        (int, "int64", "int32"),
        (complex, "complex128", "complex64"),
    ):
        text = f"dtype={dtype.__name__} is {wide} in NumPy and {narrow} in kernels: write"
        for make in (D.zeros, D.empty, xp.zeros, xp.ones):
            with pytest.raises(TypeError, match=text):
                make(3, dtype=dtype)
        for make in (D.asarray, xp.asarray):
            with pytest.raises(TypeError, match=text):
                make([1, 2], dtype=dtype)
        with pytest.raises(TypeError, match=text):
            D.full(3, 1, dtype)
        with pytest.raises(TypeError, match=text):
            D.arange(3, dtype=dtype)
    assert D.zeros(3, bool, device="cpu").dtype == np.bool_


def test_from_dlpack_is_a_view():
    producer = Producer(np.arange(6.0).reshape(2, 3))
    view = D.from_dlpack(producer)
    view[1, 2] = 99
    assert producer.array[1, 2] == 99
    copy = D.from_dlpack(np.arange(3), copy=True)
    assert copy.tolist() == [0, 1, 2]
    assert D.from_dlpack(np.arange(3), device="cpu").tolist() == [0, 1, 2]
    with pytest.raises(AttributeError, match="needs __dlpack__, which 'list' lacks"):
        D.from_dlpack([1])


def test_to_host_gives_arrays_of_the_host_as_they_are():
    a = np.arange(3)
    assert D.to_host(a) is a
    assert D.to_host([1, 2]).tolist() == [1, 2]
    producer = Producer(np.arange(3.0))
    assert np.shares_memory(D.to_host(producer), producer.array)
    ours = a.view(xp.HostArray)
    assert type(D.to_host(ours)) is np.ndarray
    assert np.shares_memory(D.to_host(ours), a)
    dates = np.zeros(2, "M8[s]")
    assert D.to_host(dates) is dates


WRONG = [
    (lambda: D.zeros(-1), ValueError, r"shape=\(-1,\) has a negative extent"),
    (lambda: D.zeros(2.5), TypeError, "shape expects an int or a tuple of ints, found 2.5"),
    (lambda: D.zeros("ab"), TypeError, "shape expects an int or a tuple of ints, found 'ab'"),
    (lambda: D.zeros((1,) * 65), ValueError, "an array of 65 dimensions; at most 64 are allowed"),
    (lambda: D.zeros(1 << 61), ValueError, "has more bytes than 64 bits can count"),
    (lambda: D.zeros(3, object), TypeError, "arrays of Python objects cannot be passed to kernels"),
    (
        lambda: D.zeros(1 << 63),
        ValueError,
        r"shape=\(9.*8,\) has an extent that does not fit 64 bits",
    ),
    (lambda: D.empty((2, 1 << 63)), ValueError, "has an extent that does not fit 64 bits"),
    (lambda: D.zeros(3, "S3"), TypeError, "arrays of byte strings cannot be passed to kernels"),
    (lambda: D.empty(3, "M8[s]"), TypeError, "arrays of dates cannot be passed to kernels"),
    (lambda: D.full(3, "abc"), TypeError, "arrays of text cannot be passed to kernels"),
    (lambda: D.zeros(3, ("U2", (2,))), TypeError, "arrays of text cannot be passed to kernels"),
    (lambda: D.zeros(3, "V0"), TypeError, r"elements of \|V0 have no bytes"),
    (lambda: D.asarray("abc"), TypeError, "arrays of text cannot be passed to kernels"),
    (lambda: D.asarray(["a"]), TypeError, "arrays of text cannot be passed to kernels"),
    (lambda: D.asarray(np.array(["a"])), TypeError, "arrays of text cannot be passed to kernels"),
    (
        lambda: D.asarray(np.zeros(2, "m8[s]"), device="cpu"),
        TypeError,
        "arrays of time differences cannot be passed to kernels",
    ),
    (lambda: D.full(3, [1, 2]), TypeError, r"fill_value expects one number, found shape \(2,\)"),
    (lambda: D.zeros(3, order="A"), ValueError, "order='A': 'C' .row by row. or 'F' was expected"),
    (
        lambda: D.zeros(3, memory="fast"),
        ValueError,
        "memory='fast' is no kind of memory; there are 'device', 'pinned', 'managed'",
    ),
    (lambda: D.asarray([1.0], memory="fast"), ValueError, "memory='fast' is no kind of memory"),
    (
        lambda: D.from_dlpack(np.ones(2), copy="x"),
        TypeError,
        "copy expects None, True or False, found 'x'",
    ),
    (
        lambda: D.asarray(object()),
        TypeError,
        "'object' is no array: it implements neither __dlpack__ nor __cuda_array_interface__ nor "
        "__sycl_usm_array_interface__, and is no buffer and no number",
    ),
    (lambda: D.asarray([None]), TypeError, "arrays of Python objects cannot be passed to kernels"),
    (
        lambda: D.zeros(3, device="gpu"),
        ValueError,
        "no device 'gpu': a GPU is 'cuda', 'cuda:1' or its",
    ),
    (
        lambda: D.zeros(3, device=2.5),
        TypeError,
        "a device is a Device, a number, 'cpu' or 'cuda:0'; found 'float'",
    ),
]


def test_asarray_keeps_vectors():
    """As full does."""
    v = D.float32x2(1, 2)
    for made, shape in ((v, ()), ([v, v, v], (3,)), ([[v], [v]], (2, 1)), ((v,), (1,))):
        found = D.asarray(made, device=HOST)
        assert (found.dtype, found.shape) == (D.full((), v, device=HOST).dtype, shape)
        assert found["y"].max() == found["y"].min() == 2
    assert D.asarray([(1, 2)], D.float32x2, device=HOST)["y"] == 2


def test_copies_lie_in_memory_of_ours(on_the_host):
    a = np.arange(12.0).reshape(3, 4)
    for made in (D.asarray(a, copy=True), D.asarray([1, 2]), D.asarray(a, np.float32),
                 D.asarray(3), D.from_dlpack(a, copy=True), D.asarray(a.T, copy=True)):  # fmt: skip
        assert made.ctypes.data % 256 == 0
        assert _core.memory_find(made.ctypes.data)[4]
    assert np.array_equal(D.asarray(a.T, copy=True), a.T)
    assert D.asarray(a.T, copy=True).flags.f_contiguous


@pytest.mark.parametrize(("wrong", "kind", "text"), WRONG)
def test_mistakes(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong()


def test_devices_by_their_names():
    for device in ("cpu", "host", HOST):
        assert type(D.zeros(2, device=device)) is np.ndarray
    # GPU 0, and the device that is the current one at first, are the host where there is no GPU.
    first = np.ndarray if _core.gpu_count() == 0 else D.Array
    for on_first in (
        D.zeros(2, device=0),
        D.zeros(2, device=None),
        D.zeros(2),
        D.empty(2),
        D.full(2, 1),
        D.arange(2),
        D.asarray([1, 2]),
        D.asarray(np.arange(2)),
    ):
        assert type(on_first) is first
    if _core.gpu_count() == 0:
        with pytest.raises(ValueError, match=r"no device 'cuda:1': .*; the host device is 'cpu'"):
            D.zeros(2, device="cuda:1")


def test_out_of_memory():
    with pytest.raises(OutOfMemoryError, match="bytes of memory of the host device") as caught:
        D.zeros(1 << 50, device=HOST)
    error = caught.value
    assert isinstance(error, MemoryError)
    assert error.asked == 8 << 50
    assert 0 < error.free <= error.total
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.asked, again.total) == (str(error), error.asked, error.total)
    assert D.zeros(10, device=HOST).sum() == 0


# --- buffers ---


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(
    "resource",
    [
        core.DeviceMemoryResource(HOST),
        core.PinnedMemoryResource(HOST),
        core.ManagedMemoryResource(HOST),
        HOST.memory_resource,
    ],
)
def test_buffers_of_the_host(resource):
    buffer = resource.allocate(1000)
    assert buffer.size == 1000
    assert buffer.handle % 256 == 0
    assert buffer.device_id == resource.device_id == HOST.device_id
    assert buffer.is_host_accessible
    assert resource.is_host_accessible
    assert buffer.is_device_accessible
    assert resource.is_device_accessible
    assert buffer.is_managed == resource.is_managed
    assert buffer.memory_resource is resource
    assert buffer.__dlpack_device__() == (1, 0)
    bytes_of_it = np.frombuffer(buffer, np.uint8)
    bytes_of_it[:] = 7
    assert np.from_dlpack(buffer).tolist() == [7] * 1000
    D.launch(add, bytes_of_it, 1, grid=4, block=256)
    assert bytes(buffer) == b"\x08" * 1000


@pytest.mark.usefixtures("nothing_left")
def test_a_buffer_for_a_while():
    with HOST.allocate(64) as buffer:
        assert not buffer.is_closed
    assert buffer.is_closed


def test_a_buffer_over_memory_of_others():
    owner = np.arange(16, dtype=np.uint8)
    known = sys.getrefcount(owner)
    buffer = core.Buffer.from_handle(owner.ctypes.data + 4, 8, owner=owner)
    assert sys.getrefcount(owner) == known + 1
    assert (buffer.handle, buffer.size) == (owner.ctypes.data + 4, 8)
    assert buffer.memory_resource is None
    assert bytes(buffer) == bytes(range(4, 12))
    buffer.fill(9, stream=HOST.default_stream)
    HOST.sync()
    assert owner.tolist() == [*range(4), *[9] * 8, *range(12, 16)]
    view = np.frombuffer(buffer, np.uint8)
    buffer.close()
    assert view.tolist() == [9] * 8
    assert sys.getrefcount(owner) == known + 1
    del view
    assert sys.getrefcount(owner) == known


@pytest.mark.usefixtures("nothing_left")
def test_a_buffer_in_another_buffer():
    buffer = HOST.allocate(1000)
    part = core.Buffer.from_handle(buffer.handle + 100, 900, owner=buffer)
    np.frombuffer(buffer, np.uint8)[:] = 3
    part.fill(4, stream=HOST.default_stream)
    HOST.sync()
    assert bytes(buffer) == b"\x03" * 100 + b"\x04" * 900
    for size, mr, address, error, text in (
        (2**40, None, buffer.handle, ValueError, "1099511627776 bytes do not fit the allocation"),
        (8, None, 0, ValueError, "0 is no address of memory"),
        (8, HOST.memory_resource, buffer.handle, TypeError, "takes no mr: memory resources free"),
    ):
        with pytest.raises(error, match=text):
            core.Buffer.from_handle(address, size, mr)


def test_the_resource_of_a_device():
    ours = HOST.memory_resource
    assert HOST.memory_resource is ours
    pinned = core.PinnedMemoryResource(HOST)
    HOST.memory_resource = pinned
    try:
        assert HOST.allocate(8).memory_resource is pinned
    finally:
        HOST.memory_resource = ours
    with pytest.raises(TypeError, match="memory_resource expects a MemoryResource, found 'int'"):
        HOST.memory_resource = 3


@pytest.mark.usefixtures("nothing_left")
def test_what_sees_a_buffer_keeps_its_memory():
    buffer = HOST.allocate(64)
    view, tensor = np.frombuffer(buffer, np.uint8), np.from_dlpack(buffer)
    view[:] = 3
    buffer.close()
    assert (buffer.size, buffer.handle) == (0, 0)
    assert repr(buffer) == "<cuda.device.core.Buffer closed>"
    HOST.allocate(64).fill(9, stream=HOST.default_stream)
    assert view.tolist() == tensor.tolist() == [3] * 64
    for use in (
        lambda: memoryview(buffer),
        lambda: buffer.__dlpack__(),
        lambda: buffer.device_id,
        lambda: buffer.fill(1, stream=HOST.default_stream),
    ):
        with pytest.raises(ValueError, match="the buffer is closed: its memory was freed"):
            use()
    buffer.close()


@pytest.mark.usefixtures("nothing_left")
def test_copies_and_fills_come_in_the_streams_order():
    stream = HOST.create_stream()
    a, b = HOST.allocate(16000, stream=stream), HOST.allocate(16000)
    floats = np.frombuffer(a, np.float32)
    D.launch(wait_and_fill, floats, 2.0, 200000, grid=16, block=256, stream=stream)
    b.copy_from(a, stream=stream)
    c = b.copy_to(stream=stream)
    a.fill(b"\x00\x00\x80\x3f", stream=stream)  # 1.0
    b.close()
    stream.sync()
    assert np.frombuffer(c, np.float32).tolist() == [2.0] * 4000
    assert floats.tolist() == [1.0] * 4000


@pytest.mark.usefixtures("nothing_left")
def test_a_copy_keeps_what_it_copies():
    """Buffers that were dropped, on a stream of others, while the copy still waits."""
    stream, other = HOST.create_stream(), HOST.create_stream()
    busy = np.zeros(4000, np.float32)
    target = HOST.allocate(16000)
    D.launch(wait_and_fill, busy, 2.0, 200000, grid=16, block=256, stream=stream)
    source = HOST.allocate(16000, stream=other)
    source.fill(5, stream=other)
    other.sync()
    target.copy_from(source, stream=stream)
    del source
    for _ in range(4):
        HOST.allocate(16000, stream=other).fill(6, stream=other)
    stream.sync()
    other.sync()
    assert bytes(target) == b"\x05" * 16000


ORDER = HOST.default_stream
BUFFER_MISTAKES = [
    (lambda b: HOST.allocate(-1), ValueError, r"allocate\(\): the size is -1 bytes; 0 or more"),
    (lambda b: HOST.allocate("x"), TypeError, "incompatible function arguments"),
    (lambda b: b.copy_to(stream=None), TypeError, r"copy_to\(\) needs a stream"),
    (
        lambda b: b.copy_to(HOST.allocate(3), stream=ORDER),
        ValueError,
        "8 and 3 bytes",
    ),
    (lambda b: b.copy_from(b"12345678", stream=ORDER), TypeError, "found 'bytes'"),
    (lambda b: b.fill(256, stream=ORDER), OverflowError, "256 does not fit a byte"),
    (lambda b: b.fill(-1, stream=ORDER), OverflowError, "-1 does not fit a byte"),
    (
        lambda b: b.fill(2.5, stream=ORDER),
        TypeError,
        "an int or bytes, found 'float'",
    ),
    (lambda b: b.fill(b"123", stream=ORDER), ValueError, "1, 2 or 4 were expected"),
    (
        lambda b: HOST.allocate(6).fill(b"1234", stream=ORDER),
        ValueError,
        "6 bytes are no whole number of 4-byte elements",
    ),
    (
        lambda b: HOST.allocate(8, stream=3),
        TypeError,
        "expects as stream a stream of cuda.device.core, .* found 'int'",
    ),
    (lambda b: b.__dlpack__(stream=1), ValueError, "memory of the host device has no CUDA streams"),
    (lambda b: b.__dlpack__(dl_device=(2, 0)), BufferError, r"dl_device=\(2, 0\) is neither"),
    (lambda b: core.DeviceMemoryResource(HOST, {"max_size": 5}), TypeError, "takes no options"),
]


@pytest.mark.parametrize(("wrong", "kind", "text"), BUFFER_MISTAKES)
def test_mistakes_with_buffers(wrong, kind, text):
    with pytest.raises(kind, match=text):
        wrong(HOST.allocate(8))


@clause("DEV-DLP-14", partial="the interpreter's end")
@pytest.mark.usefixtures("nothing_left")
def test_a_tensor_may_be_dropped_by_any_thread():
    held = [HOST.allocate(100).__dlpack__() for _ in range(50)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert held == []


@pytest.mark.usefixtures("nothing_left")
def test_many_threads_allocate_copy_and_free():
    wrong = []

    def work(seed):
        random = np.random.default_rng(seed)
        stream = HOST.create_stream()
        for n in range(300):
            size = int(random.integers(1, 200000))
            a = HOST.allocate(size, stream=stream)
            a.fill(n % 256, stream=stream)
            b = a.copy_to(HOST.allocate(size, stream=stream), stream=stream)
            a.close()
            c = HOST.allocate(size, stream=stream)
            c.fill(255 - n % 256, stream=stream)
            if n % 5 == 0:
                stream.sync()
                if set(bytes(b)) != {n % 256} or set(bytes(c)) != {255 - n % 256}:
                    wrong.append((seed, n))
        stream.sync()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_trimming_gives_back_what_is_kept():
    HOST.allocate(5 << 20).close()
    assert _core.memory_figures(-1)["kept"] >= 5 << 20
    HOST.memory_resource.trim()
    assert _core.memory_figures(-1)["kept"] == 0
