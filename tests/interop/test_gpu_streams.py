"""Streams and events of GPUs, on the tests' driver: order, waits across devices, and what is kept
how long."""

import pytest
from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake, run_on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = needs_fake


@clause("DEV-LAUNCH-11", "DEV-GEN-04")
@pytest.mark.parametrize("gpus", ["0", "1"])
def test_the_example_of_the_guide(on_fake, gpus):
    """As printed, where device 0 is a GPU and where it is the host."""
    equal, kind, last = on_fake(
        """
        @runs_on_fake(("f8", 1), ("f8", 1), ("f8", 1))
        @D.kernel
        def vec_add(a, b, c):
            i = D.block_idx.x * D.block_dim.x + D.thread_idx.x
            if i < c.size:
                c[i] = a[i] + b[i]

        dev = core.Device(0)
        dev.set_current()
        stm = dev.create_stream()
        rng = np.random.default_rng(7)
        a, b, c = rng.random(1024), rng.random(1024), np.zeros(1024)
        given = on(0, a, b, c) if _core.gpu_count() else (a, b, c)
        D.launch(vec_add, *given, grid=4, block=256, stream=stm)
        stm.sync()
        answer = [np.array_equal(c, a + b), dev.name, launches[-1:]]
        """,
        FAKE_CUDA_DEVICES=gpus,
    )
    assert equal
    assert kind == ("Fake GPU 0" if gpus == "1" else "host")
    assert last == ([["vec_add", [4, 1, 1, 256, 1, 1], 0]] if gpus == "1" else [])


@clause("DEV-LAUNCH-02")
def test_a_launch_returns_before_the_kernel_is_done_and_streams_keep_the_order(on_fake):
    early, middle, done, order, a = on_fake("""
        dev = core.Device(0)
        stream = dev.create_stream()
        a = np.zeros(4)
        A = on(0, a)
        D.launch(hold, A, grid=1, block=4, stream=stream)
        D.launch(double, A, grid=1, block=4, stream=stream)
        event = stream.record()
        D.launch(set_to, A, 7.0, grid=1, block=2, stream=stream)
        early = [a.tolist(), event.is_done, stream.is_done]
        gates["hold"].set()
        event.sync()
        middle = event.is_done
        stream.sync()
        answer = [early, middle, stream.is_done, [name for name, *_ in launches], a.tolist()]
    """)
    assert early == [[0] * 4, False, False]
    assert middle
    assert done
    assert order == ["hold", "double", "set_to"]
    assert a == [7, 7, 2, 2]


def test_streams_run_beside_each_other(on_fake):
    before, after = on_fake("""
        one, other = (core.Device(0).create_stream() for _ in range(2))
        a, b = np.zeros(4), np.ones(4)
        D.launch(hold, on(0, a), grid=1, block=4, stream=one)
        D.launch(double, on(0, b), grid=1, block=4, stream=other)
        other.sync()
        before = [a.tolist(), b.tolist()]
        gates["hold"].set()
        one.sync()
        answer = [before, [a.tolist(), b.tolist()]]
    """)
    assert before == [[0] * 4, [2] * 4]
    assert after == [[1] * 4, [2] * 4]


# What waits is given by the second device, what it waits for by the first.
PAIRS = {
    "one GPU": (0, 0),
    "two GPUs": (0, 1),
    "a GPU for the host": ("host", 0),
    "the host for a GPU": (0, "host"),
}
WAIT = """
    first, second = (core.Device(d).create_stream() for d in DEVICES)
    a = np.zeros(4)
    def of(stream):
        return a if stream.device is core.Device("host") else on(stream.device.device_id, a)

    # The first of the two is kept waiting, by a GPU in each case.
    gate = core.Device(0).create_stream()
    z = np.zeros(1)
    D.launch(hold, on(0, z), grid=1, block=1, stream=gate)
    if first.device is core.Device(0):
        first.wait(gate)
    else:
        first.wait(gate.record())
    D.launch(set_to, of(first), 5.0, grid=1, block=4, stream=first)
    WAIT
    D.launch(double, of(second), grid=1, block=4, stream=second)
    time.sleep(0.05)
    early = [a.tolist(), second.is_done]
    gates["hold"].set()
    second.sync()
    answer = [early, a.tolist(), fake.fake_forbidden_calls()]
"""


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("wait", ["second.wait(first)", "second.wait(first.record())"])
def test_a_stream_waits_for_another(on_fake, pair, wait):
    text = WAIT.replace("DEVICES", repr(PAIRS[pair])).replace("WAIT", wait)
    early, a, forbidden = on_fake(text, FAKE_CUDA_DEVICES="2")
    assert early == [[0] * 4, False]
    assert a == [10] * 4
    assert forbidden == 0


def test_what_is_done_already_is_not_waited_for(on_fake):
    calls = on_fake("""
        host, gpu = core.Device("host").create_stream(), core.Device(0).create_stream()
        of_host, of_gpu = host.record(), gpu.record()
        of_host.sync(), of_gpu.sync()
        fake.fake_take_calls()
        gpu.wait(of_host)
        host.wait(of_gpu)
        host.sync()
        gpu.wait(core.Device(0).create_event())  # never recorded
        answer = named(["stream_wait_value", "host_function", "stream_wait_event"])
    """)
    assert calls == {"stream_wait_value": 0, "host_function": 0, "stream_wait_event": 0}


