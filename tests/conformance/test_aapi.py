"""The Array API of arrays of the host (DEV-AAPI): every name of the standard, in HostArrays."""

import contextlib
import copy
import operator
import pickle
import re
import threading

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from cuda.device import _host_arrays, core
from cuda.device import array_api as xp
from support.clauses import clause
from support.launching import run
from support.small_floats import DTYPES as SMALL
from support.statistics import PRODUCTS, STATISTICS, check_product, check_statistic

from support import clauses

F = np.array([[0.5, -1.25, 3.0], [2.0, 0.25, -0.5]])
P = np.abs(F)
UNIT = F / 4
I = np.array([[1, 7, 3], [4, 1, 6]])  # noqa: E741
B = np.array([[True, False, True], [False, False, True]])
C = F + 1j * F[::-1]
V = np.array([3, 1, 2, 3, 1])
INF, NAN = np.inf, np.nan


def names_of(row):
    """The names that the text of a row lists, after each "Heading:" of one or two words."""
    text = re.sub(r"\([^)]*\)", "", clauses.load()[row].requirement)
    return set(re.findall(r"\w+", re.sub(r"[A-Z][a-z]*( algebra)?:", "", text)))


def ours(value):
    """NumPy's arrays as HostArrays, in sequences too."""
    if type(value) is np.ndarray:
        return value.view(xp.HostArray)
    return type(value)(map(ours, value)) if type(value) in (tuple, list) else value


def check(found, expected):
    """The same values, every array of the type of the standard: no number of NumPy's."""
    if isinstance(expected, (tuple, list)):
        assert isinstance(found, (tuple, list))
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            check(one, other)
    elif isinstance(expected, (np.ndarray, np.generic)):
        assert type(found) is xp.HostArray
        assert found.dtype == expected.dtype
        assert found.shape == expected.shape
        assert np.array_equal(found, expected, equal_nan=expected.dtype.kind in "fc")
    else:
        assert type(found) is type(expected)
        assert found == expected


def check_calls(calls):
    """name: arguments and keywords, once in NumPy's arrays and once in ours."""
    for name, (*args, keywords) in calls.items():
        expected = getattr(np, name)(*args, **keywords)
        given = {key: ours(value) for key, value in keywords.items()}
        check(getattr(xp, name)(*ours(args), **given), expected)


UNARY = {
    **dict.fromkeys(("abs", "ceil", "floor", "negative", "positive", "round", "sign"), F),
    **dict.fromkeys(("square", "trunc", "isfinite", "isinf", "isnan", "signbit"), F),
    **dict.fromkeys(("acos", "asin", "atanh"), UNIT),
    **dict.fromkeys(("asinh", "atan", "cos", "cosh", "exp", "expm1", "sin", "sinh"), F),
    **dict.fromkeys(("tan", "tanh"), F),
    **dict.fromkeys(("log", "log1p", "log2", "log10", "sqrt"), P),
    "acosh": P + 1,
    "reciprocal": P,
    "bitwise_invert": I,
    "logical_not": B,
    **dict.fromkeys(("conj", "imag", "real"), C),
}
OF_FLOATS = (
    *("add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal"),
    *("hypot", "less", "less_equal", "logaddexp", "maximum", "minimum", "multiply", "nextafter"),
    *("not_equal", "remainder", "subtract"),
)
BINARY = {
    **dict.fromkeys(OF_FLOATS, (F, P[::-1])),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "pow"), (I, I[::-1])),
    **dict.fromkeys(("bitwise_left_shift", "bitwise_right_shift"), (I, I[::-1])),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), (B, B[::-1])),
}


@clause("DEV-AAPI-06")
def test_elementwise_functions():
    later = {"nextafter", "reciprocal"}  # 2024.12
    assert names_of("DEV-AAPI-06") | later == {*UNARY, *BINARY, "clip"}
    check_calls({name: (x, {}) for name, x in UNARY.items()})
    check_calls({name: (*xs, {}) for name, xs in BINARY.items()})
    check(xp.clip(ours(F), -1, max=1), np.clip(F, -1, 1))
    check(xp.clip(ours(F), max=ours(P)), np.minimum(F, P))
    # Integers stay integers, and numbers of Python take the array's dtype.
    assert xp.ceil(ours(I)).dtype == xp.int64
    small = xp.asarray([1, 2], dtype=xp.float32)
    assert (small + 1.5).dtype == xp.float32
    check(xp.multiply(small, xp.asarray(2.0, dtype=xp.float32)), np.float32([2, 4]))


# What the standard says of expm1 where NumPy has other values.
EXPM1 = [
    (complex(0.0, 0.0), complex(0.0, 0.0)),
    (complex(-0.0, 0.0), complex(0.0, 0.0)),
    (complex(INF, 0.0), complex(INF, 0.0)),
    (complex(-INF, 2.0), complex(-1.0, 0.0)),
    (complex(-INF, 4.0), complex(-1.0, -0.0)),
    (complex(INF, 2.0), complex(-INF, INF)),
    (complex(-INF, INF), complex(-1.0, 0.0)),
    (complex(-INF, NAN), complex(-1.0, 0.0)),
    (complex(INF, INF), complex(INF, NAN)),
    (complex(INF, NAN), complex(INF, NAN)),
    (complex(NAN, 0.0), complex(NAN, 0.0)),
    (complex(NAN, 2.0), complex(NAN, NAN)),
    (complex(2.0, INF), complex(NAN, NAN)),
]


