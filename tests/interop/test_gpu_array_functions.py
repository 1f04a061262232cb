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


@clause("DEV-AAPI-02", "DEV-AAPI-03")
def test_operators_of_lists_and_of_other_objects(on_gpu):  # noqa: F811
    """Elements of lists, no element equal to None or text, as NumPy has it."""
    answer = on_gpu("""
        k = D.to_host(b).copy()

        def more(x):
            x += [1, 0, 0, 1]
            return x

        calls = [lambda x: x == [1, 2, 0, 4], lambda x: [1, 2, 0, 4] != x, lambda x: x == (1,),
                 lambda x: x == None, lambda x: x != None, lambda x: x == "x", lambda x: "x" != x,
                 lambda x: x == {}, lambda x: x < [3, 3, 3, 5], lambda x: [1, 1, 1, 2] + x,
                 lambda x: x @ [1, 1, 1, 1], lambda x: x ** [2, 1, 1, 0], more]
        same = []
        for call in calls:
            ours, theirs = call(b), np.asarray(call(k))
            same.append(type(ours) is D.Array and ours.dtype == theirs.dtype
                        and shown(ours) == theirs.tolist() or [str(ours), str(theirs)])

        class Equal:
            def __eq__(self, other):
                return "mine"

        class Plain:
            pass

        answer = [same, b == Equal(), shown(b == Plain()), outcome(lambda: b == [1, 2]),
                  outcome(lambda: b + None)[0], outcome(lambda: b < None)[0],
                  outcome(lambda: b == [h[0]])[0]]
    """)
    assert answer == [
        [True] * 13,
        "mine",
        [False] * 4,
        ["ValueError", "operands could not be broadcast together with shapes (4,) (2,)"],
        *["TypeError"] * 3,
    ]


@clause("DEV-AAPI-03", "DEV-AAPI-07", "DEV-AAPI-08")
def test_axes_and_masks_as_numpy_takes_them(on_gpu):  # noqa: F811
    """One mask in a tuple, axes in a tuple, no axis to sort along."""
    answer = on_gpu("""
        k = (h * 5 + 3) % 7
        x = D.asarray(k, device="cuda")
        calls = [lambda x: x[x > 3,], lambda x: x[1][x[1] > 3,], lambda x: np.sort(x, axis=None),
                 lambda x: np.argsort(x, axis=None, stable=True),
                 lambda x: np.expand_dims(x, (0, 1)), lambda x: xp.expand_dims(x, axis=(3, 0)),
                 lambda x: np.expand_dims(x, (-1, 1)), lambda x: np.expand_dims(x, [2]),
                 lambda x: xp.sort(x, axis=None, descending=True),
                 lambda x: xp.argsort(x, axis=None, descending=True)]
        same = []
        for call in calls:
            ours, theirs = call(x), call(k)
            same.append(ours.shape == theirs.shape and shown(ours) == theirs.tolist()
                        or [str(ours), str(theirs)])
        answer = [same, outcome(lambda: np.expand_dims(x, (0, 0))),
                  outcome(lambda: xp.expand_dims(x, axis=4))]
    """)
    assert answer == [
        [True] * 10,
        ["ValueError", "repeated axis"],
        ["AxisError", "axis 4 is out of bounds for array of dimension 3"],
    ]


@clause("DEV-AAPI-06")
def test_integers_to_a_negative_power(on_gpu):  # noqa: F811
    """An error for a number, as in NumPy; an array is not waited for."""
    answer = on_gpu("""
        answer = [outcome(lambda: b ** -1), outcome(lambda: np.power(b, np.int8(-2))),
                  shown(b ** -1.0), shown(2.0 ** -b), shown(b ** -b), outcome(lambda: 2 ** b[:0])]
    """)
    text = "integers to the power {}, which is negative; make floats of them"
    assert answer == [
        ["ValueError", text.format(-1)],
        ["ValueError", text.format(-2)],
        [1.0, 0.5, 1 / 3, 0.25],
        [0.5, 0.25, 0.125, 0.0625],
        [1, 0, 0, 0],
        None,
    ]


