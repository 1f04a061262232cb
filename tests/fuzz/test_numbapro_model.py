"""The model of NumbaPro's dialect, on kernels whose results were written down by hand."""

import ast
import textwrap

import numpy as np
import pytest
from support.numbapro_values import literal, typed

from .numbapro_flow import Flow
from .numbapro_model import Machine
from .numbapro_typing import NoType


def function_of(body):
    return ast.parse("def k():\n" + textwrap.indent(textwrap.dedent(body), "    ")).body[0]


def results(body, **scalars):
    """What a thread leaves in ``out``, eight numbers that were -1."""
    out = np.full(8, -1.0)
    values = {
        name: typed(v) if isinstance(v, np.generic) else literal(v) for name, v in scalars.items()
    }
    types = {name: v.type for name, v in values.items()}
    function = function_of(body)
    flow = Flow(function, {"out": "float64[]"} | types)
    for _ in Machine(flow, {"out": out} | values).run(function):
        raise AssertionError("a barrier")
    return out.tolist()


def reads(body, **parameters):
    """The types of all reads of variables, in the order of the source."""
    flow = Flow(function_of(body), parameters)
    names = [e for e in flow.facts.types if isinstance(e, ast.Name)]
    names.sort(key=lambda name: (name.lineno, name.col_offset))
    found = [(name.id, flow.facts.types[name]) for name in names]
    return [f"{name} {t}" for name, t in found if not t.endswith("[]")]


WHOLE = 16777217  # 2**24 + 1, which no float32 is


def test_what_comes_after_a_loop_says_nothing_of_it():
    program = """
        x = int32(0)
        for i in range(4):
            x = x + 1.5
            out[x] = i
        out[0] = x
        if n > 9:
            x = 0.5
        out[7] = x
    """
    # 0 -> 1 -> 2 -> 3 -> 4, each 1.5 more and cut off.
    assert results(program, n=1) == [4, 0, 1, 2, 3, -1, -1, 4]
    assert results(program, n=10) == [4, 0, 1, 2, 3, -1, -1, 0.5]


def test_two_branches_that_meet_say_nothing_of_a_third():
    program = """
        if n > 0:
            x = int8(1)
        else:
            x = int32(2)
        out[x] = x // 2
        if n > 5:
            x = 1.75
        out[0] = x
    """
    assert results(program, n=0) == [2, -1, 1, -1, -1, -1, -1, -1]
    assert results(program, n=6) == [1.75, 0, -1, -1, -1, -1, -1, -1]


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_number_is_rounded_at_each_meeting(n):
    program = f"""
        x = int32({WHOLE})
        if n:
            if n > 1:
                x = float32(0.5)
            out[0] = x
            if n > 2:
                x = 0.25
        else:
            x = int32({WHOLE} + 0)
        out[1] = x
    """
    rounded = [[-1, WHOLE], [WHOLE - 1, WHOLE - 1], [0.5, 0.5]]
    assert results(program, n=n)[:2] == rounded[n]


def test_meetings_of_an_if_come_before_those_of_the_one_around_it():
    program = f"""
        if n:
            x = 0.5
        else:
            if n == 0:
                x = int32({WHOLE})
            else:
                x = float32(0.5)
        out[0] = x
        if n:
            y = 0.5
        elif n == 0:
            y = int32({WHOLE})
        else:
            y = int64(3)
        out[1] = y
    """
    # x is a float32, then a float64; y is an int64, then a float64.
    assert results(program, n=0)[:2] == [WHOLE - 1, WHOLE]


def test_paths_without_a_value_do_not_count():
    program = """
        if n:
            x = int8(1)
        for i in range(3):
            x = i + 2.75
            out[i] = x
        if n:
            y = 1.5
        out[3] = x
    """
    assert reads(program, out="float64[]", n="int32") == [
        *("n int32", "i int32", "i int32", "x int8", "n int32", "x int8"),
    ]
    assert results(program, n=0)[:4] == [2, 3, 4, 4]


def test_the_first_assignment_in_a_loop_says_the_type():
    program = """
        for i in range(3):
            if i == 0:
                x = 1
            x = x + 1.5
            out[i] = x
            for j in range(2):
                y = int8(i)
            y += 300
            out[i + 3] = y
        x = x + 0.5
        out[6] = x
    """
    # x: 1 -> 2, 2 -> 3, 3 -> 4; y: 300 more of 0, 1, 2 in an int8.
    assert results(program) == [2, 3, 4, 44, 45, 46, 4.5, -1]


def test_the_test_of_a_while_and_its_else():
    program = """
        x = int32(0)
        while x + 0.5 < 3:
            x += 1.75
            if n and x == 2:
                break
        else:
            x = x + 0.25
        out[0] = x
    """
    # 0 -> 1 -> 2 -> 3; the break meets a float64.
    assert results(program, n=0)[0] == 3.25
    assert results(program, n=1)[0] == 2
    kinds = reads(program, out="float64[]", n="bool")
    assert kinds == ["x int32", "x int32", "n bool", "x int32", "x int32", "x float64"]


