"""Ctrl-C and other signals while a launch, a stream or an event is waited for."""

import contextlib
import math
import mmap
import os
import signal
import textwrap
import threading
import time

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core
from cuda.device._testing import counters
from support.programs import environment, run_program, run_text
from support.sources import executed


@D.kernel
def spin(a, n):
    """Each block takes a while and leaves its mark."""
    x = D.uint32(1)
    i = 0
    while i < n:
        x = x * 1664525 + 1013904223
        i += 1
    a[D.tid(1)] = x | 1


STEPS = 2_000_000  # of a block: some milliseconds
THREADS = _core.thread_count()
SECONDS = 150 * THREADS  # blocks that keep all threads busy for half a second or more
HOURS = 1_000_000 * THREADS
SOON = 0.2 + 2  # seconds after which a signal of a_signal_soon has ended a launch; mostly 0.3


@D.kernel
def endless(a, calls, rounds):
    """A block takes hours if there are many rounds, of sums or of a function of the library."""
    x = D.float64(1.5)
    i = 0
    while i < rounds:
        j = 0
        while j < 1_000_000:
            x = math.lgamma(x + 1.0) if calls != 0 else x * 1.5 + D.float64(j)
            j += 1
        i += 1
    a[D.tid(1)] = D.uint32(x) | 1


def launch(a, **options):
    D.launch(spin, a, STEPS, grid=a.size, block=1, **options)


@pytest.fixture(autouse=True)
def compiled():
    launch(np.zeros(1, np.uint32))


@contextlib.contextmanager
def a_signal_soon(handler=signal.default_int_handler, number=signal.SIGINT, after=0.2):
    """This process gets the signal, once, in the block; the handler is Python's of Ctrl-C."""
    before = signal.signal(number, handler)
    timer = threading.Timer(after, os.kill, (os.getpid(), number))
    timer.start()
    try:
        yield
    finally:
        timer.join()
        signal.signal(number, before)


def check_that_all_goes_on():
    a = np.zeros(10, np.uint32)
    launch(a)
    assert a.all()
    stream = core.Device("host").create_stream()
    b = np.zeros(10, np.uint32)
    launch(b, stream=stream)
    stream.sync()
    assert b.all()


