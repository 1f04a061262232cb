"""What a launch leaves as it was found, and processes that are no plain ones."""

import ctypes
import ctypes.util
import signal
import struct
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from support.programs import run_program


@D.kernel
def divide(out, a, b):
    i = D.tid(1)
    if i < out.size:
        out[i] = a[i] / b[i]


@D.kernel
def spin(a, n):
    x = D.uint32(a[0])
    i = 0
    while i < n:
        x = x * 1664525 + 1013904223
        i += 1
    a[D.tid(1)] = x


def launch_divide(grid, **options):
    """Thirds and a quotient that only a denormal can hold, with traps of IEEE 754 on the way."""
    out, a, b = (np.full(grid * 32, v, np.float32) for v in (0, 1, 3))
    a[0], b[0] = 1e-38, 16
    a[1], b[1] = 1, 0
    a[2], b[2] = 0, 0
    D.launch(divide, out, a, b, grid=grid, block=32, **options)
    return out


def check_quotients(out):
    assert out[0] == np.float32(1e-38) / np.float32(16) != 0  # not flushed
    assert out[1] == np.inf
    assert np.isnan(out[2])
    assert (out[3:] == np.float32(1) / np.float32(3)).all()  # to nearest


# --- the state of the floating-point unit ---

libm = ctypes.CDLL(ctypes.util.find_library("m"))
MXCSR = 28  # offset in glibc's fenv_t of x86-64
UPWARD, FLUSH, DENORMALS_ARE_ZERO, DIVISION_TRAPS = 0x4000, 0x8000, 0x40, 0x200


def mxcsr():
    state = ctypes.create_string_buffer(32)
    libm.fegetenv(state)
    return struct.unpack_from("<I", state.raw, MXCSR)[0]


def set_mxcsr(value):
    state = ctypes.create_string_buffer(32)
    libm.fegetenv(state)
    struct.pack_into("<I", state, MXCSR, value)
    libm.fesetenv(state)


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(libm, "fegetenv"), reason="waits for Linux with glibc"
)
@pytest.mark.parametrize("grid", [1, 500])
@pytest.mark.parametrize(
    "state",
    [UPWARD, FLUSH | DENORMALS_ARE_ZERO, DIVISION_TRAPS],
    ids=["upward", "flush", "traps"],
)
def test_mxcsr_is_left_as_found_and_does_not_matter(grid, state):
    check_quotients(launch_divide(grid))  # compiled, and the arrays' own work is done before
    out, a, b = (np.full(grid * 32, v, np.float32) for v in (0, 1, 3))
    a[0], b[0] = 1e-38, 16
    a[1], b[1] = 1, 0
    a[2], b[2] = 0, 0
    before = mxcsr()
    # A set bit of a trap's mask keeps it quiet: the trap of a division by zero is its absence.
    wanted = (before & ~0x3F) & ~DIVISION_TRAPS if state == DIVISION_TRAPS else before | state
    set_mxcsr(wanted)
    try:
        D.launch(divide, out, a, b, grid=grid, block=32)
        after = mxcsr()
    finally:
        set_mxcsr(before)
    assert after == wanted
    check_quotients(out)


@D.kernel
def endless(a, rounds):
    """Some seconds a round."""
    x = D.uint32(1)
    i = 0
    while i < rounds:
        j = 0
        while j < 2_000_000_000:
            x = x * 1664525 + 1013904223
            j += 1
        i += 1
    a[0] = x


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(libm, "fegetenv"), reason="waits for Linux with glibc"
)
def test_mxcsr_is_left_as_found_by_a_launch_that_is_given_up():
    class Late(Exception):
        pass

    def give_up(*_):
        raise Late

    a = np.zeros(1, np.uint32)
    D.launch(endless, a, 0, grid=1, block=1)
    before, handler = mxcsr(), signal.signal(signal.SIGALRM, give_up)
    try:
        set_mxcsr(before | UPWARD)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Late):
            D.launch(endless, a, 1_000_000, grid=1, block=1)
        after = mxcsr()
    finally:
        set_mxcsr(before)
        signal.signal(signal.SIGALRM, handler)
    assert after == before | UPWARD
    check_quotients(launch_divide(500))


# --- signal masks ---


def outcome_of(tmp_path, text):
    run = run_program(tmp_path, text)
    return run.returncode, run.stdout, run.stderr


