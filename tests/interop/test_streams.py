"""Streams and events of the host device, and what a process does with them to its end."""

import dataclasses
import pickle
import signal
import subprocess
import sys
import time
import types

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core, errors
from support.clauses import clause
from support.kernels import spin
from support.programs import run_program


@D.kernel
def add(a, value):
    i = D.tid(1)
    if i < a.size:
        a[i] += value


LONG = 100_000_000  # steps of spin: a good tenth of a second


def start_long(stream, n=LONG):
    D.launch(spin, np.ones(1, np.uint32), n, grid=1, block=1, stream=stream)


@pytest.fixture(autouse=True)
def compiled():
    """No test here measures a compilation."""
    start_long(core.Device("host").default_stream, 1)
    core.Device("host").sync()


def device():
    return core.Device("host")


def test_one_object_per_device():
    assert core.Device(np.int64(0)) is core.Device(0)
    gpus = _core.gpu_count()
    assert core.Device("host") is device()
    assert core.Device(0) is core.Device() is core.Device(0)
    assert (core.Device(0) is device()) == (gpus == 0)
    for one in (device(), core.Device(0)):
        assert pickle.loads(pickle.dumps(one)) is one
    with pytest.raises(ValueError, match=f"no device {gpus + 7}"):
        core.Device(gpus + 7)


@clause("DEV-STRM-07")
def test_the_stream_protocol():
    stream = device().create_stream()
    assert stream.__cuda_stream__() == (0, stream.handle)
    assert isinstance(stream.handle, int)


def test_what_streams_and_events_are_shown_as():
    stream = core.Device("host").create_stream()
    event = stream.record()
    for thing, name in ((stream, "Stream"), (event, "Event")):
        assert not thing.is_closed
        assert repr(thing) == f"<cuda.device.core.{name} of the host device>"
        thing.close()
        assert thing.is_closed
        assert repr(thing) == f"<cuda.device.core.{name} closed>"


class Wrapper:
    """A stream object of another library that borrows ours."""

    def __init__(self, stream):
        self.stream = stream

    def __cuda_stream__(self):
        return self.stream.__cuda_stream__()


class Property(Wrapper):
    """The early form of the protocol."""

    @property
    def __cuda_stream__(self):
        return self.stream.__cuda_stream__()


class NvidiasConfig:
    """As cuda.core's, without its fields of other versions."""

    grid, block, shmem_size, cluster = (1,), (2, 1), 0, None


@pytest.mark.parametrize(
    "config",
    [core.LaunchConfig(grid=1, block=(2, 1)), {"grid": 1, "block": 2}, NvidiasConfig()],
)
def test_launches_in_the_order_of_cuda_core(config):
    stream = device().create_stream()
    a = np.zeros(4)
    core.launch(stream, config, add, a, 3.0)
    stream.sync()
    assert a.tolist() == [3, 3, 0, 0]


@pytest.mark.parametrize(
    ("wrong", "kind", "text"),
    [
        (
            {"cooperative_launch": True},
            NotImplementedError,
            "the option is_cooperative=True is not",
        ),
        ({"is_cooperative": True}, NotImplementedError, "the option is_cooperative=True is not"),
        ({"cluster": (2, 1, 1)}, NotImplementedError, r"the option cluster=\(2, 1, 1\) is not"),
        ({"hurry": 1}, NotImplementedError, "the option hurry=1 is not implemented yet"),
        ({"grid": None}, TypeError, "the config has no grid; an int or a tuple is expected"),
    ],
)
def test_a_config_that_asks_for_what_is_not_there(wrong, kind, text):
    config = types.SimpleNamespace(grid=(1,), block=(2, 1), shmem_size=0, later=False)
    vars(config).update(wrong)
    with pytest.raises(kind, match=text):
        core.launch(device().create_stream(), config, add, np.zeros(1), 3.0)


def test_a_config_that_is_none():
    stream = device().create_stream()
    with pytest.raises(TypeError, match=r"expects a stream, a LaunchConfig, .* found 'Kernel' as"):
        core.launch(stream, add, core.LaunchConfig(), np.zeros(1), 1.0)
    with pytest.raises(TypeError, match="grid in the launch of kernel 'add': 'str' is neither"):
        core.launch(stream, core.LaunchConfig(grid="a"), add, np.zeros(1), 1.0)
    with pytest.raises(TypeError, match="'NoneType' is no stream"):
        core.launch(None, core.LaunchConfig(), add, np.zeros(1), 1.0)


