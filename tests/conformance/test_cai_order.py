"""The CUDA Array Interface in memory of GPUs of the tests: order of streams, and lifetimes."""

import pytest
from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture

pytestmark = needs_fake

HEAD = """
class Fake:
    def __init__(self, array, stream=..., **changes):
        self.array = array
        made = {**array.__cuda_array_interface__, **changes}
        del made["stream"]
        if stream is not ...:
            made["stream"] = stream
        self.__cuda_array_interface__ = made

def zeros():
    made = D.zeros(4, device="cuda")
    core.Device(0).sync()  # what it says of streams is what a test says
    return made

S, T = core.Device(0).create_stream(), core.Device(0).create_stream()
size = {"grid": 1, "block": 4}
scratch, ones = zeros(), D.full(4, 1.0, device="cuda")
core.Device(0).sync()
gates["add"] = threading.Event()

def names():
    return [name for name, *_ in launches]

def producer_is_busy(stream=None):
    '''Work on the array of a library that we know nothing of: memory of its own.'''
    D.launch(add, scratch, ones, **size, stream=stream or S)
"""


@clause("CAI-SYNC-04", "CAI-STREAM-05", "CAI-SYNC-02")
def test_a_launch_comes_after_the_stream_that_is_named(on_fake):  # noqa: F811
    assert on_fake(
        HEAD
        + """
a = Fake(zeros(), S.handle)
producer_is_busy()
D.launch(double, a, **size, stream=T)
time.sleep(0.2)
early = names()
gates["add"].set()
core.Device(0).sync()
answer = [early, names()]
"""
    ) == [[], ["add", "double"]]


@clause("CAI-SYNC-05")
def test_the_producers_stream_comes_after_the_launch(on_fake):  # noqa: F811
    assert on_fake(
        HEAD
        + """
a = Fake(zeros(), S.handle)
gates["add"].set()
gates["double"] = threading.Event()
D.launch(double, a, **size, stream=T)
producer_is_busy()
time.sleep(0.2)
early = names()
gates["double"].set()
core.Device(0).sync()
answer = [early, names()]
"""
    ) == [[], ["double", "add"]]


@clause("CAI-SYNC-06", "CAI-NB-10")
def test_on_the_named_stream_nothing_is_waited_for(on_fake):  # noqa: F811
    ours, theirs = on_fake(
        HEAD
        + """
gates["add"].set()
a, plain = Fake(zeros(), S.handle), zeros()
def calls_with(array):
    D.launch(double, array, **size, stream=S)
    core.Device(0).sync()
    fake.fake_take_calls()
    D.launch(double, array, **size, stream=S)
    made = fake.fake_take_calls().decode().split()
    core.Device(0).sync()
    return [c for c in made if c in ("event_record", "stream_wait_event") or "synchronize" in c]
answer = [calls_with(plain), calls_with(a)]
"""
    )
    assert theirs == ours
    assert "stream_wait_event" not in theirs


@clause("CAI-SYNC-07")
def test_every_argument_has_a_stream_of_its_own(on_fake):  # noqa: F811
    early, late = on_fake(
        HEAD
        + """
a, b = Fake(zeros(), S.handle), Fake(zeros(), T.handle)
gates["hold"].clear()
D.launch(hold, zeros(), **size, stream=T)
producer_is_busy()
third = core.Device(0).create_stream()
@runs_on_fake(("f8", 1), ("f8", 1))
@D.kernel
def both(a, b):
    a[0] = b[0]
D.launch(both, a, b, **size, stream=third)
time.sleep(0.2)
early = names()
gates["add"].set()
time.sleep(0.2)
early += names()
gates["hold"].set()
core.Device(0).sync()
answer = [early, names()]
"""
    )
    assert early == ["add"]
    assert late == ["add", "hold", "both"]


@clause("CAI-SYNC-03", "CAI-SYNC-08", "CAI-STREAM-01", "CAI-NB-04", "CAI-VER-03")
@pytest.mark.parametrize(
    ("array", "variables"),
    [
        ("Fake(zeros(), None)", {}),
        ("Fake(zeros(), version=2)", {}),
        ("D.as_cuda_array(Fake(zeros(), S.handle), sync=False)", {}),
        ("Fake(zeros(), S.handle)", {"NUMBA_CUDA_ARRAY_INTERFACE_SYNC": "0"}),
        ("Fake(zeros(), S.handle)", {"CUDA_DEVICE_ARRAY_INTERFACE_SYNC": "0"}),
    ],
)
def test_without_a_stream_nothing_is_waited_for(on_fake, array, variables):  # noqa: F811
    assert on_fake(
        HEAD
        + f"""
a = {array}
producer_is_busy()
fake.fake_take_calls()
D.launch(double, a, **size, stream=T)
assert "stream_wait_event" not in fake.fake_take_calls().decode().split()
T.sync()
early = names()
gates["add"].set()
core.Device(0).sync()
del a
core.Device(0).sync()
answer = early
""",
        **variables,
    ) == ["double"]


