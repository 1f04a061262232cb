"""Every operator of NumbaPro's dialect on every pair of types: results, values, what is refused.

The model is written from the specification's text alone (support/numbapro_rules.py for types,
support/numbapro_values.py for values).
"""

import functools
import itertools

import numpy as np
import pytest
from cuda.device import _testing
from cuda.device.errors import CompileError
from cuda.device.numbapro import cuda
from fuzz.harness import assembled
from support.clauses import clause
from support.numbapro import made_of, types_of_variables
from support.numbapro_rules import COMPARISONS, REAL, TYPES, bits, result_of, unary_result
from support.numbapro_values import Val, binary, compare, convert, is_complex, typed, unary

ARITHMETIC = ["+", "-", "*", "//", "/", "&", "|", "^", "<<", ">>", "%", "**"]
SIGNS = [*ARITHMETIC, *COMPARISONS]
UNARY = ["-", "+", "~", "not "]
PAIRS = list(itertools.product(TYPES, TYPES))


def parts(name):
    """What the compiler keeps of a variable."""
    return (f"float{bits(name)}",) * 2 if is_complex(name) else name


def kernel_of(body, *parameters):
    text = f"def k({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in body)
    return cuda.autojit(made_of(text).py_func, fmad=False)


def of_numbers(body):
    """A kernel whose arguments v_T are a number of each type."""
    return kernel_of(body, *(f"v_{name}" for name in TYPES))


def refused_lines(body):
    """The lines of a kernel of numbers that are wrong, from 0."""
    with pytest.raises(CompileError) as raised:
        of_numbers([*body, "wrong = undefined"]).inspect(*TYPES, what="ir_raw")
    found = [each.line - 2 for each in raised.value.diagnostics]
    assert found.pop() == len(body)
    return found


# --- types ---


@clause("NP-ARITH-01", "NP-ARITH-02", "NP-ARITH-03", "NP-ARITH-04", "NP-ARITH-06", "NP-ARITH-07")
@clause("NP-ARITH-05")
@pytest.mark.parametrize("sign", SIGNS)
def test_the_type_of_every_operator_on_every_pair_of_types(sign):
    wanted = {(a, b): result_of(sign, a, b) for a, b in PAIRS}
    good = {pair: kind for pair, kind in wanted.items() if kind}
    kernel = of_numbers(f"{a}_{b} = v_{a} {sign} v_{b}" for a, b in good)
    found = types_of_variables(kernel, *TYPES)
    assert found == {f"{a}_{b}": parts(kind) for (a, b), kind in good.items()}
    bad = [pair for pair in PAIRS if pair not in good]
    lines = [f"x{at} = v_{a} {sign} v_{b}" for at, (a, b) in enumerate(bad)]
    assert refused_lines(lines) == list(range(len(bad)))


@clause("NP-ARITH-05", "NP-ARITH-07")
@pytest.mark.parametrize("sign", UNARY)
def test_the_type_of_every_unary_operator(sign):
    wanted = {name: unary_result(sign, name) for name in TYPES}
    good = {name: kind for name, kind in wanted.items() if kind}
    found = types_of_variables(of_numbers(f"x_{name} = {sign}v_{name}" for name in good), *TYPES)
    assert found == {f"x_{name}": parts(kind) for name, kind in good.items()}
    bad = [name for name in TYPES if name not in good]
    assert refused_lines([f"x = {sign}v_{name}" for name in bad]) == list(range(len(bad)))


@clause("NP-ARITH-09", "NP-TYPE-03")
@pytest.mark.parametrize("sign", ARITHMETIC)
def test_the_type_of_every_assignment_in_place(sign):
    """Outside of loops the variable gets the type of the result."""
    good = {(a, b): kind for a, b in PAIRS if (kind := result_of(sign, a, b))}
    lines = [(f"x = v_{a}", f"x {sign}= v_{b}", f"{a}_{b} = x") for a, b in good]
    found = types_of_variables(of_numbers(itertools.chain(*lines)), *TYPES)
    for (a, b), kind in good.items():
        assert found[f"{a}_{b}"] == parts(kind), f"{a} {sign}= {b}"
    bad = [pair for pair in PAIRS if pair not in good]
    lines = [line for a, b in bad for line in (f"x = v_{a}", f"x {sign}= v_{b}")]
    assert refused_lines(lines) == list(range(1, len(lines), 2))


