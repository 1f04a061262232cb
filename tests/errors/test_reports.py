"""assert, raise and print where kernels cannot have them as they are written."""

import dataclasses
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
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    raise ValueError(a)


@bad.kernel(FLOATS)
def raise_an_array_in_a_format(a):
    # error at `a`@3: an f-string in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    raise ValueError(f"{a} is wrong")


@bad.kernel(FLOATS)
def raise_text_beyond_ascii_in_a_tuple(a):
    # error at `ValueError("ä", a[0])`: 'raise' in a kernel cannot write the repr() of a string that is not
    # ... ASCII
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
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


@bad.kernel(FLOATS, 7)
def too_many_texts(a, n):
    text = ""
    for _ in range(n):
        # error at `text + "x"`: 'text' would be one of more than 64 strings here
        # hint: print the parts where they are known
        text = text + "x"
    raise ValueError(text)


def counting(a):
    D.atomic_ref(a, 0).add(1)
    return a[0]


@bad.kernel(FLOATS)
def wrong_messages(a):
    # error at `f"{counting(a)}"`: the message of 'assert' in a kernel does more than give a value
    # hint: GPUs leave assertions out with their messages: call what stores, waits, prints or raises before, and write its result
    assert a[0] > 0, f"{counting(a)}"
    # error at `a`@3: 'assert' in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    assert a[0] > 0, a
    # error at `a[1]`@2: the format '8d' does not fit 'float32': floats have no d there
    # hint: use one of e f g, or int()
    assert a[1] > 0, f"{a[1]:8d}"
    # error at `a`@2: the array 'a' is used as a condition
    # hint: compare an element, or its size
    assert a, TEXT


@bad.kernel(FLOATS)
def wrong_values(a):
    # error at `a`: print() in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    print(a)
    # error at `print`@2: print() in a kernel cannot write 'print'
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    print(print)
    # error at `(1, a)`: print() in a kernel cannot write 'array[float32, 1]'
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    print((1, a))
    # error at `"a\0b"`: print() in a kernel cannot write a string with a NUL character
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
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
    # error at `a[0]`: '8w' is no format of Python's, or wider than 255
    # hint: the order is: fill and align (<>^=), sign, z, #, 0, width, grouping (, or _), precision, and one of b c d e E f F g G n o s x X %
    print(f"{a[0]:8w}")
    # error at `a[0]`: the format '5d' does not fit 'float32': floats have no d there
    # hint: use one of e f g, or int()
    print(f"{a[0]:5d}")
    # error at `TEXT`: the format '+10' does not fit 'str': strings have no sign there
    # hint: leave it out
    print(f"{TEXT:+10}")
    # error at `n`@2: the format '.3d' does not fit 'int': integers have no precision there
    # hint: leave it out
    print(f"{n:.3d}")
    # error at `(n, n)`: the format '9' does not fit '(int, int)': Python has formats of numbers and strings only
    # hint: make it a string first, as in {x!s:>8}
    print(f"{(n, n):9}")
    # error at `a[0]`: hex() takes an integer, found 'float32'
    # hint: convert it with int()
    print(hex(a[0]))
    # error at `str(n)`: a format in a kernel is constant
    # hint: write the numbers in it, as in {x:8.3f}
    print(format(n, str(n)))


@bad.kernel(FLOATS, 3)
def wrong_texts(a, n):
    text = f"{n}"
    # error at `text == "3"`: '==' cannot look at a string with values of run time in it
    # hint: such a string is put together when print or a message writes it: ask for the values themselves
    print(text == "3")
    # error at `len(text)`: len() cannot look at a string with values of run time in it
    # hint: such a string is put together when print or a message writes it: ask for the values themselves
    print(len(text))
    # error at `"a" * n`: a string is repeated by a constant, found an int
    # hint: write it in a loop, with end=''
    print("a" * n)


@dataclasses.dataclass(frozen=True, repr=False)
class Silent:
    x: int


@dataclasses.dataclass(frozen=True)
class Counted:
    x: int

    def __str__(self):
        return self.x


@bad.kernel(FLOATS, 3)
def wrong_classes(a, n):
    # error at `Silent(n)`: print() in a kernel cannot write a Silent, whose class has no __repr__
    # hint: what can be written are numbers, None, strings, vectors, structs and tuples of them; write the elements of an array one by one
    print(Silent(n))
    # error at `Counted(n)`: Counted.__str__() has to give a str, found int
    # hint: return a string, such as f"x = {self.x}"
    print(Counted(n))


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
