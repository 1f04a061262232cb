"""Arrays of other libraries on the host, through DLPack (DEV-DLP, DEV-ARR-22, DEV-ARR-23)."""

import gc
import sys
import weakref

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from interop.dlpack_producer import Producer
from support.clauses import clause


@D.kernel
def add_one(a):
    i = D.tid(1)
    if i < a.size:
        a[i] += 1


@D.kernel
def copy(out, a):
    i, j = D.tid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j]


@D.kernel
def first(out, a):
    out[0] = a[0]


def run(kernel, *args, **options):
    D.launch(kernel, *args, grid=4, block=64, **options)


@clause("DEV-ARR-22", "DEV-DLP-01", "DEV-DLP-02", "DEV-DLP-05", partial="the CPU only")
def test_a_versioned_producer():
    a = np.arange(100.0)
    producer = Producer(a)
    run(add_one, producer)
    assert np.array_equal(a, np.arange(100.0) + 1)
    assert producer.calls == [("device", {}), ("dlpack", {"max_version": (1, 0)})]
    assert producer.names() == [b"used_dltensor_versioned"]
    assert producer.deleted == 1


@clause("DEV-DLP-02", "DEV-DLP-05", partial="our own arrays as producers")
def test_a_legacy_producer():
    a = np.arange(100, dtype=np.int32)
    producer = Producer(a, legacy=True)
    run(add_one, producer)
    assert np.array_equal(a, np.arange(1, 101))
    assert [call[0] for call in producer.calls] == ["device", "dlpack", "dlpack"]
    assert producer.calls[-1] == ("dlpack", {})
    assert producer.names() == [b"used_dltensor"]
    assert producer.deleted == 1


@pytest.mark.parametrize("legacy", [False, True])
def test_a_producer_without_deleter(legacy):
    a = np.zeros(8)
    run(add_one, Producer(a, legacy=legacy, with_deleter=False))
    assert (a == 1).all()


@clause("DEV-DLP-05", "DEV-DLP-14", partial="our own arrays as producers")
def test_the_deleter_is_called_once_and_only_when_the_launch_is_done():
    stream = D.core.Device("host").create_stream()
    a = np.zeros(64)
    gate = D.core.Device("host").create_stream()
    D.launch(spin, np.ones(1, np.uint32), 20_000_000, grid=1, block=1, stream=gate)
    stream.wait(gate)
    producer = Producer(a)
    run(add_one, producer, stream=stream)
    assert producer.deleted == 0
    stream.sync()
    assert producer.deleted == 1
    assert (a == 1).all()
    gc.collect()
    assert producer.deleted == 1


@D.kernel
def spin(a, n):
    x = D.uint32(a[0])
    i = 0
    while i < n:
        x = x * 1664525 + 1013904223
        i += 1
    a[0] = x


@clause("DEV-DLP-08")
@pytest.mark.parametrize("legacy", [False, True])
def test_strides_null_strides_and_offsets(target, legacy):
    base = np.arange(600, dtype=np.float32).reshape(20, 30)
    views = {
        "transposed": Producer(base.T, legacy=legacy),
        "stepped": Producer(base[::2, 1::3], legacy=legacy),
        "reversed": Producer(base[::-1, ::-1], legacy=legacy),
        "null strides": Producer(base, legacy=legacy, strides=None),
        "byte offset": Producer(base[3:, 2:], legacy=legacy, byte_offset=16),
        "zero strides": Producer(np.broadcast_to(base[:1], (7, 30)), legacy=legacy),
    }
    for name, producer in views.items():
        out = np.full((32, 32), -1, dtype=np.float32)
        D.launch(copy, out, producer, grid=(4, 4), block=(8, 8))
        rows, columns = producer.array.shape
        assert np.array_equal(out[:rows, :columns], producer.array), name
        assert (out[rows:] == -1).all(), name
        assert (out[:, columns:] == -1).all(), name


@clause("DEV-DLP-08")
def test_empty_and_zero_dimensional_arrays(target):
    @D.kernel
    def sizes(out, a, b):
        out[0] = a.size
        out[1] = b.ndim
        out[2] = b[()] + 1

    out = np.zeros(3, dtype=np.int64)
    empty = np.zeros((3, 0, 2), dtype=np.int32)
    number = np.array(41, dtype=np.int64)
    D.launch(sizes, out, Producer(empty), Producer(number), grid=1, block=1)
    assert out.tolist() == [0, 0, 42]


@clause("DEV-DLP-09", partial="float16, bfloat16, float8, complex")
@pytest.mark.parametrize(
    "dtype", ["bool", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]
)
def test_every_format(target, dtype):
    a = np.array([1], dtype=dtype)
    out = np.zeros(1, dtype=dtype)
    D.launch(first, Producer(out), Producer(a), grid=1, block=1)
    assert out[0] == 1


