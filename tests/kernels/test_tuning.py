"""CUDA_DEVICE_TUNING: whatever is switched off, results stay; each switch does something."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from cuda import device as D
from cuda.device import _core, _testing
from fuzz.harness import check, runs_here
from support.targets import use_target

BENCH = Path(__file__).resolve().parents[2] / "bench"
HEURISTICS = [
    line.partition("=")[0].removeprefix("tuning ")
    for line in _core.info().splitlines()
    if line.startswith("tuning ")
]
TARGETS = [t for t in ("interpreter", "avx512", "avx2", "sse4") if runs_here(t)]
SEEDS, SEEDS_OF_ALL = range(4200, 4202), range(4200, 4210)


@pytest.fixture
def bench(monkeypatch):
    """Problems of the benchmark by name, small: the problem, its kernel and the arguments."""
    monkeypatch.syspath_prepend(str(BENCH))
    from peers.ours import call_of
    from problems import PROBLEMS

    def make(name):
        problem = PROBLEMS[name](True)
        return problem, *call_of(problem)

    make.names = list(PROBLEMS)
    yield make
    for name in [n for n in sys.modules if n.partition(".")[0] in ("problems", "kernels", "peers")]:
        del sys.modules[name]


@pytest.fixture
def without(monkeypatch):
    return lambda names: monkeypatch.setenv("CUDA_DEVICE_TUNING", names)


def beyond_cache(everything):
    return _testing.beyond_cache(1) if everything else contextlib.nullcontext()


@pytest.mark.parametrize("name", [*HEURISTICS, "all"])
def test_generated_programs_agree_without(name, without):
    """Interpreter and host forms, bit for bit, and the model."""
    without(f"-{name}")
    every = name == "all"
    failures = [
        found
        for blocks in (False, True)
        for seed in (SEEDS_OF_ALL if every else SEEDS)
        if (found := check(seed, TARGETS if every else TARGETS[:3], blocks, (seed % 2 == 1,)))
    ]
    assert not failures, "\n\n".join(failures[:3])


def judged(problem, kernel, arguments, target, everything):
    """The outputs' bytes."""
    problem.poison()
    with use_target(target), beyond_cache(everything):
        D.launch(kernel, *arguments, grid=problem.grid, block=problem.block)
    problem.judge(problem)
    return [problem.arrays[name].tobytes() for name in problem.outputs]


@pytest.mark.parametrize("form", [t for t in TARGETS if t != "interpreter"])
def test_benchmarks_are_right_without_all(form, without, bench):
    without("-all")
    for name in bench.names:
        for everything in (False, True):
            judged(*bench(name), form, everything)


# A heuristic → a problem of the benchmark whose code it changes: its name, the target, and whether
# all arrays count as beyond the cache.
CHANGES = {
    "known_trips": ("sgemm 8x8", "avx512", False),
    "unroll_barrier_loops": ("scan", "avx512", False),
    "unroll_local": ("sgemm 8x8", "avx512", False),
    "peel_last_trip": ("convolve", "avx512", False),
    "if_convert_stores": ("bitonic", "avx512", False),
    "sink_stores": ("stencil7 global", "avx512", False),
    "distribute_loops": ("sgemm 8x8", "avx512", False),
    "split_live_ranges": ("mandelbrot", "avx512", False),
    "lanes_follow_rows": ("copy2d 16x16", "avx512", False),
    "wide_gangs": ("mandelbrot", "avx512", False),
    "narrow_gangs": ("mandelbrot", "avx2", False),
    "block_runs": ("copy2d 32x8", "avx512", False),
    "guards": ("triad", "avx512", False),
    "bounds_by_ends": ("triad", "avx512", False),
    "speculate": ("stencil7 global", "avx512", False),
    "full_iterations": ("reduce stream", "avx512", False),
    "scalarized_loops": ("spmv", "avx2", False),
    "unroll_short_loops": ("sgemm 8x8", "avx512", False),
    "unclamped_index": ("convolve", "avx512", False),
    "shared_rows": ("sgemm 16x16", "avx512", False),
    "whole_vectors": ("nbody", "avx512", False),
    "windows": ("sgemm 8x8", "avx512", False),
    "rows": ("copy2d 16x16", "avx512", False),
    "loads_for_gathers": ("transpose", "avx2", False),
    "plain_stores": ("triad", "avx2", False),
    "nontemporal_stores": ("triad", "avx512", True),
    "prefetch_page": ("black_scholes", "avx512", False),
    "prefetch_next_iteration": ("nbody", "avx512", True),
    "prefetch_next_gang": ("reduce stream", "avx512", True),
    "worker_tables": ("histogram global", "avx512", False),
    "combine_collisions": ("histogram skewed", "avx512", False),
    "known_masks": ("sgemm 8x8", "avx512", False),
    "mask_pieces": ("copy2d 16x16", "avx512", False),
}
OF_AMD = ("plain_stores",)


