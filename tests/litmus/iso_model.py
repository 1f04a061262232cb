"""Which ways a litmus test can end by ISO C++20, as Lahav et al. put it ("Repairing sequential
consistency in C/C++11", 2017: RC11), but for what they add against values out of thin air.

An execution is a set of events, the write that each read takes its value from, and an order of all
writes to each variable. All executions are made and those that are inconsistent left out. A
relation is a list with a number for each event, whose bits are the events that it leads to.
"""

import dataclasses
import itertools

from .programs import VARIABLES

ACQUIRES, RELEASES = ("acquire", "acq_rel", "seq_cst"), ("release", "acq_rel", "seq_cst")
NOT_ATOMIC = "not atomic"


@dataclasses.dataclass(frozen=True)
class Event:
    thread: int  # -1: of no thread, before all others
    variable: str  # of a fence none
    order: str
    read: int | None = None
    written: int | None = None

    @property
    def updates(self):
        return self.read is not None and self.written is not None


class Undefined(Exception):
    """A race of plain accesses."""


def ends_of_iso(program, order):
    """Raises Undefined."""
    ends = set()
    traces = [_traces(program, t, order) for t in range(len(program.threads))]
    initial = [Event(-1, v, NOT_ATOMIC, written=0) for v in VARIABLES]
    for chosen in itertools.product(*traces):
        events = initial + [event for trace, _ in chosen for event in trace]
        registers = tuple(map(sum, zip(*(held for _, held in chosen), strict=True)))
        for execution in _executions(events):
            if execution.is_consistent():
                if execution.has_race():
                    raise Undefined(program.name, order)
                ends.add(execution.values() + registers)
    return ends


def _values(program):
    """What a variable may hold, or more."""
    steps = [s for thread in program.threads for s in thread]
    values = {0} | {s.value for s in steps if s.kind in ("store", "exch", "cas")}
    for step in steps:
        if step.kind == "add":
            values |= {v + step.value for v in values}
    return values


def _traces(program, t, order):
    """Events of a thread and its registers at the end, for all values that loads may find."""
    unfinished, traces = [((), (0,) * 8, 0)], []
    steps, values = program.threads[t], _values(program)
    while unfinished:
        events, registers, at = unfinished.pop()
        if at == len(steps):
            traces.append((events, registers))
            continue
        step = steps[at]
        if step.kind == "if":
            goes_on = registers[step.result] == step.expected
            unfinished.append((events, registers, at + 1 if goes_on else len(steps)))
            continue
        how = NOT_ATOMIC if step.plain else program.order_of(step, order)
        for old in values if step.reads else (None,):
            new = step.after(old)
            event = Event(t, step.variable, how, old, new)
            held = list(registers)
            if step.reads:
                held[step.result] = old
            unfinished.append(((*events, event), tuple(held), at + 1))
    return traces


def _executions(events):
    numbers = range(len(events))
    writes = {
        v: [i for i in numbers if events[i].variable == v and events[i].written is not None]
        for v in VARIABLES
    }
    reads = [i for i in numbers if events[i].read is not None]
    sources = [
        [w for w in writes[events[r].variable] if w != r and events[w].written == events[r].read]
        for r in reads
    ]
    for taken in itertools.product(*sources):
        for lines in itertools.product(*map(_lines, writes.values())):
            yield Execution(events, dict(zip(reads, taken, strict=True)), lines)


def _lines(writes):
    """All orders of the writes to a variable, after that of no thread."""
    first, *others = writes
    return [(first, *rest) for rest in itertools.permutations(others)]


# --- relations ---


def _bits(number):
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _then(*relations):
    """Composition."""
    first, *rest = relations
    for second in rest:
        composed = []
        for row in first:
            to = 0
            for i in _bits(row):
                to |= second[i]
            composed.append(to)
        first = composed
    return first


def _either(*relations):
    return [_all(rows) for rows in zip(*relations, strict=True)]


def _all(rows):
    joined = 0
    for row in rows:
        joined |= row
    return joined


def _closed(relation):
    """Its transitive closure."""
    rows = list(relation)
    for k in range(len(rows)):
        for i in range(len(rows)):
            if rows[i] >> k & 1:
                rows[i] |= rows[k]
    return rows


