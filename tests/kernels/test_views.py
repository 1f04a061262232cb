"""Views of arguments cost nothing: a program with views is compiled as one with indices."""

import re
from collections import Counter

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing

PAIRS = {}


def pair(kernel):
    """One of the two kernels of a name: by_views and by_indices."""
    name = kernel.__name__.partition("_by_")[0]
    PAIRS.setdefault(name, []).append(kernel)
    return kernel


@pair
@D.kernel
def rows_by_views(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        row = a[y]
        out[y][x] = row[x] + row[-1]


@pair
@D.kernel
def rows_by_indices(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[y, x] + a[y, -1]


@pair
@D.kernel
def transposes_by_views(out, a):
    x, y = D.tid(2)
    t, n = a.T, out[None, :, :, None]
    if y < t.shape[1] and x < t.shape[0]:
        n[0, y, x, 0] = t[x, y]


@pair
@D.kernel
def transposes_by_indices(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[y, x]


@pair
@D.kernel
def columns_by_views(out, a):
    i = D.tid(1)
    if i < a.shape[1]:
        s = 0.0
        for x in a[:, i]:
            s += x
        out[0, i] = s


@pair
@D.kernel
def columns_by_indices(out, a):
    i = D.tid(1)
    if i < a.shape[1]:
        s = 0.0
        for k in range(a.shape[0]):
            s += a[k, i]
        out[0, i] = s


@pair
@D.kernel
def variables_by_views(out, a):
    i = D.tid(1)
    if i < a.shape[1]:
        row = a[0]
        for y in range(1, a.shape[0]):
            row = a[y]
            out[y, i] = row[i]


@pair
@D.kernel
def variables_by_indices(out, a):
    i = D.tid(1)
    if i < a.shape[1]:
        for y in range(1, a.shape[0]):
            out[y, i] = a[y, i]


def middle(a):
    return a[1:-1, 1:-1]


@pair
@D.kernel
def neighbours_by_views(out, a):
    x, y = D.tid(2)
    inner, target = middle(a), middle(out)
    if y < inner.shape[0] and x < inner.shape[1]:
        target[y, x] = inner[y, x] + a[y, x] + a[2:, 2:][y, x]


@pair
@D.kernel
def neighbours_by_indices(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] - 2 and x < a.shape[1] - 2:
        out[y + 1, x + 1] = a[y + 1, x + 1] + a[y, x] + a[y + 2, x + 2]


SIZE = dict(transposes=2, rows=2, neighbours=2)
LAUNCHES = {1: dict(grid=2, block=32), 2: dict(grid=(2, 64), block=(32, 1))}


def launch_of(name):
    return LAUNCHES[SIZE.get(name, 1)]


def instructions(text):
    """How often each instruction stands in assembly or PTX, moves of registers apart."""
    found = Counter(re.findall(r"^\s+([a-z][\w.]*)(?=\s)", text, re.MULTILINE))
    return {k: n for k, n in found.items() if not k.startswith(("mov.", "nop"))}


# Bounds of slices and a loop over a column are computed otherwise; accesses are the same.
EXACTLY = [name for name in PAIRS if name not in ("neighbours", "columns")]


@pytest.mark.parametrize("name", EXACTLY)
@pytest.mark.parametrize("form", ["avx512", "avx2", "sm_90"])
def test_views_have_the_instructions_of_indices(name, form):
    a = np.arange(64 * 48, dtype=np.float32).reshape(64, 48)
    arguments, what = (np.zeros_like(a), a), "ptx" if form == "sm_90" else "asm"
    options = dict(what=what, target=form, **launch_of(name))
    views, indices = (instructions(k.inspect(*arguments, **options)) for k in PAIRS[name])
    assert views == indices


ACCESS = re.compile(r"(?:= load|^ *store) .*// (.*)$", re.MULTILINE)


@pytest.mark.parametrize("name", PAIRS)
def test_views_are_accessed_as_indices_are(name):
    """Streaming stores, prefetches and vectors of lanes see the argument behind a view."""
    a = np.zeros((64, 1024), dtype=np.float32)
    with _testing.beyond_cache(1):
        options = dict(what="facts", target="avx512", **launch_of(name))
        views, indices = (k.inspect(a.copy(), a, **options) for k in PAIRS[name])
    assert sorted(ACCESS.findall(views)) == sorted(ACCESS.findall(indices))
    assert "consecutive" in views
