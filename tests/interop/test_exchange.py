"""DLPack's C functions of a class: those of partners, which launches call, and our own."""

import ctypes
import gc
import weakref

import numpy as np
import pytest
from cuda import device as D
from cuda.device import array_api as xp
from cuda.device import core
from cuda.device.errors import CompileError
from support.clauses import clause
from support.dlpack import CPU, READ_ONLY, Producer
from support.exchange import FAILS, Partner, partner
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture
from support.kernels import add_one, spin
from support.launching import run
from support.layouts import copy_1d, copy_2d

from support import exchange


def used(a):
    """How often by a C function, and whether Python was asked."""
    return a.exchanged, bool(a.calls)


@clause("DEV-DLP-02", "DEV-DLP-05")
def test_no_python_of_the_partner_runs(target):
    a = Partner(np.zeros(4))
    run(add_one, a, block=4)
    gc.collect()
    assert used(a) == (1, False)
    assert a.deleted == 1
    assert a.array.tolist() == [1] * 4


@clause("DEV-DLP-08", "DEV-DLP-11", "DEV-DLP-07")
def test_the_tensor_is_read_as_that_of_a_capsule(target):
    numbers = np.arange(40, dtype=np.int32)
    out = np.zeros((3, 4), np.int32)
    view = np.lib.stride_tricks.as_strided(numbers, (3, 4), (40, 12))
    run(copy_2d, out, Partner(view), block=(4, 3))
    assert np.array_equal(out, view)
    out = np.zeros(10, np.int32)
    run(copy_1d, out, Partner(numbers, shape=(10,), strides=None, byte_offset=12), block=32)
    assert np.array_equal(out, numbers[3:13])
    fixed = Partner(np.zeros(4), flags=READ_ONLY)
    with pytest.raises((CompileError, TypeError, ValueError), match="read-only"):
        run(add_one, fixed, block=4)
    for a, text in (
        (Partner(np.zeros(4), data=None), "the tensor has elements but no memory"),
        (Partner(np.zeros(4), strides=(1 << 59,)), "do not fit the address space"),
        (Partner(np.zeros(4), version=(2, 0)), "DLPack version 2.0 is not known"),
        (Partner(np.zeros(4), code=17, bits=4), "arrays of 'type code 17 of 4 bits'"),
    ):
        with pytest.raises((BufferError, TypeError), match=text):
            D.launch(add_one, a, grid=1, block=4)
        assert a.deleted == 1
        assert used(a) == (1, False)


class Derived(Partner):
    pass


class Overrides(Partner):
    def __dlpack__(self, **keywords):
        return super().__dlpack__(**keywords)


class Learns(Partner):
    requires_grad = False


class Called(Partner):
    @property
    def requires_grad(self):
        return True


@pytest.mark.parametrize(
    ("kind", "by_functions"),
    [
        (Derived, True),
        (Overrides, False),  # which says more than the functions of the class it is derived from
        (Learns, True),
        (Called, False),  # PyTorch's functions give such tensors away, its __dlpack__ does not
        (partner(from_object=FAILS), False),
        (partner(name=b"another_api"), False),
        (partner(major=2), False),
        (partner(major=2, older=ctypes.pointer(exchange.functions())), True),
        (type("Int", (Partner,), {"__dlpack_c_exchange_api__": 5}), False),
    ],
)
def test_whose_functions_are_called(kind, by_functions):
    a = kind(np.zeros(4))
    for n in (1, 2):
        run(add_one, a, block=4)
        assert used(a) == (n * by_functions, not by_functions)
        assert a.array.tolist() == [n] * 4
        assert a.deleted == n


def test_a_class_that_changes_is_looked_at_again():
    """Launches know classes of late, derived ones by their bases."""
    base = type("Base", (Partner,), {})
    for changed in (base, type("Derived", (base,), {})):
        a = type("Kind", (changed,), {})(np.zeros(4))

        def by_functions(a=a):
            before, a.calls[:] = a.exchanged, []
            run(add_one, a, block=4)
            return a.exchanged > before and not a.calls

        assert [by_functions(), by_functions()] == [True, True]
        changed.__dlpack__ = lambda self, **keywords: Partner.__dlpack__(self, **keywords)
        assert [by_functions(), by_functions()] == [False, False]
        del changed.__dlpack__
        assert [by_functions(), by_functions()] == [True, True]
        changed.requires_grad = True
        assert [by_functions(), by_functions()] == [False, False]
        changed.requires_grad = False
        assert by_functions()
        changed.__dlpack_c_exchange_api__ = 5
        assert [by_functions(), by_functions()] == [False, False]
        del changed.__dlpack_c_exchange_api__, changed.requires_grad
        assert a.array.tolist() == [11] * 4


