"""CUDA's compiler and headers, where a machine has them."""

import os
import shutil
from pathlib import Path

_HOMES = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]


def find_nvcc():
    on_path = shutil.which("nvcc")
    folders = [Path(home) / "bin" / "nvcc" for home in _HOMES if home]
    return on_path or next((str(path) for path in folders if path.exists()), None)


def find_headers():
    """The folder of cuda_fp8.h and the like."""
    nvcc = find_nvcc()
    homes = [Path(home) for home in _HOMES if home]
    homes += [Path(nvcc).resolve().parents[1]] if nvcc else []
    folders = [home / "include" for home in homes]
    return next((str(path) for path in folders if (path / "cuda_fp8.h").exists()), None)
