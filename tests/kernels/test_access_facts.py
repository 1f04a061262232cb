"""What inspect(what="facts") says of loads and stores, against the machine code.

Lanes, rows and lines are those of the block shapes here; which instructions must be there follows
from the words, whatever the kernel.
"""

import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.targets import require

GATHER = re.compile(r"\tvp?gather")
SCATTER = re.compile(r"\tvp?scatter")
AHEAD = re.compile(r"\tprefetcht1")
NONTEMPORAL = re.compile(r"\tv?movnt")

NO_INDEX_IS_NEGATIVE = "if no index is negative or clamped: "


@D.kernel
def triad(out, a, b, n):
    i = D.tid(1)
    if i < n:
        out[i] = a[i] + 2 * b[i]


@D.kernel
def copy2d(out, source):
    x, y = D.tid(2)
    height, width = out.shape
    if x < width and y < height:
        out[y, x] = source[y, x]


@D.kernel
def copy_flat(out, source, width, height):
    x, y = D.tid(2)
    if x < width and y < height:
        out[y * width + x] = source[y * width + x]


@D.kernel
def gather(out, a, index):
    i = D.tid(1)
    out[i] = a[index[i]]


@D.kernel
def scatter(out, a, index):
    i = D.tid(1)
    out[index[i]] = a[i]


@D.kernel
def thirds(out, a):
    i = D.tid(1)
    out[3 * i] = a[3 * i]


@D.kernel
def columns(out, rows, column):
    """Rows of blocks that are narrower than a gang: what they share, and what each has one of."""
    x, y = D.tid(2)
    out[y, x] = rows[x] + column[y]


@D.kernel
def neighbours(out, a):
    held = D.shared_array(512, D.float32)
    t = D.thread_idx.x
    i = D.tid(1)
    held[t] = a[i]
    held[t + 256] = a[0]
    D.syncthreads()
    out[i] = held[t + 1]


@D.kernel
def some_lanes(out, a, n):
    """Every lane makes its own number of iterations."""
    i = D.tid(1)
    k = 0
    while k < a[i]:
        out[i] = k
        k += 1


@D.kernel
def march(out, a, steps):
    """A plane an iteration, and one in an order that nobody foresees."""
    held = D.shared_array(32, D.float32)
    t, x = D.thread_idx.x, D.tid(1)
    total = 0.0
    for k in range(steps):
        held[t] = a[k + 1, x]
        D.syncthreads()
        total += held[31 - t] + a[k * k, x]
        D.syncthreads()
    out[0, x] = total


@D.kernel
def sparse(out, starts, column, value, x):
    """With a way out of the loop, so that no CPU's lanes run one after the other."""
    row = D.tid(1)
    if row < out.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += value[k] * x[column[k]]
            if total > 1e9:
                break
        out[row] = total


@D.kernel
def strides(out, a):
    total = 0.0
    for i in range(D.tid(1), a.size, D.grid_size(1)):
        total += a[i]
    out[D.tid(1)] = total


def floats(*shape):
    return np.zeros(shape, np.float32)


def floats_at(away, *shape):
    """They begin so many bytes after a cache line."""
    count = int(np.prod(shape))
    memory = np.zeros(count * 4 + 128, np.uint8)
    start = -memory.ctypes.data % 64 + away
    return memory[start : start + count * 4].view(np.float32).reshape(shape)


def integers(*shape):
    return np.zeros(shape, np.int32)


WHOLE_LINES = "if lines begin there: streaming stores of whole lines, else "
MASKED_LINES = "if all lanes are on and lines begin there: streaming stores of whole lines, else "
RUN = "consecutive elements"
NEXT = ", next iteration prefetched"
ROWS = "gathered, next gang prefetched"
PAGE = ", prefetched one page ahead"


def both(lines, masked, other):
    return f"{lines}{other}; under a mask: {masked}{other}"


