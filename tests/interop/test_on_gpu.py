"""The runtime on a real GPU: streams, events, waits, memory. bench/gpu/run.py has them in its part
`runtime`. Without a GPU they are skipped; tests/gpu_report tries the tests themselves on the tests'
driver, whose kernels the CPU runs."""

import ctypes
import gc
import signal
import threading
import time

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core
from cuda.device.errors import LaunchValueError, OutOfMemoryError
from support.kernels import add, busy
from support.on_gpu import (
    WHERE,
    affine,
    called,
    gate,
    gpu,
    our_stream,
    put,
    settled,
    shared,
    size_for,
    waits_for_a_gpu,
)

__all__ = ["gate", "gpu"]  # fixtures

N = 1000  # no multiple of a block
STEPS = 4_000_000  # of one thread: some 10 ms
INT = np.int32


@D.kernel
def vec_add(a, b, c):
    i = D.block_idx.x * D.block_dim.x + D.thread_idx.x
    if i < c.size:
        c[i] = a[i] + b[i]


def host_stream():
    return core.Device("host").create_stream()


# --- launches in the order of a stream ---


def test_the_example_of_the_guide():
    """With cuda.core's own objects, where they are here."""
    device = core.Device(0)
    device.set_current()
    stream = device.create_stream()
    a, b = np.random.default_rng(7).random((2, N))
    x, y = D.asarray(a, device=WHERE), D.asarray(b, device=WHERE)
    z = D.zeros(N, np.float64, device=WHERE)
    D.launch(vec_add, x, y, z, grid=4, block=256, stream=stream)
    stream.sync()
    assert np.array_equal(D.to_host(z), a + b)


def test_a_launch_returns_at_once_and_a_stream_keeps_the_order(gate):
    stream = our_stream()
    a, seen = shared(N)
    D.launch(affine, a, INT(1), INT(0), **size_for(N), stream=stream)
    stream.sync()
    gate.close(stream)
    wanted = 0
    for k in range(300):  # more than one batch of what is kept for launches
        D.launch(affine, a, INT(k % 3 + 1), INT(k), **size_for(N), stream=stream)
        wanted = (wanted * (k % 3 + 1) + k + 2**31) % 2**32 - 2**31
    event = stream.record()
    time.sleep(0.05)
    assert not any((event.is_done, stream.is_done, seen.any()))
    gate.open()
    event.sync()
    assert (seen == wanted).all()
    stream.sync()
    assert event.is_done
    assert stream.is_done


def test_streams_go_on_beside_one_that_waits(gate):
    streams = [our_stream() for _ in range(4)]
    arrays, seen = zip(*(shared(N) for _ in streams), strict=True)
    for a, stream in zip(arrays, streams, strict=True):
        D.launch(put, a, INT(1), **size_for(N), stream=stream)
        stream.sync()
    gate.close(streams[0])
    for a, stream in zip(arrays, streams, strict=True):
        D.launch(put, a, INT(2), **size_for(N), stream=stream)
    # Streams that have a queue of the hardware in common may wait with it: not all have.
    assert settled(lambda: any(stream.is_done for stream in streams))
    assert not streams[0].is_done
    assert (seen[0] == 1).all()
    gate.open()
    for stream in streams:
        stream.sync()
    assert all((a == 2).all() for a in seen)


@waits_for_a_gpu("the kernels of the tests' driver share the CPU's cores")
def test_kernels_of_several_streams_run_at_once():
    streams = [our_stream() for _ in range(4)]
    arrays = [D.full(1, 1, np.float32, device=WHERE) for _ in streams]

    def seconds(count):
        begin = time.perf_counter()
        for a, stream in list(zip(arrays, streams, strict=True))[:count]:
            D.launch(busy, a, 4 * STEPS, grid=1, block=1, stream=stream)
        for stream in streams:
            stream.sync()
        return time.perf_counter() - begin

    seconds(4)  # what is compiled and loaded is no part of it
    rounds = [(seconds(1), seconds(4)) for _ in range(3)]
    assert min(four / one for one, four in rounds) < 2.5, rounds


