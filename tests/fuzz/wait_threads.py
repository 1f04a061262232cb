"""The threads of the model of programs that wait: each is a generator, which yields wherever others
may go on.

A thread yields a `Wait` until its condition holds, a `Barrier` of its block and whether it votes,
or a `Meeting` of its warp. A `Turnstile` picks any that can go on. Nothing here looks at the
compiler.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from .expression_tree import Thread
from .model import Val


@dataclass(frozen=True)
class Wait:
    ready: Callable[[], bool]


@dataclass(frozen=True)
class Meeting:
    """What a lane brings; it gets what all lanes of its warp have brought, by lane."""

    value: int


PAUSE = Wait(lambda: True)


def i4(number: int) -> Val:
    return Val("i4", (number + 2**31) % 2**32 - 2**31)


class Stuck(Exception):
    """A program whose threads wait for each other and cannot go on: the generator's fault."""


@dataclass
class Running:
    thread: Thread
    steps: object  # generator
    block: int
    warp: int
    state: object = PAUSE
    answer: object = None
    done: bool = False

    def step(self) -> None:
        answer, self.answer = self.answer, None
        try:
            self.state = self.steps.send(answer)
        except StopIteration:
            self.done = True


@dataclass
class Turnstile:
    """Lets threads go on in an order of its own."""

    random: random.Random
    running: list[Running] = field(default_factory=list)

    def run(self) -> None:
        while waiting := [r for r in self.running if not r.done]:
            able = [r for r in waiting if isinstance(r.state, Wait) and r.state.ready()]
            self.random.shuffle(able)
            for r in able:  # what one does may let another wait again: a lock
                if r.state.ready():
                    r.step()
            if not able and not self.meet(waiting):
                raise Stuck(f"{len(waiting)} threads wait")

    def meet(self, waiting: list[Running]) -> bool:
        met = False
        for kind, place in ((tuple, "block"), (Meeting, "warp")):
            groups: dict[object, list[Running]] = {}
            for r in waiting:
                key = r.block if place == "block" else (r.block, r.warp)
                groups.setdefault(key, []).append(r)
            for group in groups.values():
                if all(isinstance(r.state, kind) for r in group):
                    self.answer(group)
                    met = True
        return met

    @staticmethod
    def answer(group: list[Running]) -> None:
        if isinstance(group[0].state, Meeting):
            answer: object = {r.thread.variables["lane"].number: r.state.value for r in group}
        else:
            answer = sum(vote for _, vote in (r.state for r in group)), len(group)
        for r in group:
            r.state, r.answer = PAUSE, answer
