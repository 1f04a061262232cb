"""Where arrays lie: at pages, where NumPy puts large ones, a few elements off, in wider rows, in
front of memory that nobody may touch; and whether a kernel left what is around them alone."""

from __future__ import annotations

import ctypes
import mmap
import random

import numpy

PAGE = mmap.PAGESIZE
AROUND = 256
UNTOUCHED = 0x5A


def _mapped(size: int) -> numpy.ndarray:
    """Pages that end with so many bytes and some around, in front of one that is not there."""
    pages = -(-(size + AROUND) // PAGE)
    whole = numpy.frombuffer(mmap.mmap(-1, (pages + 1) * PAGE), numpy.uint8)
    after = ctypes.c_void_p(whole.ctypes.data + pages * PAGE)
    assert ctypes.CDLL(None).mprotect(after, ctypes.c_size_t(PAGE), 0) == 0
    return whole[pages * PAGE - size - AROUND : pages * PAGE]


def _after_page(size: int, away: int) -> numpy.ndarray:
    whole = numpy.empty(size + away + 2 * PAGE + AROUND, numpy.uint8)
    first = -whole.ctypes.data % PAGE + PAGE + away
    return whole[first - AROUND : first + size + AROUND]


class Placed:
    """An array whose data begins `away` bytes after a page, or (None) ends with one: every
    `step`th element of rows that are `pitch` elements longer than it says."""

    def __init__(
        self,
        initial: numpy.ndarray,
        away: int | None = 0,
        pitch: int = 0,
        step: int = 1,
        back: int = 1,
    ):
        *self.outer, width = initial.shape
        self.row, self.dtype = width * step + pitch, initial.dtype
        columns = slice(0, width * step, step)
        self.chosen = columns if initial.ndim == 1 else (slice(None, None, back), ..., columns)
        item = self.dtype.itemsize
        size = int(numpy.prod(self.outer, dtype=int)) * self.row * item
        self.memory = _mapped(size) if away is None else _after_page(size, away)
        self.inside = slice(AROUND, AROUND + size)
        self.array = self.view(self.memory, self.dtype)
        self.fill(initial)
        elements = numpy.zeros(self.memory.size, numpy.uint8)
        self.view(elements, f"V{item}")[...] = numpy.void(b"\xff" * item)
        self.others = elements == 0

    def view(self, memory: numpy.ndarray, dtype) -> numpy.ndarray:
        return memory[self.inside].view(dtype).reshape(*self.outer, self.row)[self.chosen]

    def fill(self, initial: numpy.ndarray) -> None:
        self.memory[...] = UNTOUCHED
        self.array[...] = initial

    def take(self, name: str) -> numpy.ndarray:
        """The elements; raises AssertionError where something else was written to."""
        touched = numpy.flatnonzero(self.others & (self.memory != UNTOUCHED))
        assert not touched.size, f"{name}: byte {touched[0] - AROUND} after its start was written"
        return self.array.copy()


def place(rng: random.Random, initial: numpy.ndarray, contiguous: bool = False) -> Placed:
    if rng.random() < 0.2:
        return Placed(initial, None)
    away = rng.choice((0, 0, 0, 16, rng.randint(1, 20) * initial.dtype.itemsize))
    if contiguous:
        return Placed(initial, away)
    step, back = rng.choices((1, 2), (9, 1))[0], rng.choices((1, -1), (9, 1))[0]
    pitch = rng.choice((1, 3, 16, -initial.shape[-1] % 64)) if rng.random() < 0.4 else 0
    return Placed(initial, away, pitch, step, back)