def test_signal_masks_are_left_as_found(tmp_path):
    """The launching thread's is what it was; workers, which come with the first launch, block all
    signals, so that handlers run where the program expects them."""
    found = outcome_of(
        tmp_path,
        """
        import glob, os, signal
        @D.kernel
        def f(a):
            a[D.tid(1)] = 1
        def threads():
            return set(glob.glob("/proc/self/task/*"))
        def blocked(thread):
            for line in open(thread + "/status"):
                if line.startswith("SigBlk:"):
                    return int(line.split()[1], 16)
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1, signal.SIGALRM])
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
        before = threads()
        D.launch(f, np.zeros(3200), grid=100, block=32)
        D.launch(f, np.zeros(3200), grid=100, block=32, stream=core.Device("host").create_stream())
        print(signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask)
        own = 1 << (signal.SIGINT - 1) | 1 << (signal.SIGTERM - 1) | 1 << (signal.SIGUSR2 - 1)
        new = threads() - before
        print(len(new) >= _core.thread_count() - 1)
        print(all(blocked(t) & own == own for t in new))
        """,
    )
    assert found == (0, "True\nTrue\nTrue\n", "")


# --- threads that end ---


@pytest.mark.parametrize("how", ["return", "raise", "exit"])
def test_work_of_a_thread_that_has_ended_goes_on(how):
    a, before, after = np.ones(8, np.uint32), np.zeros(32, np.float32), threading.active_count()
    streams = []

    def work():
        stream = core.Device("host").create_stream()
        streams.append(stream)
        D.launch(spin, a, 20_000_000, grid=1, block=8, stream=stream)
        ones = np.ones(32, np.float32)
        D.launch(divide, before, ones, ones, grid=1, block=32, stream=stream)
        if how == "raise":
            raise RuntimeError("this thread dies")
        if how == "exit":
            sys.exit(3)

    hook, threading.excepthook = threading.excepthook, lambda _: None
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.excepthook = hook
    assert threading.active_count() == after
    streams[0].sync()
    assert (before == 1).all()
    assert (a != 1).all()
    check_quotients(launch_divide(4))


def test_many_threads_that_come_and_go():
    """Each launches on its own stack and memory, which go with it."""

    def work():
        check_quotients(launch_divide(3))

    for _ in range(50):
        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


NEVER_DONE = 2_000_000_000

IN_BACKGROUND = """
import os, signal, threading, time

def background(work):
    threading.Thread(target=work, daemon=True).start()

def interrupt_after(seconds):
    def interrupt():
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGINT)
    background(interrupt)

D.launch(spin, np.ones(1, np.uint32), 1, grid=1, block=1)
"""


def outcome_with_threads(tmp_path, text):
    """The end of a program whose daemon threads go on when it ends."""
    return outcome_of(tmp_path, IN_BACKGROUND + textwrap.dedent(text))


@pytest.mark.parametrize(
    ("how", "steps"),
    [("waits", steps) for steps in (1000, 1_000_000, 20_000_000, NEVER_DONE)]
    + [("queues", steps) for steps in (1000, 1_000_000, 10_000_000)],
)
def test_a_process_may_end_while_threads_launch(tmp_path, how, steps):
    """What they wait for by themselves is not waited for, nor what they queue from then on."""
    found = outcome_with_threads(
        tmp_path,
        f"""
        def forever():
            options = {{}}
            if {how == "queues"}:
                options["stream"] = core.Device("host").create_stream()
            while True:
                D.launch(spin, np.ones(1, np.uint32), {steps}, grid=4, block=1, **options)
                if options:
                    options["stream"].sync()
        for _ in range(3):
            background(forever)
        time.sleep(0.1)
        print("end")
        """,
    )
    assert found == (0, "end\n", "")


def test_a_thread_in_machine_code_leaves_an_ended_python_alone(tmp_path):
    """It is in there when Python is gone, for a while that the C library gives it."""
    found = outcome_with_threads(
        tmp_path,
        f"""
        import ctypes
        libc = ctypes.CDLL(None)
        libc.__cxa_atexit(libc.usleep, ctypes.c_void_p(300_000), None)
        def forever():
            D.launch(spin, np.ones(1, np.uint32), {NEVER_DONE}, grid=100, block=1)
        background(forever)
        time.sleep(0.1)
        stream = core.Device("host").create_stream()
        D.launch(spin, np.ones(1, np.uint32), {NEVER_DONE}, grid=100, block=1, stream=stream)
        interrupt_after(0.2)
        print("end")
        """,
    )
    assert found[:2] == (0, "end\n")
    assert "KeyboardInterrupt" in found[2]


