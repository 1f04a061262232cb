"""assert, raise and print where kernels cannot have them as they are written."""

import linecache

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms

bad = BadPrograms()


class OwnError(ValueError):
    pass


TEXT = "a constant of the module"


@bad.kernel(FLOATS)
def raise_alone(a):
    # error at `raise`: 'raise' without an exception has nothing to raise again
    # hint: kernels cannot catch exceptions; name one, such as raise ValueError("text")
    raise


@bad.kernel(FLOATS)
def raise_from(a):
    if a[0] > 0:
        # error at `None`: 'raise ... from' is not supported in kernels
        # hint: kernels cannot catch exceptions, so none is the cause of another; leave out 'from'
        raise ValueError from None


@bad.kernel(FLOATS)
def raise_own_class(a):
    # error at `OwnError`: 'raise' in a kernel takes a builtin exception class, found class OwnError
    # hint: write one that is made of a text, such as ValueError("text")
    raise OwnError("text")


@bad.kernel(FLOATS)
def raise_exit(a):
    # error at `SystemExit`: 'raise' in a kernel takes a builtin exception class, found SystemExit
    # hint: write one that is made of a text, such as ValueError("text")
    raise SystemExit


@bad.kernel(FLOATS)
def raise_a_number(a):
    # error at `a[0]`: 'raise' in a kernel takes a builtin exception class, found float32
    # hint: write one that is made of a text, such as ValueError("text")
    raise a[0]


@bad.kernel(FLOATS)
def raise_an_array(a):
    # error at `a`@3: 'raise' in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    raise ValueError(a)


@bad.kernel(FLOATS)
def raise_an_array_in_a_format(a):
    # error at `a`@3: 'raise' in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    raise ValueError(f"{a} is wrong")


@bad.kernel(FLOATS)
def raise_text_beyond_ascii_in_a_tuple(a):
    # error at `ValueError("ä", a[0])`: 'raise' in a kernel cannot write a tuple with a string in it that is
    # ... not ASCII
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    raise ValueError("ä", a[0])


@bad.kernel(FLOATS)
def raise_several_texts(a):
    # error at `OSError(2, TEXT)`: OSError() in a kernel takes one argument, found 2
    # hint: write what it says as its text, such as raise OSError(f"{x} is too large")
    raise OSError(2, TEXT)


@bad.kernel(FLOATS)
def raise_with_a_keyword(a):
    # error at `name=TEXT`: ImportError() in a kernel takes no keyword arguments, found one
    # hint: write what it says as its text, such as raise ImportError(f"{x} is too large")
    raise ImportError(name=TEXT)


@bad.kernel(FLOATS)
def raise_a_text_of_run_time(a):
    text = "one"
    if a[0] > 0:
        # error at `"two"`: 'text' would be both str and str here
        # hint: give the two values one type, or use two names
        text = "two"
    raise ValueError(text)


def counting(a):
    D.atomic_ref(a, 0).add(1)
    return a[0]


def refusing(x):
    if x > 3:
        raise ValueError
    return x


@bad.kernel(FLOATS)
def wrong_messages(a):
    # error at `f"{counting(a)}"`: the message of 'assert' in a kernel does more than give a value
    # hint: GPUs leave assertions out with their messages: call what stores, waits, prints or raises before, and write its result
    assert a[0] > 0, f"{counting(a)}"
    # error at `refusing(a[1])`: the message of 'assert' in a kernel does more than give a value
    # hint: GPUs leave assertions out with their messages: call what stores, waits, prints or raises before, and write its result
    assert a[0] > 0, refusing(a[1])
    # error at `a`@3: 'assert' in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    assert a[0] > 0, a
    # error at `a[1]`@2: '^8' is no format that kernels know
    # hint: they know <, >, a sign, 0, a width and a precision, then one of d x X o e E f F g G
    assert a[1] > 0, f"{a[1]:^8}"
    # error at `a`@2: the array 'a' is used as a condition
    # hint: compare an element, or its size
    assert a, TEXT


@bad.kernel(FLOATS)
def wrong_values(a):
    # error at `a`: print() in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    print(a)
    # error at `print`@2: print() in a kernel cannot write 'print'
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    print(print)
    # error at `(1, a)`: print() in a kernel cannot write a tuple with 'array[float32, 1]' in it
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    print((1, a))
    # error at `"a\0b"`: print() in a kernel cannot write a string with a NUL character
    # hint: what can be written are numbers, None, string constants, f-strings and tuples of them; write the elements of an array one by one
    print("a\0b")


@bad.kernel(FLOATS)
def wrong_keywords(a):
    # error at `flush=True`: print() in a kernel has no keyword argument 'flush'
    # hint: it takes sep and end; the text goes to sys.stdout when the launch is done
    print(a[0], flush=True)
    # error at `1`@2: sep of print() in a kernel is a string constant or None, found 'int'
    # hint: write the text itself, for example sep=' '
    print(a[0], 1, sep=1)  # fmt: skip
    # error at `a[1]`: end of print() in a kernel is a string constant or None, found 'float32'
    # hint: write the text itself, for example end=' '
    print(a[0], end=a[1])


@bad.kernel(FLOATS, 3)
def wrong_formats(a, n):
    # error at `a[0]`: the conversion '!a' is not supported in kernels
    # hint: leave it out
    print(f"{a[0]!a}")
    # error at `n`@2: a format in a kernel is constant
    # hint: write the numbers in it, as in {x:8.3f}
    print(f"{a[0]:{n}}")
    # error at `a[0]`: '^8' is no format that kernels know
    # hint: they know <, >, a sign, 0, a width and a precision, then one of d x X o e E f F g G
    print(f"{a[0]:^8}")
    # error at `a[0]`: the format '5d' is for integers, found 'float32'
    # hint: use one of e f g, or int()
    print(f"{a[0]:5d}")
    # error at `TEXT`: the format '10' is for numbers, found 'str'
    # hint: leave the format out
    print(f"{TEXT:10}")
    # error at `n`@2: the format '5' is for numbers, found a string, by !r or !s
    # hint: leave the format out
    print(f"{n!r:5}")


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


def test_many_numbers():
    source = "i, " * 33
    names = {"D": D}
    text = f"@D.kernel\ndef k(i):\n    print({source})\n"
    linecache.cache["<many>"] = (len(text), None, text.splitlines(True), "<many>")
    exec(compile(text, "<many>", "exec"), names)
    with pytest.raises(errors.CompileError) as raised:
        D.launch(names["k"], np.int32(1), grid=1, block=1)
    assert raised.value.diagnostics[0].message == (
        "print() in a kernel writes at most 32 numbers at once, found 33"
    )
    assert raised.value.diagnostics[0].hint == "leave some out, or print them in several lines"
