"""Packages that the tests of this folder work with, and that the development environment lacks."""

import shutil
import sys
from pathlib import Path

import pytest


def needs(*names):
    """The modules; what lacks one is skipped, naming it."""
    found = [
        pytest.importorskip(name, reason=f"waits for {name} (make neighbours installs it)")
        for name in names
    ]
    return found[0] if len(found) == 1 else found


def mpiexec():
    """The program that starts the ranks."""
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.exists() else shutil.which("mpiexec")
    return found or pytest.skip("waits for mpiexec (make neighbours installs mpich)")
