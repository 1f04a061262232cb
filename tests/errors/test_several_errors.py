"""Several mistakes in one kernel: all that are independent are reported, and nothing that follows."""

import functools
import random
import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, MOST_SHOWN, BadPrograms, context_of
from support.errors import SOURCE_NOT_KEPT, check_error, expect_error

bad = BadPrograms()


def helper(x):
    return x + 1


@bad.kernel(FLOATS, 3)
def a_failed_array_in_a_loop_over_it(a, n):
    s = 0
    while n > 0:
        for w, x in zip((1, 2), a):  # noqa: B905
            s += w * x
        n -= 1
        # error at `a /= 2` on `/`: cannot divide 'array[float32, 1]' by 'int'
        # hint: for each of its elements, write a[:] in place of a
        a /= 2


@bad.kernel(FLOATS, 3)
def what_follows_from_a_failed_assignment(a, n):
    # error at `lenght`: name 'lenght' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    x = lenght
    y = x + 1
    y += "text"
    z = helper(y)
    t = (1, z)
    a[0] = t[1][0].nothing
    for i in range(y):
        a[i] = i << z
    for k in z:
        a[k] = k
    u, v = z
    w = v if u else z()
    while w:
        w = v
    # error at `"text"`: str cannot be stored in an array of float32
    # hint: an element takes a number
    a[1] = "text"


@bad.kernel(FLOATS, 3)
def in_a_loop(a, n):
    for i in range(n):
        if i:
            a[0] = later
            pair = (1, later)
            a[1] = pair[1]
        # error at `undefined`: name 'undefined' is not defined
        # hint: assign it before this, or outside of the kernel before the launch
        later = undefined
        # error at `nothing`: name 'nothing' is not defined
        # hint: assign it before this, or outside of the kernel before the launch
        a[2] = nothing


@bad.kernel(FLOATS, 3)
def a_mistake_that_reads_what_it_assigns(a, n):
    x = 1.5
    for i in range(n):
        # error at `x + "text"` on `+`: cannot add 'float' and 'str'
        # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
        x = x + "text"
    a[0] = x
    # error at `undefined`: name 'undefined' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[1] = undefined


@bad.kernel(FLOATS, np.ones(4), 3)
def arrays_that_change_their_names_by_way_of_a_third(a, b, n):
    for i in range(n):
        kept = a
        # error at `b`: 'a' would be both array[float32, 1] and array[float64, 1] here
        # hint: give the two values one type, or use two names
        a = b
        # error at `kept`: 'b' would be both array[float64, 1] and array[float32, 1] here
        # hint: give the two values one type, or use two names
        b = kept
    a[0] = b[0]


@bad.kernel(FLOATS, 3)
def uses_of_a_variable_of_two_types(a, n):
    x = 1
    if n:
        # error at `a`: 'x' would be both int and array[float32, 1] here
        # hint: give the two values one type, or use two names
        x = a
    a[0] = x[0]
    a[1] = x << 1
    y = x


@bad.kernel(FLOATS, 3)
def a_tuple_with_a_mistake_inside(a, n):
    if n:
        # error at `undefined`: name 'undefined' is not defined
        # hint: assign it before this, or outside of the kernel before the launch
        t = (1, undefined)
    else:
        t = (1, 2)
    a[0] = t[1]
    # error at `nothing`: name 'nothing' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    if (1, nothing) == (1, 2):
        # error at `missing`: name 'missing' is not defined
        # hint: assign it before this, or outside of the kernel before the launch
        a[1] = max((1, missing))


@bad.kernel(FLOATS, 3)
def mistakes_in_a_statement_that_kernels_lack(a, n):
    # error at `with open("file") as f:`: the 'with' statement is not supported in kernels
    # hint: kernels have no context managers
    with open("file") as f:
        x = 1
    a[0] = x
    x = x + 1
    # error at `try:`: the 'try' statement is not supported in kernels
    # hint: kernels catch nothing: test with 'if' before what may fail, and write the lines of 'finally' after it
    try:
        import json as reader

        class Inner: ...
    except ValueError as failure:
        a[1] = 2
    a[2] = reader + Inner + failure
    # error at `undefined`: name 'undefined' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[3] = undefined


