"""Arrays of the device and their default streams: what waits for what, and what is copied."""

import contextlib
import threading

import numpy as np
import pytest
from cuda.device.numbapro import cuda, float32
from support.held_streams import held

pytestmark = pytest.mark.usefixtures("on_the_host")


@cuda.autojit
def sets(out, x):
    out[0] = x


@contextlib.contextmanager
def queued(number, array, of_its_own=True):
    """A stream, released soon, on which a kernel sets the first element of an array of the device.

    of_its_own: it is the array's default stream. Nothing else waits for it.
    """
    d = cuda.to_device(array)
    with held(free=True) as one:
        if of_its_own:
            d.stream = one.stream
        sets[1, 1, one.stream](d, number)
        assert d._array[0] != number
        threading.Timer(0.1, one.release).start()
        yield d, one.stream


def test_elements_are_read_after_the_arrays_stream():
    with queued(7, np.zeros(3)) as (d, _):
        assert d[0] == 7


def test_elements_are_written_after_the_arrays_stream():
    with queued(7, np.zeros(3)) as (d, stream):
        d[0] = 3
        stream.synchronize()
        assert d.copy_to_host().tolist() == [3, 0, 0]


@pytest.mark.parametrize("of_its_own", [True, False])
def test_copies_come_after_the_stream(of_its_own):
    def streams(stream):
        return () if of_its_own else (stream,)

    with queued(7, np.zeros(3), of_its_own) as (d, stream):
        assert d.copy_to_host(None, *streams(stream)).tolist() == [7, 0, 0]
    out = np.zeros(3)
    with queued(7, np.zeros(3), of_its_own) as (d, stream):
        d.copy_to_host(out, *streams(stream))
        assert out.tolist() == [7, 0, 0]
    out[:] = 0
    with queued(7, out, of_its_own) as (d, stream):
        assert d.to_host(*streams(stream)) is out
        assert out.tolist() == [7, 0, 0]
    with queued(7, np.zeros(3), of_its_own) as (d, stream):
        d.copy_to_device(np.full(3, 5.0), *streams(stream))
        stream.synchronize()
        assert d.copy_to_host().tolist() == [5, 5, 5]


def test_to_device_comes_after_the_stream():
    with queued(7, np.zeros(3), False) as (d, stream):
        assert cuda.to_device(np.full(3, 5.0), stream, to=d) is d
        stream.synchronize()
        assert d.copy_to_host().tolist() == [5, 5, 5]


def test_mapped_arrays_are_done_at_the_end():
    a = np.zeros(3)
    with held() as one:
        threading.Timer(0.1, one.release).start()
        with cuda.mapped(a, stream=one.stream) as d:
            assert d.stream is one.stream
            sets[1, 1, one.stream](d, 7)
        assert a.tolist() == [7, 0, 0]


@pytest.mark.parametrize("wait", [cuda.synchronize, cuda.close])
def test_all_streams_are_waited_for(wait):
    with queued(7, np.zeros(3), False) as (d, _):
        wait()
        assert d._array[0] == 7


def test_an_event_lets_another_stream_wait():
    out = np.zeros(3)
    with held() as one:
        sets[1, 1, one.stream](out, 7)
        mark, other = cuda.event(), cuda.stream()
        mark.record(one.stream)
        mark.wait(other)
        sets[1, 1, other](out, 3)
        threading.Timer(0.1, one.release).start()
        other.synchronize()
        assert out[0] == 3


def test_parts_have_the_default_stream_of_the_whole():
    stream = cuda.stream()
    for d in (
        cuda.device_array((2, 3), float32, stream=stream),
        cuda.to_device(np.zeros((2, 3)), stream),
        cuda.device_array_like(np.zeros((2, 3)), stream),
    ):
        assert d.stream is stream
        assert d[0].stream is d[:, 1:].stream is d.reshape(6).stream is stream
        assert d.reshape((3, 2)).shape == d.reshape(3, 2).shape == (3, 2)
    assert cuda.device_array(3).stream == cuda.device_array(3, stream=None).stream == 0


def test_the_host_gets_a_copy_in_the_same_order():
    a = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    d = cuda.to_device(a)
    found = d.copy_to_host()
    assert found.flags.f_contiguous
    assert found.tolist() == a.tolist()
    found[0, 0] = 9
    assert d[0, 0] == 0
    with pytest.raises(ValueError, match=r"float64\[2, 3\] was given an array of float32\[2, 3\]"):
        d.copy_to_host(np.zeros((2, 3), np.float32))