def stays(sign, a, b):
    """Whether a result is converted to what the left side has: integers and floats alone are."""
    kind = result_of(sign, a, b)
    return bool(kind) and (kind == a or not is_complex(kind))


@clause("NP-ARITH-09", "NP-TYPE-01", "NP-TYPE-04", "NP-TYPE-06")
@pytest.mark.parametrize("sign", ARITHMETIC)
def test_assignments_in_place_keep_the_type_in_loops(sign):
    good = [(a, b) for a, b in PAIRS if stays(sign, a, b)]
    body = [f"x_{a}_{b} = v_{a}" for a, b in good]
    body += ["for i in range(2):", *(f"    x_{a}_{b} {sign}= v_{b}" for a, b in good)]
    body += [f"{a}_{b} = x_{a}_{b}" for a, b in good]
    found = types_of_variables(of_numbers(body), *TYPES)
    for a, b in good:
        assert found[f"{a}_{b}"] == parts(a), f"{a} {sign}= {b}"
    bad = [pair for pair in PAIRS if pair not in good]
    body = [f"x_{a}_{b} = v_{a}" for a, b in bad]
    body += ["for i in range(2):", "    i", *(f"    x_{a}_{b} {sign}= v_{b}" for a, b in bad)]
    assert refused_lines(body) == list(range(len(bad) + 2, len(body)))


def stores(sign, a, b):
    """A-15: whether elements take the result: a real one does not become of a complex one."""
    kind = result_of(sign, a, b)
    return bool(kind) and (is_complex(a) or not is_complex(kind))


@clause("NP-ARITH-07", "NP-ARITH-09", "NP-ARR-15", "NP-TYPE-01")
@pytest.mark.parametrize("sign", ARITHMETIC)
def test_elements_that_no_result_is_assigned_to_in_place(sign):
    bad = [pair for pair in PAIRS if not stores(sign, *pair)]
    body = [f"e_{a}[0] {sign}= v_{b}" for a, b in bad]
    names = [f"e_{name}" for name in TYPES] + [f"v_{name}" for name in TYPES]
    with pytest.raises(CompileError) as raised:
        kernel_of([*body, "wrong = undefined"], *names).inspect(
            *(f"array[{name}, 1]" for name in TYPES), *TYPES, what="ir_raw"
        )
    assert [each.line - 2 for each in raised.value.diagnostics] == list(range(len(bad) + 1))


# --- values ---

NUMBERS = {
    "bool": [False, True, True, False, True, False, True],
    "int8": [100, -7, -128, 3, 0, -1, 127],
    "int16": [300, -7, -32768, 3, 0, -1, 32767],
    "int32": [70000, -7, -(1 << 31), 3, 0, -1, (1 << 31) - 1],
    "int64": [1 << 40, -7, -(1 << 63), 3, 0, -1, (1 << 63) - 1],
    "uint8": [200, 7, 255, 2, 0, 1, 128],
    "uint16": [60000, 7, 65535, 2, 0, 1, 1 << 15],
    "uint32": [4000000000, 7, (1 << 32) - 1, 2, 0, 1, 1 << 31],
    "uint64": [1 << 62, 7, (1 << 64) - 1, 2, 0, 1, 1 << 63],
    "float32": [1.5, -7.25, -0.0, 0.1, 3e38, np.inf, np.nan],
    "float64": [1e12, -7.25, -0.0, 0.1, 1e308, -np.inf, np.nan],
    "complex64": [1.5 + 2j, -0.0 + 1j, complex(0.1, -7), 3e38j, complex(np.inf, 1), 0, -1],
    "complex128": [2 - 1e12j, -0.0, complex(0.1, 7), 1e308j, complex(1, -np.inf), 1j, 3],
}
COUNT = len(NUMBERS["bool"])
LEFT = {name: np.repeat(np.array(NUMBERS[name], name), COUNT) for name in TYPES}
RIGHT = {name: np.tile(np.array(NUMBERS[name], name), COUNT) for name in TYPES}


