"""kernel.inspect: stages of a compilation as text."""

import inspect
import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing, errors


@D.kernel
def vec_add(a, b, c):
    i = D.tid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@D.kernel
def store(a, x, y=None):
    a[0] = x * 2


A = np.zeros(8, dtype=np.float32)


@pytest.mark.parametrize("what", ["syntax", "ir", "facts", "llvm", "asm", "ptx"])
def test_every_stage(what):
    text = vec_add.inspect(A, A, A.copy(), what=what)
    assert "vec_add" in text


def test_targets():
    assert "zmm" in vec_add.inspect(A, A, A.copy(), what="asm", target="avx512", block=256)
    assert "zmm" not in vec_add.inspect(A, A, A.copy(), what="asm", target="avx2", block=256)
    assert ".target sm_80" in vec_add.inspect(A, A, A, what="ptx", target="sm_80")


HOST = {"avx512", "avx2", "sse4", "avx512x64", "avx2x32", "host"}
GPU = {"sm_75", "sm_90", "sm_120"}
STAGES = {
    "syntax": set(),
    "ir_raw": set(),
    "ir": HOST | GPU | {"interpreter"},
    "facts": HOST | GPU | {"interpreter"},
    "llvm_raw": HOST | GPU,
    "llvm": HOST | GPU,
    "asm": HOST,
    "ptx": GPU,
}


@pytest.mark.parametrize("what", STAGES)
@pytest.mark.parametrize("name", sorted(HOST | GPU | {"interpreter"}))
def test_the_targets_that_a_stage_takes(what, name):
    if name in STAGES[what]:
        assert "store" in store.inspect(A, 2, None, what=what, target=name)
        return
    refused = rf"^inspect\(what='{what}'\) is not made for the target '{name}'\n(.*)\n"
    with pytest.raises(ValueError, match=refused) as raised:
        store.inspect(A, 2, None, what=what, target=name)
    hint = re.search(refused, str(raised.value))[1]
    if STAGES[what]:
        head, _, names = hint.partition(": ")
        named = set(names.split(", "))
        assert head == "it is made for"
        assert named <= STAGES[what] | {f"sm_{n}" for n in (80, 86, 89, 100)}
        assert STAGES[what] & (GPU | {"avx512", "avx2", "sse4"}) <= named
    else:
        assert hint == "leave the target out: it is the same for all of them"


@pytest.mark.parametrize("what", [*STAGES, None])
@pytest.mark.parametrize("name", ["nonsense", "sm_1", "sm_", "avx512x8", "AVX2", "cuda"])
def test_targets_that_do_not_exist(what, name):
    keywords = {"what": what} if what else {}
    with pytest.raises(ValueError, match=f"target '{name}'"):
        store.inspect(A, 2, None, target=name, **keywords)


def test_machine_code_is_that_of_the_target():
    assert ".entry" in store.inspect(A, 2, None, what="ptx")
    assert "target triple" in store.inspect(A, 2, None, what="llvm", target="sm_90")
    assert "nvptx" in store.inspect(A, 2, None, what="llvm", target="sm_90")
    assert "nvptx" not in store.inspect(A, 2, None, what="llvm")


def test_types_stand_for_values():
    by_type = store.inspect(A, "float32", None, what="ir")
    for argument in (np.float32(1), np.float32, np.dtype("float32")):
        assert by_type == store.inspect(A, argument, None, what="ir")
    assert store.inspect(A, float, None, what="ir") == store.inspect(A, 0.5, None, what="ir")
    generic = vec_add.inspect(*["array[float32, 1]"] * 3, what="facts")
    assert generic != vec_add.inspect(A, A, A.copy(), what="facts")


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("int", "int"),
        ("float", "float"),
        ("bool", "bool"),
        ("uint8", "uint8"),
        ("(int, float32)", "(int, float32)"),
        ("()", "()"),
        ("( (int,), float )", "((int,), float)"),
        ("array[int8, 3]", "array[int8, 3]"),
    ],
)
def test_types_as_text(text, type_):
    def same(x):
        return x

    found = _testing.result_type(same, text)
    assert found.replace(",)", ")") == type_.replace(",)", ")")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "integer",
        "array",
        "array[int8]",
        "array[int, 1]",
        "array[int8, 65]",
        "(int",
        "array[int8, 1, A]",
        "array[int8, 1,]",
        "array[int8, 1, C",
        "int x",
    ],
)
def test_bad_types(text):
    with pytest.raises(TypeError, match="not the type of an argument"):
        store.inspect(A, text, None)


