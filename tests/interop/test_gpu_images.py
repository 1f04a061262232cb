"""The code that kernels are loaded on a GPU with: PTX, or a cubin where there is an assembler, both
kept on disk. With the tests' own CUDA driver, and the real ptxas."""

import hashlib
import os
import stat
import subprocess
import sys

import pytest
from cuda.device import _testing

from support import fake_memory

pytestmark = [
    fake_memory.needs_fake,
    pytest.mark.skipif(not _testing.assembles(), reason="waits for ptxas"),
]

PROGRAM = """
from cuda.device import _testing

@D.kernel
def add(a, v):
    i = D.tid(1)
    if i < a.size:
        a[i] += v

def launch():
    with _testing.use_target("cuda"):
        D.launch(add, np.zeros(8, np.float32), 0.5, grid=2, block=4)

before = _testing.counters()
found = outcome(launch)
after = _testing.counters()
loaded = [line for line in notes() if line.startswith("library_load")]
disk = [after[n] - before[n] for n in ("disk_hits", "disk_misses", "disk_stores")]
answer = [found, loaded, disk, after["compilations"] - before["compilations"]]
"""
CUBIN, PTX, NOTHING = "library_load cubin", "library_load ptx", "library_load nothing"


@pytest.fixture
def cache(tmp_path):
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def launched(tmp_path, cache):
    """Launches a kernel in a new process: error, what was loaded, cache on disk, compilations."""

    def run(**variables):
        settings = {"CUDA_DEVICE_CACHE": "on", "CUDA_DEVICE_CACHE_DIR": str(cache)}
        settings["CUDA_DEVICE_VERIFY"] = ""
        return fake_memory.run(tmp_path, PROGRAM, **{**settings, **variables})

    return run


def entries(cache):
    return sorted(cache.glob("*.kernel"))


def test_a_cubin_is_made_and_kept_beside_the_ptx(launched, cache):
    assert launched() == [None, [CUBIN], [0, 2, 2], 1]
    assert len(entries(cache)) == 2
    assert launched() == [None, [CUBIN], [2, 0, 0], 0]


def test_ptx_alone_on_request(launched, cache):
    assert launched(CUDA_DEVICE_IMAGE="ptx") == [None, [PTX], [0, 1, 1], 1]
    assert len(entries(cache)) == 1
    # Its key is the same: a later process makes the cubin of it without the compiler.
    assert launched(CUDA_DEVICE_IMAGE="cubin") == [None, [CUBIN], [1, 1, 1], 0]


def test_without_a_cache_a_cubin_is_made_each_time(launched):
    for _ in range(2):
        assert launched(CUDA_DEVICE_CACHE="off") == [None, [CUBIN], [0, 0, 0], 1]


def test_a_gpu_of_another_architecture_has_its_own(launched, cache):
    assert launched()[2] == [0, 2, 2]
    assert launched(FAKE_CUDA_ARCHITECTURES="89") == [None, [CUBIN], [0, 2, 2], 1]
    assert len(entries(cache)) == 4


# A driver that loads lazily looks at code where its function is needed.
LAZY = {"0": "library_load", "1": "kernel_function"}


@pytest.mark.parametrize("lazy", LAZY)
def test_a_driver_that_refuses_the_cubin_gets_the_ptx(launched, lazy):
    refuses = {"FAKE_CUDA_REFUSES": "cubin", "FAKE_CUDA_LAZY": lazy}
    assert launched(**refuses)[:2] == [None, [NOTHING, PTX]]


@pytest.mark.parametrize("lazy", LAZY)
def test_a_driver_that_refuses_both_says_why(launched, lazy):
    fails = {"FAKE_CUDA_FAIL": LAZY[lazy] + ":218", "FAKE_CUDA_LAZY": lazy}
    found, loaded, *_ = launched(FAKE_CUDA_REFUSES="cubin", **fails)
    assert found[0] == "KernelError"
    assert found[1].splitlines() == [
        "kernel 'add': loading kernel 'add' on the GPU: CUDA error 218 (fake error 218)",
        "ptxas of the fake driver: line 1: refused",
    ]
    assert len(loaded) == 2


