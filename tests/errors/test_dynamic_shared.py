"""Launches without shared= of kernels that use dynamic_shared_array(): on the host the kernel would
end the process, so it is said before the launch, once for each specialisation."""

import os
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
from cuda import device as D
from cuda.device import core

TEXT = (
    "kernel '{}' uses dynamic_shared_array(), and this launch gives it no bytes: write shared=bytes "
    "in the launch, for example shared=256 * 4 for 256 elements of float32; shared=0 says that it "
    "needs none"
)


def a_kernel():
    """A new one, which no test has launched."""

    @D.kernel
    def k(a):
        s = D.dynamic_shared_array()
        a[0] = s.size
        if s.size:
            s[0] = 1
            a[1] = s[0]

    return k


def warned(*args, **options):
    """The texts of the warnings of a launch, and the lines that they name."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        D.launch(*args, grid=1, block=1, **options)
    assert all(w.category is RuntimeWarning and w.filename == __file__ for w in found)
    return [str(w.message) for w in found]


def test_without_shared(target):
    k, a = a_kernel(), np.ones(2)
    assert warned(k, a) == [TEXT.format("k")]
    assert a[0] == 0
    assert warned(k, a) == []
    assert warned(k, np.ones(2, np.float32)) == [TEXT.format("k")]


def test_with_shared(target):
    k, a = a_kernel(), np.ones(2)
    assert warned(k, a, shared=0) == []
    assert a[0] == 0
    assert warned(k, a, shared=4) == []
    assert a[0] == 4
    assert warned(k, a) == [TEXT.format("k")]


def test_on_a_stream():
    k, a = a_kernel(), np.ones(2)
    stream = core.Device("host").create_stream()
    assert warned(k, a, stream=stream) == [TEXT.format("k")]
    stream.sync()
    assert a[0] == 0


def test_a_warning_that_is_an_error_comes_before_the_launch():
    k, a = a_kernel(), np.ones(2)
    stream = core.Device("host").create_stream()
    for options in [{}, {}, {"stream": stream}]:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning) as raised:
                D.launch(k, a, grid=1, block=1, **options)
        assert str(raised.value) == TEXT.format("k")
    stream.sync()
    assert a.tolist() == [1, 1]
    assert warned(k, a) == [TEXT.format("k")]


@D.kernel
def of_none(a):
    s = D.shared_array(2, D.float32)
    s[0] = a[0]
    a[0] = s[0]


def test_other_kernels(target):
    assert warned(of_none, np.ones(2)) == []


PROGRAM = """
    import numpy as np
    from cuda import device
    from cuda.device import _core

    @device.kernel
    def touches(a):
        s = device.dynamic_shared_array().view(device.float32)
        s[device.thread_idx.x] = 1
        a[device.thread_idx.x] = s[device.thread_idx.x]

    print(_core.counters()["disk_hits"], flush=True)
    a = np.zeros(4)
    device.launch(touches, a, grid=1, block=4, shared=16)
    print(_core.counters()["disk_hits"], a.sum(), flush=True)
    device.launch(touches, a, grid=1, block=4)
"""


@pytest.mark.parametrize("hits", [0, 1])
def test_it_is_said_before_the_process_ends(tmp_path, hits):
    """Also by code from the disk."""
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    environment = dict(os.environ, CUDA_DEVICE_CACHE="on", CUDA_DEVICE_CACHE_DIR=str(tmp_path))
    environment["CUDA_DEVICE_VERIFY"] = ""
    # A sanitizer would end the process in a way of its own.
    environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
    for _ in range(hits + 1):
        run = subprocess.run(
            [sys.executable, program], capture_output=True, text=True, env=environment, check=False
        )
    assert run.stdout == f"0\n{hits} 4.0\n"
    assert run.returncode < 0
    assert run.stderr.splitlines()[0] == f"{program}:16: RuntimeWarning: {TEXT.format('touches')}"