@bad.kernel(FLOATS, 3, raises=errors.NotImplementedYetError)
def what_a_match_binds(a, n):
    match (n, n):
        # error at `{"key": value, **others}`: a pattern of a mapping is not implemented yet
        # hint: kernels have tuples and structs: match these
        case {"key": value, **others}:
            a[0] = 2
        case [first, *rest]:
            a[0] = 1
    a[1] = first + value + others
    # error at `first + rest` on `+`: cannot add 'int' and '(int,)'
    # hint: operators work on numbers
    a[1] = first + rest
    # error at `undefined`: name 'undefined' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[2] = undefined


@bad.kernel(FLOATS, 3)
def a_function_inside(a, n):
    def twice(x):
        return 2 * x

    a[0] = twice(n) + 1
    first, *rest = (1, 2, 3)
    # error at `first + rest` on `+`: cannot add 'int' and '(int, int)'
    # hint: operators work on numbers
    a[1] = first + rest
    # error at `undefined`: name 'undefined' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[2] = undefined


@bad.kernel(FLOATS, 3)
def the_body_of_a_loop_over_something_else(a, n):
    # error at `5`: int cannot be iterated over
    # hint: use range() or a tuple
    for i, j in 5:
        # error at `undefined`: name 'undefined' is not defined
        # hint: assign it before this, or outside of the kernel before the launch
        a[i] = undefined
        a[j] = i + j
    else:
        # error at `nothing`: name 'nothing' is not defined
        # hint: assign it before this, or outside of the kernel before the launch
        a[0] = nothing


OFF = False


@bad.kernel(FLOATS, 3)
def variables_without_a_type(a, n):
    if OFF:
        x = 1
        y = 1
    # error at `x`: 'x' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    a[0] = x
    a[1] = x
    # error at `y`: 'y' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    a[2] = y
    for i in range(n):
        # error at `v`: the type of 'v' cannot be inferred: it depends only on itself
        # hint: assign it a value before this
        u = v
        v = helper(u)
    a[3] = u + v
    # error at `undefined`: name 'undefined' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[4] = undefined


@bad.kernel(FLOATS)
def more_shared_memory_than_there_is(a):
    # error at `D.shared_array(20000, D.float32)`: the kernel's shared arrays take 80000 bytes, 80000 of them for this one; at most 49152 are allowed
    # hint: more is to be had from dynamic_shared_array() and shared= in the launch
    s = D.shared_array(20000, D.float32)
    t = D.shared_array(10, D.float32)
    s[0] = t[0]
    # error at `undefined`: name 'undefined' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    t[1] = undefined


@bad.kernel(FLOATS)
def copies_of_a_loop(a):
    for v in (1, 2.0):
        # error at `v + "text"` on `+`: cannot add 'int' and 'str'
        # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
        # error at `v + "text"` on `+`: cannot add 'float' and 'str'
        # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
        a[0] = v + "text"


@bad.kernel(FLOATS)
def in_the_order_of_the_source(a):
    # error at `first`: name 'first' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    # error at `second`: name 'second' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[first] = second
    # error at `third`: name 'third' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    # error at `fourth`: name 'fourth' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[third] += fourth


@bad.kernel(FLOATS)
def more_than_are_shown(a):
    # error at `u0`: name 'u0' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[0] = u0
    # error at `u1`: name 'u1' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[1] = u1
    # error at `u2`: name 'u2' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[2] = u2
    # error at `u3`: name 'u3' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[3] = u3
    # error at `u4`: name 'u4' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[4] = u4
    # error at `u5`: name 'u5' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[5] = u5
    # error at `u6`: name 'u6' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[6] = u6
    # error at `u7`: name 'u7' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[7] = u7
    # error at `u8`: name 'u8' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[8] = u8
    # error at `u9`: name 'u9' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[9] = u9
    # error at `v0`: name 'v0' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[10] = v0
    # error at `v1`: name 'v1' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[11] = v1


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


