"""On a GPU, launches among the work of CuPy and PyTorch: on their streams, on their arrays, with
events across, and our arrays in their hands."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core
from support.kernels import add, busy
from support.targets import WAITS_FOR, available

N = 5000  # no multiple of a block
SIZE = {"grid": -(-N // 256), "block": 256}
STEPS = 4_000_000  # of one thread: some 10 ms, so that work out of order is seen


@D.kernel
def times(a, by):
    i = D.tid(1)
    if i < a.size:
        a[i] *= by


@D.kernel
def transposed(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[x, y] = a[y, x]


class Library:
    """What the tests do with a library, where all use the same words."""

    def sync(self, stream):
        stream.synchronize()

    def wait(self, stream, event):
        stream.wait_event(event)


class CuPy(Library):
    """The rest in CuPy's."""

    def __init__(self):
        self.cupy = pytest.importorskip("cupy", reason="waits for CuPy")
        self.on = lambda stream: stream  # its streams are context managers
        self.asarray = self.cupy.asarray  # by __cuda_array_interface__
        self.from_dlpack = self.cupy.from_dlpack
        self.to_host = self.cupy.asnumpy

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def external(self, stream):
        if hasattr(self.cupy.cuda.Stream, "from_external"):
            return self.cupy.cuda.Stream.from_external(stream)
        return self.cupy.cuda.ExternalStream(stream.handle)

    def current(self):
        return self.cupy.cuda.get_current_stream()

    def record(self, stream):
        return stream.record()


class PyTorch(Library):
    """The rest in PyTorch's."""

    def __init__(self):
        self.torch = pytest.importorskip("torch", reason="waits for PyTorch")
        if not self.torch.cuda.is_available():
            pytest.skip("waits for PyTorch with CUDA")
        self.on = self.torch.cuda.stream
        self.from_dlpack = self.torch.from_dlpack

    def asarray(self, array):
        return self.torch.as_tensor(array, device="cuda:0")

    def to_host(self, tensor):
        return tensor.cpu().numpy()

    def stream(self):
        return self.torch.cuda.Stream()

    def external(self, stream):
        return self.torch.cuda.ExternalStream(stream.handle)

    def current(self):
        return self.torch.cuda.current_stream()

    def record(self, stream):
        return stream.record_event()


LIBRARIES = {"cupy": CuPy, "torch": PyTorch}


@pytest.fixture(scope="module", autouse=True)
def _gpu():
    if not available("cuda"):
        pytest.skip(f"waits for {WAITS_FOR['cuda']}")


@pytest.fixture(params=LIBRARIES)
def library(request):
    return LIBRARIES[request.param]()


def for_launch(stream):
    """A library's stream as stream= takes it: older ones have no __cuda_stream__."""
    if hasattr(stream, "__cuda_stream__"):
        return stream
    handle = stream.ptr if hasattr(stream, "ptr") else stream.cuda_stream
    return core.Stream.from_handle(handle)


def our_stream():
    """Ours, where core.Device(0) is cuda.core's object too."""
    return _core.create_stream(0)


@pytest.fixture
def keep_busy():
    """keep_busy(stream): what is queued on it next waits for some milliseconds."""
    scratch = D.full(1, 1, np.float32, device="cuda:0")
    return lambda stream: D.launch(busy, scratch, STEPS, grid=1, block=1, stream=stream)


def numbers(seed):
    return np.random.default_rng(seed).integers(-99, 99, N).astype(np.float32)


def test_a_launch_is_in_the_order_of_their_stream(library, keep_busy):
    a, b = numbers(1), numbers(2)
    theirs = library.stream()
    with library.on(theirs):
        x, y = library.asarray(a), library.asarray(b)
        keep_busy(for_launch(theirs))
        x *= 2
        D.launch(add, x, y, **SIZE, stream=for_launch(theirs))
        x *= 3
        D.launch(times, x, np.float32(0.5), **SIZE, stream=for_launch(library.current()))
        x += 1
    library.sync(theirs)
    assert np.array_equal(library.to_host(x), (2 * a + b) * 3 * np.float32(0.5) + 1)


def test_without_a_stream_what_they_have_queued_is_done_first(library, keep_busy):
    a = numbers(3)
    theirs = library.stream()
    with library.on(theirs):
        x = library.asarray(a)
        keep_busy(for_launch(theirs))
        x += 1
        D.launch(times, x, np.float32(2), **SIZE)
    _core.sync_device(0)
    assert np.array_equal(library.to_host(x), (a + 1) * 2)