def test_a_second_object_of_a_stream_takes_nothing_with_it():
    stream = device().create_stream()
    again = [core.Stream.from_handle(stream.handle), device().create_stream(stream)]
    assert again == [stream, stream]
    again.clear()
    a = np.zeros(1)
    D.launch(add, a, 1.0, grid=1, block=1, stream=Wrapper(stream))
    stream.sync()
    assert a[0] == 1


@clause("DEV-STRM-01", "DEV-STRM-02", partial="streams of CUDA")
@pytest.mark.parametrize("kind", [Wrapper, Property])
def test_objects_that_speak_the_protocol(kind):
    stream = device().create_stream()
    a = np.zeros(100)
    start_long(stream)
    D.launch(add, a, 1, grid=1, block=128, stream=kind(stream))
    assert a[0] == 0
    stream.sync()
    assert (a == 1).all()


def test_a_stream_that_is_gone():
    stream = device().create_stream()
    pair = stream.__cuda_stream__()
    gone = Wrapper(stream)
    gone.stream = None
    gone.__class__ = type("Gone", (), {"__cuda_stream__": lambda self: pair})
    del stream
    with pytest.raises(RuntimeError, match="CUDA stream"):
        D.launch(add, np.zeros(1), 1, grid=1, block=1, stream=gone)


def test_a_stream_may_go_before_its_work_is_done():
    a = np.zeros(100)
    stream = device().create_stream()
    start_long(stream)
    D.launch(add, a, 1, grid=1, block=128, stream=stream)
    done = stream.record()
    del stream
    assert not done.is_done
    done.sync()
    assert (a == 1).all()


def test_events():
    stream = device().create_stream()
    before = stream.record()
    start_long(stream)
    after = stream.record()
    assert not after.is_done
    assert not stream.is_done
    after.sync()
    assert after.is_done
    assert before.is_done
    assert 1 < after - before < 60_000
    assert before - after == -(after - before)
    again = stream.record(after)
    assert again is after


def test_events_without_a_time():
    with pytest.raises(RuntimeError, match="not recorded"):
        core.Event() - core.Event()


class Foreign:
    """Options as cuda.core makes them."""

    @dataclasses.dataclass
    class StreamOptions:
        nonblocking: bool = True
        priority: int | None = None

    @dataclasses.dataclass
    class EventOptions:
        enable_timing: bool | None = False
        busy_waited_sync: bool | None = False
        ipc_enabled: bool | None = None


@clause("DEV-STRM-06", partial="from_handle, cuda.core itself")
@pytest.mark.parametrize(
    "options",
    [
        None,
        {},
        {"nonblocking": True},
        {"priority": 0},
        core.StreamOptions(),
        core.StreamOptions(nonblocking=True, priority=0),
        core.StreamOptions(nonblocking=False),
        Foreign.StreamOptions(),
        Foreign.StreamOptions(nonblocking=False),
    ],
)
def test_options_of_streams(options):
    stream = device().create_stream(options=options)
    nonblocking = getattr(options, "nonblocking", True)
    assert (stream.is_nonblocking, stream.priority) == (nonblocking, 0)
    a = np.zeros(10)
    D.launch(add, a, 1, grid=1, block=32, stream=stream)
    stream.sync()
    assert (a == 1).all()


@pytest.mark.parametrize("timing", [None, True, False])
@pytest.mark.parametrize("kind", [dict, core.EventOptions, Foreign.EventOptions])
def test_options_of_events(kind, timing):
    events = [device().create_event(kind(enable_timing=timing)) for _ in range(2)]
    assert all(event.is_timing_enabled == (timing is not False) for event in events)
    stream = device().create_stream()
    for event in events:
        stream.record(event)
    stream.sync()
    if timing is not False:
        assert events[1] - events[0] >= 0
        return
    assert all(event.is_done for event in events)
    with pytest.raises(RuntimeError, match="enable_timing=False"):
        events[1] - events[0]


def test_an_event_minus_something_else():
    stream = device().create_stream()
    event = stream.record()
    for other in (stream, 1, None):
        found = type(other).__name__
        with pytest.raises(TypeError, match=f"an Event minus another Event .*; found '{found}'"):
            event - other
    stream.sync()


@dataclasses.dataclass
class NewerEventOptions:
    """The names of cuda.core 1."""

    timing_enabled: bool | None = False
    blocking_sync: bool | None = False
    ipc_enabled: bool | None = False


@pytest.mark.parametrize("blocking", [None, True, False])
@pytest.mark.parametrize("timing", [True, False])
def test_options_of_events_by_newer_names(timing, blocking):
    options = NewerEventOptions(timing_enabled=timing, blocking_sync=blocking)
    stream = device().create_stream()
    first, second = (stream.record(device().create_event(options)) for _ in "12")
    first.sync()
    second.sync()
    if timing:
        assert second - first >= 0
    else:
        with pytest.raises(RuntimeError, match="enable_timing=False"):
            second - first