def test_threads_launch_side_by_side():
    """Two with a stream in common, two with one of their own."""
    common = our_stream()
    step = D.full(N, 1, INT, device=WHERE)
    arrays = [D.zeros(N, INT, device=WHERE) for _ in range(4)]
    problems = []

    def work(a, stream):
        try:
            for _ in range(200):
                D.launch(add, a, step, **size_for(N), stream=stream)
            stream.sync()
        except Exception as error:
            problems.append(error)

    streams = (common, common, our_stream(), our_stream())
    pairs = zip(arrays, streams, strict=True)
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert all((D.to_host(a) == 200).all() for a in arrays)


def test_arguments_may_be_dropped_after_their_launch(gate):
    """What is freed then is nobody else's before the launch is done."""
    stream, other = our_stream(), our_stream()
    n = 1 << 18
    total, step = D.zeros(n, INT, device=WHERE), D.full(n, 1, INT, device=WHERE)
    D.launch(add, total, step, **size_for(n), stream=stream)
    D.launch(put, step, INT(1), **size_for(n), stream=other)
    core.Device(0).sync()
    _core.sync_device(0)
    gate.close(stream)
    D.launch(add, total, step, **size_for(n), stream=stream)
    del step
    gc.collect()
    found = []
    worker = threading.Thread(
        target=lambda: found.append(core.DeviceMemoryResource(0).allocate(4 * n, stream=other))
    )
    worker.start()
    worker.join(1)  # it may also wait for the stream
    gate.open()
    worker.join()
    found[0].fill(7, stream=other)
    assert (D.to_host(total) == 2).all()


def test_ctrl_c_ends_a_wait(gate):
    stream = our_stream()
    stream.sync()
    gate.close(stream)
    begin = time.monotonic()
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        stream.sync()
    assert time.monotonic() - begin < 5
    timer.join()
    assert not stream.is_done


def test_a_launch_that_cannot_be_leaves_the_gpu_as_it_was():
    a, seen = shared(N)
    stream = our_stream()
    with pytest.raises(LaunchValueError, match="1024"):
        D.launch(put, a, INT(1), grid=1, block=1025, stream=stream)
    with pytest.raises(LaunchValueError, match="shared"):
        D.launch(put, a, INT(1), grid=1, block=32, shared=228 * 1024, stream=stream)
    D.launch(put, a, INT(3), **size_for(N), shared=100 * 1024, stream=stream)
    stream.sync()
    assert (seen == 3).all()


# --- streams of others ---


class Method:
    def __init__(self, handle):
        self.number = handle

    def __cuda_stream__(self):
        return 0, self.number


class Property(Method):
    """As early versions of the protocol had it."""

    @property
    def __cuda_stream__(self):
        return 0, self.number


@pytest.fixture
def foreign():
    """A stream that the driver was asked for; its handle."""
    made = ctypes.c_void_p()
    assert called("cuStreamCreateWithPriority", ctypes.byref(made), 1, 0) == 0
    yield made.value
    assert called("cuStreamDestroy_v2", made) == 0


@pytest.mark.parametrize("wrap", [Method, Property, core.Stream.from_handle])
def test_objects_with_a_cuda_stream(gate, foreign, wrap):
    theirs, ours = wrap(foreign), our_stream()
    a, seen = shared(N)
    for stream in (theirs, ours):
        D.launch(affine, a, INT(1), INT(0), **size_for(N), stream=stream)
    core.Stream.from_handle(foreign).sync()
    ours.sync()
    gate.close(core.Stream.from_handle(foreign))
    D.launch(put, a, INT(5), **size_for(N), stream=theirs)
    ours.wait(theirs)
    D.launch(affine, a, INT(2), INT(1), **size_for(N), stream=ours)
    time.sleep(0.05)
    assert not any((ours.is_done, seen.any()))
    gate.open()
    ours.sync()
    assert (seen == 11).all()
    again = core.Device(0).create_stream(theirs) if wrap is Method else theirs
    D.launch(affine, a, INT(1), INT(1), **size_for(N), stream=again)
    core.Stream.from_handle(foreign).sync()
    assert (seen == 12).all()


@pytest.mark.parametrize("handle", [1, 2])
def test_default_streams_of_cuda(handle):
    a, seen = shared(N)
    stream = core.Stream.from_handle(handle)
    D.launch(put, a, INT(4), **size_for(N), stream=stream)
    stream.sync()
    assert (seen == 4).all()


