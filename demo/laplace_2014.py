"""The potential around charged plates: a program in the style of 2014, in NumbaPro's CUDA Python.

Jacobi's iteration of Laplace's equation, with the largest change of each block in shared memory.
"""

import numpy as np
from cuda.device import numbapro

import support

numbapro.install()  # what follows imports a NumbaPro

from numbapro import cuda, float32, uint8, void  # noqa: E402

TPB = 16


@cuda.jit(float32(float32, float32), device=True, inline=True)
def larger(a, b):
    if a > b:
        return a
    return b


@cuda.jit(void(float32[:, :], float32[:, :], uint8[:, :], float32[:, :]))
def relax(after, before, plates, changes):
    """One step: each point that is on no plate becomes the mean of its neighbours."""
    held = cuda.shared.array((TPB, TPB), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    i, j = cuda.grid(2)
    rows, columns = before.shape
    held[ty, tx] = 0
    if i < columns and j < rows:
        value = before[j, i]
        if plates[j, i] == 0:
            across = before[j, i - 1] + before[j, i + 1]
            along = before[j - 1, i] + before[j + 1, i]
            value = float32(0.25) * (across + along)
            held[ty, tx] = abs(value - before[j, i])
        after[j, i] = value
    cuda.syncthreads()
    reach = TPB // 2
    while reach > 0:
        if tx < reach:
            held[ty, tx] = larger(held[ty, tx], held[ty, tx + reach])
        cuda.syncthreads()
        reach //= 2
    reach = TPB // 2
    while reach > 0:
        if ty < reach and tx == 0:
            held[ty, 0] = larger(held[ty, 0], held[ty + reach, 0])
        cuda.syncthreads()
        reach //= 2
    if tx == 0 and ty == 0:
        changes[cuda.blockIdx.y, cuda.blockIdx.x] = held[0, 0]


def numpy_relax(before, plates):
    """(after, largest change), by the same sums in the same order."""
    after = before.copy()
    across = before[1:-1, :-2] + before[1:-1, 2:]
    along = before[:-2, 1:-1] + before[2:, 1:-1]
    mean = np.float32(0.25) * (across + along)
    free = plates[1:-1, 1:-1] == 0
    after[1:-1, 1:-1][free] = mean[free]
    return after, np.abs(after - before).max()


def start(rows, columns):
    """Potentials of the plates, 0 elsewhere; and where plates are. The border is one."""
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    y, x = y / rows, x / rows
    wide = columns / rows
    plates = np.zeros((rows, columns), np.uint8)
    plates[[0, -1], :] = plates[:, [0, -1]] = 1
    volts = np.zeros((rows, columns), np.float32)
    shapes = [
        (np.hypot(x - 0.3 * wide, y - 0.5) < 0.12, 1),
        (np.abs(np.hypot(x - 0.3 * wide, y - 0.5) - 0.34) < 0.012, -0.6),
        ((np.abs(x - 0.72 * wide) < 0.012) & (np.abs(y - 0.5) < 0.3), 0.9),
        ((np.abs(x - 0.86 * wide) < 0.012) & (np.abs(y - 0.5) < 0.3), -0.9),
    ]
    ring = np.abs(np.arctan2(y - 0.5, x - 0.3 * wide)) > 0.5  # open to the right
    for at, (inside, value) in enumerate(shapes):
        where = inside & ring if at == 1 else inside
        plates[where], volts[where] = 1, value
    return volts, plates


class Solver:
    """Two arrays of the device, of which a step reads one and writes the other."""

    def __init__(self, volts, plates):
        self.stream = cuda.stream()
        self.grid = support.grid_for(volts.shape, (TPB, TPB))
        self.before = cuda.to_device(volts, self.stream)
        self.after = cuda.to_device(volts, self.stream)
        self.plates = cuda.to_device(plates, self.stream)
        self.changes = cuda.device_array(self.grid[::-1], np.float32, stream=self.stream)

    def run(self, steps):
        for _ in range(steps):
            relax[self.grid, (TPB, TPB), self.stream](
                self.after, self.before, self.plates, self.changes
            )
            self.before, self.after = self.after, self.before
        self.stream.synchronize()

    def volts(self):
        return self.before.copy_to_host()

    def change(self):
        return self.changes.copy_to_host().max()


def check(volts, plates, steps):
    """Returns NumPy's seconds a step."""
    solver = Solver(volts, plates)
    solver.run(steps)

    def with_numpy():
        found = volts
        for _ in range(steps):
            found, change = numpy_relax(found, plates)
        return found, change

    seconds, (expected, change) = support.once(with_numpy)
    found = solver.volts()
    support.require(np.array_equal(found, expected), f"after {steps} steps the potential differs")
    support.require(solver.change() == change, "the largest change differs")
    print(f"  {steps} steps: equal to NumPy bit by bit")
    return seconds / steps


def draw(volts, plates):
    """Bands of equal potential: warm above 0, cool below; plates are light."""
    colours = support.palette((0x08306B, 0x6BAED6, 0xF7F4EF, 0xF4A261, 0x7F1D1D), 1025)
    image = colours[np.clip((512 + 512 * volts).astype(int), 0, 1024)]
    phase = volts * 24
    band = np.abs(phase - np.round(phase)) < 0.5 * np.abs(np.gradient(phase)).sum(axis=0)
    image = np.where(band[..., None], 0.72 * image, image)
    edge = plates.astype(bool)
    edge[[0, -1], :] = edge[:, [0, -1]] = False
    image[edge] = 0.35 * image[edge]
    return (255 * np.clip(image / max(image.max(), 1), 0, 1)).astype(np.uint8)


def run(options):
    rows, columns, steps = (144, 256, 2000) if options.small else (432, 768, 20000)
    print(f"Laplace's equation, {columns} x {rows} points, {steps} steps, as in 2014")
    volts, plates = start(rows, columns)
    theirs = check(volts, plates, 60)
    solver, seconds, first = Solver(volts, plates), 0.0, None
    for done in range(0, steps, steps // 10):
        seconds += support.once(lambda: solver.run(steps // 10))[0]
        first = first or solver.change()
        support.progress("Laplace", done + steps // 10, steps)
    found = solver.volts()
    # Harmonic: no extreme value lies between the plates, and the iteration converges.
    support.require(np.abs(found).max() <= 1, "a potential lies beyond those of the plates")
    support.require(solver.change() < first / 3, "the iteration does not converge")
    support.compare("points", 1e-6 * volts.size, "Mpoint/s", seconds / steps, "NumPy", theirs)
    support.save(options, draw(found, plates), "laplace_2014.png")


if __name__ == "__main__":
    support.run_demo("laplace_2014")
