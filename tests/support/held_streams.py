"""Streams of NumbaPro's dialect whose work waits until a test releases it."""

import contextlib

import numpy as np
from cuda import device
from cuda.device import core
from cuda.device.numbapro import cuda


@device.kernel
def waits_for(flag):
    while device.atomic_ref(flag, 0).load("acquire") == 0:
        pass


class Held:
    """A stream whose work goes on when it is released.

    free: the default stream does not wait for it, nor it for that.
    """

    def __init__(self, free=False) -> None:
        self.own = core.Device("host").create_stream() if free else None
        self.stream = cuda.external_stream(self.own.handle) if free else cuda.stream()
        self.flag = np.zeros(1, np.int32)
        device.launch(waits_for, self.flag, grid=1, block=1, stream=self.stream)

    def release(self) -> None:
        device.atomic_ref(self.flag, 0).store(1, "release")


@contextlib.contextmanager
def held(free=False):
    one = Held(free)
    try:
        yield one
    finally:
        one.release()
        one.stream.synchronize()
