"""Runs one program of waits on a target and on the model's threads, and compares."""

from __future__ import annotations

import math
import random

import numpy
from cuda import device as D
from cuda.device import _testing

from .expression_tree import Array, Thread
from .harness import assembled
from .positions import axes
from .wait_programs import KEPT, NAMES, WaitProgram, generate_waits
from .wait_threads import Running, Turnstile, i4
from .warp_harness import Arrays, Case, check_on

# In order, and in random orders.
TARGETS = ["interpreter", "interpreter-seed1", "interpreter-seed2"]
TARGETS += ["avx512", "avx2", "sse4", "avx2-threads"]


def arrays_of(seed: int, program: WaitProgram) -> Arrays:
    """What the launch is given, by name and in order."""
    rng = numpy.random.default_rng(seed)
    threads = math.prod(axes(program.block)) * program.blocks
    locks = program.locks

    def zeros(*shape):
        return numpy.zeros(shape, numpy.int32)

    return {
        "a": rng.integers(-100, 100, threads).astype(numpy.int32),
        "out": zeros(program.variables, threads),
        "flags": zeros(program.rows, threads),
        "data": zeros(program.rows, threads),
        "locks": zeros(2 * locks),
        "kept": rng.integers(0, 1000, KEPT * locks).astype(numpy.int32),
        "kept_by_block": zeros(program.blocks, KEPT * locks),
    }


def own_arrays(program: WaitProgram, size: int) -> dict[str, Array]:
    """Those of one block."""
    held = {
        "sh": [0] * size,
        "locks_of_block": [0] * (2 * program.locks),
        "kept_in_block": [k % 4 for k in range(KEPT * program.locks)],
    }
    return {name: Array("i4", values, (len(values),)) for name, values in held.items()}


def positions_of(program: WaitProgram, block: int, t: int) -> dict[str, int]:
    size = math.prod(axes(program.block))
    of_warp = min(32, size - t // 32 * 32)
    values = t, size, block, program.blocks, t % 32, of_warp, block * size + t
    return dict(zip(NAMES, (*values, program.blocks * size), strict=True))


def run_model(program: WaitProgram, arrays: Arrays, seed: int) -> Arrays:
    """By threads that take turns in an order of the seed's."""
    held = {name: Array("i4", a.reshape(-1).tolist(), a.shape) for name, a in arrays.items()}
    size = math.prod(axes(program.block))
    turns = Turnstile(random.Random(seed))
    for block in range(program.blocks):
        own = own_arrays(program, size)
        for t in range(size):
            at = positions_of(program, block, t)
            thread = Thread({name: i4(value) for name, value in at.items()}, held | own)
            for k in range(program.variables):
                start = held["a"].numbers[at["i"]] * (k + 1) + t
                thread.variables[f"v{k}"] = i4(start)
            turns.running.append(Running(thread, program.body.run(thread), block, t // 32))
    turns.run()
    for r in turns.running:
        for k in range(program.variables):
            at = r.thread.variables["i"].number
            r.thread.store("out", (k, at), r.thread.variables[f"v{k}"])
        kept = r.thread.arrays["kept_in_block"].numbers
        for k, value in enumerate(kept):
            r.thread.store("kept_by_block", (r.block, k), i4(value))
    return {
        name: numpy.array(held[name].numbers, numpy.int32).reshape(a.shape)
        for name, a in arrays.items()
    }


def run_target(seed: int, program: WaitProgram, kernel, arrays: Arrays, target: str) -> Arrays:
    arrays = {name: a.copy() for name, a in arrays.items()}
    with _testing.use_target(assembled(target, seed)):
        D.launch(kernel, *arrays.values(), grid=program.blocks, block=program.block)
    return arrays


def difference(program: WaitProgram, expected: Arrays, found: Arrays) -> str | None:
    for name, right in expected.items():
        where = numpy.argwhere(right != found[name])
        if len(where):
            at = tuple(where[0].tolist())
            return (
                f"{name}{list(at)} is {found[name][at]}, not {right[at]} as by the model "
                f"({len(where)} of {right.size} differ), {program.blocks} blocks {program.block}"
            )
    return None


def case_of(seed: int) -> Case:
    program = generate_waits(seed)
    arrays = arrays_of(seed, program)
    return program, program.source(), arrays, run_model(program, arrays, seed)


def check_waits(seed: int, targets: list[str]) -> str | None:
    """None, or what is wrong with a program: where a target differs from the model; an error."""
    return check_on(targets, seed, case_of, run_target, difference)
