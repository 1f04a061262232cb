"""Tests of the runtime on a real GPU. They run on the tests' driver too, where a program has put it
in the GPU's place (tests/gpu_report): what that driver cannot show is skipped there."""

import ctypes
import textwrap
import threading
import time

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core

from support.programs import environment, run_text
from support.targets import WAITS_FOR, available

WHERE = "cuda:0"
LONGEST = 20  # seconds that anything may take: what hangs is an error, not the end of the run


def _driver():
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


CUDA = _driver()
ON_FAKE = hasattr(CUDA, "fake_fail")
NOT_SUPPORTED = 801


def waits_for_a_gpu(why):
    """Marks what the tests' driver cannot show."""
    return pytest.mark.skipif(ON_FAKE, reason=f"waits for a real GPU: {why}")


@pytest.fixture(scope="module", autouse=True)
def gpu():
    """Skips where there is none; the thread's context is that of GPU 0."""
    if not available("cuda"):
        pytest.skip(f"waits for {WAITS_FOR['cuda']}")
    core.Device(0).set_current()


# --- kernels ---


@D.kernel
def affine(a, by, plus):
    i = D.tid(1)
    if i < a.size:
        a[i] = a[i] * by + plus


@D.kernel
def put(a, value):
    i = D.tid(1)
    if i < a.size:
        a[i] = value


def size_for(n):
    return {"grid": -(-n // 256), "block": 256}


# --- streams ---


def our_stream():
    """Ours, where core.Device(0) is cuda.core's object too."""
    return _core.create_stream(0)


def called(name, *arguments):
    """Calls a function of the driver; what it ends with."""
    return getattr(CUDA, name)(*arguments)


class Gate:
    """Streams wait in front of it until it is opened, by the driver's own means: for a word of
    memory. What is new to the GPU (code, memory) is to be there before: the driver may wait for
    all streams to get it there. It opens by itself where a test hangs."""

    def __init__(self):
        self.buffer = core.PinnedMemoryResource(0).allocate(256)
        self.word = np.frombuffer(self.buffer, np.uint32)[:1]
        self.word[0] = 0
        self.hung = False
        self.late = threading.Timer(LONGEST, self.give_up)
        self.late.daemon = True

    def close(self, *streams):
        for stream in streams:
            handle, at = ctypes.c_void_p(stream.handle), ctypes.c_uint64(self.buffer.handle)
            status = called("cuStreamWaitValue32_v2", handle, at, ctypes.c_uint32(1), 0)
            if status == NOT_SUPPORTED:
                pytest.skip("waits for a GPU whose streams wait for a word of memory")
            assert status == 0
        self.late.start()

    def open(self):
        self.word[0] = 1
        self.late.cancel()

    def give_up(self):
        self.hung = True
        self.word[0] = 1

    @property
    def opened(self):
        return bool(self.word[0])


@pytest.fixture
def gate():
    made = Gate()
    yield made
    made.open()
    _core.sync_device(0)
    assert not made.hung, "the test hung, until its gate opened by itself"


def settled(condition, seconds=LONGEST / 2):
    """Whether it comes to hold."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.001)
    return True


# --- memory that host and GPU see ---


def shared(n, dtype=np.int32, kind="pinned"):
    """(an array of zeros for launches, the same memory for NumPy)"""
    array = D.full(n, 0, dtype, device=WHERE, memory=kind)
    return array, np.from_dlpack(array, device="cpu")


# --- processes of their own ---

HEAD = """
import ctypes, os, sys
import numpy as np
from cuda import device as D
from cuda.device import _core, core
from support.on_gpu import ON_FAKE, WHERE, Gate, affine, our_stream, put

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())

def outcome(what):
    '''The error's class and text, in a line.'''
    try:
        what()
    except Exception as error:
        say(type(error).__name__, "|", str(error).replace("\\n", " / "))
    else:
        say("nothing")

def leave():
    '''Ends the process with what CUDA's driver has given to C's standard output, no more.'''
    ctypes.CDLL(None).fflush(None)
    os._exit(0)
"""


def child(folder, text, **variables):
    """Runs HEAD and the text in a process of its own; the subprocess.CompletedProcess."""
    env = environment(**variables)
    return run_text(folder, HEAD + textwrap.dedent(text), timeout=60, env=env)


def lines_of(done):
    """What it printed; it must have ended well."""
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout.splitlines()