def test_what_the_interface_says_of_strides_and_writing(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")
    d = cuda.to_device(np.zeros((4, 6), np.int16))
    interface = d.__cuda_array_interface__
    assert (interface["strides"], interface["data"][1]) == (None, False)
    assert d[:, ::2].__cuda_array_interface__["strides"] == (12, 4)
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with cuda.mapped(fixed) as shown:
        assert shown.__cuda_array_interface__["data"] == (fixed.ctypes.data, True)
        assert cuda.as_cuda_array(shown) is shown


def test_orders_of_new_arrays():
    assert cuda.device_array((2, 3), float32, order="F").strides == (4, 8)
    assert cuda.device_array_like(np.zeros((2, 3), order="F")).strides == (8, 16)
    held_by_gpus = cuda.pinned_array((2, 3), float32, order="F")
    assert (held_by_gpus.strides, held_by_gpus.dtype) == ((4, 8), np.float32)


def test_pinned_takes_arrays_of_the_host():
    a, b = np.arange(3.0), np.zeros(3)
    with cuda.pinned(a, b) as given:
        assert given is None
        cuda.to_device(a).copy_to_host(b)
    assert b.tolist() == [0, 1, 2]
    for wrong in (3, cuda.to_device(a), [1.0]):
        with (
            pytest.raises(TypeError, match=r"pinned\(\) expects arrays of the host, found"),
            cuda.pinned(a, wrong),
        ):
            pass


def test_classes_are_no_arrays():
    class Shows:
        __cuda_array_interface__ = property(lambda self: {})

    assert not cuda.is_cuda_array(Shows)
    assert cuda.is_cuda_array(Shows())


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
@pytest.mark.parametrize("real", [np.float64, np.int32, np.bool_])
def test_complex_numbers_are_copied_into_no_array_of_real_ones(real, kind):
    source = np.array([1j, 2, 3], kind)
    d = cuda.to_device(np.ones(3, real))
    given = (
        f"of an array of {np.dtype(real)} was given {source.dtype}: complex numbers do not become "
        r"real ones; give their \.real, \.imag or abs\(\)"
    )
    for complex_array in (source, cuda.to_device(source)):
        with pytest.raises(TypeError, match=rf"copy_to_device\(\) {given}"):
            d.copy_to_device(complex_array)
        with pytest.raises(TypeError, match=rf"copy_to_device\(\) {given}"):
            cuda.to_device(complex_array, to=d)
        with pytest.raises(TypeError, match=f"an assignment to a part {given}"):
            d[:] = complex_array
    assert d._host is not source
    assert d.copy_to_host().tolist() == [1, 1, 1]
    d.copy_to_device(source.real)
    z = cuda.to_device(source)
    z[:1] = d[:1]
    assert z.copy_to_host().tolist() == [0, 2, 3]


@cuda.autojit
def has_no_elements(out, n):
    numbers = cuda.local.array(0, float32)
    rows = cuda.local.array((3, 0), float32)
    for i in range(numbers.size):
        numbers[i] = n
    out[0], out[1], out[2], out[3] = numbers.size, numbers.shape[0], rows.shape[0], rows.size
    out[4] = len(numbers)
    if numbers.size > n:
        out[5] = numbers[n]


def test_local_arrays_may_have_no_elements(target):
    out = np.full(6, -1.0)
    has_no_elements[1, 1](out, 0)
    assert out.tolist() == [0, 0, 3, 0, 0, -1]


def test_numpy_takes_an_array_of_the_device_as_a_copy():
    host = np.arange(6.0).reshape(2, 3)
    made = cuda.to_device(host)
    copied = np.asarray(made)
    assert isinstance(copied, np.ndarray)
    assert copied.tolist() == host.tolist()
    copied[0, 0] = 17
    assert made.copy_to_host()[0, 0] == 0
    assert np.asarray(made, np.float32).dtype == np.float32
    assert np.sum(made) == 15
    with pytest.raises(ValueError, match="copied for NumPy"):
        made.__array__(copy=False)
    with pytest.raises(TypeError, match=r"copy_to_host\(\) fills a NumPy array, found list"):
        made.copy_to_host([0, 0])