def test_functions_of_the_host_between_our_launches(gate):
    """Given to the driver by somebody else; they see what was launched before, no more."""
    stream = our_stream()
    a, seen = shared(N)
    D.launch(put, a, INT(0), **size_for(N), stream=stream)
    stream.sync()
    found = []
    look = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: found.append(set(seen.tolist())))
    gate.close(stream)
    for k in range(1, 6):
        D.launch(put, a, INT(k), **size_for(N), stream=stream)
        assert called("cuLaunchHostFunc", ctypes.c_void_p(stream.handle), look, None) == 0
    assert found == []
    gate.open()
    stream.sync()
    assert found == [{k} for k in range(1, 6)]


def test_the_objects_of_cuda_core(gate):
    theirs = pytest.importorskip("cuda.core", reason="waits for NVIDIA's cuda.core")
    device = core.Device(0)
    assert isinstance(device, theirs.Device)
    device.set_current()
    stream, ours = device.create_stream(), our_stream()
    assert type(stream).__module__.startswith("cuda.core")
    a, seen = shared(N)
    for s in (stream, ours):
        D.launch(affine, a, INT(1), INT(0), **size_for(N), stream=s)
    stream.sync()
    ours.sync()
    gate.close(core.Stream.from_handle(stream.__cuda_stream__()[1]))
    D.launch(put, a, INT(5), **size_for(N), stream=stream)
    ours.wait(stream)
    D.launch(affine, a, INT(2), INT(1), **size_for(N), stream=ours)
    assert not seen.any()
    gate.open()
    ours.sync()
    assert (seen == 11).all()
    buffer = device.allocate(1024, stream=stream)
    view = D.from_dlpack(buffer)
    D.launch(put, view, view.dtype.type(9), **size_for(view.size), stream=stream)
    stream.sync()
    assert (D.to_host(view) == 9).all()


# --- events and waits ---


def test_events_tell_the_time(gate):
    stream = our_stream()
    scratch = D.full(1, 1, np.float32, device=WHERE)
    D.launch(busy, scratch, 10, grid=1, block=1, stream=stream)
    stream.sync()
    clock = time.perf_counter()
    begin = stream.record()
    begin.sync()
    gate.close(stream)
    D.launch(busy, scratch, STEPS, grid=1, block=1, stream=stream)
    end = core.Event(device=0)
    assert end.is_done  # until it is recorded
    stream.record(end)
    time.sleep(0.1)
    assert not end.is_done
    with pytest.raises(RuntimeError, match="was not recorded or is not done yet"):
        end - begin
    gate.open()
    end.sync()
    whole = 1e3 * (time.perf_counter() - clock)
    assert 95 < end - begin < whole + 1
    stream.record(begin)
    D.launch(busy, scratch, STEPS, grid=1, block=1, stream=stream)
    stream.record(end)
    end.sync()
    assert 1 < end - begin < 10_000
    untimed = stream.record(options={"enable_timing": False})
    untimed.sync()
    with pytest.raises(RuntimeError, match="enable_timing=False"):
        untimed - begin


def test_an_event_recorded_anew_leaves_earlier_waits_alone(gate):
    first, second = our_stream(), our_stream()
    a, seen = shared(N)
    for stream in (first, second):
        D.launch(put, a, INT(0), **size_for(N), stream=stream)
        stream.sync()
    event = first.record()
    second.wait(event)
    gate.close(first)
    first.record(event)
    D.launch(put, a, INT(3), **size_for(N), stream=second)
    assert settled(lambda: second.is_done)
    assert (seen == 3).all()
    assert not event.is_done
    gate.open()
    event.sync()


# What waits runs on the second, what it waits for on the first.
PAIRS = {
    "one GPU": (our_stream, our_stream),
    "a GPU for the host": (host_stream, our_stream),
    "the host for a GPU": (our_stream, host_stream),
}