def how_a_child_fares():
    """A child forked here launches; 0 where all was well."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            check_that_all_goes_on()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1]


def check_stopped(a):
    """Some blocks have run, none of the many last ones, and none does so any more. Blocks that
    threads were in may be missing before them."""
    ran = int(np.count_nonzero(a))
    assert 0 < ran < a.size
    assert not a[ran + 100 * THREADS :].any()
    time.sleep(0.05)
    assert np.count_nonzero(a) == ran


def test_control_c_ends_a_launch():
    a = np.zeros(HOURS, np.uint32)
    with a_signal_soon(), pytest.raises(KeyboardInterrupt):
        launch(a)
    check_stopped(a)
    check_that_all_goes_on()


def test_twice_in_a_row():
    for _ in range(2):
        test_control_c_ends_a_launch()


@pytest.mark.parametrize("calls", [0, 1], ids=["own code", "calls"])
@pytest.mark.parametrize("blocks", [1, 2, 100])
def test_control_c_ends_a_launch_within_a_block(blocks, calls):
    a = np.zeros(blocks, np.uint32)
    D.launch(endless, np.zeros(1, np.uint32), calls, 0, grid=1, block=1)  # compiled
    started = time.perf_counter()
    with a_signal_soon(), pytest.raises(KeyboardInterrupt):
        D.launch(endless, a, calls, 1_000_000, grid=blocks, block=1)
    assert time.perf_counter() - started < SOON
    assert not a.any()
    check_that_all_goes_on()


def test_within_a_block_a_handler_may_launch_fork_and_go_on():
    """A signal every 100 ms; the launch computes what it computes without them."""
    inner, children = np.zeros(10, np.uint32), []

    def handler(*_):
        launch(inner)
        children.append(how_a_child_fares())
        if len(children) < 5:
            timers.append(threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGUSR1)))
            timers[-1].start()

    timers = []
    expected, a = np.zeros(1, np.uint32), np.zeros(1, np.uint32)
    steps = 400 * STEPS
    D.launch(spin, expected, steps, grid=1, block=1)
    with a_signal_soon(handler, signal.SIGUSR1, after=0.1):
        D.launch(spin, a, steps, grid=1, block=1)
    for timer in timers:
        timer.join()
    assert children == [0] * 5
    assert inner.all()
    assert a == expected


@D.kernel
def turns_around(out, shift, rounds):
    """In shared memory, with a long wait between writing and reading."""
    s = D.shared_array(256, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = t + shift
    D.syncthreads()
    x = D.uint32(t)
    for _ in range(rounds):
        x = x * 1664525 + 1013904223
    D.syncthreads()
    out[t] = s[(255 - t + shift) % 256] if x != 0xFFFFFFFF else -1


def test_within_a_block_a_handler_may_launch_with_shared_memory():
    inner, launched = np.zeros(256, np.int32), []

    def handler(*_):
        D.launch(turns_around, inner, 1000, 0, grid=1, block=256)
        launched.append(np.count_nonzero(out))

    out = np.zeros(256, np.int32)
    with a_signal_soon(handler, signal.SIGUSR1, after=0.1):
        D.launch(turns_around, out, 0, 50 * STEPS, grid=1, block=256)
    assert launched == [0], "the handler ran after the launch"
    assert out.tolist() == list(range(255, -1, -1))
    assert inner.tolist() == [(255 - t + 1000) % 256 + 1000 for t in range(256)]


@D.kernel
def counts(bins, rounds):
    """In a table of the worker, which is merged after a long wait."""
    t = D.thread_idx.x
    D.atomic_ref(bins, t % bins.size).add(1, "relaxed", "device")
    x = t
    for _ in range(rounds):
        x = x * 1664525 + 1013904223
    if x == 0xFFFFFFFF:
        D.atomic_ref(bins, 0).add(1, "relaxed", "device")


def test_within_a_block_a_handler_may_update_the_same_array():
    seen = []

    def handler(*_):
        D.launch(counts, bins, 0, grid=1, block=1024)
        seen.append(bins.tolist())

    bins = np.zeros(4, np.int32)
    with a_signal_soon(handler, signal.SIGUSR1, after=0.1):
        D.launch(counts, bins, 20 * STEPS, grid=1, block=1024)
    assert seen == [[256] * 4], "the tables of the two are one"
    assert bins.tolist() == [512] * 4


def test_control_c_within_a_block_leaves_what_was_counted():
    bins = np.zeros(4, np.int32)
    with a_signal_soon(after=0.1), pytest.raises(KeyboardInterrupt):
        D.launch(counts, bins, 2_000_000_000, grid=1, block=1024)
    assert 0 < bins.sum() < 1024
    before = bins.copy()
    D.launch(counts, bins, 0, grid=1, block=1024)
    assert (bins - before == 256).all()


def test_a_child_that_was_forked_within_a_block_updates_nothing():
    """The array is in memory that it shares with its parent."""
    bins, parent, children = np.frombuffer(mmap.mmap(-1, 4096), np.int32), os.getpid(), []
    with a_signal_soon(lambda *_: children.append(os.fork()), signal.SIGUSR1, after=0.1):
        try:
            D.launch(counts, bins, 20 * STEPS, grid=1, block=1024)
        finally:
            if os.getpid() != parent:
                os._exit(0)
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0]
    assert (bins == 1).all()


@D.kernel
def chatters(a, rounds):
    for i in range(rounds):
        a[0] += 1
        print(i)


@D.kernel
def chatters_of_lanes(a, rounds):
    for i in range(rounds):
        print(f"lane {D.tid(1)}, round {i}: {a[0] + 0.1:.3f}")


@pytest.mark.parametrize(("kernel", "block"), [(chatters, 1), (chatters_of_lanes, 32)])
def test_control_c_while_a_kernel_prints(kernel, block, capsys):
    """What prints takes locks and memory, and is never left within; nearly all time goes there."""
    a = np.zeros(1, np.int64)
    D.launch(kernel, a, 1, grid=1, block=block)
    first = capsys.readouterr().out
    for _ in range(3):
        started = time.perf_counter()
        with a_signal_soon(), pytest.raises(KeyboardInterrupt):
            D.launch(kernel, a, 2_000_000_000, grid=1, block=block)
        assert time.perf_counter() - started < SOON
        assert capsys.readouterr().out.startswith(first)
        D.launch(kernel, a, 1, grid=1, block=block)
        assert capsys.readouterr().out == first
    check_that_all_goes_on()


def test_the_mask_of_signals_is_left_as_found():
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    test_control_c_ends_a_launch_within_a_block(1, 0)
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before


def test_who_has_a_handler_for_sigurg_keeps_it(tmp_path):
    """In a process of its own: the signal is chosen once."""
    done = run_program(
        tmp_path,
        """
        import os, signal
        got = []
        signal.signal(signal.SIGURG, lambda *_: got.append(1))
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        a = np.ones(1, np.uint32)
        D.launch(spin, a, 0, grid=1, block=1)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            D.launch(spin, a, 2_000_000_000, grid=100, block=1)
        except KeyboardInterrupt:
            print("given up", got)
        os.kill(os.getpid(), signal.SIGURG)
        print(got)
        """,
    )
    assert done.stdout == "given up []\n[1]\n", done.stderr


def test_control_c_goes_on_when_sigurg_is_taken_later(tmp_path):
    """What a timer of ours had under way may come to the new handler, once."""
    done = run_program(
        tmp_path,
        """
        import signal
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        a = np.ones(1, np.uint32)
        D.launch(spin, a, 1000, grid=1, block=1)
        got = []
        signal.signal(signal.SIGURG, lambda *_: got.append(1))
        for _ in range(3):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                D.launch(spin, np.ones(8, np.uint32), 2_000_000_000, grid=8, block=1)
            except KeyboardInterrupt:
                print("given up", len(got) <= 1)
        """,
    )
    assert done.stdout == "given up True\n" * 3, done.stderr


def test_a_handler_that_does_not_raise():
    calls = []
    a = np.zeros(SECONDS, np.uint32)
    with a_signal_soon(lambda *_: calls.append(np.count_nonzero(a)), signal.SIGUSR1):
        launch(a)
    assert a.all()
    assert len(calls) == 1
    assert calls[0] < a.size, "the handler ran after the launch"


def test_a_handler_may_launch_and_wait():
    inner = np.zeros(10, np.uint32)
    finished = []

    def handler(*_):
        launch(inner)
        core.Device("host").sync()
        finished.append(inner.all())

    a = np.zeros(SECONDS, np.uint32)
    with a_signal_soon(handler, signal.SIGUSR1):
        launch(a)
    assert finished == [True]
    assert a.all()


def test_a_handler_may_fork():
    children = []

    def handler(*_):
        children.append(how_a_child_fares())

    a = np.zeros(SECONDS, np.uint32)
    with a_signal_soon(handler, signal.SIGUSR1):
        launch(a)
    assert children == [0]
    assert a.all()


def test_a_launch_that_waits_for_its_turn():
    """The default stream is busy: the launch that is given up never begins."""
    default = core.Device("host").default_stream
    before, a = np.zeros(SECONDS, np.uint32), np.zeros(HOURS, np.uint32)
    launch(before, stream=default)
    with a_signal_soon(after=0.1), pytest.raises(KeyboardInterrupt):
        launch(a)
    default.sync()
    assert before.all()
    assert not a.any()


@pytest.mark.parametrize("wait", ["stream", "event", "device"])
def test_waits_are_given_up_and_the_work_goes_on(wait):
    stream = core.Device("host").create_stream()
    a = np.zeros(SECONDS, np.uint32)
    launch(a, stream=stream)
    event = stream.record()
    waits = {"stream": stream.sync, "event": event.sync, "device": core.Device("host").sync}
    with a_signal_soon(after=0.1), pytest.raises(KeyboardInterrupt):
        waits[wait]()
    assert not a.all()
    stream.sync()
    assert a.all()


LONG = "".join(
    f"    for p in {tuple(range(k, k + 40))}:\n"
    f"        for q in {tuple(range(25))}:\n"
    "            if x < p * q:\n"
    "                x = x * 0.5 + p\n"
    "            else:\n"
    "                x = x - q\n"
    for k in range(4)
)
LONG_KERNEL = f"""
@D.kernel
def long(out, a):
    i = D.tid(1)
    x = a[i]
{LONG}    out[i] = x
"""


def long_kernel():
    """One that takes seconds to compile, and computes with a few thousand statements."""
    return executed(LONG_KERNEL)["long"]


def check_long_kernel(kernel):
    a = np.linspace(0, 1000, 64, dtype=np.float32)
    out, x = np.zeros_like(a), a.copy()
    D.launch(kernel, out, a, grid=1, block=64)
    for k in range(4):
        for p in range(k, k + 40):
            for q in range(25):
                x = np.where(x < p * q, x * np.float32(0.5) + np.float32(p), x - np.float32(q))
    np.testing.assert_array_equal(out, x)


@contextlib.contextmanager
def given_up_soon(after=0.2):
    started = time.perf_counter()
    with a_signal_soon(after=after), pytest.raises(KeyboardInterrupt):
        yield
    assert time.perf_counter() - started < SOON


def test_control_c_ends_a_compilation():
    """Wherever the compiler is: nothing is kept of it, and the next launch compiles anew."""
    kernel, a = long_kernel(), np.zeros(64, np.float32)
    before = counters()
    for after in (0.05, 0.2, 0.7):
        with given_up_soon(after):
            D.launch(kernel, a.copy(), a, grid=1, block=64)
        check_that_all_goes_on()
    assert counters()["compilations"] == before["compilations"]
    check_long_kernel(kernel)
    assert counters()["compilations"] == before["compilations"] + 1


def test_control_c_ends_what_compiles_for_a_stream_and_what_shows_code():
    kernel, a = long_kernel(), np.zeros(64, np.float32)
    with given_up_soon():
        D.launch(kernel, a.copy(), a, grid=1, block=64, stream=core.Device("host").create_stream())
    with given_up_soon():
        kernel.inspect(a, a, what="asm", block=64)
    with given_up_soon():
        kernel.stats(a, a, block=64)
    check_that_all_goes_on()


def test_control_c_ends_the_wait_for_a_compilation_of_another_thread():
    kernel, a = long_kernel(), np.zeros(64, np.float32)
    out = a.copy()
    thread = threading.Thread(
        target=lambda: D.launch(kernel, out, np.ones(64, np.float32), grid=1, block=64)
    )
    thread.start()
    time.sleep(0.1)
    with given_up_soon():
        D.launch(kernel, a.copy(), a, grid=1, block=64)
    assert thread.is_alive(), "the kernel was compiled too quickly to show anything"
    thread.join()
    assert out.any()


def test_while_it_compiles_a_handler_may_launch_fork_and_go_on():
    kernel, children, inner = long_kernel(), [], np.zeros(10, np.uint32)

    def handler(*_):
        launch(inner)
        check_long_kernel(kernel)
        children.append(how_a_child_fares())

    with a_signal_soon(handler, signal.SIGUSR1):
        check_long_kernel(kernel)
    assert children == [0]
    assert inner.all()


def test_a_process_may_end_while_its_compiler_has_not_stopped(tmp_path):
    text = textwrap.dedent(
        f"""
        import signal
        import numpy as np
        from cuda import device as D
        from support.sources import executed
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        kernel = executed({LONG_KERNEL!r})["long"]
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        a = np.zeros(64, np.float32)
        try:
            D.launch(kernel, a.copy(), a, grid=1, block=64)
        except KeyboardInterrupt:
            print("given up")
        """
    )
    done = run_text(tmp_path, text, env=environment())
    assert (done.stdout, done.returncode) == ("given up\n", 0), done.stderr


def test_launches_of_other_threads_are_not_interrupted():
    """Python gives signals to the main thread only."""
    a = np.zeros(SECONDS, np.uint32)
    thread = threading.Thread(target=launch, args=(a,))
    thread.start()
    with a_signal_soon(after=0.1), pytest.raises(KeyboardInterrupt):
        threading.Event().wait(60)
    thread.join()
    assert a.all()
