"""DLPack of the host, consumed by launch (DEV-DLP)."""

import ctypes
import gc
import os
import random
import re
import threading
import time
import weakref

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core
from cuda.device import array_api as xp
from cuda.device.errors import CompileError
from support.array_views import check_elements, view_of
from support.clauses import clause
from support.dlpack import Producer, check_against_numpy
from support.exchange import Partner
from support.interfaces import cuda_dict
from support.kernels import add_one
from support.launching import run
from support.layouts import copy_1d, copy_2d
from support.programs import environment, run_text
from support.scalars import TYPES, assert_same_bits, samples

from support import dlpack

REFUSED = (BufferError, TypeError, ValueError)
DEVICES = "other devices than the CPU"
PRODUCER = "our own arrays as producers"
FORMATS = (
    *(np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64),
    *(np.float16, np.float32, np.float64, np.complex64, np.complex128),
    *(D.bfloat16, D.float8e4m3, D.float8e5m2),
)
# DLPack's codes of them.
CODES = dict(zip(FORMATS, (6, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 5, 5, 4, 10, 12), strict=True))


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
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (dlpack.CUDA, "a CUDA GPU"),
        (dlpack.ONEAPI, "a oneAPI device"),
        (4, "an OpenCL device"),
        (10, "a ROCm GPU"),
        (99, "a device of an unknown kind"),
    ],
)
def test_memory_of_other_devices_is_refused(kind, name):
    a = Producer(np.zeros(4), device=(kind, 0))
    # Without a stream a launch on memory of a GPU runs there, if the machine has one.
    options = {"stream": core.Device("host").default_stream} if kind == dlpack.CUDA else {}
    place = f"the array lives on {name} (DLPack device type {kind})"
    if options and _core.gpu_count():
        place = "the array lives on GPU 0, but the launch's stream is one of the host device"
    text = f"argument 1 ('a') of kernel 'add_one': {place}"
    with pytest.raises(ValueError, match=re.escape(text)):
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
@pytest.mark.parametrize("make", [Producer, Partner])
def test_the_memory_is_held_until_the_kernel_is_done(make):
    stream = D.core.Device("host").create_stream()
    a = make(np.zeros(1 << 20))
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
    text = "argument 1 ('a') of kernel 'add_one': __dlpack__() returned no unused DLPack capsule"
    with pytest.raises((ValueError, BufferError), match=re.escape(text)):
        D.launch(add_one, a, grid=1, block=4)
    with pytest.raises(BufferError, match="no unused DLPack capsule"):
        D.from_dlpack(a)
    assert a.deleted == 0
    assert a.capsule_names() == [name] * 2


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


UNSUPPORTED = [
    *((0, 4, "int4"), (1, 128, "uint128"), (2, 128, "float128"), (2, 8, "float8")),
    *((3, 64, "opaque64"), (6, 1, "bool1"), (6, 32, "bool32"), (0, 24, "int24")),
    *((99, 32, "type code 99 of 32 bits"), (5, 32, "complex32")),
]


@clause("DEV-DLP-09", partial="float16, bfloat16, float8, complex; " + PRODUCER)
@pytest.mark.parametrize(("code", "bits", "name"), UNSUPPORTED)
def test_other_element_types_are_refused(code, bits, name):
    a = Producer(np.zeros(64), code=code, bits=bits)
    text = f"argument 1 ('a') of kernel 'add_one': arrays of '{name}' cannot be passed to a kernel"
    with pytest.raises(TypeError, match=re.escape(text)):
        D.launch(add_one, a, grid=1, block=1)
    gc.collect()
    assert a.deleted == 1


@D.kernel
def copy_elements(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i]


@clause("DEV-DLP-09")
def test_formats_of_the_host_go_out_and_come_back(target):
    """Ours as producers; complex numbers and small floats as arguments by DLPack."""
    for format in FORMATS:
        a = xp.asarray(np.arange(4).astype(format))
        for versioned in (True, False):
            found = dlpack.tensor_of(a.__dlpack__(max_version=(1, 0) if versioned else None))
            size = a.itemsize * 8
            assert (found.code, found.bits, found.lanes) == (CODES[format], size, 1)
        back = D.from_dlpack(a)
        assert back.dtype == format
        assert np.shares_memory(back, a)
    for format in (np.complex64, D.bfloat16, D.float8e5m2):
        a = np.arange(4).astype(format)
        out = np.zeros(4, format)
        given = Producer(a, code=CODES[format], bits=8 * a.itemsize)
        run(copy_elements, Producer(out, code=CODES[format], bits=8 * a.itemsize), given, block=4)
        assert out.tobytes() == a.tobytes()
    for dtype in ("S3", "M8[s]", ">i4", [("x", "i4")], D.float32x1.numpy_dtype, np.longdouble):
        with pytest.raises(BufferError, match="DLPack"):
            np.zeros(3, dtype).view(xp.HostArray).__dlpack__()


