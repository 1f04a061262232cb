"""Which device runs a launch, what it is given, whose context is current: on the tests' driver."""

import pytest
from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = needs_fake

TO_GPU = "\n  copy it to GPU {0}, for example with cupy.asarray(a) or PyTorch's a.to('cuda:{0}')"
TO_HOST = "\n  copy it to the host, for example with cupy.asnumpy(a) or PyTorch's a.cpu()"

# --- where it runs ---


def test_without_a_stream_it_runs_where_the_arrays_live(on_fake):
    arrays, asked, where = on_fake(
        """
        arrays = [np.zeros(4) for _ in range(3)]
        given = [arrays[0], on(0, arrays[1]), on(1, arrays[2])]
        named([])
        for a in given:
            D.launch(set_to, a, 3.0, grid=1, block=4)
        before = len(launches)
        for n in range(2):
            core.Device(n).sync()
        asked = [a.calls for a in given[1:]]
        where = [launch[0] for launch in launches]
        answer = [[a.tolist() for a in arrays], asked, where]
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert arrays == [[3] * 4] * 3
    export = ["__dlpack__", {"stream": 1, "max_version": [1, 0]}]
    assert asked == [["__dlpack_device__", export]] * 2
    assert where == ["set_to"] * 2


def test_without_arrays_it_runs_on_the_current_device(on_fake):
    counts = on_fake(
        """
        answer = []
        def where():
            D.launch(nothing, grid=1, block=1)
            for n in range(2):
                core.Device(n).sync()
            answer.append([core.Device().name, len(launches), current()])
        where()
        core.Device(1).set_current()
        where()
        core.Device("host").set_current()
        where()
        core.Device(0).set_current()
        where()
        fake.fake_make_current(0x2001)  # another library's context on GPU 1
        where()
        other = []
        def elsewhere():
            other.append(core.Device().name)
        thread = threading.Thread(target=elsewhere)
        thread.start(), thread.join()
        answer += other
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert counts == [
        ["Fake GPU 0", 1, 0],
        ["Fake GPU 1", 2, 0x1001],
        ["host", 2, 0x1001],
        ["Fake GPU 0", 3, 0x1000],
        ["Fake GPU 1", 4, 0x2001],
        "Fake GPU 0",
    ]


def test_arrays_of_two_devices_are_refused(on_fake):
    messages = on_fake(
        """
        a, b = np.zeros(4), np.zeros(4)
        streams = [core.Device(d).create_stream() for d in (0, 1, "host")]
        def launch(*arrays, **options):
            return outcome(lambda: D.launch(add, *arrays, grid=1, block=4, **options))
        answer = [
            launch(on(0, a), on(1, b)), launch(on(1, a), b), launch(a, on(1, b)),
            launch(a, b, stream=streams[0]), launch(on(1, a), on(1, b), stream=streams[0]),
            launch(on(0, a), on(0, b), stream=streams[2]), launch(on(2, a), on(2, b)),
        ]
        for d in (0, 1, "host"):
            core.Device(d).sync()
        answer.append([a.tolist(), launches])
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert messages.pop() == [[0] * 4, []]
    kinds, messages = zip(*messages, strict=True)
    assert kinds == ("LaunchValueError",) * 6 + ("KernelError",)
    head = "argument {} ('{}') of kernel 'add': the array lives on {}, but "
    second = "argument 1 ('a') lives on {}; the arrays of a launch live on one device"
    stream = "the launch's stream is one of {}"
    assert messages == (
        head.format(2, "b", "GPU 1") + second.format("GPU 0") + TO_GPU.format(0),
        head.format(2, "b", "the host device") + second.format("GPU 1") + TO_GPU.format(1),
        head.format(2, "b", "GPU 1") + second.format("the host device") + TO_HOST,
        head.format(1, "a", "the host device") + stream.format("GPU 0") + TO_GPU.format(0),
        head.format(1, "a", "GPU 1") + stream.format("GPU 0") + TO_GPU.format(0),
        head.format(1, "a", "GPU 0") + stream.format("the host device") + TO_HOST,
        "there is no GPU 2: the CUDA driver sees 2",
    )


@clause("DEV-DLP-01")
def test_an_array_of_a_gpu_without_a_gpu(on_fake):
    text = on_fake(
        "answer = outcome(lambda: D.launch(double, on(0, np.zeros(4)), grid=1, block=4))",
        FAKE_CUDA_DEVICES="0",
    )
    assert text[0] == "LaunchValueError"
    where, _, hint = text[1].partition("\n  ")
    assert where.endswith(
        "lives on a CUDA GPU (DLPack device type 2), which cannot be reached from here"
    )
    assert hint == "copy it to the host first; this launch runs on the host device"


@clause("DEV-DLP-03", partial="as a producer")
def test_producers_order_their_work_before_that_of_the_stream(on_fake):
    """DLPack's protocol: 1 the legacy default stream, 2 the thread's own, else an address."""
    asked = on_fake("""
        class Stream:
            def __init__(self, handle): self.handle = handle
            def __cuda_stream__(self): return (0, self.handle)
        ours = core.Device(0).create_stream()
        answer = []
        for stream in (None, ours, Stream(0), Stream(1), Stream(2), core.Device(0).default_stream):
            for old in (False, True):
                a = Producer(np.zeros(4), device=(2, 0), versioned=not old)
                options = {"stream": stream} if stream else {}
                D.launch(double, a, grid=1, block=4, **options)
                core.Device(0).sync()
                streams = [keywords["stream"] for name, keywords in a.calls[1:] for _ in [0]]
                answer.append([s if s < 3 else s == ours.handle for s in streams])
        core.Device("host").sync()
        a = Producer(np.zeros(4))
        D.launch(double, a, grid=1, block=4)
        answer.append(["stream" in a.calls[1][1]])
    """)
    expected = [1, True, 1, 1, 2, 1]
    assert asked == [[s] * n for s in expected for n in (1, 2)] + [[False]]


@pytest.mark.parametrize(("kind", "place"), [(3, "host"), (13, "gpu")])
def test_memory_that_both_reach(on_fake, kind, place):
    """Pinned memory is at home on the host, managed memory on its GPU; both go along elsewhere."""
    answer = on_fake(f"""
        dev = core.Device(0)
        a, b = np.zeros(4), np.ones(4)
        both = Producer(a, device=({kind}, 0))
        D.launch(set_to, both, 1.0, grid=1, block=4)
        dev.sync()
        answer = [len(launches), a.tolist()]
        D.launch(add, both, on(0, b), grid=1, block=4)
        D.launch(add, on(0, b), both, grid=1, block=4, stream=dev.default_stream)
        dev.sync()
        answer += [len(launches), a.tolist(), b.tolist()]
        D.launch(add, both, b, grid=1, block=4)
        D.launch(add, b, both, grid=1, block=4)
        D.launch(double, both, grid=1, block=4, stream=core.Device("host").default_stream)
        core.Device("host").sync()
        answer += [len(launches), a.tolist(), b.tolist()]
    """)
    first = 1 if place == "gpu" else 0
    assert answer == [
        *[first, [1] * 4],
        *[first + 2, [2] * 4, [3] * 4],
        *[first + 2, [10] * 4, [8] * 4],
    ]


def test_inspect_takes_arrays_of_gpus(on_fake):
    """Of any device, and nobody waits for anything."""
    answer = on_fake(
        """
        a = on(0, np.zeros(4))
        text = double.inspect(a, what="ir")
        answer = ["float64" in text, a.calls[1][1].get("stream")]
        """,
        FAKE_CUDA_DEVICES="0",
    )
    assert answer == [True, -1]


def test_what_is_known_of_an_array_is_not_known_of_its_views(on_fake):
    """Launches look at an array of ours once."""
    views = [":", "::2", "1:", ":0", "3:4", "1::3"]
    ours, theirs = on_fake(f"""
        a, host = D.zeros(8, np.float64, device="cuda:0"), np.zeros(8)
        def facts(x, y):
            lines = add.inspect(x, y, what="facts", target="avx2").splitlines()
            return [line for line in lines if line.startswith("array ")]
        D.launch(add, a, a, grid=1, block=8)
        pairs = [(f"[{{i}}]", f"[{{j}}]") for i in {views} for j in {views}]
        answer = [
            [facts(eval("a" + i), eval("a" + j)) for i, j in pairs],
            [facts(on(0, eval("host" + i)), on(0, eval("host" + j))) for i, j in pairs],
        ]
        D.launch(add, a, a, grid=1, block=8)
        core.Device(0).sync()
    """)
    assert ours == theirs
    assert len({str(pair) for pair in ours}) > 6


# --- streams of others ---

STREAMS = """
class Method:
    def __init__(self, handle): self.handle = handle
    def __cuda_stream__(self): return (0, self.handle)
class Property(Method):
    __cuda_stream__ = property(lambda self: (0, self.handle))
dev = core.Device(0)
a = np.zeros(4)
def launch(stream, device=0):
    D.launch(set_to, on(device, a), 3.0, grid=1, block=4, stream=stream)
"""


@clause("DEV-STRM-01", "DEV-STRM-02", "DEV-STRM-04")
@pytest.mark.parametrize("form", ["Method", "Property"])
@pytest.mark.parametrize("handle", [0, 1, 2, "of this context", "of another context"])
def test_streams_of_other_libraries(on_fake, form, handle):
    """Also in contexts of their own; 0, 1 and 2 mean those of the current context."""
    made = {"of this context": "fake.fake_new_stream(0, 1)"}
    answer = on_fake(
        STREAMS
        + f"""
handle = {made.get(handle, "fake.fake_new_stream(0, 0)") if isinstance(handle, str) else handle}
launch({form}(handle))
again = core.Stream.from_handle(handle)
again.sync()
answer = [a.tolist(), again.device is dev, again.__cuda_stream__() == (0, handle or 1), current()]
core.Device(0).sync()
"""
    )
    assert answer == [[3] * 4, True, True, 0]


def test_default_streams_are_those_of_the_current_context(on_fake):
    answer = on_fake(
        STREAMS
        + """
answer = []
for context, device in ((0x1001, 1), (0x2001, 1), (0x1000, 0), (0, 0)):
    fake.fake_make_current(context)
    for handle in (0, 1, 2):
        stream = core.Stream.from_handle(handle)
        launch(Method(handle), device)
        answer.append([stream.device.device_id == device, current() == context])
for n in range(2):
    core.Device(n).sync()
answer.append(len(launches))
""",
        FAKE_CUDA_DEVICES="2",
    )
    assert answer == [[True, True]] * 12 + [12]


def test_the_stream_of_a_thread_is_its_own(on_fake):
    """One object for it, used by two threads, is two streams."""
    answer = on_fake(
        STREAMS
        + """
mine = core.Stream.from_handle(2)
held = on(0, np.zeros(1))
D.launch(hold, held, grid=1, block=1, stream=mine)
seen = []
def other():
    launch(mine)
    mine.sync()
    seen.append([a.tolist(), mine.is_done])
thread = threading.Thread(target=other)
thread.start(), thread.join()
answer = [seen, mine.is_done, held.deleted]
gates["hold"].set()
mine.sync()
answer += [mine.is_done, held.deleted]
"""
    )
    assert answer == [[[[3] * 4, True]], False, 0, True, 1]


@clause("DEV-STRM-05")
def test_a_stream_of_others_is_borrowed(on_fake):
    answer = on_fake(
        STREAMS
        + """
import gc, sys, weakref
handle = fake.fake_new_stream(0, 1)
theirs = Method(handle)
theirs.close = lambda: answer.append("closed")
answer = []
before = sys.getrefcount(theirs)
launch(theirs)
answer.append(sys.getrefcount(theirs) - before)
named([])
wrapped = dev.create_stream(theirs)
answer.append(sys.getrefcount(theirs) - before)
wrapped.sync()
answer.append(wrapped.handle == handle)
wrapped.close()
answer.append(sys.getrefcount(theirs) - before)
launch(theirs)
dev.sync()
fake.fake_drop_stream(handle)  # its library destroys it; nobody here asks for it again
for _ in range(3):
    dev.sync()
D.launch(nothing, grid=1, block=1)
answer.append(named(["stream_destroy"]))
"""
    )
    # The launch keeps it until it is done, an object of ours as long as that is open.
    assert answer == [1, 2, True, 0, {"stream_destroy": 0}]


def test_waiting_for_streams_of_others(on_fake):
    answer = on_fake(
        STREAMS
        + """
theirs = Method(fake.fake_new_stream(0, 0))
D.launch(hold, on(0, a), grid=1, block=4, stream=theirs)
ours, host = dev.create_stream(), core.Device("host").create_stream()
ours.wait(theirs)
host.wait(theirs)
D.launch(double, on(0, a), grid=1, block=4, stream=ours)
D.launch(nothing, grid=1, block=1, stream=host)
time.sleep(0.02)
answer = [a.tolist(), ours.is_done, host.is_done, outcome(lambda: ours.wait(3))]
gates["hold"].set()
ours.sync(), host.sync()
answer.append(a.tolist())
"""
    )
    refused = ["TypeError", "wait() expects an Event or a Stream, found 'int'"]
    assert answer == [[0] * 4, False, False, refused, [2] * 4]


def test_objects_that_are_no_streams(on_fake):
    messages = on_fake(
        STREAMS
        + """
class Old:
    cuda_stream = 1
answer = [
    outcome(lambda: launch(s)) for s in (Old(), 1, None, Method((1,)), Method("x"), Method(-1))
]
answer.append(outcome(lambda: launch(Method(12345678))))
answer.append(outcome(lambda: dev.create_stream(3)))
answer.append(outcome(lambda: core.Device("host").create_stream(Method(1))))
"""
    )
    head = "stream in the launch of kernel 'set_to': "
    assert messages[0] == [
        "LaunchTypeError",
        head + "'Old' has a cuda_stream, but no __cuda_stream__\n  newer versions of "
        "PyTorch have it; with this one give "
        "cuda.device.core.Stream.from_handle(stream.cuda_stream)",
    ]
    assert [kind for kind, _ in messages[1:6]] == ["LaunchTypeError"] * 5
    assert messages[6][0] == "LaunchRuntimeError"
    assert messages[6][1].startswith(
        head + "'Method' is a CUDA stream (handle 12345678) that cannot be used: asking "
        "for the context of a stream: CUDA_ERROR_INVALID_HANDLE"
    )
    assert messages[7:] == [
        ["TypeError", "expected an object with __cuda_stream__, found 'int'"],
        [
            "ValueError",
            "create_stream() of <cuda.device.core.Device 'host'> was given a stream of "
            "<cuda.device.core.Device 0>",
        ],
    ]


def test_a_stream_that_is_captured_gets_no_events(on_fake):
    """They would be part of the graph. What its launches use is kept until a wait."""
    answer = on_fake(
        STREAMS
        + """
handle = fake.fake_new_stream(0, 1)
fake.fake_capture(handle, 1)
given = on(0, a)
for _ in range(200):
    D.launch(double, given, grid=1, block=4, stream=Method(handle))
answer = [named(["event_record"]), given.deleted]
fake.fake_capture(handle, 0)
dev.sync()
answer.append(given.deleted)
"""
    )
    assert answer == [{"event_record": 0}, 0, 200]


@pytest.mark.parametrize("ours", [False, True])
def test_a_capture_is_not_ended_by_questions(on_fake, ours):
    """Neither by launches on its stream, after some that were not captured, nor on another."""
    answer = on_fake(
        STREAMS
        + f"""
stream = dev.create_stream()
handle = stream.handle if {ours} else fake.fake_new_stream(0, 1)
other = dev.create_stream()
given = on(0, a)
for _ in range(100):
    D.launch(double, given, grid=1, block=4, stream=Method(handle))
fake.fake_capture(handle, 1)
for _ in range(200):
    D.launch(double, given, grid=1, block=4, stream=Method(handle))
    D.launch(add, given, given, grid=1, block=4, stream=other)
event = other.record()
event.sync()
other.sync()
answer = [event.is_done, other.is_done, fake.fake_capture_ended()]
fake.fake_capture(handle, 0)
dev.sync()
"""
    )
    assert answer == [True, True, 0]


# --- the caller's context ---


def test_the_current_context_is_the_callers(on_fake):
    """Whatever is done, with none current or one of another library."""
    answer = on_fake(
        STREAMS
        + """
answer = []
for context in (0, 0x2000, 0x1001, 0x1000):
    fake.fake_make_current(context)
    depth = fake.fake_context_depth()
    stream, event = dev.create_stream(), dev.create_event()
    host = core.Device("host").create_stream()
    stream.record(event)
    event.sync()
    stream.wait(host.record())
    host.wait(stream)
    launch(stream)
    launch(core.Device(1).create_stream(), 1)
    D.launch(double, on(1, a), grid=1, block=4)
    stream.sync(), host.sync()
    for n in range(2):
        core.Device(n).sync()
    outcome(lambda: D.launch(double, a, grid=1, block=4, stream=stream))
    outcome(lambda: D.launch(double, on(0, a), grid=1, block=4, stream=stream, shared=230 * 1024))
    fail("launch_kernel", 1)
    outcome(lambda: launch(stream))
    with _testing.use_target("cuda"):
        D.launch(double, a, grid=1, block=4)
    del stream, event
    answer.append([current() == context, fake.fake_context_depth() == depth])
""",
        FAKE_CUDA_DEVICES="2",
    )
    assert answer == [[True, True]] * 4


# --- images and limits ---


def test_an_image_is_loaded_once_for_all_gpus_that_run_it(on_fake):
    """GPUs of another architecture get code of their own."""
    answer = on_fake(
        """
        a = np.zeros(4)
        _core.gpu_count()
        named([])
        for n in (0, 1, 2, 2, 1, 0):
            D.launch(double, on(n, a), grid=1, block=4)
        for n in range(3):
            core.Device(n).sync()
        answer = [named(["library_load", "library_kernel"]), len(launches),
                  [core.Device(n).arch for n in range(3)]]
        """,
        FAKE_CUDA_DEVICES="3",
        FAKE_CUDA_ARCHITECTURES="90,86,90",
    )
    assert answer == [{"library_load": 2, "library_kernel": 2}, 6, ["90", "86", "90"]]


def test_a_context_is_opened_when_it_is_needed(on_fake):
    answer = on_fake(
        """
        names = [d.name + d.uuid + d.arch for d in core.Device.get_all_devices()]
        core.Device(1).properties.warp_size
        retained = [fake.fake_retained(n) for n in range(3)]
        D.launch(double, on(1, np.zeros(4)), grid=1, block=4)
        core.Device(1).create_stream()
        answer = [retained, [fake.fake_retained(n) for n in range(3)]]
        """,
        FAKE_CUDA_DEVICES="3",
    )
    assert answer == [[0, 0, 0], [0, 1, 0]]


def test_large_shared_memory_is_opted_in_once_for_the_largest(on_fake):
    counts, messages, shared = on_fake(
        """
        a = on(0, np.zeros(4))
        def launch(kib, gpu=0):
            D.launch(double, on(gpu, np.zeros(4)), grid=1, block=4, shared=kib * 1024)
            counts.append(named(["kernel_set_attribute"])["kernel_set_attribute"])
        counts = []
        named([])
        for kib, gpu in ((48, 0), (60, 0), (60, 0), (50, 0), (100, 0), (99, 0), (60, 1), (99, 1)):
            launch(kib, gpu)
        messages = [outcome(lambda: launch(100, 1)), outcome(lambda: launch(228))]
        for n in range(2):
            core.Device(n).sync()
        answer = [counts, messages, [s for _, _, s in launches]]
        """,
        FAKE_CUDA_DEVICES="2",
        FAKE_CUDA_ARCHITECTURES="90,86",
    )
    assert counts == [0, 1, 0, 0, 1, 0, 1, 1]
    assert messages[0][0] == messages[1][0] == "LaunchValueError"
    assert "; at most 101376 are allowed\n" in messages[0][1]
    assert "from 0 to 232448 bytes" in messages[1][1]
    assert sorted(shared) == [k * 1024 for k in (48, 50, 60, 60, 60, 99, 99, 100)]


def test_more_arguments_than_a_launch_has_room_for(on_fake):
    names = [f"x{i}" for i in range(100)]
    answer = on_fake(f"""
@runs_on_fake(("f8", 1), *["f4"] * 100)
@D.kernel
def total(a, {", ".join(names)}):
    a[0] = D.float64({" + ".join(names)})

a = np.zeros(1)
D.launch(total, on(0, a), *map(float, range(100)), grid=1, block=1)
core.Device(0).sync()
answer = a.tolist()
""")
    assert answer == [4950]


def test_the_hosts_caches_make_no_difference_for_gpus(on_fake):
    """Whether an array is large, or begins with a line of the cache: one specialisation."""
    answer = on_fake("""
        room = np.zeros(64)
        first = -room.ctypes.data % 64 // 8
        with _testing.beyond_cache(16):
            D.launch(set_to, on(0, room[first : first + 8]), 1.0, grid=1, block=8)
            D.launch(set_to, on(0, room[first + 1 : first + 9]), 1.0, grid=1, block=8)
        D.launch(set_to, on(0, room[first : first + 8]), 1.0, grid=1, block=8)
        core.Device(0).sync()
        answer = named(["library_load"])
    """)
    assert answer == {"library_load": 1}