def takes_two(x, y):
    return x + y


@D.kernel
def type_error_first(a):
    a[0] = takes_two(1)  # error at `takes_two(1)`: takes_two() misses the argument 'y'
    a[1] = undefined  # error at `undefined`: name 'undefined' is not defined


@D.kernel
def type_error_last(a):
    a[1] = undefined  # error at `undefined`: name 'undefined' is not defined
    a[0] = takes_two(1)  # error at `takes_two(1)`: takes_two() misses the argument 'y'


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [(type_error_first, errors.CompileTypeError), (type_error_last, errors.CompileError)],
)
def test_the_exception_has_the_class_of_the_first_error(kernel, kind):
    assert type(expect_error(kernel, FLOATS)) is kind


def fails(x):
    return x + "text"


@D.kernel
def calls_that_fail(a):
    for v in (1, 2.0):
        a[0] = fails(v)
    a[1] = undefined
    a[2] = fails(a[0])


def test_helpers_are_in_the_order_of_their_calls():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(calls_that_fail, FLOATS, grid=1, block=1)
    found = [d.message for d in raised.value.diagnostics]
    assert found == [
        "cannot add 'int' and 'str'",
        "cannot add 'float' and 'str'",
        "name 'undefined' is not defined",
        "cannot add 'float32' and 'str'",
    ]


def without_source(name):
    scope = {}
    exec(f"def {name}(x):\n    return x\n", scope)  # noqa: S102
    return scope[name]


lost, mislaid = without_source("lost"), without_source("mislaid")


@D.kernel
def calls_of_functions_without_source(a):
    a[0] = lost(1)
    a[1] = mislaid(2)


def test_functions_without_source_are_named_together():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(calls_of_functions_without_source, FLOATS, grid=1, block=1)
    check_error(
        raised,
        f"""
        test_several_errors.py:L+2:12: cannot find the source of 'lost'
        L+2 |     a[0] = lost(1)
            |            ^^^^
        {SOURCE_NOT_KEPT}
          in kernel 'calls_of_functions_without_source', specialised for (array[float32, 1])

        test_several_errors.py:L+3:12: cannot find the source of 'mislaid'
        L+3 |     a[1] = mislaid(2)
            |            ^^^^^^^
        {SOURCE_NOT_KEPT}
          in kernel 'calls_of_functions_without_source', specialised for (array[float32, 1])
        """,
        at=calls_of_functions_without_source,
    )


# Statements that are wrong by themselves, and one that says what is wrong: all of these together
# in one kernel must give the text that each of them gives alone. `{}` is a name of its own.
WRONG = [
    "a[0] = undefined{}",
    "x{} = undefined{}",
    "x{} = a + 1",
    "a[0] = b[1] + 'text'",
    "a[0] = 'text'",
    "a['x'] = 1",
    "a[0, 1] = 1",
    "b.shape[0] = 2",
    "c[0] = 1",
    "c[1] += 1",
    "x{} = c[1.5]",
    "x{} = n[0]",
    "x{}: int = 1.5",
    "x{}, y{} = 1, 2, 3",
    "x{} = a.nothing",
    "x{} = D.nothing",
    "x{} = threadIdx.x",
    "x{} = one(1, 2)",
    "x{} = one()",
    "x{} = one(1, z=2)",
    "x{} = [1, 2]",
    "del n",
    "assert n > 0, a",
    "x{} = 1 << 1.5",
    "x{} = -a",
    "x{} = ~1.5",
    "x{} = a < 1",
    "x{} = 1 if a else 2",
    "x{} = sum(1, 2)",
    "x{} = range(1.5)",
    "x{} = map(abs, (n, 1))",
    "x{} = a(1)",
    "x{} = abs()",
    "x{} = D.tid(4)",
    "x{} = D.shared_array(-1, D.float32)",
    "x{} = D.local_array(n, D.float32)",
    "a[0] = 5_000_000_000 * n",
    "a[0] = D.int8(300)",
    "x{} = (1, 2)[5]",
    "x{} = n.numerator",
]
# Right by themselves, they use what the wrong ones assign: they must say nothing.
FOLLOWS = [
    "a[0] = x{}",
    "a[x{}] = 1",
    "x{} += 1",
    "q{} = x{}.shape[0] + x{}(1)",
    "q{} = one(x{}) + (x{}, 1)[0]",
    "a[1] = (1, x{})[1] + max(x{}, 1)",
    "a[2] = x{} << 1 if x{} else x{}[0]",
]