@clause("CAI-STREAM-03", "CAI-STREAM-04")
@pytest.mark.parametrize("stream", [1, 2])
def test_default_streams(on_fake, stream):  # noqa: F811
    assert on_fake(
        HEAD
        + f"""
a = Fake(zeros(), {stream})
producer_is_busy(core.Stream.from_handle({stream}))
free = core.Device(0).create_stream()
D.launch(double, a, **size, stream=free)
time.sleep(0.2)
early = names()
gates["add"].set()
core.Device(0).sync()
answer = [early, names()]
"""
    ) == [[], ["add", "double"]]


@clause("CAI-NB-01")
def test_an_imported_array_goes_on_where_its_producer_was(on_fake):  # noqa: F811
    answer = on_fake(
        HEAD
        + """
import gc, weakref
fake_array = Fake(zeros(), S.handle)
producer_is_busy()
a = D.as_cuda_array(fake_array)
on_theirs = a.__cuda_array_interface__["stream"] == S.handle
gates["add"].set()
D.launch(double, a, **size)
alive = weakref.ref(fake_array)
del fake_array
gc.collect()
answer = [on_theirs, a.device, D.to_host(a).tolist(),
          alive() is not None]
del a
core.Device(0).sync()
gc.collect()
answer.append(alive() is None)
"""
    )
    assert answer == [True, "cuda:0", [0.0] * 4, True, True]


@clause("CAI-DATA-03")
def test_arrays_without_elements_go_anywhere(on_fake):  # noqa: F811
    assert on_fake(
        HEAD
        + """
empty = Fake(zeros(), shape=(0,), data=(0, False))
D.launch(double, empty, **size, stream=T)
core.Device(0).sync()
answer = [D.as_cuda_array(empty).shape, names()]
"""
    ) == [[0], ["double"]]


@clause("CAI-SYNC-09", "CAI-SYNC-10")
def test_the_exported_stream_covers_all_pending_work(on_fake):  # noqa: F811
    """Kernels on three streams, the first of which waits; the consumer knows the exported one."""
    fresh, exported, early, late, values = on_fake(
        HEAD
        + """
a, result = D.full(4, 1.0, device="cuda"), zeros()
managed = D.empty(4, device="cuda", memory="managed")
pinned = D.empty(4, device="cuda", memory="pinned")
fresh = [x.__cuda_array_interface__["stream"] for x in (managed, pinned, pinned[1:])]
U, V = core.Device(0).create_stream(), core.Device(0).create_stream()
exported = []
def use(kernel, stream, *more):
    D.launch(kernel, a, *more, **size, stream=stream)
    exported.append(a.__cuda_array_interface__["stream"] == stream.handle)
use(add, S, ones)
use(double, T)
use(add, U, ones)
class Theirs:  # all that another library knows is the dictionary
    __cuda_array_interface__ = a.__cuda_array_interface__
D.launch(add, result, Theirs(), **size, stream=V)
time.sleep(0.2)
early = names()
gates["add"].set()
core.Device(0).sync()
answer = [fresh, exported, early, names(), D.to_host(result).tolist()]
"""
    )
    assert fresh == [None] * 3
    assert exported == [True] * 3
    assert early == []
    assert late == ["add", "double", "add", "add"]
    assert values == [5.0] * 4


@clause("CAI-SYNC-11", "CAI-SYNC-12", "CAI-VER-03")
def test_producers_may_leave_the_stream_out(on_fake):  # noqa: F811
    """A stream is the rule; the environment is read at each use."""
    said, wrong = on_fake(
        HEAD
        + """
import os
a = zeros()
D.launch(double, a, **size, stream=S)
said = []
def say(**variables):
    os.environ.update(variables)
    found = a.__cuda_array_interface__
    stream = found.get("stream", "absent")
    said.append([found["version"], "S" if stream == S.handle else stream])
    for name in variables:
        del os.environ[name]
say()
say(CUDA_DEVICE_ARRAY_INTERFACE_STREAM="0")
say(CUDA_DEVICE_ARRAY_INTERFACE_STREAM="1")
say(CUDA_DEVICE_ARRAY_INTERFACE_VERSION="2")
say(CUDA_DEVICE_ARRAY_INTERFACE_VERSION="3")
wrong = outcome(lambda: say(CUDA_DEVICE_ARRAY_INTERFACE_VERSION="1"))
answer = [said, wrong]
"""
    )
    assert said == [[3, "S"], [3, None], [3, "S"], [2, "absent"], [3, "S"]]
    text = "CUDA_DEVICE_ARRAY_INTERFACE_VERSION='1'; 2 or 3 was expected"
    assert wrong == ["ValueError", text]


