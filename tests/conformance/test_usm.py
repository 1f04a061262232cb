"""SYCL's USM array interface in memory of the host: consumed, and given on request (USM)."""

import array
import ctypes
import gc
import os
import random
import types
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Timer

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, _sycl_runtime, core
from cuda.device import array_api as xp
from cuda.device.errors import CompileError
from support.array_views import check_elements, view_of
from support.clauses import clause
from support.interfaces import Sycl, capsule, cuda, dictionary_of, sycl, sycl_dict
from support.kernels import add_one
from support.launching import run
from support.sycl_double import Library

PLAIN = np.zeros(4)


@D.kernel
def copy(out, a):
    i, j = D.tid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j]


@D.kernel
def nothing(a):
    pass


class SyclContext:
    """As dpctl's: a capsule of its own for each call."""

    name = "SyclContextRef"

    def _get_capsule(self):
        return capsule(self.name)


class SyclQueue(SyclContext):
    name = "SyclQueueRef"


class SameQueue:
    """A queue that gives one capsule again and again."""

    kept = capsule("SyclQueueRef")

    def _get_capsule(self):
        return self.kept


class NoCapsule:
    def _get_capsule(self):
        return 5


@clause("USM-41", "USM-07")
@clause("USM-16", "USM-18", "USM-08", "USM-13", partial="export")
def test_launches_take_memory_of_the_host(target):
    a = np.arange(20, dtype=np.int8)
    out = np.zeros((2, 2), np.int8)
    fake = sycl(a, shape=(2, 2), strides=(10, -2), offset=9)
    run(copy, out, fake, block=(2, 2))
    assert fake.reads == 1
    assert out.tolist() == [[9, 7], [19, 17]]
    whole = np.arange(6.0).reshape(2, 3)
    for view in (whole, whole.T, whole[::-1]):
        out = np.zeros(view.shape)
        run(copy, sycl(out), sycl(view), block=(4, 4))
        assert np.array_equal(out, view)
    b = D.from_sycl_usm(sycl(a, shape=(2,), strides=None, offset=8))
    assert b.tolist() == [8, 9]
    b[0] = 99
    assert a[8] == 99
    assert D.from_sycl_usm(sycl(a, offset=..., strides=..., shape=())) == 0
    assert b.__array_interface__["data"][0] == a.ctypes.data + 8


@clause("USM-39")
def test_arrays_without_elements(target):
    out = np.full((2, 2), 7.0)
    run(copy, out, sycl(PLAIN, shape=(0, 4), data=(0, False), strides=None), block=(2, 2))
    assert (out == 7).all()
    assert D.from_sycl_usm(sycl(PLAIN, shape=(0,), data=(0, False))).shape == (0,)


@clause("USM-02")
@pytest.mark.parametrize("kind", ["host", "shared"])
def test_host_and_shared_memory_are_plain_memory(kind):
    a = np.arange(4.0)
    b = D.from_sycl_usm(sycl(a, syclobj=SyclQueue()), usm_type=kind)
    memoryview(b)[1] = 9.0
    assert a.tolist() == [0, 9, 2, 3]
    a[2] = 8
    assert b[2] == 8


@clause("USM-10", partial="export")
def test_type_strings():
    for dtype in (np.bool_, *"bhilBHILefdFD"):
        text = np.dtype(dtype).str[1:]
        a = np.ones(3, text)
        for prefix in ("", "|", "<", "="):
            b = D.from_sycl_usm(sycl(a, typestr=prefix + text))
            assert b.dtype == a.dtype
            assert b.tolist() == a.tolist()


@clause("USM-12", partial="export")
def test_structured_items():
    a = np.zeros(3, [("x", "<f4"), ("y", "<i4")])
    a["y"] = [1, 2, 3]
    b = D.from_sycl_usm(sycl(a, typestr="|V8", typedescr=a.dtype.descr))
    assert b.dtype == a.dtype
    assert b["y"].tolist() == [1, 2, 3]
    c = D.from_sycl_usm(sycl(a, typestr="|V8", descr=a.dtype.descr))
    assert c.dtype == a.dtype