def test_where_a_counter_leaves_its_loop():
    program = f"""
        i = float32(7.5)
        for i in range({WHOLE}, {WHOLE} + n):
            i = i + 0.75
            out[0] = i
            if i > {WHOLE}:
                break
        else:
            out[1] = i
        out[2] = i
    """
    assert results(program, n=0)[:3] == [-1, 7.5, 7.5]
    assert results(program, n=1)[:3] == [WHOLE, WHOLE - 1, WHOLE - 1]
    # The next number after WHOLE is a float32; the break meets the type from before the loop too.
    assert results(program, n=2)[:3] == [WHOLE + 1, -1, WHOLE + 1]


def test_breaks_of_a_counter_meet_the_end_of_the_else_alone():
    program = f"""
        i = float32(7.5)
        for i in range({WHOLE}, {WHOLE} + 5):
            if n:
                break
        else:
            i = 0.5
        out[0] = i
    """
    # An int32 meets a float64; the float32 before the loop comes to no such point.
    assert results(program, n=1)[0] == WHOLE
    assert results(program, n=0)[0] == 0.5


def test_a_counter_in_a_loop_that_keeps_its_name():
    program = """
        i = int8(0)
        k = 0
        while k < 2:
            k += 1
            out[k] = i
            for i in range(300):
                out[0] = i
                i = i + 0.75
            out[k + 2] = i
            i = i + 1.5
        out[5] = i
    """
    # 299 in an int8 is 43, then 44.
    assert results(program) == [299, 0, 44, 43, 43, 44, -1, -1]


def test_counters_of_one_name():
    program = """
        for i in range(2):
            for i in range(int64(3)):
                i = i * 1.5 + 2147483648
                out[0] = i
            out[1] = i
            for i in range(int8(5), uint8(7)):
                out[2] = i
            out[3] = i
        out[4] = i
        for j in range(3):
            for i in range(int64(3000000000), int64(3000000001)):
                out[5] = i
            out[6] = i
    """
    kinds = reads(program, out="float64[]")
    assert kinds == [
        # 2**31 + 3 in the outer one's int32; the last loop keeps the int32 from before it.
        *("i int64", "i int64", "i int32", "i int32", "i int32", "i int32", "i int64", "i int32"),
    ]
    low = 3000000000 - (1 << 32)
    assert results(program) == [2147483651, 3 - (1 << 31), 6, 6, 6, 3000000000, low, -1]


def test_the_counter_of_an_inner_loop_may_be_the_first_assignment():
    program = """
        for k in range(2):
            for i in range(int64(2)):
                out[i] = k
            out[2] = i
            i = i + 2147483648.5
            out[3] = i
    """
    assert results(program)[:4] == [1, 1, 1, 2147483649]


def test_jumps_out_of_both_branches():
    program = """
        x = int8(3)
        for i in range(9):
            if i == n:
                x = 2.5
                continue
            elif i > 4:
                x = x + 0.75
                break
            x = x + 1.25
            out[i] = x
        out[7] = x
        if n:
            x = 2.5
            return
        else:
            y = x
        out[6] = y
    """
    # 3 -> 4 -> 5 -> 2 -> 3 -> 4 -> 4: the break; all in an int8.
    assert results(program, n=2) == [4, 5, -1, 3, 4, -1, -1, 4]
    assert reads(program, out="float64[]", n="int8")[-2:] == ["x int8", "y int8"]


def test_constant_conditions_are_conditions():
    program = """
        if True:
            x = 7
        else:
            x = 2.0
        while False:
            y = 1
        else:
            y = float32(0.5)
        out[0] = x / 2
        out[1] = y + x
    """
    kinds = reads(program, out="float64[]")
    assert kinds == ["x float64", "y float32", "x float64"]
    assert results(program)[:2] == [3.5, 7.5]


def test_types_that_follow_from_others():
    program = """
        for i in range(3):
            if i > 0:
                x = y + 1
            y = int8(i) + x
            x = 1.5
    """
    # x says what y is, and y what x is.
    with pytest.raises(NoType, match="line 5: 'x' has no type"):
        reads(program)
    program = """
        for i in range(3):
            if i > 0:
                x = y + 1
            else:
                x = 2.5
            y = int8(i)
            out[i] = x
    """
    assert "x int32" in reads(program, out="float64[]")
    assert results(program)[:3] == [2, 1, 2]


def test_numbers_and_what_is_none_may_meet_unread():
    program = """
        if n:
            x = out
            y = 1.5j
        else:
            x = 1
            y = 2.5
        {}
        x = 2
        y = y.imag
    """
    for read in ("z = x", "out[0] = y.real", "x[0] = 1"):
        with pytest.raises(NoType, match=r"line 9: '[xy]' would be both "):
            reads(program.format(read), out="float64[]", n="int8")
    program = program.replace("y = y.imag", "out[0] = x")
    assert results(program.format("y = 1"), n=1)[0] == 2


@pytest.mark.parametrize("value", ["1j", "out"])
def test_a_loop_keeps_no_numbers_of_other_kinds(value):
    with pytest.raises(NoType, match=r"line 5: a loop keeps 'x' of int32, found"):
        reads(f"x = 0\nfor i in range(3):\n    out[i] = x\n    x = {value}", out="float64[]")
    assert reads(f"x = {value}\nfor i in range(3):\n    x = {value}\n", out="float64[]") == []
