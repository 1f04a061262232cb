"""Lanes that leave loops at different times give what threads do, or say that they cannot."""

import collections
import os

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.sources import executed
from support.targets import require, use_target

from .exit_programs import generate_exits

PROGRAMS = 20_000 if os.environ.get("CUDA_DEVICE_LONG_TESTS") else 200


def outcome(kernel, seed, target):
    """What each thread has at the end, or what the launch ended with."""
    a = np.random.default_rng(seed).integers(0, 7, 64).astype(np.int32)
    out = np.full(32, -1, np.int32)
    try:
        with use_target(target):
            D.launch(kernel, a, 2, out, grid=1, block=32)
    except NotImplementedError:
        return "refused"
    except errors.KernelError as error:
        return "deadlock" if "wait for each other" in str(error) else str(error)
    return out.tolist()


@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_lanes_that_leave_loops(form):
    require(form)
    ends = collections.Counter()
    for seed in range(PROGRAMS):
        source = generate_exits(seed)
        kernel = executed(source)["kernel"]
        right, found = (outcome(kernel, seed, t) for t in ("interpreter", form))
        assert found in (right, "refused"), f"seed {seed}: {found}, not {right}\n{source}"
        ends[found if isinstance(found, str) else "result"] += 1
    assert ends["result"] > PROGRAMS // 2, ends