@clause("USM-14", partial="export")
def test_the_read_only_flag():
    a = np.zeros(4)
    data = (a.ctypes.data, True)
    with pytest.raises((CompileError, ValueError, TypeError), match="read-only"):
        run(add_one, sycl(a, data=data), block=4)
    assert not D.from_sycl_usm(sycl(a, data=data)).flags.writeable
    assert D.from_sycl_usm(sycl(a, data=data), readonly=False).flags.writeable
    assert not D.from_sycl_usm(sycl(a), readonly=True).flags.writeable

    class MemoryUSMHost(Sycl):
        __module__ = "dpctl.memory._memory"

    run(add_one, MemoryUSMHost(sycl_dict(a, data=data), a), block=4)
    assert a.tolist() == [1] * 4


@clause("USM-05")
def test_the_producer_is_kept():
    freed = []
    fake = sycl(np.zeros(4))
    alive = weakref.ref(fake, freed.append)
    b = D.from_sycl_usm(fake)
    del fake
    gc.collect()
    assert alive() is not None
    part = b[1:]
    del b
    gc.collect()
    assert not freed
    del part
    gc.collect()
    assert len(freed) == 1


OURS = D.zeros(4, device="cpu")  # our allocator knows it, whichever context is named


@clause("USM-23", "USM-24", "USM-26", "USM-27", "USM-28", "USM-29", "USM-30")
def test_every_form_of_context():
    filters = [
        *("opencl:cpu", "opencl:cpu:0", "opencl", "cpu", "cpu:0", "opencl:0"),
        *("level_zero:gpu,opencl:cpu", "level_zero:gpu:3, hip ,cpu", "cuda:gpu:99,cpu"),
    ]
    for text in filters:
        assert D.from_sycl_usm(sycl(PLAIN, syclobj=text)).shape == (4,)
    others = [
        *(SyclContext(), SyclQueue(), capsule("SyclContextRef"), capsule("SyclQueueRef")),
    ]
    for syclobj in others:
        b = D.from_sycl_usm(sycl(OURS, syclobj=syclobj))
        assert np.shares_memory(b, OURS)
        run(add_one, sycl(OURS, syclobj=syclobj), block=4)
    assert OURS.tolist() == [4] * 4
    if _core.gpu_count() == 0:
        assert D.from_sycl_usm(sycl(PLAIN, syclobj="0")).shape == (4,)


@clause("USM-04")
def test_memory_of_another_context_is_refused():
    for syclobj in (SyclQueue(), capsule("SyclContextRef")):
        fake = sycl(PLAIN, syclobj=syclobj)
        for use in (D.from_sycl_usm, lambda fake: run(add_one, fake, block=4)):
            with pytest.raises(ValueError, match="the allocation's type is 'unknown' there"):
                use(fake)


@clause("USM-03")
def test_device_memory_is_out_of_reach():
    with pytest.raises(ValueError, match="neither the host nor a CUDA GPU reaches"):
        D.from_sycl_usm(sycl(PLAIN, syclobj=SyclQueue()), usm_type="device")
    with pytest.raises(ValueError, match="none of 'host', 'device' and 'shared'"):
        D.from_sycl_usm(sycl(PLAIN), usm_type="unknown")


@clause("USM-38")
def test_elements_lie_within_the_allocation():
    block = D.zeros(1 << 20, np.uint8, device="cpu")
    for changes in ({"shape": (1 << 26,)}, {"shape": (4,), "offset": -(1 << 26)}):
        with pytest.raises(ValueError, match="the elements take the bytes"):
            D.from_sycl_usm(sycl(block, strides=None, **changes))


class Buffer(bytearray):
    """A buffer whose dictionary has no data."""

    changes = types.MappingProxyType({})

    @property
    def __sycl_usm_array_interface__(self):
        return {
            **{"shape": (2,), "typestr": "<i4", "version": 1, "syclobj": "opencl:cpu"},
            **self.changes,
        }


class Bytes(bytes):
    __sycl_usm_array_interface__ = Buffer.__sycl_usm_array_interface__
    changes = types.MappingProxyType({})


