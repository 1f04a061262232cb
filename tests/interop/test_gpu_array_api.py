"""The Array API of arrays on GPUs: its kernels on every target against NumPy, and the operators,
functions and errors of Array on the tests' driver."""

import ml_dtypes
import numpy as np
import pytest
from cuda.device import array_api as xp
from cuda.device._gpu_arrays import _elementwise, kernels_of
from support.clauses import clause
from support.fake_gpu import needs_fake
from support.gpu_arrays import on_gpu  # noqa: F401 a fixture
from support.small_floats import DTYPES as SMALL
from support.statistics import PRODUCTS, STATISTICS, check_product, check_statistic

KINDS = ("?", "i1", "u2", "i4", "u8", "f4", "f8", "c8", "c16")
RANDOM = np.random.default_rng(5)


def data(dtype, shape):
    """Small values, some of them equal; NaNs are cases of their own."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return RANDOM.random(shape) < 0.5
    if kind in "iu":
        return RANDOM.integers(0 if kind == "u" else -9, 10, shape).astype(dtype)
    made = RANDOM.normal(0, 2, shape)
    return (made + 1j * RANDOM.normal(0, 2, shape) if kind == "c" else made).astype(dtype)


def check(found, expected, what):
    """Equal, or within what math functions promise; of the same dtype and shape."""
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), what
        for one, other in zip(found, expected, strict=True):
            check(one, other, what)
        return
    expected = np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), what
    if expected.dtype.kind in "fc":
        near = 2e-3 if expected.dtype == np.float16 else 1e-5
        assert np.allclose(found, expected, near, near, equal_nan=True), what
    else:
        assert np.array_equal(found, expected), what


def check_call(name, *args, **keywords):
    """By kernels of ours as by NumPy."""
    expected = getattr(xp, name)(*args, **keywords)
    check(kernels_of(name)(*args, **keywords), expected, (name, args, keywords))


def check_refused(text, name, *args, **keywords):
    """By an error of NumPy's type, and this text."""
    with pytest.raises((ValueError, TypeError, IndexError)) as of_numpy:
        getattr(xp, name)(*args, **keywords)
    with pytest.raises(of_numpy.type) as ours:
        kernels_of(name)(*args, **keywords)
    assert type(ours.value) is of_numpy.type
    assert str(ours.value) == text


def operands_of(name, count, kind):
    each = [data(kind, (2, 1, 5)), data(kind, (3, 5))][:count]
    if "shift" in name or (name == "pow" and np.dtype(kind).kind in "iu"):
        each[1] = np.abs(each[1])
    if name == "spacing":
        each[0] = np.abs(each[0])  # NumPy forgets the sign of float16
    if name == "ldexp":
        each[1] = data("i4", (3, 5))
    if name == "reciprocal":
        each[0][each[0] == 0] = 1  # of no value in integers
    return each


def kinds_on(target):
    """All formats where compilation is quick; what the kernels share, elsewhere."""
    return ("?", "u2", "i8", "f4", "c8") if target == "avx512" else ("i4", "f4")


