"""A grid whose threads run in lock-step, as NumPy arrays: what programs of warps mean.

Each value is an array of shape (blocks, warps of a block, 32), each mask of threads likewise. The
last warp of a block may have lanes without a thread. Nothing here looks at the compiler or at the
IR's interpreter, which runs threads one by one and lets them wait for each other.
"""

from __future__ import annotations

import numpy

from .positions import axes

LANES = 32
# What a shuffle gives that reads from a lane which takes no part: no result may depend on it.
ANYTHING = 0x5A
BITS = numpy.uint32(1) << numpy.arange(LANES, dtype=numpy.uint32)


class Misuse(Exception):
    """A program broke a rule of warps: the generator's fault."""


def lanes_of(bits: numpy.ndarray) -> numpy.ndarray:
    """Masks as 32 booleans each, on a further axis."""
    return (bits[..., None] & BITS) != 0


def bits_of(lanes: numpy.ndarray) -> numpy.ndarray:
    """The last axis, 32 booleans, as a mask."""
    return numpy.where(lanes, BITS, numpy.uint32(0)).sum(-1, dtype=numpy.uint32)


def raw(values: numpy.ndarray) -> numpy.ndarray:
    """The bits of numbers, as integers."""
    return values.view(f"u{values.dtype.itemsize}")


class Grid:
    """The state of a launch: of threads, of the shared memory of blocks, of arrays."""

    def __init__(self, block, blocks: int):
        bx, by = (*axes(block), 1)[:2]
        self.size = int(numpy.prod(axes(block)))
        warps = -(-self.size // LANES)
        self.shape = (blocks, warps, LANES)
        t = numpy.broadcast_to(numpy.arange(warps * LANES).reshape(warps, LANES), self.shape)
        b = numpy.broadcast_to(numpy.arange(blocks)[:, None, None], self.shape)
        self.exists = t < self.size
        self.left = numpy.zeros(self.shape, bool)  # the kernel
        self.block_of = b
        self.variables = {
            name: values.astype(numpy.int32)
            for name, values in {
                **{"t": t, "lane": t % LANES, "warp": t // LANES, "bk": b},
                **{"tx": t % bx, "ty": t // bx % by, "tz": t // (bx * by)},
                "i": b * self.size + t,
            }.items()
        }
        self.arrays: dict[str, numpy.ndarray] = {}  # of one axis
        self.shared: dict[str, numpy.ndarray] = {}  # by block
        self.jumps: list[dict[str, numpy.ndarray]] = []  # by loop: who broke, who continued

    def nobody(self) -> numpy.ndarray:
        return numpy.zeros(self.shape, bool)

    # --- variables and memory; `on`: the threads that execute it ---

    def assign(self, name: str, values: numpy.ndarray, on: numpy.ndarray) -> None:
        old = self.variables.get(name)
        if old is None or old.dtype != values.dtype:
            old = numpy.zeros(self.shape, values.dtype)
        self.variables[name] = numpy.where(on, values, old)

    def load(self, array: str, index: numpy.ndarray, on: numpy.ndarray) -> numpy.ndarray:
        index = numpy.where(on, index, 0)
        if array in self.shared:
            return self.shared[array][self.block_of, index]
        return self.arrays[array][index]

    def store(self, array: str, index, values: numpy.ndarray, on: numpy.ndarray) -> None:
        if array in self.shared:
            self.shared[array][self.block_of[on], index[on]] = values[on]
        else:
            self.arrays[array][index[on]] = values[on]

    def update(self, array: str, index, values, on, operation) -> None:
        """An atomic operation that commutes: a ufunc."""
        if array in self.shared:
            operation.at(self.shared[array], (self.block_of[on], index[on]), values[on])
        else:
            operation.at(self.arrays[array], index[on], values[on])

    def tickets(self, counter: str, counts: numpy.ndarray, on: numpy.ndarray) -> numpy.ndarray:
        """Before each thread's addition, in some order."""
        added = numpy.where(on, counts, 0).reshape(-1)
        first = self.arrays[counter][0] + numpy.cumsum(added) - added
        self.arrays[counter][0] += added.sum()
        return first.reshape(self.shape).astype(numpy.int32)

    # --- warps ---

    def together(self, mask: numpy.ndarray, on: numpy.ndarray) -> numpy.ndarray:
        """For each thread the lanes that take part with it, as 32 booleans.

        Raises Misuse unless each thread is in its mask, and all that the mask names and that have
        not left are here, with the same mask.
        """
        named = lanes_of(mask)
        own = numpy.take_along_axis(
            named, numpy.arange(LANES)[None, None, :, None].repeat(self.shape[0], 0), 3
        )[..., 0]
        taking = named & (self.exists & ~self.left)[:, :, None, :]
        same = mask[:, :, :, None] == mask[:, :, None, :]
        if not own[on].all():
            raise Misuse("a thread is not in its own mask")
        if not (~taking | (on[:, :, None, :] & same))[on].all():
            raise Misuse("a mask names a thread that does not come, or comes with another mask")
        return taking

    def active(self, on: numpy.ndarray) -> numpy.ndarray:
        return numpy.broadcast_to(bits_of(on)[..., None], self.shape)

    def vote(self, kind: str, mask, holds: numpy.ndarray, on: numpy.ndarray) -> numpy.ndarray:
        taking = self.together(mask, on)
        true, false = taking & holds[:, :, None, :], taking & ~holds[:, :, None, :]
        if kind == "ballot":
            return bits_of(true)
        some, some_not = true.any(-1), false.any(-1)
        return {"any": some, "all": ~some_not, "eq": ~(some & some_not)}[kind]

    def shuffle(self, mask, values: numpy.ndarray, source, on: numpy.ndarray) -> numpy.ndarray:
        """What the lane `source` of the warp has."""
        source = source[..., None] % LANES
        taking = numpy.take_along_axis(self.together(mask, on), source, 3)[..., 0]
        every = numpy.broadcast_to(values[:, :, None, :], (*self.shape, LANES))
        found = numpy.take_along_axis(every, source, 3)[..., 0]
        return numpy.where(taking, found, numpy.array(ANYTHING).astype(values.dtype))

    def match(self, mask, values: numpy.ndarray, on: numpy.ndarray):
        """Who has the same bits; who takes part; whether all of them have."""
        taking = self.together(mask, on)
        number = raw(values)
        alike = taking & (number[:, :, :, None] == number[:, :, None, :])
        return bits_of(alike), bits_of(taking), (alike == taking).all(-1)


def source_of(kind: str, lane: numpy.ndarray, number: numpy.ndarray) -> numpy.ndarray:
    """The lane that a shuffle reads from."""
    number = number % LANES
    if kind == "up":
        return numpy.where(number <= lane, lane - number, lane)
    if kind == "down":
        return numpy.where(lane + number < LANES, lane + number, lane)
    return lane ^ number if kind == "xor" else number