@clause("USM-33", "USM-34")
def test_a_buffer_in_place_of_data(target):
    a = Buffer(np.array([[1, 2]], np.int32).tobytes())
    b = D.from_sycl_usm(a)
    assert b.tolist() == [1, 2]
    b[0] = 5
    assert a[0] == 5
    run(add_one, a, block=2)
    assert b.tolist() == [6, 3]
    assert not D.from_sycl_usm(Bytes(a)).flags.writeable
    for changes in ({"shape": (3,)}, {"offset": 1}, {"offset": -1}, {"strides": (-1,)}):
        a.changes = changes
        with pytest.raises(ValueError, match="outside of the buffer, which has 8 bytes"):
            D.from_sycl_usm(a)
    with pytest.raises(ValueError, match="readonly=False: the object says that its buffer is read"):
        D.from_sycl_usm(Bytes(b"\0" * 8), readonly=False)
    with pytest.raises(ValueError, match=r"no key 'data', and 'Sycl' no buffer of its own"):
        D.from_sycl_usm(sycl(PLAIN, data=...))


@clause("USM-35")
def test_plain_buffers():
    ints = array.array("i", [1, 2, 3])
    b = D.from_sycl_usm(ints)
    assert (b.dtype, b.tolist()) == (np.int32, [1, 2, 3])
    b[0] = 9
    assert ints[0] == 9
    assert D.from_sycl_usm(memoryview(ints)[1:]).tolist() == [2, 3]
    assert D.from_sycl_usm(bytearray(b"ab")).tolist() == [97, 98]
    fixed = D.from_sycl_usm(b"ab")
    with pytest.raises((CompileError, ValueError, TypeError), match="read-only"):
        run(add_one, fixed, block=2)
    with pytest.raises(ValueError, match="usm_type='device': the buffer of an object is memory of"):
        D.from_sycl_usm(bytearray(b"ab"), usm_type="device")
    with pytest.raises(ValueError, match="readonly=False: the object says that its buffer is read"):
        D.from_sycl_usm(b"ab", readonly=False)
    for other in ([1], 3, None, Sycl):
        with pytest.raises(TypeError, match="needs __sycl_usm_array_interface__"):
            D.from_sycl_usm(other)


@clause("USM-35")
def test_plain_buffers_as_arrays(on_the_host):
    """By asarray and to_host as by from_sycl_usm, in the same memory."""
    ints, raw = array.array("i", [1, 2, 3]), bytearray(b"ab")
    for read in (D.asarray, xp.asarray, D.to_host):
        for buffer, dtype, values in (
            (ints, np.int32, [1, 2, 3]),
            (memoryview(ints)[1:], np.int32, [2, 3]),
            (raw, np.uint8, [97, 98]),
            (b"abcd", np.uint8, [97, 98, 99, 100]),
            (b"", np.uint8, []),
        ):
            found = read(buffer)
            assert (found.dtype, found.tolist()) == (dtype, values)
            assert found.flags.writeable is not isinstance(buffer, bytes)
    D.asarray(ints)[0] = 9
    assert ints[0] == 9
    with pytest.raises((CompileError, ValueError, TypeError), match="read-only"):
        run(add_one, D.asarray(b"ab"), block=2)
    assert D.asarray(b"ab", np.int32, copy=True).flags.writeable


BAD = [
    ({"shape": ...}, "no key 'shape'"),
    ({"shape": None}, "'shape' is None; a tuple of ints was expected"),
    ({"shape": (-1,)}, "an extent is negative"),
    ({"shape": (1.5,)}, "'shape' is (1.5,); a tuple of ints was expected"),
    ({"typestr": ...}, "no key 'typestr'"),
    ({"typestr": "invalid"}, "a string such as '<f4' was expected"),
    ({"typestr": "O"}, "kernels do not take Python objects"),
    ({"typestr": ">f4"}, "the byte order is not this machine's"),
    ({"typestr": "|V8"}, "it needs 'typedescr', which says what is in it"),
    ({"typestr": "|V8", "typedescr": [("x", "<f4")]}, "it has 4 bytes, and 'typestr' '|V8' 8"),
    ({"data": ()}, "(address, read-only) was expected"),
    ({"data": (1,)}, "(address, read-only) was expected"),
    ({"data": ("a", True)}, "an int as address was expected"),
    ({"data": 7}, "(address, read-only) was expected"),
    ({"data": (0, False)}, "the null pointer"),
    ({"strides": (1, 1)}, "1 were expected, one for each dimension"),
    ({"strides": Ellipsis.__class__}, "a tuple of ints was expected"),
    ({"strides": ("1",)}, "a tuple of ints was expected"),
    ({"offset": "1"}, "'offset' is '1'; an int was expected"),
    ({"offset": 1.5}, "'offset' is 1.5; an int was expected"),
    ({"offset": -(1 << 62)}, "'offset' is -4611686018427387904: the address does not fit 64 bits"),
    ({"version": ...}, "'version' is 0: the only version is 1"),
    ({"version": 0}, "'version' is 0: the only version is 1"),
    ({"version": 2}, "'version' is 2: the only version is 1"),
    ({"version": "1"}, "'version' is '1'; an int was expected"),
    ({"syclobj": ...}, "no key 'syclobj'"),
    ({"syclobj": None}, "'syclobj' is None: a filter string"),
    ({"syclobj": 3}, "'syclobj' is 3: a filter string"),
    ({"syclobj": SyclQueue}, "a filter string, a SyclContext"),
    ({"syclobj": ""}, "a filter of devices is [backend:][type:][number]"),
    ({"syclobj": "::"}, "a filter of devices is"),
    ({"syclobj": "foo"}, "a filter of devices is"),
    ({"syclobj": "gpu:cuda"}, "a filter of devices is"),
    ({"syclobj": "cpu,"}, "a filter of devices is"),
    ({"syclobj": "cuda:gpu:99"}, "no device matches it; there are"),
    ({"syclobj": "level_zero"}, "no device matches it; there are"),
    ({"syclobj": capsule("Foo")}, "a capsule named 'Foo' was found"),
    ({"syclobj": capsule("used_SyclQueueRef")}, "a capsule named 'used_SyclQueueRef' was found"),
    ({"syclobj": NoCapsule()}, "5 was found; a capsule named 'SyclContextRef' or"),
]