@clause("DEV-AAPI-06")
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_expm1_of_complex_numbers(dtype):
    given, wanted = np.array(EXPM1, dtype).T
    for sign in (np.positive, np.conj):
        found = xp.expm1(xp.asarray(sign(given)))
        assert type(found) is xp.HostArray
        assert found.dtype == dtype
        for part in (np.real, np.imag):
            a, b = part(found), part(sign(wanted))
            assert np.array_equal(a, b, equal_nan=True)
            known = ~np.isnan(b)
            assert np.array_equal(np.signbit(a)[known], np.signbit(b)[known])
    near = np.array([1e-12 + 1e-12j, -1e-3 + 2j, 3 - 1j], dtype)
    assert np.array_equal(xp.expm1(xp.asarray(near)), np.expm1(near))
    assert xp.expm1(xp.asarray(near[0])).ndim == 0


@clause("DEV-AAPI-07")
def test_linear_algebra_and_manipulation():
    assert names_of("DEV-AAPI-07") <= {*xp.__all__}
    check_calls(
        {
            "matmul": (F, F.T, {}),
            "matrix_transpose": (F, {}),
            "tensordot": (F, F, {"axes": 2}),
            "vecdot": (F, F, {"axis": -1}),
            "broadcast_to": (F[0], (4, 3), {}),
            "concat": ([F, P], {"axis": 1}),
            "flip": (F, {"axis": 0}),
            "moveaxis": (F, 0, 1, {}),
            "permute_dims": (F, (1, 0), {}),
            "repeat": (F, 2, {"axis": 0}),
            "reshape": (F, (3, 2), {}),
            "roll": (F, 1, {"axis": 1}),
            "squeeze": (F[None], {"axis": 0}),
            "stack": ([F, P], {"axis": 1}),
            "tile": (F, (2, 1), {}),
            "unstack": (F, {"axis": 1}),
            "take": (F, np.array([2, 0]), {"axis": 1}),
        }
    )
    check(xp.expand_dims(ours(F)), F[None])
    check(xp.expand_dims(ours(F), axis=2), F[:, :, None])
    check(xp.broadcast_arrays(ours(F), ours(F[0])), [F, np.stack([F[0], F[0]])])
    check(xp.concat([ours(F), ours(P)], axis=None), np.concat([F, P], axis=None))
    assert np.shares_memory(xp.reshape(ours(F), (6,)), F)
    check(xp.matmul(ours(F[0]), ours(F[0])), F[0] @ F[0])


@clause("DEV-AAPI-07", "DEV-AAPI-08")
def test_what_2024_12_has_added():
    check_calls(
        {
            "cumulative_prod": (F, {"axis": 1, "include_initial": True}),
            "diff": (F, {"axis": 0, "prepend": F[:1], "append": F}),
            "take_along_axis": (F, np.argsort(F, axis=0), {"axis": 0}),
        }
    )
    check(xp.diff(ours(V), n=2), np.diff(V, 2))
    check(xp.diff(ours(F)), np.diff(F))
    check(xp.take_along_axis(ours(F), ours(I % 3)), np.take_along_axis(F, I % 3, -1))
    check(xp.count_nonzero(ours(B)), np.asarray(3))
    check(xp.count_nonzero(ours(B), axis=1, keepdims=True), np.array([[2], [1]]))
    assert xp.__array_api_version__ == "2024.12"


@clause("DEV-AAPI-09")
def test_extensions():
    text = clauses.load()["DEV-AAPI-09"].requirement
    for name in re.findall(r"\w+", text[text.index("(") + 1 : text.index(")")]):
        assert callable(getattr(xp.linalg, name))
    a, b = F @ F.T, np.array([1.0, 2.0])
    check(xp.linalg.solve(ours(a), ours(b)), np.linalg.solve(a, b))
    check(xp.linalg.det(ours(a)), np.linalg.det(a))
    check(xp.linalg.svd(ours(F)).S, np.linalg.svd(F).S)
    check(xp.fft.fft(ours(F)), np.fft.fft(F))
    check(xp.fft.irfft(xp.fft.rfft(ours(F[0])), n=3), np.fft.irfft(np.fft.rfft(F[0]), n=3))
    check(xp.fft.fftfreq(5, d=0.5, device="cpu"), np.fft.fftfreq(5, 0.5))
    check(xp.fft.rfftfreq(5), np.fft.rfftfreq(5))
    assert len(vars(xp.fft)) == 14


@clause("DEV-AAPI-08")
def test_searching_sets_sorting_statistics():
    assert names_of("DEV-AAPI-08") <= {*xp.__all__}
    check_calls(
        {
            "argmax": (F, {"axis": 1}),
            "argmin": (F, {}),
            "nonzero": (B, {}),
            "searchsorted": (np.array([1, 2, 3]), V, {"side": "right"}),
            "where": (B, F, P, {}),
            **{name: (V, {}) for name in ("unique_all", "unique_counts", "unique_inverse")},
            "unique_values": (V, {}),
            "cumulative_sum": (F, {"axis": 1, "include_initial": True}),
            **{name: (F, {"axis": 0, "keepdims": True}) for name in ("max", "min", "mean")},
            **{name: (F, {}) for name in ("prod", "sum")},
            "std": (F, {"correction": 1}),
            "var": (F, {"axis": 1, "correction": 0.5}),
            "all": (B, {"axis": 1}),
            "any": (B, {}),
        }
    )
    found = xp.unique_all(ours(V))
    assert [f.tolist() for f in found] == [[1, 2, 3], [1, 2, 0], [2, 0, 1, 2, 0], [2, 1, 2]]
    assert type(found.counts) is xp.HostArray
    check(xp.sort(ours(V)), np.array([1, 1, 2, 3, 3]))
    check(xp.sort(ours(F), axis=0, descending=True), np.sort(F, axis=0)[::-1])
    check(xp.argsort(ours(V)), np.array([1, 4, 2, 0, 3]))
    # Equal elements keep their order.
    check(xp.argsort(ours(V), descending=True), np.array([0, 3, 2, 1, 4]))
    check(xp.argsort(ours(I), axis=0, descending=True), np.array([[1, 0, 1], [0, 1, 0]]))
    about = xp.__array_namespace_info__()
    assert about.default_device() == "cpu"
    assert about.devices()[0] == "cpu"
    assert about.default_dtypes()["real floating"] == xp.float64
    assert about.dtypes(kind="bool") == {"bool": np.dtype(bool)}
    assert about.capabilities()["boolean indexing"] is True


