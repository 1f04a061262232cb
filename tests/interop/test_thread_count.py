"""How many threads launches take: what the environment and the affinity mask say."""

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
def test_what_is_asked_for(asked):
    assert threads(asked, cpus=1) == (int(asked), "")


@pytest.mark.parametrize("asked", ["", "0", "-3", "abc", "2x", " 2", "4097", "\u0663"])
def test_what_is_no_number_of_threads(asked):
    count, warning = threads(asked, cpus=1)
    assert count == 1
    expected = f"CUDA_DEVICE_NUM_THREADS={asked!r} is ignored: a whole number from 1 to 4096"
    assert f"RuntimeWarning: {expected} was expected" in warning
