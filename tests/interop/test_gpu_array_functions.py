"""What operators and NumPy's functions of arrays on GPUs take and refuse, on the tests' driver."""

from support.clauses import clause
from support.fake_gpu import needs_fake
from support.gpu_arrays import on_gpu  # noqa: F401 a fixture

pytestmark = needs_fake


@clause("DEV-AAPI-02")
def test_numbers_of_arrays_of_one_complex_element(on_gpu):  # noqa: F811
    """Have a value as complex alone, as those of the host."""
    answer = on_gpu("""
        z = D.asarray(np.array(1 + 2j), device="cuda")
        answer = [str(complex(z)), bool(z), outcome(lambda: float(z)), outcome(lambda: int(z)),
                  outcome(lambda: [1][z])[0], outcome(lambda: [1][z == z])[0],
                  [outcome(lambda: kind(xp.asarray(1j)))[0] for kind in (float, int)]]
    """)
    text = "an element of complex128 is no {}; see complex(), real() and abs()"
    assert answer == [
        "(1+2j)",
        True,
        ["TypeError", text.format("float")],
        ["TypeError", text.format("int")],
        *["TypeError"] * 2,
        ["TypeError"] * 2,
    ]


@clause("DEV-AAPI-06", "DEV-AAPI-07", "DEV-AAPI-08")
def test_results_in_arrays_that_are_given_for_them(on_gpu):  # noqa: F811
    """Whose shape and dtype fit, as NumPy asks it; ufuncs fill more than one row."""
    answer = on_gpu("""
        def host(x):
            return D.to_host(x).copy() if isinstance(x, D.Array) else x

        cases = [(np.sum, (a, 0), (2, 4), "f4"), (np.sum, (a, 0), (3,), "f4"),
                 (np.sum, (a, 0), (4,), "f8"),
                 (np.add.reduce, (a,), (4,), "f4"),
                 (np.dot, (a, a.T), (2, 3, 3), "f4"), (np.dot, (a, a.T), (3, 3), "f8"),
                 (np.dot, (a, a.T), (3, 3), "f4"), (np.concatenate, ([a, a],), (3,), "f4"),
                 (np.concatenate, ([a, a],), (6, 4), "i4"), (np.add, (a[0], 1), (2, 4), "f4"),
                 (np.add, (a, 1), (4,), "f4"), (np.add, (a, 1), (3, 4), "i4"),
                 (np.clip, (a[0], 1, 2), (2, 4), "f4"), (np.round, (a[0],), (2, 4), "f4"),
                 (np.mean, (a, 1), (1, 3), "f4"), (np.add, (a, 1), (3, 4), "f8")]
        wrong = []
        for f, args, shape, kind in cases:
            found = []
            for call in (lambda out: out, host):
                out = call(D.zeros(shape, kind, device="cuda"))
                given = [[call(x) for x in y] if type(y) is list else call(y) for y in args]
                kind_of_error, _ = outcome(lambda: f(*given, out=out)) or (None, None)
                if "UFunc" in str(kind_of_error):
                    kind_of_error = "TypeError"
                found.append([kind_of_error, host(out).tolist()])
            if found[0] != found[1]:
                wrong.append([f.__name__, shape, kind, found])
        answer = [wrong, outcome(lambda: np.sum(a, 0, out=D.zeros((2, 4), "f4", device="cuda"))),
                  outcome(lambda: np.add(a, 1, out=D.zeros((3, 4), "i4", device="cuda"))),
                  outcome(lambda: np.dot(a, b, out=D.zeros(3, "f4", device="cuda"))),
                  outcome(lambda: np.sum(a, 0, out=3)),
                  # Called by NumPy, the error would leak its arguments there.
                  outcome(lambda: a.__array_ufunc__(np.add, "reduce", a, out=(a[:1],)))]
    """)
    assert answer == [
        [],
        ["ValueError", "out= of shape (2, 4) for a result of shape (4,)"],
        ["TypeError", "out= of int32 for a result of float32"],
        [
            "ValueError",
            "dot(): out= of shape (3,) and float32 for a result of shape (3,) and float64",
        ],
        ["TypeError", "out= expects an array, found 'int'"],
        ["ValueError", "out= of shape (1, 4) for a result of shape (4,)"],
    ]


@clause("DEV-AAPI-02")
def test_results_in_place(on_gpu):  # noqa: F811
    """Of the shape and the kind of the array, as NumPy has it."""
    answer = on_gpu("""
        def halved(x):
            x /= 2

        def negative(x):
            x -= 1.5

        def more(x):
            x += a

        answer = [outcome(lambda: change(b)) for change in (halved, negative, more)] + [shown(b)]
    """)
    text = "in place, an array of shape (4,) and dtype int32 cannot become one of shape {}"
    assert answer == [
        ["TypeError", text.format("(4,) and dtype float64")],
        ["TypeError", text.format("(4,) and dtype float64")],
        ["TypeError", text.format("(3, 4) and dtype float64")],
        [1, 2, 3, 4],
    ]


def test_a_kind_of_memory_that_there_is_not(on_gpu):  # noqa: F811
    """Is an error where no copy is made too."""
    answer = on_gpu("""
        answer = [outcome(lambda: D.asarray(x, memory="foo")) for x in (a, h, [1])]
    """)
    text = "memory='foo' is no kind of memory; there are 'device', 'pinned', 'managed'"
    assert answer == [["ValueError", text]] * 3