@pytest.mark.parametrize("error", [2, 700])
@pytest.mark.parametrize("lazy", LAZY)
def test_errors_of_the_gpu_are_not_tried_again(launched, error, lazy):
    fails = {"FAKE_CUDA_FAIL": f"{LAZY[lazy]}:{error}", "FAKE_CUDA_LAZY": lazy}
    assert len(launched(**fails)[1]) == 1


def false_ptxas(folder, text):
    """A toolkit whose ptxas is a shell script."""
    path = folder / "toolkit" / "bin" / "ptxas"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return {"CUDA_HOME": str(folder / "toolkit")}


def test_an_assembler_that_does_not_know_the_gpu_leaves_it_to_the_driver(launched, tmp_path):
    unknown = false_ptxas(tmp_path, "echo Value sm_90 is not defined for option gpu-name; exit 1\n")
    assert launched(**unknown) == [None, [PTX], [0, 2, 1], 1]
    found, loaded, *_ = launched(CUDA_DEVICE_IMAGE="cubin", **unknown)
    assert found == [
        "KernelError",
        "kernel 'add': CUDA_DEVICE_IMAGE=cubin, but no cubin can be made for sm_90: Value sm_90 is "
        "not defined for option gpu-name\n",
    ]
    assert loaded == []


def test_another_assembler_makes_another_cubin(launched, cache, tmp_path):
    """What one version made is not taken for another's."""
    assert launched()[2] == [0, 2, 2]
    real = _testing.facts()["ptxas"]
    other = false_ptxas(tmp_path, f'exec {real} "$@"\n')
    assert launched(**other) == [None, [CUBIN], [1, 1, 1], 0]
    path = tmp_path / "toolkit" / "bin" / "ptxas"
    os.utime(path, (1, 1))
    assert launched(**other) == [None, [CUBIN], [1, 1, 1], 0]
    assert launched(**other) == [None, [CUBIN], [2, 0, 0], 0]
    assert len(entries(cache)) == 4


def cubin_entry(cache):
    (found,) = (path for path in entries(cache) if b"cdfat002" in path.read_bytes())
    return found


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "of another key"])
def test_damaged_and_foreign_cubins_are_made_anew(launched, cache, damage):
    launched()
    path = cubin_entry(cache)
    good = path.read_bytes()
    other = next(p for p in entries(cache) if p != path)
    bad = {
        "cut": good[:-1],
        "flipped": good[:200] + bytes([good[200] ^ 1]) + good[201:],
        "empty": b"",
        "of another key": other.read_bytes(),
    }[damage]
    path.write_bytes(bad)
    assert launched() == [None, [CUBIN], [1, 1, 1], 0]
    assert path.read_bytes() == good


def with_value(entry, change):
    """An entry of the same key with another value, and the checksum that it needs."""
    key_end = 48 + int.from_bytes(entry[40:48], "little")
    value = change(entry[key_end + 8 :])
    body = entry[40:key_end] + len(value).to_bytes(8, "little") + value
    return entry[:8] + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.replace(b"cdfat002", b"cdfat000"),
        lambda v: v.replace(b"\x7fELF", b"\x7fELG"),
        lambda v: v[:12] + b"\x07" + v[13:],
        lambda v: v[:8] + b"\xff\xff\xff\xff" + v[12:],
        lambda v: v + b"x",
        lambda v: b"",
    ],
)
def test_entries_that_are_whole_and_hold_no_cubin_are_not_loaded(launched, cache, change):
    launched()
    path = cubin_entry(cache)
    path.write_bytes(with_value(path.read_bytes(), change))
    found, loaded, _, compilations = launched()
    assert (found, loaded, compilations) == (None, [CUBIN], 0)


def test_what_there_is_is_said(tmp_path):
    """And another wish than the two is ignored with a warning."""
    info = fake_memory.run(tmp_path, "answer = _core.info()")
    assert f"\nassembler=ptxas ({_testing.facts()['ptxas']})\n" in info
    done = subprocess.run(
        [sys.executable, "-c", "import cuda.device"],
        env={**os.environ, "CUDA_DEVICE_IMAGE": "elf"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "CUDA_DEVICE_IMAGE='elf' is ignored: 'ptx' or 'cubin' was expected" in done.stderr
