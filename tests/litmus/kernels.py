"""Kernels of litmus tests. A kernel's source is written from one program or several of them, of
which `which` names one. Round k has variables of its own: elements k of the arrays x, y and z."""

import dataclasses
import functools
import textwrap

from cuda import device as D
from support.sources import executed

from .programs import Program

# Threads in different blocks. Before each round they meet: `met` counts those that have come, and
# in its upper half those that have ended the round. `seen` is what a thread finds there just before
# it begins: as many as there are threads, and no other bit, says that all had come and none had
# ended. Nobody waits for long, so a launch ends on one worker too. The last one to come is late by
# a little, each round by another time, because the others learn late that it has come.
APART = """
def litmus(which, count, workers, rounds, x, y, z, r, met, seen, roles):
    role = roles[D.tid(1)]
    t = D.uint32(D.tid(1))
    if role >= 0:
        here = D.atomic_ref(met, rounds)
        here.add(1, "relaxed", "device")
{begin}
        for k in range(rounds):
            here = D.atomic_ref(met, k)
            rank = here.add(1, "relaxed", "device")
{meet}
            if rank == count - 1:
                for _ in range(k % 24):
                    t = t * D.uint32(1664525) + D.uint32(1013904223)
            came = here.load("relaxed", "device")
{threads}
            here.add(0x10000, "relaxed", "device")
            seen[role, k] = came
        r[8, role] = D.int32(t)
"""

# A kernel with such a loop runs thread by thread on a CPU.
WAITS = """
left = 200
while here.load("relaxed", "device") & 0xFFFF < count and left > 0:
    left -= 1
"""

# No loop here ends when another thread has written something: so threads are lanes of gangs.
LOOKS = """
for _ in range({looks}):
    missing = {wanted} - (here.load("relaxed", "device") & 0xFFFF)
    for _ in range(missing * {steps}):
        t = t * D.uint32(1664525) + D.uint32(1013904223)
"""

# Another worker needs some time to come for the next block.
BEGIN = LOOKS.format(looks=500, wanted="workers", steps=2500)

# Threads of one block, `spread` threads from each other: lanes of a gang, or of different ones. The
# variables lie in shared memory.
TOGETHER = """
def litmus(which, count, rounds, x, y, z, r, spread):
    sx = D.shared_array(1, D.int32)
    sy = D.shared_array(1, D.int32)
    sz = D.shared_array(1, D.int32)
    t = D.thread_idx.x
    role = D.int32(t // spread) if t % spread == 0 else -1
    for k in range(D.block_idx.x, rounds, D.grid_dim.x):
        if t == 0:
            sx[0] = 0
            sy[0] = 0
            sz[0] = 0
        D.syncthreads()
        if role >= 0:
{threads}
        D.syncthreads()
        if t == 0:
            x[k] = sx[0]
            y[k] = sy[0]
            z[k] = sz[0]
        D.syncthreads()
"""


@dataclasses.dataclass(frozen=True)
class Case:
    """What one kernel may have several of, if they are all of one form."""

    program: Program
    order: str
    scope: str
    waits: bool = False  # of blocks: threads wait for each other, and are a block each

    @property
    def apart(self):
        """Whether its threads are in different blocks: in each one, or in each of two half."""
        return self.scope in ("device", "system")

    @property
    def count(self):
        return len(self.program.threads)

    def __str__(self):
        how = "blocks" if self.waits else "lanes"
        return f"{self.program.name}, {self.order}, {self.scope}, {how}"


class Source:
    """Of the rounds of some cases, with a branch for each thread."""

    def __init__(self):
        self.lines = []

    def add(self, number, case):
        self.lines.append(f"            {'el' if number else ''}if which == {number}:")
        for role, steps in enumerate(case.program.threads):
            self.lines.append(f"                {'el' if role else ''}if role == {role}:")
            self.add_thread(case, steps)

    def add_thread(self, case, steps):
        """Registers are stored at the end, and before a condition."""
        indent, unstored = " " * 20, []
        for step in (*steps, None):
            if step is None or step.kind == "if":
                self.lines += [f"{indent}r[{n}, k] = r{n}" for n in unstored]
                unstored.clear()
            if step is None:
                return
            self.lines.append(indent + self.step(case, step))
            if step.reads:
                unstored.append(step.result)
            if step.kind == "if":
                indent += "    "

    def step(self, case, step):
        how = f'"{case.program.order_of(step, case.order)}", "{case.scope}"'
        if step.kind == "fence":
            return f"D.threadfence({how})"
        if step.kind == "if":
            return f"if r{step.result} == {step.expected}:"
        array, index = (step.variable, "k") if case.apart else ("s" + step.variable, 0)
        result = f"r{step.result} = " if step.reads else ""
        if step.plain:
            value = "" if step.reads else f" = {step.value}"
            return f"{result}{array}[{index}]{value}"
        operands = {"load": "", "cas": f"{step.expected}, {step.value}, "}
        given = operands.get(step.kind, f"{step.value}, ")
        return f"{result}D.atomic_ref({array}, {index}).{step.kind}({given}{how})"


def source_of(cases):
    source = Source()
    for number, case in enumerate(cases):
        source.add(number, case)
    meet = WAITS if cases[0].waits else LOOKS.format(looks=24, wanted="count", steps=12)
    begin, meet = textwrap.indent(BEGIN, " " * 8), textwrap.indent(meet, " " * 12)
    text = APART if cases[0].apart else TOGETHER
    return text.format(threads="\n".join(source.lines), begin=begin, meet=meet)


@functools.cache
def kernel_of(cases):
    return D.kernel(executed(source_of(cases))["litmus"])
