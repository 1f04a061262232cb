"""mpi4py: ranks exchange rows from the memory of kernels, of HostArrays and of Arrays."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.fake_gpu import FAKE, fake_environment
from support.programs import environment

from neighbours.packages import mpiexec, needs

needs("mpi4py")
PROGRAM = Path(__file__).with_name("heat_program.py")


def heat_in_numpy(steps):
    y, x = np.mgrid[0:64, 0:48]
    a = np.pad(100.0 * ((y - 20) ** 2 + (x - 30) ** 2 < 80), ((1, 1), (0, 0)))
    for _ in range(steps):
        b = a.copy()
        around = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
        b[1:-1, 1:-1] = a[1:-1, 1:-1] + 0.2 * (around - 4 * a[1:-1, 1:-1])
        a = b
    return a[1:-1]


def check_heat(folder, ranks, steps, kind, variables):
    file = folder / "heat.npy"
    program = [sys.executable, str(PROGRAM), str(steps), str(file), kind]
    command = [mpiexec(), "-n", str(ranks), *program]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"ranks {ranks}\n"
    assert np.allclose(np.load(file), heat_in_numpy(steps), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("ranks", [1, 2])
def test_heat_with_exchanged_rows(ranks, tmp_path):
    check_heat(tmp_path, ranks, 60, "host", environment())


@pytest.mark.parametrize("memory", ["device", "pinned", "managed"])
def test_heat_with_rows_exchanged_between_gpus(memory, tmp_path):
    """The tests' GPU, whose memory any MPI reaches, as one that knows CUDA does."""
    if not (FAKE / "libcuda.so.1").exists():
        pytest.skip("the tests' driver waits for a build tree")
    check_heat(tmp_path, 2, 6, memory, fake_environment())