@clause("DEV-AAPI-04")
def test_creation():
    assert names_of("DEV-AAPI-04") <= {*xp.__all__}
    check_calls(
        {
            "arange": (2, 11, 3, {"dtype": np.float32}),
            "eye": (3, 4, {"k": 1}),
            "linspace": (0.0, 1.0, 5, {"endpoint": False}),
            "ones": ((2, 3), {"dtype": np.int8}),
            "zeros": ((2, 0), {}),
            "full": ((3,), 2.5, {}),
            "ones_like": (I, {}),
            "zeros_like": (F, {"dtype": np.int16}),
            "full_like": (I, 7, {}),
            "tril": (F, {"k": 1}),
            "triu": (F, {}),
            "asarray": ([[1, 2], [3, 4]], {"dtype": np.complex64}),
        }
    )
    check(
        xp.meshgrid(ours(V), ours(I[0]), indexing="ij"), list(np.meshgrid(V, I[0], indexing="ij"))
    )
    check(xp.arange(4), np.arange(4))
    for nothing in (lambda: xp.arange(None), lambda: D.arange(None, device="cpu")):
        with pytest.raises(TypeError, match=r"arange\(\) expects numbers, found None"):
            nothing()
    assert [xp.empty(3).dtype, xp.empty_like(ours(I)).shape] == [xp.float64, (2, 3)]
    assert type(xp.empty((), dtype=xp.bool)) is xp.HostArray
    assert xp.full(2, True).dtype == xp.bool
    for device in ("cpu", D.core.Device("host"), None):
        assert xp.zeros(2, device=device).device == "cpu"
    with pytest.raises(ValueError, match=r"device.*cuda:99"):
        xp.zeros(2, device="cuda:99")
    a = xp.asarray(F)
    assert np.shares_memory(a, F)
    assert not np.shares_memory(xp.asarray(a, copy=True), F)
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(a, dtype=xp.float32, copy=False)
    assert np.shares_memory(xp.from_dlpack(a), F)
    assert not np.shares_memory(xp.from_dlpack(a, copy=True), F)


@clause("DEV-AAPI-05")
def test_dtypes_and_constants():
    assert (xp.e, xp.pi, xp.inf) == (np.e, np.pi, np.inf)
    assert xp.nan != xp.nan
    assert ours(F)[xp.newaxis].shape == (1, 2, 3)
    for name in ("int8", "int64", "uint8", "uint64", "float32", "float64", "complex64"):
        assert xp.zeros(1, dtype=getattr(xp, name)).dtype.name == name
    assert xp.zeros(1, dtype=xp.bool).dtype == bool
    check(xp.astype(ours(F), xp.int32), F.astype(np.int32))
    same = ours(F)
    assert xp.astype(same, xp.float64, copy=False) is same
    assert not np.shares_memory(xp.astype(same, xp.float64), F)
    assert xp.can_cast(xp.float32, xp.float64)
    assert not xp.can_cast(same, xp.float32)
    limits = xp.finfo(xp.complex64)
    assert (limits.eps, limits.max, limits.min) == (2.0**-23, 2.0**128 - 2.0**104, -limits.max)
    assert (limits.smallest_normal, limits.dtype) == (2.0**-126, xp.float32)
    assert all(type(x) is float for x in limits[1:5])
    assert xp.finfo(xp.float32).bits == xp.finfo(xp.zeros(1, dtype=xp.float32)).bits == 32
    assert xp.iinfo(ours(I)).max == xp.iinfo(xp.int64).max == 2**63 - 1
    assert xp.isdtype(same.dtype, "real floating")
    assert not xp.isdtype(xp.int8, ("bool", "complex floating"))
    assert xp.result_type(ours(I), xp.float32) == xp.float64


@clause("DEV-AAPI-01")
def test_attributes():
    a = xp.asarray(np.zeros((2, 3, 4), np.float32))
    assert (a.dtype, a.device, a.ndim, a.shape, a.size) == (xp.float32, "cpu", 3, (2, 3, 4), 24)
    assert a.mT.shape == (2, 4, 3)
    assert a[0].T.shape == (4, 3)
    assert type(a.mT) is type(a[0].T) is xp.HostArray