@clause("DEV-ARR-14", "DEV-AAPI-07")
def test_reshape_by_ints_or_by_a_tuple(on_gpu):  # noqa: F811
    """As NumPy takes them."""
    answer = on_gpu("""
        shapes = [(2, 6), (-1,), (3, -1), ((2, 6),), ([4, 3],), (12,), (np.int8(12),), ((12,),),
                  ((2, -1, 2),)]
        same = [shown(a.reshape(*shape)) == h.reshape(*shape).tolist() for shape in shapes]
        one = D.zeros(1, device="cuda").reshape(())
        wrong = [(2, 7), (-1, -1), (5, -1), (-2, 6), (1 << 40, 1 << 40), (1 << 70,), (), (2.0,),
                 ("x",), (None,), ((2, "x"),)]
        answer = [same, one.shape, [outcome(lambda: a.reshape(*shape)) for shape in wrong],
                  outcome(lambda: a.reshape((2, 6), order="F"))]
    """)
    of_elements = "cannot reshape an array of 12 elements into shape {}"
    ints = "reshape() expects ints or one tuple of ints, found {}"
    assert answer == [
        [True] * 9,
        [],
        [
            ["ValueError", of_elements.format("(2, 7)")],
            ["ValueError", of_elements.format("(-1, -1)")],
            ["ValueError", of_elements.format("(5, -1)")],
            ["ValueError", of_elements.format("(-2, 6)")],
            ["ValueError", of_elements.format(f"({1 << 40}, {1 << 40})")],
            ["ValueError", "cannot fit 'int' into an index-sized integer"],
            ["TypeError", ints.format("nothing")],
            ["TypeError", ints.format("2.0")],
            ["TypeError", ints.format("'x'")],
            ["TypeError", ints.format("None")],
            ["TypeError", "'str' object cannot be interpreted as an integer"],
        ],
        [
            "TypeError",
            "reshape() of an Array takes a shape and no keywords; array_api.reshape() has copy=",
        ],
    ]


@clause("DEV-AAPI-03", "DEV-AAPI-07")
def test_at_most_64_dimensions(on_gpu):  # noqa: F811
    """In views too: what has more could not be copied to the host."""
    answer = on_gpu("""
        most = D.zeros((1,) * 64, device="cuda")
        cells = D.zeros((1,) * 63, [("a", "f4", (2, 2))], device="cuda")
        calls = [lambda x: x[None], lambda x: x.reshape((1,) * 65), lambda x: np.expand_dims(x, 0),
                 lambda x: np.broadcast_to(x, (1,) * 65)]
        host = np.zeros((1,) * 64)
        same = [outcome(lambda: call(most))[0] == outcome(lambda: call(host))[0] for call in calls]
        answer = [same, outcome(lambda: most[None]), outcome(lambda: cells["a"]),
                  most[0][None].ndim]
    """)
    text = "an array of 65 dimensions; at most 64 are allowed"
    assert answer == [[True] * 4, ["IndexError", text], ["IndexError", text], 64]


@clause("DEV-ARR-19")
def test_dtypes_of_sub_arrays(on_gpu):  # noqa: F811
    """Their dimensions follow those of the array, as in NumPy."""
    answer = on_gpu("""
        cells = np.dtype([("n", "i4"), ("a", "f4", (3, 2)), ("p", [("x", "f8"), ("y", "f8")], 2)])
        host = np.zeros((2, 2), cells)
        host["a"], host["p"]["y"] = np.arange(24).reshape(2, 2, 3, 2), [[5, 6], [7, 8]]
        ours = D.asarray(host, device="cuda")
        found = [[x["a"], x["a"][1, ::-1], x["p"]["y"], x.T["a"]] for x in (ours, host)]
        same = [x.shape == y.shape and x.strides == y.strides and shown(x) == y.tolist()
                and x.dtype == y.dtype for x, y in zip(*found)]
        for x in (ours, host):
            x["a"] = 7
            x["a"][0, :, 1] = [1, 2]
        same.append(np.array_equal(D.to_host(ours), host))
        rows = np.dtype(("f4", (3,)))
        for order in "CF":
            x, y = D.zeros((2, 4), rows, device="cuda", order=order), np.zeros((2, 4), rows, order)
            same.append((x.shape, x.strides, str(x.dtype)) == (y.shape, y.strides, str(y.dtype)))
        same.append(shown(D.full(2, 7, rows, device="cuda")) == np.full(2, 7, rows).tolist())
        same.append(D.full(2, 7, rows, device="cpu").tolist() == np.full(2, 7, rows).tolist())
        same.append(shown(D.asarray([1, 2], rows, device="cuda")) == [[1] * 3, [2] * 3])
        answer = [same, outcome(lambda: D.zeros((1,) * 64, rows, device="cuda"))]
    """)
    assert answer == [
        [True] * 10,
        ["ValueError", "an array of 65 dimensions; at most 64 are allowed"],
    ]


