"""Source nested very deeply: compiled up to a limit, refused beyond it, and never fatal."""

import linecache
import sys
import threading

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run

LIMIT = 5000  # docs/launch.md


def made(source):
    """The kernel of a source text, registered as notebooks do it."""
    name = f"<nesting {len(linecache.cache)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"D": D}
    exec(compile(source, name, "exec"), names)
    return names["kernel"]


def with_room(action, *args):
    """Calls it where Python's own parser has room: a large stack, a high recursion limit."""
    outcome = []

    def body():
        try:
            outcome.append((action(*args), None))
        except BaseException as error:
            outcome.append((None, error))

    stack, limit = threading.stack_size(1 << 30), sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(10**6)
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(stack)
    result, error = outcome[0]
    if error:
        raise error
    return result


def deep(source):
    try:
        return with_room(made, source)
    except (RecursionError, MemoryError) as error:
        pytest.skip(f"waits for a Python whose own compiler takes it: {error!r}")


def kernel_of(statements):
    return f"@D.kernel\ndef kernel(out, a):\n    {statements}\n"


def sum_of(terms):
    return kernel_of("out[0] = " + "+".join(["a[0]"] * terms))


def branches(count):
    steps = "".join(f"    elif a[0] == {i}.5:\n        out[0] = {i}\n" for i in range(count))
    return kernel_of(f"if a[0] == -1:\n        out[0] = 5\n{steps}    else:\n        out[0] = 77")


def result(kernel, room=False):
    out, a = np.zeros(1), np.array([2.0])
    if room:
        with_room(lambda: D.launch(kernel, out, a, grid=1, block=1))
    else:
        run(kernel, out, a)
    return out[0]


def test_a_sum_of_3000_terms(target):
    assert result(deep(sum_of(3000))) == 6000


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("-" * 1001 + "a[0]", -2),
        ("not " * 1001 + "a[0]", 0),
        ("a[0]" + ".astype(D.float64)" * 1000, 2),
        (" and ".join(f"a[0] > -{i}" for i in range(400)), 1),
        (" < ".join(f"a[0] + {i}" for i in range(400)), 1),
        ("".join(f"{i} if a[0] == {i}.5 else " for i in range(400)) + "77", 77),
        ("(" * 90 + "a[0]" + ")" * 90, 2),
        ("a[" * 90 + "0" + "-2]" * 89 + "]", None),
    ],
    ids=["minus", "not", "astype", "and", "compared", "conditional", "parentheses", "indices"],
)
def test_deep_expressions(target, expression, value):
    if value is None:
        kernel = deep(kernel_of(f"out[0] = {expression}"))
        with pytest.raises(errors.CompileError, match="an index must be an integer, found float64"):
            result(kernel)
        return
    assert result(deep(kernel_of(f"out[0] = {expression}"))) == value


def test_long_chains_of_branches(target):
    assert result(deep(branches(400))) == 77


@pytest.mark.parametrize(
    "source",
    [
        sum_of(LIMIT),
        sum_of(100_000),
        kernel_of("out[0] = a" + ".T" * 100_000 + "[0]"),
        kernel_of("out[0] = a[0]" + ".astype(D.float64)" * 50_000),
        kernel_of("out[0] = " + " and ".join(["a[0]"] * 100_000)),
        kernel_of("out[0] = " + " < ".join(["a[0]"] * 100_000)),
    ],
    ids=["sum", "long sum", "attributes", "calls", "and", "compared"],
)
@pytest.mark.parametrize("room", [True, False])
def test_deeper_than_the_limit(source, room):
    """Also from a thread whose stack Python's parser would overflow."""
    kernel = deep(source)
    with pytest.raises(errors.CompileError) as raised:
        result(kernel, room)
    (found,) = raised.value.diagnostics
    if found.code == "parser_too_deep" and len(source) > 10 * LIMIT:
        assert found.message.startswith("Python's parser finds the source of 'kernel' (<nesting ")
        assert found.message.endswith(":1) nested too deeply")
        assert found.hint.startswith("split its longest expression")
        return
    assert found.code == "nested_too_deep"
    assert found.message == f"the source is nested more than {LIMIT} levels deep"
    assert found.hint.startswith("split the long expression")
    assert found.line == 3


def chain_of_functions(count, terms):
    lines = ["def f0(x):\n    return x\n"]
    for i in range(1, count):
        lines.append(f"def f{i}(x):\n    return f{i - 1}(x)" + " + x" * terms + "\n")
    return "".join(lines) + kernel_of(f"out[0] = f{count - 1}(a[0])")


def test_calls_add_up(target):
    assert result(made(chain_of_functions(90, 3))) == 2 + 89 * 6


def test_calls_that_add_up_to_more_than_the_limit():
    with pytest.raises(errors.CompileError) as raised:
        result(made(chain_of_functions(90, 100)))
    (found,) = raised.value.diagnostics
    assert found.code == "nested_too_deep"
    assert found.notes[0].startswith("in 'f")


