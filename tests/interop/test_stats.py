"""kernel.stats: what a launch takes, in figures and in words."""

import dataclasses

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, _testing


@D.kernel
def halve(a):
    i = D.tid(1)
    if i < a.size:
        a[i] = a[i] / 2


@D.kernel
def tile(a):
    t = D.shared_array(1000, D.float64)
    i = D.thread_idx.x
    v = a[i] * 3
    t[i] = v
    D.syncthreads()
    a[i] = t[D.block_dim.x - 1 - i] + v


@D.kernel
def wrong(a):
    a[0] = a + 1


A = np.zeros(1000, np.float32)
HOSTS = [t for t in ("avx512", "avx2", "sse4") if t in _testing.targets()]
NEEDS_PTXAS = pytest.mark.skipif(not _testing.assembles(), reason="waits for ptxas")


def test_figures_of_the_host():
    s = halve.stats(A, grid=4, block=256)
    assert s.target.startswith("x86-64/")
    assert (s.threads, s.lanes, s.shared_bytes, s.arena_bytes) == (256, 256, 0, 0)
    assert s.gang in (32, 64)
    assert s.code_bytes > 0
    assert s.registers is None
    assert s.blocks_per_multiprocessor is None


@pytest.mark.parametrize("name", HOSTS)
def test_targets(name):
    assert halve.stats(A, target=name).target == f"x86-64/{name}"


def test_lanes_that_are_idle():
    """100 threads, which no number of whole gangs has; 25 in 32 lanes."""
    s = halve.stats(A, block=(10, 10), target=HOSTS[0] + "x32")
    assert s.threads == 100
    assert s.lanes >= 128
    assert s.lanes % 32 == 0
    idle = s.lanes - 100
    (hint,) = (h for h in s.hints if "idle" in h)
    assert hint.startswith(f"{idle} of {s.lanes} lanes")
    assert not any("idle" in h for h in halve.stats(A, block=128).hints)
    of_warp = halve.stats(A, block=25, target=HOSTS[0] + "x32")
    assert any(h.startswith("7 of 32 lanes of a block are idle (22 %)") for h in of_warp.hints)


def test_without_a_block_nothing_is_said_of_it():
    s = halve.stats(A)
    assert (s.threads, s.lanes) == (None, None)
    assert s.hints == ()


def test_memory():
    s = tile.stats(A.astype(np.float64), block=256)
    assert s.shared_bytes == 8000
    assert s.arena_bytes >= 256 * 8  # v is kept across the barrier
    assert tile.stats(A.astype(np.float64), block=256, shared=100).shared_bytes == 8100


def test_a_block_that_is_larger_than_the_caches():
    (hint,) = (h for h in halve.stats(A, block=32, shared=227 * 1024).hints if "cache" in h)
    assert hint.startswith("a block works on 227 KiB, more than the level")


def test_what_registers_do_not_hold():
    """Thirty-two sums of 32 float64 lanes are 8 KiB; AVX2 has 512 bytes of registers."""

    @D.kernel
    def sums(a):
        i = D.tid(1)
        s = D.local_array(32, D.float64)
        for k in range(32):
            s[k] = a[i]
        for j in range(a.size):
            x = a[j]
            for k in range(32):
                s[k] = s[k] * x + a[i]
        for k in range(32):
            a[i + k] = s[k]

    few = halve.stats(A, block=256, target="avx2")
    assert 0 <= few.stack_bytes < 1024
    assert not any("stack" in hint for hint in few.hints)
    many = sums.stats(A.astype(np.float64), block=32, target="avx2x32")
    assert many.stack_bytes > 4096
    (hint,) = (h for h in many.hints if "stack" in h)
    assert hint.startswith("a gang keeps ")
    assert hint.endswith("on the stack: more values are in use at once than registers hold")


def test_a_grid_of_fewer_blocks_than_threads():
    if _core.thread_count() == 1:
        pytest.skip("waits for a machine with two CPUs")
    (hint,) = halve.stats(A, grid=1, block=256).hints
    assert hint == f"a grid of 1 block keeps 1 of {_core.thread_count()} threads busy"
    assert halve.stats(A, grid=10_000, block=256).hints == ()


def test_stages_of_the_compilation():
    s = halve.stats(A, block=256)
    assert {"frontend", "emission", "optimisation", "back end", "link"} <= set(s.compile_ms)
    assert all(ms >= 0 for ms in s.compile_ms.values())
    assert s.total_compile_ms == pytest.approx(sum(s.compile_ms.values()))
    assert s.total_compile_ms > 0


@NEEDS_PTXAS
@pytest.mark.parametrize("name", _testing.architectures())
def test_registers_of_ptx(name):
    s = halve.stats(A, block=256, target=name)
    assert s.target == name
    assert 4 <= s.registers <= 64
    assert (s.spill_store_bytes, s.spill_load_bytes) == (0, 0)
    most = {"sm_75": 1024, "sm_86": 1536, "sm_89": 1536, "sm_120": 1536}.get(name, 2048)
    assert s.blocks_per_multiprocessor == most // 256
    assert f"{most} of {most} threads (100 %), limited by threads" in s.hints[-1]


@NEEDS_PTXAS
def test_shared_memory_limits_blocks():
    """sm_90: 228 KiB, of which each block takes 1 KiB more than it asks for."""
    s = halve.stats(A, block=64, target="sm_90", shared=48 * 1024)
    assert s.blocks_per_multiprocessor == 4
    assert s.hints[-1].endswith("256 of 2048 threads (13 %), limited by shared memory")


def test_warps_that_are_not_whole():
    s = halve.stats(A, block=100, target="sm_80")
    assert (s.threads, s.gang, s.lanes) == (100, 32, 128)
    assert s.hints[0] == "28 of the 32 lanes of a block's last warp are idle"


def test_text():
    text = str(halve.stats(A, grid=1000, block=100))
    assert "threads" in text
    assert "100" in text
    assert "back end" in text
    assert "lanes of a block are idle" in text
    assert "registers" not in text


def test_nothing_is_launched_or_kept():
    before = _testing.counters()
    a = np.ones(8)
    halve.stats(a, grid=1, block=8)
    assert (a == 1).all()
    assert _testing.counters() == before


def test_a_value():
    s = halve.stats(A)
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.lanes = 3


def test_errors_are_those_of_a_launch():
    with pytest.raises(D.errors.CompileError, match="array"):
        wrong.stats(A)
    with pytest.raises(ValueError, match="sm_42"):
        halve.stats(A, target="sm_42")
    with pytest.raises(ValueError, match="interpreter"):
        halve.stats(A, target="interpreter")
    with pytest.raises(D.errors.LaunchValueError, match="block"):
        halve.stats(A, block=5000)
    with pytest.raises(D.errors.LaunchValueError, match="shared"):
        halve.stats(A, shared=1 << 20)


def test_options_that_there_are_not():
    with pytest.raises(TypeError) as raised:
        halve.stats(A, what="ir")
    assert str(raised.value) == (
        "stats() got an unexpected keyword argument 'what'; it takes target, grid, block and shared"
    )
    with pytest.raises(TypeError, match="target=90"):
        halve.stats(A, target=90)


def test_functions_of_the_device_have_none():
    @D.func
    def f(x):
        return x

    assert not hasattr(f, "stats")
