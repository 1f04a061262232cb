"""CUDA_DEVICE_PERF=map: kernels by name and line, where perf looks for them."""

import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import os, re, sys
import numpy as np
from cuda import device as D

@D.kernel
def vec_add(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] = a[i] + b[i]

def launch(dtype):
    D.launch(vec_add, np.ones(100, dtype), np.ones(100, dtype), grid=1, block=128)

def entries(pid):
    try:
        with open(f"/tmp/perf-{pid}.map") as file:
            return [line.rstrip("\\n").split(" ", 2) for line in file]
    except FileNotFoundError:
        return []

def executable(begin, size):
    '''Whether the bytes lie in one mapping that may be executed.'''
    for line in open("/proc/self/maps"):
        low, high, rights = re.match(r"(\\w+)-(\\w+) (\\S+)", line).groups()
        if int(low, 16) <= begin and begin + size <= int(high, 16):
            return "x" in rights
    return False

FILE = os.path.abspath(__file__)
LINE = vec_add.underlying.__code__.co_firstlineno + 1  # after the decorator
"""


def run(tmp_path, text, perf="map", head="", **environment):
    path = tmp_path / "program.py"
    path.write_text(head + PROGRAM + textwrap.dedent(text))
    process = subprocess.Popen(
        [sys.executable, path],
        env={**os.environ, "CUDA_DEVICE_PERF": perf, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    out, error = process.communicate(timeout=180)
    assert process.returncode == 0, error
    if os.path.exists(f"/tmp/perf-{process.pid}.map"):
        os.remove(f"/tmp/perf-{process.pid}.map")
    return out.split("\n")[:-1], error


def test_each_specialisation_has_an_entry(tmp_path):
    lines, error = run(
        tmp_path,
        """
        launch(np.float32), launch(np.float32), launch(np.float64)
        found = entries(os.getpid())
        print(len(found), len({begin for begin, _, _ in found}))
        for begin, size, name in found:
            print(int(size, 16) > 0 and executable(int(begin, 16), int(size, 16)))
            print(name == f"vec_add [{FILE}:{LINE}]")
        """,
    )
    assert lines == ["2 2", "True", "True", "True", "True"]
    assert error == ""


def test_kernels_of_the_cache_on_disk_have_the_line_of_this_program(tmp_path):
    """Another file with the same kernel, three lines further down."""
    cache = {"CUDA_DEVICE_CACHE": "on", "CUDA_DEVICE_CACHE_DIR": str(tmp_path / "cache")}
    cache["CUDA_DEVICE_VERIFY"] = ""
    text = """
    from cuda.device import _core
    launch(np.float32)
    ((_, _, name),) = entries(os.getpid())
    print(_core.counters()["disk_hits"], name == f"vec_add [{FILE}:{LINE}]", LINE)
    """
    first, _ = run(tmp_path, text, **cache)
    (tmp_path / "moved").mkdir()
    second, _ = run(tmp_path / "moved", text, head="\n\n\n", **cache)
    line = int(first[0].split()[-1])
    assert first == [f"0 True {line}"]
    assert second == [f"1 True {line + 3}"]


def test_a_forked_child_has_its_own(tmp_path):
    lines, _ = run(
        tmp_path,
        """
        launch(np.float32)
        pid = os.fork()
        if pid == 0:
            launch(np.float64)
            os._exit(0)
        os.waitpid(pid, 0)
        own, childs = entries(os.getpid()), entries(pid)
        os.remove(f"/tmp/perf-{pid}.map")
        print(len(own), len(childs), childs[0] == own[0])
        """,
    )
    assert lines == ["1 2 True"]


@pytest.mark.parametrize("perf", ["", "0"])
def test_nothing_unless_asked(tmp_path, perf):
    lines, error = run(tmp_path, "launch(np.float32)\nprint(entries(os.getpid()))", perf)
    assert lines == ["[]"]
    assert error == ""


def test_another_value_is_named_once(tmp_path):
    lines, error = run(
        tmp_path, "launch(np.float32), launch(np.int32)\nprint(entries(os.getpid()))", "jitdump"
    )
    assert lines == ["[]"]
    assert error == "cuda.device: CUDA_DEVICE_PERF=jitdump is not known; it can be map\n"


def test_a_file_that_is_not_ours_is_left_alone(tmp_path):
    """A link that somebody else laid there is not followed."""
    target = tmp_path / "target"
    target.write_text("keep\n")
    run(
        tmp_path,
        f"""
        os.symlink({str(target)!r}, f"/tmp/perf-{{os.getpid()}}.map")
        launch(np.float32)
        os.remove(f"/tmp/perf-{{os.getpid()}}.map")
        """,
    )
    assert target.read_text() == "keep\n"
