"""A problem's arrays in the memory of GPU 0, and what contestants need to work on them."""

from dataclasses import dataclass

from cuda import device
from cuda.device import _core

DEVICE = "cuda:0"


def stream():
    """A new stream of GPU 0, in whose context this thread is from now on. One of our own, where
    core.Device(0) is cuda.core's object too: its events are wanted."""
    _core.set_current_device(0)
    return _core.create_stream(0)


def wait():
    """For all that our streams of GPU 0 have to do."""
    _core.sync_device(0)


@dataclass
class GpuArguments:
    """A problem's arrays on the GPU, by name, and the stream in which all contestants run."""

    arrays: dict
    stream: object
    cubins: object = None  # folder of what nvcc made

    @property
    def handle(self):
        return self.stream.handle

    def pointer(self, name):
        return self.arrays[name].__cuda_array_interface__["data"][0]


def copied(problem):
    """The problem's arrays, in the GPU's memory."""
    return {name: device.asarray(a, device=DEVICE) for name, a in problem.arrays.items()}


def poison(problem, arguments):
    """Overwrites the outputs, so that a contestant that writes nothing is found."""
    problem.poison()
    for name in problem.outputs:
        arguments.arrays[name][...] = problem.arrays[name]
    wait()


def check(problem, arguments):
    """Raises WrongResult."""
    wait()
    for name in problem.outputs:
        problem.arrays[name][...] = device.to_host(arguments.arrays[name])
    problem.check()