def test_a_tensor_is_not_taken_over_where_its_caller_waits():
    """Where the class is like PyTorch's, which has no read-only tensors; others may have a flag."""
    like_pytorch = type("Like", (partner(views=True),), {"requires_grad": False})
    a = like_pytorch(np.zeros(4))
    run(add_one, a, block=4)
    assert (a.viewed, a.exchanged, a.deleted, a.calls) == (1, 0, 0, [])
    stream = core.Device("host").create_stream()
    D.launch(add_one, a, grid=1, block=4, stream=stream)
    stream.sync()
    gc.collect()
    assert (a.viewed, a.exchanged, a.deleted, a.calls) == (1, 1, 1, [])
    assert a.array.tolist() == [2] * 4
    fixed = partner(views=True)(np.zeros(4), flags=READ_ONLY)
    with pytest.raises((CompileError, TypeError, ValueError), match="read-only"):
        run(add_one, fixed, block=4)
    assert fixed.viewed == 0
    a = like_pytorch(np.zeros(4), data=None)
    with pytest.raises(BufferError, match="the tensor has elements but no memory"):
        D.launch(add_one, a, grid=1, block=4)


@D.kernel
def negated(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = -a[i]


def test_complex_tensors_go_by_the_method(target):
    """PyTorch's functions give conjugated ones away as if they were not."""
    a, out = np.array([1 + 2j, 3j]), np.zeros(2, complex)
    given = Partner(a)
    run(negated, out, given, block=2)
    assert out.tolist() == [-1 - 2j, -3j]
    assert given.calls


def test_an_interrupt_is_no_reason_to_ask_again():
    """FAILS raises TypeError, whose text is gone where __dlpack__ says another."""
    a = partner(from_object=FAILS)(np.zeros(4), name="something")
    with pytest.raises(BufferError, match="returned no unused DLPack capsule"):
        D.launch(add_one, a, grid=1, block=4)


# --- ours ---

OURS = exchange.api_of(xp.HostArray)


@clause("DEV-DLP-05", "DEV-DLP-08", "DEV-DLP-11", "DEV-DLP-13")
def test_arrays_of_the_host_go_out_and_come_back():
    assert (OURS.major, OURS.minor, OURS.view) == (1, 3, None)
    assert exchange.stream_of(OURS, (CPU, 0)) is None
    a = xp.asarray(np.arange(6.0).reshape(2, 3))
    for view in (a, a.T, a[:, ::-1], a[:0]):
        managed = exchange.exchanged(OURS, view)
        assert (managed.major, managed.flags) == (1, 0)
        again = exchange.array_of(OURS, managed)
        assert type(again) is xp.HostArray
        assert again.strides == view.strides or not view.size
        assert np.array_equal(again, view)
        assert np.shares_memory(again, view) or not view.size
    fixed = a.view()
    fixed.flags.writeable = False
    managed = exchange.exchanged(OURS, fixed)
    assert managed.flags == READ_ONLY
    again = exchange.array_of(OURS, managed)
    assert not again.flags.writeable
    alive = weakref.ref(fixed)
    del fixed
    gc.collect()
    assert alive() is not None
    del again
    gc.collect()
    assert alive() is None
    small = xp.asarray(np.arange(4).astype(D.bfloat16))
    assert exchange.array_of(OURS, exchange.exchanged(OURS, small)).dtype == D.bfloat16


@clause("DEV-DLP-04", "DEV-STRM-06")
def test_arrays_of_the_host_go_out_when_what_is_queued_is_done():
    """Their consumers have no stream to wait for."""
    a = xp.ones(1, dtype=np.uint32)
    stream = core.Device("host").create_stream()
    D.launch(spin, a, 1, grid=1, block=1, stream=stream)
    stream.sync()
    once = int(a[0])
    D.launch(spin, a, 50_000_000, grid=1, block=1, stream=stream)
    managed = exchange.exchanged(OURS, a)
    found = ctypes.c_uint32.from_address(managed.tensor.data).value
    stream.sync()
    assert found == int(a[0]) != once
    assert exchange.array_of(OURS, managed)[0] == found


def test_what_our_functions_refuse():
    made = ctypes.c_void_p()
    for array, text in (
        (np.zeros(3, [("x", "i4")]).view(xp.HostArray), "__dlpack__"),
        (np.zeros(3, [("x", "i1"), ("y", "<i4")]).view(xp.HostArray)["y"], "no whole number of"),
    ):
        with pytest.raises(BufferError, match=text):
            OURS.from_object(array, ctypes.byref(made))
    with pytest.raises(TypeError, match="no NumPy array"):
        OURS.from_object(5, ctypes.byref(made))
    given = Producer(np.zeros(4), version=(2, 0)).managed()
    with pytest.raises(BufferError, match=r"version 2\.0 is not known"):
        OURS.to_object(ctypes.addressof(given), ctypes.byref(made))


def test_partners_allocate_by_our_functions():
    like = Producer(np.zeros((2, 3), np.float32)).managed().tensor
    made = exchange.allocated(OURS, like)
    assert made.tensor.shape[:2] == [2, 3]
    assert made.tensor.strides[:2] == [3, 1]
    again = exchange.array_of(OURS, made)
    assert (again.shape, again.dtype) == ((2, 3), np.float32)
    again[:] = 5
    too_many = Producer(np.zeros(4), shape=(1 << 62, 2), strides=None).managed().tensor
    kind, text = exchange.allocated(OURS, too_many)
    assert (kind, "64 bits" in text) == ("ValueError", True)
    huge = Producer(np.zeros(4), shape=(1 << 55,), strides=None).managed().tensor
    kind, text = exchange.allocated(OURS, huge)
    assert kind == "MemoryError"
    odd = Producer(np.zeros(4), code=99).managed().tensor
    kind, text = exchange.allocated(OURS, odd)
    assert kind == "BufferError"
    assert "type code 99 with 64 bits and 1 lanes is no format of elements here" in text
    assert "convert the array" in text


# --- GPUs ---

HEAD = """
from support import exchange
from support.dlpack import Producer
S, T = core.Device(0).create_stream(), core.Device(0).create_stream()
size = {"grid": 1, "block": 4}
Given = exchange.partner(stream=lambda type, id: int(S.handle))
def given():
    a = D.zeros(4, device="cuda")
    core.Device(0).sync()
    made = Given(np.zeros(4), data=a.__cuda_array_interface__["data"][0], device=(2, 0))
    made.ours = a
    return made
scratch, ones = D.zeros(4, device="cuda"), D.full(4, 1.0, device="cuda")
core.Device(0).sync()
"""


@needs_fake
@clause("DEV-DLP-04", "DEV-DLP-03")
def test_a_launch_comes_after_the_partners_stream(on_fake):  # noqa: F811
    """And what the partner queues on it later comes after the launch."""
    early, late, order, calls = on_fake(
        HEAD
        + """
a = given()
gates["add"] = threading.Event()
D.launch(add, scratch, ones, **size, stream=S)
D.launch(double, a, **size, stream=T)
D.launch(add, scratch, ones, **size, stream=S)
time.sleep(0.2)
early = [name for name, *_ in launches]
gates["add"].set()
core.Device(0).sync()
answer = [early, a.exchanged, [name for name, *_ in launches], a.calls]
"""
    )
    assert (early, late, calls) == ([], 1, [])
    assert order == ["add", "double", "add"]


@needs_fake
@clause("DEV-DLP-04")
def test_arrays_of_gpus_by_our_functions(on_fake):  # noqa: F811
    """A consumer's default stream comes after the stream that used the array last."""
    found = on_fake(
        """
        from support import exchange
        api = exchange.api_of(D.Array)
        S = core.Device(0).create_stream()
        size = {"grid": 1, "block": 4}
        a, ones = D.full(4, 3.0, device="cuda"), D.full(4, 1.0, device="cuda")
        b = D.zeros(4, device="cuda")
        core.Device(0).sync()
        gates["add"] = threading.Event()
        D.launch(add, a, ones, **size, stream=S)
        managed = exchange.exchanged(api, a)
        D.launch(double, b, **size)  # as a consumer would, on the stream that it is told
        time.sleep(0.2)
        early = [name for name, *_ in launches]
        gates["add"].set()
        core.Device(0).sync()
        device = managed.tensor.device_type, managed.tensor.device_id
        again = exchange.array_of(api, managed)
        made = exchange.allocated(api, Producer(np.zeros(4), device=(2, 0)).managed().tensor)
        answer = [early, device, type(again).__name__, D.to_host(again).tolist(),
                  exchange.stream_of(api, (2, 0)), made.tensor.device_type]
        """
    )
    assert found == [[], [2, 0], "Array", [4.0] * 4, 1, 2]
