"""One process holds several compilers: each of them works, in whatever order they are imported."""

import importlib.util
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("neighbours_program.py")
NEIGHBOURS = ("numba", "torch", "jax")
ORDERS = list(itertools.permutations((*NEIGHBOURS, "cuda.device")))


def run_program(modules):
    # JAX finds no accelerator here and would say so on stderr.
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, str(PROGRAM), *modules]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def test_program_alone():
    done = run_program(["cuda.device"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["cuda.device"]


# Every second order of all 24: each module comes first, and last, several times.
@pytest.mark.parametrize("order", ORDERS[::2], ids="-".join)
def test_order_of_imports(order):
    missing = [name for name in NEIGHBOURS if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"waits for {', '.join(missing)} (make test-neighbours installs them)")
    done = run_program(order)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == list(order)