@clause("DEV-DLP-07")
def test_an_unknown_version():
    producer = Producer(np.zeros(4), version=(2, 0))
    with pytest.raises(errors.LaunchBufferError) as raised:
        run(add_one, producer)
    text = "argument 1 ('a') of kernel 'add_one': DLPack version 2.0 is not known"
    assert str(raised.value) == text
    assert producer.deleted == 1


@clause("DEV-DLP-07")
def test_a_newer_minor_version():
    a = np.zeros(4)
    run(add_one, Producer(a, version=(1, 9)))
    assert (a == 1).all()


@clause("DEV-DLP-10", partial="vectors, which are not there yet")
@pytest.mark.parametrize("lanes", [2, 8])
def test_lanes(lanes):
    producer = Producer(np.zeros(4), lanes=lanes)
    with pytest.raises(NotImplementedError, match=f"float64x{lanes}"):
        run(add_one, producer)
    assert producer.deleted == 1


@clause("DEV-DLP-06")
@pytest.mark.parametrize("legacy", [False, True])
def test_a_capsule_that_was_used(legacy):
    producer = Producer(np.zeros(4), legacy=legacy)
    run(add_one, producer)
    used = producer.capsules[0]
    producer._capsule = lambda: used
    with pytest.raises(errors.LaunchBufferError, match="no unused DLPack capsule"):
        run(add_one, producer)
    assert producer.deleted == 1


@clause("DEV-ARR-28", "DEV-DLP-11", partial="CUDA arrays; our own arrays as producers")
def test_read_only_memory(target):
    a = np.zeros(4)
    producer = Producer(a, flags=1)
    with pytest.raises(errors.CompileError, match="read-only"):
        run(add_one, producer)
    assert (a == 0).all()
    assert producer.deleted == 1
    out = np.zeros(1)
    D.launch(first, out, Producer(np.array([7.0]), flags=1), grid=1, block=1)
    assert out[0] == 7


@clause("DEV-ARR-28", partial="CUDA arrays")
def test_a_read_only_numpy_array(target):
    a = np.zeros(4)
    a.flags.writeable = False
    with pytest.raises(errors.CompileError, match="read-only"):
        run(add_one, a)
    assert (a == 0).all()


@clause("DEV-DLP-16")
@pytest.mark.parametrize("offset", range(1, 16))
def test_any_alignment(target, offset):
    raw = np.zeros(16 + 64 * 4, dtype=np.uint8)
    a = raw[offset : offset + 256].view(np.float32) if offset % 4 == 0 else None
    if a is None:  # not even element-aligned: NumPy makes such views of packed records
        a = np.ndarray(64, dtype=np.float32, buffer=raw, offset=offset)
    run(add_one, a)
    assert (a == 1).all()
    assert (raw[:offset] == 0).all()
    assert (raw[offset + 256 :] == 0).all()


class Both:
    """DLPack and the CUDA Array Interface; the second must not be read (DEV-ARR-23)."""

    def __init__(self, array):
        self.producer = Producer(array)

    def __dlpack_device__(self):
        return self.producer.__dlpack_device__()

    def __dlpack__(self, **keywords):
        return self.producer.__dlpack__(**keywords)

    @property
    def __cuda_array_interface__(self):
        raise AssertionError("DLPack wins")


@clause("DEV-ARR-23", partial="the CUDA Array Interface, which is not there yet")
def test_dlpack_wins():
    a = np.zeros(4)
    run(add_one, Both(a))
    assert (a == 1).all()


def test_the_error_of_a_producer_comes_through():
    class Refusing(Producer):
        def __dlpack__(self, **keywords):
            raise BufferError("not today")

    with pytest.raises(BufferError, match="not today"):
        run(add_one, Refusing(np.zeros(4)))


def test_arguments_are_released():
    """An asynchronous launch keeps its arrays until it is done, and no longer."""

    class Array(np.ndarray):
        pass

    stream = D.core.Device("host").create_stream()
    a = np.zeros(4).view(Array)
    reference = weakref.ref(a)
    run(add_one, a, stream=stream)
    del a
    stream.sync()
    gc.collect()
    assert reference() is None


def test_nothing_leaks():
    a = np.zeros(64)
    stream = D.core.Device("host").create_stream()
    for _ in range(3):
        run(add_one, a, stream=stream)
    stream.sync()
    before = sys.getrefcount(a)
    for _ in range(100):
        run(add_one, a)
        run(add_one, a, stream=stream)
    stream.sync()
    assert sys.getrefcount(a) == before


@clause("DEV-DLP-02", partial="stream keyword")
def test_torch():
    torch = pytest.importorskip("torch")
    a = torch.zeros(100, dtype=torch.float32)
    run(add_one, a[::2])
    assert (a[::2] == 1).all()
    assert (a[1::2] == 0).all()
