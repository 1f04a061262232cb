"""CUDA's compiler and headers, where a machine has them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

_HOMES = [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", ""), "/usr/local/cuda"]


def find_nvcc():
    on_path = shutil.which("nvcc")
    folders = [Path(home) / "bin" / "nvcc" for home in _HOMES if home]
    return on_path or next((str(path) for path in folders if path.exists()), None)


def nvcc(*arguments):
    """Runs it: the subprocess.CompletedProcess. What is loaded into this process, such as a
    sanitizer, is not for nvcc's programs."""
    own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = [find_nvcc(), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=own)


def ptx_by_nvcc(source, architecture, folder):
    """What nvcc makes of this source: the PTX of each kernel, by its name."""
    path = folder / "kernels.cu"
    path.write_text(source)
    done = nvcc("-std=c++17", "-O3", "-ptx", f"-arch={architecture}", "-o", "-", path)
    assert done.returncode == 0, done.stderr
    entries = re.finditer(r"\.entry (\w+)\((.*?)\n}\n", done.stdout, re.DOTALL)
    return {entry.group(1): entry.group(2) for entry in entries}


def find_headers():
    """The folder of cuda_fp8.h and the like."""
    found = find_nvcc()
    homes = [Path(home) for home in _HOMES if home]
    homes += [Path(found).resolve().parents[1]] if found else []
    folders = [home / "include" for home in homes]
    return next((str(path) for path in folders if (path / "cuda_fp8.h").exists()), None)
