"""Arrays on GPUs behave as arrays of the host, and do not mix with them; on the tests' driver."""

import numpy as np
from cuda.device import array_api as xp
from support.clauses import clause
from support.fake_gpu import needs_fake
from support.gpu_arrays import on_gpu  # noqa: F401 a fixture

pytestmark = needs_fake

# Of a call with arrays of the host, and with Arrays: errors by type and text, results by value.
BOTH = """
G = lambda x: D.asarray(np.asarray(x), device="cuda", copy=True)

def said(call, make):
    try:
        found = call(make)
    except Exception as error:
        return [type(error).__name__, str(error)]
    if isinstance(found, str):
        return found
    return [str(found.dtype), list(found.shape), str(D.to_host(found).tolist())]

def both(call):
    return [said(call, lambda x: xp.asarray(np.array(x))), said(call, G)]
"""


@clause("DEV-AAPI-02", "DEV-AAPI-06", "DEV-AAPI-07", "DEV-AAPI-08")
def test_arrays_of_the_host_do_not_mix_with_those_of_gpus(on_gpu):  # noqa: F811
    """In any argument of any function: an error that says how to copy."""
    answer = on_gpu("""
        x, y = xp.asarray(np.arange(4.0)), D.asarray(np.arange(4.0), device="cuda")
        n = np.arange(4.0)
        i, k = xp.asarray(np.arange(4)), D.asarray(np.arange(4), device="cuda")
        calls = [
            lambda: y + x, lambda: x + y, lambda: n + y, lambda: y + n, lambda: y @ x,
            lambda: x < y, lambda: xp.add(y, x), lambda: xp.add(x, y), lambda: xp.add(n, y),
            lambda: np.add(x, y), lambda: np.add(y, n), lambda: np.add(y, y, out=n.copy()),
            lambda: xp.concat([x, y]), lambda: xp.concat((y, x)), lambda: xp.stack([y, x]),
            lambda: np.concatenate([x, y]), lambda: np.concatenate([y, n]),
            lambda: np.stack([n, y]),
            lambda: xp.meshgrid(x, y), lambda: xp.meshgrid(y, x), lambda: xp.broadcast_arrays(y, x),
            lambda: xp.broadcast_arrays(x, y), lambda: xp.repeat(y, i), lambda: xp.repeat(x, k),
            lambda: xp.searchsorted(x, x, sorter=k), lambda: xp.searchsorted(y, y, sorter=i),
            lambda: xp.searchsorted(y, x), lambda: np.searchsorted(y, n), lambda: xp.take(y, i),
            lambda: xp.take(x, k), lambda: xp.take_along_axis(y, i), lambda: xp.clip(y, x, None),
            lambda: xp.clip(x, None, y), lambda: xp.clip(y, max=x), lambda: xp.where(y > 1, y, x),
            lambda: xp.where(x > 1, y, y), lambda: xp.diff(y, append=x),
            lambda: xp.diff(x, prepend=y),
            lambda: xp.matmul(y, x), lambda: xp.tensordot(x, y, axes=1), lambda: xp.vecdot(x, y),
            lambda: xp.sum(x, out=y), lambda: np.sum(y, out=n), lambda: xp.linalg.outer(x, y),
            lambda: xp.linalg.solve(y, x), lambda: np.where(x > 1, x, y), lambda: y[i],
            lambda: np.array_equal(x, y), lambda: xp.isclose(x, y), lambda: xp.pad(y, x),
        ]
        found = [outcome(each) for each in calls]
        odd = [[k, each] for k, each in enumerate(found) if each != found[0]]
        answer = [found[0], odd, shown(xp.repeat(y, k)),
                  outcome(lambda: np.linspace(y[0], 1, 3))[0]]
    """)
    assert answer == [
        [
            "TypeError",
            "an array in memory of the host beside one on cuda:0: copy it by "
            "cuda.device.asarray(a, device='cuda:0')",
        ],
        [],
        [1.0, 2.0, 2.0, 3.0, 3.0, 3.0],
        "TypeError",
    ]