def assembly(problem, kernel, arguments, target, everything):
    with beyond_cache(everything):
        return kernel.inspect(
            *arguments, what="asm", target=target, grid=problem.grid, block=problem.block
        )


@pytest.mark.parametrize("name", CHANGES)
def test_a_switch_changes_code_and_no_result(name, without, bench):
    if name in OF_AMD and "AuthenticAMD" not in Path("/proc/cpuinfo").read_text():
        pytest.skip(f"waits for a CPU by AMD: {name} is for those")
    row, target, everything = CHANGES[name]
    with_it = assembly(*bench(row), target, everything)
    results = judged(*bench(row), target, everything) if runs_here(target) else None
    without(f"-{name}")
    assert assembly(*bench(row), target, everything) != with_it
    if runs_here(target):
        assert judged(*bench(row), target, everything) == results


def test_each_heuristic_has_a_row():
    assert {*CHANGES, "masked_increments", "prefetch_places"} == set(HEURISTICS)


def counting():
    @D.kernel
    def count(out, x):
        i = D.tid(1)
        n = 0
        for k in range(16):
            if x[k, i] > 0:
                n += 1
        out[i] = n

    return count


def test_masked_increments_change_code_and_no_result(without):
    x = numpy.random.default_rng(7).standard_normal((16, 256)).astype(numpy.float32)
    made = []
    for names in ("", "-masked_increments"):
        without(names)
        count, out = counting(), numpy.zeros(256, numpy.int32)
        with use_target("avx512") if runs_here("avx512") else contextlib.nullcontext():
            D.launch(count, out, x, grid=1, block=256)
        assert (out == (x > 0).sum(axis=0)).all()
        made.append(count.inspect(out, x, what="asm", target="avx512", grid=1, block=256))
    assert made[0] != made[1]


def tallying():
    @D.kernel
    def tally(counts, keys):
        i = D.tid(1)
        if i < keys.size:
            D.atomic_ref(counts, (keys[i] * 7) % 1000).add(1)

    return tally


def test_prefetched_places_change_code_and_no_result(without):
    keys = numpy.random.default_rng(7).integers(0, 1000, 700).astype(numpy.int32)
    made = []
    for names in ("", "-prefetch_places"):
        without(names)
        tally, counts = tallying(), numpy.zeros(1000, numpy.int64)
        here = use_target("avx512") if runs_here("avx512") else contextlib.nullcontext()
        with here, beyond_cache(True):
            D.launch(tally, counts, keys, grid=6, block=128)
            options = {"what": "asm", "target": "avx512", "grid": 6, "block": 128}
            made.append(tally.inspect(counts, keys, **options))
        assert (counts == numpy.bincount(keys * 7 % 1000, minlength=1000)).all()
    assert made[0] != made[1]


def test_unknown_words_are_refused(without):
    @D.kernel
    def one(a):
        a[0] = 1

    without("-gards")
    a = numpy.zeros(1, numpy.int32)
    for attempt in (lambda: one.inspect(a), lambda: D.launch(one, a, grid=1, block=1)):
        with pytest.raises(ValueError, match=r"CUDA_DEVICE_TUNING has the word '-gards'.*guards"):
            attempt()
    without("-guards")
    D.launch(one, a, grid=1, block=1)
    assert a[0] == 1


def test_info_lists_heuristics():
    def info(tuning):
        command = [sys.executable, "-m", "cuda.device", "info"]
        environment = {**os.environ, "CUDA_DEVICE_TUNING": tuning}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    lines = info("-guards,-rows")
    for name in HEURISTICS:
        line = next(line for line in lines if line.startswith(f"{name} "))
        assert len(line.removeprefix(name).strip()) > 20
        assert line.endswith("(off)") == (name in ("guards", "rows"))
    assert any("CUDA_DEVICE_TUNING has the word '-gards'" in line for line in info("-gards"))
