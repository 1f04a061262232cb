"""DLPack of the host, consumed by launch (DEV-DLP)."""

import gc

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from cuda.device.errors import CompileError
from support.clauses import clause
from support.dlpack import Producer, check_against_numpy
from support.kernels import add_one
from support.launching import run
from support.layouts import copy_1d, copy_2d
from support.scalars import TYPES, assert_same_bits, samples

from support import dlpack

REFUSED = (BufferError, TypeError, ValueError)
DEVICES = "other devices than the CPU"
PRODUCER = "our own arrays as producers"


@D.kernel
def extents(out, a):
    out[0] = a.size
    out[1] = a.ndim


def test_the_producer_of_these_tests_is_right():
    assert check_against_numpy()


@clause("DEV-DLP-01", partial=DEVICES)
def test_the_device_is_asked_first():
    a = Producer(np.zeros(4))
    run(add_one, a, block=4)
    assert a.calls[0] == "__dlpack_device__"
    assert a.array.tolist() == [1] * 4


@clause("DEV-DLP-01", partial=DEVICES)
@pytest.mark.parametrize("kind", [dlpack.CUDA, dlpack.ONEAPI, 4, 10])
def test_memory_of_other_devices_is_refused(kind):
    a = Producer(np.zeros(4), device=(kind, 0))
    # Without a stream a launch on memory of a GPU runs there, if the machine has one.
    options = {"stream": core.Device("host").default_stream} if kind == dlpack.CUDA else {}
    with pytest.raises(REFUSED):
        D.launch(add_one, a, grid=1, block=4, **options)
    assert (a.array == 0).all()


@clause("DEV-DLP-02")
def test_the_versioned_struct_is_asked_for():
    a = Producer(np.zeros(4))
    run(add_one, a, block=4)
    (keywords,) = [call[1] for call in a.calls if call[0] == "__dlpack__"]
    assert keywords["max_version"][0] == 1
    assert a.array.tolist() == [1] * 4


@clause("DEV-DLP-02")
def test_old_producers_are_asked_again_without_new_keywords():
    a = Producer(np.zeros(4), versioned=False)
    run(add_one, a, block=4)
    assert set(a.calls[-1][1]) <= {"stream"}
    assert a.array.tolist() == [1] * 4


@clause("DEV-DLP-03", partial="CUDA streams; " + PRODUCER)
@pytest.mark.parametrize("versioned", [True, False])
def test_the_stream_for_host_memory_is_none(versioned):
    a = Producer(np.zeros(4), versioned=versioned)
    run(add_one, a, block=4)
    keywords = a.calls[-1][1]
    assert keywords.get("stream") is None


@clause("DEV-DLP-05", partial=PRODUCER)
@pytest.mark.parametrize("versioned", [True, False])
def test_capsules_are_renamed_and_freed_once(versioned):
    a = Producer(np.zeros(4), versioned=versioned)
    run(add_one, a, block=4)
    name = "used_dltensor_versioned" if versioned else "used_dltensor"
    assert a.capsule_names() == [name]
    gc.collect()
    assert a.deleted == 1
    run(add_one, a, block=4)
    gc.collect()
    assert a.deleted == 2
    assert a.array.tolist() == [2] * 4


@clause("DEV-DLP-05", partial=PRODUCER)
def test_the_memory_is_held_until_the_kernel_is_done():
    stream = D.core.Device("host").create_stream()
    a = Producer(np.zeros(1 << 20))
    for _ in range(10):
        D.launch(add_one, a, grid=1 << 12, block=256, stream=stream)
    assert a.deleted <= 10
    stream.sync()
    gc.collect()
    assert a.deleted == 10
    assert (a.array == 10).all()


@clause("DEV-DLP-06")
@pytest.mark.parametrize("name", ["used_dltensor", "used_dltensor_versioned", "something"])
def test_used_or_misnamed_capsules_are_refused(name):
    a = Producer(np.zeros(4), name=name)
    with pytest.raises((ValueError, BufferError)):
        D.launch(add_one, a, grid=1, block=4)
    assert a.deleted == 0
    assert a.capsule_names() == [name]


@clause("DEV-DLP-07")
def test_a_newer_major_version_is_refused_and_freed():
    a = Producer(np.zeros(4), version=(2, 0))
    with pytest.raises(BufferError, match="version"):
        D.launch(add_one, a, grid=1, block=4)
    gc.collect()
    assert a.deleted == 1
    assert (a.array == 0).all()


