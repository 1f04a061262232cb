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

from .harness import assembled, interesting, unequal
from .numbapro_flow import Flow
from .numbapro_model import Machine
from .numbapro_values import Val, is_float, is_int, literal

CODES = {name: np.dtype(name).str[1:] for name in REAL}  # "i4", as the numbers of the harness
SCALARS = {"s": "int32", "w": "uint32", "f": "float32", "n": "int64", "d": "float64"}
PYTHON = ("n", "d")  # given as Python's own int and float
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
UNKNOWN = "unknown"  # the type of what the generator does not follow


@dataclass
class Case:
    seed: int
    source: str
    arrays: dict[str, np.ndarray]
    scalars: dict[str, object]
    threads: int

    @property
    def types(self) -> dict[str, str]:
        """Of the parameters."""
        return {name: f"{a.dtype.name}[]" for name, a in self.arrays.items()} | {
            name: SCALARS[name] for name in self.scalars
        }

    def parsed(self) -> ast.FunctionDef:
        return ast.parse(self.source).body[-1]


class Generator:
    """Writes a kernel line by line."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0
        self.variables: list[str] = list(SCALARS)  # assigned on every path
        self.counters: set[str] = set()  # that end `while` loops
        chosen = self.random.sample(REAL, 5)
        self.inputs = {f"a{k}": t for k, t in enumerate(chosen[:3])}
        self.outputs = {f"o{k}": t for k, t in enumerate([*chosen[3:], "float64", "int64"])}

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def fresh(self) -> str:
        self.names += 1
        return f"v{self.names}"

    # --- expressions ---

    def expression(self, depth: int = 3) -> str:
        if depth == 0 or self.chance(0.2):
            return self.leaf()
        kinds = {
            self.arithmetic: 8, self.bitwise: 2, self.power: 1, self.unary: 1, self.choice: 1,
            self.logic: 1, self.cast: 2, self.least: 1, self.math: 1, self.comparison: 1,
        }  # fmt: skip
        make = self.random.choices(list(kinds), list(kinds.values()))[0]
        return make(depth - 1)

    def leaf(self) -> str:
        kind = self.random.random()
        if kind < 0.55:
            return self.random.choice(self.variables)
        if kind < 0.75:
            return f"{self.random.choice(list(self.inputs))}[{self.index()}]"
        return self.literal()

    def literal(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return str(self.random.randint(0, 9))
        if kind < 0.6:
            return str(self.random.choice((255, 70000, 2147483647, 2147483648, 1 << 40)))
        if kind < 0.65:
            return self.random.choice(("True", "False"))
        return str(self.random.randint(1, 40) / 8)

    def index(self) -> str:
        return self.random.choice(("i", "i", "i", "-1 - i", "(i + 3) % 8"))

    def arithmetic(self, depth: int) -> str:
        sign = self.random.choice(("+", "-", "*", "/", "//", "%"))
        return f"({self.expression(depth)} {sign} {self.expression(depth)})"

    def whole(self, depth: int) -> str:
        """An expression of integers."""
        t = self.random.choice([t for t in REAL if is_int(t)])
        return f"{t}({self.expression(depth)})"

    def bitwise(self, depth: int) -> str:
        sign = self.random.choice(("&", "|", "^", "<<", ">>"))
        if sign in ("<<", ">>"):
            return f"({self.whole(depth)} {sign} {self.random.randint(0, 9)})"
        return f"({self.whole(depth)} {sign} {self.whole(depth)})"

    def power(self, depth: int) -> str:
        if self.chance(0.3):  # of a signed type: the sign of the exponent counts
            t = self.random.choice(("int8", "int16", "int32", "int64"))
            return f"({t}({self.expression(depth)}) ** -{self.random.randint(1, 3)})"
        return f"({self.whole(depth)} ** {self.random.randint(0, 5)})"

    def unary(self, depth: int) -> str:
        kind = self.random.choice(("-", "+", "not ", "~", "abs"))
        if kind == "~":
            return f"(~{self.whole(depth)})"
        inner = self.expression(depth)
        return f"abs({inner})" if kind == "abs" else f"({kind}({inner}))"

    def comparison(self, depth: int) -> str:
        sign = self.random.choice(COMPARISONS)
        return f"({self.expression(depth)} {sign} {self.expression(depth)})"

    def test(self) -> str:
        if self.chance(0.15):
            return self.random.choice(("True", "False", "2 > 1"))
        return self.comparison(1)

    def choice(self, depth: int) -> str:
        return f"({self.expression(depth)} if {self.test()} else {self.expression(depth)})"

    def logic(self, depth: int) -> str:
        word = self.random.choice(("and", "or"))
        return f"({self.expression(depth)} {word} {self.expression(depth)})"

    def cast(self, depth: int) -> str:
        t = self.random.choice([*REAL[1:], "bool_", "int", "float"])
        return f"{t}({self.expression(depth)})"

    def least(self, depth: int) -> str:
        # Two bools are no numbers to compare.
        name = self.random.choice(("min", "max"))
        return f"{name}({self.whole(depth)}, {self.expression(depth)})"

    def math(self, depth: int) -> str:
        one = self.chance(0.7)
        name = self.random.choice(
            ("sqrt", "floor", "ceil", "fabs", "isnan", "isinf") if one else ("fmod", "copysign")
        )
        second = "" if one else f", {self.expression(depth)}"
        return f"math.{name}({self.expression(depth)}{second})"

    # --- statements ---

    def put(self, depth: int, line: str) -> None:
        self.lines.append("    " * (depth + 1) + line)

    def block(self, depth: int, count: int, in_loop: bool) -> None:
        """So many statements; what they define is defined for the rest of the block."""
        for _ in range(count):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> None:
        kinds = {self.assign: 6, self.augment: 2, self.store: 3}
        if depth < 3:
            kinds |= {self.branch: 2, self.count: 2, self.repeat: 1}
        make = self.random.choices(list(kinds), list(kinds.values()))[0]
        make(depth, in_loop)

    def free(self) -> list[str]:
        """The variables that may be assigned."""
        return [v for v in self.variables if v not in self.counters]

    def target(self) -> str:
        return self.random.choice(self.free()) if self.chance(0.6) else self.fresh()

    def assign(self, depth: int, _: bool) -> None:
        name = self.target()
        self.put(depth, f"{name} = {self.expression()}")
        if name not in self.variables:
            self.variables.append(name)

    def augment(self, depth: int, _: bool) -> None:
        sign = self.random.choice(("+", "-", "*", "//", "/", "%"))
        self.put(depth, f"{self.random.choice(self.free())} {sign}= {self.expression(2)}")

    def store(self, depth: int, _: bool) -> None:
        array = self.random.choice(list(self.outputs))
        sign = self.random.choice(("", "", "+", "-", "*", "//"))
        value = self.random.choice(self.variables) if self.chance(0.5) else self.expression()
        self.put(depth, f"{array}[i] {sign}= {value}")

    def inner(self, depth: int, count: int, in_loop: bool) -> None:
        known = list(self.variables)
        self.block(depth, count, in_loop)
        self.variables = known

    def branch(self, depth: int, in_loop: bool) -> None:
        both = self.fresh() if self.chance(0.4) else None
        self.put(depth, f"if {self.test()}:")
        if both:
            self.put(depth + 1, f"{both} = {self.expression(2)}")
        self.inner(depth + 1, self.random.randint(1, 3), in_loop)
        if in_loop and self.chance(0.4):
            self.put(depth + 1, self.random.choice(("break", "continue")))
            both = None
        elif both or self.chance(0.4):
            self.put(depth, "else:")
            if both:
                self.put(depth + 1, f"{both} = {self.expression(2)}")
            self.inner(depth + 1, self.random.randint(1, 2), in_loop)
        if both:
            self.variables.append(both)

    def bounds(self) -> str:
        t = self.random.choice(("", "", "int8", "uint8", "int16", "int64", "uint32"))
        stop = str(self.random.randint(0, 4))
        if self.chance(0.2) and t[:1] != "u":
            return f"{t}({stop})" + ", -2, -1"
        if self.chance(0.2):
            return f"{self.random.randint(0, 2)}, {t}({stop})"
        return f"{t}({stop})" if t else "i % 4" if self.chance(0.2) else stop

    def count(self, depth: int, _: bool) -> None:
        name = self.target()
        self.put(
            depth, f"for {name} in {self.random.choice(('range', 'xrange'))}({self.bounds()}):"
        )
        known = list(self.variables)
        if name not in self.variables:
            self.variables.append(name)
        if self.chance(0.5):
            self.put(
                depth + 1, f"{name} = {name} {self.random.choice('+-*/')} {self.expression(1)}"
            )
        self.block(depth + 1, self.random.randint(1, 3), True)
        self.variables = known

    def repeat(self, depth: int, _: bool) -> None:
        counter = self.fresh()
        self.put(depth, f"{counter} = 0")
        self.put(depth, f"while {counter} < {self.random.randint(1, 4)} and {self.test()}:")
        known = list(self.variables)
        self.variables.append(counter)
        self.counters.add(counter)
        self.put(depth + 1, f"{counter} += 1")
        self.block(depth + 1, self.random.randint(1, 3), True)
        self.variables = known

    def kernel(self) -> str:
        parameters = [*self.inputs, *self.outputs, *SCALARS]
        self.lines = [f"def k({', '.join(parameters)}):", "    i = cuda.grid(1)"]
        self.block(0, self.random.randint(4, 9), False)
        for array in self.outputs:
            self.put(0, f"{array}[i] = {self.random.choice(self.variables)}")
        return "\n".join(self.lines) + "\n"


def numbers(rng: random.Random, t: str, count: int) -> np.ndarray:
    code = "b1" if t == "bool" else CODES[t]
    with np.errstate(all="ignore"):
        return np.array([interesting(rng, code) for _ in range(count)], t)


def make_case(seed: int) -> Case:
    generator = Generator(seed)
    source = generator.kernel()
    rng = random.Random(seed ^ 0x5EED)
    arrays = {
        name: numbers(rng, t, 8) for name, t in (generator.inputs | generator.outputs).items()
    }
    scalars = {
        name: (numbers(rng, t, 1)[0].item() if name in PYTHON else numbers(rng, t, 1)[0])
        for name, t in SCALARS.items()
    }
    return Case(seed, source, arrays, scalars, 8)


def compiled(case: Case):
    file = f"<numbapro {case.seed}>"
    linecache.cache[file] = (len(case.source), None, case.source.splitlines(True), file)
    space = {name: getattr(_types, name) for name in _types.__all__}
    space |= {"cuda": cuda, "math": math}
    exec(compile(case.source, file, "exec"), space)
    return cuda.autojit(space["k"], fmad=False)


def run_target(case: Case, kernel, target: str) -> dict[str, np.ndarray]:
    arrays = {name: a.copy() for name, a in case.arrays.items()}
    with _testing.use_target(assembled(target, case.seed)):
        kernel[1, case.threads](*arrays.values(), *case.scalars.values())
    return arrays


def run_model(case: Case) -> dict[str, np.ndarray]:
    function = case.parsed()
    _, *function.body = function.body  # i = cuda.grid(1)
    function.args.args.append(ast.arg("i"))
    flow = Flow(function, case.types | {"i": "int32"})
    arrays = {name: a.copy() for name, a in case.arrays.items()}
    scalars = {
        name: literal(value)._replace(type=SCALARS[name]) if name in PYTHON else typed(value)
        for name, value in case.scalars.items()
    }
    with np.errstate(all="ignore"):
        for i in range(case.threads):
            Machine(flow, arrays, scalars | {"i": Val("int32", i)}).run(function)
    return arrays


def typed(value: np.generic) -> Val:
    t = value.dtype.name
    return Val(t, value if is_float(t) else value.item())


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
                        f"{found[name][at]!r} by {target}\nscalars {case.scalars}\n{case.source}"
                    )
    except Exception:
        return f"seed {seed}: {traceback.format_exc()}"
    return None
