"""The litmus tests of programs.txt as data."""

from __future__ import annotations

import dataclasses
import pathlib
import re

VARIABLES, REGISTERS = "xyz", 8
ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("thread", "block", "device", "system")

STEP = re.compile(
    r"f|if r(?P<tested>\d)=(?P<wanted>\d)"
    r"|(?P<plain_store>\.?)(?P<stored>[xyz])=(?P<value>\d)"
    r"|r(?P<result>\d)=(?P<plain_load>\.?)(?P<read>[xyz])"
    r"((?P<how>[+:])(?P<operand>\d)|\?(?P<expected>\d):(?P<new>\d))?"
)


@dataclasses.dataclass(frozen=True)
class Step:
    """kind: load, store, add, exch, cas, fence, or if; `result`: a register's number."""

    kind: str
    variable: str = ""
    plain: bool = False
    result: int = -1
    value: int = 0
    expected: int = 0

    @property
    def reads(self):
        return self.kind in ("load", "add", "exch", "cas")

    @property
    def updates(self):
        return self.kind in ("add", "exch", "cas")

    def after(self, old):
        """What it leaves of the value before; None: it writes nothing."""
        if self.kind == "add":
            return old + self.value
        writes = self.kind in ("store", "exch") or (self.kind == "cas" and old == self.expected)
        return self.value if writes else None


def step_of(text):
    found = STEP.fullmatch(text)
    if not found:
        raise ValueError(f"no step of a litmus test: {text!r}")
    if text == "f":
        return Step("fence")
    if found["tested"]:
        return Step("if", result=int(found["tested"]), expected=int(found["wanted"]))
    if found["stored"]:
        return Step("store", found["stored"], bool(found["plain_store"]), value=int(found["value"]))
    at = {"variable": found["read"], "plain": bool(found["plain_load"])}
    result = int(found["result"])
    if found["how"]:
        kind = "add" if found["how"] == "+" else "exch"
        return Step(kind, **at, result=result, value=int(found["operand"]))
    if found["new"]:
        new, expected = int(found["new"]), int(found["expected"])
        return Step("cas", **at, result=result, value=new, expected=expected)
    return Step("load", **at, result=result)


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    text: str
    never: str
    forbids: str  # the weakest order that forbids `never`
    scope: str
    ends: int
    threads: tuple[tuple[Step, ...], ...]

    @property
    def fenced(self):
        return any(s.kind == "fence" for thread in self.threads for s in thread)

    @property
    def plain(self):
        return any(s.plain for thread in self.threads for s in thread)

    def order_of(self, step, order):
        """The order of a step where the program's is `order`."""
        if self.fenced and step.kind != "fence":
            return "relaxed"
        if order == "seq_cst" or step.kind == "fence" or step.updates:
            return order
        part = "acquire" if step.kind == "load" else "release"
        return part if order in (part, "acq_rel") else "relaxed"

    def scopes(self):
        return SCOPES[SCOPES.index(self.scope) :]

    def has_never(self, end):
        """Whether an end, variables and then registers, is the outcome that `never` names."""
        return all(end[place_of(name)] == int(value) for name, value in pairs(self.never))


def pairs(outcome):
    return [part.split("=") for part in outcome.split()]


def place_of(name):
    """Of a variable or a register in an end."""
    return VARIABLES.index(name) if name in VARIABLES else len(VARIABLES) + int(name[1:])


def is_as_strong(order, other):
    """Whether an order forbids all that the other one does."""
    return (
        order == other
        or order == "seq_cst"
        or other == "relaxed"
        or (order == "acq_rel" and other != "seq_cst")
    )


def program_of(line):
    name, text, never, forbids, scope, ends = re.split(" {2,}", line)
    threads = tuple(
        tuple(step_of(step.strip()) for step in thread.split(";")) for thread in text.split("|")
    )
    return Program(name, text, never, forbids, scope, int(ends), threads)


def read_programs():
    lines = pathlib.Path(__file__).with_name("programs.txt").read_text().splitlines()
    return [program_of(line) for line in lines if line and not line.startswith("#")]


PROGRAMS = read_programs()