OPERATORS = (
    (F, ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge", "eq", "ne")),
    (I, ("and_", "or_", "xor", "lshift", "rshift", "pow")),
)
IN_PLACE = ("iadd", "isub", "imul", "ifloordiv", "imod", "iand", "ior", "ixor", "ilshift")


@clause("DEV-AAPI-02")
def test_operators():
    for array, names in OPERATORS:
        for name in names:
            call = getattr(operator, name)
            other = np.abs(array[::-1])
            check(call(ours(array), ours(other)), call(array, other))
            check(call(ours(array), 2), call(array, 2))
            check(call(2, ours(np.abs(array))), call(2, np.abs(array)))
    check(ours(F) @ ours(F.T), F @ F.T)
    check(ours(F[0]) @ ours(F[1]), F[0] @ F[1])
    for call in (operator.neg, operator.pos, abs):
        check(call(ours(F)), call(F))
    check(~ours(I), ~I)
    for name in (*IN_PLACE, "irshift", "ipow"):
        a, b = xp.asarray(I, copy=True), I.copy()
        kept = a
        a, b = (getattr(operator, name)(x, 2) for x in (a, b))
        assert a is kept
        check(a, b)
    a = xp.asarray(F, copy=True)
    a /= 2
    a @= xp.eye(3)
    check(a, F / 2)
    one = xp.asarray(3)
    assert (bool(one), int(one), float(one), complex(one)) == (True, 3, 3.0, 3 + 0j)
    assert [10, 20, 30, 40][one] == 40
    for what in (bool, int, float, complex, operator.index):
        with pytest.raises((TypeError, ValueError)):
            what(ours(F))
    assert f"{xp.asarray(2.5):.2f} {one:03d}" == "2.50 003"
    assert repr(ours(V)) == "HostArray([3, 1, 2, 3, 1])"


@clause("DEV-AAPI-01")
def test_what_they_are_written_as():
    """As NumPy writes its own arrays, whatever their elements."""
    record = np.dtype([("x", "i4"), ("y", "f4")])
    for plain in (
        *(F, I, B, C, F[0, 0], F[:0], np.array(["a", "bc"]), np.arange(2000.0)),
        *(np.zeros(3, ml_dtypes.bfloat16), np.ones((2, 2), ml_dtypes.float8_e4m3fn)),
        *(np.ones(2, ml_dtypes.float8_e5m2)[0], np.zeros(2, record), np.zeros((), record)),
    ):
        array = np.asarray(plain)
        text, expected = repr(array.view(xp.HostArray)), repr(array)
        assert text.startswith("HostArray(")
        assert text.split()[1:] == expected.split()[1:]
        assert text.split()[0] == "HostArray(" + expected.split()[0].removeprefix("array(")
        assert str(array.view(xp.HostArray)) == str(array)
        assert np.array2string(array.view(xp.HostArray)) == np.array2string(array)
    assert repr(xp.zeros((2, 1))) == "HostArray([[0.],\n           [0.]])"


SCALARS = {
    **dict.fromkeys(("all", "any", "argmax", "argmin", "max", "mean", "min", "prod"), ()),
    **dict.fromkeys(("std", "sum", "var", "trace", "squeeze", "copy", "cumsum", "nonzero"), ()),
    "take": (0,),
    "dot": (2.0,),
    "searchsorted": (0.5,),
    "choose": ([F[0], P[0]],),
    "round": (1,),
    "clip": (0, 1),
    "repeat": (2,),
}


@clause("DEV-AAPI-10")
def test_methods_of_numpys_give_arrays_too():
    """No number of NumPy's: of a whole array, of a row, of an element."""
    seen = set()
    for name, args in SCALARS.items():
        for array in (F, F[0], F[0, :1], F[:1, 0], np.array(0.5), np.array(0), np.array([0, 1, 0])):
            try:
                expected = getattr(array, name)(*args)
            except (TypeError, ValueError, IndexError):
                continue
            check(getattr(ours(array), name)(*ours(args)), expected)
            seen.add(name)
    assert seen == {*SCALARS}


@clause("DEV-AAPI-06", "DEV-AAPI-08")
@pytest.mark.parametrize("kind", [np.ndarray, xp.HostArray])
def test_where_results_are_stored_is_given_back(kind):
    a = ours(F)
    calls = {
        "sum": lambda out: np.sum(a, axis=0, out=out),
        "sum by place": lambda out: np.sum(a, 0, None, out),
        "mean": lambda out: np.mean(a, axis=0, out=out),
        "concatenate": lambda out: np.concatenate([a[0, :1], a[1, 1:]], out=out),
        "clip": lambda out: np.clip(a[0], 0, 1, out=out),
        "take": lambda out: np.take(a, 1, 0, out),
        "method sum": lambda out: a.sum(0, out=out),
        "method mean": lambda out: a.mean(0, None, out),
        "method std": lambda out: a.std(0, out=out),
        "method take": lambda out: a.take(0, 0, out),
        "method cumsum": lambda out: a[0].cumsum(out=out),
        "method round": lambda out: a[0].round(0, out),
        "ufunc": lambda out: np.add(a[0], 1, out=out),
        "reduce": lambda out: np.add.reduce(a, 0, out=out),
        "of the namespace": lambda out: xp.add(a[0], a[1], out=out),
        "sum of the namespace": lambda out: xp.sum(a, axis=0, out=out),
    }
    for name, call in calls.items():
        wanted, out = np.empty(3), np.empty(3).view(kind)
        assert call(out) is out, name
        call(wanted)
        assert np.array_equal(out, wanted), name
    # What is given back unchanged is the array itself.
    assert np.atleast_1d(a) is a
    assert [x is a for x in np.atleast_1d(a, F)] == [True, False]


@clause("DEV-AAPI-05", "DEV-AAPI-07")
def test_what_the_standard_does_not_permit():
    with pytest.raises(TypeError, match="elements of complex128 have no value in float64"):
        xp.astype(ours(C), xp.float64)
    check(xp.astype(ours(C), xp.bool), C.astype(bool))
    row = ours(F[0])
    for spread in (xp.broadcast_to(row, (2, 3)), xp.broadcast_arrays(row, ours(F))[0]):
        with pytest.raises(ValueError, match="read-only"):
            spread[0, 0] = 1
    one, other = xp.broadcast_arrays(ours(F.copy()), 2.0)
    one[0, 0] = 7
    assert float(one[0, 0]) == 7
    assert other.shape == one.shape


@clause("DEV-AAPI-10")
def test_functions_of_numpys_that_the_standard_lacks():
    """xarray asks the namespace for them."""
    window = np.lib.stride_tricks.sliding_window_view
    check(xp.lib.stride_tricks.sliding_window_view(ours(F), 2, axis=1), window(F, 2, axis=1))
    check_calls(
        {
            "pad": (F, 1, {"mode": "edge"}),
            "quantile": (F, 0.3, {"axis": 0}),
            "einsum": ("ij,ij->i", F, P, {}),
            "fmax": (F, P, {}),
            "modf": (F, {}),
            "geomspace": (1, 8, 4, {}),
            "isclose": (F, P, {}),
            **{f"{name}_like": (F, {"shape": (2, 2)}) for name in ("ones", "zeros")},
            "full_like": (F, 7, {"shape": 3}),
        }
    )
    assert xp.empty_like(ours(F), shape=(4, 1)).shape == (4, 1)
    assert xp.pad is xp.pad
    for name in ("bool_", "ndarray", "load", "issubdtype", "pads", "__path__"):
        with pytest.raises(AttributeError, match=f"array_api' has no attribute '{name}'"):
            getattr(xp, name)


def test_functions_say_whose_parameters_they_have():
    for name in ("sin", "sum", "linalg.inv", "concat", "pad"):
        text = operator.attrgetter(name)(xp).__doc__
        assert text.startswith("numpy.")
        first = text.split("\n\n")[0]
        assert first.endswith(
            "() of HostArrays, with all of its parameters, described below; of Arrays with those "
            "that the standard has."
        )


@clause("DEV-AAPI-03", "DEV-AAPI-10")
def test_methods_and_elements():
    a = xp.asarray(F, copy=True)
    for version in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        assert a.__array_namespace__(api_version=version) is xp
    with pytest.raises(ValueError, match=r"api_version='2019.12'; this is the Array API of '2021"):
        a.__array_namespace__(api_version="2019.12")
    assert a.to_device("cpu") is a
    assert a.to_device(D.core.Device("host"), stream=None) is a
    with pytest.raises(ValueError, match=r"to_device\(\) expects no stream of the host, found 1"):
        a.to_device("cpu", stream=1)
    with pytest.raises(ValueError, match="no device 'cuda:9'"):
        a.to_device("cuda:9")
    assert a.__dlpack_device__() == (1, 0)
    assert np.shares_memory(np.from_dlpack(a), a)
    for index in ((0, 0), (1, -1)):
        element = a[index]
        assert type(element) is xp.HostArray
        assert (element.ndim, element.shape, element.size) == (0, (), 1)
        assert float(element) == F[index]
        assert np.shares_memory(element, a)
    assert type(xp.asarray(V)[2]) is type(xp.asarray(4)[()]) is xp.HostArray
    for index in (0, slice(1), (..., 0), None, (slice(None), xp.asarray([0, 2])), a > 0):
        plain = index.view(np.ndarray) if isinstance(index, np.ndarray) else index
        check(a[index], F[plain])
    a[0, 0] = 9
    a[1] = xp.asarray([1.0, 2.0, 3.0])
    a[a == 9] = 8
    check(a, np.array([[8, -1.25, 3.0], [1, 2, 3]]))
    for step, row in enumerate(a):
        check(row, a.view(np.ndarray)[step])


@D.struct
class Pair:
    first: D.float32
    size: D.int32


@clause("DEV-AAPI-10")
def test_elements_of_structs_and_vectors_have_their_fields():
    """As those of NumPy's arrays of them, and in the array's memory."""
    a, pairs = xp.zeros(2, dtype=D.float32x2), xp.zeros((1, 2), dtype=Pair)
    a[0].y = 3
    pairs[0, 1].first = 5
    assert a.view(np.ndarray)[0].y == float(a[0].y) == 3
    assert pairs["first"].tolist() == [[0, 5]]
    assert pairs[0, 1].size == 1  # an array's, as of numpy.recarray
    with pytest.raises(AttributeError):
        pairs[0, 1].size = 1
    assert type(a[0].x) is xp.HostArray
    for array, name in ((a, "x"), (a[:1], "x"), (a[0], "z"), (xp.zeros((), dtype="f4,f4"), "f0")):
        with pytest.raises(AttributeError, match=f"'HostArray' object has no attribute '{name}'"):
            getattr(array, name)
        with pytest.raises(AttributeError):
            setattr(array, name, 1)
    with pytest.raises(AttributeError, match="CUDA_DEVICE_HOST_CAI=1"):
        a.__cuda_array_interface__  # noqa: B018


@D.kernel
def scaled(out, a, factor):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i] * factor


