"""What the environment says: how many threads launches take, beside the affinity mask; values that
are ignored."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import os
if {cpus}:
    os.sched_setaffinity(0, list(os.sched_getaffinity(0))[:{cpus}])
from cuda.device import _core
print(_core.thread_count())
"""


def threads(asked=None, cpus=0):
    """What a new process says, and what it warns of."""
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_DEVICE_NUM_THREADS"}
    if asked is not None:
        environment["CUDA_DEVICE_NUM_THREADS"] = asked
    program = [sys.executable, "-c", PROGRAM.format(cpus=cpus)]
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    return int(done.stdout), done.stderr


def test_no_more_than_the_affinity_mask():
    assert threads(cpus=1) == (1, "")
    count, _ = threads()
    assert 1 <= count <= len(os.sched_getaffinity(0))


@pytest.mark.parametrize("asked", ["1", "3", "4096"])
def test_the_number_of_threads_wanted(asked):
    assert threads(asked, cpus=1) == (int(asked), "")


def test_a_warning_shows_the_line_that_imports(tmp_path):
    """Whether the package is the first thing imported, or a module of it."""
    helper = tmp_path / "helper.py"
    helper.write_text("x = 1\nfrom cuda import device\n")
    for line in ("import cuda.device", "from cuda.device import core", "import helper"):
        program = tmp_path / "program.py"
        program.write_text(f"import os\n\n{line}\n")
        environment = {**os.environ, "CUDA_DEVICE_CACHE": "maybe"}
        command = [sys.executable, program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        where = f"{helper}:2" if "helper" in line else f"{program}:3"
        assert done.stderr.startswith(f"{where}: RuntimeWarning: CUDA_DEVICE_CACHE='maybe' is")


@pytest.mark.parametrize("asked", ["", "0", "-3", "abc", "2x", " 2", "4097", "\u0663"])
def test_what_is_no_number_of_threads(asked):
    count, warning = threads(asked, cpus=1)
    assert count == 1
    expected = f"CUDA_DEVICE_NUM_THREADS={asked!r} is ignored: a whole number from 1 to 4096"
    assert f"RuntimeWarning: {expected} was expected" in warning


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CUDA_DEVICE_CACHE", "0", "'on' or 'off'"),
        ("CUDA_DEVICE_CACHE", "OFF", "'on' or 'off'"),
        ("CUDA_DEVICE_CACHE_SIZE", "abc", "a number of bytes, or one followed by K, M or G"),
        ("CUDA_DEVICE_CACHE_SIZE", "1.5G", "a number of bytes, or one followed by K, M or G"),
        ("CUDA_DEVICE_CACHE", "on", None),
        ("CUDA_DEVICE_CACHE", "", None),
        ("CUDA_DEVICE_CACHE_SIZE", "2G", None),
        ("CUDA_DEVICE_CACHE_SIZE", "1000000", None),
    ],
)
def test_settings_of_the_cache(name, value, expected):
    program = [sys.executable, "-c", "import cuda.device"]
    environment = {**os.environ, name: value}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    if expected:
        assert f"{name}={value!r} is ignored: {expected} was expected" in done.stderr
    else:
        assert done.stderr == ""