@pytest.mark.parametrize(("count", "terms"), [(200, 2), (1500, 0)])
def test_a_long_chain_of_functions(target, count, terms):
    """A function beyond a hundred calls in one another is called when the kernel runs."""
    kernel = made(chain_of_functions(count, terms))
    assert result(kernel) == 2 + (count - 1) * terms * 2
    arguments = np.zeros(1), np.zeros(1)
    ir = kernel.inspect(*arguments, block=1, what="ir")
    assert ir.count("function ^") == -(-(count - 100) // 101)


def test_sixty_functions_that_are_never_inlined(target):
    source = chain_of_functions(60, 1).replace("def f", '@D.func(inline="never")\ndef f')
    kernel = made(source)
    assert result(kernel) == 2 + 59 * 2
    assert len(called_in(kernel.inspect(np.zeros(1), np.zeros(1), block=1, what="ir"))) == 60


def test_a_long_chain_of_functions_that_are_always_inlined():
    source = chain_of_functions(101, 0).replace("def f", '@D.func(inline="always")\ndef f')
    with pytest.raises(errors.CompileError, match="calls are nested more than 100 deep"):
        result(made(source))


def test_recursion_with_more_arguments_each_time():
    source = "def more(*t):\n    return t[0] if t[0] <= 0 else more(t[0] - 1, *t)\n\n"
    with pytest.raises(errors.CompileError) as raised:
        result(made(source + kernel_of("out[0] = more(int(a[0]))")))
    (found,) = raised.value.diagnostics
    assert found.message == "calls are nested more than 100 deep"
    assert found.hint == (
        "'more' calls itself with arguments of another type each time: give it ones of the same types"
    )
    assert [note.partition(" at ")[0] for note in found.notes] == [
        "in 'more', called here",
        "in 'more', called here",
        "in 'more', called here: the call is repeated 96 more times",
        "in 'more', called here",
    ]


def calls_of_the_one_before(count, body, decorator=""):
    """Functions f0, f1 and so on, each with calls of the one before, {f}, in its body."""
    lines = [f"{decorator}def f0(x):\n    return x + 1\n\n"]
    for i in range(1, count):
        lines.append(f"{decorator}def f{i}(x):\n    return {body.format(f=f'f{i - 1}')}\n\n")
    return "".join(lines)


def test_functions_that_are_called_in_too_many_places_are_called_at_run_time(target):
    functions = calls_of_the_one_before(17, "{f}(x) + {f}(x + 1)")
    kernel = made(functions + kernel_of("out[0] = f16(a[0])"))
    assert result(kernel) == 2**16 * (2 + 1 + 8)
    assert "calls 'f" in kernel.inspect(np.zeros(1), np.zeros(1), block=1, what="plan")


@pytest.mark.parametrize("body", ["{f}(x) if x > 0 else {f}(x + 1)", "{f}({f}(x)) if x < 0 else x"])
def test_inlining_that_doubles_thirty_times(target, body):
    kernel = made(calls_of_the_one_before(30, body) + kernel_of("out[0] = f29(a[0])"))
    assert result(kernel) == (3 if "else x" not in body else 2)


def called_in(ir):
    return [line for line in ir.splitlines() if line.startswith("function ^")]


def test_the_choice_of_what_is_called_is_the_same_each_time():
    """And takes few functions: those with which the kernel is smallest."""
    source = calls_of_the_one_before(17, "{f}(x) - {f}(x + 1)") + kernel_of("out[0] = f16(a[0])")
    arguments = np.zeros(1), np.zeros(1)
    texts = [made(source).inspect(*arguments, block=1, what="ir") for _ in range(3)]
    assert len(called_in(texts[0])) == 1
    assert called_in(texts[0]) == called_in(texts[1]) == called_in(texts[2])
    assert texts[0].count("\n") < 20_000


def long_function_called_130_times(space):
    """The 400 calls in the function differ in a constant."""
    return f"""
ALL = tuple(range(400))
PLACES = ALL[:130]


def add(x, k):
    return x + k


def long(x):
    s = D.{space}(1, D.float64)
    s[0] = x
    for k in ALL:
        s[0] = add(s[0], k)
    return s[0]


@D.kernel
def kernel(out, a):
    for i in PLACES:
        out[0] += long(a[0] + i)
"""


def test_a_long_function_with_an_array_of_its_own_is_called_at_run_time(target):
    kernel = made(long_function_called_130_times("local_array"))
    assert result(kernel) == sum(2 + i + sum(range(400)) for i in range(130))
    (called,) = called_in(kernel.inspect(np.zeros(1), np.zeros(1), block=1, what="ir"))
    assert '"long"' in called


def test_a_function_with_a_shared_array_is_not_called_for_its_size():
    """The array would be one for all calls."""
    with pytest.raises(errors.CompileError) as raised:
        result(made(long_function_called_130_times("shared_array")))
    assert [found.code for found in raised.value.diagnostics] == ["program_too_large"]


def test_functions_that_are_inlined_in_too_many_places():
    always = '@D.func(inline="always")\n'
    functions = calls_of_the_one_before(18, "{f}(x) + {f}(x + 1)", always)
    with pytest.raises(errors.CompileError) as raised:
        result(made(functions + kernel_of("out[0] = f17(a[0])")))
    (found,) = raised.value.diagnostics
    assert found.message == (
        "the kernel grows beyond one million instructions by unrolling and calls"
    )
    assert found.hint == (
        'functions that are called in many places: @device.func(inline="never") makes one copy of '
        "each"
    )


def test_tuples_within_tuples():
    kernel = made(kernel_of("t = (" + "(" * 40 + "a[0]" + ",)" * 41 + "\n    out[0] = 1"))
    with pytest.raises(errors.CompileError) as raised:
        result(kernel)
    assert {d.message for d in raised.value.diagnostics} == {
        "tuples within tuples more than 32 deep"
    }
    steps = "t = ()\n" + "    t = (t,)\n" * 10_000 + "    out[0] = 1"
    with pytest.raises(errors.CompileError, match="tuples within tuples more than 32 deep"):
        result(made(kernel_of(steps)))


def test_a_constant_of_tuples_within_tuples():
    source = "t = ()\nfor _ in range(100_000):\n    t = (t,)\n" + kernel_of("out[0] = t[0]")
    with pytest.raises(errors.CompileError, match="cannot hold .* tuples more than 32 deep"):
        result(made(source))
    kernel = made(kernel_of("out[0] = 1"))
    with pytest.raises(TypeError, match="not the type of an argument"):
        kernel.inspect("(" * 100_000, float)