def test_a_device_is_waited_for_while_other_threads_go_on_launching(tmp_path):
    found = outcome_with_threads(
        tmp_path,
        """
        def forever():
            while True:
                D.launch(spin, np.ones(8, np.uint32), 5_000_000, grid=8, block=1)
        for _ in range(3):
            background(forever)
        time.sleep(0.1)
        core.Device("host").sync()
        core.Device("host").default_stream.sync()
        print("end")
        """,
    )
    assert found == (0, "end\n", "")


def test_objects_of_a_thread_that_is_left_are_no_leak(tmp_path):
    found = outcome_with_threads(
        tmp_path,
        """
        def hold():
            stream = core.Device("host").create_stream()
            event = stream.record()
            time.sleep(60)
        background(hold)
        time.sleep(0.1)
        print("end")
        """,
    )
    assert found == (0, "end\n", "")


def test_a_process_says_what_it_waits_for(tmp_path):
    found = outcome_with_threads(
        tmp_path,
        f"""
        stream = core.Device("host").create_stream()
        D.launch(spin, np.ones(1, np.uint32), {NEVER_DONE}, grid=100, block=1, stream=stream)
        interrupt_after(3)
        """,
    )
    assert found[0] == 0
    said, *rest = found[2].splitlines()
    assert said == (
        "cuda.device: the process ends when the work that is queued is done; Ctrl-C ends it now"
    )
    assert rest[-1] == "KeyboardInterrupt: "


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_process_may_be_ended_with_work_queued(tmp_path, number):
    found = outcome_of(
        tmp_path,
        f"""
        import os
        stream = core.Device("host").create_stream()
        for _ in range(100):
            D.launch(spin, np.ones(1, np.uint32), 2_000_000_000, grid=1, block=1, stream=stream)
        print("ended", flush=True)
        os.kill(os.getpid(), {number})
        import time
        time.sleep(60)
        """,
    )
    assert found == (-number, "ended\n", "")


# --- interpreters ---


def sub_interpreters():
    """How this Python makes them -> what an import says there.

    Python 3.12 and later have isolated ones, with a GIL each, and refuse a module there that does
    not say that it can do with them, before the module runs. In all others the module runs, and
    refuses by itself.
    """
    ours = (
        "cuda.device cannot be used in a sub-interpreter; use the main interpreter, or processes"
        " (multiprocessing)"
    )
    pythons = "module cuda.device._core does not support loading in subinterpreters"
    if sys.version_info < (3, 12):
        return {"create()": ours}
    shared = "create(isolated=False)" if sys.version_info < (3, 13) else "create('legacy')"
    return {"create()": pythons, shared: ours}


SUB_INTERPRETERS = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
def attempt():
    inside = interpreters.CREATE
    try:
        result = interpreters.run_string(inside, "import cuda.device")
        return str(getattr(result, "formatted", result))
    except Exception as error:
        return str(error)
"""


def refused(refusal):
    """A refusal as attempt() gives it."""
    raised = "ImportError" if sys.version_info >= (3, 13) else "<class 'ImportError'>"
    return f"{raised}: {refusal}"


@pytest.mark.parametrize(("create", "refusal"), sub_interpreters().items())
def test_sub_interpreters_are_refused(tmp_path, create, refusal):
    """After the main interpreter has it, which goes on."""
    code, out, error = outcome_of(
        tmp_path,
        SUB_INTERPRETERS.replace("CREATE", create)
        + textwrap.dedent(
            """
            @D.kernel
            def f(a):
                a[0] = 1
            for _ in range(2):
                print(attempt())
                a = np.zeros(1)
                D.launch(f, a, grid=1, block=1)
                print(a[0])
            """
        ),
    )
    assert (code, error) == (0, "")
    assert out.splitlines() == 2 * [refused(refusal), "1.0"]


@pytest.mark.parametrize(("create", "refusal"), sub_interpreters().items())
def test_a_sub_interpreter_that_comes_first_is_refused(tmp_path, create, refusal):
    path = tmp_path / "program.py"
    path.write_text(
        SUB_INTERPRETERS.replace("CREATE", create)
        + "print(attempt())\nfrom cuda import device\nprint(device.launch)\n"
    )
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [refused(refusal), "<built-in function launch>"]


def test_without_the_gil_it_is_refused(tmp_path):
    """A free-threaded Python takes the GIL for modules like this one, unless it is told not to
    (PYTHON_GIL=0). Here that Python is played."""
    path = tmp_path / "program.py"
    path.write_text(
        "import sys\nsys._is_gil_enabled = lambda: False\n"
        "try:\n    import cuda.device\nexcept ImportError as e:\n    print(e)\n"
    )
    run = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert run.stdout == "cuda.device needs Python's GIL: leave out PYTHON_GIL=0 and -X gil=0\n"
