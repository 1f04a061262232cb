"""Where the threads of a launch are: blocks and grids of one to three axes, guarded or not.

A position is a variable of the kernel that tells threads apart. What it is in every thread is known
when the program is made, so that indices can be made of it which are within an array, or no two
threads' own.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy

BLOCKS_1D = (1, 7, 31, 32, 33, 64, 100, 128)
BLOCKS_2D = (
    (4, 4),
    (8, 8),
    (10, 10),
    (32, 2),
    (16, 3),
    (7, 5),
    (33, 2),
    (64, 2),
    (16, 16),
    (32, 8),
)
BLOCKS_3D = ((7, 5, 3), (4, 4, 4), (8, 2, 3))
# Blocks of programs with barriers, and how often they are drawn.
BLOCKS = {
    1: 2, 7: 2, 31: 2, 33: 3, 64: 3, 100: 2, 256: 0.7, 1000: 0.2, 1024: 0.2,
    (32, 8): 0.7, (16, 16): 0.7, (8, 8): 2, (10, 10): 2, (64, 2): 1, (32, 4): 1,
    (7, 5, 3): 2, (4, 4, 4): 2,
}  # fmt: skip
LINEAR = "t = D.int32(tx + bx * (ty + by * tz))"
AXES = ["tx, ty, tz = D.thread_idx", "bx, by, bz = D.block_dim", LINEAR]


def axes(shape: int | tuple[int, ...]) -> tuple[int, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


@dataclass
class Positions:
    block: int | tuple[int, ...]
    grid: int | tuple[int, ...]
    guard: str = "inside"  # an if around everything, a "return" in front, "" where all are inside
    lines: list[str] = field(default_factory=list)  # of source, which define the positions
    types: dict[str, str] = field(default_factory=dict)
    every: dict[str, numpy.ndarray] = field(default_factory=dict)  # by thread of the launch
    extents: dict[str, int] = field(default_factory=dict)  # scalars: n, or w and h as well

    def inside(self) -> numpy.ndarray:
        """Whether each thread passes the guard."""
        if "w" in self.extents:
            return (self.every["x"] < self.extents["w"]) & (self.every["y"] < self.extents["h"])
        return self.every["i"] < self.extents["n"]

    def threads(self) -> int:
        return self.every["i"].size

    def active(self) -> dict[str, numpy.ndarray]:
        chosen = self.inside()
        return {name: values[chosen] for name, values in self.every.items()}

    def block_size(self) -> int:
        return int(numpy.prod(axes(self.block)))

    def in_block(self) -> dict[str, numpy.ndarray]:
        """What tells apart the threads of one block."""
        size = self.block_size()
        return {v: self.every[v][:size] for v in ("t", "tx", "ty") if v in self.types}


def _hardware(block, grid) -> dict[str, numpy.ndarray]:
    """Each thread's place in the block and the block's in the grid, one block after the other."""
    bx, by, bz = (*axes(block), 1, 1)[:3]
    gx, gy = (*axes(grid), 1)[:2]
    names = ("block_y", "block_x", "tz", "ty", "tx")
    all_of = numpy.indices((gy, gx, bz, by, bx)).reshape(5, -1)
    return dict(zip(names, all_of, strict=True))


def _linear(at: dict, block) -> numpy.ndarray:
    bx, by = (*axes(block), 1)[:2]
    return at["tx"] + bx * (at["ty"] + by * at["tz"])


def _short_of(rng: random.Random, count: int, guard: str) -> int:
    return max(1, count - rng.choice((0, 0, 1, 5))) if guard else count


def _flat_block(rng: random.Random) -> tuple[int, int]:
    """The large ones seldom: the model takes its time for every thread."""
    weights = [1 if x * y < 128 else 0.4 for x, y in BLOCKS_2D]
    return rng.choices(BLOCKS_2D, weights)[0]


def _flat(rng: random.Random, guard: str) -> Positions:
    block = rng.choice(BLOCKS_1D)
    p = Positions(block, rng.randint(1, 2 if block > 64 else 4), guard)
    at = _hardware(p.block, p.grid)
    i = at["block_x"] * p.block + at["tx"]
    p.every, p.types, p.lines = {"i": i}, {"i": "i4"}, ["i = D.tid(1)"]
    if rng.random() < 0.4:
        p.every["tx"], p.types["tx"] = at["tx"], "u4"
        p.lines.append("tx = D.thread_idx.x")
    p.extents = {"n": _short_of(rng, i.size, guard)}
    return p


def _linear_blocks(rng: random.Random, guard: str) -> Positions:
    """Blocks of any shape, one after the other."""
    block = rng.choice(BLOCKS_3D) if rng.random() < 0.5 else _flat_block(rng)
    p = Positions(block, 1 if numpy.prod(block) > 128 else rng.randint(1, 2), guard)
    at = _hardware(p.block, p.grid)
    t = _linear(at, p.block)
    i = at["block_x"] * p.block_size() + t
    p.every = {"i": i, "t": t, "tx": at["tx"], "ty": at["ty"]}
    p.types = {"i": "i4", "t": "i4", "tx": "u4", "ty": "u4"}
    p.lines = [*AXES, "i = D.int32(D.block_idx.x) * D.int32(bx * by * bz) + t"]
    p.extents = {"n": _short_of(rng, i.size, guard)}
    return p


def _rectangle(rng: random.Random, guard: str) -> Positions:
    """A grid of two axes, and a flat number of a thread: in its rows, or in the launch's."""
    block = _flat_block(rng)
    size = block[0] * block[1]
    grid = (rng.randint(1, 3 if size < 64 else 2), rng.randint(1, 1 if size > 99 else 2))
    p = Positions(block, grid, guard)
    at = _hardware(p.block, p.grid)
    x, y = at["block_x"] * block[0] + at["tx"], at["block_y"] * block[1] + at["ty"]
    p.every, p.types, p.lines = {"x": x, "y": y}, {"x": "i4", "y": "i4"}, ["x, y = D.tid(2)"]
    if rng.random() < 0.3:
        p.lines = [
            f"x = D.block_idx.x * {block[0]} + D.thread_idx.x",
            f"y = D.block_idx.y * {block[1]} + D.thread_idx.y",
        ]
        p.types = {"x": "u4", "y": "u4"}
    width, height = block[0] * p.grid[0], block[1] * p.grid[1]
    if rng.random() < 0.7:
        w, h = _short_of(rng, width, guard), _short_of(rng, height, guard)
        p.extents = {"n": w * h, "w": w, "h": h}
        i, line = y * w + x, "y * w + x"
    else:
        i, line = y * width + x, "y * D.grid_size(1) + x"
        p.extents = {"n": _short_of(rng, x.size, guard)}
    p.every["i"], p.types["i"] = i, "i4"
    p.lines.append(f"i = {line}" if p.types["x"] == "i4" else f"i = D.int32({line})")
    if rng.random() < 0.4:
        p.every |= {"tx": at["tx"], "ty": at["ty"]}
        p.types |= {"tx": "u4", "ty": "u4"}
        p.lines.append("tx, ty = D.thread_idx.x, D.thread_idx.y")
    return p


