"""The table of litmus tests says what models of memory say: of store buffers, and of ISO C++."""

import pytest

from .iso_model import Undefined, ends_of_iso
from .programs import ORDERS, PROGRAMS, is_as_strong, program_of, step_of
from .store_buffers import ends_by_turns, ends_with_buffers

NAMES = [program.name for program in PROGRAMS]
by_name = pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)


def test_the_table_has_the_usual_shapes():
    assert len(set(NAMES)) == len(NAMES)
    shapes = {"MP", "SB", "LB", "S", "R", "2+2W", "IRIW", "WRC", "RWC", "ISA2"}
    assert shapes | {"CoRR", "CoRW", "CoWR", "CoWW"} <= set(NAMES)
    assert {f"{shape}+fences" for shape in shapes} <= set(NAMES)


@by_name
def test_ends_of_threads_that_take_turns(program):
    ends = ends_by_turns(program)
    assert len(ends) == program.ends
    assert not any(map(program.has_never, ends))


@by_name
@pytest.mark.parametrize("order", ORDERS)
def test_the_weakest_order_that_forbids(program, order):
    if program.plain and not is_as_strong(order, program.forbids):
        with pytest.raises(Undefined):
            ends_of_iso(program, order)
        return
    ends = ends_of_iso(program, order)
    assert any(map(program.has_never, ends)) != is_as_strong(order, program.forbids)
    assert ends_by_turns(program) <= ends_with_buffers(program, order) <= ends


def test_what_store_buffers_show():
    shown = {
        (program.name, order)
        for program in PROGRAMS
        for order in ORDERS
        if any(map(program.has_never, ends_with_buffers(program, order)))
    }
    shapes = ("SB", "R", "RWC", "Dekker")
    names = [name for shape in shapes for name in (shape, f"{shape}+fences")]
    assert shown == {(name, order) for name in names for order in ORDERS if order != "seq_cst"}


# What a thread's own buffer holds is seen by it alone.
FORWARDS = "FORWARDS  x=1; r0=x; r1=y | y=1; r2=y; r3=x  r0=1 r1=0 r2=1 r3=0  seq_cst  block  3"


def test_loads_look_into_the_buffer_of_their_thread():
    program = program_of(FORWARDS)
    assert any(map(program.has_never, ends_with_buffers(program, "acq_rel")))
    assert not any(map(program.has_never, ends_with_buffers(program, "seq_cst")))
    assert any(map(program.has_never, ends_of_iso(program, "acq_rel")))
    assert not any(map(program.has_never, ends_of_iso(program, "seq_cst")))


@pytest.mark.parametrize("text", ["x", "x=", "w=1", "r0=w", "if r0", "r0=x?1", "x=r0", "f=1"])
def test_steps_that_mean_nothing(text):
    with pytest.raises(ValueError, match="no step of a litmus test"):
        step_of(text)
