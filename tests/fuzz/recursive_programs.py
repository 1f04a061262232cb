"""Random helpers that call themselves and each other, whose depth the model knows.

Every helper takes `n`, which each call makes smaller, an array `a` or a view instead, a matrix
`w`, a local array `s` of a caller's, some int32, and maybe a float32 and a tuple. Functions within
them capture their variables and call themselves. Python runs the same source, with integers of 32
bits that wrap and NumPy's float32: that is the model.
"""

from __future__ import annotations

import linecache
import random
from dataclasses import dataclass

import numpy as np
from cuda import device as D
from cuda.device import _testing

from .harness import assembled
from .inlined_programs import same_bits

THREADS = 24
ELEMENTS = 32
OWN = 4  # elements of a local array
DEEPEST = 9  # calls; each makes at most two


class Wrapped(int):
    """An int32: what is computed with it wraps around."""


def _wraps(name: str):
    plain = getattr(int, name)

    def operation(self, *others):
        result = plain(self, *others)
        if result is NotImplemented:
            return result
        return Wrapped((int(result) + 2**31) % 2**32 - 2**31)

    return operation


for _name in ("add", "sub", "mul", "and", "or", "xor"):
    for _side in ("", "r"):
        setattr(Wrapped, f"__{_side}{_name}__", _wraps(f"__{_side}{_name}__"))


@dataclass
class Helper:
    name: str
    parameters: list[str]  # int32
    takes_float: bool
    takes_tuple: bool
    results: int  # int32
    gives_float: bool

    @property
    def ints(self) -> list[str]:
        return ["n", *self.parameters, *(["u[0]", "u[1][1]"] if self.takes_tuple else [])]

    @property
    def floats(self) -> list[str]:
        return [*(["q"] if self.takes_float else []), *(["u[1][0]"] if self.takes_tuple else [])]