@clause("USM-09", "USM-11", "USM-15", "USM-17", "USM-19", "USM-21", "USM-22", "USM-25", "USM-31")
def test_malformed_dictionaries_are_refused():
    for changes, text in BAD:
        fake = sycl(PLAIN, **changes)
        for use in (D.from_sycl_usm, lambda fake: run(add_one, fake, block=4)):
            with pytest.raises((TypeError, ValueError)) as raised:
                use(fake)
            assert text in str(raised.value), changes
        assert str(raised.value).startswith("argument 1 ('"), raised.value
    assert D.from_sycl_usm(sycl(PLAIN, data=[PLAIN.ctypes.data, False])).shape == (4,)
    with pytest.raises(TypeError, match="a dict was expected"):
        D.from_sycl_usm(Sycl([]))


@clause("USM-32")
def test_keys_mean_what_they_mean_in_cudas_dictionary():
    """But for strides, which count elements here; what is wrong with a key is said alike."""
    a = np.arange(24.0).reshape(2, 3, 4)
    for view in (a, a.T, a[:, ::-2], a[1:1], a[0, 0, 0, ...]):
        one, other = D.from_sycl_usm(sycl(view)), D.as_cuda_array(cuda(view))
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.size:  # else nobody knows where the memory is
            assert one.strides == other.strides
            assert np.array_equal(one, other)
    for changes in (
        *({"shape": None}, {"shape": (-1,)}, {"typestr": "f"}, {"typestr": ">f8"}),
        *({"data": (1,)}, {"data": (0, False)}, {"strides": 8}, {"version": "1"}),
    ):
        texts = []
        for make, take in ((sycl, D.from_sycl_usm), (cuda, D.as_cuda_array)):
            with pytest.raises((TypeError, ValueError)) as raised:
                take(make(PLAIN, **changes))
            texts.append(str(raised.value))
        assert texts[0] == texts[1]


DICTIONARIES = 1_000_000 if os.environ.get("CUDA_DEVICE_LONG_TESTS") else 3_000


# Of eight bytes each.
RECORDS = ([("x", "<f4"), ("y", "<i4")], [("x", "<i2", (3,)), (("title", "y"), "<f2")])
VALUES = [value for changes, _ in BAD for value in changes.values()]
VALUES += [[("x", "<f8")], [("x", "|O")], 1 << 64, (1 << 40, 1 << 40), (2, 2), np.int64(3)]
CONTEXTS = [capsule("SyclContextRef"), SameQueue(), "opencl", "cpu:0", "level_zero,opencl:cpu"]
IMPORTERS = (
    D.from_sycl_usm,
    lambda given: D.asarray(given, device="cpu", copy=False),
    lambda given: xp.asarray(given, device="cpu", copy=False),
)


class Held(Buffer):
    """A buffer with any dictionary; often without the key 'data'."""

    description = types.MappingProxyType({})

    @property
    def __sycl_usm_array_interface__(self):
        return self.description


