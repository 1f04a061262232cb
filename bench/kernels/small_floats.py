"""Arrays of 16-bit floats as their own types: bfloat16, which NumPy lacks, comes as uint16."""

import numpy as np
from cuda import device as D


def as_small_floats(values, *names):
    bits = {name: values[name] for name in names if values[name].dtype == np.uint16}
    return values | {name: array.view(D.bfloat16) for name, array in bits.items()}
