"""The runtime's own tests on a GPU: streams, events, waits, memory, print, kernels that fail."""

from gpu import machine, suite, tests


def main(argv):
    machine.options(__doc__, argv)
    # So many streams have a queue of the hardware to themselves.
    return tests.run(suite.ALONE, CUDA_DEVICE_MAX_CONNECTIONS="32")
