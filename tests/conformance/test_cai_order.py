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


@clause("CAI-SYNC-06")
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