def test_types_of_contiguous_arrays():
    def first(a):
        return a[1, 1]

    assert _testing.result_type(first, "array[int8, 2, C]") == "int8"
    named = store.inspect("array[float32, 1, C]", int, None, what="facts")
    assert "unit inner stride, contiguous, elements aligned" in named
    by_columns = store.inspect("array[float32, 1, F]", int, None, what="facts")
    assert "elements aligned" in by_columns
    assert "contiguous" not in by_columns
    assert "aligned" not in store.inspect("array[float32, 1]", int, None, what="facts")


def test_bad_stage_and_target():
    with pytest.raises(ValueError, match="unknown stage 'nonsense'"):
        store.inspect(A, int, None, what="nonsense")
    with pytest.raises(ValueError, match="unknown target 'sm_1'"):
        store.inspect(A, int, None, what="ptx", target="sm_1")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"what": None},
            "(what=None) is not possible; what is a text such as 'ir' or 'asm'",
        ),
        (
            {"what": ["ir"]},
            "(what=['ir']) is not possible; what is a text such as 'ir' or 'asm'",
        ),
        (
            {"target": 90},
            "(target=90) is not possible; target is a text such as 'avx2' or 'sm_90', or left out",
        ),
        ({"lines": 1}, "(lines=1) is not possible; lines is True or False"),
        (
            {"stage": "ir"},
            "() got an unexpected keyword argument 'stage'; it takes what, target, grid, block "
            "and lines",
        ),
    ],
)
def test_options_of_another_type(options, text):
    with pytest.raises(TypeError) as raised:
        store.inspect(A, int, None, **options)
    assert str(raised.value) == "inspect" + text


def test_errors_are_those_of_a_launch():
    with pytest.raises(D.errors.CompileError, match="vec_add"):
        vec_add.inspect(int, int, int)


def test_arrays_that_overlap_are_seen_together():
    def alone(*arguments):
        text = vec_add.inspect(*arguments, what="facts")
        return [" no alias" in line for line in text.splitlines() if line.startswith("array ")]

    a, b, c = np.zeros((3, 8), np.float32)
    assert alone(a, b, c) == [True, True, True]
    assert alone(a, b, a) == [False, True, False]
    assert alone(a[:5], b, a[4:]) == [False, True, False]
    assert alone(a, "array[float32, 1]", a) == [False, False, False]
    for array in (a, b):
        array.flags.writeable = False
    assert alone(a, a, c) == [True, True, True]


@D.kernel
def eight(a, b, c, d, e, f, g, h):
    pass


class Part:
    """A view, and the bytes that its elements lie in. Shown without its elements, which may not be
    there."""

    def __init__(self, array, low=None, high=None):
        bounds = np.lib.array_utils.byte_bounds(array) if low is None else (low, high)
        self.array, (self.low, self.high) = array, bounds

    def meets(self, other):
        written = self.array.flags.writeable or other.array.flags.writeable
        return written and self.low < other.high and other.low < self.high


def empty(base):
    return Part(base[:0], 0, 0)


def everywhere(base):
    """What it spans does not fit 64 bits."""
    return Part(np.lib.stride_tricks.as_strided(base, (4,), (2**62,)), 0, 2**64)


def random_part(random, base):
    kind = random.integers(8)
    if kind < 2:
        return (empty, everywhere)[kind](base)
    start, step = random.integers(60), random.choice([-1, 1, 2])
    part = base[start : start + random.integers(1, 6)][::step]
    part.flags.writeable = bool(random.integers(4))
    return Part(part)


def check_alone(parts):
    text = eight.inspect(*(part.array for part in parts), what="facts", target="avx2")
    lines = [line for line in text.splitlines() if line.startswith("array ")]
    alone = [not any(part.meets(other) for other in parts if other is not part) for part in parts]
    assert [" no alias" in line for line in lines] == alone, [part.low for part in parts]
    return sum(alone)