def store_type(kind):
    """Of an array that keeps every number of a type."""
    return "complex128" if is_complex(kind) else "float64" if "float" in kind else "int64"


def valued(sign, a, b):
    """Whether a result is compared to the last bit: pow() of floats is not."""
    kind = result_of(sign, a, b)
    return bool(kind) and (sign != "**" or "float" not in kind)


@functools.cache
def results(sign, a, b):
    of = compare if sign in COMPARISONS else binary
    with np.errstate(all="ignore"):
        return [of(sign, typed(x), typed(y)) for x, y in zip(LEFT[a], RIGHT[b], strict=True)]


@functools.cache
def stored(sign, a, b, kind):
    with np.errstate(all="ignore"):
        return np.array([convert(kind, v).number for v in results(sign, a, b)], kind)


OUTPUTS = ("int64", "float64", "complex128")


def launch(target, sign, kernel, *arrays):
    """PTX of a hundred divisions is assembled for one architecture, another one for each sign."""
    at = (SIGNS + UNARY).index(sign)
    with _testing.use_target(assembled(target, at)):
        kernel[1, 64](*arrays)


@functools.cache
def kernel_of_values(sign):
    """A statement for each pair, and the pairs; outputs are rows of an array of each kind."""
    pairs = [pair for pair in PAIRS if valued(sign, *pair)]
    body = ["i = cuda.grid(1)", f"if i < {COUNT**2}:"]
    body += [
        f"    o_{store_type(result_of(sign, a, b))}[{at}, i] = v_{a}[i] {sign} w_{b}[i]"
        for at, (a, b) in enumerate(pairs)
    ]
    names = [f"{x}_{name}" for x in "vw" for name in TYPES] + [f"o_{name}" for name in OUTPUTS]
    return pairs, kernel_of(body, *names)


@clause("NP-ARITH-01", "NP-ARITH-02", "NP-ARITH-03", "NP-ARITH-04", "NP-ARITH-06")
@pytest.mark.parametrize("sign", SIGNS)
def test_the_values_of_every_operator_on_every_pair_of_types(target, sign):
    pairs, kernel = kernel_of_values(sign)
    outs = {kind: np.zeros((len(pairs), COUNT**2), kind) for kind in OUTPUTS}
    launch(target, sign, kernel, *LEFT.values(), *RIGHT.values(), *outs.values())
    for at, (a, b) in enumerate(pairs):
        kind = store_type(result_of(sign, a, b))
        check(outs[kind][at], stored(sign, a, b, kind), LEFT[a], sign, RIGHT[b])


def check(found, wanted, left, sign, right):
    """NaN is NaN; all else is the same to the sign of zero."""
    views = [a.view(f"f{a.real.itemsize}") if a.dtype.kind in "fc" else a for a in (found, wanted)]
    same = (views[0] == views[1]) & (np.signbit(views[0]) == np.signbit(views[1]))
    if found.dtype.kind in "fc":
        same |= np.isnan(views[0]) & np.isnan(views[1])
    wrong = np.flatnonzero(~same.reshape(len(found), -1).all(1))
    if len(wrong):
        i = wrong[0]
        raise AssertionError(
            f"{left.dtype} {left[i]} {sign} {right.dtype} {right[i]} is {found[i]}, "
            f"by the model {wanted[i]}; {len(wrong)} differ"
        )


@functools.cache
def kernel_in_place(sign):
    """`element op= number` for each pair; the elements of a type are rows of an array."""
    pairs = [(a, b) for a, b in PAIRS if valued(sign, a, b) and stores(sign, a, b)]
    body = ["i = cuda.grid(1)", f"if i < {COUNT**2}:"]
    body += [f"    e_{a}[{TYPES.index(b)}, i] {sign}= w_{b}[i]" for a, b in pairs]
    return pairs, kernel_of(body, *(f"e_{name}" for name in TYPES), *(f"w_{t}" for t in TYPES))


@clause("NP-ARITH-09", "NP-ARR-15")
@pytest.mark.parametrize("sign", ARITHMETIC)
def test_elements_in_place_take_the_result_in_their_type(target, sign):
    pairs, kernel = kernel_in_place(sign)
    elements = {name: np.tile(LEFT[name], (len(TYPES), 1)) for name in TYPES}
    launch(target, sign, kernel, *elements.values(), *RIGHT.values())
    for a, b in pairs:
        found = elements[a][TYPES.index(b)]
        check(found, stored(sign, a, b, a), LEFT[a], f"{sign}=", RIGHT[b])