@pytest.mark.parametrize(
    ("create", "options", "text"),
    [
        ("stream", core.StreamOptions(priority=-1), "priority=-1"),
        ("stream", Foreign.StreamOptions(priority=3), "priority=3"),
        ("event", {"busy_waited_sync": True}, "busy_waited_sync=True"),
        ("event", Foreign.EventOptions(ipc_enabled=True), "support_ipc=True"),
    ],
)
def test_options_that_cannot_be_honoured(create, options, text):
    with pytest.raises(errors.NotImplementedYetError, match=f"option {text} is not implemented"):
        getattr(device(), f"create_{create}")(options=options)


@pytest.mark.parametrize(
    ("create", "options", "text"),
    [
        ("stream", {"blocking_sync": True}, "no option 'blocking_sync'"),
        ("stream", {"flags": 1}, "no option 'flags'; its options are nonblocking, priority$"),
        ("event", {"nonblocking": True}, "no option 'nonblocking'; its options are enable_timing"),
        ("stream", core.EventOptions(), "no option 'enable_timing'"),
        ("stream", {"nonblocking": 1}, "nonblocking is a bool, found 'int'"),
        ("stream", {"priority": 0.5}, "priority is an int, found 'float'"),
        ("stream", 3, "a StreamOptions or a dict, found 'int'"),
        ("event", core.EventOptions, "a EventOptions or a dict, found 'type'"),
    ],
)
def test_options_that_are_none(create, options, text):
    with pytest.raises(TypeError, match=text):
        getattr(device(), f"create_{create}")(options=options)


def test_waiting_for_another_stream():
    first, second = device().create_stream(), device().create_stream()
    a = np.zeros(100)
    start_long(first)
    D.launch(add, a, 1, grid=1, block=128, stream=first)
    second.wait(first)
    D.launch(add, a, 10, grid=1, block=128, stream=second)
    second.sync()
    assert (a == 11).all()


def test_waiting_for_an_event():
    first, second = device().create_stream(), device().create_stream()
    a = np.zeros(100)
    start_long(first)
    second.wait(first.record())
    D.launch(add, a, 1, grid=1, block=128, stream=second)
    assert a[0] == 0
    second.sync()
    assert (a == 1).all()


@pytest.mark.parametrize("method", ["wait", "record"])
def test_other_objects_are_refused(method):
    with pytest.raises(TypeError, match="found 'int'"):
        getattr(device().create_stream(), method)(3)


def test_a_device_waits_for_all_its_streams():
    """That of the first array is gone by then, but for its work."""
    arrays = [np.zeros(32), np.zeros(32)]
    for array in arrays:
        stream = device().create_stream()
        start_long(stream, LONG // 4)
        D.launch(add, array, 1, grid=1, block=32, stream=stream)
    device().sync()
    assert stream.is_done
    for array in arrays:
        assert (array == 1).all()


def test_streams_come_and_go_while_a_device_waits(tmp_path):
    run = run_program(
        tmp_path,
        """
        import threading

        def come_and_go():
            for _ in range(300):
                stream = core.Device("host").create_stream()
                D.launch(spin, np.ones(1, np.uint32), 1000, grid=1, block=1, stream=stream)
                stream.sync()
                del stream

        threads = [threading.Thread(target=come_and_go) for _ in range(3)]
        for t in threads: t.start()
        while any(t.is_alive() for t in threads): core.Device("host").sync()
        print("end")
        """,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "end\n", "")


# A block of 1024 threads with 60,000 numbers each finds no memory.
NO_MEMORY = """
import resource

@D.kernel
def large(a):
    t = D.local_array(60000, D.float64)
    i = D.tid(1)
    t[i % 60000] = a[0]
    D.syncthreads()
    a[0] = t[(i + 2) % 60000]

a = np.zeros(1)
stream, other = (core.Device("host").create_stream() for _ in range(2))
for s in (stream, other):
    D.launch(spin, np.ones(1, np.uint32), 1, grid=1, block=1, stream=s)
core.Device("host").sync()
large.inspect(a, what="asm", block=1024)
used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + 150_000_000,) * 2)

def launch(s):
    D.launch(large, a, grid=4, block=1024, stream=s)

def outcome(what):
    try:
        what()
        print("nothing")
    except Exception as e:
        print(type(e).__name__, e, *getattr(e, "__notes__", []))
"""
REASON = "kernel 'large': out of memory: a block needs 491520000 bytes of working memory"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("launch(stream); outcome(stream.sync); outcome(stream.sync)", [REASON, None]),
        ("launch(stream); outcome(core.Device('host').sync)", [REASON]),
        ("launch(stream); stream.record().sync(); outcome(stream.sync)", [REASON]),
        (
            "launch(other); other.record().sync(); del other, s; outcome(core.Device('host').sync);"
            "outcome(core.Device('host').sync)",
            [REASON, None],
        ),
        (
            "launch(stream); launch(other); outcome(core.Device('host').sync);outcome(other.sync)",
            [REASON + " and: " + REASON, None],
        ),
        ("launch(stream); launch(stream); outcome(stream.sync)", [REASON + " and: " + REASON]),
        (
            "launch(stream); launch(other); record = [s.record() for s in (stream, other)];"
            "del stream, s, other; [e.sync() for e in record]; outcome(core.Device('host').sync)",
            [REASON + " and: " + REASON],
        ),
        (
            "[launch(stream) for _ in range(20)]; outcome(stream.sync)",
            [REASON + (" and: " + REASON) * 16 + " and: 3 more errors"],
        ),
    ],
)
def test_an_error_is_raised_once_whoever_asks_for_it(tmp_path, text, said):
    run = run_program(tmp_path, NO_MEMORY + text)
    assert run.returncode == 0, run.stderr
    lines = ["KernelError " + line if line else "nothing" for line in said]
    assert run.stdout.splitlines() == lines
    assert run.stderr == ""


