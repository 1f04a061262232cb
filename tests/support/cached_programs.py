"""Programs in processes of their own that use the cache on disk, and what became of it.

A program is Python text after HEAD. What it passes to report() comes back beside the counters of
its process and whether the compiler's library was mapped.
"""

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

HEAD = '''
import json, linecache, os, sys
import numpy as np
from cuda import device as D
from cuda.device import _testing

def report(**what):
    maps = open("/proc/self/maps").read()
    what["mapped"] = "libcuda_device_jit" in maps
    print(json.dumps(what | {"counters": _testing.counters()}), flush=True)

def disk(action):
    """What an action adds to the counters of the disk: (hits, misses, stores)."""
    before = _testing.counters()
    action()
    after = _testing.counters()
    return [after[n] - before[n] for n in ("disk_hits", "disk_misses", "disk_stores")]

count = 0
def kernel_from(text, name="kernel", file=None, **names):
    """A kernel that this process has not seen yet, from source that stands in no file."""
    global count
    count += 1
    file = file or f"<kernel {count}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"D": D, "np": np} | names
    exec(compile(text, file, "exec"), names)
    return names[name]

SAXPY = """
@D.kernel
def kernel(out, a, x):
    i = D.tid(1)
    if i < out.size:
        out[i] = a * x[i] + 1
"""
X = np.arange(1000, dtype=np.float32)

def run(kernel, a=2.0, x=X, block=256):
    out = np.zeros(x.shape, x.dtype)
    D.launch(kernel, out, a, x, grid=-(-x.size // block), block=block)
    return out

def right(out, a=2.0, x=X):
    return bool((out == a * x + 1).all())
'''

CACHE = ("CUDA_DEVICE_CACHE", "CUDA_DEVICE_CACHE_DIR", "CUDA_DEVICE_CACHE_SIZE", "XDG_CACHE_HOME")


def environment(**variables):
    """This process's, with no word about the cache but these; None takes a variable out."""
    env = {k: v for k, v in os.environ.items() if k not in (*CACHE, "CUDA_DEVICE_VERIFY")}
    return {k: str(v) for k, v in (env | variables).items() if v is not None}


@dataclass
class Ran:
    status: int
    out: str
    err: str
    reports: list = field(default_factory=list)

    @property
    def report(self):
        """The only one."""
        assert len(self.reports) == 1, self.out + self.err
        return self.reports[0]

    def disk(self):
        """(hits, misses, stores) of the process."""
        counters = self.report["counters"]
        return tuple(counters[name] for name in ("disk_hits", "disk_misses", "disk_stores"))


class Programs:
    """Runs programs with a cache in `folder`; other variables by name."""

    def __init__(self, tmp_path, **variables):
        self.tmp_path = tmp_path
        self.cache = tmp_path / "cache"
        self.variables = {"CUDA_DEVICE_CACHE_DIR": self.cache} | variables

    def start(self, text, file="program.py", options=(), command=(), **variables):
        path = self.tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(HEAD + textwrap.dedent(text))
        return subprocess.Popen(
            [*command, sys.executable, *options, str(path)],
            env=environment(**(self.variables | variables)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def command(self, *arguments, **variables):
        """python -m cuda.device, with these arguments: the subprocess.CompletedProcess."""
        return subprocess.run(
            [sys.executable, "-m", "cuda.device", *arguments],
            env=environment(**(self.variables | variables)),
            capture_output=True,
            text=True,
            check=False,
        )

    def end(self, process):
        out, err = process.communicate(timeout=240)
        reports = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        return Ran(process.returncode, out, err, reports)

    def run(self, text, **options):
        """Ends well and says nothing on stderr."""
        ran = self.end(self.start(text, **options))
        assert (ran.status, ran.err) == (0, ""), ran.out + ran.err
        return ran

    def entries(self):
        return sorted(self.cache.glob("*.kernel"))

    def files(self):
        return sorted(p.name for p in self.cache.iterdir()) if self.cache.exists() else []


def package_without(tmp_path, leave_out=(), change=None):
    """A package folder for PYTHONPATH like the one in use, but for some files.

    change: name of a file -> function of its bytes.
    """
    import cuda.device

    there = Path(cuda.device.__file__).parent
    here = tmp_path / "python" / "cuda" / "device"
    here.mkdir(parents=True)
    for path in there.iterdir():
        if path.name in leave_out or path.is_dir():
            continue
        if change and path.name in change:
            (here / path.name).write_bytes(change[path.name](path.read_bytes()))
        else:
            (here / path.name).symlink_to(path)
    return here.parent.parent