def test_many_waits_across_devices_use_few_things(on_fake):
    a, counts = on_fake("""
        host, gpu = core.Device("host").create_stream(), core.Device(0).create_stream()
        a = np.zeros(4)
        for i in range(300):
            D.launch(set_to, a, float(i), grid=1, block=4, stream=host)
            gpu.wait(host)
            D.launch(double, on(0, a), grid=1, block=4, stream=gpu)
            host.wait(gpu)
            if i % 10 == 9:
                host.sync()
                gpu.sync()
        answer = [a.tolist(), left()]
    """)
    assert a == [598] * 4
    assert counts["pinned"] == 1
    assert counts["events"] < 60
    assert counts["streams"] < 20


# --- events ---


def test_waits_end_with_one_of_the_drivers_own(on_fake):
    """Only by those what kernels have printed comes."""
    counts = on_fake("""
        stream = core.Device(0).create_stream()
        a = np.zeros(4)
        D.launch(double, on(0, a), grid=1, block=4, stream=stream)
        event = stream.record()
        names = ["stream_synchronize", "event_synchronize", "context_synchronize"]
        named(names)
        event.sync()
        answer = [named(names)]
        stream.sync()
        answer.append(named(names))
    """)
    waits = {"stream_synchronize": 0, "event_synchronize": 0, "context_synchronize": 0}
    assert counts == [waits | {"event_synchronize": 1}] * 2


def test_events_tell_the_time(on_fake):
    between, wrong, messages, devices = on_fake("""
        dev = core.Device(0)
        stream = dev.create_stream()
        begin, end = dev.create_event(), dev.create_event()
        fresh = begin.is_done
        stream.record(begin)
        gates["hold"].set()
        original = hold
        D.launch(hold, on(0, np.zeros(1)), grid=1, block=1, stream=stream)
        time.sleep(0.03)
        stream.record(end)
        end.sync()
        gates["hold"].clear()
        D.launch(hold, on(0, np.zeros(1)), grid=1, block=1, stream=stream)
        late = stream.record()
        untimed = stream.record(options={"enable_timing": False})
        host = core.Device("host").create_stream().record()
        host.sync()
        messages = [
            outcome(lambda: end - dev.create_event()),
            outcome(lambda: late - begin),
            outcome(lambda: untimed - begin),
            outcome(lambda: host - begin),
        ]
        gates["hold"].set()
        stream.sync()
        answer = [
            [fresh, 25 < end - begin < 10000, late - end > 0], [], messages,
            [e.device is dev for e in (begin, dev.create_event(), late, host)],
        ]
    """)
    assert between == [True, True, True]
    none = "an event that was not recorded or is not done yet has no time"
    none += ": record() both, sync() the later one"
    assert messages == [
        ["RuntimeError", none],
        ["RuntimeError", none],
        ["RuntimeError", "an event that was made with enable_timing=False has no time"],
        ["RuntimeError", "two events of different devices have no common clock"],
    ]
    assert devices == [True, True, True, False]
    assert wrong == []


def test_an_event_recorded_anew_leaves_earlier_waits_alone(on_fake):
    answer = on_fake("""
        dev = core.Device(0)
        one, two = dev.create_stream(), dev.create_stream()
        event = one.record()
        a = np.zeros(1)
        two.wait(event)
        D.launch(hold, on(0, np.zeros(1)), grid=1, block=1, stream=one)
        one.record(event)
        D.launch(set_to, on(0, a), 3.0, grid=1, block=1, stream=two)
        two.sync()
        answer = [a.tolist(), event.is_done]
        gates["hold"].set()
        one.sync()
        answer.append(event.is_done)
    """)
    assert answer == [[3], False, True]


def test_closed_streams_and_events(on_fake):
    messages, a, counts = on_fake("""
        dev = core.Device(0)
        stream, event = dev.create_stream(), dev.create_event()
        a = np.zeros(4)
        A = on(0, a)
        D.launch(hold, A, grid=1, block=4, stream=stream)
        stream.close(), stream.close(), event.close(), event.close()
        messages = [
            outcome(lambda: D.launch(nothing, grid=1, block=1, stream=stream)),
            outcome(stream.sync), outcome(lambda: stream.handle), outcome(lambda: event.is_done),
            outcome(event.sync),
        ]
        deleted = A.deleted
        gates["hold"].set()
        dev.sync()
        answer = [messages, [a.tolist(), deleted, A.deleted], left()]
    """)
    closed = [["ValueError", "the stream is closed"]] * 3
    assert messages == closed + [["ValueError", "the event is closed"]] * 2
    assert a == [[1] * 4, 0, 1]
    assert counts["streams"] == 0


# --- what is kept how long ---


