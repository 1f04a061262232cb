"""As much of CuPy as test_gpu_neighbours.py uses, on the tests' driver: arrays of ours, whose
arithmetic waits for the current stream and is the host's."""

from types import SimpleNamespace

from cuda import device
from cuda.device import _core, core

within = []  # streams that are current, the innermost last


class Stream:
    def __init__(self, non_blocking=True, ours=None):
        self.ours = ours or _core.create_stream(0)

    def __cuda_stream__(self):
        return 0, self.ours.handle

    @staticmethod
    def from_external(stream):
        return Stream(ours=core.Stream.from_handle(stream.__cuda_stream__()[1]))

    def __enter__(self):
        within.append(self)
        return self

    def __exit__(self, *_):
        within.pop()

    def synchronize(self):
        self.ours.sync()

    def record(self):
        return self.ours.record()

    def wait_event(self, event):
        self.ours.wait(event)


def current():
    return within[-1] if within else Stream(ours=_core.default_stream(0))


class ndarray:
    def __init__(self, array):
        self.array = array

    def _become(self, function):
        current().synchronize()
        self.array[...] = function(device.to_host(self.array))
        return self

    def __iadd__(self, number):
        return self._become(lambda a: a + number)

    def __isub__(self, number):
        return self._become(lambda a: a - number)

    def __imul__(self, number):
        return self._become(lambda a: a * number)

    def __getitem__(self, index):
        return ndarray(self.array[index])

    def reshape(self, extent):
        return ndarray(self.array.reshape((self.array.size,) if extent == -1 else extent))

    def __dlpack__(self, **options):
        current().synchronize()
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def asarray(what):
    return ndarray(device.asarray(what, device="cuda:0"))


from_dlpack = ndarray


def asnumpy(made):
    return device.to_host(made.array)


cuda = SimpleNamespace(Stream=Stream, get_current_stream=current)
