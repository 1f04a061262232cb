"""Errors of launches in the words of NumbaPro's dialect, whose launches have no keywords."""

from __future__ import annotations

_WORDS = (
    (
        "does not fit int, which has 64 bits in kernels\n  pass it as a float",
        "does not fit intp, the int64 that Python's ints are in kernels\n"
        "  numpy.uint64(n), or uint64 in the kernel's signature, takes up to 2**64 - 1; a float "
        "takes more",
    ),
    ("if n > 0: launch(...)", "if n > 0: kernel[grid, block](...)"),
    ("more of them: block=256, grid=(n + 255) // 256", "more: kernel[(n + 255) // 256, 256](...)"),
    ("rounded up it is grid=(n + 255) // 256", "rounded up it is (n + 255) // 256"),
    ("shared in the launch", "sharedmem in the launch"),
    ("from shared=", "from sharedmem"),
    (
        "give a stream of cuda.device.core or an object with __cuda_stream__, or leave the keyword "
        "out",
        "give a stream of cuda.stream(), an object with __cuda_stream__, or 0",
    ),
    (
        "give a stream of cuda.device.core, or leave the keyword out",
        "give a stream of cuda.stream(), or 0",
    ),
    ("leave the keyword out or give a stream of cuda.device.core.Device('host')", "give 0"),
    ("tid() and grid_size()", "cuda.grid() and cuda.gridsize()"),
    ("device.grid_size(", "cuda.gridsize("),
    ("device.tid(", "cuda.grid("),
    ("device.block_idx", "cuda.blockIdx"),
    ("device.block_dim", "cuda.blockDim"),
    ("device.thread_idx", "cuda.threadIdx"),
    ("device.int64(", "int64("),
)


def in_own_words(text: str) -> str:
    """The message of an error that a launch of the guide's language would raise."""
    for theirs, ours in _WORDS:
        text = text.replace(theirs, ours)
    return text