def test_an_error_that_nobody_asked_for_is_told_at_the_end(tmp_path):
    run = run_program(tmp_path, NO_MEMORY + "launch(stream); launch(other)")
    assert run.returncode == 0
    assert f"KernelError: {REASON}\nand: {REASON}\n" in run.stderr
    assert "work that was queued when the process ended" in run.stderr


class Interrupted(Exception):
    pass


def test_signals_reach_a_waiting_thread():
    def interrupt(*_):
        raise Interrupted

    stream = device().create_stream()
    start_long(stream, LONG * 4)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        started = time.monotonic()
        with pytest.raises(Interrupted):
            stream.sync()
        assert not stream.is_done
        assert time.monotonic() - started < 5
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    stream.sync()


# --- the process ---


def test_a_process_may_end_with_work_queued(tmp_path):
    run = run_program(
        tmp_path,
        """
        stream = D.core.Device("host").create_stream()
        for i in range(10):
            D.launch(spin, np.ones(1, np.uint32), 5_000_000, grid=1, block=1, stream=stream)
        print("end")
        """,
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "end\n", "")


def test_ctrl_c_ends_the_wait_of_a_process_that_ends(tmp_path):
    """Its queue would last for minutes."""
    run = run_program(
        tmp_path,
        """
        import os, signal, threading, time
        a = np.ones(1, np.uint32)
        D.launch(spin, a, 1, grid=1, block=1)
        stream = core.Device("host").create_stream()
        for i in range(5000):
            D.launch(spin, a, 50_000_000, grid=1, block=1, stream=stream)

        def interrupt():
            time.sleep(0.5)
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt, daemon=True).start()
        print("end")
        """,
    )
    assert run.stdout == "end\n"
    assert "KeyboardInterrupt" in run.stderr


def test_importing_loads_no_compiler(tmp_path):
    run = run_program(
        tmp_path,
        """
        import sys
        @D.kernel
        def f(a):
            a[0] = 1
        def loaded():
            return "libcuda_device_jit" in open("/proc/self/maps").read()
        print(loaded(), *[m for m in ("inspect", "ast", "ml_dtypes") if m in sys.modules])
        D.launch(f, np.zeros(1), grid=1, block=1)
        print(loaded(), *[m for m in ("ml_dtypes",) if m in sys.modules])
        """,
    )
    assert run.stderr == ""
    lines = run.stdout.splitlines()
    assert lines[0].split()[0] == "False"
    assert "ml_dtypes" not in lines[0]
    assert lines[1] == "True"


def test_information_on_the_command_line():
    run = subprocess.run(
        [sys.executable, "-m", "cuda.device", "info"], capture_output=True, text=True, check=True
    )
    facts, _, heuristics = run.stdout.partition("\n\n")
    keys = {line.split()[0] for line in facts.splitlines()}
    assert {"python", "numpy", "version", "llvm", "threads", "libdevice", "ptxas", "gpu"} <= keys
    assert {"windows", "prefetch_page"} <= {line.split()[0] for line in heuristics.splitlines()}
    run = subprocess.run(
        [sys.executable, "-m", "cuda.device"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "usage" in run.stderr