UNORDERED = ("fmax", "fmin", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum")
UFUNCS = {"round": np.rint}


@clause("DEV-AAPI-06")
@pytest.mark.parametrize("name", sorted(_elementwise.NAMES))
def test_functions_of_elements(target, name):
    assert {*_elementwise.NAMES} | {"clip", "imag", "real"} == {*ELEMENTWISE}
    ufunc = UFUNCS.get(name) or getattr(np, name)
    seen = 0
    for kind in (
        KINDS if target == "avx512" else ("f4", "i4") if target == "ptx" else ("f4", "i4", "c8")
    ):
        operands = operands_of(name, ufunc.nin, kind)
        if np.dtype(kind).kind == "c" and name in UNORDERED:
            with pytest.raises(TypeError, match="complex numbers have no order"):
                kernels_of(name)(*operands)
            continue
        with np.errstate(all="ignore"):
            try:
                expected = getattr(xp, name, ufunc)(*operands)
            except TypeError:
                continue
        check(kernels_of(name)(*operands), expected, (name, kind))
        seen += 1
        if target == "ptx":
            break
    assert seen


ELEMENTWISE = (
    *("abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and"),
    *("bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
    *("ceil", "clip", "conj", "copysign", "cos", "cosh", "divide", "equal", "exp", "exp2", "expm1"),
    *("floor", "floor_divide", "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf"),
    *("isnan", "less", "less_equal", "log", "log1p", "log2", "log10", "logaddexp", "logical_and"),
    *("logical_not", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative"),
    *(
        "nextafter",
        "not_equal",
        "positive",
        "pow",
        "real",
        "reciprocal",
        "remainder",
        "round",
        "sign",
        "signbit",
        "sin",
    ),
    *("sinh", "sqrt", "square", "subtract", "tan", "tanh", "trunc"),
    # NumPy's alone
    *("bitwise_count", "cbrt", "deg2rad", "degrees", "divmod", "fabs", "float_power", "fmax"),
    *("fmin", "fmod", "frexp", "gcd", "heaviside", "lcm", "ldexp", "logaddexp2", "modf"),
    *("rad2deg", "radians", "spacing"),
)


@clause("DEV-AAPI-06")
def test_corners_of_integers(target):
    """By zero, by shifts beyond the width, of signed and unsigned numbers of 64 bits."""
    a = np.array([7, -7, 0, -128], np.int8)
    b = np.array([0, 2, 9, 70], np.int8)
    names = ("floor_divide", "remainder", "bitwise_left_shift", "bitwise_right_shift")
    with np.errstate(all="ignore"):
        for name in names:
            check(kernels_of(name)(a, b), getattr(np, name)(a, b), name)
    wide = np.array([-1, 5, 2**62], np.int64)
    unsigned = np.array([2**64 - 1, 5, 2**63], np.uint64)
    for name in ("equal", "less", "less_equal", "greater", "greater_equal", "not_equal"):
        for one, other in ((wide, unsigned), (unsigned, wide)):
            check(kernels_of(name)(one, other), getattr(np, name)(one, other), name)
    base, power = np.array([3, -2, 0, 7], np.int32), np.array([19, 5, 0, 1], np.int32)
    check(kernels_of("pow")(base, power), base**power, "pow")


@clause("DEV-AAPI-06")
@pytest.mark.parametrize("name", SMALL)
def test_functions_of_narrow_floats_are_rounded_once(target, name):
    """Half a unit of the format, and what float32 loses: steps are not rounded to the format."""
    dtype = SMALL[name]
    x = np.array([-2.5, -0.5, 0.5, 1.5, 3, np.nan, 0.25, 1], dtype)
    y = np.array([2, -1.5, 0.5, 1, 0.75, 1, np.nan, 0], dtype)
    known = {"avx512": _elementwise.NAMES, "ptx": ("add",)}.get(target, ("add", "logaddexp", "exp"))
    for call in sorted(set(known) - {"nextafter", "spacing", "divmod", "frexp", "modf"}):
        ufunc = UFUNCS.get(call) or getattr(np, call)
        narrow = (x, y)[: ufunc.nin]
        with np.errstate(all="ignore"):
            try:
                exact = ufunc(*(each.astype(np.float32) for each in narrow)).astype(np.float64)
            except TypeError:  # of integers
                continue
        found = kernels_of(call)(*narrow).astype(np.float64)
        tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
        bound = float(ml_dtypes.finfo(dtype).eps) / 2 * np.abs(exact) * 1.001 + tiny
        far = np.abs(found - exact) > bound
        finite = np.isfinite(exact) & (np.abs(exact) <= float(ml_dtypes.finfo(dtype).max))
        assert not (far & finite).any(), (call, found, exact)
        assert np.array_equal(np.isnan(found), np.isnan(exact)), call


@clause("DEV-AAPI-06")
def test_logaddexp_of_nan_is_nan(target):
    x = np.array([np.nan, 1, np.nan, np.inf, 3], np.float32)
    assert np.isnan(kernels_of("logaddexp")(x, x[::-1])).tolist() == [
        True,
        False,
        True,
        False,
        True,
    ]


@clause("DEV-AAPI-06")
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_nextafter_is_exact(target, kind):
    x = np.array([0.0, -0.0, 1, -1, 3.5, np.inf, -np.inf, np.nan, 2, np.finfo(kind).max], kind)
    for y in (x[::-1].copy(), np.full_like(x, np.inf), np.full_like(x, -np.inf), x):
        found = kernels_of("nextafter")(x, y)
        with np.errstate(over="ignore"):
            assert np.array_equal(found, np.nextafter(x, y), equal_nan=True)
        assert found.dtype == x.dtype


@clause("DEV-AAPI-06")
@pytest.mark.parametrize("name", SMALL)
def test_nextafter_of_narrow_floats(target, name):
    dtype = SMALL[name]
    x = np.array([0.0, -0.0, 1, -1, 3.5, np.nan, 2, ml_dtypes.finfo(dtype).max], dtype)
    for y in (x[::-1].copy(), -x, x):
        found, expected = kernels_of("nextafter")(x, y), np.nextafter(x, y)
        assert found.dtype == dtype
        assert np.array_equal(found.astype("f4"), expected.astype("f4"), equal_nan=True)


@clause("DEV-AAPI-08")
def test_counts_products_and_differences(target):
    """What version 2024.12 has added."""
    for kind in kinds_on(target):
        a = data(kind, (3, 4, 5))
        turned = a.transpose(2, 0, 1)[::-1]
        for axis in (None, 1, (0, 2)):
            check_call("count_nonzero", turned, axis=axis)
        check_call("count_nonzero", a, axis=1, keepdims=True)
        check_call("cumulative_prod", turned / 2 if a.dtype.kind in "fc" else turned, axis=1)
        check_call("cumulative_prod", a, axis=-1, include_initial=True)
        check_call("diff", turned)
        check_call("diff", a, axis=1, n=3, prepend=a[:, :2], append=a[:, :1])
        check_call("diff", a, axis=0, n=9)
        check_refused("diff() of order n=-1", "diff", a, n=-1)
        places = RANDOM.integers(-3, 3, (3, 4, 5))
        check_call("take_along_axis", a, places, axis=0)
        check_call("take_along_axis", turned, places[:1, :, :1] * 0, axis=1)
        for text, *others in (
            ("of shape (5, 3, 4) by indices of shape (1, 4, 2)", turned, places[:1, :, :2] * 0),
            ("expects indices of 3 dimensions, found 2", a, places[0]),
            ("expects integers, found float64", a, places * 1.0),
        ):
            check_refused(f"take_along_axis() {text}", "take_along_axis", *others, axis=1)
    check_call("cumulative_prod", np.ones((2, 700)) * 1.01, axis=1)


@clause("DEV-AAPI-08")
def test_reductions(target):
    for kind in kinds_on(target):
        a = data(kind, (3, 4, 5))
        turned = a.transpose(2, 0, 1)[::-1]
        ordered = ("max", "min", "argmax", "argmin") if np.dtype(kind).kind != "c" else ()
        moments = ("mean", "var", "std") if kind != "?" else ()
        names = ("sum", "prod", "all", "any", *ordered, *moments)
        for name in ("sum", "argmin") if target == "ptx" else names:
            check_call(name, a, axis=1)
            check_call(name, turned, axis=None)
            check_call(name, turned, axis=0, keepdims=True)
            if not name.startswith("arg"):
                check_call(name, a, axis=(0, -1))
            check_call(name, a[:, :0], axis=0)
            if name in ordered:
                check_refused(f"{name}() of no elements", name, a[:, :0], axis=1)
            elif name not in moments:  # NumPy warns of a mean of nothing
                check_call(name, a[:, :0], axis=1)
        if target != "ptx":
            check_call("sum", np.asarray(a[0, 0, 0]))
        if kind != "?":
            check_call("cumulative_sum", turned, axis=1)
            check_call("cumulative_sum", a, axis=-1, include_initial=True)


@clause("DEV-AAPI-08")
def test_long_rows_are_reduced_by_many_blocks(target):
    x = data("i4", (2, 10000))
    for name in ("sum", "max", "argmin", "cumulative_sum"):
        check_call(name, x, axis=1)
    check_call("sum", x)
    nan = data("f4", 600)
    nan[[77, 500]] = np.nan
    for name in ("max", "argmax", "argmin", "sort", "argsort", "min"):
        check_call(name, nan)


@clause("DEV-AAPI-08")
@pytest.mark.parametrize("name", [*SMALL, "float32"])
def test_long_rows_are_accumulated_in_float32(target, name):
    """And rounded once."""
    dtype = SMALL.get(name, np.dtype(np.float32))
    for call in ("mean", "std") if target == "ptx" else STATISTICS:
        check_statistic(kernels_of(call), call, dtype)
    for call in ("vecdot",) if target == "ptx" else PRODUCTS:
        check_product(kernels_of(call), call, dtype)
    if name == "float16":
        large = np.full(5000, 60, dtype)  # whose sum is beyond float16
        for call, expected in (("mean", 60), ("var", 0), ("std", 0)):
            assert kernels_of(call)(large) == expected


@clause("DEV-AAPI-07", "DEV-AAPI-08")
@pytest.mark.parametrize("name", SMALL)
def test_floats_of_ml_dtypes_are_floats(target, name):
    dtype = SMALL[name]
    x = np.array([-2.5, 0.5, np.nan, 1.5], dtype)
    wide = x.astype(np.float32)
    rounding = () if target == "ptx" else ("floor", "round", "trunc")
    for call in ("isnan", "isfinite", *rounding):
        expected = getattr(np, call)(wide)
        found = kernels_of(call)(x)
        assert np.array_equal(found.astype(expected.dtype), expected, equal_nan=True), call
    y = np.array([2, -2, 1, 0.5], dtype)
    for call in () if target == "ptx" else ("pow", "floor_divide", "remainder"):
        found = kernels_of(call)(np.abs(x), y)
        expected = getattr(np, call)(np.abs(wide), y.astype(np.float32)).astype(dtype)
        assert np.array_equal(found.astype("f4"), expected.astype("f4"), equal_nan=True), call


@clause("DEV-AAPI-07")
def test_products_of_bools(target):
    many = np.ones((2, 256), bool)
    for call in ("matmul", "vecdot"):
        found = kernels_of(call)(many, many.T if call == "matmul" else many)
        assert found.dtype == bool
        assert found.all()
        assert not kernels_of(call)(many[0], ~many[0])


@clause("DEV-AAPI-08")
def test_variance_of_fewer_elements_than_the_correction(target):
    x = np.array([1.0, 2.0, 4.0], np.float32)
    for correction in (3, 4.5):
        for call in ("var", "std"):
            assert kernels_of(call)(x, correction=correction) == np.inf
            assert np.isnan(kernels_of(call)(x[:1], correction=correction))


@clause("DEV-AAPI-08")
def test_order_and_sets(target):
    for kind in ("?", "u1", "i8", "f4") if target == "avx512" else ("i4",):
        order_and_sets(kind)


def order_and_sets(kind):
    a = data(kind, (3, 4, 5))
    for axis in (0, 1, -1):
        for descending in (False, True):
            check_call("sort", a, axis=axis, descending=descending)
            check_call("argsort", a, axis=axis, descending=descending)
    long = data(kind, 700)
    check_call("argsort", long, descending=True)
    if long.dtype.kind == "f":  # NaN is more than all numbers
        beside = long[:90].copy()
        beside[[3, 50, 77]] = np.nan
        for descending in (False, True):
            check_call("sort", beside, descending=descending)
            check_call("argsort", beside, descending=descending)
    check_call("searchsorted", np.sort(long), data(kind, 30))
    check_call("searchsorted", np.sort(long), data(kind, (3, 4)), side="right")
    check_call("searchsorted", long, long[:9], sorter=np.argsort(long))
    for x in (a, long, a[:0], a.T):
        for name in ("unique_all", "unique_counts", "unique_inverse", "nonzero"):
            check_call(name, x)
        check(kernels_of("unique_values")(x), np.unique(x), "unique_values")


@clause("DEV-AAPI-07")
def test_shapes_and_products(target):
    a = data("f4", (3, 4, 5))
    turned = a.transpose(1, 2, 0)
    for axis in (0, 1, -1):
        for name, *others in (
            ("flip",),
            ("take", np.array([0, 2, -1])),
            ("take", np.array([[0], [2]])),
            ("take", np.array(1)),
            ("roll", 2),
            ("repeat", 3),
            ("unstack",),
            ("expand_dims",),
        ):
            check_call(name, a, *others, axis=axis)
        check_call("concat", [a, turned.transpose(2, 0, 1), a.astype("f8")], axis=axis)
        check_call("stack", [a, a + 1], axis=axis)
    check_call("concat", [a, turned], axis=None)
    check_refused("concat() of shapes (3, 4, 5), (4, 5, 3)", "concat", [a, turned])
    calls = {
        "tile": [((2, 1),), ((2, 1, 3, 2),)],
        "broadcast_to": [((2, 3, 4, 5),)],
        "permute_dims": [((2, 0, 1),)],
        "moveaxis": [(0, 2), ((0, 1), (2, 0))],
        "reshape": [((15, -1),)],
        "matrix_transpose": [()],
    }
    refused = {
        "an array of shape (3, 4, 5) cannot be broadcast to shape (2, 3, 4, 6)": (
            *("broadcast_to", (2, 3, 4, 6)),
        ),
        "an array of shape (3, 4, 5) cannot be broadcast to shape (4, 5)": ("broadcast_to", (4, 5)),
        "axes=(0, 1) of an array of 3 dimensions": ("permute_dims", (0, 1)),
        "cannot reshape array of size 60 into shape (7,7)": ("reshape", (7, 7)),
        "axis 0 of extent 3 cannot be left out": ("squeeze", 0),
        "matmul() of shapes (3, 4, 5) and (3, 4, 5)": ("matmul", a),
    }
    for text, (name, other) in refused.items():
        check_refused(text, name, a, other)
    for name, each in calls.items():
        for others in each:
            check_call(name, a, *others)
    check_call("squeeze", a[:1], axis=0)
    check_call("roll", a, 7)
    check_call("roll", a, (1, -2), axis=(0, 1))
    for k in (-2, 0, 1):
        check_call("tril", a, k=k)
        check_call("triu", a, k=k)
    check_call("where", a > 0, a, turned.transpose(2, 0, 1).astype("f8"))
    check_call("meshgrid", a[0, 0], a[0, :, 0], indexing="ij")
    check_call("broadcast_arrays", a, a[:1])
    check_call("astype", a, np.int8)
    for x, y in (
        (a, data("f4", (5, 6))),
        (a, data("f4", (3, 5, 2))),
        (a[0], data("f4", 5)),
        (data("f4", 4), a[0]),
        (data("i4", (2, 1, 20, 35)), data("i4", (3, 35, 18))),
        (data("c8", (4, 7)), data("f4", (7, 3))),
    ):
        check_call("matmul", x, y)
    check_call("tensordot", a, data("f4", (4, 5, 2)))
    check_call("tensordot", a, turned, axes=((0,), (2,)))
    check_call("vecdot", data("c8", (3, 4)), data("c8", (3, 4)), axis=0)


# --------------------------------------------------------------------------- on the tests' driver


@needs_fake
@clause("DEV-AAPI-01")
@clause("DEV-AAPI-02")
@clause("DEV-AAPI-03")
def test_operators(on_gpu):  # noqa: F811
    answer = on_gpu("""
        import operator as o
        wrong = []
        k = h.astype("i4")
        bh = D.to_host(b)
        pairs = [(a, h, b, bh), (D.asarray(k, device="cuda"), k, b, bh)]
        for x, xh, y, yh in pairs:
            for f in (o.add, o.sub, o.mul, o.truediv, o.floordiv, o.mod, o.lt, o.le, o.gt, o.ge,
                      o.eq, o.ne, *((o.and_, o.or_, o.xor, o.lshift, o.rshift) if xh is k else ())):
                for one, other in ((f(x, y), f(xh, yh.astype("i4"))), (f(x, 2), f(xh, 2))):
                    if not (one.dtype == other.dtype and np.array_equal(D.to_host(one), other)):
                        wrong.append([f.__name__, str(xh.dtype), str(one.dtype), str(other.dtype)])
                if not np.array_equal(D.to_host(f(3, y)), f(3, yh.astype("i4"))):
                    wrong.append([f.__name__, "reflected"])
        assert np.array_equal(D.to_host(a @ a.mT), h @ h.T)
        assert np.array_equal(D.to_host(b ** 2), [1, 4, 9, 16])
        assert np.array_equal(D.to_host(2 ** b), [2, 4, 8, 16])
        assert shown(-b) == [-1, -2, -3, -4] and shown(~b) == [-2, -3, -4, -5]
        assert shown(abs(-b)) == shown(+b) == [1, 2, 3, 4]
        c = D.asarray(h, device="cuda", copy=True)
        d = c
        c += 1; c *= b; c -= 2; c /= 2
        assert c is d and np.array_equal(D.to_host(c), ((h + 1) * [1, 2, 3, 4] - 2) / 2)
        zero = D.asarray(np.array(3), device="cuda")
        numbers = [int(zero), float(zero), str(complex(zero)), bool(zero), [10, 20, 30, 40][zero]]
        answer = [wrong, numbers, a.mT.shape, a.__array_namespace__() is xp, a[1, 2].ndim]
    """)
    assert answer == [[], [3, 3.0, "(3+0j)", True, 40], [4, 3], True, 0]


@needs_fake
@clause("DEV-AAPI-03")
@clause("DEV-AAPI-10")
def test_masks_indices_and_assignment(on_gpu):  # noqa: F811
    answer = on_gpu("""
        m, n = a > 5, h > 5
        same = [np.array_equal(D.to_host(a[m]), h[n])]
        same.append(np.array_equal(D.to_host(a[b[:2]]), h[[1, 2]]))
        rows = D.asarray(np.array([True, False, True]), device="cuda")
        same.append(np.array_equal(D.to_host(a[rows]), h[[0, 2]]))
        i, j = np.array([[0], [-1]]), np.array([1, 3, -4], "i2")
        x, y = D.asarray(i, device="cuda"), D.asarray(j, device="cuda")
        for ours, theirs in (((x, y), (i, j)), ((2, y), (2, j)), ((x, -1), (i, -1)),
                             ((x[0], 0), (i[0], 0)), ((x,), (i,))):
            same.append(np.array_equal(D.to_host(a[ours]), h[theirs]))
            same.append(np.array_equal(D.to_host(a.T[ours[::-1]]), h.T[theirs[::-1]])
                        if len(ours) == 2 else True)
        deep = D.asarray(np.arange(24).reshape(2, 3, 4), device="cuda")
        same.append(np.array_equal(D.to_host(deep[1, x]), np.arange(24).reshape(2, 3, 4)[1, i]))
        wrong = [outcome(lambda: a[x, :]), outcome(lambda: a[x, 4]), outcome(lambda: a[x, y, 0]),
                 outcome(lambda: a[x, m])]
        a[m] = -1
        h[n] = -1
        same.append(np.array_equal(D.to_host(a), h))
        a[rows] = b
        h[[0, 2]] = [1, 2, 3, 4]
        same.append(np.array_equal(D.to_host(a), h))
        a[1:, ::2] = xp.asarray(7, dtype=xp.int8, device="cuda")
        h[1:, ::2] = 7
        same.append(np.array_equal(D.to_host(a), h))
        answer = [same, wrong, [outcome(lambda: a[m[:2]]), outcome(lambda: a[a]),
                  outcome(lambda: a.__setitem__(b, 1)), outcome(lambda: b.__setitem__(..., a))]]
    """)
    assert answer[0] == [True] * 17
    assert answer[1] == [
        [
            "IndexError",
            "slice(None, None, None) beside an array as index; take the parts one after the other",
        ],
        ["IndexError", "index 4 is out of bounds for axis 1 with size 4"],
        ["IndexError", "3 indices of an array of 2 dimensions"],
        ["IndexError", "an index of dtype bool; integers were expected"],
    ]
    assert answer[2] == [
        ["IndexError", "a mask of shape (2, 4) for an array of shape (3, 4)"],
        ["IndexError", "an index of dtype float32; bool or integers were expected"],
        [
            "IndexError",
            "assignment by arrays as index expects one mask, an array of bool; where() chooses "
            "between arrays, and kernels store at any place",
        ],
        ["ValueError", "elements of float32 cannot become elements of int32"],
    ]


@needs_fake
@clause("DEV-AAPI-04")
@clause("DEV-AAPI-05")
def test_creation_and_types(on_gpu):  # noqa: F811
    answer = on_gpu("""
        from support.interfaces import Cuda

        def says(array):
            return Cuda(array.__cuda_array_interface__, array)

        made = {
            "arange": xp.arange(2, 8, 3, device="cuda"), "eye": xp.eye(2, device="cuda:0"),
            "full": xp.full((2,), 4, device="cuda"), "zeros": xp.zeros(2, device="cuda"),
            "ones_like": xp.ones_like(b), "full_like": xp.full_like(b, 9),
            "linspace": xp.linspace(0, 1, 3, device="cuda"), "tril": xp.tril(a[:2, :2]),
            "asarray": xp.asarray(b), "of_a_list": xp.asarray([[b[1], 5], (b[0], b[3])]),
            "from_dlpack": xp.from_dlpack(b), "of_a_dictionary": xp.asarray(says(b)),
            "astype": xp.astype(a[0], xp.int16), "empty_like": xp.empty_like(b) * 0,
        }
        assert all(x.device == "cuda:0" for x in made.values())
        assert xp.ones_like(b, device="cpu").device == "cpu"
        back = b.to_device("cpu")
        assert type(back) is xp.HostArray and back.to_device("cuda").device == "cuda:0"
        assert b.to_device("cuda:0") is b
        key = "__cuda_array_interface__"
        assert getattr(D.asarray(says(b)), key)["data"] == getattr(b, key)["data"]
        assert D.to_host(says(b)).tolist() == xp.asarray(says(b), device="cpu").tolist() == shown(b)
        info = xp.__array_namespace_info__()
        types = [xp.finfo(a).bits, str(xp.result_type(b, xp.int64)), xp.can_cast(b, xp.int8),
                 info.devices(), str(info.default_dtypes(device="cuda:0")["real floating"])]
        answer = [{name: shown(x) for name, x in made.items()}, types]
    """)
    assert answer[0] == {
        "arange": [2, 5],
        "eye": [[1.0, 0.0], [0.0, 1.0]],
        "full": [4, 4],
        "zeros": [0.0, 0.0],
        "ones_like": [1, 1, 1, 1],
        "full_like": [9, 9, 9, 9],
        "linspace": [0.0, 0.5, 1.0],
        "tril": [[0.0, 0.0], [4.0, 5.0]],
        "asarray": [1, 2, 3, 4],
        "of_a_list": [[2, 5], [1, 4]],
        "from_dlpack": [1, 2, 3, 4],
        "of_a_dictionary": [1, 2, 3, 4],
        "astype": [0, 1, 2, 3],
        "empty_like": [0, 0, 0, 0],
    }
    assert answer[1] == [32, "int64", False, ["cpu", "cuda:0"], "float64"]


@needs_fake
@clause("DEV-AAPI-06")
@clause("DEV-AAPI-08")
def test_functions_of_the_namespace_and_of_numpy_keep_the_type(on_gpu):  # noqa: F811
    answer = on_gpu("""
        found = [xp.sum(a, axis=0), np.sin(b), np.add(a, b), np.add(1, b), np.sum(a),
                 xp.expm1(b - b), xp.sort(b, descending=True), xp.argsort(b, descending=True),
                 xp.expand_dims(b, axis=0), xp.clip(b, 2, 3), xp.concat([b, b]),
                 xp.where(b > 2, b, 0), xp.reshape(a.T, (2, 6)), *xp.meshgrid(b, b[:2])]
        types = {type(x).__name__ for x in found}
        error = outcome(lambda: a + h), outcome(lambda: xp.linalg.inv(a)), outcome(lambda: a + "x"),
        answer = [sorted(types), shown(found[0]), shown(found[2])[0], shown(found[6]),
                  shown(found[11]), shown(found[12]), [*error, outcome(lambda: bool(a))]]
    """)
    assert answer[:6] == [
        ["Array"],
        [12.0, 15.0, 18.0, 21.0],
        [1.0, 3.0, 5.0, 7.0],
        [4, 3, 2, 1],
        [0, 0, 3, 4],
        [[0.0, 4.0, 8.0, 1.0, 5.0, 9.0], [2.0, 6.0, 10.0, 3.0, 7.0, 11.0]],
    ]
    assert answer[6] == [
        [
            "TypeError",
            "an array in memory of the host beside one on cuda:0: copy it by "
            "cuda.device.asarray(a, device='cuda:0')",
        ],
        [
            "NotImplementedError",
            "array_api.linalg.inv() of arrays on a GPU is CuPy's, which is not installed; install "
            "cupy-cuda12x or cupy-cuda13x, or copy the array by cuda.device.to_host()",
        ],
        ["TypeError", "unsupported operand type(s) for +: 'Array' and 'str'"],
        [
            "TypeError",
            "an array of shape (3, 4) on cuda:0 has no value for the host; "
            "device.to_host(a) copies it",
        ],
    ]


@needs_fake
@clause("DEV-AAPI-06", "DEV-AAPI-07", "DEV-AAPI-08")
def test_numpys_functions_under_all_their_names(on_gpu):  # noqa: F811
    """And with NumPy's parameters, by place or by name."""
    answer = on_gpu("""
        n = h.astype("i4") % 3
        d = D.asarray(n, device="cuda")
        calls = [
            (np.transpose, (a,), {}), (np.transpose, (a, (1, 0)), {}),
            (np.permute_dims, (a, (1, 0)), {}), (np.concatenate, ([a, a], 1), {}),
            (np.concat, ([a, a], None), {}), (np.stack, ([a, a], 1), {}), (np.sum, (a, 0), {}),
            (np.sum, (a,), {"axis": 1, "keepdims": True}), (np.amax, (a, 1), {}),
            (np.cumsum, (a, 1), {}), (np.around, (a,), {}), (np.prod, (d, 1, "i8"), {}),
            (np.mean, (a, 0), {}), (np.std, (a,), {"ddof": 1, "axis": 0}), (np.var, (a, -1), {}),
            (np.argmax, (a, 1), {}), (np.any, (d, 0), {}), (np.all, (d,), {}),
            (np.reshape, (a, (2, 6)), {}), (np.take, (a, b - 1, 1), {}), (np.roll, (a, 1, 0), {}),
            (np.clip, (a, 2, 7), {}), (np.clip, (a,), {"a_min": 3, "a_max": 5}),
            (np.clip, (a, None, 4), {}),
            (np.where, (d > 1, a, 0), {}), (np.sort, (d, 0), {}), (np.argsort, (d,), {"axis": 0}),
            (np.repeat, (a, 2, 1), {}), (np.tile, (a, (2, 1)), {}), (np.tile, (b, 2), {}),
            (np.flip, (a, 0), {}), (np.moveaxis, (a, 0, 1), {}), (np.expand_dims, (a, 1), {}),
            (np.squeeze, (a[:1],), {}), (np.squeeze, (a[:1], 0), {}), (np.tril, (a, -1), {}),
            (np.tensordot, (a, a, 2), {}), (np.searchsorted, (b, b, "right"), {}),
            (np.nonzero, (d,), {}), (np.count_nonzero, (d, 1), {}), (np.diff, (a, 2), {}),
            (np.take_along_axis, (a, d, 0), {}), (np.cumulative_prod, (b,), {}),
            (np.real, (a,), {}), (np.round, (a / 4,), {}), (np.broadcast_to, (b, (3, 4)), {}),
            (np.broadcast_arrays, (a, b), {}), (np.meshgrid, (b, b[:2]), {"indexing": "ij"}),
            (np.full_like, (d, 7), {}), (np.matrix_transpose, (a,), {}),
            (np.linalg.matmul, (a, a.T), {}), (np.arctan2, (a, a + 1), {}),
            (np.power, (b, 2), {}), (np.absolute, (-b,), {}), (np.true_divide, (a, 2), {}),
            (np.rint, (a / 4,), {}), (np.mod, (b, 3), {}), (np.reciprocal, (a + 1,), {}),
            (np.nextafter, (a, a + 1), {}), (np.add, (a, 1), {}),
        ]

        def host(x):
            if type(x) in (list, tuple):
                return type(x)(map(host, x))
            return D.to_host(x) if isinstance(x, D.Array) else x

        wrong = []
        for f, args, keywords in calls:
            found, expected = f(*args, **keywords), f(*map(host, args), **keywords)
            one, other = ([x] if isinstance(x, (D.Array, np.ndarray, np.generic, int)) else list(x)
                          for x in (found, expected))
            same = len(one) == len(other) and all(
                type(x) is D.Array and x.shape == np.shape(y) and np.allclose(D.to_host(x), y)
                for x, y in zip(one, other))
            if not same:
                wrong.append([f.__name__, str(found), str(expected)])
        out = D.empty(4, "f4", device="cuda")
        stored = np.sum(a, 0, out=out) is out and shown(out) == h.sum(0).tolist()
        errors = [outcome(lambda: np.sum(a, initial=3)), outcome(lambda: np.round(a, 2)),
                  outcome(lambda: np.vstack([a, a]))[0],
                  outcome(lambda: np.linalg.inv(a[:2, :2]))[0],
                  outcome(lambda: np.vecmat(b, a.T))[0]]
        answer = [wrong, stored, errors]
    """)
    assert answer[:2] == [[], True]
    assert answer[2] == [
        [
            "TypeError",
            "numpy.sum() of arrays on a GPU takes no initial=3; the standard's function has axis, "
            "dtype, keepdims",
        ],
        [
            "TypeError",
            "numpy.round() of arrays on a GPU takes no decimals=2; the standard's function has no "
            "keywords",
        ],
        *("TypeError", "NotImplementedError", "TypeError"),
    ]


@needs_fake
@clause("DEV-AAPI-02", "DEV-AAPI-03")
def test_arrays_among_pythons_objects(on_gpu):  # noqa: F811
    """Formats, hashes, the versions of the standard."""
    answer = on_gpu("""
        total = xp.sum(a)
        numbers = f"{total:.2f} {b[2]:03d} {xp.asarray(1 + 2j, device='cuda'):.1f} {total > 1:d}"
        answer = [numbers, f"{b}" == str(b), outcome(lambda: f"{b:.2f}"), outcome(lambda: hash(b)),
                  outcome(lambda: {b: 1})[0], b.__array_namespace__(api_version="2024.12") is xp,
                  outcome(lambda: b.__array_namespace__(api_version="2019.12"))]
    """)
    assert answer == [
        "66.00 003 1.0+2.0j 1",
        True,
        [
            "TypeError",
            "an array of shape (4,) on cuda:0 has no value for the host; "
            "device.to_host(a) copies it",
        ],
        ["TypeError", "unhashable type: 'Array'"],
        "TypeError",
        True,
        [
            "ValueError",
            "api_version='2019.12'; this is the Array API of '2021.12', '2022.12', '2023.12', "
            "'2024.12'",
        ],
    ]


@needs_fake
@clause("DEV-ARR-22")
def test_buffers_of_memory_that_the_host_reaches(on_gpu):  # noqa: F811
    answer = on_gpu("""
        answer = []
        for memory in ("pinned", "managed"):
            x = D.zeros((3, 4), "f4", device="cuda", memory=memory)
            core.Device(0).sync()
            view = memoryview(x.T)
            x[1, 2] = 5
            array = np.asarray(view)
            array[0, 0] = 7
            core.Device(0).sync()
            answer.append([view.format, view.shape, view.strides])
            answer[-1] += [array[2, 1].item(), shown(x)[0][0]]
            flat = memoryview(x).cast("B")
            answer[-1] += [len(flat), memoryview(np.frombuffer(x, "f4")).nbytes]
            # The memory lives as long as the view.
            before = left()["allocations"]
            kept = memoryview(D.full(4, 3, "i4", device="cuda", memory=memory))
            answer[-1].append(kept.tolist())
            # What is queued is waited for.
            y = D.zeros(8, "f8", device="cuda", memory=memory)
            threading.Timer(0.1, gates["hold"].set).start()
            gates["hold"].clear()
            D.launch(hold, y, grid=1, block=8)
            answer[-1].append(memoryview(y).tolist())
            del view, array, flat, kept
        answer.append(outcome(lambda: memoryview(a)))
        answer.append(outcome(lambda: np.asarray(a)))
    """)
    for found in answer[:2]:
        assert found == ["f", [4, 3], [4, 16], 5, 7, 48, 48, [3] * 4, [1] * 8]
    text = (
        "the host does not reach the memory of GPU 0; device.to_host(a) copies the array, "
        "kernels take it as it is"
    )
    assert answer[2:] == [["TypeError", text]] * 2


@needs_fake
@clause("DEV-AAPI-09")
def test_where_cupy_is_installed_it_computes(on_gpu, tmp_path):  # noqa: F811
    """A double of CuPy, which computes by NumPy."""
    (tmp_path / "cupy.py").write_text(CUPY)
    answer = on_gpu(
        """
        import cupy
        x = xp.linalg.inv(xp.eye(2, device="cuda") * 4)
        y = xp.atan2(a, a + 1)
        z = xp.sort(b, descending=True)
        answer = [type(x).__name__, shown(x), cupy.called, shown(z),
                  np.allclose(D.to_host(y), np.arctan2(h, h + 1))]
        """
    )
    assert answer[:2] == ["Array", [[0.25, 0.0], [0.0, 0.25]]]
    assert {"inv", "arctan2"} <= {*answer[2]}
    assert "sort" not in answer[2]  # its parameters are others
    assert answer[3:] == [[4, 3, 2, 1], True]


CUPY = """
import types
import numpy as np
from cuda import device as D

called = []


class ndarray:
    def __init__(self, array):
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return self.array.__cuda_array_interface__


def asarray(x):
    return ndarray(x)


def _wrapped(function):
    def call(*args, **kwargs):
        called.append(function.__name__)
        found = function(*(D.to_host(a.array) if isinstance(a, ndarray) else a for a in args))
        return ndarray(D.asarray(found, device="cuda"))

    return call


linalg = types.SimpleNamespace(inv=_wrapped(np.linalg.inv))


def __getattr__(name):
    if name in ("atan2", "pow", "concat") or name.startswith("__"):
        raise AttributeError(name)
    return _wrapped(getattr(np, name))
"""
