"""The twins of the benchmark's kernels in CUDA C++ (cuda/), and nvcc, which compiles them."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def find_nvcc():
    """Its path, or None."""
    roots = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    folders = [os.environ.get("PATH", ""), *(f"{root}/bin" for root in roots)]
    return shutil.which("nvcc", path=os.pathsep.join([*folders, "/usr/local/cuda/bin"]))


def source(problem):
    return HERE / "cuda" / f"{problem.kernel}.cu"


def defines(problem):
    """The block that the benchmark launches it with, as options of a compiler."""
    extents = dict(zip("XYZ", (*problem.block, 1, 1), strict=False))
    return [f"-DBLOCK_{axis}={extent}" for axis, extent in extents.items()]


def compiled(problem, sm, nvcc, form):
    """The twin by `nvcc -O3`, as bytes. form: "ptx" or "cubin". CalledProcessError where it is
    refused."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "kernel"
        options = ["-O3", f"-arch=sm_{sm}", "-std=c++17", *defines(problem), f"-{form}"]
        command = [nvcc, *options, "-o", out, source(problem)]
        # What is loaded into this process, such as a sanitizer, is not for nvcc's programs.
        own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        subprocess.run(command, capture_output=True, text=True, check=True, env=own)
        return out.read_bytes()