@clause("DEV-AAPI-02", "DEV-AAPI-06", "DEV-AAPI-08")
def test_arrays_of_two_gpus_do_not_mix(on_gpu):  # noqa: F811
    answer = on_gpu(
        """
        c = D.asarray(np.arange(4), device="cuda:1")
        calls = [lambda: b + c, lambda: xp.concat([b, c]), lambda: xp.add(b, c),
                 lambda: np.add(b, c),
                 lambda: xp.searchsorted(b, b, sorter=c), lambda: xp.where(b > 1, c, 0)]
        answer = [outcome(each) for each in calls]
        """,
        FAKE_CUDA_DEVICES="2",
    )
    text = "arrays on cuda:0 and cuda:1: copy one by x.to_device('cuda:0')"
    assert answer == [["ValueError", text]] * 6


@clause("DEV-AAPI-03", "DEV-AAPI-05", "DEV-AAPI-06")
def test_results_are_those_of_the_host(on_gpu):  # noqa: F811
    answer = on_gpu(
        BOTH
        + """
i, f, u = np.arange(-2, 4), np.array([1, np.nan, -3], "f4"), np.array([0, 7, 255], "u1")
z = np.array([1 + 2j, 0, 2j])
calls = [
    lambda g: xp.clip(g(i), 0.5, 2), lambda g: xp.clip(g(i), -1, 2),
    lambda g: xp.clip(g(i), None, 2),
    lambda g: xp.clip(g(i), 1), lambda g: xp.clip(g(i)), lambda g: xp.clip(g(u), -5, 300),
    lambda g: xp.clip(g(u), -5, 9), lambda g: xp.clip(g(u), 3, 1000),
    lambda g: xp.clip(g(u), 300, None),
    lambda g: xp.clip(g(f), -1, 2), lambda g: xp.clip(g(f), np.float64(0.1), None),
    lambda g: xp.clip(g(i), g(0.5), g(2.5)), lambda g: xp.clip(g(u), g(i[:3]), 4),
    lambda g: xp.astype(g(z), xp.float64), lambda g: xp.astype(g(z), xp.int8),
    lambda g: xp.astype(g(z), xp.bool), lambda g: xp.astype(g(z), xp.complex64),
    lambda g: f"{g(2.5)}", lambda g: f"{g(7)}", lambda g: f"{g(True)}", lambda g: f"{g(1 + 2j)}",
    lambda g: f"{g(2.5):.3f}", lambda g: "{}".format(g(np.float32(0.1))),
]
odd = [[k, *each] for k, each in enumerate(map(both, calls)) if each[0] != each[1]]

def stores(x):
    x[0, 0] = 9
    return x

shape, row = (2, 3), np.arange(3.0)
stored = [both(lambda g: stores(xp.broadcast_to(g(row), shape))),
          both(lambda g: stores(xp.broadcast_to(g(np.ones(shape)), shape))),
          both(lambda g: stores(xp.broadcast_arrays(g(row), g(np.ones(shape)))[0])),
          both(lambda g: stores(np.broadcast_to(g(row), shape))),
          both(lambda g: stores(xp.broadcast_arrays(g(row), g(np.ones(shape)))[1]))]
spread = xp.broadcast_to(G(row), shape)
used = [shown(spread + 1) == [[1, 2, 3]] * 2, shown(xp.sum(spread, axis=0)) == [0, 2, 4],
        shown(xp.reshape(spread, (6,))) == [0, 1, 2] * 2]
D.launch(double, G(row), grid=1, block=8)
answer = [odd, stored, used]
"""
    )
    assert answer[0] == []
    for host, gpu in answer[1][:4]:
        assert host[0] == gpu[0] == "ValueError"
        assert "read-only" in host[1]
        assert gpu[1] == "the array is read-only"
    one, other = answer[1][4]
    assert one == other == ["float64", [2, 3], "[[9.0, 1.0, 1.0], [1.0, 1.0, 1.0]]"]
    assert answer[2] == [True] * 3


