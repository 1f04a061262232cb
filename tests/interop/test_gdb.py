"""CUDA_DEVICE_GDB=1: compiled kernels with their lines, by GDB's JIT interface."""

import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import ctypes, gc, hashlib, os, re, struct, sys
import numpy as np
from cuda import device as D
from cuda.device import _core

@D.func
def scaled(x):
    return D.float32(x * 3)

@D.kernel
def vec_add(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] = a[i] + b[i]

@D.kernel
def mixture(a, n):
    tile = D.shared_array(64, D.float32)
    t = D.thread_idx.x
    v = a[t]
    tile[t] = scaled(v)
    D.syncthreads()
    k = 0
    while k < n and v < 1000:
        v = v * 2 + tile[63 - t]
        if v < 0:
            k += 2
        k += 1
    a[t] = v / 7

def launch(dtype=np.float32):
    D.launch(vec_add, np.ones(100, dtype), np.ones(100, dtype), grid=1, block=128)

class Entry(ctypes.Structure):
    pass
Entry._fields_ = [("next", ctypes.POINTER(Entry)), ("previous", ctypes.POINTER(Entry)),
                  ("object", ctypes.c_void_p), ("size", ctypes.c_uint64)]

class Descriptor(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("action", ctypes.c_uint32),
                ("relevant", ctypes.POINTER(Entry)), ("first", ctypes.POINTER(Entry))]

def descriptor():
    path = os.path.join(os.path.dirname(_core.__file__), "libcuda_device_rt.so")
    return Descriptor.in_dll(ctypes.CDLL(path), "__jit_debug_descriptor")

def objects():
    d, found = descriptor(), []
    assert d.version == 1 and d.action == 0
    at, previous = d.first, None
    while at:
        entry = at.contents
        assert (ctypes.addressof(entry.previous.contents) if entry.previous else None) == previous
        found.append(ctypes.string_at(entry.object, entry.size))
        previous = ctypes.addressof(entry)
        at = entry.next
    return found

def sections(elf):
    assert elf[:4] == b"\\x7fELF"
    at, = struct.unpack_from("<Q", elf, 40)
    count, names = struct.unpack_from("<HH", elf, 60)
    rows = [struct.unpack_from("<IIQQQQIIQQ", elf, at + 64 * i) for i in range(count)]
    start = rows[names][4]
    return [(elf[start + r[0]:].split(b"\\0")[0].decode(), r) for r in rows]