@clause("DEV-AAPI-06")
def test_records_that_are_equal(on_gpu):  # noqa: F811
    """In all fields and elements of sub-arrays; of the same fields, as NumPy asks it."""
    answer = on_gpu("""
        point = [("x", "f4"), ("y", "f4")]
        kinds = [point, [("n", "i4"), ("a", "f4", (2, 2)), ("p", point)], []]
        same = []
        for kind in kinds:
            one = np.zeros((2, 3), kind)
            other = one.copy()
            if kind:
                last = other["p"] if "p" in other.dtype.names else other
                last["y"][1, 2] = 1
            if len(kind) > 2:
                other["a"][0, 1, 1, 0] = 2
            pairs = [(one, other), (one, one[0]), (other[1:], one), (one, one[0, 0])]
            for x, y in pairs:
                ours = [D.asarray(z, device="cuda") if z.ndim else z for z in (x, y)]
                same += [shown(ours[0] == ours[1]) == (x == y).tolist(),
                         shown(ours[0] != ours[1]) == (x != y).tolist()]
                if y.ndim:
                    same.append(np.array_equal(*ours) == np.array_equal(x, y))
        wide = D.zeros(3, [("x", "f8"), ("y", "f8")], device="cuda")
        points = D.zeros(3, point, device="cuda")
        vectors = D.full(3, D.float32x2(1, 2), device="cuda")
        vectors[1] = D.float32x2(1, 3)
        answer = [same, shown(points == wide), shown(vectors != vectors[0]),
                  outcome(lambda: points == vectors), outcome(lambda: points == 1),
                  outcome(lambda: points == D.zeros(3, [("x", "f4"), ("z", "f4")], device="cuda"))]
    """)
    text = "elements of {} and {} cannot be compared: they are not records of the same fields"
    assert answer[:3] == [[True] * 33, [True] * 3, [False, True, False]]
    point = "[('x', '<f4'), ('y', '<f4')]"
    assert answer[4:] == [
        ["TypeError", text.format(point, "int64")],
        ["TypeError", text.format(point, "[('x', '<f4'), ('z', '<f4')]")],
    ]


