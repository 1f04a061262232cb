"""Builtin numbers of 32 bits that meet 64: a warning with the place, once, before the launch."""

import math
import warnings

import numpy as np
import pytest
from cuda import device as D
from cuda.device.errors import PrecisionWarning
from support.cached_programs import Programs

TEXT = """{file}:{line}:19: 'x * 2' is a builtin float, which has 32 bits in kernels, and meets a float64
  {line} |     a[0] = a[0] + x * 2
      |                   ^^^^^
write @kernel(builtins=64), or convert before it is rounded: device.float64(0.1) for a literal, \
numpy.float64 or the annotation device.float64 for an argument, device.float64(x) for the operands \
of a sum"""


@D.func
def scaled(v, by):
    return v * by  # warned at `by`: float


@D.kernel
def meets(a, x, n, longs, halves, flag):
    exact = 1.0 if flag else 0.5
    inexact = 1.0 if flag else 0.1
    total = 0.0
    for _ in range(2):
        total += 0.1
    small = 3 if flag else 4
    a[0] = a[0] + x  # warned at `x`: float
    a[1] = a[1] + exact + small
    a[2] = inexact  # warned at `inexact`: float
    a[3] = total  # warned at `total`: float
    a[4] = math.sqrt(2.0) * a[4]
    a[5] = math.sqrt(x) * a[4]  # warned at `math.sqrt(x)`: float
    a[6] = 0.1
    a[7] = a[7] + 0.1 * 3
    a[8] = D.float64(x)
    halves[0] = x
    longs[0] = n + longs[0]
    longs[1] = n * 2  # warned at `n * 2`: int64
    longs[2] = longs[2] + (n + 1)  # warned at `n + 1`: int64
    longs[3] = longs[2] + (n & 7)
    longs[4] = D.int64(n) * 2
    for k in range(n):
        longs[5] = longs[5] + k
        longs[6] += k * 2  # warned at `k * 2`: int64
    longs[7] = int(a[0])  # warned at `int(a[0])`: wide
    longs[8] = round(a[0])  # warned at `round(a[0])`: wide
    longs[9] = int(halves[0])
    if a[0] == x:  # warned at `x`: float
        a[9] = scaled(a[0], x) + scaled(a[1], x)
    a[9] = min(a[9], x)  # warned at `x`: float
    a[8] = a[7] if flag else x  # warned at `x`: float
    a[n * 2 : n * 3] = 1


def arguments():
    return np.ones(10), 0.1, 3, np.ones(10, np.int64), np.ones(1, np.float32), True


def launched(kernel, *args):
    """The warnings of a launch."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        D.launch(kernel, *args, grid=1, block=1)
    return found


def expected_places():
    """(line, what it stands at, kind), from this file's comments."""
    places = []
    for number, line in enumerate(open(__file__), 1):
        if "  # warned at `" in line and "places" not in line:
            what, kind = line.split("# warned at `")[1].strip().split("`: ")
            places.append((number, what, kind))
    return places


WORDS = {
    "float": "a builtin float, which has 32 bits in kernels, and meets a float64",
    "int64": "a builtin int, computed in 32 bits, and meets an int64",
    "wide": "makes a builtin int, which has 32 bits in kernels, of a float64",
}


def test_each_place_is_named_once(target):
    a_kernel = D.kernel(meets.__wrapped__)
    found = launched(a_kernel, *arguments())
    assert all(w.category is PrecisionWarning and w.filename == __file__ for w in found)
    said = {(w.lineno, str(w.message).split("\n")[0].split(": ", 1)[1]) for w in found}
    assert len(said) == len(found)
    assert len(found) == len(expected_places())
    for line, what, kind in expected_places():
        [text] = [text for number, text in said if number == line]
        assert text.startswith(f"'{what}' ")
        assert WORDS[kind] in text
    assert launched(a_kernel, *arguments()) == []


@D.kernel
def one(a, x):
    a[0] = a[0] + x * 2


def test_the_whole_text():
    [found] = launched(one, np.ones(1), 0.1)
    line = one.__wrapped__.__code__.co_firstlineno + 2
    assert str(found.message) == TEXT.format(file=__file__, line=line)


def test_an_error_comes_before_the_launch():
    kernel, a = D.kernel(one.__wrapped__), np.ones(1)
    for _ in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(PrecisionWarning, match="a builtin float"):
                D.launch(kernel, a, 0.1, grid=1, block=1)
    assert a[0] == 1
    assert len(launched(kernel, a, 0.1)) == 1
    assert a[0] == 1 + float(np.float32(0.2))


SAYS = """
import warnings
shown = []
warnings.showwarning = lambda message, kind, file, line, *_: shown.append([line, str(message)])
kernel = kernel_from(TEXT, file="moved.py")
for a in (np.ones(4), np.ones((2, 2))[0], np.ones(4)[::2]):
    D.launch(kernel, a, 0.1, grid=1, block=1)
report(shown=shown)
"""
SOURCE = """
@D.kernel
def kernel(a, x):
    a[0] = a[0] + x
"""


def test_it_is_said_once_for_a_place_also_of_a_kernel_from_the_disk(tmp_path):
    programs = Programs(tmp_path)
    for blank, (hits, stores) in (("", (0, 2)), ("\n\n", (2, 0))):
        ran = programs.run(f"TEXT = {blank + SOURCE!r}\n" + SAYS)
        [[line, text]] = ran.report["shown"]
        assert line == 4 + len(blank)
        assert f"{line} |     a[0] = a[0] + x\n" in text
        assert (ran.disk()[0], ran.disk()[2]) == (hits, stores)