def functions(elf):
    '''(name, address, size)'''
    all = sections(elf)
    symbols, = (r for n, r in all if r[1] == 2)
    strings = all[symbols[6]][1][4]
    found = []
    for i in range(symbols[5] // 24):
        row = struct.unpack_from("<IBBHQQ", elf, symbols[4] + 24 * i)
        if row[1] & 15 == 2:
            name = elf[strings + row[0]:].split(b"\\0")[0].decode()
            found.append((name, all[row[3]][1][3] + row[4], row[5]))
    return found

def executable(begin, size):
    for line in open("/proc/self/maps"):
        low, high, rights = re.match(r"(\\w+)-(\\w+) (\\S+)", line).groups()
        if int(low, 16) <= begin and begin + size <= int(high, 16):
            return "x" in rights
    return False
"""


def run(tmp_path, text, gdb="1"):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + textwrap.dedent(text))
    process = subprocess.run(
        [sys.executable, path],
        env={**os.environ, "CUDA_DEVICE_GDB": gdb},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert process.stderr == ""
    assert process.returncode == 0
    return process.stdout.splitlines()


def line_of(text):
    (found,) = (i for i, line in enumerate(PROGRAM.splitlines(), 1) if line.strip() == text)
    return found


def test_symbols_lie_where_the_code_is(tmp_path):
    assert (
        run(
            tmp_path,
            """
        launch(), launch(np.float64)
        for elf in objects():
            (name, address, size), = functions(elf)
            print(name, size > 0 and executable(address, size))
        """,
        )
        == ["vec_add True"] * 2
    )


def test_the_list_follows_the_kernels(tmp_path):
    assert run(
        tmp_path,
        """
        launch(), launch(np.float64), launch(np.int32)
        D.launch(mixture, np.ones(64, np.float32), 3, grid=1, block=64)
        print(*(functions(o)[0][0] for o in objects()))
        del vec_add
        gc.collect()
        print(*(functions(o)[0][0] for o in objects()))
        D.launch(mixture, np.ones(64, np.float64), 3, grid=1, block=64)
        print(*(functions(o)[0][0] for o in objects()))
        """,
    ) == ["mixture vec_add vec_add vec_add", "mixture", "mixture mixture"]


@pytest.mark.parametrize("gdb", ["", "0"])
def test_nothing_unless_asked(tmp_path, gdb):
    assert run(tmp_path, "launch()\nprint(objects())", gdb) == ["[]"]


def test_the_code_is_the_same(tmp_path):
    """Byte for byte, whether somebody looks or not."""
    text = """
    os.environ["CUDA_DEVICE_PERF"] = "map"
    launch(), launch(np.float64)
    D.launch(mixture, np.ones(64, np.float32), 3, grid=1, block=64)
    path = f"/tmp/perf-{os.getpid()}.map"
    for line in open(path):
        begin, size, name = line.split(" ", 2)
        code = ctypes.string_at(int(begin, 16), int(size, 16))
        print(name.split()[0], len(code), hashlib.sha256(code).hexdigest())
    os.remove(path)
    """
    looked_at = run(tmp_path, text)
    assert len(looked_at) == 3
    assert looked_at == run(tmp_path, text, "0")


DUMP = """
launch()
D.launch(mixture, np.ones(64, np.float32), 3, grid=1, block=64)
for elf in objects():
    open(functions(elf)[0][0] + ".o", "wb").write(elf)
    print(functions(elf))
"""


@pytest.mark.skipif(not shutil.which("llvm-dwarfdump"), reason="waits for llvm-dwarfdump")
def test_line_tables(tmp_path):
    run(tmp_path, f"os.chdir({str(tmp_path)!r})\n" + DUMP)
    lines = {}
    for name in ("vec_add", "mixture"):
        text = subprocess.run(
            ["llvm-dwarfdump", "--debug-line", tmp_path / f"{name}.o"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "program.py" in text
        rows = [row.split() for row in text.splitlines() if row.startswith("0x")]
        lines[name] = {int(row[1]) for row in rows}
    assert line_of("a[i] = a[i] + b[i]") in lines["vec_add"]
    assert line_of("if i < a.size:") in lines["vec_add"]
    for text in (
        "tile[t] = scaled(v)",
        "return D.float32(x * 3)",
        "v = v * 2 + tile[63 - t]",
        "a[t] = v / 7",
    ):
        assert line_of(text) in lines["mixture"], text
    whole = set(range(line_of("def scaled(x):"), line_of("a[t] = v / 7") + 1)) | {0}
    assert lines["mixture"] <= whole


@pytest.mark.skipif(not shutil.which("gdb"), reason="waits for gdb")
def test_gdb_stops_at_a_line(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM + "launch()\nlaunch()\nprint('end')\n")
    line = line_of("a[i] = a[i] + b[i]")
    commands = [
        "set breakpoint pending on",
        "set debuginfod enabled off",
        f"break program.py:{line}",
        "run",
        "bt 2",
        "info symbol $pc",
        "continue",
        "kill",
    ]
    environment = {**os.environ, "CUDA_DEVICE_GDB": "1", "CUDA_DEVICE_NUM_THREADS": "1"}
    if loaded := environment.pop("LD_PRELOAD", None):  # for the program, not for gdb
        commands = ["set startup-with-shell off", f"set environment LD_PRELOAD {loaded}", *commands]
    gdb = ["gdb", "-q", "-nx", "-batch"]
    for command in commands:
        gdb += ["-ex", command]
    process = subprocess.run(
        [*gdb, "--args", sys.executable, path],
        env=environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    if "ptrace" in process.stderr:
        pytest.skip("waits for a machine where ptrace is allowed")
    assert f"vec_add () at {path}:{line}" in process.stdout, process.stdout + process.stderr
    assert re.search(r"vec_add( \+ \d+)? in section \.text", process.stdout), process.stdout
    assert "WorkerPool" in process.stdout or "Job::" in process.stdout