@clause("DEV-AAPI-02", "DEV-AAPI-07")
def test_what_makes_no_sense_is_said_as_on_the_host(on_gpu):  # noqa: F811
    """The host's types of errors; in words that say what is expected."""
    answer = on_gpu(
        BOTH
        + """
row, square = np.arange(4.0), np.arange(9.0).reshape(3, 3)
calls = {
    "iter": lambda g: list(g(1.0)), "matmul": lambda g: g(square) @ 2,
    "reflected": lambda g: 2 @ g(row),
    "concat": lambda g: xp.concat([g(row), 2]), "stack": lambda g: xp.stack([g(row), 2]),
    "function": lambda g: xp.matmul(g(square), 2.0), "vecdot": lambda g: xp.vecdot(g(row), 2),
    "unpack": lambda g: (lambda x, y: x)(*g(row)),
}
found = {name: both(call) for name, call in calls.items()}
types = {name: [host[0], gpu[0]] for name, (host, gpu) in found.items()}
texts = {name: gpu[1] for name, (host, gpu) in found.items()}
out = G(row + 0.5), G(row)
np.modf(out[0][3], out=out)
x = G(square)
walked = [[shown(y) for y in G(row)], [shown(y) for y in x], 3 in G(row), 70 in G(row)]
walked.append(len(list(G(row[:0]))))
answer = [types, texts, walked, list(map(shown, out))]
"""
    )
    types, texts, walked, parts = answer
    assert {name: host for name, (host, _) in types.items()} == {
        name: gpu for name, (_, gpu) in types.items()
    }
    assert texts["iter"] == "iteration over an array of no dimensions"
    assert texts["matmul"] == texts["reflected"] == "matmul() expects arrays, found the number 2"
    assert texts["function"] == "matmul() expects arrays, found the number 2.0"
    for name in ("concat", "stack", "vecdot"):
        assert texts[name] == f"{name}() expects arrays, found the number 2"
    assert walked == [
        [0.0, 1.0, 2.0, 3.0],
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]],
        *(True, False, 0),
    ]
    assert parts == [[0.5] * 4, [3.0] * 4]


@clause("DEV-AAPI-03", "DEV-AAPI-04")
def test_memory_that_the_host_reaches_is_the_hosts_without_a_copy(on_gpu):  # noqa: F811
    answer = on_gpu("""
        answer = []
        for memory in ("pinned", "managed"):
            x = D.asarray(np.arange(8.0), device="cuda", memory=memory, copy=True)
            threading.Timer(0.1, gates.setdefault("double", threading.Event()).set).start()
            D.launch(double, x, grid=1, block=8)
            views = [D.asarray(x, device="cpu", copy=False), D.asarray(x, device="cpu"),
                     xp.asarray(x, device="cpu", copy=False), D.from_dlpack(x, device="cpu")]
            apart = D.asarray(x, device="cpu", copy=True)
            x[3] = -1
            core.Device(0).sync()
            answer.append([v.tolist() == [0, 2, 4, -1, 8, 10, 12, 14] for v in views])
            answer.append([type(v).__name__ for v in views])
            answer.append(apart[3])
            answer.append(outcome(lambda: D.asarray(x, "f4", device="cpu", copy=False)))
        answer.append(outcome(lambda: D.asarray(a, device="cpu", copy=False)))
        del x, views
    """)
    text = "an array elsewhere or of another dtype is a copy, copy=False was given"
    kinds = ["ndarray", "ndarray", "HostArray", "ndarray"]
    each = [[True] * 4, kinds, 6.0, ["ValueError", text]]
    assert answer == [*each, *each, ["ValueError", text]]


