"""The stack of a GPU's threads whose functions call themselves. With the tests' own CUDA driver."""

import itertools
import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.fake_gpu import needs_fake

from support import fake_memory

pytestmark = needs_fake

PROGRAM = """
from cuda.device import _testing

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)

@D.func(inline="never")
def once(n):
    return n + 1

def deep(n):
    own = D.local_array(64, D.float64)
    for k in range(64):
        own[k] = n + k
    return own[n % 64] if n == 0 else own[n % 64] + deep(n - 1)

@D.kernel
def recursive(a, n):
    a[D.tid(1)] = depth(n)

@D.kernel
def deeper(a, n):
    a[D.tid(1)] = deep(n)

@D.kernel
def calls(a, n):
    a[D.tid(1)] = once(n)

def stacks(kernel, *more):
    notes()
    found = []
    out = np.zeros(8, np.float32)
    for one in (kernel, *more):
        with _testing.use_target("cuda"):
            found.append(outcome(lambda: D.launch(one, out, 3, grid=1, block=4)))
    asked = [int(line.split()[1]) for line in notes() if line.startswith("stack ")]
    return [asked, [None if e is None else e[1] for e in found]]
"""
PTX = {"CUDA_DEVICE_IMAGE": "ptx"}  # the driver assembles, and frames are estimated


def stacks(folder, kernels, **variables):
    return fake_memory.run(folder, f"{PROGRAM}\nanswer = stacks({kernels})", **variables)


def test_a_kernel_that_recurses_has_room_for_all_calls(tmp_path):
    (asked,), errors = stacks(tmp_path, "recursive, recursive", **PTX)
    assert errors == [None, None]
    assert asked % 1001 == 0
    assert 100 <= asked // 1001 <= 256


def test_a_larger_frame_asks_for_more_and_a_smaller_one_for_nothing(tmp_path):
    asked, _ = stacks(
        tmp_path, "recursive, deeper, recursive", **PTX, FAKE_CUDA_MOST_STACK="9999999"
    )
    assert len(asked) == 2
    assert asked[1] - asked[0] >= 1001 * 512


def test_functions_that_do_not_call_themselves_are_the_drivers(tmp_path):
    assert stacks(tmp_path, "calls", **PTX) == [[], [None]]


def test_a_gpu_without_room_gives_what_it_has(tmp_path):
    asked, errors = stacks(tmp_path, "recursive, recursive", **PTX, FAKE_CUDA_MOST_STACK="40000")
    assert errors == [None, None]
    assert len(asked) > 1
    assert all(b == a // 2 for a, b in itertools.pairwise(asked))
    assert asked[-1] <= 40000 < asked[-2]


@pytest.mark.parametrize(
    ("member", "doing"),
    [
        ("context_limit", "asking for the stack of threads"),
        ("context_set_limit", "making the stacks of threads larger"),
    ],
)
def test_other_errors_are_the_launchs(tmp_path, member, doing):
    asked, (error,) = stacks(tmp_path, "recursive", **PTX, FAKE_CUDA_FAIL=f"{member}:999")
    assert asked == []
    assert f"{doing}: CUDA_ERROR_UNKNOWN" in error


needs_ptxas = pytest.mark.skipif(not _testing.assembles(), reason="waits for ptxas")


@needs_ptxas
def test_a_cubin_tells_its_frame(tmp_path):
    """Of what ptxas says, before and after it is kept on disk."""
    kept = {"CUDA_DEVICE_CACHE": "on", "CUDA_DEVICE_CACHE_DIR": str(tmp_path)}
    first = stacks(tmp_path, "recursive", **kept)
    (asked,), _ = first
    assert 1001 * 8 <= asked < 1001 * 100
    assert stacks(tmp_path, "recursive", **kept) == first


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


@D.kernel
def recursive(a, n):
    a[D.tid(1)] = depth(n)


@needs_ptxas
def test_stats_tell_the_stack_of_calls():
    s = recursive.stats(np.zeros(8, np.int32), 3, target="sm_90", block=8)
    frame = s.call_stack_bytes // 1001
    assert s.call_stack_bytes == 1001 * frame
    assert 8 <= frame < 100
    (hint,) = (h for h in s.hints if "call themselves" in h)
    assert re.search(rf": {frame} bytes in each of 1000 calls", hint)
    assert recursive.stats(np.zeros(8, np.int32), 3, block=8).call_stack_bytes is None
