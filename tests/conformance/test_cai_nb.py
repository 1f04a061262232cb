"""The layer that the CUDA Array Interface's text speaks of: cuda.device_array … (CAI-NB)."""

import gc
import inspect
import weakref

import numpy as np
import pytest
from cuda.device.numbapro import cuda, float32, int32, void
from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture
from support.interfaces import cuda as fake_array
from support.interfaces import cuda_dict


@cuda.jit(void, int32[::1])  # A-9: the result's type, then the arguments'
def initialise(x):
    i = cuda.grid(1)
    if i < len(x):
        x[i] = 0


@cuda.jit(void(int32[::1]))
def add_index(x):
    start = cuda.grid(1)
    step = cuda.gridsize(1)
    for i in range(start, len(x), step):
        x[i] += i


@clause("CAI-NB-07", "CAI-NB-08")
def test_the_example_with_two_streams(target):
    n, threads = 16384, 256
    blocks = (n + threads - 1) // threads
    first, second = cuda.stream(), cuda.stream()
    x = cuda.device_array(n, dtype=np.int32, stream=first)
    initialise[threads, blocks, first](x)  # it covers all elements this way too
    ready = cuda.event()
    ready.record(first)
    ready.wait(second)
    add_index[blocks, threads, second](x)
    done = cuda.event()
    done.record(second)
    done.wait(first)
    assert x.copy_to_host().tolist() == list(range(n))
    done.synchronize()
    assert done.query()
    assert ready.elapsed_time(done) >= 0


