"""What is done beside another library that captures a graph, on the tests' driver: whatever the
runtime asks, waits for, loads, allocates and frees by itself, nothing ends the capture."""

import pytest
from support.fake_gpu import needs_fake, on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = [needs_fake, pytest.mark.timeout(120)]

# As if another library captured a stream of its own: (its device, made current; blocking).
BEFORE = """
import gc
from cuda.device import core

class Theirs:
    def __init__(self, handle):
        self.handle = handle
    def __cuda_stream__(self):
        return 0, self.handle

def capture(handle):
    fake.fake_capture(handle, 1)
    fake.fake_capture_ended()

a = np.ones(4)
"""

# What is done -> what it gives. Nothing of the GPU was used before.
FIRST = {
    "a stream": "core.Device(0).create_stream().sync()",
    "an array": "D.to_host(D.full(4, 2.0, device='cuda:0')).tolist() == [2] * 4",
    "a copy": "D.to_host(D.asarray(a, device='cuda:0')).tolist() == [1] * 4",
    "device memory": "core.DeviceMemoryResource(0).allocate(64, stream=other()).close()",
    "pinned memory": "core.PinnedMemoryResource(0).allocate(64, stream=other()).close()",
    "managed memory": "core.ManagedMemoryResource(0).allocate(64, stream=other()).close()",
    "room": "core.DeviceMemoryResource(0).trim()",
    "a launch": "launched(other()).sync()",
    "a launch with large shared memory": "launched(other(), shared=90000).sync()",
    "an event": "launched(other()).record().sync()",
    "a host that waits": "host_waits(other())",
    "a GPU that waits for the host": "gpu_waits(other())",
    "an image that goes": "image_goes(other())",
}
DOING = """
def other():
    return core.Device(0).create_stream()

def launched(stream, **options):
    D.launch(double, on(0, a), grid=1, block=4, stream=stream, **options)
    return stream

def host_waits(stream):
    host = core.Device("host").create_stream()
    D.launch(hold, on(0, a), grid=1, block=4, stream=stream)
    host.wait(stream)
    early = host.is_done
    threading.Timer(0.12, gates["hold"].set).start()  # it looks for a loss meanwhile
    host.sync()
    return not early

def gpu_waits(stream):
    host = core.Device("host").create_stream()
    gate = other()
    D.launch(hold, on(0, a), grid=1, block=4, stream=gate)
    host.wait(gate)
    stream.wait(host)
    gates["hold"].set()
    stream.sync()

def image_goes(stream):
    @runs_on_fake()
    @D.kernel
    def short():
        pass
    D.launch(short, grid=1, block=1, stream=stream)
    stream.sync()
    from support import gpu_program
    gpu_program._known.clear()
    before = left()["libraries"]
    del short
    gc.collect()
    return left()["libraries"] < before
"""


@pytest.mark.parametrize("what", FIRST)
@pytest.mark.parametrize("ours", [False, True])
def test_a_first_use_does_not_end_a_capture(on_fake, what, ours):
    """On the captured library's first day: nothing was loaded, opened or allocated before."""
    found, ended, mode = on_fake(
        BEFORE
        + DOING
        + f"""
if {ours}:
    kept = core.Device(0).create_stream()
    handle = kept.handle
else:
    handle = fake.fake_new_nonblocking_stream(0)
capture(handle)
found = {FIRST[what]}
answer = [found, fake.fake_capture_ended(), fake.fake_capture_mode()]
fake.fake_capture(handle, 0)
"""
    )
    assert found in (None, True)
    assert (ended, mode) == (0, 0)


@pytest.mark.parametrize("what", [w for w in FIRST if w not in ("an array", "a copy")])
def test_beside_a_capture_that_the_default_stream_stands_after(on_fake, what):
    """A blocking stream: the legacy one may not even be asked. (Arrays are made on it.)"""
    found, ended = on_fake(
        BEFORE
        + DOING
        + f"""
handle = fake.fake_new_stream(0, 1)
capture(handle)
found = {FIRST[what]}
answer = [found, fake.fake_capture_ended()]
fake.fake_capture(handle, 0)
"""
    )
    assert found in (None, True)
    assert ended == 0


