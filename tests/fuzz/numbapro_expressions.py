"""Writes kernels of NumbaPro's dialect: expressions of real and complex numbers."""

from __future__ import annotations

import random

from support.numbapro_rules import REAL
from support.numbapro_values import is_int

SCALARS = {"s": "int32", "w": "uint32", "f": "float32", "n": "int64", "d": "float64"}
LARGE = (1 << 63, (1 << 64) - 1)  # literals without a sign
ODD = ((1 << 24) + 1, (1 << 53) + 1)  # which float32 and float64 do not have
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Expressions:
    """What there is to read, and expressions of it."""

    def __init__(self, seed: float):
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = 0
        self.variables: list[str] = list(SCALARS)  # assigned on every path
        self.counters: set[str] = set()  # that end `while` loops
        self.counting: list[str] = []  # what the `for` loops around count with
        self.whole_names: list[str] = []  # variables that are integers here
        self.complexes: dict[str, str] = {}  # variables that are complex numbers, and their types
        chosen = self.random.sample(REAL, 5)
        self.inputs = {f"a{k}": t for k, t in enumerate(chosen[:3])}
        if self.chance(0.4):
            self.inputs["a2"] = self.inputs["a0"]  # arrays that stand in for each other
        self.outputs = {f"o{k}": t for k, t in enumerate([*chosen[3:], "float64", "int64"])}
        self.has_complex = self.chance(0.4)
        if self.has_complex:
            self.inputs |= {"z0": "complex64", "z1": "complex128"}
            self.outputs |= {"q0": "complex64", "q1": "complex128"}
        self.threads = self.random.choice((4, 8))  # of a block
        self.shared: dict[str, tuple[str, tuple[int, ...]]] = {}
        self.reads_all = False  # the elements of other threads are written before, and not now
        # How many numbers and arrays each takes, and how many results it has.
        self.functions: dict[str, tuple[int, int, int]] = {}
        self.complex_functions: list[str] = []

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
        if any(results == 1 for *_, results in self.functions.values()):
            kinds[self.call] = 3
        if self.has_complex:
            kinds[self.part] = 2
        make = self.random.choices(list(kinds), list(kinds.values()))[0]
        return make(depth - 1)

    def leaf(self) -> str:
        kind = self.random.random()
        if kind < 0.55:
            return self.random.choice(self.variables)
        if kind < 0.75:
            return self.element()
        return self.attribute() if kind < 0.8 else self.literal()

    def reals(self) -> list[str]:
        return [name for name, t in self.inputs.items() if t in REAL]

    def element(self) -> str:
        if self.shared and self.chance(0.5):
            return self.shared_element(self.random.choice(list(self.shared)))
        reals = self.reals()
        return f"{self.random.choice(reals)}[{self.index()}]" if reals else self.literal()

    def shared_element(self, name: str, own: bool = False) -> str:
        """Of the thread itself, or after a barrier of any."""
        at = "t"
        if self.reads_all and not own:
            at = self.random.choice(
                (f"(t + {self.random.randint(1, 9)}) % {self.threads}", "-1 - t")
            )
        if len(self.shared[name][1]) == 1:
            return f"{name}[{at}]"
        rows = f"({at}) % {self.threads} // 2, ({at}) % 2"
        return f"{name}[{rows}]"

    def attribute(self) -> str:
        names = [*self.inputs, *self.shared]
        if not names:
            return self.literal()
        name = self.random.choice(names)
        return self.random.choice(
            (
                f"{name}.size",
                f"{name}.ndim",
                f"{name}.shape[0]",
                f"{name}.strides[0]",
                f"len({name})",
            )
        )

    def literal(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return str(self.random.randint(0, 9))
        if kind < 0.6:
            return str(
                self.random.choice((255, 70000, 2147483647, 2147483648, 1 << 40, *LARGE, *ODD))
            )
        if kind < 0.65:
            return self.random.choice(("True", "False"))
        return str(self.random.randint(1, 40) / 8)

    def number(self) -> str:
        """Of a type that is chosen alone, often one that other types do not have."""
        t = self.random.choice(REAL[1:])
        if self.chance(0.4):
            return f"{t}({self.expression(1)})"
        odd = self.random.choice(ODD)
        return f"{t}({self.random.choice((odd, -odd, 0.75, -2.5, 300, 3))})"

    def index(self) -> str:
        if self.whole_names and self.chance(0.3):
            return f"{self.random.choice(self.whole_names)} % 8"
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
        if self.chance(0.3):  # of two types, one of which may have no sign
            return f"({self.whole(depth)} ** {self.whole(depth)})"
        return f"({self.whole(depth)} ** {self.random.randint(0, 5)})"

    def unary(self, depth: int) -> str:
        kind = self.random.choice(("-", "+", "not ", "~", "abs"))
        if kind == "~":
            return f"(~{self.whole(depth)})"
        inner = self.expression(depth)
        if kind == "-" and inner == str(LARGE[1]):  # no literal: its sign belongs to it
            inner = str(LARGE[0])
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

    def call(self, depth: int) -> str:
        """A call of a device function with one result."""
        return self.call_of(
            self.random.choice([f for f, each in self.functions.items() if each[2] == 1]), depth
        )

    def call_of(self, name: str, depth: int) -> str:
        numbers, arrays, _ = self.functions[name]
        given = [self.expression(min(depth, 1)) for _ in range(numbers)]
        given += [self.random.choice(self.reals()) for _ in range(arrays)]
        return f"{name}({', '.join([*given, *(['i'] if arrays else [])])})"

    # --- complex numbers: the type of each is known ---

    def complex(self, t: str, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.2):
            return self.complex_leaf(t)
        makers = [self.complex_arithmetic] * 5 + [self.complex_sign, self.complex_choice]
        if self.complex_functions:
            makers.append(self.complex_call)
        return self.random.choice(makers)(t, depth - 1)

    def complex_leaf(self, t: str) -> str:
        known = [name for name, each in self.complexes.items() if each == t]
        arrays = [name for name, each in self.inputs.items() if each == t]
        kind = self.random.random()
        if known and kind < 0.5:
            return self.random.choice(known)
        if arrays and kind < 0.7:
            return f"{self.random.choice(arrays)}[{self.index()}]"
        if t == "complex128" and kind < 0.85:
            if self.chance(0.3):
                return f"complex({self.expression(1)}, {self.expression(1)})"
            return f"{self.random.randint(0, 12) / 4}j"
        other = self.random.choice(("complex64", "complex128"))
        inner = self.expression(1) if self.chance(0.6) else self.complex(other, 0)
        return f"{t}({inner})"

    def narrower(self, t: str, depth: int) -> str:
        """A number that makes no other type of one of type t."""
        kinds = ["complex64", "float32", "int", "literal"]
        if t == "complex128":
            kinds += ["complex128", "float64"] * 2
        kind = self.random.choice(kinds)
        if kind.startswith("complex"):
            return self.complex(kind, depth)
        if kind == "literal":
            return str(self.random.randint(0, 5)) if t == "complex64" else self.literal()
        return f"{kind}({self.expression(1)})" if kind != "int" else self.whole(1)

    def complex_arithmetic(self, t: str, depth: int) -> str:
        operands = [self.complex(t, depth), self.narrower(t, depth)]
        self.random.shuffle(operands)
        return f"({operands[0]} {self.random.choice('+-*')} {operands[1]})"

    def complex_sign(self, t: str, depth: int) -> str:
        return f"({self.random.choice('+-')}({self.complex(t, depth)}))"

    def complex_choice(self, t: str, depth: int) -> str:
        return f"({self.complex(t, depth)} if {self.test()} else {self.complex(t, depth)})"

    def complex_call(self, t: str, depth: int) -> str:
        name = self.random.choice(self.complex_functions)
        return f"{name}({self.complex(t, depth)}, {self.narrower(t, 0)})"

    def part(self, depth: int) -> str:
        """A real number of a complex one."""
        z = self.complex(self.random.choice(("complex64", "complex128")), min(depth, 1))
        return self.random.choice((f"({z}).real", f"({z}).imag", f"bool_({z})", f"(not {z})"))