@clause("CAI-NB-02", "CAI-NB-03", "CAI-NB-09", "CAI-LIFE-03")
def test_arrays_export_their_default_stream(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")
    assert cuda.device_array(10).__cuda_array_interface__["stream"] is None
    stream = cuda.stream()
    a = cuda.device_array((3, 4), dtype=np.float32, stream=stream)
    handle = stream.handle
    described = a.__cuda_array_interface__
    assert described["stream"] == handle == int(stream)
    assert (described["shape"], described["typestr"], described["version"]) == ((3, 4), "<f4", 3)
    assert cuda.is_cuda_array(a)
    assert not cuda.is_cuda_array(np.zeros(3))
    alive = weakref.ref(stream)
    del stream
    gc.collect()
    assert alive() is not None
    assert a.__cuda_array_interface__["stream"] == handle
    cuda.event().record(cuda.external_stream(handle))
    del a
    gc.collect()
    assert alive() is None
    for named in (cuda.default_stream, cuda.legacy_default_stream, cuda.per_thread_default_stream):
        b = cuda.device_array(3, stream=named())
        assert b.__cuda_array_interface__["stream"] == named().handle


@clause("CAI-NB-02")
def test_plain_memory_of_the_host_is_not_shown(monkeypatch, on_the_host):
    monkeypatch.delenv("CUDA_DEVICE_HOST_CAI", raising=False)
    a = cuda.device_array(10)
    assert not cuda.is_cuda_array(a)
    with pytest.raises(AttributeError, match="memory of the host has no __cuda_array_interface__"):
        _ = a.__cuda_array_interface__


@pytest.mark.parametrize("order", ["C", "F"])
def test_copies(order):
    a = np.asarray(np.arange(12.0).reshape(3, 4), order=order)
    d = cuda.to_device(a)
    assert (d.shape, d.strides, d.dtype, d.ndim, d.size, d.nbytes) == (
        *(a.shape, a.strides, a.dtype, 2, 12, 96),
    )
    a[:] += 1
    assert np.array_equal(d.copy_to_host(), a - 1)
    assert len(d) == 3
    out = np.zeros((3, 4))
    assert d.copy_to_host(out) is out
    assert np.array_equal(out, a - 1)
    d.copy_to_device(a)
    assert np.array_equal(d[1:, ::2].copy_to_host(), a[1:, ::2])
    assert d[1, 2] == a[1, 2]
    d[0] = 7
    assert d[0].copy_to_host().tolist() == [7] * 4
    with pytest.raises(ValueError, match=r"copy_to_host\(\) of float64\[3, 4\] was given"):
        d.copy_to_host(np.zeros(3))
    with pytest.raises(ValueError, match=r"copy_to_device\(\) of shape \(3, 4\) was given"):
        d.copy_to_device(np.zeros(3))
    assert cuda.device_array_like(d).strides == d.strides
    assert cuda.pinned_array(4, float32).dtype == np.float32


@clause("CAI-NB-01", "CAI-NB-04", "CAI-NB-05")
def test_a_producers_stream_is_waited_for_and_becomes_the_arrays(monkeypatch):
    waited = []
    stream = cuda.stream()
    kind = type(stream)
    monkeypatch.setattr(kind, "synchronize", lambda self: waited.append(self.handle))
    fake = fake_array(np.arange(4.0), stream=stream.handle)
    a = cuda.as_cuda_array(fake)
    assert waited == [stream.handle]
    assert a.stream.handle == stream.handle
    cuda.from_cuda_array_interface(fake.description, fake)
    assert len(waited) == 2
    cuda.as_cuda_array(fake, sync=False)
    cuda.as_cuda_array(fake_array(np.zeros(3)))
    for name in ("NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "CUDA_DEVICE_ARRAY_INTERFACE_SYNC"):
        monkeypatch.setenv(name, "0")
        cuda.as_cuda_array(fake)
        monkeypatch.delenv(name)
    monkeypatch.setattr(cuda.config, "CUDA_ARRAY_INTERFACE_SYNC", 0)
    cuda.as_cuda_array(fake)
    assert len(waited) == 2
    assert a.copy_to_host().tolist() == [0, 1, 2, 3]


@clause("CAI-NB-05", "CAI-NB-06")
def test_who_keeps_the_owner():
    assert str(inspect.signature(cuda.as_cuda_array)).startswith(
        "(obj: 'Any', sync: 'bool' = True)"
    )
    parameters = inspect.signature(cuda.from_cuda_array_interface).parameters
    assert [(p.name, p.default) for p in parameters.values()] == [
        *(("desc", inspect.Parameter.empty), ("owner", None), ("sync", True)),
    ]
    a = np.zeros(4)
    for wrapped, keeps in (
        (cuda.as_cuda_array, True),
        (lambda fake: cuda.from_cuda_array_interface(fake.description), False),
        (lambda fake: cuda.from_cuda_array_interface(fake.description, owner=fake), True),
    ):
        fake = fake_array(a)
        alive = weakref.ref(fake)
        b = wrapped(fake)
        del fake
        gc.collect()
        assert (alive() is not None) is keeps
        assert b.shape == (4,)
        del b
        gc.collect()
        assert alive() is None
    with pytest.raises(TypeError, match=r"as_cuda_array\(\) needs __cuda_array_interface__"):
        cuda.as_cuda_array(3)
    assert cuda_dict(a)["shape"] == (4,)


@needs_fake
@clause("CAI-NB-01", "CAI-NB-02", "CAI-NB-04", "CAI-NB-09", "CAI-NB-10")
def test_on_a_gpu(on_fake):  # noqa: F811
    answer = on_fake(
        """
from cuda.device.numbapro import cuda
s = cuda.stream()
a = cuda.to_device(np.arange(4.0), stream=s)
described = a.__cuda_array_interface__
answer = [described["stream"] == s.handle, a.copy_to_host().tolist(),
          cuda.device_array(3).__cuda_array_interface__["stream"]]

class Fake:
    __cuda_array_interface__ = described

def waits(*arguments):
    fake.fake_take_calls()
    cuda.as_cuda_array(*arguments)
    return fake.fake_take_calls().decode().split().count("event_synchronize")

answer.append(waits(Fake()))
answer.append(waits(Fake(), False))

# A launch on another stream comes after it, without the host's waiting, also with a shape.
class Shaped(Fake):
    shape, dtype = (4,), np.dtype("f8")

@cuda.autojit
def sets(a):
    a[0] = 7
runs_on_fake(("f8", 1))(sets._kernel)
other = cuda.stream()

def order_of_launch(array, stream=other):
    sets[1, 1, stream](a)
    cuda.synchronize()
    fake.fake_take_calls()
    sets[1, 1, stream](array)
    made = fake.fake_take_calls().decode().split()
    cuda.synchronize()
    return [made.count("stream_wait_event") > 0, made.count("event_synchronize")]

answer.append([order_of_launch(Fake()), order_of_launch(Shaped())])
answer.append(order_of_launch(Shaped(), s))  # of that stream itself there is nothing to wait for
cuda.config.CUDA_ARRAY_INTERFACE_SYNC = 0
answer.append(waits(Fake()))
answer.append([order_of_launch(Fake()), order_of_launch(Shaped())])
cuda.synchronize()
"""
    )
    first, later = [[True, 0]] * 2, [[False, 0]] * 2
    assert answer == [True, [0, 1, 2, 3], None, 1, 0, first, [False, 0], 0, later]


@needs_fake
@clause("CAI-NB-09")
def test_names_on_a_gpu(on_fake):  # noqa: F811
    answer = on_fake(
        """
from cuda.device.numbapro import cuda, int16
answer = [cuda.legacy_default_stream().handle, cuda.per_thread_default_stream().handle]

def calls():
    return fake.fake_take_calls().decode().split()

calls()
held = cuda.pinned_array((2, 3), int16, order="F")
answer.append([calls().count("pinned_alloc"), type(held).__name__, str(held.dtype),
               held.flags.f_contiguous, held.shape])
held[1, 2] = 7
answer.append(calls().count("pinned_free"))  # the array is that memory, and keeps it
del held
cuda.synchronize()
answer.append(calls().count("pinned_free"))
there = cuda.device_array((2, 3), int16, order="F")
answer.append([calls().count("pinned_alloc"), there.strides])

of_the_host = np.arange(3.0)
with cuda.mapped(of_the_host) as mapped:
    answer.append(mapped.copy_to_host().tolist())
    mapped.copy_to_device(np.full(3, 5.0))
answer.append(of_the_host.tolist())

cuda.select_device(1)
answer.append([cuda.get_current_device().id, cuda.is_available()])
stream, mark = cuda.stream(), cuda.event()
mark.record(stream)  # both are of the device that was selected
mark.synchronize()
answer.append(mark.query())
""",
        FAKE_CUDA_DEVICES="2",
    )
    assert answer == [
        *(1, 2),
        [1, "ndarray", "int16", True, [2, 3]],
        *(0, 1),
        [0, [2, 4]],
        *([0, 1, 2], [5, 5, 5]),
        [1, True],
        True,
    ]
