"""Arrays chosen at run time: by conditions, early returns and indices of tuples."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run, run_as_host


def arrays():
    """Of one type, in different sizes, the last one with strides."""
    return np.arange(10.0), np.arange(20.0, 26.0), np.arange(40.0, 56.0)[::2]


@D.func
def chosen(a, b, n):
    if n == 0:
        return a[1:]
    if n == 1:
        return a[::2]
    if n < 4:
        return b
    return b[1:5]


@D.func
def with_number(a, b, n):
    if n > 2:
        return a, 1
    return b, 2


@D.kernel
def returned(out, a, b, n):
    v = chosen(a, b, n)
    out[0] = v[0] + 10 * v[1] + 100 * v[-1] + 1000 * len(v)
    v[1] = 77
    v[-1] += 0.5
    w, k = with_number(a, b, n)
    w[k] -= 3
    out[1] = w[1] * k + w.size + w.ndim + w.shape[0]
    for x in v:
        out[2] += x
    out[3] = sum(x * x for x in chosen(b, a, n)) + (77 in v) + max(w)


@clause("DEV-ARR-04")
@pytest.mark.parametrize("n", range(6))
def test_views_are_returned_early(target, n):
    a, b, _ = arrays()
    run_as_host(returned, np.zeros(4), a, b, n)


@D.kernel
def indexed(out, a, b, c, n):
    t = (a, b, c[1:], b[2:])
    t[n][0] = 100
    t[n - 1][1] += 5
    for k in range(4):
        out[k] = t[k][1] + 10 * t[k - n][-1] + t[k].size
        t[k][2:4] = k
    t[n][:2] += 1
    v = t[n][1:]
    v[0] = v[1] * 2
    views = (a[1:], a[3:], a[::-1])
    views[n % 3][2] = -7


@clause("DEV-TUP-01")
@pytest.mark.parametrize("n", range(4))
def test_tuples_of_arrays_are_indexed_at_run_time(target, n):
    run_as_host(indexed, np.zeros(4), *arrays(), n)


@D.kernel
def swapped(a, b, n):
    for k in range(n):
        for i in range(1, 5):
            b[i] = a[i - 1] + a[i + 1] + k
        a, b = b, a
    a[0] = -1
    if n > 2:
        c = a
    elif n > 1:
        c = b[1:]
    else:
        c = a[2:]
    d = c if n % 2 == 0 else b
    d[1] = 1000
    pair = (a, 1) if n > 3 else (b, 2.5)
    pair[0][3] = pair[1]


@pytest.mark.parametrize("n", range(6))
def test_arrays_are_swapped_in_a_loop(target, n):
    a, b, _ = arrays()
    run_as_host(swapped, a, b, n)


@D.kernel
def rows(out, a, b, n):
    m = a if n > 1 else b.T
    out[0] = m[1, 2] + m.shape[0] * 10 + m.shape[1]
    row = m[n % 2]
    row[2] = 50
    m.T[0, 1] = 9
    for k, line in enumerate(m):
        out[k + 1] = line[0] + sum(line)


@pytest.mark.parametrize("n", range(4))
def test_rows_of_a_chosen_matrix(target, n):
    a, b = np.arange(12.0).reshape(3, 4), np.arange(12.0, 24.0).reshape(4, 3)
    run_as_host(rows, np.zeros(5), a, b, n)


@D.kernel
def by_threads(out, a, b, i32):
    i = D.tid(1)
    own, shared = D.local_array(4, D.float32), D.shared_array(64, D.float32)
    for k in range(4):
        own[k] = i * 10 + k
    shared[i] = -i
    D.syncthreads()
    t = (a, own, b, shared)
    out[i] = t[i % 4][i % 3]
    D.syncthreads()
    t[(i + 1) % 4][i % 4 if i % 4 != 1 else i] = 0.5
    D.syncthreads()
    out[i] += own[i % 4]


def test_each_thread_chooses(target):
    a, b = np.arange(100, 164, dtype=np.float32), np.arange(200, 264, dtype=np.float32)
    out = np.zeros(64, np.float32)
    expected = np.zeros(64, np.float32)
    for i in range(64):
        own = [np.float32(i * 10 + k) for k in range(4)]
        t = (a, own, b, [-k for k in range(64)])
        expected[i] = t[i % 4][i % 3]
        if (i + 1) % 4 == 1:
            own[i % 4] = 0.5
        expected[i] += own[i % 4]
    run(by_threads, out, a.copy(), b.copy(), 0, block=64)
    assert out.tolist() == expected.tolist()


@D.struct
class Point:
    x: D.float32
    y: D.int32


@D.kernel
def of_structs(out, a, b, n):
    c = a if n > 0 else b
    p = c[1]
    out[0] = p.x + c[2].y
    c[0] = Point(D.float32(n), 7)
    xs = c["x"]
    xs[3] = 2.5
    out[1] = c["y"][0] + (b if n > 0 else a)["x"][3]


@pytest.mark.parametrize("n", [0, 1])
def test_elements_are_structs(target, n):
    a, b = (D.zeros(4, dtype=Point) for _ in range(2))
    a["x"], b["y"] = [1, 2, 3, 4], [5, 6, 7, 8]
    out = np.zeros(2)
    run(of_structs, out, a, b, n)
    if n:
        assert out.tolist() == [2, 7]
        assert [a["x"][0], a["x"][3]] == [1, 2.5]
    else:
        assert out.tolist() == [7, 11]
        assert [b["y"][0], b["x"][3]] == [7, 2.5]