@clause("DEV-DLP-09", "DEV-DLP-10", partial=DEVICES)
def test_vectors_are_given_away_as_lanes():
    for vector, code in ((D.float32x3, 2), (D.int16x2, 0), (D.uint8x4, 1), (D.float64x2, 2)):
        size = vector.numpy_dtype.itemsize
        a = xp.asarray(np.arange(4 * size, dtype=np.uint8).view(vector.numpy_dtype))
        for versioned in (True, False):
            found = dlpack.tensor_of(a.__dlpack__(max_version=(1, 0) if versioned else None))
            assert (found.code, found.lanes) == (code, len(vector.numpy_dtype.names))
            assert found.bits * found.lanes == 8 * size
        back = D.from_dlpack(a)
        assert back.dtype == vector.numpy_dtype
        assert np.shares_memory(back, a)


@clause("DEV-DLP-12", partial=DEVICES)
def test_strides_that_lead_nowhere_need_not_be_whole_elements():
    """Of an axis with one element, or of an array with none."""
    packed = np.zeros(4, [("x", "<i1"), ("y", "<f4")])
    y = packed["y"].view(xp.HostArray)
    for part in (y[:1], y[:0], y[:0].reshape(0, 1)):
        back = np.from_dlpack(part)
        assert back.shape == part.shape
        if part.size:
            assert np.shares_memory(back, packed)
    with pytest.raises(BufferError, match="a stride of 5 bytes is no whole number of 4-byte"):
        y[:2].__dlpack__()


@D.kernel
def when_let(a, gate):
    while D.atomic_ref(gate, 0).load() == 0:
        pass
    a[1] = 1


@clause("DEV-DLP-04", partial=DEVICES)
def test_what_is_queued_is_done_when_the_tensor_is_given():
    for consumer in (np.from_dlpack, D.from_dlpack):
        stream = core.Device("host").create_stream()
        a, gate = xp.zeros(2, dtype=np.uint32), np.zeros(1, np.int32)
        D.launch(when_let, a, gate, grid=1, block=1, stream=stream)
        threading.Timer(0.2, lambda gate=gate: gate.fill(1)).start()
        assert consumer(a)[1] == 1


@clause("DEV-DLP-02", partial=DEVICES)
def test_what_a_producer_raises_says_which_argument_it_was():
    class Fails(Producer):
        def __dlpack__(self, **keywords):
            raise RuntimeError("still being computed")

    with pytest.raises(RuntimeError, match="still being computed") as failure:
        run(add_one, Fails(np.zeros(4)), block=4)
    assert any("'a'" in note and "add_one" in note for note in failure.value.__notes__)


