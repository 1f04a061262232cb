"""Random kernels of NumbaPro's dialect: the model = the targets, without contraction.

They retype variables in straight lines, branches and loops, counters of loops among them.
"""

from __future__ import annotations

import ast
import linecache
import math
import random
import traceback
from dataclasses import dataclass

import numpy as np
from cuda.device import _testing
from cuda.device.numbapro import _types, cuda
from support.numbapro_rules import REAL
from support.numbapro_values import Val, convert, is_complex, literal, part_type, typed

from .harness import assembled, interesting, unequal
from .numbapro_expressions import SCALARS
from .numbapro_flow import Flow, Library
from .numbapro_generator import PLACES, Generator
from .numbapro_model import Machine

CODES = {name: np.dtype(name).str[1:] for name in REAL}  # "i4", as the numbers of the harness
PYTHON = ("n", "d")  # given as Python's own int and float
NUMBERS = [t for t in REAL if t != "bool"]
LENGTH = 8  # of the arrays


@dataclass
class Case:
    seed: int
    source: str
    arrays: dict[str, np.ndarray]
    scalars: dict[str, object]
    shared: dict[str, tuple[str, tuple[int, ...]]]
    blocks: int
    threads: int  # of a block
    declared: dict[str, str]  # types of the numbers by the kernel's signature; empty: it has none

    @property
    def types(self) -> dict[str, str]:
        """Of the parameters."""
        return {name: f"{a.dtype.name}[]" for name, a in self.arrays.items()} | {
            name: self.declared.get(name, SCALARS[name]) for name in self.scalars
        }

    def signature(self) -> str:
        return f"void({', '.join(t.replace('[]', '[:]') for t in self.types.values())})"

    def parsed(self) -> ast.FunctionDef:
        return ast.parse(self.source).body[-1]

    def library(self) -> Library:
        """The device functions."""
        return Library(ast.parse(self.source).body[:-1])

    def flow(self) -> tuple[ast.FunctionDef, Flow]:
        """The kernel without what says where a thread is and what is shared, and its types."""
        function = self.parsed()
        function.body = function.body[len(PLACES) :]
        function.body = [each for each in function.body if not _declares(each, self.shared)]
        function.args.args += [ast.arg(name) for name in ("i", "t")]
        shared = {name: f"{t}[]" for name, (t, _) in self.shared.items()}
        function.args.args += [ast.arg(name) for name in shared]
        types = self.types | shared | {"i": "int32", "t": "int32"}
        return function, Flow(function, types, self.library())


def _declares(statement: ast.stmt, shared: dict[str, object]) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name in shared
    return False


def numbers(rng: random.Random, t: str, count: int) -> np.ndarray:
    if is_complex(t):
        made = np.zeros(count, t)
        made.real, made.imag = (numbers(rng, part_type(t), count) for _ in range(2))
        return made
    code = "b1" if t == "bool" else CODES[t]
    with np.errstate(all="ignore"):
        return np.array([interesting(rng, code) for _ in range(count)], t)


def input_array(rng: random.Random, t: str) -> np.ndarray:
    """Some with steps between the elements, or in reverse."""
    step = rng.choice((1, 1, 1, 2, -1))
    return numbers(rng, t, LENGTH * abs(step))[::step]


def make_case(seed: int) -> Case:
    generator = Generator(seed)
    source = generator.kernel()
    rng = random.Random(seed ^ 0x5EED)
    arrays = {name: input_array(rng, t) for name, t in generator.inputs.items()}
    arrays |= {name: numbers(rng, t, LENGTH) for name, t in generator.outputs.items()}
    scalars = {
        name: (numbers(rng, t, 1)[0].item() if name in PYTHON else numbers(rng, t, 1)[0])
        for name, t in SCALARS.items()
    }
    threads = generator.threads
    declared = {name: rng.choice(NUMBERS) for name in scalars} if rng.random() < 0.3 else {}
    blocks = LENGTH // threads
    return Case(seed, source, arrays, scalars, generator.shared, blocks, threads, declared)


def compiled(case: Case):
    file = f"<numbapro {case.seed}>"
    linecache.cache[file] = (len(case.source), None, case.source.splitlines(True), file)
    space = {name: getattr(_types, name) for name in _types.__all__}
    space |= {"cuda": cuda, "math": math}
    exec(compile(case.source, file, "exec"), space)
    decorator = cuda.jit(case.signature(), fmad=False) if case.declared else cuda.jit(fmad=False)
    return decorator(space["k"])


def run_target(case: Case, kernel, target: str) -> dict[str, np.ndarray]:
    arrays = own_outputs(case)
    with _testing.use_target(assembled(target, case.seed)):
        kernel[case.blocks, case.threads](*arrays.values(), *case.scalars.values())
    return arrays


def own_outputs(case: Case) -> dict[str, np.ndarray]:
    """Inputs keep their strides; nothing is written to them."""
    return {name: a.copy() if name[0] in "oq" else a for name, a in case.arrays.items()}


def run_model(case: Case) -> dict[str, np.ndarray]:
    function, flow = case.flow()
    arrays = own_outputs(case)
    scalars = {
        name: literal(value)._replace(type=SCALARS[name]) if name in PYTHON else typed(value)
        for name, value in case.scalars.items()
    }
    with np.errstate(all="ignore"):
        scalars = {name: convert(case.types[name], v) for name, v in scalars.items()}
        for block in range(case.blocks):
            shared = {name: np.zeros(shape, t) for name, (t, shape) in case.shared.items()}
            waiting = []
            for t in range(case.threads):
                at = {"i": Val("int32", block * case.threads + t), "t": Val("int32", t)}
                waiting.append(Machine(flow, arrays | shared | scalars | at).run(function))
            while waiting:  # from barrier to barrier
                waiting = [each for each in waiting if next(each, function) is not function]
    return arrays


def check(seed: int, targets: list[str]) -> str | None:
    """None, or what is wrong with a program."""
    try:
        case = make_case(seed)
        wanted = run_model(case)
        kernel = compiled(case)
        for target in targets:
            found = run_target(case, kernel, target)
            for name, array in wanted.items():
                where = np.flatnonzero(unequal(array, found[name]))
                if len(where):
                    at = where[0]
                    return (
                        f"seed {seed}: {name}[{at}] is {array[at]!r} by the model, "
                        f"{found[name][at]!r} by {target}\nscalars {case.scalars}, signature "
                        f"{case.declared or 'none'}\n{case.source}"
                    )
    except Exception:
        return f"seed {seed}: {traceback.format_exc()}"
    return None
