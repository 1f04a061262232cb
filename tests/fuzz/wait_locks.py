"""How programs wait until an element of an array has a value, and tell that it has; locks.

Statements print themselves as Python source by .lines(pad), and run themselves on the model's
threads (wait_threads.py) by .run(thread).
"""

from __future__ import annotations

from dataclasses import dataclass

from .expression_tree import Thread
from .program import Body
from .wait_threads import PAUSE, Wait, i4

MORE = "    "


@dataclass
class Manner:
    """One of the ways to wait until an element has a value, and to tell that it has."""

    waits: str
    tells: str
    scope: str

    def wait(self, ref: str, wrong: str, name: str):
        """Lines that wait as long as the element compares so: "!= 1", "< k"."""
        where = f'"acquire", "{self.scope}"'
        if self.waits == "load":
            yield f"while {ref}.load({where}) {wrong}:"
            yield f"{MORE}pass"
        elif self.waits == "loop":
            yield "while True:"
            yield f"{MORE}{name} = {ref}.load({where})"
            yield f"{MORE}if not {name} {wrong}:"
            yield f"{MORE * 2}break"
        elif self.waits == "wait":
            yield f"{name} = {ref}.load({where})"
            yield f"while {name} {wrong}:"
            yield f"{MORE}{ref}.wait({name}, {where})"
            yield f"{MORE}{name} = {ref}.load({where})"
        elif self.waits == "update":
            yield f'while {ref}.add(0, "acq_rel", "{self.scope}") {wrong}:'
            yield f"{MORE}pass"
        elif self.waits == "fence":
            yield f'while {ref}.load("relaxed", "{self.scope}") {wrong}:'
            yield f"{MORE}pass"
            yield f"D.threadfence({where})"
        else:  # "pause": looks again after a while
            yield f"while {ref}.load({where}) {wrong}:"
            yield f"{MORE}for {name} in range(3):"
            yield f"{MORE * 2}pass"

    def tell(self, ref: str, value: str):
        where = f'"release", "{self.scope}"'
        if self.tells == "store":
            yield f"{ref}.store({value}, {where})"
        elif self.tells == "exch":
            yield f"{ref}.exch({value}, {where})"
        else:  # "fence"
            yield f"D.threadfence({where})"
            yield f'{ref}.store({value}, "relaxed", "{self.scope}")'
        if self.waits == "wait":
            yield f'{ref}.notify_all("{self.scope}")'


WAITS = ("load", "loop", "wait", "update", "fence", "pause")
TELLS = ("store", "exch", "fence")


def ref_of(array: str, *index: str) -> str:
    place = f"({', '.join(index)})" if len(index) > 1 else index[0]
    return f"D.atomic_ref({array}, {place})"


def padded(pad: str, lines):
    return (pad + line for line in lines)


# --- locks ---


@dataclass
class Locked:
    """A critical section. The lock has two elements of its array, from `index` on."""

    kind: str
    array: str
    index: int
    body: Body
    manner: Manner
    name: str

    def takes(self, ref: str):
        scope = self.manner.scope
        where = f'"acquire", "{scope}"'
        if self.kind == "cas":
            yield f"while {ref}.cas(0, 1, {where}) != 0:"
            yield f"{MORE}pass"
        elif self.kind == "exch":
            yield f"while {ref}.exch(1, {where}) == 1:"
            yield f"{MORE}pass"
        elif self.kind == "or":
            yield f"while {ref}.or_(1, {where}) & 1 != 0:"
            yield f"{MORE}pass"
        elif self.kind == "reads first":
            yield f"while {ref}.exch(1, {where}) == 1:"
            yield from padded(MORE, self.manner.wait(ref, "== 1", self.name))
        else:  # "ticket"
            yield f'{self.name} = {ref}.add(1, "relaxed", "{scope}")'
            now = ref_of(self.array, str(self.index + 1))
            yield from self.manner.wait(now, f"!= {self.name}", f"{self.name}w")

    def gives(self, ref: str):
        if self.kind == "ticket":
            now = ref_of(self.array, str(self.index + 1))
            yield f'{now}.add(1, "release", "{self.manner.scope}")'
            if self.manner.waits == "wait":
                yield f'{now}.notify_all("{self.manner.scope}")'
        else:
            yield from self.manner.tell(ref, "0")

    def lines(self, pad: str):
        ref = ref_of(self.array, str(self.index))
        if self.kind == "try":  # the section is within the loop
            yield f"{pad}{self.name} = True"
            yield f"{pad}while {self.name}:"
            yield f'{pad}{MORE}if {ref}.exch(1, "acquire", "{self.manner.scope}") == 0:'
            yield from self.body.lines(pad + MORE * 2)
            yield from padded(pad + MORE * 2, self.gives(ref))
            yield f"{pad}{MORE * 2}{self.name} = False"
            return
        yield from padded(pad, self.takes(ref))
        yield from self.body.lines(pad)
        yield from padded(pad, self.gives(ref))

    def run(self, t: Thread):
        def element(k: int) -> int:
            return t.load(self.array, self.index + k).number

        if self.kind == "ticket":
            mine = element(0)
            t.store(self.array, self.index, i4(mine + 1))
            yield Wait(lambda: element(1) == mine)
        else:
            yield Wait(lambda: element(0) == 0)
            t.store(self.array, self.index, i4(1))
        yield from self.body.run(t)
        yield PAUSE
        if self.kind == "ticket":
            t.store(self.array, self.index + 1, i4(element(1) + 1))
        else:
            t.store(self.array, self.index, i4(0))