@clause("DEV-DLP-07")
def test_a_newer_minor_version_is_taken():
    a = Producer(np.zeros(4), version=(1, 99))
    run(add_one, a, block=4)
    assert a.array.tolist() == [1] * 4


BASE = np.arange(40, dtype=np.int32)


@clause("DEV-DLP-08")
@pytest.mark.parametrize("versioned", [True, False])
def test_strides_count_elements(target, versioned):
    out = np.zeros((3, 4), dtype=np.int32)
    view = np.lib.stride_tricks.as_strided(BASE, (3, 4), (40, 12))
    run(copy_2d, out, Producer(view, versioned=versioned), block=(4, 3))
    assert np.array_equal(out, view)
    view = BASE[::-3][:12].reshape(3, 4)
    run(copy_2d, out, Producer(view, versioned=versioned), block=(4, 3))
    assert np.array_equal(out, view)


@clause("DEV-DLP-08")
def test_no_strides_mean_rows(target):
    out = np.zeros((5, 8), dtype=np.int32)
    run(copy_2d, out, Producer(BASE, shape=(5, 8), strides=None), block=(8, 5))
    assert np.array_equal(out, BASE.reshape(5, 8))


@clause("DEV-DLP-08", "DEV-DLP-16")
@pytest.mark.parametrize("offset", [4, 12, 100])
def test_byte_offset(target, offset):
    out = np.zeros(10, dtype=np.int32)
    run(copy_1d, out, Producer(BASE, shape=(10,), strides=(1,), byte_offset=offset), block=32)
    assert np.array_equal(out, BASE[offset // 4 : offset // 4 + 10])


@clause("DEV-DLP-08")
def test_no_dimensions_and_no_elements(target):
    out = np.zeros(2, dtype=np.int64)
    run(extents, out, Producer(BASE[:1], shape=(), strides=()))
    assert out.tolist() == [1, 0]
    run(extents, out, Producer(BASE, shape=(0, 3), strides=None, data=None))
    assert out.tolist() == [0, 2]


@clause("DEV-DLP-09", partial="float16, bfloat16, float8, complex; " + PRODUCER)
@pytest.mark.parametrize("name", TYPES)
def test_element_types(target, name):
    a = samples(name)
    out = np.zeros_like(a)
    run(copy_1d, Producer(out), Producer(a), block=32)
    assert_same_bits(out, a)


UNSUPPORTED = [(0, 4), (1, 128), (2, 128), (2, 8), (3, 64), (6, 1), (6, 32), (99, 32), (0, 24)]


@clause("DEV-DLP-09", partial="float16, bfloat16, float8, complex; " + PRODUCER)
@pytest.mark.parametrize(("code", "bits"), UNSUPPORTED)
def test_other_element_types_are_refused(code, bits):
    a = Producer(np.zeros(64), code=code, bits=bits)
    with pytest.raises(REFUSED):
        D.launch(add_one, a, grid=1, block=1)
    gc.collect()
    assert a.deleted == 1


@clause("DEV-DLP-10", partial="lanes of 2 to 4 as our vectors")
@pytest.mark.parametrize("lanes", [0, 8, 16])
def test_other_lanes_are_refused(lanes):
    a = Producer(np.zeros(64, dtype=np.float32), lanes=lanes, shape=(4,), strides=(1,))
    with pytest.raises(BufferError, match="lanes"):
        D.launch(add_one, a, grid=1, block=1)


@clause("DEV-DLP-11", partial="the flag of a copy")
def test_the_read_only_flag_is_honoured(target):
    a = Producer(np.zeros(4), flags=dlpack.READ_ONLY)
    with pytest.raises((*REFUSED, CompileError), match="read-only"):
        run(add_one, a, block=4)
    assert (a.array == 0).all()
    out = np.ones(4)
    run(copy_1d, out, a, block=4)
    assert (out == 0).all()


@clause("DEV-DLP-14", partial="the interpreter's end; deleters that need the GIL")
def test_a_missing_deleter_is_accepted():
    a = Producer(np.zeros(4), deleter=False)
    run(add_one, a, block=4)
    assert a.array.tolist() == [1] * 4