def test_streams_wait_for_each_other(library, keep_busy):
    """Theirs, ours and theirs again, each on a stream of its own."""
    a = numbers(4)
    first, ours, last = library.stream(), our_stream(), library.stream()
    x = library.asarray(a)
    library.sync(library.current())
    keep_busy(for_launch(first))
    with library.on(first):
        x += 5
    ours.wait(for_launch(first))
    D.launch(times, x, np.float32(3), **SIZE, stream=ours)
    keep_busy(ours)
    D.launch(add, x, x, **SIZE, stream=ours)
    library.wait(last, library.record(library.external(ours)))
    with library.on(last):
        x -= 7
    library.sync(last)
    assert np.array_equal(library.to_host(x), (a + 5) * 6 - 7)


def test_an_event_of_ours_on_their_stream(library, keep_busy):
    a = numbers(5)
    theirs, ours = library.stream(), our_stream()
    x = library.asarray(a)
    library.sync(library.current())
    wrapped = core.Stream.from_handle(for_launch(theirs).__cuda_stream__()[1])
    keep_busy(wrapped)
    start = wrapped.record()
    with library.on(theirs):
        x *= 2
    end = wrapped.record()
    ours.wait(end)
    D.launch(times, x, np.float32(2), **SIZE, stream=ours)
    ours.sync()
    assert end.is_done
    assert 0 <= end - start < 1000
    assert np.array_equal(library.to_host(x), a * 4)


def test_many_streams_at_once(library):
    """Each has its own chain of theirs and ours; what they give is as if one had run them."""
    inputs = [numbers(10 + k) for k in range(8)]
    streams = [library.stream() for _ in inputs]
    arrays = []
    for stream, a in zip(streams, inputs, strict=True):
        with library.on(stream):
            arrays.append(library.asarray(a))
    for step in range(20):
        for stream, x in zip(streams, arrays, strict=True):
            with library.on(stream):
                x += step
                D.launch(times, x, np.float32(-1), **SIZE, stream=for_launch(stream))
    for stream in streams:
        library.sync(stream)
    for a, x in zip(inputs, arrays, strict=True):
        for step in range(20):
            a = -(a + step)
        assert np.array_equal(library.to_host(x), a)


@pytest.mark.parametrize("way", ["from_dlpack", "asarray"])
def test_our_arrays_are_theirs_without_a_copy(library, way, keep_busy):
    """By DLPack, and by __cuda_array_interface__."""
    a, ours = numbers(6), our_stream()
    x = D.asarray(a, device="cuda:0")
    keep_busy(ours)
    D.launch(times, x, np.float32(2), **SIZE, stream=ours)
    if way == "asarray" and isinstance(library, PyTorch):
        ours.sync()  # it does not look at the stream that the interface names
    theirs = getattr(library, way)(x)  # waits for the launch
    theirs += 1
    library.sync(library.current())
    assert np.array_equal(library.to_host(theirs), a * 2 + 1)
    assert np.array_equal(D.to_host(x), a * 2 + 1)


def test_their_views(library):
    a = np.arange(60 * 84, dtype=np.float32).reshape(60, 84)
    x = library.asarray(a)
    out = library.asarray(np.zeros((42, 30), np.float32))
    library.sync(library.current())
    D.launch(transposed, out, x[::2, 1::2], grid=(3, 2), block=(16, 16))
    D.launch(add, x.reshape(-1)[::3], x.reshape(-1)[1::3], grid=7, block=256)
    _core.sync_device(0)
    assert np.array_equal(library.to_host(out), a[::2, 1::2].T)
    flat = a.reshape(-1)
    flat[::3] += flat[1::3]
    assert np.array_equal(library.to_host(x), a)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.float64])
def test_their_formats(library, dtype):
    a = np.arange(N).astype(dtype)
    x = library.asarray(a)
    D.launch(add, x, library.asarray(a), **SIZE)
    _core.sync_device(0)
    assert np.array_equal(library.to_host(x), a + a)


def test_from_one_library_to_the_other(keep_busy):
    cupy, torch = CuPy(), PyTorch()
    a = numbers(7)
    first, ours, last = cupy.stream(), our_stream(), torch.stream()
    with cupy.on(first):
        x = cupy.asarray(a)
        keep_busy(for_launch(first))
        x += 1
    ours.wait(for_launch(first))
    y = D.zeros(N, np.float32, device="cuda:0")
    D.launch(add, y, x, **SIZE, stream=ours)
    with torch.on(last):
        z = torch.from_dlpack(y)  # last waits for ours
        z *= 2
    torch.sync(last)
    assert np.array_equal(torch.to_host(z), (a + 1) * 2)
