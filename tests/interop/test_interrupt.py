"""Ctrl-C and other signals while a launch, a stream or an event is waited for."""

import contextlib
import os
import signal
import threading
import time

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core


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


def check_stopped(a):
    """Some blocks have run, the first ones, and none does so any more."""
    ran = int(np.count_nonzero(a))
    assert 0 < ran < a.size
    assert a[:ran].all()
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
        pid = os.fork()
        if pid == 0:
            signal.alarm(30)
            try:
                check_that_all_goes_on()
                os._exit(0)
            finally:
                os._exit(1)
        children.append(os.waitpid(pid, 0)[1])

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


def test_launches_of_other_threads_are_not_interrupted():
    """Python gives signals to the main thread only."""
    a = np.zeros(SECONDS, np.uint32)
    thread = threading.Thread(target=launch, args=(a,))
    thread.start()
    with a_signal_soon(after=0.1), pytest.raises(KeyboardInterrupt):
        threading.Event().wait(60)
    thread.join()
    assert a.all()