@clause("DEV-AAPI-06", "DEV-AAPI-07", "DEV-AAPI-08")
def test_numpys_functions_that_the_standard_lacks(on_gpu):  # noqa: F811
    """As of NumPy's arrays: values, dtypes, numbers of Python's; and methods of ufuncs."""
    answer = on_gpu("""
        def host(x):
            return D.to_host(x) if isinstance(x, D.Array) else x

        z, one = D.asarray(h * (1 + 2j), device="cuda"), xp.asarray(2.5, device="cuda")
        nan = D.asarray(np.array([1, np.nan, np.inf, -np.inf], "f4"), device="cuda")
        small = D.asarray(np.array([[1, -7], [100, 100]], "i1"), device="cuda")
        near = nan * (1 + 2e-6)
        deep = D.asarray(np.arange(24.0).reshape(2, 3, 4) - 9, device="cuda")
        true, u = small > 0, D.asarray(np.array([3, 250], "u1"), device="cuda")
        calls = [
            (np.shape, a), (np.shape, one), (np.ndim, a), (np.size, a), (np.size, a, 1),
            (np.size, deep, -1), (np.size, one),
            *((np.exp2, x) for x in (a, b, one, z[:1], small[:1])),
            *((f, x, y) for f in (np.array_equal, np.allclose) for x, y in (
                (a, a), (a, a + 1), (nan, nan), (nan, near), (b, b * 1.0))),
            (np.array_equal, a, b), (np.array_equal, one, 2.5), (np.array_equal, nan, nan, True),
            (np.array_equal, small, 1), (np.allclose, a, 3), (np.allclose, one, 2.5),
            (np.allclose, nan, near, 1e-5, 1e-8, True), (np.allclose, 2.5, one),
            *((np.isclose, x, y) for x, y in ((nan, near), (near, nan), (a, b), (b, a), (a, 3),
                (nan, np.inf), (nan, np.nan), (small, 1), (u, 4), (z, z + 1e-9), (true, 1),
                (2, b))),
            (np.isclose, nan, nan, 0, 0, True), (np.isclose, nan, np.nan, 0, 0, True),
            (np.isclose, a, a + 0.5, 0.1, 0.2), (np.isclose, a, a[:1]),
            *((np.dot, x, y) for x, y in ((b, b), (a, a.T), (a, b), (deep, b), (deep, deep.mT),
                (deep, deep[0].T), (one, a), (a, 3), (b, one), (2, b), (small, small))),
            (np.linalg.norm, a), (np.linalg.norm, b), (np.linalg.norm, z), (np.linalg.norm, deep),
            (np.linalg.norm, deep, None, 1), (np.linalg.norm, deep, None, (0, 2)),
            *((np.linalg.norm, x, order) for x in (b, z[1]) for order in (
                None, 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf)),
            *((np.linalg.norm, x, order) for x in (a, z, small) for order in (
                None, "fro", 1, -1, np.inf, -np.inf)),
            *((np.linalg.norm, deep, order, (2, 0), keep) for order in (1, -np.inf, "fro")
              for keep in (False, True)),
            (np.linalg.norm, deep, 3, 1, True), (np.linalg.norm, deep, None, None, True),
            *((np.add.reduce, x) for x in (a, b, small, true, u)), (np.add.reduce, deep, (0, 2)),
            (np.add.reduce, a, None), (np.multiply.reduce, small, 1), (np.maximum.reduce, a),
            (np.minimum.reduce, deep, 1), (np.logical_and.reduce, b), (np.logical_or.reduce, small),
            (np.add.reduce, a, 1, "f8"), (np.add.accumulate, a), (np.add.accumulate, small, 1),
            (np.multiply.accumulate, b), (np.add.accumulate, deep, -1),
        ]
        wrong = []
        for k, (f, *args) in enumerate(calls):
            found, expected = f(*args), f(*map(host, args))
            if isinstance(expected, (np.ndarray, np.generic)):
                same = (isinstance(found, D.Array) and found.dtype == expected.dtype and
                        found.shape == expected.shape and
                        np.allclose(D.to_host(found), expected, 1e-5, 1e-5, True))
            else:
                same = type(found) is type(expected) and found == expected
            if not same:
                wrong.append([k, str(f), repr(found), repr(expected)])
        out, total = D.empty(4, "f4", device="cuda"), D.empty((3, 3), "f4", device="cuda")
        kept = [np.add.reduce(a, out=out) is out, shown(out) == h.sum(0).tolist(),
                np.add.reduce(a, 0, keepdims=True).shape == (1, 4),
                shown(xp.isclose(b, 2)) == [False, True, False, False], xp.ndim(a) == 2,
                np.dot(a, a.T, out=total) is total, shown(total) == (h @ h.T).tolist()]
        # NumPy's own `reduce` keeps an array for ever where __array_ufunc__ raises.
        method = lambda f, name, x, **said: x.__array_ufunc__(f, name, x, **said)
        kept.append(outcome(lambda: method(np.maximum, "accumulate", b))[0] == "TypeError")
        refused = [lambda: method(np.add, "reduce", a, initial=3),
                   lambda: method(np.logical_and, "reduce", b, dtype="i4"),
                   lambda: method(np.add, "reduce", one),
                   lambda: method(np.add, "reduceat", b, [0]),
                   lambda: np.linalg.norm(a, 2), lambda: np.linalg.norm(deep, 1),
                   lambda: np.linalg.norm(b, "fro"), lambda: np.dot(a, a)]
        answer = [wrong, kept, [outcome(each) for each in refused]]
    """)
    assert answer[0] == []
    assert answer[1] == [True] * 8
    texts = answer[2]
    assert [kind for kind, _ in texts] == [
        *["TypeError"] * 4,
        "NotImplementedError",
        *["ValueError"] * 3,
    ]
    assert texts[0][1] == (
        "numpy.add.reduce() of arrays on a GPU takes no initial=3; the standard's function has "
        "axis, dtype, keepdims"
    )
    assert texts[2][1] == "numpy.add.reduce() of an array of no dimensions"
    assert texts[4][1].startswith("array_api.linalg.norm() of arrays on a GPU is CuPy's")
    assert texts[5][1] == "norm() over 3 axes"
    assert texts[6][1] == "norm() of vectors has no order 'fro'"