@clause("DEV-AAPI-06")
def test_ufuncs_beyond_the_standard(on_gpu):  # noqa: F811
    """As NumPy computes them, of two results too; dtype=, where=, out= and outer()."""
    answer = on_gpu("""
        import warnings
        i = np.array([[-7, 12, 0, 9], [5, -3, 4, 100]])
        f = np.array([-2.5, 0.0, 3.75, 1e3], "f4")
        c, mask = f[:3].astype("c8") + 1j, np.array([True, False, True, True])
        host = {"i": i, "f": f, "c": c, "m": mask, "u": np.abs(i).astype("u1")}
        ours = {name: D.asarray(x, device="cuda") for name, x in host.items()}
        one = ("cbrt degrees deg2rad radians rad2deg fabs spacing modf frexp exp2").split()
        two = ("fmax fmin fmod divmod heaviside float_power logaddexp2").split()
        calls = [
            *(f"np.{name}(f)" for name in one), *(f"np.{name}(i)" for name in one),
            *(f"np.{name}(f + 1, f * f - 2)" for name in two[:5]), "np.float_power(f * f, i)",
            *(f"np.{name}(i, 3)" for name in two[:5]), "np.logaddexp2(f / 9, f)",
            "np.gcd(i, 6)", "np.lcm(i, [4, 6, 0, 2])", "np.gcd(u, u + 2)", "np.bitwise_count(i)",
            "np.bitwise_count(u)", "np.ldexp(f, [1, -2, 3, 0])", "np.fmod(i, [[0], [-4]])",
            "np.float_power(c, 2)", "divmod(i, 4)", "divmod(9, f + 5)", "divmod(f, f + 5)",
            "divmod(i, [2, 3, 4, 5])", "np.fmax(f, [np.nan, 1, 2, np.nan])",
            "np.add(i, 1, dtype='f4')", "np.sin(i, dtype='f4')", "np.floor(i, dtype='f8')",
            "np.equal(i, 5, dtype=bool)", "np.divmod(i, 2, dtype='i4')",
            "np.add.outer(f, i)", "np.multiply.outer(f, 2)", "np.subtract.outer([1, 2], f)",
            "np.greater.outer(i, f, dtype=bool)", "np.divmod.outer(f, [2, 3])",
            "np.add(i, f, where=m, out=zeros(i, 'f8'))", "np.add(i, 1, where=False, out=zeros(i))",
            "np.sqrt(f * f, out=zeros(i, 'f8'), where=[True, False, False, True])",
            "np.add(f, f, where=m)[m]", "np.add(f, f, where=i > 0)[i > 0]",
            "np.frexp(f, out=(zeros(f), zeros(f, 'i8')), where=m)", "np.add(f, [1, 2, 3, 4])",
            "np.add(1, 2, out=zeros(i))", "np.add([1, 2, 3, 4], 2, out=zeros(i), where=m)",
            "np.equal(i, 5, out=zeros(i), where=m)", "np.fmin(m, True)",
        ]
        warnings.simplefilter("ignore")  # where= without out=
        wrong = []
        for call in calls:
            found = []
            for names, device in ((ours, "cuda"), (host, "cpu")):
                zeros = lambda x, d=None: D.zeros(x.shape, d or x.dtype, device=device)
                with np.errstate(all="ignore"):
                    made = eval(call, {"np": np, "zeros": zeros, **names})
                found.append(made if isinstance(made, tuple) else (made,))
            same = len(found[0]) == len(found[1]) and all(
                type(x) is D.Array and x.dtype == y.dtype and x.shape == y.shape
                and np.allclose(D.to_host(x), y, equal_nan=True, rtol=1e-6)
                for x, y in zip(*found))
            if not same:
                wrong.append([call, *map(str, found)])
        answer = wrong
    """)
    assert answer == []


@clause("DEV-AAPI-06")
def test_what_ufuncs_refuse(on_gpu):  # noqa: F811
    """By an error that says which, without the elements."""
    answer = on_gpu("""
        class Theirs:
            def __array_ufunc__(self, called, method, *inputs, **kwargs):
                return "theirs"

        # Called by NumPy, errors of methods would leak the arguments there.
        calls = [lambda: b.__array_ufunc__(np.add, "at", b, b - 1, 5),
                 lambda: b.__array_ufunc__(np.add, "reduceat", b, [0, 2]),
                 lambda: b.__array_ufunc__(np.subtract, "reduce", b),
                 lambda: np.isnat(b), lambda: np.add(b, "x"),
                 lambda: np.add(b, 1, casting="unsafe"), lambda: np.matmul(a, a.T, dtype="f8"),
                 lambda: np.sum(b, where=b > 2), lambda: np.add(b, 1, where=b, out=b),
                 lambda: np.add(b, 1.5, where=b > 2, out=b), lambda: np.add(b, None),
                 lambda: np.equal(b, 2.5, dtype="f4")]
        answer = [[outcome(call) for call in calls], np.add(b, Theirs()), shown(b)]
    """)
    host = "takes no arrays on a GPU: copy them by cuda.device.to_host(), or write a kernel"
    assert answer == [
        [
            *(
                ["TypeError", f"numpy.{name}() {host}"]
                for name in ("add.at", "add.reduceat", "subtract.reduce", "isnat")
            ),
            ["TypeError", "numpy.add() of an array on a GPU and 'str'"],
            [
                "TypeError",
                "numpy.add() of arrays on a GPU takes no casting='unsafe'; such functions have "
                "out, where, dtype",
            ],
            [
                "TypeError",
                "numpy.matmul() of arrays on a GPU takes no dtype='f8'; it has out, where",
            ],
            [
                "TypeError",
                "numpy.sum() of arrays on a GPU takes no where=an array of bool; the standard's "
                "function has axis, dtype, keepdims",
            ],
            ["TypeError", "where= expects a mask, an array of bool, found one of int32"],
            ["TypeError", "out= of int32 for a result of float64"],
            ["TypeError", "numpy.add() of an array on a GPU and 'NoneType'"],
            [
                "TypeError",
                "No loop matching the specified signature and casting was found for ufunc equal",
            ],
        ],
        "theirs",
        [1, 2, 3, 4],
    ]