@D.kernel
def turned(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = D.float32x3(a[i].z, a[i].x, a[i].y)


@clause("DEV-DLP-10")
def test_lanes_are_our_vectors(target):
    numbers = np.arange(12, dtype=np.float32)
    a = Producer(numbers, lanes=3, shape=(4,), strides=(1,))
    out = np.zeros(12, np.float32)
    run(turned, Producer(out, lanes=3, shape=(4,), strides=None), a, block=4)
    assert out.tolist() == [2, 0, 1, 5, 3, 4, 8, 6, 7, 11, 9, 10]
    for lanes, dtype in ((2, D.float32x2), (3, D.float32x3), (4, D.float32x4)):
        given = Producer(numbers, lanes=lanes, shape=(3,), strides=(-1,), byte_offset=8 * lanes)
        found = D.from_dlpack(given)
        assert found.dtype == dtype.numpy_dtype
        assert found["x"].tolist() == numbers[: 3 * lanes : lanes][::-1].tolist()
        found["y"][0] = 50
        assert numbers[2 * lanes + 1] == 50
        numbers[2 * lanes + 1] = 2 * lanes + 1


@clause("DEV-DLP-10")
@pytest.mark.parametrize("lanes", [0, 8, 16])
def test_other_lanes_are_refused(lanes):
    a = Producer(np.zeros(64, dtype=np.float32), lanes=lanes, shape=(4,), strides=(1,))
    with pytest.raises(BufferError, match="lanes"):
        D.launch(add_one, a, grid=1, block=1)
    with pytest.raises(BufferError, match=rf"^from_dlpack\(\): elements of {lanes} lanes"):
        D.from_dlpack(a)
    gc.collect()
    assert a.deleted == 2


@clause("DEV-DLP-11")
def test_the_read_only_flag_is_honoured(target):
    a = Producer(np.zeros(4), flags=dlpack.READ_ONLY)
    with pytest.raises((*REFUSED, CompileError), match="read-only"):
        run(add_one, a, block=4)
    assert (a.array == 0).all()
    out = np.ones(4)
    run(copy_1d, out, a, block=4)
    assert (out == 0).all()


@clause("DEV-DLP-11", "DEV-DLP-12", "DEV-DLP-13")
@clause("DEV-DLP-03", partial="CUDA streams")
def test_keywords_of_our_producer():
    a = xp.asarray(np.arange(6.0).reshape(2, 3))
    new = {"max_version": (1, 0)}

    def exported(array, **keywords):
        capsule = array.__dlpack__(**keywords)
        found = dlpack.tensor_of(capsule)
        return dlpack.name_of(capsule), getattr(found, "flags", None), found.data

    here = a.__array_interface__["data"][0]
    assert exported(a) == exported(a, max_version=(0, 8)) == ("dltensor", None, here)
    for copy in (None, False):
        for device in (None, (1, 0)):
            found = exported(a, **new, copy=copy, dl_device=device)
            assert found == ("dltensor_versioned", 0, here)
    name, flags, data = exported(a, **new, copy=True)
    assert (name, flags) == ("dltensor_versioned", dlpack.IS_COPIED)
    assert data != here
    fixed = a.view()
    fixed.flags.writeable = False
    assert exported(fixed, **new)[1] == dlpack.READ_ONLY
    assert exported(fixed, **new, copy=True)[1] == dlpack.IS_COPIED
    assert not D.from_dlpack(fixed).flags.writeable
    capsule = a[:, ::-1].__dlpack__()
    tensor = dlpack.tensor_of(capsule)
    assert [tensor.shape[:2], tensor.strides[:2]] == [[2, 3], [3, -1]]
    assert tensor.data + tensor.byte_offset == here + 16
    assert dlpack.tensor_of(a[:0].__dlpack__()).data is None
    refused = [
        (a, {"dl_device": (2, 0)}, BufferError, "dl_device=(2, 0) is neither (1, 0), where"),
        (a, {"dl_device": 3}, TypeError, "dl_device is (device type, device id), found 3"),
        (a, {"copy": "no"}, TypeError, "copy is None, True or False, found 'no'"),
        (a, {"max_version": 1}, TypeError, "max_version is (major, minor), found 1"),
        (a, {"stream": 0}, ValueError, "has no CUDA streams; stream=0 was given"),
        (a, {"stream": -2}, ValueError, "has no CUDA streams; stream=-2 was given"),
        (a, {"stream": True}, ValueError, "has no CUDA streams; stream=True was given"),
        (fixed, {}, BufferError, "a read-only array needs max_version=(1, 0) or newer"),
        (
            np.zeros(3, [("x", "i1"), ("y", "<i4")]).view(xp.HostArray)["y"],
            {},
            BufferError,
            "a stride of 5 bytes is no whole number of 4-byte elements",
        ),
    ]
    for array, keywords, error, text in refused:
        with pytest.raises(error) as raised:
            array.__dlpack__(**keywords)
        assert str(raised.value).startswith("__dlpack__(): ")
        assert text in str(raised.value)


@clause("DEV-DLP-05", "DEV-DLP-15")
def test_our_capsules_are_used_once_and_free_themselves():
    a = xp.zeros(1000)
    alive = weakref.ref(a)
    held = [a.__dlpack__(), a.__dlpack__(max_version=(1, 0))]
    assert [dlpack.name_of(c) for c in held] == ["dltensor", "dltensor_versioned"]

    class Given:
        def __dlpack__(self, **keywords):
            return held[-1]

        def __dlpack_device__(self):
            return 1, 0

    taken = D.from_dlpack(Given())
    assert dlpack.name_of(held[-1]) == "used_dltensor_versioned"
    with pytest.raises(BufferError, match="returned no unused DLPack capsule"):
        D.from_dlpack(Given())
    taken[3] = 7
    assert a[3] == 7
    del a
    gc.collect()
    assert alive() is not None
    held.clear()
    gc.collect()
    assert alive() is not None
    assert taken[3] == 7
    del taken
    gc.collect()
    assert alive() is None
    for missing in ("__dlpack__", "__dlpack_device__"):
        kept = {k: v for k, v in vars(Given).items() if k.startswith("__dlpack") and k != missing}
        with pytest.raises(AttributeError, match=f"needs {missing}, which 'Half' lacks"):
            D.from_dlpack(type("Half", (), kept)())


@clause("DEV-DLP-14")
def test_deleters_run_on_any_thread_and_not_after_the_end(tmp_path):
    """A deleter of Python's, called by a thread of the host device's that has never had the GIL."""
    a = Producer(np.zeros(1 << 16))
    seen = []
    delete = a._delete
    a._delete = lambda _: (seen.append(threading.get_ident()), delete(_))
    stream = core.Device("host").create_stream()
    for _ in range(20):
        D.launch(add_one, a, grid=1 << 8, block=256, stream=stream)
    stream.sync()
    deadline = time.monotonic() + 20
    while a.deleted < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert a.deleted == len(seen) == 20
    # A thread of C's own calls ours.
    b = xp.zeros(1000)
    alive = weakref.ref(b)
    capsule = b.__dlpack__(max_version=(1, 0))
    managed = dlpack.managed_of(capsule)
    del b
    dlpack.rename(capsule, b"used_dltensor_versioned")
    thread = ctypes.CDLL(None).pthread_create
    made = ctypes.c_ulong()
    address = ctypes.cast(managed.deleter, ctypes.c_void_p)
    assert thread(ctypes.byref(made), None, address, ctypes.byref(managed)) == 0
    assert ctypes.CDLL(None).pthread_join(made, None) == 0
    gc.collect()
    assert alive() is None
    done = run_text(tmp_path, AT_THE_END, env=environment())
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")


AT_THE_END = """
import atexit
import numpy as np
from cuda import device as D
from cuda.device import array_api as xp, core
from support.dlpack import Producer

@D.kernel
def add(a):
    i = D.tid(1)
    if i < a.size:
        a[i] += 1

a = Producer(np.zeros(1 << 20))
held = [D.from_dlpack(a), xp.zeros(5).__dlpack__(), D.from_dlpack(xp.zeros(7))]
stream = core.Device("host").create_stream()
for _ in range(30):
    D.launch(add, a, grid=1 << 12, block=256, stream=stream)
import builtins
builtins.kept = held  # as long as the interpreter
print("end")
"""


NOBODYS = """
import ctypes
import mmap
import numpy as np
from cuda import device as D
from support.dlpack import Producer

@D.kernel
def copy(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i]

pages = mmap.mmap(-1, 3 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
first = np.frombuffer(pages, np.uint8).ctypes.data
protect = ctypes.CDLL(None).mprotect
protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
assert protect(first + mmap.PAGESIZE, mmap.PAGESIZE, 0) == 0  # PROT_NONE

a = np.zeros(4, np.float32)
here = a.ctypes.data
LIES = [
    {"strides": (1 << 60,)},
    {"strides": (1 << 30,)},
    {"strides": (-(1 << 60),)},
    {"data": 1},
    {"data": (1 << 64) - 1},
    {"byte_offset": (1 << 64) - here},
    {"byte_offset": (1 << 64) - 4096 * 4096},
    {"byte_offset": 1 << 63},
    {"data": first + mmap.PAGESIZE},
    {"data": first + mmap.PAGESIZE - 8},
]
for fields in LIES:
    for device in (1, 3, 13):
        for use in (D.from_dlpack, lambda x: D.launch(copy, np.zeros(4, "f4"), x, grid=1, block=4)):
            p = Producer(a, shape=(4,), device=(device, 0), **fields)
            try:
                use(p)
            except BufferError as error:
                assert p.deleted == 1
                print(str(error).splitlines()[0])
            else:
                print("taken", device, fields)
"""


@clause("DEV-DLP-08")
def test_tensors_of_memory_that_is_not_there(tmp_path, on_the_host):
    """Refused alike by from_dlpack and launches, which neither read nor end the process."""
    done = run_text(tmp_path, NOBODYS, env=environment())
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 60
    for imported, launched in zip(lines[::2], lines[1::2], strict=True):
        place, _, why = imported.partition(": ")
        assert place == "from_dlpack()"
        assert launched.startswith(f"argument 2 ('a') of kernel 'copy': {why}")
        assert re.fullmatch(
            r"the elements of the tensor (do not fit the address space"
            r"|take the bytes \d+ to \d+, which this process cannot read)",
            why,
        )


@clause("DEV-DLP-01")
@pytest.mark.parametrize(
    "said", [1, (1,), (1, 0, 0), ("cpu", 0), (1, None), (1, 1 << 32), (1, -(1 << 40)), None]
)
def test_what_is_no_device(said):
    """A type alone, or a number that is cut to 32 bits, would be some other device."""
    a = Producer(np.zeros(4))
    a.__class__ = type("Odd", (Producer,), {"__dlpack_device__": lambda self: said})
    for use in (D.from_dlpack, lambda x: D.launch(add_one, x, grid=1, block=4)):
        with pytest.raises(BufferError, match=r"(returned no|not) \(device type, device id\)"):
            use(a)
    assert a.capsules == []


class Elsewhere(Producer):
    """Memory of a SYCL device, of which a copy on the host can be had."""

    def __init__(self, array, **options):
        super().__init__(array, device=(dlpack.ONEAPI, 0), **options)

    def __dlpack__(self, **keywords):
        if self.versioned and keywords.get("dl_device") == (dlpack.CPU, 0):
            if keywords.get("copy") is False:
                raise BufferError("only by a copy")
            self.fields["device"] = (dlpack.CPU, 0)
        return super().__dlpack__(**keywords)


@clause("DEV-DLP-12", "DEV-DLP-15")
def test_what_is_out_of_reach_is_asked_for_on_the_host():
    a = Elsewhere(np.arange(4.0))
    assert D.from_dlpack(a, device="cpu").tolist() == [0, 1, 2, 3]
    keywords = a.calls[-1][1]
    assert keywords == {"max_version": (1, 0), "dl_device": (dlpack.CPU, 0)}
    again = Elsewhere(np.arange(4.0))
    assert D.from_dlpack(again, device="cpu", copy=True).tolist() == [0, 1, 2, 3]
    with pytest.raises(BufferError, match="only by a copy"):
        D.from_dlpack(Elsewhere(np.arange(4.0)), device="cpu", copy=False)
    for a, options in (
        (Elsewhere(np.arange(4.0)), {}),
        (Elsewhere(np.arange(4.0), versioned=False), {"device": "cpu"}),  # knows no keywords
    ):
        with pytest.raises(BufferError, match="lives on a oneAPI device"):
            D.from_dlpack(a, **options)
    a = Producer(np.arange(4.0))
    assert D.from_dlpack(a, copy=False)[3] == 3
    assert a.calls[-1][1] == {"max_version": (1, 0), "copy": False}
    old = Producer(np.arange(4.0), versioned=False)
    assert D.from_dlpack(old, device="cpu", copy=False)[3] == 3


@clause("DEV-DLP-15")
def test_numpys_arrays_are_taken_as_they_are():
    """NumPy's __dlpack__ refuses elements that DLPack has names for, and structs."""
    for a in (
        np.zeros(3, D.bfloat16),
        np.zeros(3, [("x", "f4"), ("y", "i2")]),
        D.zeros(3, D.float8e4m3, device="cpu"),
        np.zeros((3, 4))[::2, ::-1],
        xp.asarray(np.zeros(3, D.bfloat16)),
    ):
        found = D.from_dlpack(a)
        assert found.dtype == a.dtype
        assert np.shares_memory(found, a)
        assert found.strides == a.strides
        assert not np.shares_memory(D.from_dlpack(a, copy=True), a)
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    assert not D.from_dlpack(fixed).flags.writeable
    for odd in (np.zeros(3, object), np.zeros(3, object).view(xp.HostArray), np.zeros(3, ">i4")):
        with pytest.raises(BufferError):
            D.from_dlpack(odd)


class WithFlag(Producer):
    """With a flag of the CUDA Array Interface beside the tensor; counts who looks at it."""

    said, reads = None, 0

    @property
    def __cuda_array_interface__(self):
        self.reads += 1
        return self.said() if callable(self.said) else self.said


def failing():
    raise RuntimeError("an array that nobody may look at")


@clause("DEV-ARR-23", "DEV-ARR-28", "CAI-DATA-07")
def test_the_interface_says_read_only_where_the_struct_cannot(target):
    """The legacy struct has no flag; the versioned one is believed (resolution A-39)."""
    for versioned, flag, refused in (
        (False, True, True),
        (False, False, False),
        (True, True, False),
    ):
        a = WithFlag(np.zeros(4), versioned=versioned)
        a.said = cuda_dict(a.array, data=(a.array.ctypes.data, flag))
        if refused:
            with pytest.raises((*REFUSED, CompileError), match="read-only"):
                run(add_one, a, block=4)
        else:
            run(add_one, a, block=4)
        assert a.array.tolist() == [0 if refused else 1] * 4
        assert D.from_dlpack(a).flags.writeable is not refused
        out = np.ones(4)
        run(copy_1d, out, a, block=4)
        assert np.array_equal(out, a.array)
        assert (a.reads > 0) == (not versioned)
    listed = WithFlag(np.zeros(4), versioned=False)  # lists are allowed
    listed.said = cuda_dict(listed.array, data=[listed.array.ctypes.data, True])
    with pytest.raises((*REFUSED, CompileError), match="read-only"):
        run(add_one, listed, block=4)
    for said in ([], {}, {"data": 5}, {"data": (1,)}, {"data": [1]}, failing):
        a = WithFlag(np.zeros(4), versioned=False)
        a.said = said
        run(add_one, a, block=4)
        assert a.array.tolist() == [1] * 4


def of_class(module, name):
    """A producer whose class has a name and a module of another library."""
    return type(name, (Producer,), {"__module__": module})(np.zeros(4), versioned=False)


@clause("DEV-ARR-28")
def test_arrays_of_jax_never_change(target):
    """They do not say so; its FFI buffers, the arrays of its callbacks, may be stored to."""
    for module in ("jaxlib._jax", "jaxlib.xla_extension", "jax._src.array", "jaxlib"):
        a = of_class(module, "ArrayImpl")
        with pytest.raises(CompileError, match="the array 'a' is read-only") as refusal:
            run(add_one, a, block=4)
        assert "device.asarray(a, copy=True) is a writable copy" in str(refusal.value)
        assert not a.array.any()
        for made in (D.from_dlpack(a), D.asarray(a)):
            assert not made.flags.writeable
        for made in (D.from_dlpack(a, copy=True), D.asarray(a, copy=True)):
            run(add_one, made, block=4)
            assert made.tolist() == [1] * 4
        out = np.ones(4)
        run(copy_1d, out, a, block=4)
        assert not out.any()
    for module, name in (
        ("jaxlib._jax.ffi", "Buffer"),
        ("jaxtyping", "ArrayImpl"),
        ("jaxlibs", "ArrayImpl"),
        ("mine", "ArrayImpl"),
    ):
        a = of_class(module, name)
        run(add_one, a, block=4)
        assert a.array.tolist() == [1] * 4
        assert D.from_dlpack(a).flags.writeable


@clause("DEV-DLP-14")
def test_a_missing_deleter_is_accepted():
    a = Producer(np.zeros(4), deleter=False)
    run(add_one, a, block=4)
    assert a.array.tolist() == [1] * 4


CAPSULES = 1_000_000 if os.environ.get("CUDA_DEVICE_LONG_TESTS") else 10_000
NUMBERS = [*range(-3, 9), 1 << 31, 1 << 40, (1 << 62) - 1, 1 << 62, -(1 << 62), (1 << 63) - 1]
MEMORY = np.random.default_rng(7).integers(0, 2, 1 << 12, np.uint8)  # numbers of every format
FORMAT_OF = {(CODES[kind], 8 * np.dtype(kind).itemsize): np.dtype(kind) for kind in FORMATS}


def random_producer(rng):
    """Fields as they come, half of them sound; the memory is there, and its shape a lie."""
    axes = rng.choice([0, 1, 1, 2, 3, 33, 65])
    shape = [rng.choice(NUMBERS if rng.random() < 0.2 else (0, 1, 2, 3)) for _ in range(axes)]
    strides = [rng.choice(NUMBERS if rng.random() < 0.2 else (-1, 0, 1, 4)) for _ in range(axes)]
    fields = {
        "shape": tuple(shape),
        "strides": rng.choice([None, tuple(strides)]),
        "byte_offset": rng.choice([0, 0, 1 << 11, 1 << 63, (1 << 64) - 1]),
        "code": rng.choice([0, 1, 2, 2, 4, 5, 6, 10, 12, rng.randrange(256)]),
        "bits": rng.choice([8, 16, 32, 32, 64, 128, rng.randrange(256)]),
        "lanes": rng.choice([1, 1, 1, 1, 2, 3, 4, rng.randrange(1 << 16)]),
        "deleter": rng.random() < 0.9,
    }
    if rng.random() < 0.1:
        fields["data"] = rng.choice([None, 1, (1 << 64) - 1])
    if rng.random() < 0.1:
        number = rng.choice([-1, 0, 3, 13, 14, 99])
        fields["device"] = (number, rng.choice([0, 7]))
        fields.pop("data", None)  # what lies elsewhere is read, to be copied
    name = rng.choice([None] * 8 + ["used_dltensor", "dltensor", "x"])
    version = rng.choice([(1, 0)] * 8 + [(0, 9), (1, 77), (2, 0)])
    versioned = name != "dltensor" and rng.random() < 0.6
    return Producer(MEMORY, versioned, version, rng.choice([0, 0, 1, 2, 255]), name, **fields)


def check_launch(producer, found):
    """A launch takes the same tensors as from_dlpack, and sees the same shape."""
    again = Producer(
        *(MEMORY, producer.versioned, producer.version, producer.flags, producer.name),
        **producer.fields,
    )
    out = np.zeros(2, np.int64)
    try:
        D.launch(extents, out, again, grid=1, block=1)
    except REFUSED:
        assert found is None
    else:
        assert out.tolist() == [found.size, found.ndim]
    assert again.deleted == producer.deleted + (found is not None and producer.fields["deleter"])


def elements_of(fields):
    """The elements that the fields name, by NumPy alone; None where some lie outside of MEMORY."""
    part = FORMAT_OF[fields["code"], fields["bits"]]
    lanes = fields["lanes"]
    dtype = part if lanes == 1 else np.dtype([(name, part) for name in "xyzw"[:lanes]])
    steps = fields["strides"]
    strides = None if steps is None else tuple(step * dtype.itemsize for step in steps)
    address = MEMORY.ctypes.data + fields["byte_offset"]
    return view_of(MEMORY, address, fields["shape"], strides, dtype)


def check_numbers(producer, found):
    """Whether there were few enough to compare: those of an import, and of launches in 32 bits."""
    fields = producer.fields
    wanted = elements_of(fields)
    if wanted is None or wanted.size > 64:
        return False
    again = Producer(MEMORY, producer.versioned, flags=producer.flags, **fields)
    check_elements(found, again if fields["bits"] == 32 else found, wanted)
    return True


def test_random_capsules_never_end_the_process(on_the_host):
    """An error or the right elements."""
    rng = random.Random(7)
    made, compared, refused = 0, 0, set()
    for _ in range(CAPSULES):
        producer = random_producer(rng)
        use = rng.choice((D.from_dlpack, lambda x: D.asarray(x, device="cpu"), xp.from_dlpack))
        try:
            found = use(producer)
        except (BufferError, TypeError, ValueError) as error:
            refused.add(type(error))
            found = None
        consumed = producer.capsules and producer.capsule_names()[0] not in (producer.name, "x")
        if found is not None:
            made += 1
            assert found.shape == producer.fields["shape"]
            # Memory that is not the host's may be copied where it lies.
            assert producer.deleted == 0 or producer.fields.get("device", (1, 0))[0] != 1
            if "data" not in producer.fields and "device" not in producer.fields:
                compared += check_numbers(producer, found)
        if producer.fields.get("device", (1, 0))[0] == 1:
            check_launch(producer, found)
        del found
        assert producer.deleted == int(bool(consumed and producer.fields["deleter"]))
    assert CAPSULES // 20 < made < CAPSULES
    assert compared > made // 4
    assert BufferError in refused