@pytest.mark.parametrize("kind", ["Device", "Pinned", "Managed"])
@pytest.mark.parametrize("stream", ["captured", "default"])
@pytest.mark.parametrize("pools", ["0", "1"])
def test_memory_that_goes_while_its_stream_is_captured_is_freed_later(on_fake, kind, stream, pools):
    """Of the stream itself, and of the default one beside a blocking one."""
    kept, ended, figures, last = on_fake(
        BEFORE
        + f"""
theirs = Theirs(fake.fake_new_stream(0, 1))
resource = core.{kind}MemoryResource(0)
using = theirs if {stream!r} == "captured" else core.Device(0).default_stream
buffer = resource.allocate(64, stream=using)
capture(theirs.handle)
del buffer
gc.collect()
def there():
    return fake.fake_allocations() + fake.fake_pinned()
kept = [there()]
another = resource.allocate(64, stream=core.Device(0).create_stream())
another.close()
kept.append(there())
ended = fake.fake_capture_ended()
fake.fake_capture(theirs.handle, 0)
resource.allocate(64, stream=core.Device(0).create_stream()).close()
answer = [kept, ended, _core.memory_figures(0)["allocations"], there()]
""",
        FAKE_CUDA_POOLS=pools,
    )
    assert kept == [1, 1]
    assert ended == 0
    assert (figures, last) == (0, 0)


@pytest.mark.parametrize("captured", ["theirs", "ours", "the stream itself"])
def test_out_of_memory_does_not_end_a_capture(on_fake, captured):
    """No wait for the whole context then."""
    kind, ended = on_fake(
        BEFORE
        + f"""
ours = core.Device(0).create_stream()
alone = fake.fake_new_nonblocking_stream(0)
stream = core.Device(0).create_stream()
handle, stream = {{
    "theirs": (fake.fake_new_stream(0, 1), stream),
    "ours": (ours.handle, stream),
    "the stream itself": (alone, Theirs(alone)),
}}[{captured!r}]
capture(handle)
found = outcome(lambda: core.DeviceMemoryResource(0).allocate(30000, stream=stream))
answer = [found[0], fake.fake_capture_ended()]
fake.fake_capture(handle, 0)
""",
        FAKE_CUDA_MEMORY="20000",
    )
    assert (kind, ended) == ("OutOfMemoryError", 0)


def test_work_of_the_caller_on_the_default_stream_is_refused_with_advice(on_fake):
    found = on_fake(
        BEFORE
        + """
D.launch(nothing, grid=1, block=1, stream=core.Device(0).create_stream())
handle = fake.fake_new_stream(0, 1)
capture(handle)
answer = outcome(lambda: D.launch(nothing, grid=1, block=1,
                                  stream=core.Device(0).default_stream))
fake.fake_capture(handle, 0)
"""
    )
    assert found == [
        "KernelError",
        "kernel 'nothing': launching kernel 'nothing': CUDA error 906 (fake error 906)\nthe "
        "default stream waits for a stream that is being captured: use a stream of your own",
    ]


def test_a_thread_that_was_not_allowed_stays_as_it_was(on_fake):
    """Where the driver refuses to allow it, nothing is taken back afterwards."""
    mode = on_fake("""
        stream = core.Device(0).create_stream()
        fail("thread_capture_mode", 999)
        stream.sync()
        answer = fake.fake_capture_mode()
    """)
    assert mode == 0


@pytest.mark.parametrize("last", ["a GPU's stream", "the default one", "a stream of the host"])
def test_a_launch_that_is_captured_is_after_what_its_arrays_were_used_for(on_fake, last):
    """The graph cannot wait for what is outside of it: the thread that launches does."""
    early, waits, ended, value = on_fake(
        BEFORE
        + f"""
stream = {{
    "a GPU's stream": core.Device(0).create_stream(),
    "the default one": core.Device(0).default_stream,
    "a stream of the host": core.Device("host").create_stream(),
}}[{last!r}]
array = D.zeros(4, np.float64, device="cuda:0", memory="pinned")
gate = core.Device(0).create_stream()
D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=gate)
stream.wait(gate)
D.launch(set_to, array, np.float32(5), grid=1, block=4, stream=stream)
theirs = Theirs(fake.fake_new_nonblocking_stream(0))
D.launch(double, on(0, a), grid=1, block=4, stream=theirs)  # loads its code
capture(theirs.handle)
fake.fake_take_calls()
threading.Timer(0.3, gates["hold"].set).start()
D.launch(double, array, grid=1, block=4, stream=theirs)
answer = [
    not gates["hold"].is_set(), named(["stream_wait_event"])["stream_wait_event"],
    fake.fake_capture_ended(),
]
fake.fake_capture(theirs.handle, 0)
answer.append(D.to_host(array).tolist())
del array
"""
    )
    assert (early, ended) == (False, 0)
    assert waits == 0
    assert value == [10.0] * 4