def random_dictionary(rng, a):
    """Of numbers or records, in which one key may be wrong."""
    shape = tuple(rng.randint(0, 9) for _ in range(rng.choice((0, 1, 1, 2, 3))))
    fields = sycl_dict(a, offset=rng.randint(-2, 66), shape=shape)
    steps = tuple(rng.choice((-1, 0, 1, 4, 1 << 40)) for _ in shape)
    fields["strides"] = rng.choice([None, steps, steps])
    fields["typestr"] = rng.choice(("<f8", "<f8", "|f4", "<i2", "|u1", "<c8", "|V8", "V8"))
    if fields["typestr"].endswith("V8"):
        fields[rng.choice(("typedescr", "descr"))] = [*rng.choice(RECORDS)]
    fields["data"] = (a.ctypes.data, rng.random() < 0.5)
    if rng.random() < 0.3:
        fields["syclobj"] = rng.choice(CONTEXTS)
    if rng.random() < 0.5:
        fields[rng.choice(list(fields))] = rng.choice(VALUES)
    return fields


def random_producer(rng, a):
    """It, its memory and that memory's address, which an object without 'data' has itself."""
    fields = random_dictionary(rng, a)
    if rng.random() < 0.8:
        return Sycl(fields, a), a
    made = Held(a.tobytes())
    made.description = fields
    if rng.random() < 0.8:
        del fields["data"]
    elif rng.random() < 0.5:
        fields["data"] = None
    return made, np.frombuffer(made, a.dtype) if fields.get("data") is None else a


def refusal_of_launch(given):
    """What a launch says; None: nothing."""
    try:
        run(nothing, given)
    except (TypeError, ValueError) as error:
        return str(error).removeprefix("argument 1 ('a') of kernel 'nothing': ")
    return None


def said_dtype(fields):
    """What a sound dictionary says of its elements, by NumPy alone."""
    descr = fields.get("typedescr")
    descr = fields.get("descr") if descr is None else descr
    said = np.dtype(fields["typestr"].lstrip("|<"))
    return np.dtype(descr) if said.kind == "V" else said


def test_random_dictionaries_never_end_the_process():
    """Imports and launches agree, and both with NumPy."""
    rng = random.Random(5)
    a = D.zeros(64, device="cpu")
    a[:] = np.arange(64)
    made, compared, records, buffers, refused = 0, 0, 0, 0, set()
    for _ in range(DICTIONARIES):
        given, memory = random_producer(rng, a)
        fields = given.description
        launch = refusal_of_launch(given)
        shape = fields.get("shape")
        # What has no elements is a GPU's where there is one, and no array of the host.
        empty = isinstance(shape, tuple) and 0 in shape
        try:
            b = (IMPORTERS[0] if empty else rng.choice(IMPORTERS))(given)
        except (TypeError, ValueError) as error:
            refused.add(type(error))
            b, refusal = None, str(error)
        else:
            made += 1
            refusal = None
        assert launch == refusal, fields
        if b is None:
            continue
        assert b.shape == fields["shape"]
        if b.size == 0:
            continue
        address, fixed = fields.get("data") or (memory.ctypes.data, False)
        assert b.flags.writeable is not fixed
        dtype, steps = said_dtype(fields), fields["strides"]
        address += fields.get("offset", 0) * dtype.itemsize
        steps = None if steps is None else tuple(step * dtype.itemsize for step in steps)
        view = view_of(memory, address, b.shape, steps, dtype)
        # Where our allocator has more than was asked for, elements may lie after the array.
        if view is not None and view.size <= 64:
            compared += 1
            records += dtype.kind == "V"
            buffers += memory is not a
            check_elements(b, given, view)
    assert DICTIONARIES // 20 < made < DICTIONARIES
    assert compared > made // 4
    assert min(records, buffers) > compared // 20
    assert refused == {TypeError, ValueError}