# Kernel, its arguments, block, form; what is said of its loads and of its stores, in order.
SMALL = [
    (triad, (floats(999), floats(999), floats(999), 999), 256, "avx512", [RUN, RUN], [RUN]),
    (triad, (floats(999), floats(999), floats(999), 999), 256, "avx2", [RUN, RUN], [RUN]),
    (copy2d, (floats(64, 64), floats(64, 64)), (32, 8), "avx512", [RUN], [RUN]),
    (copy2d, (floats(64, 64), floats(64, 64)), (16, 16), "avx512", ["rows of 16"], ["rows of 16"]),
    (copy2d, (floats(64, 64), floats(64, 64)), (8, 8), "avx2", ["rows of 8"], ["rows of 8"]),
    (copy2d, (floats(64, 64), floats(64, 64)), (10, 10), "avx512", ["rows of 10"], ["rows of 10"]),
    (
        copy_flat,
        (integers(4096), integers(4096), 64, 64),
        (32, 8),
        "avx512",
        ["under a mask: " + NO_INDEX_IS_NEGATIVE + RUN + ", else gathered"],
        ["under a mask: " + NO_INDEX_IS_NEGATIVE + RUN + ", else scattered"],
    ),
    (
        copy_flat,
        (integers(4096), integers(4096), 64, 64),
        (32, 8),
        "avx2",
        ["under a mask: " + NO_INDEX_IS_NEGATIVE + RUN + ", else gathered"],
        ["under a mask: " + NO_INDEX_IS_NEGATIVE + RUN + ", else lane by lane"],
    ),
    (gather, (floats(256), floats(256), integers(256)), 256, "avx512", [RUN, "gathered"], [RUN]),
    (scatter, (floats(256), floats(256), integers(256)), 256, "avx512", [RUN] * 2, ["scattered"]),
    (scatter, (floats(256), floats(256), integers(256)), 256, "avx2", [RUN] * 2, ["lane by lane"]),
    (
        gather,
        (np.zeros(256, np.uint8), np.zeros(256, np.uint8), integers(256)),
        256,
        "avx512",
        [RUN, "lane by lane"],
        [RUN],
    ),
    (
        thirds,
        (floats(768), floats(768)),
        256,
        "avx512",
        [NO_INDEX_IS_NEGATIVE + "vectors and shuffles, else gathered"],
        [NO_INDEX_IS_NEGATIVE + "vectors and shuffles, else scattered"],
    ),
    (
        columns,
        (floats(16, 64), floats(64), floats(16)),
        (16, 16),
        "avx512",
        ["one row for all", "one element a row"],
        ["rows of 16"],
    ),
    (
        neighbours,
        (floats(256), floats(256)),
        256,
        "avx512",
        [RUN, "one address", "whole vectors and shuffles"],
        [RUN, RUN, RUN],
    ),
    (
        some_lanes,
        (integers(256), integers(256), 5),
        256,
        "avx512",
        ["under a mask: " + RUN],
        ["under a mask: " + RUN],
    ),
]
LARGE = [
    (
        triad,
        (floats_at(16, 999), floats(999), floats(999), 999),
        256,
        "avx512",
        [RUN, RUN],
        [both(WHOLE_LINES, MASKED_LINES, RUN)],
    ),
    (
        triad,
        (floats_at(0, 999), floats(999), floats(999), 999),
        256,
        "avx512",
        [RUN, RUN],
        [
            both(
                "streaming stores of whole lines",
                "if all lanes are on: streaming stores of whole lines, else " + RUN,
                "",
            )
        ],
    ),
    (
        copy2d,
        (floats_at(0, 64, 64), floats(64, 64)),
        (16, 16),
        "avx512",
        ["rows of 16" + PAGE],
        [both(WHOLE_LINES, MASKED_LINES, "rows of 16")],
    ),
    (
        march,
        (floats_at(16, 1, 128), floats(9, 128), 3),
        32,
        "avx2",
        [RUN + NEXT, "whole vectors and shuffles", RUN],
        [RUN, WHOLE_LINES + RUN],
    ),
    (
        sparse,
        (floats_at(16, 128), integers(129), integers(999), floats(999), floats(128)),
        64,
        "avx512",
        # Nothing is known of where x is read next.
        ["under a mask: " + text for text in (RUN, RUN, ROWS, ROWS, "gathered")],
        ["under a mask: " + MASKED_LINES + RUN],
    ),
    (
        strides,
        (floats_at(16, 128), floats(4096)),
        64,
        "avx512",
        [RUN + ", next gang prefetched"],
        [WHOLE_LINES + RUN],
    ),
    (
        copy2d,
        (floats(64, 64), floats(64, 64)),
        (8, 8),
        "avx512",
        ["rows of 8" + PAGE],
        ["rows of 8"],
    ),
    (
        copy2d,
        (floats(64, 64), floats(64, 64)),
        (10, 10),
        "avx2",
        ["rows of 10" + PAGE],
        ["rows of 10"],
    ),
]


def said(text, op):
    """The words after the shape of the value, of each such instruction."""
    lines = re.findall(rf"^ *(?:%\d+ = )?{op} .*?// (.*)$", text, re.MULTILINE)
    return [re.sub(r"^(varying|[a-z]+-uniform), ", "", line) for line in lines]


def listing(kernel, arguments, block, form, what):
    require(form)
    return kernel.inspect(*arguments, what=what, target=form + "x32", grid=4, block=block)


@pytest.mark.parametrize(("kernel", "arguments", "block", "form", "loads", "stores"), SMALL)
def test_facts_of_each_access(kernel, arguments, block, form, loads, stores):
    text = listing(kernel, arguments, block, form, "facts")
    assert said(text, "load") == loads
    assert said(text, "store") == stores


@pytest.mark.parametrize(("kernel", "arguments", "block", "form", "loads", "stores"), LARGE)
def test_facts_beyond_the_cache(kernel, arguments, block, form, loads, stores):
    with _testing.beyond_cache(1):
        text = listing(kernel, arguments, block, form, "facts")
    assert said(text, "load") == loads
    assert said(text, "store") == stores


@pytest.mark.parametrize("form", ["avx512", "avx2"])
@pytest.mark.parametrize("case", [*SMALL, *LARGE], ids=lambda case: case[0].__name__)
@pytest.mark.parametrize("limit", [1, 1 << 40], ids=["large", "small"])
def test_the_machine_code_does_what_the_facts_say(case, form, limit):
    kernel, arguments, block = case[:3]
    with _testing.beyond_cache(limit):
        text = listing(kernel, arguments, block, form, "facts")
        code = listing(kernel, arguments, block, form, "asm")
    assert ("gathered" in text) == bool(GATHER.search(code))
    assert ("scattered" in text) == bool(SCATTER.search(code))
    assert ("prefetched" in text) == bool(AHEAD.search(code))
    assert ("streaming stores" in text) == bool(NONTEMPORAL.search(code))


def test_no_facts_where_nothing_is_decided():
    """Each thread of a GPU, and of the interpreter, has its own access."""
    for target in ("sm_90", "interpreter"):
        text = triad.inspect(*SMALL[0][1], what="facts", target=target, block=256)
        assert said(text, "load") == ["varying"] * 2
        assert "consecutive" not in text
