"""os.fork and multiprocessing: in a child, launches, streams and kernels work as in a new process.

Each program ends within seconds or hangs for ever: a child that hangs is ended by its alarm.
"""

import subprocess
import sys
import textwrap

import pytest

HEAD = """
import os, signal, sys, threading, time
import multiprocessing
import numpy as np
from cuda import device as D
from cuda.device import core

@D.kernel
def spin(a, n):
    x = D.uint32(a[0])
    i = 0
    while i < n:
        x = x * 1664525 + 1013904223
        i += 1
    a[D.tid(1)] = x

@D.kernel
def add(a, value):
    i = D.tid(1)
    if i < a.size:
        a[i] += value

def launches(stream=None):
    a = np.zeros(10_000)
    options = {} if stream is None else {"stream": stream}
    D.launch(add, a, 1, grid=40, block=256, **options)
    D.launch(add, a, 2, grid=40, block=256, **options)
    if stream is not None:
        stream.sync()
    return bool((a == 3).all())

def in_child(check):
    '''What the check gives in a forked child; -14 where it hangs.'''
    pid = os.fork()
    if pid == 0:
        signal.alarm(30)
        try:
            os._exit(0 if check() else 1)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(2)
    status = os.waitpid(pid, 0)[1]
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

LONG = 2_000_000_000

def start_long(n=LONG, **options):
    D.launch(spin, np.ones(64, np.uint32), n, grid=8, block=8, **options)

start_long(1)
host = core.Device("host")
"""


def run_program(tmp_path, text, main=True):
    path = tmp_path / "program.py"
    body = textwrap.dedent(text)
    if main:
        body = "if __name__ == '__main__':\n" + textwrap.indent(body, "    ")
    path.write_text(HEAD + body)
    run = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=180, check=False
    )
    assert run.stderr == ""
    assert run.returncode == 0
    return run.stdout.split()


def test_while_another_thread_is_inside_a_launch(tmp_path):
    assert run_program(
        tmp_path,
        """
        thread = threading.Thread(target=start_long, args=(LONG // 4,), daemon=True)
        thread.start()
        time.sleep(0.1)
        print(in_child(lambda: launches() and launches(host.create_stream())), thread.is_alive())
        os._exit(os.EX_OK if not sys.stdout.flush() else 1)
        """,
    ) == ["0", "True"]


def test_with_streams_busy(tmp_path):
    """What was queued belongs to the parent: the child's streams are idle, their events done."""
    assert run_program(
        tmp_path,
        """
        stream = host.create_stream()
        queued = np.zeros(100)
        start_long(LONG // 40, stream=stream)
        D.launch(add, queued, 1, grid=1, block=128, stream=stream)
        event = stream.record()
        start_long(LONG // 40, stream=host.default_stream)

        def check():
            idle = stream.is_done and host.default_stream.is_done and event.is_done
            stream.sync(), event.sync(), host.sync()
            return idle and (queued == 0).all() and launches(stream) and launches()

        print(in_child(check), stream.is_done)
        stream.sync()
        print((queued == 1).all(), launches(), launches(stream))
        host.sync()
        """,
    ) == ["0", "False", "True", "True", "True"]


def test_while_another_thread_compiles(tmp_path):
    """The child finds every kernel compiled, or compiles it itself."""
    assert run_program(
        tmp_path,
        """
        def make(i):
            @D.kernel
            def kernel(a):
                a[D.tid(1)] = i
            return kernel
        kernels = [make(i) for i in range(400)]

        def launch(kernel, i):
            a = np.zeros(32)
            D.launch(kernel, a, grid=1, block=32)
            return bool((a == i).all())

        begun = []
        def compile_all():
            for i, kernel in enumerate(kernels):
                begun.append(i)
                launch(kernel, i)
        thread = threading.Thread(target=compile_all, daemon=True)
        thread.start()
        results = []
        while len(results) < 20:
            at = len(begun)
            near = range(max(0, at - 2), min(at + 3, len(kernels)))
            results.append(in_child(lambda: all(launch(kernels[i], i) for i in near)))
            time.sleep(0.005)
        print(results.count(0))
        sys.stdout.flush()
        os._exit(0)
        """,
    ) == ["20"]


def test_while_another_thread_reads_a_kernels_source(tmp_path):
    """A kernel's source is read under a lock, with Python code of the user in between."""
    assert run_program(
        tmp_path,
        """
        import types
        reading, go_on = threading.Event(), threading.Event()

        class Slow(types.ModuleType):
            def __getattr__(self, name):
                if name != "value":
                    raise AttributeError(name)
                if threading.current_thread() is not threading.main_thread():
                    reading.set()
                    go_on.wait(60)
                return 3
        slow = Slow("slow")

        @D.kernel
        def kernel(a):
            a[0] = slow.value

        def launch():
            a = np.zeros(1)
            D.launch(kernel, a, grid=1, block=1)
            return a[0] == 3
        thread = threading.Thread(target=launch, daemon=True)
        thread.start()
        assert reading.wait(60)
        print(in_child(launch))
        go_on.set()
        thread.join()
        """,
    ) == ["0"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(tmp_path, method):
    """A pool of processes, with work queued in the parent before and after."""
    assert (
        run_program(
            tmp_path,
            f"""
        def work(i):
            signal.alarm(60)
            stream = host.create_stream()
            return launches() and launches(stream) and launches(host.default_stream)

        if __name__ == "__main__":
            context = multiprocessing.get_context({method!r})
            stream = host.create_stream()
            before = np.zeros(100)
            start_long(LONG // 100, stream=stream)
            D.launch(add, before, 1, grid=1, block=128, stream=stream)
            with context.Pool(3) as pool:
                after = np.zeros(100)
                D.launch(add, after, 1, grid=1, block=128, stream=stream)
                print(*pool.map(work, range(6)))
            stream.sync()
            print((before == 1).all(), (after == 1).all(), launches())
        """,
            main=False,
        )
        == ["True"] * 9
    )


def test_what_threads_of_the_parent_held_is_no_leak_of_the_child(tmp_path):
    """A child that ends as programs do: their frames stay there for ever."""
    assert run_program(
        tmp_path,
        """
        held = threading.Event()

        def hold_a_stream():
            stream = host.create_stream()
            held.set()
            time.sleep(60)

        threading.Thread(target=hold_a_stream, daemon=True).start()
        held.wait()
        pid = os.fork()
        if pid == 0:
            signal.alarm(30)
            sys.exit(0 if launches() else 1)
        print(os.waitpid(pid, 0)[1])
        """,
    ) == ["0"]
