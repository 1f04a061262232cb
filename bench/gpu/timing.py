"""Times on the GPU, by events: what is between them was queued while the GPU was kept busy, so that
no launch waits for the program and each contestant's code runs back to back."""

import time

import launch_kernels
import numpy as np
from cuda import device

from gpu import on_gpu

SAMPLE_SECONDS = 0.003  # runs shorter than this are repeated within one sample
MOST_RUNS = 300  # in a sample: the driver queues about a thousand launches before it blocks
WARM_RUNS = 3
WARM_SECONDS = 0.1  # a GPU that had nothing to do runs slowly at first


class Clock:
    """Times what is queued on a stream of ours."""

    def __init__(self, stream, warm=WARM_SECONDS):
        self.stream = stream
        self.values = device.full(1, 1, np.float32, device=on_gpu.DEVICE)
        on_gpu.wait()
        end = time.perf_counter() + warm
        self.hold(1000)
        self.stream.sync()
        while time.perf_counter() < end:
            self.hold(100_000)
            self.stream.sync()
        self.steps_a_second = 10_000 / self.between(lambda: self.hold(10_000))

    def hold(self, steps):
        """One thread multiplies and adds so often."""
        values, stream = self.values, self.stream
        device.launch(
            launch_kernels.arithmetic, values, np.int32(steps), grid=1, block=1, stream=stream
        )

    def between(self, work):
        """Seconds on the GPU between the beginning and the end of what `work` queues."""
        start = self.stream.record()
        work()
        end = self.stream.record()
        self.stream.sync()
        return 1e-3 * (end - start)

    def queueing(self, run):
        """Seconds that the program takes to queue a run; these are waited for."""
        start = time.perf_counter()
        for _ in range(WARM_RUNS):
            run()
        seconds = (time.perf_counter() - start) / WARM_RUNS
        self.stream.sync()
        return seconds

    def sample(self, run, times, queueing):
        """Seconds of a run. queueing: what it takes to queue one."""
        held = min(1.0, 1.5 * times * queueing + 5e-5)
        self.hold(max(1, int(held * self.steps_a_second)))

        def work():
            for _ in range(times):
                run()

        return self.between(work) / times

    def plan(self, run):
        """(runs in a sample, seconds to queue one)"""
        queueing = self.queueing(run)
        seconds = max(self.sample(run, WARM_RUNS, queueing), 1e-7)
        return max(1, min(MOST_RUNS, int(SAMPLE_SECONDS / seconds))), queueing
