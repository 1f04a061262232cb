import numpy as np
from cuda import device as D

from .small_floats import as_small_floats


def viewed(values):
    values = as_small_floats(values, "out", "x", "y")
    return values | {"a": np.asarray(values["a"]).astype(values["x"].dtype)[()]}


@D.kernel
def axpy_small(out, x, y, a):
    i = D.tid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]
