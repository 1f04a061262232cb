"""Runs one program of warps on a target and in lock-step, and compares."""

from __future__ import annotations

import linecache
import random
import traceback
from collections.abc import Callable
from typing import Any

import numpy
from cuda import device as D
from cuda.device import _testing

from .harness import assembled, unequal
from .lockstep import Grid
from .model import COMPONENTS
from .random_numbers import numbers
from .warp_programs import WarpProgram, generate_warps
from .warp_tree import NUMPY, run_all

Arrays = dict[str, numpy.ndarray]


def some_numbers(rng: random.Random, t: str, count: int) -> numpy.ndarray:
    if t not in COMPONENTS:
        return numbers(rng, t, (count,))
    parts = numbers(rng, COMPONENTS[t], (2 * count,))
    return parts.view(NUMPY[t])


def arrays_of(seed: int, program: WarpProgram) -> Arrays:
    """What the launch is given, by name."""
    rng, grid = random.Random(seed ^ 0x5EED), Grid(program.block, program.blocks)
    threads = grid.size * program.blocks
    with numpy.errstate(all="ignore"):
        made = {name: some_numbers(rng, t, threads) for name, t in program.inputs.items()}
    for t, rows in program.rows.items():
        made[f"o_{t}"] = numpy.zeros((rows, threads), NUMPY[t])
    for name, (t, size) in program.counters.items():
        made[name] = numpy.zeros(size, NUMPY[t])
    return made


def run_in_lockstep(program: WarpProgram, arrays: Arrays) -> Arrays:
    grid = Grid(program.block, program.blocks)
    grid.arrays = {name: a.copy() for name, a in arrays.items()}
    grid.variables["by"] = numpy.full(grid.shape, program.by, numpy.int32)
    for name, (t, size) in program.shared.items():
        grid.shared[name] = numpy.full((program.blocks, size), 77, NUMPY[t])
    with numpy.errstate(all="ignore"):
        run_all(program.body, grid, grid.exists)
    return grid.arrays


def compiled(seed: int, source: str):
    filename = f"<warps {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, object] = {}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["kernel"]


def run_target(seed: int, program: WarpProgram, kernel, arrays: Arrays, target: str) -> Arrays:
    arrays = {name: a.copy() for name, a in arrays.items()}
    with _testing.use_target(assembled(target, seed)):
        arguments = [*arrays.values(), numpy.int32(program.by)]
        D.launch(kernel, *arguments, grid=program.blocks, block=program.block)
    return arrays


def difference(program: WarpProgram, expected: Arrays, found: Arrays) -> str | None:
    for name, right in expected.items():
        where = numpy.argwhere(unequal(right, found[name]))
        if len(where):
            at = tuple(where[0].tolist())
            return (
                f"{name}{list(at)} is {found[name][at]!r}, not {right[at]!r} as in lock-step "
                f"({len(where)} of {right.size} differ), block {program.block}, by {program.by}"
            )
    return None


# A program, its source, the arrays of its launch, and what the model makes of them.
Case = tuple[Any, str, Arrays, Arrays]


def check_on(
    targets: list[str],
    seed: int,
    case_of: Callable[[int], Case],
    run: Callable[..., Arrays],
    difference: Callable[[Any, Arrays, Arrays], str | None],
) -> str | None:
    """None, or what is wrong with a program: where a target differs from the model; an error."""
    try:
        program, source, arrays, expected = case_of(seed)
        kernel = compiled(seed, source)
        for target in targets:
            found = run(seed, program, kernel, arrays, target)
            if wrong := difference(program, expected, found):
                return f"seed {seed}: {target}: {wrong}\n{source}"
        return None
    except Exception:
        return f"seed {seed}: {traceback.format_exc()}"


def case_of(seed: int) -> Case:
    program = generate_warps(seed)
    arrays = arrays_of(seed, program)
    return program, program.source(), arrays, run_in_lockstep(program, arrays)


def check_warps(seed: int, targets: list[str]) -> str | None:
    return check_on(targets, seed, case_of, run_target, difference)
