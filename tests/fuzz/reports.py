"""What threads of random programs say: assert, raise and print, put into programs that are made.

A check may hold for all threads, fail for one, or for many. Which of several failures a launch
tells is not defined, and what arrays hold then is not either: a target must fail where the model
does, by a failure that the model knows. Lines are compared as a multiset.
"""

from __future__ import annotations

import collections
import dataclasses
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy

from . import model
from .model import is_record


class Failed(Exception):
    """The check of a thread of the model does not hold."""


@dataclass
class Said:
    lines: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: set[str] = field(default_factory=set)  # all that may be told


@dataclass
class Side:
    """One of two texts, chosen by a comparison."""

    test: object
    texts: tuple[str, str]

    def field(self) -> str:
        yes, no = self.texts
        return f"{{'{yes}' if {self.test.text()} else '{no}'}}"

    def run(self, t) -> str:
        return self.texts[0 if self.test.run(t).number != 0 else 1]


@dataclass
class Check:
    test: object
    text: str
    raises: str  # "AssertionError": an assert
    names: list[str] = field(default_factory=list)  # of variables in its message
    as_tuple: bool = False
    side: Side | None = None  # at the end of a message that is one text

    def message(self) -> str:
        if not self.names and not self.side:
            return f'"{self.text}"'
        if self.as_tuple:
            return f'"{self.text}", {", ".join(self.names)}'
        fields = [f"{{{n}}}" for n in self.names] + ([self.side.field()] if self.side else [])
        return f'f"{self.text} ' + " ".join(fields) + '"'

    def lines(self, pad: str):
        if self.raises == "AssertionError":
            message = f"({self.message()})" if self.as_tuple else self.message()
            yield f"{pad}assert {self.test.text()}, {message}"
        else:
            yield f"{pad}if not {self.test.text()}:"
            yield f"{pad}    raise {self.raises}({self.message()})"

    def run(self, t) -> None:
        if self.test.run(t).number != 0:
            return
        values = [text_of(t.variables[name]) for name in self.names]
        if self.as_tuple:
            raise Failed(f"{self.raises} ({', '.join([repr(self.text), *values])})")
        if self.side:
            values.append(self.side.run(t))
        raise Failed(" ".join([self.raises, self.text, *values]))


@dataclass
class Print:
    head: str
    names: list[str]
    formatted: bool
    side: Side | None = None  # at the end of one text

    def fields(self) -> list[str]:
        return [f"{{{n}}}" for n in self.names] + ([self.side.field()] if self.side else [])

    def lines(self, pad: str):
        if self.formatted:
            yield pad + f'print(f"{self.head} ' + " ".join(self.fields()) + '")'
        else:
            yield f'{pad}print("{self.head}", {", ".join(self.names)})'

    def run(self, t) -> None:
        texts = [text_of(t.variables[name]) for name in self.names]
        if self.formatted and self.side:
            texts.append(self.side.run(t))
        t.said.lines[" ".join([self.head, *texts])] += 1


def text_of(v: model.Val) -> str:
    """As Python writes it; the narrower formats by their own shortest digits."""
    if v.type == "b1":
        return str(bool(v.number))
    if not model.is_float(v.type):
        return str(int(v.number))
    if v.type in model.SMALL and numpy.isfinite(numpy.float64(v.number)):
        return repr(shortest(v))
    return repr(float(str(model.NUMPY[model.machine(v.type)](v.number))))


def shortest(v: model.Val) -> float:
    """The number with fewest digits that is this one in its small format."""
    texts = (f"{float(v.number):.{digits}g}" for digits in range(1, 20))
    return next(float(text) for text in texts if model.small(v.type, float(text)) == v.number)


class Reporter:
    """Puts reports into the bodies of a program, where the variables that they read are known."""

    def __init__(self, seed: int, comparison: Callable[[random.Random, str], object]):
        self.random = random.Random(seed ^ 0xFA11)
        self.comparison = comparison  # with the variable of this name
        self.count = 0

    def wanted(self) -> bool:
        return self.random.random() < 0.4

    def enter(self, body, names: list[str]) -> None:
        names, statements = list(names), []
        for statement in body.statements:
            if self.random.random() < 0.12 and self.count < 4:
                statements.append(self.report(names))
            for child in ("yes", "no", "body", "orelse"):
                inner = getattr(statement, child, None)
                if dataclasses.is_dataclass(inner) and hasattr(inner, "statements"):
                    self.enter(inner, names)
            if hasattr(statement, "statements"):
                self.enter(statement, names)
            kind = type(statement).__name__
            stored = {"Assign": "value", "Join": "yes"}.get(kind)
            if stored and not is_record(getattr(statement, stored).type):
                names.append(statement.name)
            statements.append(statement)
        body.statements = statements

    def report(self, names: list[str]):
        self.count += 1
        if self.random.random() < 0.4:
            some = self.random.sample(
                sorted(set(names)), min(len(names), self.random.randint(1, 3))
            )
            formatted = self.random.random() < 0.5
            side = self.side(names) if formatted else None
            return Print(f"p{self.count}", some, formatted, side)
        raises = self.random.choice(("AssertionError", "AssertionError", "ValueError"))
        test = self.comparison(self.random, self.random.choice(names))
        some = self.random.sample(
            sorted(set(names)), min(len(set(names)), self.random.randint(0, 3))
        )
        as_tuple = bool(some) and self.random.random() < 0.4
        side = None if as_tuple else self.side(names)
        return Check(test, f"failure {self.count}", raises, some, as_tuple, side)

    def side(self, names: list[str]) -> Side | None:
        if self.random.random() < 0.5:
            return None
        test = self.comparison(self.random, self.random.choice(names))
        return Side(
            test, self.random.choice([("low", "high"), ("", "x"), ("a|b", "c"), ("same", "same")])
        )


def told(error: Exception) -> str:
    """A failure as the model names it."""
    name = type(error).__name__.removeprefix("Kernel")
    text = r"kernel 'kernel': (?:assertion failed: )?(\(?'?failure \d+.*) \(.*block \(.*\), thread"
    found = re.match(text, str(error))
    return f"{name} {found[1]}" if found else repr(error)


def wrong_reports(expected: Said, found: Said, *, by_model: bool) -> str | None:
    """What a target says that it must not, or does not say. The model knows all failures that may
    be told, and what is printed at most; another target tells one of them."""
    if bool(expected.failures) != bool(found.failures):
        return f"fails by {found.failures or 'nothing'}, not by {expected.failures or 'nothing'}"
    if not found.failures:
        more, missing = found.lines - expected.lines, expected.lines - found.lines
    elif by_model:
        if not found.failures <= expected.failures:
            return f"fails by {found.failures}, not by one of {expected.failures}"
        more, missing = found.lines - expected.lines, collections.Counter()
    else:
        return None
    if more or missing:
        return f"prints {dict(more)} too much, {dict(missing)} too little"
    return None


def lines_of(text: str) -> collections.Counter[str]:
    return collections.Counter(text.splitlines())