@clause("DEV-AAPI-09")
def test_linear_algebra_without_decompositions(on_gpu):  # noqa: F811
    answer = on_gpu("""
        deep = np.arange(24, dtype="f4").reshape(2, 3, 4) % 7
        vectors = np.array([[1, 2, 3], [4, -5, 6], [0, 1, 0]])
        host = {"a": h, "d": deep, "v": vectors, "c": vectors + 1j * vectors[::-1], "L": np.linalg}
        ours = {k: D.asarray(x, device="cuda") if k != "L" else xp.linalg for k, x in host.items()}
        calls = [
            *(f"{f}(d, offset={k})" for k in (-5, -1, 0, 2, 4) for f in ("diagonal", "trace")),
            "trace(v, dtype='f8')", "diagonal(v.T)", "outer(v[0], d[0, 0])", "cross(v, v[::-1])",
            "cross(v, v[:, :1], axis=0)" , "cross(v[0], v)", "cross(c, v, axis=0)",
            *(f"vector_norm({x}, ord={n}{more})"
              for n in (0, 1, 2, 3, "float('inf')", "-float('inf')")
              for x in ("d", "v", "c") for more in ("", ", axis=0", ", axis=-1, keepdims=True")),
            "vector_norm(d, axis=(0, 2))", "vector_norm(d, axis=(0, 2), ord=1)",
            "vector_norm(d, keepdims=True)", "matrix_norm(d)", "matrix_transpose(d)",
            "matrix_norm(d, ord=1, keepdims=True)", "matrix_norm(c, ord=float('inf'))",
        ]
        wrong = []
        for call in calls:
            found, expected = (eval("L." + call, dict(names)) for names in (ours, host))
            if not (type(found) is D.Array and found.dtype == expected.dtype
                    and found.shape == expected.shape
                    and np.allclose(D.to_host(found), expected, rtol=1e-5)):
                wrong.append([call, str(found), str(expected)])
        v = ours["v"]
        same = shown(np.linalg.vector_norm(v, axis=1)) == shown(xp.linalg.vector_norm(v, axis=1))
        answer = [wrong, same, outcome(lambda: xp.linalg.cross(a, a)),
                  outcome(lambda: xp.linalg.outer(a, a)), outcome(lambda: xp.linalg.diagonal(b)),
                  outcome(lambda: xp.linalg.diagonal(v).__setitem__(0, 1)),
                  outcome(lambda: xp.linalg.matrix_norm(a, ord=2))[0],
                  outcome(lambda: xp.linalg.svd(a))[0]]
    """)
    assert answer == [
        [],
        True,
        ["ValueError", "cross() of vectors of 4 and 4 elements, not 3"],
        ["ValueError", "outer() of arrays of 2 and 2 dimensions, not of vectors"],
        ["ValueError", "an array of 1 dimensions is no matrix"],
        ["ValueError", "the array is read-only"],
        "NotImplementedError",
        "NotImplementedError",
    ]