class RecursiveProgram:
    """The source of a kernel `kernel(out, floats, a, w)` and its helpers."""

    def __init__(self, seed: int):
        self.seed = seed
        self.rng = random.Random(seed)
        self.helpers = [self._signature(k) for k in range(self.rng.randint(1, 3))]
        self.source = self._source()

    def _signature(self, k: int) -> Helper:
        parameters = [f"p{i}" for i in range(self.rng.randint(1, 3))]
        some = [self.rng.random() < 0.5 for _ in range(3)]
        return Helper(f"f{k}", parameters, some[0], some[1], self.rng.randint(1, 3), some[2])

    # ---- expressions

    def _value(self, names: list[str], depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.2:
            kind = self.rng.random()
            if kind < 0.55:
                return self.rng.choice(names)
            if kind < 0.7:
                return f"a[{self.rng.choice(names)} & {ELEMENTS - 1}]"
            if kind < 0.85:
                return f"s[{self.rng.choice(names)} & {OWN - 1}]"
            return str(self.rng.randint(0, 40))
        left, right = self._value(names, depth - 1), self._value(names, depth - 1)
        if self.rng.random() < 0.1:
            return f"({left} if {self._test(names)} else {right})"
        return f"({left} {self.rng.choice('+-*&|^')} {right})"

    def _float(self, names: list[str], floats: list[str], depth: int = 2) -> str:
        if depth == 0 or not floats or self.rng.random() < 0.3:
            if floats and self.rng.random() < 0.7:
                return self.rng.choice(floats)
            return f"F({self.rng.choice(names)})"
        left = self._float(names, floats, depth - 1)
        right = self._float(names, floats, depth - 1)
        right = self.rng.choice((right, right, "0.5", "-1.25"))
        return f"({left} {self.rng.choice('+-*')} {right})"

    def _test(self, names: list[str]) -> str:
        comparison = self.rng.choice(["<", "<=", "==", "!=", ">"])
        return f"{self.rng.choice(names)} {comparison} {self._value(names, 1)}"

    def _array(self, names: list[str]) -> str:
        """Of as many elements as `a`."""
        index = f"{self.rng.choice(names)} & {ELEMENTS - 1}"
        return self.rng.choice(("a", "a", "a", "a[::-1]", f"w[{index}]", f"w[:, {index}]"))

    def _call(self, helper: Helper, smaller: str, names: list[str], floats: list[str]) -> str:
        arguments = [smaller, self._array(names), "w", self.rng.choice(("s", "s", "o"))]
        if "o" not in self.own:
            arguments[3] = "s"
        arguments += [f"I({self._value(names)})" for _ in helper.parameters]
        if helper.takes_float:
            arguments.append(f"F({self._float(names, floats)})")
        if helper.takes_tuple:
            first, last = (f"I({self._value(names, 1)})" for _ in range(2))
            arguments.append(f"({first}, (F({self._float(names, floats, 1)}), {last}))")
        return f"{helper.name}({', '.join(arguments)})"

    # ---- statements

    def _returned(self, helper: Helper, names: list[str], floats: list[str]) -> str:
        values = [f"I({self._value(names)})" for _ in range(helper.results)]
        ints = f"({', '.join(values)},)"
        if not helper.gives_float:
            return f"return {ints}"
        return f"return {ints}, F({self._float(names, floats)})"

    def _targets(self, callee: Helper, number: int) -> tuple[str, list[str], list[str]]:
        ints = [f"v{number}{i}" for i in range(callee.results)]
        target = f"({', '.join(ints)},)"
        if not callee.gives_float:
            return target, ints, []
        return f"{target}, g{number}", ints, [f"g{number}"]

    def _recursion(
        self, names: list[str], floats: list[str], calls: int
    ) -> tuple[list[str], list[str], list[str]]:
        """Statements that call; the variables that they set."""
        lines: list[str] = []
        ints, reals = [], []
        for k in range(calls):
            callee = self.rng.choice(self.helpers)
            target, more, more_floats = self._targets(callee, k)
            smaller = f"n - {self.rng.randint(1, 2)}"
            call = self._call(callee, smaller, names + ints, floats + reals)
            lines.append(f"{target} = {call}")
            ints += more
            reals += more_floats
            if self.rng.random() < 0.4:
                place = f"{self.rng.choice(names + ints)} & {OWN - 1}"
                lines.append(f"s[{place}] = I({self._value(names + ints, 1)})")
        return lines, ints, reals

    def _own_array(self) -> list[str]:
        self.own.append("o")
        value = self._value(["k", "n"], 1)
        return [
            f"o = D.local_array({OWN}, D.int32)",
            f"for k in range({OWN}):",
            f"    o[k] = I({value})",
        ]

    def _closure(self, names: list[str], floats: list[str]) -> tuple[list[str], str]:
        """A function within that calls itself; an expression that calls it."""
        value = self._value([*names, "m"], 1)
        step = f"I({value})" if self.rng.random() < 0.5 else f"I(s[m & {OWN - 1}] + {value})"
        default = self.rng.random() < 0.3
        parameters = f"m, by={self.rng.choice(names)}" if default else "m"
        last = "I(by)" if default else f"I({self.rng.choice(names)})"
        lines = [
            f"def down({parameters}):",
            "    if m <= 0:",
            f"        return {last}",
            f"    return I({step} {self.rng.choice('+-^')} down(m - 1))",
        ]
        if floats and self.rng.random() < 0.5:
            lines[1:1] = [f"    if {self.rng.choice(floats)} > 1000.0:", "        return I(m)"]
        return lines, "down(n & 3)"

    def _helper(self, helper: Helper) -> list[str]:
        names, floats = list(helper.ints), list(helper.floats)
        self.own: list[str] = []
        more = [*(["q"] if helper.takes_float else []), *(["u"] if helper.takes_tuple else [])]
        lines = ["if n <= 0:", f"    {self._returned(helper, names, floats)}"]
        if self.rng.random() < 0.4:
            lines += self._own_array()
        if self.rng.random() < 0.5:  # an early return
            lines += [f"if {self._test(names)}:"]
            inner, ints, reals = self._recursion(names, floats, 1)
            lines += [f"    {line}" for line in inner]
            lines += [f"    {self._returned(helper, names + ints, floats + reals)}"]
        if self.rng.random() < 0.4:  # calls in a loop
            callee = self.rng.choice(self.helpers)
            call = self._call(callee, f"n - {self.rng.randint(2, 3)}", [*names, "c", "i"], floats)
            first = "[0][0]" if callee.gives_float else "[0]"
            lines += ["c = I(1)", "for i in range(n & 1, 2):", f"    c = c + {call}{first}"]
            names.append("c")
        if self.rng.random() < 0.4:
            inner, call = self._closure(names, floats)
            lines += [*inner, f"d = {call}"]
            names.append("d")
        inner, ints, reals = self._recursion(names, floats, self.rng.randint(1, 2))
        lines += [*inner, self._returned(helper, names + ints, floats + reals)]
        parameters = ["n", "a", "w", "s", *helper.parameters, *more]
        return [f"def {helper.name}({', '.join(parameters)}):", *(f"    {line}" for line in lines)]

    def _source(self) -> str:
        helpers = [line for helper in self.helpers for line in [*self._helper(helper), "", ""]]
        first = self.helpers[0]
        self.own = []
        call = self._call(first, f"t % {DEEPEST}", ["t"], [])
        target, ints, reals = self._targets(first, 0)
        return "\n".join(
            [
                *helpers,
                "@D.kernel(fmad=False)",
                "def kernel(out, floats, a, w):",
                "    t = D.tid(1)",
                f"    if t < {THREADS}:",
                f"        s = D.local_array({OWN}, D.int32)",
                f"        for k in range({OWN}):",
                "            s[k] = I(k * t)",
                f"        {target} = {call}",
                f"        out[t, 0] = {ints[0]}",
                f"        out[t, 1] = {ints[-1]}",
                "        out[t, 2] = s[0] + 3 * s[1] + 5 * s[2] + 7 * s[3]",
                f"        floats[t] = {reals[0] if reals else '0.0'}",
                "",
            ]
        )

    # ---- runs

    def _compiled(self, **names: object) -> dict[str, object]:
        file = f"<recursive {self.seed}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        space = dict(names)
        exec(compile(self.source, file, "exec"), space)
        return space

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(self.seed)
        shapes = ELEMENTS, (ELEMENTS, ELEMENTS)
        a, w = (rng.integers(-50, 50, shape).astype(np.int32) for shape in shapes)
        return a, w

    def expected(self) -> tuple[np.ndarray, np.ndarray]:
        class Python:
            t = 0
            int32 = Wrapped

            @staticmethod
            def kernel(fmad):
                return lambda function: function

            @staticmethod
            def local_array(size, _):
                return [Wrapped(0)] * size

            @classmethod
            def tid(cls, _):
                return cls.t

        space = self._compiled(D=Python, I=Wrapped, F=np.float32)
        out: dict[tuple[int, int], int] = {}
        floats = np.zeros(THREADS, dtype=np.float32)
        wrapped = np.vectorize(Wrapped, otypes=[object])
        a, w = (wrapped(x) for x in self.data())
        with np.errstate(all="ignore"):
            for Python.t in range(THREADS):
                space["kernel"](out, floats, a, w)
        ints = [[out[t, k] for k in range(3)] for t in range(THREADS)]
        return np.array(ints, dtype=np.int32), floats

    def run(self, target: str) -> tuple[np.ndarray, np.ndarray]:
        kernel = self._compiled(D=D, I=D.int32, F=D.float32)["kernel"]
        out = np.zeros((THREADS, 3), dtype=np.int32)
        floats = np.zeros(THREADS, dtype=np.float32)
        with _testing.use_target(assembled(target, self.seed)):
            D.launch(kernel, out, floats, *self.data(), grid=2, block=16)
        return out, floats


def source_of(seed: int) -> str:
    return RecursiveProgram(seed).source


def check(seed: int, targets: list[str]) -> str | None:
    """What differs, with the source; None: nothing."""
    program = RecursiveProgram(seed)
    ints, floats = program.expected()
    for target in targets:
        found, found_floats = program.run(target)
        same = found == ints
        same_floats = same_bits(found_floats, floats)
        if not same.all():
            place = tuple(np.argwhere(~same)[0])
            return (
                f"seed {seed}, {target}: thread {place[0]}, result {place[1]}: found "
                f"{found[place]}, expected {ints[place]}\n{program.source}"
            )
        if not same_floats.all():
            t = np.argmin(same_floats)
            return (
                f"seed {seed}, {target}: thread {t}: found {found_floats[t]}, expected "
                f"{floats[t]}\n{program.source}"
            )
    return None