@clause("DEV-ARR-02")
def test_kernels_and_numpy_take_them(target):
    a = xp.linspace(0.0, 1.0, 33)
    out = xp.zeros_like(a)
    assert out.__array_interface__["data"][0] % 256 == 0
    run(scaled, out[::-1], a, 2.0, grid=2, block=32)
    check(out, np.linspace(0, 1, 33)[::-1] * 2.0)
    # Through NumPy's own functions they stay what they are.
    for found in (np.where(a > 0, a, 0), np.linalg.norm(a), np.sum(a), np.concatenate([a, out])):
        assert type(found) is xp.HostArray
    assert type(np.asarray(a)) is np.ndarray
    assert memoryview(a).nbytes == a.nbytes
    for again in (pickle.loads(pickle.dumps(a)), copy.copy(a), copy.deepcopy(a)):
        check(again, a.view(np.ndarray))
    assert type(D.zeros(3, device="cpu")) is np.ndarray


def test_every_name_of_the_module_is_there():
    assert {name for name in xp.__all__ if not hasattr(xp, name)} == set()
    assert len(set(xp.__all__)) == len(xp.__all__)


@clause("DEV-AAPI-07", "DEV-AAPI-08")
@pytest.mark.parametrize("name", SMALL)
def test_narrow_floats_are_accumulated_in_float32(name):
    """And rounded once, under all names: NumPy's own sum of ones in bfloat16 ends at 256."""
    dtype = SMALL[name]
    for call in STATISTICS:
        named = [getattr(xp, call)]
        if call != "cumulative_sum":
            named += [getattr(np, call), getattr(xp.HostArray, call)]
        for function in named:
            check_statistic(lambda x, axis, f=function: f(ours(x), axis=axis), call, dtype)
    for call in PRODUCTS:
        function = getattr(xp, call)
        check_product(lambda a, b, f=function, **axes: f(ours(a), ours(b), **axes), call, dtype)
    for product in (lambda a, b: ours(a) @ ours(b), lambda a, b: a @ ours(b)):
        check_product(product, "matmul", dtype)
    x = ours(np.ones((3, 4), dtype))
    assert xp.sum(x, axis=0, keepdims=True).shape == (1, 4)
    assert xp.sum(x, dtype=xp.float64).dtype == xp.float64
    assert xp.prod(x).dtype == xp.mean(x).dtype == dtype
    check_spellings(dtype)