@clause("DEV-AAPI-02", "DEV-AAPI-06", "DEV-AAPI-07", "DEV-AAPI-08")
def test_corners_are_those_of_the_host(on_gpu):  # noqa: F811
    """Numbers beyond a format, indices of any shape, many dimensions, narrow floats, NaN."""
    answer = on_gpu(BOTH + CORNERS)
    assert answer == []


CORNERS = """
import warnings

import ml_dtypes

warnings.simplefilter("ignore")
small, brain = np.ones(5000, "f2") * 60, np.ones(5000, ml_dtypes.bfloat16)
nan, bytes_, deep = [1, np.nan, 2, -np.inf, np.nan], np.uint8([1, 255]), (1,) * 61
calls = [
    lambda g: g([1]) < 2**70, lambda g: g([1, 2]) == 2**70, lambda g: -(2**70) < g([1]),
    lambda g: g(bytes_) == -1, lambda g: g(bytes_) < 256, lambda g: g(bytes_) < 255,
    lambda g: -1 < g(bytes_), lambda g: g(np.int8([3])) >= 3, lambda g: g([True]) < 300,
    lambda g: 255 >= g(bytes_), lambda g: g([1, 2]) != 2**63, lambda g: 2**63 <= g([1]),
    lambda g: xp.take(g([[1, 2], [3, 4]]), g([[0, 1], [1, 0]]), axis=1),
    lambda g: xp.take(g([1, 2]), g(1)), lambda g: xp.argmax(g([[1, 2]]), axis=(0, 1)),
    lambda g: xp.argmin(g([[1, 2]]), axis=(0,)),
    lambda g: xp.reshape(g(np.ones((2, 3, *deep))) + g(np.ones((3, *deep))), (-1,)),
    lambda g: xp.mean(g(small)), lambda g: xp.std(g(small)),
    lambda g: g(small / 60) @ g(small / 60),
    lambda g: xp.sum(g(brain)), lambda g: xp.mean(g(brain)), lambda g: g(brain) @ g(brain),
    lambda g: xp.vecdot(g(brain), g(brain)), lambda g: xp.isnan(g(brain[:3])),
    lambda g: xp.vecdot(g([True, True]), g([True, True])),
    lambda g: xp.sort(g(nan), descending=True), lambda g: xp.argsort(g(nan), descending=True),
    lambda g: xp.sort(g(nan)), lambda g: xp.argsort(g(nan)),
    lambda g: xp.var(g([1.0, 2.0]), correction=2), lambda g: xp.std(g([1.0, 2.0]), correction=3),
    lambda g: str(xp.result_type(g(brain), 1.0)), lambda g: xp.add(g(brain[:2]), 1.0),
]
found = [both(each) for each in calls]
answer = [[k, *each] for k, each in enumerate(found) if each[0] != each[1]]
"""