def _is_irreflexive(relation):
    return not any(row >> i & 1 for i, row in enumerate(relation))


class Execution:
    def __init__(self, events, source, lines):
        """source: of each read its write; lines: all writes to each variable in their order."""
        self.events, self.source, self.lines = events, source, lines
        self.n = len(events)
        self.same = self._relation(lambda a, b: a.variable == b.variable != "")
        self.before = [
            _all(
                1 << j
                for j, b in enumerate(events)
                if b.thread >= 0 and (a.thread < 0 or (a.thread == b.thread and i < j))
            )
            for i, a in enumerate(events)
        ]
        self.reads_from = self._of_pairs((w, r) for r, w in source.items())
        self.overwritten = self._of_pairs(
            pair for line in lines for pair in itertools.combinations(line, 2)
        )
        from_read = _then(self._of_pairs(source.items()), self.overwritten)
        self.from_read = [row & ~(1 << i) for i, row in enumerate(from_read)]
        self.happens_before = _closed(_either(self.before, self._synchronizes()))

    def _relation(self, holds):
        events = self.events
        return [_all(1 << j for j, b in enumerate(events) if holds(a, b)) for a in events]

    def _of_pairs(self, pairs):
        rows = [0] * self.n
        for a, b in pairs:
            rows[a] |= 1 << b
        return rows

    def _those(self, holds):
        """The identity of some events."""
        return [1 << i if holds(e) else 0 for i, e in enumerate(self.events)]

    def _synchronizes(self):
        fence, everyone = self._those(lambda e: not e.variable), self._those(lambda e: True)
        atomic = self._those(lambda e: e.variable and e.order != NOT_ATOMIC)
        release = self._those(lambda e: e.order in RELEASES)
        acquire = self._those(lambda e: e.order in ACQUIRES)
        write = self._those(lambda e: e.written is not None)
        read = self._those(lambda e: e.read is not None)
        update = self._those(lambda e: e.updates)
        # A release sequence: a write, and updates that each read from the one before.
        sequence = _either(everyone, _closed(_then(self.reads_from, update)))
        from_fence = _either(everyone, _then(fence, self.before))
        to_fence = _either(everyone, _then(self.before, fence))
        return _then(
            *(release, from_fence, write, atomic, sequence, self.reads_from),
            *(read, atomic, to_fence, acquire),
        )

    def is_consistent(self):
        communicates = _closed(_either(self.reads_from, self.overwritten, self.from_read))
        coherent = _is_irreflexive(self.happens_before) and _is_irreflexive(
            _then(self.happens_before, communicates)
        )
        between = _then(self.from_read, self.overwritten)
        is_atomic = not any(between[i] >> i & 1 for i, e in enumerate(self.events) if e.updates)
        return coherent and is_atomic and self._is_sequential(communicates)

    def _is_sequential(self, communicates):
        hb = self.happens_before
        other = [a & ~b for a, b in zip(self.before, self.same, strict=True)]
        hb_at_one = [a & b for a, b in zip(hb, self.same, strict=True)]
        between = _either(
            self.before, _then(other, hb, other), hb_at_one, self.overwritten, self.from_read
        )
        strongest = self._those(lambda e: e.order == "seq_cst")
        fences = self._those(lambda e: e.order == "seq_cst" and not e.variable)
        leave = _either(strongest, fences, _then(fences, hb))
        arrive = _either(strongest, fences, _then(hb, fences))
        of_fences = _then(fences, _either(hb, _then(hb, communicates, hb)), fences)
        return _is_irreflexive(_closed(_either(_then(leave, between, arrive), of_fences)))

    def has_race(self):
        for (i, a), (j, b) in itertools.combinations(enumerate(self.events), 2):
            apart = a.thread != b.thread and a.variable == b.variable != ""
            writes = a.written is not None or b.written is not None
            plain = NOT_ATOMIC in (a.order, b.order)
            hb = self.happens_before
            if apart and writes and plain and not (hb[i] >> j & 1 or hb[j] >> i & 1):
                return True
        return False

    def values(self):
        return tuple(self.events[line[-1]].written for line in self.lines)
