from cuda import device as D

from .nbody import nbody

nbody_fastmath = D.kernel(fastmath=True)(nbody.underlying)