@clause("DEV-AAPI-03")
def test_a_mask_takes_lists_of_values(on_gpu):  # noqa: F811
    answer = on_gpu("""
        a[a > 7] = [1, 2.5, 3, 4]
        h[h > 7] = [1, 2.5, 3, 4]
        b[b > 2] = [7.5, 8]
        error = outcome(lambda: b.__setitem__(b > 2, [1, 2, 3]))
        answer = [shown(a) == h.tolist(), shown(b), error]
    """)
    assert answer == [
        True,
        [1, 2, 7, 8],
        ["ValueError", "values of shape (3,) for the 2 that a mask chooses"],
    ]


@clause("DEV-AAPI-03")
def test_none_is_an_index_and_no_value(on_gpu):  # noqa: F811
    answer = on_gpu("""
        shape = a[None].shape
        a[None] = 3
        calls = [lambda: a.__setitem__(0, None), lambda: b.__setitem__(None, None),
                 lambda: b.__setitem__(b > 2, None)]
        answer = [shape, shown(a[0]), [outcome(each) for each in calls]]
    """)
    assert answer == [
        [1, 3, 4],
        [3.0, 3.0, 3.0, 3.0],
        [
            ["TypeError", "None is no element of float32"],
            ["TypeError", "None is no element of int32"],
            ["TypeError", "None is no element of int32"],
        ],
    ]


@clause("DEV-AAPI-03")
def test_arrays_are_written_with_their_elements(on_gpu):  # noqa: F811
    """As NumPy writes them, and the device."""
    answer = on_gpu("""
        answer = [repr(b), repr(a[:1]), repr(b[0]), str(a[:2, :2]), str(b[1]), f"{b}",
                 repr(D.zeros((0, 2), "i1", device="cuda"))]
    """)
    assert answer == [
        "Array([1, 2, 3, 4], dtype=int32, device='cuda:0')",
        "Array([[0., 1., 2., 3.]], dtype=float32, device='cuda:0')",
        "Array(1, dtype=int32, device='cuda:0')",
        "[[0. 1.]\n [4. 5.]]",
        "2",
        "[1 2 3 4]",
        "Array([], shape=(0, 2), dtype=int8, device='cuda:0')",
    ]