@functools.cache
def kernel_of_unary():
    pairs = [(sign, name) for sign in UNARY for name in TYPES if unary_result(sign, name)]
    body = ["i = cuda.grid(1)", f"if i < {COUNT**2}:"]
    body += [
        f"    o_{store_type(unary_result(sign, name))}[{at}, i] = {sign}v_{name}[i]"
        for at, (sign, name) in enumerate(pairs)
    ]
    names = [f"v_{name}" for name in TYPES] + [f"o_{name}" for name in OUTPUTS]
    return pairs, kernel_of(body, *names)


@clause("NP-ARITH-01", "NP-ARITH-06")
def test_the_values_of_every_unary_operator(target):
    pairs, kernel = kernel_of_unary()
    outs = {kind: np.zeros((len(pairs), COUNT**2), kind) for kind in OUTPUTS}
    launch(target, "not ", kernel, *LEFT.values(), *outs.values())
    for at, (sign, name) in enumerate(pairs):
        kind = store_type(unary_result(sign, name))
        with np.errstate(all="ignore"):
            values = [convert(kind, unary(sign, typed(x))).number for x in LEFT[name]]
        check(outs[kind][at], np.array(values, kind), LEFT[name], sign, LEFT[name])


@functools.cache
def kernel_in_loop(sign):
    """A variable of each type that a loop of two iterations changes in place."""
    pairs = [(a, b) for a in REAL for b in REAL if valued(sign, a, b)]
    body = ["i = cuda.grid(1)", f"if i < {COUNT**2}:"]
    body += [
        f"    {line}"
        for at, (a, b) in enumerate(pairs)
        for line in (
            f"x{at} = v_{a}[i]",
            "for k in range(2):",
            f"    x{at} {sign}= w_{b}[i]",
            f"o_{store_type(a)}[{at}, i] = x{at}",
        )
    ]
    names = [f"{x}_{name}" for x in "vw" for name in REAL] + [f"o_{name}" for name in OUTPUTS[:2]]
    return pairs, kernel_of(body, *names)


def twice(sign, a, b):
    """What a variable of type `a` is after two iterations, each converted to `a`."""
    found = []
    with np.errstate(all="ignore"):
        for x, y in zip(LEFT[a], RIGHT[b], strict=True):
            v = typed(x)
            for _ in range(2):
                v = convert(a, binary(sign, v, typed(y)))
            found.append(convert(store_type(a), v).number)
    return np.array(found, store_type(a))


@clause("NP-TYPE-04", "NP-ARITH-09")
@pytest.mark.parametrize("sign", ["+", "-", "/", "<<"])
def test_variables_in_loops_take_the_result_in_their_type(target, sign):
    pairs, kernel = kernel_in_loop(sign)
    outs = {kind: np.zeros((len(pairs), COUNT**2), kind) for kind in OUTPUTS[:2]}
    arguments = [numbers[t] for numbers in (LEFT, RIGHT) for t in REAL]
    launch(target, sign, kernel, *arguments, *outs.values())
    for at, (a, b) in enumerate(pairs):
        found = outs[store_type(a)][at]
        check(found, twice(sign, a, b), LEFT[a], f"{sign}= (twice)", RIGHT[b])


def test_the_model_by_hand():
    """A guard of the model: numbers that the text gives, or that follow from it in one step."""
    assert binary("//", Val("int32", -7), Val("int32", 2)) == ("int32", -4)
    assert binary("/", Val("int32", 1), Val("int32", 2)) == ("float32", 0.5)
    assert binary("+", Val("int8", 100), Val("int8", 100)) == ("int8", -56)
    assert not compare("<", Val("int32", -1), Val("uint32", 1)).number
    assert unary("-", Val("bool", True)) == ("int32", -1)
    assert unary("~", Val("uint8", 1)) == ("uint8", 254)
    assert convert("int32", Val("float64", 3e9)) == ("int32", 2147483647)