def check_spellings(dtype):
    """However it is asked for, and stored to an array too."""
    count = min(5000, int(float(ml_dtypes.finfo(dtype).max)))
    ones = ours(np.ones((count, 2), dtype))
    exact = np.float32(count).astype(dtype)
    column, both = ones[:, 0], np.full(2, exact, dtype)
    out, one = xp.zeros(2, dtype=dtype), xp.zeros((), dtype=dtype)
    stored = {
        "sum": lambda: np.sum(ones, axis=0, out=out),
        "by place": lambda: np.sum(ones, 0, None, out),
        "method": lambda: ones.sum(0, out=out),
        "method by place": lambda: ones.sum(0, dtype, out),
        "reduce": lambda: np.add.reduce(ones, out=out),
        "reduce by place": lambda: np.add.reduce(ones, 0, dtype, out),
        "xp": lambda: xp.sum(ones, axis=0, out=out),
        "matmul": lambda: xp.matmul(column, ones, out=out),
        "matmul by place": lambda: np.matmul(column, ones, out),
        "dot": lambda: np.dot(column, ones, out),
        "method dot": lambda: column.dot(ones, out=out),
    }
    for name, call in stored.items():
        out[...] = 0
        assert call() is out, name
        assert np.array_equal(out, both), name
    given = {
        "reduce": lambda: np.add.reduce(ones),
        "reduce by place": lambda: np.add.reduce(ones, 0, None),
        "dtype by place": lambda: np.sum(ones, 0, dtype),
        "accumulate": lambda: np.add.accumulate(ones)[-1, ...],
        "reduceat": lambda: np.add.reduceat(ones, [0])[0],
        "reduceat by place": lambda: np.add.reduceat(ones, [0], 0, dtype)[0],
        "tensordot": lambda: np.tensordot(column, ones, 1),
        "vecdot": lambda: np.vecdot(ones.T, column),
        "inner": lambda: np.inner(column, ones.T),
    }
    for name, call in given.items():
        assert type(call()) is xp.HostArray, name
        assert call().dtype == dtype, name
        assert np.array_equal(call(), both), name
    square = xp.broadcast_to(xp.asarray(np.ones((), dtype)), (count, count))
    for function in (np.trace, xp.HostArray.trace, xp.linalg.trace):
        assert function(square) == exact
    assert np.multiply.reduce(ones[:5] * ones[0]).dtype == dtype
    assert np.vdot(column, column) == np.add.reduce(column, out=one) == exact
    assert np.sum(column, out=xp.zeros((), dtype=xp.float32)) == count
    assert np.sum(column, dtype=dtype, out=xp.zeros(())) == exact
    with pytest.raises(ValueError, match="out"):
        np.sum(ones, axis=0, out=one)
    with pytest.raises(TypeError, match="same_kind"):
        np.sum(ones, axis=0, dtype=dtype, out=xp.zeros(2, dtype=xp.int32))


