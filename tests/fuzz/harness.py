"""Runs one generated program on a target or on the model, and compares."""

from __future__ import annotations

import linecache
import random
from dataclasses import dataclass

import numpy
from cuda import device as D
from cuda.device import _testing

from . import model
from .generate import generate
from .generate_blocks import generate_blocks
from .program import Program, Thread, run_block

BLOCKS = (1, 7, 31, 33, 64, 100, 256, 1000, 1024, (7, 5, 3))  # of programs with barriers
BLOCK_WEIGHTS = (2, 3, 3, 4, 3, 3, 1, 0.3, 0.3, 3)
SHAPES_1D = (1, 7, 31, 32, 33, 64, 100)
SHAPES_2D = ((4, 4), (8, 8), (10, 10), (32, 2), (16, 3), (7, 5), (33, 2))


@dataclass
class Case:
    seed: int
    program: Program
    arrays: dict[str, numpy.ndarray]
    scalars: dict[str, object]
    types: dict[str, str]  # of scalars
    grid: object
    block: object
    threads: int  # positions i that exist
    n: int


def interesting(rng: random.Random, t: str):
    """A number of type t: mostly small, sometimes at the edges of the format."""
    if t == "b1":
        return rng.random() < 0.5
    if model.is_float(t):
        if rng.random() < 0.1:
            return rng.choice(
                (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1e-40, 3e38, -1.0)
            )
        return rng.uniform(-100, 100) if rng.random() < 0.5 else rng.randint(-50, 50) / 4
    width, signed = model.bits(t), model.machine(t)[0] == "i"
    if rng.random() < 0.15:
        low, high = (
            (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
        )
        return rng.choice((low, high, high - 1, low + 1))
    return rng.randint(-60 if signed else 0, 100)


def make_case(seed: int, blocks: bool = False) -> Case:
    generator, program = (generate_blocks if blocks else generate)(seed)
    rng = random.Random(seed ^ 0x5EED)
    two_d = "tid(2)" in program.source(True)
    if blocks:
        block, grid = rng.choices(BLOCKS, BLOCK_WEIGHTS)[0], rng.randint(1, 3)
        threads = int(numpy.prod(block)) * grid
    elif two_d:
        block = rng.choice(SHAPES_2D)
        grid = (rng.randint(1, 3), rng.randint(1, 3))
        threads = block[0] * grid[0] * block[1] * grid[1]
    else:
        block, grid = rng.choice(SHAPES_1D), rng.randint(1, 4)
        threads = block * grid
    n = max(1, threads - rng.choice((0, 0, 1, 5)))
    arrays = {}
    with numpy.errstate(all="ignore"):
        for name, t in (generator.inputs | generator.outputs).items():
            values = [interesting(rng, t) for _ in range(n)]
            arrays[name] = numpy.array(values, dtype=model.NUMPY[t])
            if name in generator.inputs and rng.random() < 0.2:
                arrays[name] = numpy.repeat(arrays[name], 2)[::2]  # not contiguous
        scalars = {}
        for name, t in generator.scalars.items():
            value = n if name == "n" else interesting(rng, t)
            scalars[name] = value if t in ("int", "float") else model.NUMPY[t](value)
    if "s_float" in scalars and abs(scalars["s_float"]) > 1e38:
        scalars["s_float"] = 1.5
    return Case(seed, program, arrays, scalars, generator.scalars, grid, block, threads, n)


def compiled(case: Case, fmad: bool):
    source = case.program.source(fmad)
    filename = f"<fuzz {case.seed} fmad={fmad}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, object] = {}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["kernel"]


def run_target(case: Case, kernel, target: str) -> dict[str, numpy.ndarray]:
    arrays = {}
    for name, a in case.arrays.items():
        arrays[name] = a if name.startswith("a_") else a.copy()
    with _testing.use_target(target):
        D.launch(kernel, *arrays.values(), *case.scalars.values(), grid=case.grid, block=case.block)
    return {name: a for name, a in arrays.items() if name.startswith("o_")}


def own_arrays(arrays: dict) -> dict:
    """Nothing in them yet: what is read before it is stored fails."""
    return {name: (t, [None] * size) for name, (t, size) in arrays.items()}


def run_blocks(case: Case, scalars: dict, arrays: dict) -> None:
    size = int(numpy.prod(case.block))
    for block in range(case.grid):
        shared = own_arrays(case.program.shared)
        threads = []
        for t in range(size):
            place = {"t": t, "nt": size, "bk": block, "i": block * size + t}
            variables = dict(scalars) | {k: model.Val("i4", v) for k, v in place.items()}
            own = arrays | shared | own_arrays(case.program.local)
            threads.append(Thread(variables, own))
        run_block(case.program, threads)


def run_model(case: Case) -> dict[str, numpy.ndarray]:
    arrays = {}
    for name, a in case.arrays.items():
        arrays[name] = (name[2:], list(a) if name[2] == "f" else a.tolist())
    scalars = {}
    for name, t in case.types.items():
        number = case.scalars[name]
        if t == "float":
            number = numpy.float32(number)
        elif not model.is_float(t):
            number = bool(number) if t == "b1" else int(number)
        scalars[name] = model.Val(t, number)
    if case.program.shared:
        run_blocks(case, scalars, arrays)
    else:
        for i in range(min(case.threads, case.n)):
            run_block(case.program, [Thread(dict(scalars) | {"i": model.Val("i4", i)}, arrays)])
    with numpy.errstate(all="ignore"):
        return {
            name: numpy.array(numbers, dtype=model.NUMPY[t])
            for name, (t, numbers) in arrays.items()
            if name[0] == "o"
        }


def runs_here(target: str) -> bool:
    """Whether this machine can run a target; "x64" behind a name: gangs of 64 lanes."""
    return target.removesuffix("x64") in _testing.targets()


def require(targets: list[str]) -> list[str]:
    """The targets, all of which must run here: a run that leaves some out would look like success.

    Raises ValueError that names those which do not.
    """
    missing = [target for target in targets if not runs_here(target)]
    if missing:
        known = ", ".join(_testing.targets())
        raise ValueError(f"this machine cannot run {', '.join(missing)}; it can run {known}")
    return targets


def same(a: numpy.ndarray, b: numpy.ndarray) -> bool:
    """Equal bits; of NaNs only that they are."""
    if a.dtype.kind != "f":
        return bool((a == b).all())
    bits = f"u{a.dtype.itemsize}"
    return bool(((a.view(bits) == b.view(bits)) | (numpy.isnan(a) & numpy.isnan(b))).all())


def difference(case: Case, left: str, a: dict, right: str, b: dict, source: str) -> str | None:
    for name in a:
        if same(a[name], b[name]):
            continue
        with numpy.errstate(all="ignore"):
            where = [i for i in range(case.n) if not same(a[name][i : i + 1], b[name][i : i + 1])]
        i = where[0]
        return (
            f"seed {case.seed}: {name}[{i}] is {a[name][i]!r} by {left}, {b[name][i]!r} by {right} "
            f"({len(where)} of {case.n} differ)\ngrid {case.grid}, block {case.block}, "
            f"scalars {case.scalars}\n{source}"
        )
    return None


def check(seed: int, targets: list[str], blocks: bool = False) -> str | None:
    """None, or what differs between the targets, and (without contraction) the model."""
    case = make_case(seed, blocks)
    for fmad in (False, True):
        kernel = compiled(case, fmad)
        source = case.program.source(fmad)
        first = run_model(case) if not fmad else run_target(case, kernel, targets[0])
        name = "the model" if not fmad else targets[0]
        for target in targets if not fmad else targets[1:]:
            found = difference(case, name, first, target, run_target(case, kernel, target), source)
            if found:
                return found
    return None
