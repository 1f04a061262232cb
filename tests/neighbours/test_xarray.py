"""xarray over HostArrays gives what it gives over NumPy's arrays, and HostArrays."""

import numpy as np
import pytest
from cuda.device import array_api as xp

from neighbours.packages import needs

xarray = needs("xarray")


def assigned(a):
    a = a.copy()
    a[0] = 7
    a.loc[{"x": 1}] = 3
    return a


OPERATIONS = {
    "shift": lambda a: a.shift(x=1),
    "shift back": lambda a: a.shift(x=-1, fill_value=0),
    "roll": lambda a: a.roll(x=1),
    "rolling sum": lambda a: a.rolling(x=2).sum(),
    "rolling mean": lambda a: a.rolling(x=3, center=True, min_periods=1).mean(),
    "rolling median": lambda a: a.rolling(x=2).median(),
    "rolling windows": lambda a: a.rolling(x=2).construct("window"),
    "pad": lambda a: a.pad(x=1),
    "pad edge": lambda a: a.pad(x=(1, 2), mode="edge"),
    "coarsen": lambda a: a.coarsen(x=2).mean(),
    **{
        name: lambda a, name=name: getattr(a, name)("x")
        for name in (
            *("all", "any", "argmax", "argmin", "count", "cumprod", "cumsum", "max", "mean"),
            *("median", "min", "prod", "std", "sum", "var", "diff", "differentiate"),
            *("cumulative_integrate", "integrate"),
        )
    },
    "quantile": lambda a: a.quantile(0.3, "x"),
    "where": lambda a: a.where(a > 1),
    "fillna": lambda a: a.where(a > 1).fillna(5),
    "interpolate_na": lambda a: a.where(a != 4).interpolate_na("x"),
    "clip": lambda a: a.clip(1, 2),
    "round": lambda a: (a / 3).round(1),
    "isin": lambda a: a.isin([1, 2]),
    "isel": lambda a: a.isel(x=[0, 2]),
    "sel": lambda a: a.sel(x=1.2, method="nearest"),
    "sortby": lambda a: a.sortby("x", ascending=False),
    "groupby": lambda a: a.groupby_bins("x", [0, 1.5, 4]).sum(),
    "concat": lambda a: xarray.concat([a, a], "x"),
    "unstack": lambda a: a.stack(z=("x", "y")).unstack("z"),
    "dot": lambda a: xarray.dot(a, a, dim="x"),
    "cross": lambda a: xarray.cross(a, a + 1, dim="y"),
    "cov": lambda a: xarray.cov(a, a * 2, "x"),
    "polyfit": lambda a: a.polyfit("x", 1).polyfit_coefficients,
    "weighted": lambda a: a.weighted(xarray.DataArray(np.ones(4), dims="x")).mean("x"),
    "sin": lambda a: np.sin(a) + xarray.ufuncs.cos(a),
    "apply_ufunc": lambda a: xarray.apply_ufunc(lambda each: each * 2, a),
    "assignment": assigned,
    "copy": lambda a: a.copy(deep=True),
}


def data_array(values):
    coordinates = {"x": np.arange(4.0), "y": np.arange(3)}
    return xarray.DataArray(values, dims=("x", "y"), coords=coordinates)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name):
    values = np.arange(12.0).reshape(4, 3)
    wanted = OPERATIONS[name](data_array(values.copy()))
    found = OPERATIONS[name](data_array(xp.asarray(values, copy=True)))
    assert type(found.data) is xp.HostArray
    xarray.testing.assert_identical(found.as_numpy(), wanted)
