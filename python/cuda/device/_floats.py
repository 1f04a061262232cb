"""What is true of floating-point formats, those of ml_dtypes too, of which NumPy knows little.

A sum, product or mean of a format narrower than float32 is accumulated in float32 and rounded once,
on the host and on GPUs: in bfloat16 a sum of ones would end at 256.
"""

from typing import Any

import numpy as np

__all__ = ["OF_ML_DTYPES", "accumulator", "finfo", "is_of_ml_dtypes", "is_wide", "kind_of", "named"]

# Floats that NumPy has not: their names in kernels, and in ml_dtypes.
OF_ML_DTYPES = {
    "bfloat16": "bfloat16",
    "float8e4m3": "float8_e4m3fn",
    "float8e5m2": "float8_e5m2",
}


def named(name: str) -> Any:
    """The class of a name in OF_ML_DTYPES. Importing ml_dtypes takes long, and few need it."""
    import ml_dtypes

    return getattr(ml_dtypes, OF_ML_DTYPES[name])


def is_of_ml_dtypes(dtype: "np.dtype[Any]") -> bool:
    """Whether it is bfloat16, a float of 8 bits or another float that NumPy has not."""
    if dtype.isbuiltin != 2:
        return False
    import ml_dtypes

    try:
        ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    except ValueError:
        return False
    return True


def kind_of(dtype: "np.dtype[Any]") -> str:
    """NumPy's letter of the kind, "f" for every float."""
    return "f" if is_of_ml_dtypes(dtype) else dtype.kind


def accumulator(dtype: "np.dtype[Any]") -> "np.dtype[Any]":
    """The format in which elements of a dtype are summed: float32 for narrower floats."""
    return dtype if is_wide(dtype) else np.dtype(np.float32)


def is_wide(dtype: "np.dtype[Any]") -> bool:
    """Whether sums of a dtype are accumulated in itself."""
    return dtype != np.float16 and not is_of_ml_dtypes(dtype)


def finfo(dtype: "np.dtype[Any]") -> Any:
    """NumPy's finfo, of floats of ml_dtypes too."""
    if not is_of_ml_dtypes(dtype):
        return np.finfo(dtype)
    import ml_dtypes

    return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
