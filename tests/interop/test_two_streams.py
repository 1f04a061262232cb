"""A library on a stream of its own, and kernels on another one: whether they see what was written
last. Streams of the tests' GPUs are threads."""

import os

from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture

pytestmark = needs_fake

ROUNDS = 10_000 if os.environ.get("CUDA_DEVICE_LONG_TESTS") else 500

# The library's memory is not ours, so that nothing is known of its use but what it says.
HEAD = """
import ctypes
from support import dlpack
from support.gpu_program import runs_with

runs_with[0] = "avx2" if "avx2" in _testing.targets() else "interpreter"
ROUNDS, SIZE, HELD = {rounds}, 16, {held}
core.Device(0).set_current()
S, T = core.Device(0).create_stream(), core.Device(0).create_stream()

context = ctypes.c_void_p()
assert fake.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert fake.cuCtxSetCurrent(context) == 0

@runs_on_fake(("f8", 1), ("f8", 1))
@D.kernel
def read(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i]

class Library:
    '''An array that is written by copies on a stream, one after the other.'''

    def __init__(self, stream):
        made = ctypes.c_uint64()
        assert fake.cuMemAlloc_v2(ctypes.byref(made), ctypes.c_size_t(8 * SIZE)) == 0
        self.address, self.stream = made.value, stream
        self.sources = [np.full(SIZE, float(i)) for i in range(ROUNDS + 3)]

    def write(self, i):
        '''Elements of -1 first, and then of i: all of it later.'''
        slow = np.full(SIZE, -1.0)
        self.kept = slow
        for source in (slow, slow, self.sources[i]):
            at = ctypes.c_uint64(source.ctypes.data)
            args = ctypes.c_uint64(self.address), at, ctypes.c_size_t(8 * SIZE)
            assert fake.cuMemcpyAsync(*args, ctypes.c_uint64(self.stream.handle)) == 0

    @property
    def __cuda_array_interface__(self):
        return dict(shape=(SIZE,), typestr="<f8", data=(self.address, False), version=3,
                    strides=None, stream=self.stream.handle)

class Tensor(Library):
    '''The same by DLPack; waits: whether the consumer's stream waits for the library's.'''

    kept_tensors = []

    def __init__(self, stream, waits):
        super().__init__(stream)
        self.waits = waits

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream, max_version=None, **keywords):
        if self.waits:
            core.Stream.from_handle(stream).wait(self.stream.record())
        made = Producer(np.zeros(SIZE), device=(2, 0), data=self.address)
        self.kept_tensors.append(made)
        return made.__dlpack__(stream=stream, max_version=max_version)

def begin(stream):
    '''What the stream is given from here on waits for end(), where streams are held.'''
    if HELD:
        gates["hold"].clear()
        D.launch(hold, held, grid=1, block=1, stream=stream)

def end(stream):
    if HELD:
        gates["hold"].set()
        stream.sync()

def kernels():
    return sum(name != "hold" for name, *_ in launches)

out, held = D.zeros(SIZE, dtype="f8", device="cuda"), D.zeros(1, dtype="f8", device="cuda")
core.Device(0).sync()
"""


def head(held=False):
    """held: a stream is behind the other one, so that what does not wait for it is seen."""
    return HEAD.format(rounds=20 if held else ROUNDS, held=held)


PRODUCER = """
a = Library(S)
stale = 0
for i in range(1, ROUNDS + 1):
    begin(S)
    a.write(i)
    D.launch(read, out, a, grid=1, block=SIZE, stream=T)
    a.write(ROUNDS + 1)  # at once: the kernel must not see it
    T.sync()
    end(S)
    stale += D.to_host(out).tolist() != [i] * SIZE
answer = [stale, kernels()]
"""

