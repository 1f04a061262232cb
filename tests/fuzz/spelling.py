"""Other spellings of statements in random programs: nested functions, closures, match.

What they mean stays what it is; only the source changes. The choice has random numbers of its own,
so that the rest of a program stays what it is.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from dataclasses import dataclass

from .expression_tree import Thread
from .program import Assign, Body, If, Join, suite


def assigned(body: Body) -> Counter[str]:
    """How often the source assigns each variable; those of loops are assigned again and again."""
    nodes = list(ast.walk(ast.parse("def f():\n" + "\n".join(body.lines("    ")))))
    targets = [loop.target for loop in nodes if isinstance(loop, ast.For)]
    again = [part for target in targets for part in ast.walk(target)]
    names = [n for n in (*nodes, *again) if isinstance(n, ast.Name)]
    return Counter(n.id for n in names if isinstance(n.ctx, ast.Store))


@dataclass
class Called:
    """An assignment of what a function within the kernel gives.

    It takes as arguments what is assigned more than once, and reads the rest of the kernel around.
    """

    statement: Assign
    taken: list[str]
    lambda_: bool

    def lines(self, pad: str):
        function, value = f"f_{self.statement.name}", self.statement.value.text()
        names = ", ".join(self.taken)
        if self.lambda_:
            yield (
                f"{pad}{function} = lambda {names}: {value}"
                if names
                else (f"{pad}{function} = lambda: {value}")
            )
        else:
            yield f"{pad}def {function}({names}):"
            yield f"{pad}    return {value}"
        yield f"{pad}{self.statement.name} = {function}({names})"

    def run(self, t: Thread) -> None:
        self.statement.run(t)


@dataclass
class Matched:
    """`if` and its other side as cases of a match."""

    statement: If | Join

    def lines(self, pad: str):
        s = self.statement
        yes, no = s.yes, s.no
        if isinstance(s, Join):
            yes, no = Body([Assign(s.name, s.yes)]), Body([Assign(s.name, s.no)])
        yield f"{pad}match bool({s.test.text()}):"
        yield from suite(pad + "    ", "case True", yes)
        yield from suite(pad + "    ", "case _", no)

    def run(self, t: Thread):
        return self.statement.run(t)


class Speller:
    def __init__(self, seed: int):
        self.random = random.Random(f"spelling {seed}")

    def wanted(self) -> bool:
        return self.random.random() < 0.3

    def spell(self, body: Body) -> None:
        self.counts = assigned(body)
        self.enter(body)

    def enter(self, body: Body) -> None:
        for k, statement in enumerate(body.statements):
            parts = [getattr(statement, name, None) for name in ("yes", "no", "body", "orelse")]
            for part in parts:
                if isinstance(part, Body):
                    self.enter(part)
            if type(statement) is Assign and self.random.random() < 0.6:
                body.statements[k] = self.called(statement)
            elif type(statement) in (If, Join) and self.random.random() < 0.4:
                body.statements[k] = Matched(statement)

    def called(self, statement: Assign) -> Called:
        names = [n for n in ast.walk(ast.parse(statement.value.text())) if isinstance(n, ast.Name)]
        read = sorted({n.id for n in names})
        taken = [name for name in read if self.counts[name] > 1]
        return Called(statement, taken, self.random.random() < 0.3)