def one(x):
    return x + 1


ARGUMENTS = (np.ones(4, np.float32), np.ones((2, 2), np.int32), np.ones(4, np.float32), 3)
ARGUMENTS[2].flags.writeable = False


def kernel_of(lines, registered=[0]):  # noqa: B006 a counter
    """A kernel of these lines, at an indentation of its own making."""
    import linecache

    registered[0] += 1
    name = f"<wrong {registered[0]}>"
    text = "@D.kernel\ndef wrong(a, b, c, n):\n" + "".join(f"    {line}\n" for line in lines)
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"D": D, "one": one, "__name__": __name__}
    exec(compile(text, name, "exec"), scope)  # noqa: S102
    return scope["wrong"]


def texts_of(kernel, indent=0):
    """The text of each error of a kernel, and its line; without what differs between kernels."""
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, *ARGUMENTS, grid=1, block=1)
    texts = str(raised.value).split("\n\n")
    lines = [d.line for d in raised.value.diagnostics]
    assert lines == sorted(lines)
    assert len(texts) == len(lines) <= MOST_SHOWN
    return [without_place(text, indent) for text in texts], lines


def without_place(text, indent):
    """Columns counted from the statement's own indentation, no lines and files."""
    text = text.removesuffix("\n" + context_of("wrong", ARGUMENTS))
    text = re.sub(r"^<wrong \d+>:\d+:(\d+): ", lambda m: f"{int(m[1]) - indent}: ", text)
    return re.sub(rf"^ *\d* \| {' ' * indent}", "| ", text, flags=re.MULTILINE)


@functools.cache
def text_alone(statement):
    texts, lines = texts_of(kernel_of([statement]))
    assert lines == [3], f"{statement} is not one mistake"
    return texts[0]


@pytest.mark.parametrize("statement", WRONG)
def test_each_statement_is_one_mistake(statement):
    assert text_alone(statement.replace("{}", "7"))


# Heads of what the statements stand in. In a loop, what the last one assigns reaches the first.
SHAPES = ["", "for i in range(n):", "if n:", "while True:"]


def variables_of(statements):
    """The numbers of the variables that these assign."""
    return [s[1] for s in statements if s[0] == "x"]


def random_kernel(choose, head):
    """Lines of wrong statements and of what follows from them; the errors' lines and texts."""
    indent = " " * 4 * bool(head)
    wrong = choose.sample(WRONG, choose.randint(2, 4))
    wrong = [statement.replace("{}", str(i)) for i, statement in enumerate(wrong)]
    lines, expected = [head] if head else [], []

    def add_follows(variables):
        for _ in range(choose.randint(0, 2) if variables else 0):
            follows = choose.choice(FOLLOWS).replace("{}", choose.choice(variables))
            lines.append(indent + follows)

    if head.startswith(("for", "while")):
        add_follows(variables_of(wrong))
    for i, statement in enumerate(wrong):
        expected.append((3 + len(lines), text_alone(statement)))
        lines.append(indent + statement)
        add_follows(variables_of(wrong[: i + 1]))
    return lines, expected, len(indent)


@pytest.mark.parametrize("head", SHAPES)
@pytest.mark.parametrize("seed", range(50))
def test_independent_mistakes_come_together(head, seed):
    lines, expected, indent = random_kernel(random.Random(f"{head} {seed}"), head)
    texts, places = texts_of(kernel_of(lines), indent)
    assert list(zip(places, texts, strict=True)) == expected, "\n".join(lines)
