"""Programs of many functions in many files, and many kernels that a program makes itself."""

import importlib
import linecache
import random
import sys

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run
from support.targets import use_target

FILES, IN_FILE, STATEMENTS = 20, 10, 10


def function_text(number, rng):
    """Sixteen lines: each calls the one before in its file, the first that of another file."""
    lines = [f"def f{number}(x, y):", "    total = y & 1023"]
    for k in range(STATEMENTS):
        a, b = rng.randint(1, 99), rng.randint(1, 7)
        lines.append(
            rng.choice(
                (
                    f"    total = (total * {a} + x * {b}) & 65535",
                    f"    total = total ^ ((x + {a}) >> {b})",
                    f"    total = total + {a} if total > {a * 50} else total - x",
                    f"    total = min(total, {60000 - k}) + (y & {b})",
                )
            )
        )
    if number % (5 * IN_FILE):
        called = number - 1 if number % IN_FILE else number - IN_FILE
        lines.append(f"    total += f{called}(total & 255, x)")
    lines += ["    return total & 65535", "", ""]
    return lines


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The last function of each of 20 modules, and how many lines they have."""
    folder, rng, count = tmp_path_factory.mktemp("large"), random.Random(5), 0
    for file in range(FILES):
        lines = ["# One of many files."]
        if file % 5:
            lines = [f"from large_{file - 1} import f{(file - 1) * IN_FILE}", "", ""]
        for k in range(IN_FILE):
            lines += function_text(file * IN_FILE + k, rng)
        (folder / f"large_{file}.py").write_text("\n".join(lines) + "\n")
        count += len(lines)
    sys.path.insert(0, str(folder))
    try:
        modules = [importlib.import_module(f"large_{file}") for file in range(FILES)]
        yield tuple(getattr(m, f"f{(k + 1) * IN_FILE - 1}") for k, m in enumerate(modules)), count
    finally:
        sys.path.remove(str(folder))
        for file in range(FILES):
            sys.modules.pop(f"large_{file}", None)


@clause("DEV-FUNC-02", "DEV-KERN-02")
@pytest.mark.targets("interpreter", "avx2")  # it takes long
def test_three_thousand_lines_in_two_hundred_functions_of_twenty_files(target, program):
    functions, lines = program
    assert lines >= 3000

    @D.kernel
    def large(out, x):
        i = D.tid(1)
        if i < out.size:
            total = 0
            for f in functions:
                total ^= f(x[i], i)
            out[i] = total

    x = np.arange(40, dtype=np.int32) * 37
    out = np.zeros(40, dtype=np.int32)
    run(large, out, x, grid=2, block=32)

    def expected(v, i):
        total = 0
        for f in functions:
            total ^= f(v, i)
        return total

    assert out.tolist() == [expected(int(v), i) for i, v in enumerate(x)]


TEXT = """
@D.kernel
def made(out, x):
    i = D.tid(1)
    if i < out.size:
        out[i] = x[i] {operator} {number} + {more}
"""


@clause("DEV-KERN-02")
def test_a_thousand_kernels_made_by_exec():
    rng = random.Random(6)
    x = np.arange(16, dtype=np.int32)
    for number in range(1000):
        operator, more = rng.choice("+-*^|&"), rng.randint(0, 99)
        text = TEXT.format(operator=operator, number=number, more=more)
        name = f"<made {number}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        space = {"D": D}
        exec(compile(text, name, "exec"), space)
        out = np.zeros(16, dtype=np.int32)
        with use_target("interpreter" if number % 10 else "avx2"):
            D.launch(space["made"], out, x, grid=1, block=16)
        expected = [eval(f"{v} {operator} {number} + {more}") for v in x.tolist()]
        assert out.tolist() == expected, text
        del linecache.cache[name]