@clause("USM-42")
def test_memory_that_this_target_does_not_reach():
    """Producers say what kind of memory it is, and queues of which device."""
    queue = SyclQueue()
    queue.sycl_device = types.SimpleNamespace(filter_string="level_zero:gpu:0")
    fake = sycl(PLAIN, syclobj=queue)
    fake.usm_type = "device"
    text = (
        "'data' is device memory of level_zero:gpu:0, which neither the host nor a CUDA GPU "
        "reaches; copy it to host or shared memory"
    )
    for use in (D.from_sycl_usm, lambda fake: run(add_one, fake, block=4)):
        with pytest.raises(ValueError, match="device memory") as raised:
            use(fake)
        place = "" if use is D.from_sycl_usm else "argument 1 ('a') of kernel 'add_one': "
        assert str(raised.value) == place + text
    a = np.zeros(4)
    reached = sycl(a, syclobj=queue)
    reached.get_usm_type = lambda: "shared"
    run(add_one, reached, block=4)
    assert a.tolist() == [1] * 4


# --- with a runtime of SYCL: a double of dpctl's library; tests/neighbours has the real one ---


@pytest.fixture
def sycl_runtime(monkeypatch):
    library = Library()
    monkeypatch.setattr(_sycl_runtime, "_loaded", [library])
    return library


class Holds:
    """A context or queue of the double."""

    def __init__(self, handle, name="SyclContextRef"):
        self.handle, self.name = handle, name

    def _get_capsule(self):
        return capsule(self.name, self.handle)


def known(library, a, kind, on_cpu=True):
    """A producer of an array in memory that SYCL has allocated in a context."""
    context = library.make("ours")
    low = a.ctypes.data
    library.allocations = [("ours", low, low + a.nbytes, kind, on_cpu)]
    return sycl(a, syclobj=Holds(context))


@clause("USM-01", "USM-02", "USM-04", "USM-26", "USM-28")
def test_the_runtime_is_asked(sycl_runtime):
    a = np.arange(4.0)
    for name in ("SyclContextRef", "SyclQueueRef"):
        for kind in ("host", "shared"):
            fake = known(sycl_runtime, a, kind)
            fake.description["syclobj"].name = name
            assert np.shares_memory(D.from_sycl_usm(fake), a)
            with pytest.raises(ValueError, match=f"'data' is {kind} memory of"):
                D.from_sycl_usm(fake, usm_type="device")
    fake = known(sycl_runtime, a, "shared")
    fake.description["syclobj"] = Holds(sycl_runtime.make("another"))
    for use in (D.from_sycl_usm, lambda fake: run(add_one, fake, block=4)):
        with pytest.raises(ValueError, match="the allocation's type is 'unknown' there"):
            use(fake)
    fake.usm_type = "shared"  # the producer is not believed, the caller is
    with pytest.raises(ValueError, match="the allocation's type is 'unknown' there"):
        D.from_sycl_usm(fake)
    assert np.shares_memory(D.from_sycl_usm(fake, usm_type="shared"), a)


@clause("USM-01", "USM-04")
def test_a_context_without_usm_is_not_asked(sycl_runtime):
    fake = known(sycl_runtime, np.arange(4.0), "shared")
    fake.description["syclobj"] = Holds(sycl_runtime.make("of another platform"))
    sycl_runtime.without_usm.add("of another platform")
    for use in (D.from_sycl_usm, lambda fake: run(add_one, fake, block=4)):
        with pytest.raises(ValueError, match="the allocation's type is 'unknown' there"):
            use(fake)


@clause("USM-36", "USM-40")
def test_what_is_known_of_sycls_memory_stays_known(sycl_runtime, monkeypatch):
    """Other arrays of the same memory come and go."""
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")
    fake = known(sycl_runtime, np.arange(4.0), "shared")
    b = D.from_sycl_usm(fake)
    run(add_one, fake, block=4)
    gc.collect()
    c, d = D.from_sycl_usm(fake), b[::2]
    assert b.usm_type == c.usm_type == d.usm_type == xp.asarray(b).usm_type == "shared"
    del c
    gc.collect()
    assert b.usm_type == d.usm_type == "shared"
    assert _core.capsule_name(b.__sycl_usm_array_interface__["syclobj"]) == "SyclContextRef"
    del b
    gc.collect()
    assert d.usm_type == "shared"


@clause("USM-03", "USM-41", "USM-42")
def test_device_memory_of_a_cpu_is_for_kernels(sycl_runtime, target):
    a = np.zeros(4)
    fake = known(sycl_runtime, a, "device")
    run(add_one, fake, block=4)
    assert a.tolist() == [1] * 4
    with pytest.raises(ValueError, match="which code of the host may not access"):
        D.from_sycl_usm(fake)
    fake = known(sycl_runtime, a, "device", on_cpu=False)
    for use in (D.from_sycl_usm, lambda fake: run(add_one, fake, block=4)):
        with pytest.raises(ValueError, match="neither the host nor a CUDA GPU reaches"):
            use(fake)


