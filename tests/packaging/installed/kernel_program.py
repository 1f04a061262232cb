"""Runs a kernel of one's own from wherever this file lies, and prints what was used."""

import json

import numpy as np
from cuda import device


@device.kernel
def squares(out):
    i = device.tid(1)
    if i < out.size:
        out[i] = i * i


out = np.zeros(1000, np.int32)
device.launch(squares, out, grid=8, block=128)
assert (out == np.arange(1000) ** 2).all()
ptx = squares.inspect(out, what="ptx")
assert ".entry" in ptx
print(json.dumps({"file": device.__file__, "version": device.__version__}))