def test_streams_of_one_capture_wait_for_each_other_in_the_graph(on_fake):
    waits, ended, value = on_fake(
        BEFORE
        + """
array = D.zeros(4, np.float64, device="cuda:0")
one, two = (Theirs(fake.fake_new_nonblocking_stream(0)) for _ in range(2))
D.launch(hold, array, grid=1, block=4, stream=one)
D.launch(double, on(0, a), grid=1, block=4, stream=two)
capture(one.handle)
capture(two.handle)
fake.fake_take_calls()
D.launch(double, array, grid=1, block=4, stream=two)
waits = named(["stream_wait_event", "event_synchronize", "event_query"])
gates["hold"].set()
answer = [waits, fake.fake_capture_ended()]
for stream in (one, two):
    fake.fake_capture(stream.handle, 0)
answer.append(D.to_host(array).tolist())
del array
"""
    )
    assert waits == {"stream_wait_event": 1, "event_synchronize": 0, "event_query": 0}
    assert ended == 0
    assert value == [2.0] * 4


def test_waits_into_and_out_of_a_graph_are_refused_with_advice(on_fake):
    into, out_of = on_fake(
        BEFORE
        + """
stream, other = core.Device(0).create_stream(), core.Device(0).create_stream()
before = other.record()
capture(stream.handle)
into = outcome(lambda: stream.wait(before))
out_of = outcome(stream.record().sync)
answer = [into, out_of]
fake.fake_capture(stream.handle, 0)
"""
    )
    assert into == [
        "KernelError",
        "waiting for an event: CUDA error 905 (fake error 905)\na stream that is being captured "
        "waits for streams of the same capture only: wait for others before it begins",
    ]
    assert out_of == [
        "KernelError",
        "asking for an event: CUDA error 907 (fake error 907)\nthe event belongs to a graph that "
        "is being captured: record one before the capture, or after it",
    ]


def test_a_graph_does_not_wait_for_the_host(on_fake):
    found, waits, ended = on_fake(
        BEFORE
        + """
host, gate = core.Device("host").create_stream(), core.Device(0).create_stream()
D.launch(hold, on(0, a), grid=1, block=4, stream=gate)
host.wait(gate)
stream = core.Device(0).create_stream()
capture(stream.handle)
fake.fake_take_calls()
answer = [outcome(lambda: stream.wait(host))]
answer += [named(["stream_wait_value"])["stream_wait_value"], fake.fake_capture_ended()]
fake.fake_capture(stream.handle, 0)
gates["hold"].set()
stream.wait(host)
stream.sync()
"""
    )
    assert found == [
        "KernelError",
        "a stream that is being captured cannot wait for an event of the host, for which each run "
        "of the graph would wait; wait for the event before the capture, or before the graph runs",
    ]
    assert (waits, ended) == (0, 0)


def test_what_a_captured_launch_uses_is_let_go_of_when_its_stream_is_waited_for(on_fake):
    """No event is put into the graph for that."""
    recorded, ended, early, later = on_fake(
        BEFORE
        + """
theirs = Theirs(fake.fake_new_nonblocking_stream(0))
D.launch(double, on(0, a), grid=1, block=4, stream=theirs)
core.Stream.from_handle(theirs.handle).sync()
given = on(0, np.ones(4))
capture(theirs.handle)
fake.fake_take_calls()
D.launch(double, given, grid=1, block=4, stream=theirs)
time.sleep(0.01)
D.launch(nothing, grid=1, block=1, stream=core.Device(0).create_stream())
answer = [named(["event_record"])["event_record"], fake.fake_capture_ended(), given.deleted]
fake.fake_capture(theirs.handle, 0)
core.Stream.from_handle(theirs.handle).sync()
D.launch(nothing, grid=1, block=1, stream=core.Device(0).create_stream())
answer.append(given.deleted)
"""
    )
    assert recorded == 1  # of the other stream
    assert ended == 0
    assert (early, later) == (0, 1)