@clause("DEV-AAPI-05")
@pytest.mark.parametrize("name", SMALL)
def test_floats_that_numpy_has_not_are_floats(name):
    dtype = SMALL[name]
    a = xp.asarray(np.ones(2, dtype))
    for same in (dtype, dtype.type):
        for kind in ("real floating", "numeric", dtype, dtype.type, ("bool", "numeric")):
            assert xp.isdtype(same, kind) is True
        for kind in ("integral", "bool", np.dtype("f4"), np.float32, ()):
            assert xp.isdtype(same, kind) is False
    for other in (xp.float32, np.dtype("i4")):
        assert xp.isdtype(other, (dtype.type, "numeric")) is True
        assert xp.isdtype(other, (dtype, "bool")) is False
    with pytest.raises(ValueError, match="not a known kind"):
        xp.isdtype(dtype, "floating")
    found, known = xp.finfo(dtype), ml_dtypes.finfo(dtype)
    assert found == xp.finfo(a)
    assert (found.bits, found.dtype) == (8 * dtype.itemsize, dtype)
    assert (found.eps, found.max, found.min) == (known.eps, known.max, known.min)
    assert type(found.eps) is float
    with pytest.raises(ValueError, match="integer"):
        xp.iinfo(dtype)
    for other in (1, 1.0, 1j, True, xp.asarray(np.ones(2, np.float32)), xp.ones(2)):
        assert xp.result_type(a, other) == xp.result_type(other, dtype) == (a + other).dtype


# ------------------------------------------------------------------------- work that is queued


@D.kernel
def store_sevens_later(a, flag):
    while D.atomic_ref(flag, 0).load("acquire") == 0:
        pass
    a[D.tid(1)] = 7


@contextlib.contextmanager
def queued(a, seconds):
    """Sevens are stored to the array so much later; gives the flag."""
    flag, stream = np.zeros(1, np.int32), core.Device("host").create_stream()
    D.launch(store_sevens_later, a, flag, grid=1, block=a.size, stream=stream)
    timer = threading.Timer(seconds, lambda: D.atomic_ref(flag, 0).store(1, "release"))
    timer.start()
    try:
        yield flag
    finally:
        timer.join()
        stream.sync()


