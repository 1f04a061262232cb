"""Random helpers that call themselves and each other, whose depth the model knows.

Every helper takes `n`, which each call makes smaller, some int32 and an array. Python runs the same
source, with integers of 32 bits that wrap: that is the model.
"""

from __future__ import annotations

import linecache
import random
from dataclasses import dataclass

import numpy as np
from cuda import device as D
from support.targets import use_target

THREADS = 24
ELEMENTS = 32
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
    parameters: list[str]  # after n and the array
    results: int  # 0: it stores only


class RecursiveProgram:
    """The source of a kernel `kernel(out, data)` and its helpers."""

    def __init__(self, seed: int):
        self.seed = seed
        self.rng = random.Random(seed)
        count = self.rng.randint(1, 3)
        self.helpers = [
            Helper(
                f"f{k}", [f"p{i}" for i in range(self.rng.randint(1, 3))], self.rng.randint(1, 3)
            )
            for k in range(count)
        ]
        self.source = self._source()

    # ---- expressions

    def _value(self, names: list[str], depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.2:
            kind = self.rng.random()
            if kind < 0.6:
                return self.rng.choice(names)
            if kind < 0.8:
                return f"a[{self.rng.choice(names)} & {ELEMENTS - 1}]"
            return str(self.rng.randint(0, 40))
        left, right = self._value(names, depth - 1), self._value(names, depth - 1)
        if self.rng.random() < 0.1:
            return f"({left} if {self._test(names)} else {right})"
        return f"({left} {self.rng.choice('+-*&|^')} {right})"

    def _test(self, names: list[str]) -> str:
        comparison = self.rng.choice(["<", "<=", "==", "!=", ">"])
        return f"{self.rng.choice(names)} {comparison} {self._value(names, 1)}"

    def _call(self, helper: Helper, smaller: str, names: list[str]) -> str:
        arguments = [f"I({self._value(names)})" for _ in helper.parameters]
        return f"{helper.name}({', '.join([smaller, 'a', *arguments])})"

    # ---- statements

    def _returned(self, helper: Helper, names: list[str]) -> str:
        values = [f"I({self._value(names)})" for _ in range(helper.results)]
        return "return " + ", ".join(values)

    def _recursion(self, names: list[str], calls: int) -> tuple[list[str], list[str]]:
        """Statements that call; the variables that they set."""
        lines, made = [], []
        for k in range(calls):
            callee = self.rng.choice(self.helpers)
            targets = [f"v{k}{i}" for i in range(callee.results)]
            smaller = f"n - {self.rng.randint(1, 2)}"
            lines.append(f"{', '.join(targets)} = {self._call(callee, smaller, names + made)}")
            made += targets
        return lines, made

    def _helper(self, helper: Helper) -> list[str]:
        names = ["n", *helper.parameters]
        lines = [f"def {helper.name}(n, a, {', '.join(helper.parameters)}):"]
        lines += ["    if n <= 0:", f"        {self._returned(helper, names)}"]
        if self.rng.random() < 0.5:  # an early return
            lines += [f"    if {self._test(names)}:"]
            inner, made = self._recursion(names, 1)
            lines += [f"        {line}" for line in inner]
            lines += [f"        {self._returned(helper, names + made)}"]
        if self.rng.random() < 0.4:  # calls in a loop
            callee = self.rng.choice(self.helpers)
            call = self._call(callee, f"n - {self.rng.randint(2, 3)}", [*names, "s", "i"])
            first = "[0]" if callee.results > 1 else ""
            lines += [
                "    s = I(1)",
                "    for i in range(n & 1, 2):",
                f"        s = s + {call}{first}",
            ]
            names.append("s")
        inner, made = self._recursion(names, self.rng.randint(1, 2))
        lines += [f"    {line}" for line in inner]
        return [*lines, f"    {self._returned(helper, names + made)}"]

    def _source(self) -> str:
        helpers = [line for helper in self.helpers for line in [*self._helper(helper), "", ""]]
        first = self.helpers[0]
        arguments = ", ".join(f"I({self._value(['t'])})" for _ in first.parameters)
        element = "r[0]" if first.results > 1 else "r"
        last = "r[-1]" if first.results > 1 else "r"
        return "\n".join(
            [
                *helpers,
                "@D.kernel",
                "def kernel(out, a):",
                "    t = D.tid(1)",
                f"    if t < {THREADS}:",
                f"        r = {first.name}(t % {DEEPEST}, a, {arguments})",
                f"        out[t, 0] = {element}",
                f"        out[t, 1] = {last}",
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

    def data(self) -> np.ndarray:
        return np.random.default_rng(self.seed).integers(-50, 50, ELEMENTS).astype(np.int32)

    def expected(self) -> np.ndarray:
        class Python:
            t = 0

            @staticmethod
            def kernel(function):
                return function

            @classmethod
            def tid(cls, _):
                return cls.t

        space = self._compiled(D=Python, I=Wrapped)
        out: dict[tuple[int, int], int] = {}
        a = [Wrapped(x) for x in self.data()]
        for Python.t in range(THREADS):
            space["kernel"](out, a)
        return np.array([[out[t, k] for k in range(2)] for t in range(THREADS)], dtype=np.int32)

    def run(self, target: str) -> np.ndarray:
        kernel = self._compiled(D=D, I=D.int32)["kernel"]
        out = np.zeros((THREADS, 2), dtype=np.int32)
        with use_target(target):
            D.launch(kernel, out, self.data(), grid=2, block=16)
        return out


def check(seed: int, targets: list[str]) -> str | None:
    """What differs, with the source; None: nothing."""
    program = RecursiveProgram(seed)
    expected = program.expected()
    for target in targets:
        found = program.run(target)
        if not np.array_equal(found, expected):
            place = np.argwhere(found != expected)[0]
            return (
                f"seed {seed}, {target}: thread {place[0]}, result {place[1]}: found "
                f"{found[tuple(place)]}, expected {expected[tuple(place)]}\n{program.source}"
            )
    return None
