"""Random kernels whose lanes leave loops at different times, by jumps under conditions that are the
same for all that are still there, and then come to operations of their warp, or miss them.

Many are wrong programs: threads wait in vain. No model tells what they mean: on the interpreter
they end with a result or a deadlock. Lanes give the same result, or else say that they cannot.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

HEAD = """from cuda import device as D

FULL = D.WarpMask(-1)


def inner(a, t, x, n):
{inner}
    return x + 1


@D.kernel
def kernel(a, n, o):
    t = D.int32(D.thread_idx.x)
    x = t * 0
    x = inner(a, t, x, n)
{outer}
    o[t] = x
"""
MEETINGS = (
    "x = x * 3 + D.popc(D.ballot_sync(FULL, lambda: x > 2))",
    "x = x * 3 + D.int32(D.any_sync(FULL, lambda: x > 2))",
    "x = x * 3 + D.shfl_xor_sync(FULL, x, 1) * 0",
    "D.syncwarp()",
)
CONDITIONS = ("a[t] > 2", "a[t + 32] > 1", "x > t", "n > 1", "a[t] > n")


def indented(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


@dataclass
class ExitPrograms:
    random: random.Random
    loops: int = 0

    def meeting(self) -> list[str]:
        return [self.random.choice(MEETINGS)]

    def jump(self, counter: str) -> list[str]:
        """Of all that are in this iteration, mostly."""
        where = self.random.choice(("break", "continue", "return 7", f"return {counter}"))
        together = f"{counter} == {self.random.randrange(3)}"
        test = together if self.random.random() < 0.8 else self.random.choice(CONDITIONS)
        return [f"if {test}:", f"    {where}"]

    def loop(self, depth: int) -> list[str]:
        self.loops += 1
        k = f"k{self.loops}"
        kind = self.random.choice(("a[t]", "a[t + 32]", "a[t] % 4", "3"))
        body: list[str] = []
        for _ in range(self.random.randint(1, 3)):
            choice = self.random.random()
            if choice < 0.55:
                body += self.jump(k)
            elif choice < 0.75 and depth:
                body += self.loop(depth - 1)
            else:
                body += self.meeting() if choice > 0.9 else ["x += 1"]
        if self.random.random() < 0.5:
            made = [f"{k} = 0", f"while {k} < {kind}:", *indented([f"{k} += 1", *body])]
        else:
            made = [f"for {k} in range({kind}):", *indented(body)]
        if self.random.random() < 0.3:
            made += ["else:", *indented(self.meeting())]
        return made

    def source(self) -> str:
        inner = self.loop(1) + (self.meeting() if self.random.random() < 0.8 else [])
        outer = self.meeting() if self.random.random() < 0.7 else []
        texts = {"inner": inner, "outer": outer}
        return HEAD.format(**{name: "\n".join(indented(t)) for name, t in texts.items()})


def generate_exits(seed: int) -> str:
    return ExitPrograms(random.Random(seed)).source()
