"""Programs of the guide for Dask and MPI, and the demo on a cluster."""

import subprocess
import sys
from pathlib import Path

from support.page_programs import check_programs
from support.programs import environment

from neighbours.packages import mpiexec, needs

DEMO = Path(__file__).resolve().parents[2] / "demo" / "gigapixel.py"


def test_dask(tmp_path):
    needs("dask.array", "distributed")
    check_programs("dask", [sys.executable], tmp_path)


def test_mpi(tmp_path):
    needs("mpi4py")
    check_programs("mpi", [mpiexec(), "-n", "2", sys.executable], tmp_path)


def test_an_image_in_pieces():
    needs("dask.array", "distributed")
    done = subprocess.run(
        [sys.executable, DEMO, "--small"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("all is right\n")