@clause("DEV-AAPI-03")
def test_copies_of_the_hosts_arrays_wait_for_what_is_queued(on_gpu):  # noqa: F811
    answer = on_gpu("""
        @D.kernel
        def store_later(a, flag):
            while D.atomic_ref(flag, 0).load("acquire") == 0:
                pass
            a[D.tid(1)] = 7

        from support.gpu_program import _launch

        host, found = core.Device("host"), []
        for copied in (lambda h: D.asarray(h, device="cuda"), lambda h: b.__setitem__(..., h),
                       lambda h: xp.asarray(h).to_device("cuda")):
            h, flag, stream = np.zeros(4, "i4"), np.zeros(1, "i4"), host.create_stream()
            _launch(store_later, h, flag, grid=1, block=4, stream=stream)
            timer = threading.Timer(0.01, lambda: D.atomic_ref(flag, 0).store(1, "release"))
            timer.start()
            made = copied(h)
            found.append(shown(b if made is None else made))
            timer.join()
        answer = found
    """)
    assert answer == [[7, 7, 7, 7]] * 3


LISTS = """
rows = [[1, 2, 3], [4, 5, 6]]
m = np.arange(6.0).reshape(2, 3)
calls = [
    lambda g: xp.take(g(m), [0], axis=0), lambda g: xp.add(g(m), [1, 2, 3]),
    lambda g: xp.where(g(m) > 2, rows, g(m)), lambda g: xp.maximum([2], g(m)),
    lambda g: xp.clip(g(m), [1, 1, 1], 4), lambda g: xp.clip(g(m), max=[1, 1, 1]),
    lambda g: xp.concat([g(m), rows]), lambda g: xp.stack([rows, g(m)]),
    lambda g: xp.matmul(g(m), [1, 2, 3]), lambda g: xp.vecdot(rows, g(m)),
    lambda g: xp.tensordot(g(m), rows), lambda g: xp.broadcast_arrays(g(m), [1, 2, 3])[1],
    lambda g: xp.meshgrid(g(m[0]), [1, 2])[1], lambda g: xp.searchsorted(g(m[0]), [1, 2]),
    lambda g: xp.searchsorted(g(m[0]), g([1, 2]), sorter=[0, 1, 2]),
    lambda g: xp.take_along_axis(g(m), [[0]], axis=1), lambda g: xp.diff(g(m), prepend=[[0], [0]]),
    lambda g: xp.sum([g(m)[0], g(m)[1]]), lambda g: xp.repeat(g(m[0]), [1, 2, 3]),
    lambda g: xp.sort([g(m)[1, 0], 1]), lambda g: xp.reshape([g(m[0]), g(m[1])], (3, 2)),
    lambda g: xp.astype([g(m[0]), g(m[1])], xp.float32), lambda g: xp.zeros_like([g(m[0])]),
    lambda g: xp.floor([g(m[0])]), lambda g: xp.argsort([g(m[0])], descending=True),
]
found = [both(each) for each in calls]
answer = [[k, *each] for k, each in enumerate(found) if each[0] != each[1]
          or each[0][0].endswith("Error")]
"""


@clause("DEV-AAPI-06", "DEV-AAPI-07", "DEV-AAPI-08")
def test_functions_take_lists_in_place_of_arrays(on_gpu):  # noqa: F811
    answer = on_gpu(BOTH + LISTS)
    assert answer == []
    for x in ([[1, 2], [3, 4]], ([1, 2], [3, 4])):
        for call in (xp.sort, xp.argsort, xp.expm1, xp.zeros_like, xp.count_nonzero, xp.std):
            assert np.array_equal(call(x), call(xp.asarray(x)))
        assert xp.astype(x, xp.int8).dtype == xp.int8
        assert xp.argsort(x, descending=True).tolist() == [[1, 0], [1, 0]]


@clause("DEV-AAPI-06")
def test_formats_that_cupy_lacks_are_for_kernels(on_gpu):  # noqa: F811
    answer = on_gpu("""
        from cuda.device._gpu_arrays import _cupy

        _cupy.function = lambda name: lambda *args: f"{name} by CuPy"
        c = D.asarray(np.ones(2, D.bfloat16), device="cuda")
        answer = [xp.exp(a), shown(xp.add(c, c)), shown(xp.concat([c, c]))]
    """)
    assert answer == ["exp by CuPy", [2, 2], [1, 1, 1, 1]]