def test_arrays_that_overlap_as_a_model_says():
    """In any order of their addresses, with empty ones and some that may lie anywhere."""
    random = np.random.default_rng(5)
    base = np.zeros(64, np.float32)
    seen = set()
    for replaced in list(range(9)) * 6:
        parts = [Part(base[8 * i : 8 * i + 8]) for i in random.permutation(8)]
        for i in random.permutation(8)[:replaced]:
            parts[i] = random_part(random, base)
        seen.add(check_alone(parts))
    assert len(seen) > 5
    apart = [Part(base[8 * i : 8 * i + 8]) for i in range(6)]
    for first, second in ((empty, everywhere), (everywhere, empty)):
        assert check_alone([first(base), second(base), *apart]) == 1
        assert check_alone([*apart, first(base), second(base)]) == 1


@D.func
def half(x):
    return x * 0.5


@pytest.mark.parametrize("what", ["ir", "asm"])
def test_a_function_has_no_code_of_its_own(what):
    with pytest.raises(errors.CompileError) as caught:
        half.inspect("float32", what=what)
    text = str(caught.value)
    assert "the function 'half' returns float32, so there is no code of it alone" in text
    assert "inspect one of these, or ask for what='result_type' or 'syntax'" in text
    assert half.inspect("float32", what="result_type") == "float32"


# --- lines of Python beside what was made of them ---


@D.func
def shrunk(x):
    return x * 0.25


@D.kernel
def halvings(out, x, limit):
    i = D.tid(1)
    if i < out.size:
        v = shrunk(x[i])
        n = 0
        while n < limit and v > 1.0:
            v *= 0.5
            n += 1
        out[i] = n


N = np.zeros(1000, np.int32)
X = np.zeros(1000, np.float32)
COMMENTS = {"ir": "//", "ir_raw": "//", "llvm": ";", "llvm_raw": ";", "asm": "#", "ptx": "//"}


def listed(text, comment):
    """(line number, source) of each comment, in order."""
    pattern = rf"^\s*{comment} line (\d+): (.*)$"
    return [(int(n), source) for n, source in re.findall(pattern, text, re.M)]


def lines_of(what, lines):
    return halvings.inspect(N, X, 100, what=what, grid=4, block=256, lines=lines)


SOURCES = {function: inspect.getsourcelines(function.underlying) for function in (halvings, shrunk)}


def own_lines():
    """What every listing may show: number → text without its indentation."""
    return {
        first + i: line.strip() for lines, first in SOURCES.values() for i, line in enumerate(lines)
    }


@pytest.mark.parametrize("what", COMMENTS)
def test_lines_stand_beside(what):
    found = listed(lines_of(what, True), COMMENTS[what])
    sources = own_lines()
    assert all(sources[number] == text for number, text in found)
    lines = [text for _, text in found]
    for text in ("v *= 0.5", "out[i] = n", "if i < out.size:", "return x * 0.25"):
        assert text in lines
    if what in ("ir", "ir_raw"):
        assert lines.index("v = shrunk(x[i])") < lines.index("v *= 0.5") < lines.index("out[i] = n")


@pytest.mark.parametrize("what", COMMENTS)
def test_lines_change_nothing_else(what):
    """Without the comments it is the text that there is without lines."""

    def bare(text):
        lines = (line for line in text.splitlines() if not listed(line, COMMENTS[what]))
        lines = (line for line in lines if not line.startswith("!"))  # LLVM's numbered notes
        lines = (re.sub(r"![0-9]+", "!", re.sub(r"[;#] .*", "", line)) for line in lines)
        return [re.sub(r"\s+", " ", line).strip() for line in lines]

    with_lines, without = bare(lines_of(what, True)), bare(lines_of(what, False))
    assert [x for x in with_lines if x] == [x for x in without if x]


def test_a_comment_is_in_front_of_what_it_is_about():
    text = lines_of("asm", True)
    after = text.split("v *= 0.5\n")[1].splitlines()[0]
    assert re.match(r"\s+v?mulps", after), after
    ir = lines_of("ir", True).split("// line")
    (store,) = (part for part in ir if "out[i] = n" in part)
    assert "store %0" in store


@pytest.mark.parametrize("what", ["syntax", "facts"])
def test_stages_without_lines(what):
    with pytest.raises(ValueError, match=f"lines=True.*{what}"):
        halvings.inspect(N, X, 100, what=what, lines=True)
