"""What the generator promises of its programs, and what the harness sees of arrays."""

import ctypes
from collections import Counter

import numpy
import pytest

from . import workers
from .counters import SHARED_NAMES
from .expression_tree import Comparison, Literal, Thread, Variable
from .generate import generate
from .generate_blocks import generate_blocks
from .harness import make_case, position, run_block, run_model, scalar
from .indices import Unfit, of, values
from .memory import AROUND, Placed
from .model import Val
from .program import Barrier, Body, For, Program, Rotate
from .reports import Check, Print, Said, wrong_reports


def test_indices_are_what_they_are_said_to_be():
    """The one computation decides what is in bounds, the other is the model's."""
    compared = 0
    for seed in range(30):
        case = make_case(seed)
        indices = generate(seed)[0].indices
        inside = numpy.flatnonzero(case.at.inside())
        scalars = {v: scalar(t, case.scalars[v]) for v, t in case.types.items()}
        for _ in range(20):
            e = indices.form(100)
            try:
                said = numpy.broadcast_to(values(e, indices.known), inside.shape)
            except Unfit:
                continue
            for at in {0, len(inside) // 2, len(inside) - 1}:
                thread = Thread(scalars | position(case, inside[at]), {})
                assert e.run(thread).number == said[at], e.text()
                compared += 1
    assert compared > 1000


def bodies(node):
    """Every body of a program, as often as it stands there."""
    if isinstance(node, Body):
        yield node
    for child in getattr(node, "statements", ()):
        yield from bodies(child)
    for name in ("yes", "no", "body", "orelse"):
        if hasattr(node, name):
            yield from bodies(getattr(node, name))


def test_what_stands_at_two_places_is_there_twice():
    """Reports are put into bodies, with the variables that are known at that place."""
    for seed in range(150):
        found = [id(body) for body in bodies(generate_blocks(seed)[1].body)]
        assert len(found) == len(set(found)), seed


class Accesses:
    """Who touches which element between which barriers."""

    def __init__(self):
        self.kept, self.passed, self.users, self.races = [], {}, {}, []

    def note(self, thread, array, index, stores):
        if array.startswith(SHARED_NAMES):
            return  # accessed atomically
        a = thread.arrays[array]
        self.kept.append((thread, a.numbers))  # so that no other gets their ids
        shared = array.startswith(("sh_", "tl_"))
        epoch = self.passed.get(id(thread), 0) if shared else 0
        users = self.users.setdefault((id(a.numbers), a.place(index), epoch), [set(), set()])
        users[stores].add(id(thread))
        if users[True] and len(users[False] | users[True]) > 1:
            self.races.append((array, index))

    def waits(self, run):
        def counted(statement, thread):
            inner, result = run(statement, thread), None
            while True:
                try:
                    barrier = inner.send(result)
                except StopIteration:
                    return
                result = yield barrier
                self.passed[id(thread)] = self.passed.get(id(thread), 0) + 1

        return counted


@pytest.mark.parametrize("make", [generate, generate_blocks])
def test_programs_are_free_of_races(monkeypatch, make):
    load, store = Thread.load, Thread.store
    accesses = Accesses()

    def noted_load(thread, array, index):
        accesses.note(thread, array, index, False)
        return load(thread, array, index)

    def noted_store(thread, array, index, value):
        accesses.note(thread, array, index, True)
        store(thread, array, index, value)

    monkeypatch.setattr(Thread, "load", noted_load)
    monkeypatch.setattr(Thread, "store", noted_store)
    for statement in (Barrier, Rotate):
        monkeypatch.setattr(statement, "run", accesses.waits(statement.run))
    elements = 0
    for seed in range(25):
        run_model(make_case(seed, blocks=make is generate_blocks))
        assert accesses.races == [], seed
        accesses.kept.clear()
        accesses.passed.clear()
        elements += len(accesses.users)
        accesses.users.clear()
    assert elements > 500


def test_what_is_written_around_an_array_is_seen():
    initial = numpy.arange(21, dtype=numpy.float32).reshape(3, 7)
    for options in ({}, {"away": None}, {"away": 16, "pitch": 3, "step": 2, "back": -1}):
        placed = Placed(initial, **options)
        numpy.testing.assert_array_equal(placed.take("o"), initial)
        placed.memory[AROUND - 1] = 0
        with pytest.raises(AssertionError, match="o: byte -1 after its start was written"):
            placed.take("o")
    placed.fill(initial)
    placed.memory[AROUND + 4] = 0  # between two elements
    with pytest.raises(AssertionError, match="o: byte 4 after"):
        placed.take("o")


def read_beyond(seed):
    placed = Placed(numpy.zeros(5, numpy.int16), None)
    ctypes.string_at(placed.array.ctypes.data + 10 * seed, 1)


def test_nobody_reads_beyond_an_array_at_the_end_of_a_page():
    found = dict(workers.run(read_beyond, [0, 1], 1, 60))
    assert found == {0: None, 1: "seed 1: its process died: SIGSEGV"}


def test_some_programs_fail_and_most_do_not():
    """Those that report nothing are as they were without reports."""
    ran = [run_model(make_case(seed, blocks)) for seed in range(200) for blocks in (False, True)]
    failing = sum(bool(r.said.failures) for r in ran)
    saying = sum(bool(r.said.lines) for r in ran)
    assert 3 <= failing <= len(ran) / 3, failing
    assert saying >= 10, saying


def test_others_may_go_on_after_a_failure():
    """Some leave a loop and fail; those inside may print after its barrier."""
    t, said = Variable("i4", "t"), Said()
    wait = Body([Barrier(), Print("inside", ["t", "k"], False)])
    loop = For("k", "i4", [of("+", t, 1)], wait, None)
    fail = Check(Comparison(["!="], [t, Literal("int", 0)]), "left", "ValueError")
    threads = [Thread({"t": Val("i4", k)}, {}, said) for k in range(2)]
    run_block(Program([], [], Body([loop, fail])), threads)
    assert said.failures == {"ValueError left"}
    assert set(said.lines) == {"inside 0 0", "inside 1 0", "inside 1 1"}


def test_what_is_told_wrongly_is_seen():
    lines = Counter({"p1 5": 2, "p2 True": 1})
    said = Said(lines, {"ValueError failure 1", "AssertionError failure 2"})
    one = Said(Counter({"p1 5": 1}), {"ValueError failure 1"})
    assert wrong_reports(said, one, by_model=True) is None
    assert wrong_reports(one, said, by_model=False) is None
    assert "not by one of" in wrong_reports(one, said, by_model=True)
    assert "too much" in wrong_reports(one, Said(lines, one.failures), by_model=True)
    quiet = Said(lines)
    assert wrong_reports(quiet, Said(lines), by_model=True) is None
    assert "fails by nothing" in wrong_reports(said, quiet, by_model=True)
    assert "not by nothing" in wrong_reports(quiet, one, by_model=False)
    assert "too little" in wrong_reports(quiet, Said(Counter({"p1 5": 2})), by_model=False)
