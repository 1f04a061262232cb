"""What a stream says of a failure it says once: so it is heard whatever happens beside it."""

import io
import signal
import sys

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from support.kernels import spin

HOST = core.Device("host")


@D.kernel
def spin_and_fail(a, n):
    x = D.uint32(a[0])
    for _ in range(n):
        x = x * 1664525 + 1013904223
    a[0] = x
    raise ValueError("bad")


@D.kernel
def print_and_fail(a):
    print("text")
    if a[0] >= 0:
        raise ValueError("bad")


@pytest.fixture
def alarm():
    """Has KeyboardInterrupt raised after so many seconds."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def failures(error):
    """What an exception and those that it was raised beside say of kernels."""
    while error is not None:
        if isinstance(error, ValueError):
            yield str(error).partition(":")[0]
        error = error.__context__


def heard_by(*waits):
    """What was heard of kernels by the waits, one after the other, and which were interrupted."""
    heard, interrupted = [], 0
    for wait in waits:
        try:
            wait()
        except (KeyboardInterrupt, ValueError) as error:
            heard += failures(error)
            interrupted += isinstance(error, KeyboardInterrupt)
    return heard, interrupted


def test_an_interrupt_in_the_moment_in_which_a_kernel_fails(alarm):
    """The wait looks for signals when it has heard of the failure."""
    stream, a = HOST.create_stream(), np.zeros(1, np.uint32)
    both = 0
    for _ in range(30):
        D.launch(spin_and_fail, a, 8_000_000, grid=1, block=1, stream=stream)
        alarm(0.003)
        heard, interrupted = heard_by(stream.sync)
        both += bool(heard and interrupted)
        alarm(0)
        heard += heard_by(stream.sync)[0]
        assert heard == ["kernel 'spin_and_fail'"]
    assert both


def test_an_interrupted_wait_for_a_device_tells_what_a_stream_has_said(alarm):
    failed, slow = HOST.create_stream(), HOST.create_stream()
    D.launch(spin_and_fail, np.zeros(1, np.uint32), 1, grid=1, block=1, stream=failed)
    D.launch(spin, np.zeros(1, np.uint32), 1_000_000_000, grid=1, block=1, stream=slow)
    alarm(0.3)
    heard, interrupted = heard_by(HOST.sync)
    assert interrupted == 1
    assert heard == ["kernel 'spin_and_fail'"]
    slow.sync()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_was_printed_cannot_be_written(monkeypatch):
    class Broken(io.StringIO):
        def write(self, text):
            raise BrokenPipeError("nobody reads")

    stream = HOST.create_stream()
    monkeypatch.setattr(sys, "stdout", Broken())
    D.launch(print_and_fail, np.zeros(1), grid=1, block=1, stream=stream)
    assert heard_by(stream.sync) == (["kernel 'print_and_fail'"], 0)
