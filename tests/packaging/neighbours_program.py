"""neighbours_program.py MODULE...: imports the modules in this order, then compiles with each."""

import importlib
import sys

import numpy as np


def use_numba(numba):
    assert numba.njit(lambda x: x * 2 + 1)(20) == 41


def use_torch(torch):
    assert float(torch.arange(100.0).sum()) == 4950


def use_jax(jax):
    assert float(jax.jit(lambda x: (x * x).sum())(np.arange(4.0, dtype=np.float32))) == 14


def use_device(device):
    @device.kernel
    def squares(out):
        i = device.tid(1)
        if i < out.size:
            out[i] = i * i

    out = np.zeros(1000, np.int32)
    device.launch(squares, out, grid=8, block=128)
    assert (out == np.arange(1000) ** 2).all()


USES = {"numba": use_numba, "torch": use_torch, "jax": use_jax, "cuda.device": use_device}

if __name__ == "__main__":
    modules = {name: importlib.import_module(name) for name in sys.argv[1:]}
    for name, module in modules.items():
        USES[name](module)
        print(name)
