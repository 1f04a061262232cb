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
def raise_a_number_as_text(a):
    # error at `a[0]`: the text of ValueError() in a kernel is one string constant, found 'float32'
    # hint: the exception is made when the kernel has failed; numbers can be written by print() before
    raise ValueError(a[0])


@bad.kernel(FLOATS)
def raise_a_format(a):
    # error at `f"{a[0]} is wrong"`: the text of ValueError() in a kernel is one string constant,
    # ... found an f-string
    # hint: the exception is made when the kernel has failed; numbers can be written by print() before
    raise ValueError(f"{a[0]} is wrong")


@bad.kernel(FLOATS)
def raise_several_texts(a):
    # error at `OSError(2, TEXT)`: the text of OSError() in a kernel is one string constant, found 2
    # ... arguments
    # hint: the exception is made when the kernel has failed; numbers can be written by print() before
    raise OSError(2, TEXT)


@bad.kernel(FLOATS)
def raise_with_a_keyword(a):
    # error at `ImportError(name=TEXT)`: the text of ImportError() in a kernel is one string
    # ... constant, found a keyword argument
    # hint: the exception is made when the kernel has failed; numbers can be written by print() before
    raise ImportError(name=TEXT)


@bad.kernel(FLOATS)
def wrong_messages(a):
    # error at `a[1]`: the message of 'assert' in a kernel is one string constant, found 'float32'
    # hint: the exception is made when the kernel has failed; numbers can be written by print() before
    assert a[0] > 0, a[1]
    # error at `f"{a[1]}"`: the message of 'assert' in a kernel is one string constant, found an
    # ... f-string
    # hint: the exception is made when the kernel has failed; numbers can be written by print() before
    assert a[0] > 0, f"{a[1]}"
    # error at `a`@2: the array 'a' is used as a condition
    # hint: compare an element, or its size
    assert a, TEXT


@bad.kernel(FLOATS)
def wrong_values(a):
    # error at `a`: print() in a kernel cannot write 'array[float32, 1]'
    # hint: it writes numbers, None, string constants, f-strings and tuples of numbers; print the elements of an array one by one
    print(a)
    # error at `print`@2: print() in a kernel cannot write 'print'
    # hint: it writes numbers, None, string constants, f-strings and tuples of numbers; print the elements of an array one by one
    print(print)
    # error at `(1, "x")`: print() in a kernel cannot write a tuple with 'str' in it
    # hint: it writes numbers, None, string constants, f-strings and tuples of numbers; print the elements of an array one by one
    print((1, "x"))
    # error at `"a\0b"`: print() in a kernel cannot write a string with a NUL character
    # hint: it writes numbers, None, string constants, f-strings and tuples of numbers; print the elements of an array one by one
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
    assert raised.value.diagnostics[0].hint == "print them in several lines"
