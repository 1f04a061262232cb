"""Launches among the streams, events and arrays of CuPy and PyTorch (test_gpu_neighbours.py)."""

from gpu import machine, tests

TESTS = ("tests/interop/test_gpu_neighbours.py",)


def main(argv):
    machine.options(__doc__, argv)
    return tests.run(TESTS)