@pytest.mark.parametrize("how", ["stream", "event"])
@pytest.mark.parametrize("pair", PAIRS)
def test_a_stream_waits_for_another(gate, pair, how):
    first, second = (make() for make in PAIRS[pair])
    waits = our_stream()  # at the gate, and the first for it
    a, seen = shared(N)
    for stream in (first, second):
        D.launch(affine, a, INT(1), INT(0), **size_for(N), stream=stream)
        stream.sync()
    gate.close(waits)
    first.wait(waits if how == "stream" else waits.record())
    D.launch(affine, a, INT(1), INT(5), **size_for(N), stream=first)
    second.wait(first if how == "stream" else first.record())
    D.launch(affine, a, INT(2), INT(0), **size_for(N), stream=second)
    time.sleep(0.05)
    assert not any((second.is_done, seen.any()))
    gate.open()
    second.sync()
    assert (seen == 10).all()


def test_host_and_gpu_in_turn():
    """Each waits for the other, without a word from the thread that queues it."""
    host, gpu = host_stream(), our_stream()
    a, seen = shared(N)
    wanted = 0
    for k in range(200):
        D.launch(affine, a, INT(3), INT(k), **size_for(N), stream=host)
        gpu.wait(host)
        D.launch(affine, a, INT(5), INT(1), **size_for(N), stream=gpu)
        host.wait(gpu)
        wanted = ((wanted * 3 + k) * 5 + 1 + 2**31) % 2**32 - 2**31
    host.sync()
    gpu.sync()
    assert (seen == wanted).all()


# --- memory ---

KINDS = {"Device": (False, True, False), "Pinned": (True, True, False), "Managed": (True,) * 3}


@pytest.mark.parametrize("kind", KINDS)
def test_buffers(kind):
    """Allocated, filled, copied, freed in the order of streams; kernels and the host see them."""
    resource = getattr(core, f"{kind}MemoryResource")(0)
    stream, other = our_stream(), our_stream()
    a = resource.allocate(4 * N, stream=stream)
    reached = (a.is_host_accessible, a.is_device_accessible, a.is_managed)
    assert reached == KINDS[kind]
    assert (a.size, a.device_id, a.handle % 256) == (4 * N, 0, 0)
    a.fill(7, stream=stream)
    b = core.DeviceMemoryResource(0).allocate(4 * N, stream=stream)
    b.copy_from(a, stream=stream)
    other.wait(stream)
    back = core.PinnedMemoryResource(0).allocate(4 * N)
    back.copy_from(b, stream=other)
    b.close(other)
    other.sync()
    assert bytes(back) == bytes([7]) * 4 * N
    view = D.from_dlpack(a)
    D.launch(put, view, view.dtype.type(5), **size_for(view.size), stream=stream)
    again = a.copy_to(back, stream=stream)
    assert again is back
    stream.sync()
    assert bytes(back) == bytes([5]) * 4 * N
    if reached[0]:
        assert bytes(a) == bytes([5]) * 4 * N
        np.frombuffer(a, np.int32)[:] = 0x01010101  # in place
        D.launch(affine, view, view.dtype.type(2), view.dtype.type(1), **size_for(view.size))
        _core.sync_device(0)
        assert bytes(a) == bytes([3]) * 4 * N
    del view
    a.close(stream)
    assert (a.size, a.handle) == (0, 0)


@pytest.mark.parametrize("memory", ["pinned", "managed"])
def test_arrays_that_host_and_gpu_see(memory):
    a, seen = shared(N, kind=memory)
    assert a.memory == memory
    seen[:] = np.arange(N)
    stream, host = our_stream(), host_stream()
    D.launch(affine, a, INT(2), INT(1), **size_for(N), stream=stream)
    stream.sync()
    assert np.array_equal(seen, 2 * np.arange(N) + 1)
    D.launch(affine, a, INT(3), INT(0), **size_for(N), stream=host)
    host.sync()
    D.launch(affine, a, INT(1), INT(1), **size_for(N), stream=stream)
    stream.sync()
    assert np.array_equal(D.to_host(a), 6 * np.arange(N) + 4)
    assert np.array_equal(seen, 6 * np.arange(N) + 4)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.float64, np.complex128])