@clause("CAI-LIFE-01", "CAI-LIFE-03")
def test_an_exported_stream_lives_as_long_as_the_array(on_fake):  # noqa: F811
    alive, gone, object_gone = on_fake(
        HEAD
        + """
import gc, weakref
mine = core.Device(0).create_stream()
a = zeros()
D.launch(double, a, **size, stream=mine)
del mine
gc.collect()
handle = a.__cuda_array_interface__["stream"]
alive = outcome(lambda: core.Stream.from_handle(handle).record().sync())
kept, object_alive = a.__cuda_array_interface__, weakref.ref(a)
del a
gc.collect()
core.Device(0).sync()
gc.collect()
gone = outcome(lambda: core.Stream.from_handle(handle).record())
answer = [alive, gone, object_alive() is None]
"""
    )
    assert alive is None
    assert gone is not None
    assert object_gone is True


@clause("CAI-DATA-05", "DEV-ARR-29")
def test_an_address_of_the_process_is_none_of_a_gpu(on_fake):  # noqa: F811
    """Refused where it is launched, and the GPU goes on."""
    *refused, after = on_fake(
        HEAD
        + """
host = np.zeros(4)
theirs = {**zeros().__cuda_array_interface__, "data": (host.ctypes.data, False), "stream": None}
class Wrong:
    __cuda_array_interface__ = theirs
a = zeros()
tries = [outcome(lambda: D.launch(double, x, **size, stream=T)) for x in (Wrong(), host)]
D.launch(double, a, **size, stream=T)
answer = [*tries, D.to_host(a).tolist()]
"""
    )
    text = (
        "argument 1 ('a') of kernel 'double': the array lives on the host device, but the launch's "
        "stream is one of GPU 0"
    )
    advice = "  copy it to GPU 0, for example with cupy.asarray(a) or PyTorch's a.to('cuda:0')"
    for kind, said in refused:
        assert kind == "LaunchValueError"
        assert said.partition("\n")[0] == text
        assert said.partition("\n")[2] == advice
    assert after == [0.0] * 4


def test_arrays_of_others_may_be_left_at_the_end_of_the_process(on_fake):  # noqa: F811
    """What they keep is let go of, or the leaks would be reported."""
    assert on_fake(
        HEAD
        + """
from support.interfaces import Cuda
a = D.zeros(4, device="cuda")
taken = D.as_cuda_array(Cuda(a.__cuda_array_interface__, a))
del a
answer = taken.shape
"""
    ) == [4]


@clause("CAI-LIFE-02")
def test_memory_of_ours_that_was_freed_under_an_array(on_fake):  # noqa: F811
    before, after = on_fake(
        HEAD
        + """
import gc
a = zeros()
b = D.from_cuda_array_interface(a.__cuda_array_interface__)
before = outcome(lambda: D.launch(double, b[1:], **size, stream=T))
T.sync()
del a
gc.collect()
core.Device(0).sync()
answer = [before, [outcome(lambda: D.launch(double, x, **size, stream=T)) for x in (b, b[1:])]]
"""
    )
    assert before is None
    text = (
        "argument 1 ('a') of kernel 'double': the array that owned the memory is gone, and its "
        "memory freed; from_cuda_array_interface(desc, owner=a) keeps it"
    )
    assert after == [["ValueError", text]] * 2


@clause("CAI-DATA-06")
@pytest.mark.parametrize("apart", [False, True])
def test_memory_of_the_host_that_a_gpu_reaches(on_fake, apart):  # noqa: F811
    """Pinned by another library, exported with its address there; the GPU's may be another."""
    values, same_address, kind = on_fake(
        HEAD
        + f"APART = {apart}\nimport ctypes"
        + """
fake.fake_pinned_memory.restype = ctypes.c_void_p
core.Device(0).set_current()
address = fake.fake_pinned_memory(32, APART)
host = np.frombuffer((ctypes.c_char * 32).from_address(address), np.float64)
host[:] = [1, 2, 3, 4]
class Pinned:
    __cuda_array_interface__ = {"shape": (2,), "typestr": "<f8", "version": 3, "strides": (16,),
                                "data": (address + 8, False)}
D.launch(double, Pinned(), **size, stream=T)
T.sync()
a = D.as_cuda_array(Pinned())
reached = a.__cuda_array_interface__["data"][0]
answer = [host.tolist(), reached == address + 8, [a.device, D.to_host(a).tolist()]]
"""
    )
    assert values == [1, 4, 3, 8]
    assert same_address is (not apart)
    assert kind == ["cuda:0", [4, 8]]