def positions(rng: random.Random) -> Positions:
    """Positions of a program without barriers."""
    guard = rng.choices(("inside", "return", ""), (4, 4, 2))[0]
    return rng.choices((_flat, _rectangle, _linear_blocks), (5, 5, 2))[0](rng, guard)


def positions_with_barriers(rng: random.Random) -> Positions:
    """Positions of a program whose threads know their place in the block and in the launch."""
    block = rng.choices(list(BLOCKS), list(BLOCKS.values()))[0]
    guard = rng.choice(("return", "return", ""))
    many = int(numpy.prod(axes(block))) > 200
    grid = rng.randint(1, 2 if many else 3)
    if len(axes(block)) == 2 and rng.random() < 0.6:
        grid = (rng.randint(1, 2), 1 if many else rng.randint(1, 2))
    p = Positions(block, grid, guard)
    at = _hardware(block, grid)
    t, size, across = _linear(at, block), p.block_size(), axes(grid)[0]
    bk = at["block_y"] * across + at["block_x"]
    number = "D.block_idx.x" if grid == across else "D.block_idx.y * D.grid_dim.x + D.block_idx.x"
    p.lines = [*AXES, "nt = D.int32(bx * by * bz)", f"bk = D.int32({number})", "i = bk * nt + t"]
    p.every = {"i": bk * size + t, "t": t, "bk": bk, "tx": at["tx"], "ty": at["ty"]}
    p.types = dict.fromkeys(("i", "t", "bk"), "i4") | {"tx": "u4", "ty": "u4"}
    p.extents = {"n": _short_of(rng, t.size, guard)}
    if len(axes(block)) == 2:
        p.every["x"] = at["block_x"] * block[0] + at["tx"]
        p.every["y"] = at["block_y"] * block[1] + at["ty"]
        p.types |= {"x": "i4", "y": "i4"}
        p.lines.append("x, y = D.tid(2)")
    return p