READING = {
    "to_host": D.to_host,
    "asarray": lambda a: D.asarray(a, copy=True),
    "asarray dtype": lambda a: D.asarray(a, np.int32),
    "asarray list": lambda a: D.asarray([a, a]),
    "asarray element": lambda a: xp.asarray([[a[-1]], [7]]),
    "asarray lists": lambda a: xp.asarray([[[1.0], a[:1]], [a[1:2], (2.0,)]])[[0, 1], [1, 0]],
    "asarray tuple": lambda a: D.asarray((np.ones(4), a, [2, 2, 2, 2]))[1],
    "asarray long": lambda a: xp.asarray([0.0] * 99 + [a[0, ...]])[99],
    "element of a matrix": lambda a: np.array(a.reshape(2, 2)[1, -1]),
    "element by NumPy's number": lambda a: np.array(a[np.int64(1)]),
    "np.array": lambda a: np.array([a[-1]]),
    "np.array complex": lambda a: np.array([a[-1]], complex),
    "stored to NumPy's": lambda a: stored_to_numpys(a[-1]),
    "full": lambda a: D.full(2, a[-1]),
    "full of a view": lambda a: D.full(2, a[0, ...]),
    "xp.full": lambda a: xp.full((), a[0, ...]),
    "xp.full_like": lambda a: xp.full_like(a, a[0, ...]),
    "xp.flip": lambda a: xp.flip([a[:2], a[2:]]),
    "xp.unstack": lambda a: xp.unstack(a)[-1],
    "xp.broadcast_arrays": lambda a: xp.broadcast_arrays([a, a], 7.0)[0],
    "xp.arange": lambda a: xp.arange(a[0, ...])[-1] + 1,
    "xp.linspace": lambda a: xp.linspace(a[0, ...], a[1, ...], 3),
    "of a view": lambda a: a[::-1].ravel(),
    "ravel": lambda a: a.reshape(2, 2).T.ravel(),
    "reshape": lambda a: a.reshape(2, 2).T.reshape(-1),
    "reshape order": lambda a: a.reshape(2, 2).reshape(-1, order="F"),
    "reshape copy": lambda a: a.reshape(-1, copy=True),
    "flat": lambda a: a.flat[-1],
    "records": lambda a: 7 * (a.view([("x", "f8")]) == np.full(4, 7.0).view([("x", "f8")])),
    "xp.asarray": lambda a: xp.asarray(a, copy=True),
    "from_dlpack": lambda a: xp.from_dlpack(a, copy=True),
    "to_device": lambda a: a.to_device("cpu"),
    "pickle": lambda a: pickle.loads(pickle.dumps(a)),
    "pickle 5": lambda a: pickle.loads(pickle.dumps(a, 5)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "[[]]": lambda a: a[[0, 1]],
    "mask": lambda a: a[np.array([True, True, False, False])],
    "float": lambda a: float(a[0]),
    "bool": lambda a: 7 * bool(a[0]),
    "complex": lambda a: complex(a[0]),
    "repr": lambda a: 7 * ("7" in repr(a)),
    "str": lambda a: 7 * ("7" in str(a)),
    "format": lambda a: float(f"{a[0]:.1f}"),
    "in": lambda a: 7 * (7 in a),
    "add": lambda a: a + 0,
    "reflected": lambda a: 14 - a,
    "matmul": lambda a: a @ a / 28,
    "np.add": lambda a: np.add(a, 0),
    "reduce": lambda a: np.add.reduce(a) / 4,
    "equal": lambda a: 7 * (a == 7),
    "np.sum": lambda a: np.sum(a) / 4,
    **{name: operator.methodcaller(name) for name in ("max", "mean", "copy", "tolist", "flatten")},
    "astype": lambda a: a.astype(int),
    "tobytes": lambda a: np.frombuffer(a.tobytes()),
    "xp.max": lambda a: xp.max(a),
    "xp.sort": lambda a: xp.sort(a),
    "xp.argsort": lambda a: 7 + 0 * xp.argsort(a - 7, descending=True),
    "xp.astype": lambda a: xp.astype(a, xp.int8),
    "xp.clip": lambda a: xp.clip(a, 0, 9),
    "xp.concat": lambda a: xp.concat([a, a]),
    "xp.count_nonzero": lambda a: 7 * (xp.count_nonzero(a) == 4),
    "xp.diff": lambda a: 7 + xp.diff(a, prepend=7),
    "xp.expm1": lambda a: 7 * (xp.expm1(a) > 1),
    "xp.pad": lambda a: xp.pad(a, 1, mode="edge"),
    "xp.meshgrid": lambda a: xp.meshgrid(a, a)[0],
    "xp.take_along_axis": lambda a: xp.take_along_axis(a, np.zeros(1, int)),
    "xp.where": lambda a: xp.where(a > 1, a, 0),
}


def stored_to_numpys(element):
    made = np.zeros(2)
    made[:] = element
    return made


@clause("DEV-AAPI-03")
@pytest.mark.parametrize("name", READING)
def test_functions_wait_for_what_is_queued(on_the_host, name):
    a = xp.zeros(4)
    with queued(a, 0.01):
        found = READING[name](a)
    assert np.all(np.asarray(found) == 7)


# What only looks at an array or gives a view; what this class does itself; what waits in part.
LOOKS = (
    *("T", "base", "ctypes", "device", "diagonal", "dtype", "flags", "getfield", "itemsize", "mT"),
    *("nbytes", "ndim", "setflags", "shape", "size", "squeeze", "strides", "swapaxes"),
    *("transpose", "view", "__array_finalize__", "__array_interface__", "__array_priority__"),
    *("__array_struct__", "__buffer__", "__class_getitem__", "__dlpack_device__", "__doc__"),
    *("__hash__", "__iter__", "__len__", "__new__", "__sizeof__", "__array_wrap__"),
    *("__array_function__", "__array_namespace__", "__array_ufunc__", "__getitem__", "__dlpack__"),
    *("imag", "ravel", "real", "reshape", "to_device"),
)


@clause("DEV-AAPI-03")
def test_every_method_of_numpys_waits_that_is_not_known_to_look_only(on_the_host, monkeypatch):
    """So one that is forgotten, or that a later NumPy adds, waits."""
    seen = []
    monkeypatch.setattr(_host_arrays, "wait", lambda: seen.append(True))
    a, silent = xp.zeros(4), set()
    for name, found in vars(np.ndarray).items():
        seen.clear()
        for args in ((), (7,)):
            with contextlib.suppress(Exception), np.errstate(all="ignore"):
                got = getattr(a, name)
                if callable(found):
                    got(*args)  # it waits before it sees that they are wrong
        if not seen:
            silent.add(name)
    assert silent - {*LOOKS} == set()
    for name in ("real", "imag", "flat"):
        seen.clear()
        with contextlib.suppress(TypeError):
            setattr(a, name, 3)
        assert seen, name


@clause("DEV-AAPI-03")
def test_writing_waits_and_views_do_not(on_the_host):
    stores = (
        lambda a: a.setfield(3, "f8"),
        lambda a: setattr(a, "real", 3),
        lambda a: setattr(a, "flat", 3),
        lambda a: operator.setitem(a.flat, slice(None), 3),
        lambda a: a.sort(),
    )
    for store in stores:
        a = xp.asarray([4.0, 3, 2, 1])
        with queued(a, 0.01):
            store(a)
        assert a.tolist() in ([3] * 4, [7] * 4)
        assert (a[0] == 7) == (store is stores[-1])
    a = xp.zeros(4)
    with queued(a, 0.01):
        a[0] = 1
        assert a.tolist() == [1, 7, 7, 7]
    with queued(a, 0.01):
        a += 1
        assert a.tolist() == [8, 8, 8, 8]
    with queued(a, 0.01):
        a.fill(3)
    assert a.tolist() == [3, 3, 3, 3]
    with queued(a, 0.5) as flag:
        views = [a[1:], a[0, ...], a[..., None], a.T, xp.flip(a), xp.permute_dims(a, (0,))]
        views += [a.real, a.ravel(), a.reshape(2, 2), a.reshape(2, 2).T.reshape(2, 1, 2)]
        views += [a.reshape(-1, order="F"), a.reshape(2, -1, copy=False), a.view(), a.squeeze()]
        views += [xp.broadcast_to(a, (2, 4)), xp.expand_dims(a), xp.asarray(a), D.asarray(a)]
        assert flag[0] == 0
    assert all(np.all(view == 7) for view in views)


@clause("DEV-ARR-02")
def test_arrays_of_numpy_are_copied_when_what_is_queued_is_done(on_the_host):
    """By functions of ours; NumPy's own read them as they are."""
    for read in (D.to_host, lambda a: D.asarray(a, copy=True), lambda a: D.asarray(a, np.int32)):
        a = D.zeros(4, device="cpu")
        with queued(a, 0.01):
            assert read(a).tolist() == [7, 7, 7, 7]