_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.argtypes = [ctypes.py_object, ctypes.c_char_p]
USED = b"used_SyclContextRef"


@clause("USM-40", "USM-27", "USM-36")
def test_what_came_from_sycl_goes_back_with_its_context(sycl_runtime, monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")
    a = np.arange(4.0)
    b = D.from_sycl_usm(known(sycl_runtime, a, "shared"))[1:]
    before = len(sycl_runtime.contexts)
    found = [b.__sycl_usm_array_interface__["syclobj"] for _ in range(4)]
    assert len({id(each) for each in found}) == 4
    assert [_core.capsule_name(each) for each in found] == ["SyclContextRef"] * 4
    handles = [_core.capsule_pointer(each) for each in found]
    assert len(set(handles)) == 4
    assert {sycl_runtime.contexts[each] for each in handles} == {"ours"}
    _set_name(found[0], USED)  # as who took the context out of it
    del found
    gc.collect()
    assert len(sycl_runtime.contexts) == before
    assert b.usm_type == "shared"
    assert b.get_usm_type(Holds(sycl_runtime.make("ours"))) == "shared"
    assert b.get_usm_type(Holds(sycl_runtime.make("another"))) == "unknown"
    again = D.from_sycl_usm(Sycl(b.__sycl_usm_array_interface__, b))
    assert again.ctypes.data == a.ctypes.data + 8
    assert again.tolist() == [1, 2, 3]


@clause("USM-27", "USM-36")
@pytest.mark.usefixtures("sycl_runtime")
def test_memory_of_ours_is_not_said_to_be_a_runtimes(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")
    a = xp.zeros(3)
    assert a.usm_type == a.get_usm_type("cpu") == "unknown"
    assert not hasattr(a, "__sycl_usm_array_interface__")
    with pytest.raises(AttributeError, match="memory of its own contexts only"):
        _ = a.__sycl_usm_array_interface__


def test_contexts_are_freed(sycl_runtime):
    a = np.arange(4.0)
    fake = known(sycl_runtime, a, "shared")
    made = len(sycl_runtime.contexts)
    for _ in range(5):
        b = D.from_sycl_usm(fake)
        run(add_one, fake, block=4)
        with pytest.raises(ValueError, match="unknown"):
            D.from_sycl_usm(sycl(np.zeros(4), syclobj=fake.description["syclobj"]))
    del b
    gc.collect()
    assert len(sycl_runtime.contexts) == made


# --- what arrays of the host give, where the environment asks for it ---


@pytest.fixture
def exports(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")


NUMBERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16")
REQUIRED = {"data", "shape", "strides", "offset", "typestr", "version", "syclobj"}


@clause("USM-06", "USM-08", "USM-10", "USM-12", "USM-13", "USM-14", "USM-16", "USM-18", "USM-20")
@pytest.mark.usefixtures("exports")
def test_dictionaries_of_arrays_of_the_host(target):
    a = D.arange(24, dtype=np.float64, device="cpu").reshape(2, 3, 4)
    base = a.ctypes.data

    def said(view):
        found = dictionary_of(view, "__sycl_usm_array_interface__")
        assert set(found) == REQUIRED
        assert (type(found["version"]), found["version"]) == (int, 1)
        assert found["syclobj"] == "opencl:cpu"
        assert [type(part) for part in found["data"]] == [int, bool]
        assert [type(found["offset"]), type(found["shape"])] == [int, tuple]
        again = D.from_sycl_usm(Sycl(found, view))
        assert again.dtype == view.dtype
        assert np.array_equal(again, view)
        assert view.size == 0 or again.ctypes.data == view.ctypes.data
        return found["shape"], found["strides"], found["data"][0] - base, found["offset"]

    assert said(a) == ((2, 3, 4), None, 0, 0)
    assert said(a[1]) == ((3, 4), None, 0, 12)
    assert said(a[0].T) == ((4, 3), (1, 4), 0, 0)
    assert said(a[:, ::-1]) == ((2, 3, 4), (12, -4, 1), 0, 8)
    assert said(a[1, 2, 3:]) == ((1,), None, 0, 23)
    assert said(a[1, 1, 1, ...]) == ((), None, 0, 17)
    assert said(a[:0]) == ((0, 3, 4), None, -base, 0)
    # Where the offset is no whole number of elements, the address is the first element's.
    odd = a.reshape(-1)[:2].view(np.uint8)[4:12].view(np.float64)
    assert said(odd) == ((1,), None, 4, 0)
    fixed = a.view()
    fixed.flags.writeable = False
    assert fixed.__sycl_usm_array_interface__["data"] == (base, True)
    with pytest.raises((CompileError, ValueError, TypeError), match="read-only"):
        run(add_one, Sycl(fixed[0, 0].__sycl_usm_array_interface__, a), block=4)
    out = np.zeros((4, 3))
    run(copy, out, Sycl(a[1].T.__sycl_usm_array_interface__, a), block=(4, 4))
    assert np.array_equal(out, a[1].T)
    for text in NUMBERS:
        made = D.zeros(3, text, device="cpu")
        assert made.__sycl_usm_array_interface__["typestr"][1:] == text
        said(made)
    records = D.zeros(3, np.dtype([("x", "<f4"), ("y", "<i2")], align=True), device="cpu")
    records["y"] = [1, 2, 3]
    found = records.__sycl_usm_array_interface__
    assert (found["typestr"], found["typedescr"]) == ("|V8", records.dtype.descr)
    again = D.from_sycl_usm(Sycl(found, records))
    assert again["y"].tolist() == [1, 2, 3]
    packed = D.zeros(2, "<f4,<i2", device="cpu")
    for made, text in (
        (packed["f0"], "a stride of 6 bytes is no whole number of 4-byte elements"),
        (D.zeros(2, D.bfloat16, device="cpu"), "elements of bfloat16 have no name in SYCL's"),
        (D.zeros(2, ">f4", device="cpu"), "the byte order is not this machine's"),
    ):
        with pytest.raises(BufferError, match=text):
            _ = made.__sycl_usm_array_interface__


@clause("USM-36", "USM-01")
def test_kinds_of_memory():
    a = xp.zeros(3)
    assert a.usm_type == a.get_usm_type() == a[1:].get_usm_type("cpu") == "host"
    assert a.get_usm_type("opencl:cpu:0") == "host"
    # Nobody here has been asked whether the memory is of that context.
    assert a.get_usm_type(SyclQueue()) == a.get_usm_type(capsule("SyclContextRef")) == "unknown"
    foreign = np.zeros(3).view(xp.HostArray)
    assert foreign.usm_type == foreign.get_usm_type("cpu") == "unknown"
    with pytest.raises(ValueError, match="no device matches it; there are"):
        a.get_usm_type("level_zero")


@pytest.mark.usefixtures("exports")
def test_memory_of_others_is_not_given_away_as_sycls(on_the_host):
    foreign = np.zeros(3).view(xp.HostArray)
    assert hasattr(foreign, "__cuda_array_interface__")
    assert not hasattr(foreign, "__sycl_usm_array_interface__")
    with pytest.raises(AttributeError, match=r"NumPy's and no USM allocation; .*copy=True"):
        _ = foreign.__sycl_usm_array_interface__
    for copied in (xp.asarray(foreign, copy=True), D.asarray(foreign, copy=True), xp.eye(3)):
        assert copied.__sycl_usm_array_interface__["version"] == 1
        assert copied.ctypes.data % 256 == 0


def test_without_the_switch_nothing_is_given():
    assert not hasattr(xp.zeros(3), "__sycl_usm_array_interface__")


@D.kernel
def when_let(a, gate):
    while D.atomic_ref(gate, 0).load() == 0:
        pass
    a[1] = 1


@clause("USM-37")
@pytest.mark.usefixtures("exports")
def test_what_is_queued_is_done_when_the_dictionary_is_given():
    stream = core.Device("host").create_stream()
    a = D.zeros(2, np.uint32, device="cpu")
    gate = np.zeros(1, np.int32)
    D.launch(when_let, a, gate, grid=1, block=1, stream=stream)
    Timer(0.2, lambda: gate.fill(1)).start()
    with ThreadPoolExecutor() as others:
        found = others.submit(lambda: a.__sycl_usm_array_interface__).result()
    assert D.from_sycl_usm(Sycl(found, a))[1] == 1
