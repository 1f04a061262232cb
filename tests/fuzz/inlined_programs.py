"""Random helpers of float32 that are called or inlined: products, sums, closures and targets.

Every program runs with its helpers called when the kernel runs, inlined at every call, and as the
compiler chooses: all give the same bits, with products and sums contracted and without. Without,
Python runs the same source with NumPy's float32: that is the model. A quarter of the programs adds
long sums by pairs, of which the bits of inlined helpers are the model.
"""

from __future__ import annotations

import ast
import functools
import linecache
import random
import types
from dataclasses import dataclass

import numpy as np
from cuda import device as D
from cuda.device import _testing

from .harness import assembled

THREADS = 24
ELEMENTS = 32
INLININGS = ("always", "never", None)
CONSTANTS = ("0.5", "1.25", "-3.0", "2.0", "0.75", "-1.0")


@dataclass
class Helper:
    name: str
    parameters: list[str]
    results: int
    takes_function: bool  # of one float, as its first argument


def joined(compared: object, value: object) -> object:
    """A value where two paths meet, of which a comparison with `compared` chose one: a float32. Of
    two constants the compiler knows the outcome, so there is one path. A function is itself."""
    if callable(value):
        return value
    return np.float32(value) if isinstance(compared, np.floating) else value  # type: ignore[arg-type]


class Joins(ast.NodeTransformer):
    """Rounds to float32 where paths meet, as kernels do: a constant that only one definition brings
    stays exact, in Python a float64, and one of several does not."""

    @staticmethod
    def _call(function: str, *values: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(function, ast.Load()), list(values), [])

    @staticmethod
    def _compared(test: ast.expr) -> ast.expr | None:
        """What is compared; None where the target chooses the path."""
        return test.left if isinstance(test, ast.Compare) else None

    @staticmethod
    def _numbers(body: list[ast.stmt]) -> list[str]:
        """The variables that the statements assign numbers to."""
        assigned = [
            statement.targets[0]
            for statement in body
            if isinstance(statement, ast.Assign) and not isinstance(statement.value, ast.Lambda)
        ]
        return sorted({target.id for target in assigned if isinstance(target, ast.Name)})

    def _joins(self, names: list[str], function: str, *before: ast.expr) -> list[ast.stmt]:
        return [
            ast.Assign(
                [ast.Name(name, ast.Store())],
                self._call(function, *before, ast.Name(name, ast.Load())),
            )
            for name in names
        ]

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        compared = self._compared(node.test)
        return node if compared is None else self._call("joined", compared, node)

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        names, compared = self._numbers(node.body), self._compared(node.test)
        self.generic_visit(node)
        return [node] if compared is None else [node, *self._joins(names, "joined", compared)]

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        names = self._numbers(node.body)
        self.generic_visit(node)
        node.body[:0] = self._joins(names, "F")
        return [node, *self._joins(names, "F")]


