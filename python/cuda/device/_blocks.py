"""How many blocks a grid has."""

from typing import Any


def blocks(n: Any, block: Any) -> Any:
    """The grid of blocks that covers n threads: n / block rounded up, for each axis.

    n: threads, an int or a tuple of one to three, x first: those of an image of shape (h, w) are
    (w, h). block: as in the launch; an axis that it lacks is one thread wide. Gives an int for an
    int, else a tuple. In kernels it works too.

    device.launch(f, a, grid=device.blocks(a.size, 256), block=256)
    """
    if isinstance(n, tuple):
        widths = block if isinstance(block, tuple) else (block,)
        widths = (*widths, 1, 1)[: len(n)]
        return tuple(blocks(m, width) for m, width in zip(n, widths, strict=True))
    width = block[0] if isinstance(block, tuple) else block
    return (n + width - 1) // width
