"""What the figures depend on, in a line; and the options that all parts take."""

import argparse
import contextlib
import os
import platform
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = ("cuda-device-simt", "numpy", "torch", "numba-cuda", "cuda-core", "cuda-bindings")
OF_CUPY = ("cupy-cuda13x", "cupy-cuda12x", "cupy")  # under whichever name it is here


def options(about, argv, more=()):
    """The arguments of a part; more: (name, keywords of add_argument)."""
    p = argparse.ArgumentParser(description=about.splitlines()[0])
    p.add_argument("--out", type=Path, required=True, help="folder of the report")
    p.add_argument("--quick", action="store_true", help="small sizes: a smoke test")
    for name, keywords in more:
        p.add_argument(name, **keywords)
    return p.parse_args(argv)


def gpu():
    """The GPU and its driver, as nvidia-smi names them."""
    tool = shutil.which("nvidia-smi")
    if not tool:
        return "no nvidia-smi"
    fields = "--query-gpu=name,driver_version,memory.total"
    done = subprocess.run([tool, fields, "--format=csv,noheader"], capture_output=True, text=True)
    return done.stdout.strip().replace("\n", "; ") or "nvidia-smi names no GPU"


def versions():
    for name in (*PACKAGES, *OF_CUPY):
        with contextlib.suppress(metadata.PackageNotFoundError):
            yield f"{name} {metadata.version(name)}"


def line():
    cpus = len(os.sched_getaffinity(0))
    found = ", ".join(versions())
    return f"{gpu()}; {cpus} CPUs; Python {platform.python_version()}; {found}."