TENSORS = """
a = Tensor(S, {waits})
stale = 0
for i in range(1, ROUNDS + 1):
    begin(S)
    a.write(i)
    D.launch(read, out, a, grid=1, block=SIZE, stream=T)
    T.sync()
    end(S)
    stale += D.to_host(out).tolist() != [i] * SIZE
answer = [stale, kernels()]
"""

CONSUMER = """
class Reader:
    '''A library that copies ours on its stream, as the dictionary says.'''
    def __init__(self):
        self.seen = np.zeros(SIZE)
    def read(self, array):
        said = array.__cuda_array_interface__
        at = ctypes.c_uint64(self.seen.ctypes.data)
        args = at, ctypes.c_uint64(said["data"][0]), ctypes.c_size_t(8 * SIZE)
        stream = said["stream"] if said["stream"] is not None else S.handle
        assert fake.cuMemcpyAsync(*args, ctypes.c_uint64(stream)) == 0
        assert fake.cuStreamSynchronize(ctypes.c_uint64(stream)) == 0

class ReaderOfTensors(Reader):
    def read(self, array):
        capsule = array.__dlpack__(stream=self.stream, max_version=(1, 0))
        at = ctypes.c_uint64(self.seen.ctypes.data)
        args = at, ctypes.c_uint64(dlpack.tensor_of(capsule).data), ctypes.c_size_t(8 * SIZE)
        assert fake.cuMemcpyAsync(*args, ctypes.c_uint64(S.handle)) == 0
        assert fake.cuStreamSynchronize(ctypes.c_uint64(S.handle)) == 0

library = {library}
stale = 0
for i in range(1, ROUNDS + 1):
    begin(T)
    D.launch(set_to, out, np.float32(i), grid=1, block=SIZE, stream=T)
    library.read(out)
    end(T)
    stale += library.seen.tolist() != [i] * SIZE
core.Device(0).sync()
answer = [stale, kernels()]
"""


def consumer(library):
    return CONSUMER.replace("{library}", library)


@clause("CAI-SYNC-02", "CAI-SYNC-04", "CAI-SYNC-05")
def test_kernels_see_what_a_library_wrote_last(on_fake):  # noqa: F811
    assert on_fake(head() + PRODUCER) == [0, ROUNDS]


@clause("CAI-SYNC-08", "CAI-SYNC-12")
def test_without_waiting_they_do_not(on_fake):  # noqa: F811
    """So the test above can fail."""
    found = on_fake(head(held=True) + PRODUCER, CUDA_DEVICE_ARRAY_INTERFACE_SYNC="0")
    assert found == [20, 20]


@clause("CAI-SYNC-09", "CAI-SYNC-10")
def test_a_library_sees_what_kernels_wrote_last(on_fake):  # noqa: F811
    assert on_fake(head() + consumer("Reader()")) == [0, ROUNDS]


@clause("CAI-SYNC-11")
def test_without_a_stream_in_the_dictionary_it_does_not(on_fake):  # noqa: F811
    program = head(held=True) + consumer("Reader()")
    assert on_fake(program, CUDA_DEVICE_ARRAY_INTERFACE_STREAM="0") == [20, 20]


@clause("DEV-DLP-03", "DEV-DLP-04")
def test_kernels_see_what_a_producer_of_tensors_wrote_last(on_fake):  # noqa: F811
    """The launch's stream is the one that the producer is told of."""
    assert on_fake(head() + TENSORS.format(waits=True)) == [0, ROUNDS]
    # So the test can fail.
    assert on_fake(head(held=True) + TENSORS.format(waits=False)) == [20, 20]


@clause("DEV-DLP-03", "DEV-DLP-04")
def test_a_consumer_of_tensors_sees_what_kernels_wrote_last(on_fake):  # noqa: F811
    reader = "ReaderOfTensors(); library.stream = S.handle"
    assert on_fake(head() + consumer(reader)) == [0, ROUNDS]
    blind = "ReaderOfTensors(); library.stream = -1"
    assert on_fake(head(held=True) + consumer(blind)) == [20, 20]