class InlinedProgram:
    """The source of a kernel `kernel(out, a)` and its helpers."""

    def __init__(self, seed: int, plain: bool = False):
        """plain: without what came later, functions with captures as arguments and sums by pairs;
        other programs then, so that those that once failed stay what they are."""
        self.seed = seed
        self.plain = plain
        self.by_pairs = not plain and seed % 4 == 3
        self.rng = random.Random(seed)
        self.helpers: list[Helper] = []
        self.fresh = 0
        self.in_kernel = False
        lines: list[str] = []
        for k in range(self.rng.randint(2, 5)):
            lines += [*self._helper(k), "", ""]
        self.source = "\n".join([*lines, *self._kernel(), ""])

    def _name(self) -> str:
        self.fresh += 1
        return f"v{self.fresh}"

    # ---- expressions

    def _value(self, names: list[str], depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.15:
            return self.rng.choice(CONSTANTS if self.rng.random() < 0.15 else names)
        kind = self.rng.random()
        if kind < 0.15 and self.helpers:
            return self._call(self.rng.choice(self.helpers), names, depth - 1)
        left, right = self._value(names, depth - 1), self._value(names, depth - 1)
        if kind < 0.22:
            return f"({left} if {self._test(names)} else {right})"
        if not self.plain and kind < 0.32:  # a sum of many terms
            terms = [self._value(names, depth - 1) for _ in range(self.rng.randint(2, 4))]
            return f"({left} - {right} + {' + '.join(terms)})"
        if not self.plain and kind < 0.4:
            return self._chosen(names, depth - 1)
        if kind < 0.28:
            return f"({left} if D.target(D.{self._target()}) else {right})"
        return f"({left} {self.rng.choice('++-***')} {right})"

    def _test(self, names: list[str]) -> str:
        return f"{self.rng.choice(names)} {self.rng.choice('<>')} {self.rng.choice(CONSTANTS)}"

    def _target(self) -> str:
        return self.rng.choice(("is_device", "is_host", "any_target", "no_target"))

    def _function(self, names: list[str]) -> str:
        """A function of one float."""
        if not self.plain and self.rng.random() < 0.25:
            captures = f"{self.rng.choice('+-*')} {self._value(names, 1)}"
            return f"lambda z: {self._arithmetic('z')} {captures}"
        simple = [h for h in self.helpers if not h.takes_function and h.results == 1]
        if not simple or (self.in_kernel and self.rng.random() < 0.3):
            return f"lambda z: {self._arithmetic('z')}" if self.in_kernel else "abs"
        helper = self.rng.choice(simple)
        bound = [self.rng.choice(CONSTANTS) for _ in helper.parameters[1:]]
        if not bound:
            return helper.name
        return f"functools.partial({', '.join([helper.name, *bound])})"

    def _chosen(self, names: list[str], depth: int) -> str:
        """A call of one of several functions: what it gives is rounded where they meet."""
        functions = [f"({self._function(names)})" for _ in range(self.rng.randint(2, 3))]
        if len(functions) == 2:
            chosen = f"({functions[0]} if {self._test(names)} else {functions[1]})"
        else:
            index = f"int({self._test(names)}) + int({self._test(names)})"
            chosen = f"({', '.join(functions)})[{index}]"
        return f"F({chosen}({self._value(names, depth)}))"

    def _arithmetic(self, name: str) -> str:
        first, second = self.rng.sample(CONSTANTS, 2)
        return self.rng.choice(
            (f"{name} * {first}", f"{name} * {name} + {second}", f"{name} - 1.0")
        )

    def _call(self, helper: Helper, names: list[str], depth: int) -> str:
        arguments = [self._value(names, depth) for _ in helper.parameters]
        if helper.takes_function:
            arguments.insert(0, self._function(names))
        call = f"{helper.name}({', '.join(arguments)})"
        return call if helper.results == 1 else f"{call}[{self.rng.randrange(helper.results)}]"

    # ---- statements

    def _statement(self, names: list[str]) -> list[str]:
        kind, name = self.rng.random(), self._name()
        if kind < 0.35:
            lines = [f"{name} = {self._value(names)}"]
        elif kind < 0.5:
            lines = [
                f"{name} = {self._value(names, 1)}",
                f"if {self._test(names)}:",
                f"    {name} = {self._value([*names, name], 1)}",
            ]
        elif kind < 0.65:
            lines = [
                f"{name} = {self._value(names, 1)}",
                f"for i in range({self.rng.randint(1, 3)}):",
                f"    {name} = {self._value([*names, name])} * 0.25",
            ]
        elif kind < 0.8:
            lines = [
                f"def {name}f(z):",
                f"    return z * {self.rng.choice(names)} + {self._value([*names, 'z'], 1)}",
                f"{name} = {name}f({self._value(names, 1)}) + {self.rng.choice(names)}",
            ]
        elif kind < 0.9:
            capture = self.rng.choice(names)
            lines = [
                f"{name}f = lambda z: {self._arithmetic('z')} + {capture}",
                f"{name} = {name}f({self._value(names, 1)}) * {self.rng.choice(names)}",
            ]
        else:
            lines = [
                f"if D.target(D.{self._target()}):",
                f"    {name} = {self._value(names, 1)}",
                "else:",
                f"    {name} = {self._value(names, 1)}",
            ]
        names.append(name)
        return lines

    def _helper(self, k: int) -> list[str]:
        parameters = [f"p{i}" for i in range(self.rng.randint(1, 3))]
        helper = Helper(f"h{k}", parameters, self.rng.choice((1, 1, 2)), self.rng.random() < 0.2)
        names = list(parameters)
        body: list[str] = []
        if helper.takes_function:
            body.append("u = g(p0)")
            names.append("u")
        for _ in range(self.rng.randint(0, 2)):
            body += self._statement(names)

        def returned(depth: int) -> str:
            values = [f"F({self._value(names, depth)})" for _ in range(helper.results)]
            return "return " + ", ".join(values)

        if self.rng.random() < 0.3:
            body += [f"if {self._test(names)}:", f"    {returned(1)}"]
        body.append(returned(2))
        own = ["g"] if helper.takes_function else []
        self.helpers.append(helper)
        return [
            "@D.func(inline=INLINE)",
            f"def {helper.name}({', '.join([*own, *parameters])}):",
            *[f"    {line}" for line in body],
        ]

    def _kernel(self) -> list[str]:
        names = ["x", "y"]
        self.in_kernel = True
        body = [line for _ in range(self.rng.randint(0, 2)) for line in self._statement(names)]
        first = self._call(self.helpers[-1], names, 1)
        return [
            "@D.kernel(fmad=FMAD" + (', fastmath={"reassociate"})' if self.by_pairs else ")"),
            "def kernel(out, a):",
            "    t = D.tid(1)",
            f"    if t < {THREADS}:",
            f"        x = a[t % {ELEMENTS}]",
            f"        y = a[(t * 7 + 3) % {ELEMENTS}]",
            *[f"        {line}" for line in body],
            f"        out[t, 0] = {first} + {self._value(names, 1)}",
            f"        out[t, 1] = {self._value(names, 3)}",
        ]

    # ---- runs

    def _compiled(self, **names: object) -> dict[str, object]:
        file = f"<inlined {self.seed}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(True), file)
        return self._run(compile(self.source, file, "exec"), names)

    @staticmethod
    def _run(code: types.CodeType, names: dict[str, object]) -> dict[str, object]:
        space = {"functools": functools, "joined": joined, **names}
        exec(code, space)
        return space

    def _model(self, **names: object) -> dict[str, object]:
        tree = ast.fix_missing_locations(Joins().visit(ast.parse(self.source)))
        return self._run(compile(tree, f"<model {self.seed}>", "exec"), names)

    def data(self) -> np.ndarray:
        return np.random.default_rng(self.seed).uniform(-2, 2, ELEMENTS).astype(np.float32)

    def expected(self) -> np.ndarray:
        """Without contraction."""

        class Python:
            t = 0
            is_device = any_target = True
            is_host = no_target = False

            @staticmethod
            def kernel(fmad, fastmath=()):
                return lambda function: function

            func = staticmethod(lambda inline: lambda function: function)
            target = staticmethod(lambda answer: answer)

            @classmethod
            def tid(cls, _):
                return cls.t

        space = self._model(D=Python, F=np.float32, FMAD=False, INLINE=None)
        out = np.zeros((THREADS, 2), dtype=np.float32)
        a = self.data()
        with np.errstate(all="ignore"):
            for Python.t in range(THREADS):
                space["kernel"](out, a)
        return out

    def run(self, target: str, inline: str | None, fmad: bool) -> np.ndarray:
        kernel = self._compiled(D=D, F=D.float32, FMAD=fmad, INLINE=inline)["kernel"]
        out = np.zeros((THREADS, 2), dtype=np.float32)
        with _testing.use_target(assembled(target, self.seed)):
            D.launch(kernel, out, self.data(), grid=2, block=16)
        return out


def same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))


def source_of(seed: int) -> str:
    return InlinedProgram(seed).source


def check(seed: int, targets: list[str], plain: bool = False) -> str | None:
    """What differs, with the source; None: nothing."""
    program = InlinedProgram(seed, plain)
    for fmad in (True, False):
        has_model = not fmad and not program.by_pairs
        expected = program.expected() if has_model else program.run(targets[0], "always", fmad)
        for target in targets:
            for inline in INLININGS:
                same = same_bits(program.run(target, inline, fmad), expected)
                if not same.all():
                    thread, result = np.argwhere(~same)[0]
                    return (
                        f"seed {seed}, {target}, inline={inline!r}, fmad={fmad}: thread {thread}, "
                        f"result {result} differs\n{program.source}"
                    )
    return None