def test_arrays_are_filled_and_copied(dtype):
    """By the driver's own fills and copies, and where it has none for the steps."""
    a = np.random.default_rng(3).integers(0, 99, (37, 53)).astype(dtype)
    x = D.asarray(a, device=WHERE)
    views = (np.s_[:], np.s_[::2, 1::3], np.s_[::-1], np.s_[5:9, ::-2], np.s_[:, 4])
    for view in views:
        assert np.array_equal(D.to_host(x[view]), a[view])
        x[view] = a[view][..., ::-1].copy()
        a[view] = a[view][..., ::-1].copy()
        assert np.array_equal(D.to_host(x), a)
    assert np.array_equal(D.to_host(x.T), a.T)
    y = D.full(a.T.shape, 6, dtype, device=WHERE)
    assert np.array_equal(D.to_host(y), np.full(a.T.shape, 6, dtype))
    y[...] = x.T
    y[1::2] = np.ones(1, dtype)[0]
    wanted = a.T.copy()
    wanted[1::2] = 1
    assert np.array_equal(D.to_host(y), wanted)


@pytest.mark.parametrize("memory", ["device", "managed", "pinned"])
def test_an_array_knows_the_stream_that_used_it_last(gate, memory):
    """to_host is right without a word about synchronisation."""
    stream = our_stream()
    a = D.full(N, 1, INT, device=WHERE, memory=memory)
    D.launch(affine, a, INT(1), INT(0), **size_for(N), stream=stream)
    core.Device(0).sync()
    _core.sync_device(0)
    gate.close(stream)
    D.launch(affine, a, INT(2), INT(3), **size_for(N), stream=stream)
    opens = threading.Timer(0.1, gate.open)
    opens.start()
    found = D.to_host(a)
    opens.join()
    assert (found == 5).all()


FAR = 1 << 50


UNLIMITED = waits_for_a_gpu("the tests' driver takes pinned memory to be there always")


@pytest.mark.parametrize("kind", ["Device", pytest.param("Pinned", marks=UNLIMITED), "Managed"])
def test_out_of_memory(kind):
    """Far more than there is; everything goes on as before."""
    a, stream = D.full(N, 1, INT, device=WHERE), our_stream()
    resource = getattr(core, f"{kind}MemoryResource")(0)
    before = _core.memory_figures(0)["allocations"]
    for _ in range(2):
        with pytest.raises(OutOfMemoryError, match=rf"out of memory: {FAR} bytes") as caught:
            resource.allocate(FAR, stream=stream)
    error = caught.value
    assert error.asked == FAR
    assert 0 < error.free <= error.total < FAR
    assert _core.memory_figures(0)["allocations"] == before
    D.launch(affine, a, INT(2), INT(1), **size_for(N), stream=stream)
    b = resource.allocate(4 * N, stream=stream)
    b.fill(1, stream=stream)
    b.close(stream)
    assert (D.to_host(a) == 3).all()


def test_arrays_that_are_too_large():
    a = D.full(N, 1, INT, device=WHERE)
    with pytest.raises(OutOfMemoryError) as caught:
        D.empty(FAR, np.int8, device=WHERE)
    assert caught.value.asked == FAR
    assert (D.to_host(a) == 1).all()


def free_memory():
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    assert called("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total)) == 0
    return free.value


def test_the_pool_keeps_what_is_freed_and_gives_it_back():
    """As the driver counts: so nobody else is to use the GPU meanwhile."""
    resource, stream = core.DeviceMemoryResource(0), our_stream()
    size = 256 << 20
    _core.sync_device(0)
    resource.trim()
    whole = free_memory()
    a = resource.allocate(size, stream=stream)
    taken = free_memory()
    a.close(stream)
    stream.sync()
    kept = free_memory()
    b = resource.allocate(size, stream=stream)
    again = free_memory()
    b.close(stream)
    _core.sync_device(0)  # the driver gives nothing back that nobody has waited for
    resource.trim()
    assert whole - taken >= size
    assert (kept, again) == (taken, taken)
    assert free_memory() - kept >= size


def test_nothing_is_left():
    gc.collect()
    _core.sync_device(0)
    before = _core.memory_figures(0)["allocations"]
    stream = our_stream()
    for k in range(50):
        a = D.full(N, k, INT, device=WHERE)
        D.launch(affine, a, INT(1), INT(1), **size_for(N), stream=stream)
        b = core.DeviceMemoryResource(0).allocate(1 << (k % 20), stream=stream)
        if k % 2:
            b.close(stream)
        del a, b
    stream.sync()
    gc.collect()
    _core.sync_device(0)
    assert _core.memory_figures(0)["allocations"] == before