def test_arguments_are_kept_until_their_launch_is_done(on_fake):
    early, late, afterwards = on_fake("""
        import gc
        stream = core.Device(0).create_stream()
        given = [on(0, np.zeros(4)) for _ in range(200)]
        D.launch(hold, given[0], grid=1, block=4, stream=stream)
        for a in given[1:]:
            D.launch(double, a, grid=1, block=4, stream=stream)
        gc.collect()
        early = sum(a.deleted for a in given)
        gates["hold"].set()
        stream.sync()
        late = [a.deleted for a in given] == [1] * 200
        # Without a wait, later launches find what is done.
        one = on(0, np.zeros(4))
        D.launch(double, one, grid=1, block=4, stream=stream)
        def gone():
            D.launch(nothing, grid=1, block=1, stream=stream)
            return one.deleted
        settle(gone)
        answer = [early, late, one.deleted]
    """)
    assert early == 0
    assert late
    assert afterwards == 1


def test_a_launch_looks_up_nothing(on_fake):
    """How many launches an event serves for: tests/unit/gpu."""
    counts = on_fake("""
        stream = core.Device(0).create_stream()
        a = on(0, np.zeros(4))
        D.launch(hold, a, grid=1, block=4, stream=stream)
        named([])
        for _ in range(2000):
            D.launch(double, a, grid=1, block=4, stream=stream)
        answer = named(["event_record", "launch_kernel", "library_load",
                        "library_kernel", "kernel_set_attribute", "host_function"])
        gates["hold"].set()
    """)
    assert counts["launch_kernel"] == 2000
    assert counts["event_record"] >= 2000 // 64
    looked_up = ("library_load", "library_kernel", "kernel_set_attribute", "host_function")
    assert sum(counts[name] for name in looked_up) <= 2  # the first launch of `double`


# Functions registered first are called last: after those of cuda.device.
AT_THE_END_FIRST = """
import atexit
def tell():
    print(left())
atexit.register(tell)
from support.gpu_program import *
"""


def test_memory_outlives_the_end_of_the_process(tmp_path):
    """What sees pinned and managed memory may be looked at until the very end, while the driver
    gives back what there is; of ours alone is no context released."""
    done = run_on_fake(
        tmp_path,
        """
        import ctypes
        kept, views = [], []
        for kind in ("Pinned", "Managed"):
            buffer = getattr(core, kind + "MemoryResource")(0).allocate(64)
            buffer.fill(7, stream=core.Device(0).default_stream)
            kept.append(buffer)
            views.append((ctypes.c_ubyte * 64).from_address(int(buffer.handle)))
        views.append(np.from_dlpack(kept[0]))
        core.Device(0).sync()
        stream = core.Device(0).create_stream()
        a = np.zeros(4)
        D.launch(double, on(0, a), grid=1, block=4, stream=stream)
        """,
        head="""
import atexit
def look():
    print([int(v[63]) for v in views], fake.fake_retained(0))
atexit.register(look)
from support.gpu_program import *
""",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[7, 7, 7] 1\n"


def test_a_process_may_end_with_work_queued(tmp_path):
    done = run_on_fake(
        tmp_path,
        """
        a = np.zeros(4)
        import atexit
        stream = core.Device(0).create_stream()
        D.launch(hold, on(0, a), grid=1, block=4, stream=stream)
        D.launch(double, on(0, a), grid=1, block=4, stream=stream)
        threading.Timer(0.2, gates["hold"].set).start()
        """,
        head=AT_THE_END_FIRST.replace("tell():", "tell():\n    print(a.tolist())"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "[2.0, 2.0, 2.0, 2.0]"


def test_a_process_may_end_while_threads_use_its_gpu(tmp_path):
    """They hear that it ends; nothing is taken from under them."""
    done = run_on_fake(
        tmp_path,
        """
        ends = "the process is ending: its GPUs are not used any more"
        dev, host = core.Device(0), core.Device("host")
        resource = core.DeviceMemoryResource(0)
        started = threading.Barrier(5)
        def work():
            started.wait()
            try:
                while True:
                    stream = dev.create_stream()
                    D.launch(nothing, grid=1, block=1, stream=stream)
                    host.create_stream().wait(stream)
                    resource.allocate(64, stream=stream).close()
                    stream.record().is_done
            except errors.KernelError as e:
                if ends not in str(e):
                    print(e)
        for _ in range(4):
            threading.Thread(target=work, daemon=True).start()
        started.wait()
        time.sleep(0.05)
        """,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_threads_launch_side_by_side(on_fake):
    totals, counts = on_fake("""
        dev = core.Device(0)
        shared = dev.create_stream()
        arrays = [np.zeros(4) for _ in range(4)]
        step = np.ones(4)

        def work(a, stream):
            for _ in range(100):
                D.launch(add, on(0, a), on(0, step), grid=1, block=4, stream=stream)
            stream.sync()

        threads = [
            threading.Thread(target=work, args=(a, shared if i < 2 else dev.create_stream()))
            for i, a in enumerate(arrays)
        ]
        for t in threads: t.start()
        for t in threads: t.join()
        dev.sync()
        answer = [[a.tolist() for a in arrays], left()]
    """)
    assert totals == [[100] * 4] * 4
    assert counts["streams"] == 1
