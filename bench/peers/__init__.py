"""The contestants. Each one's module offers `contestants(problem, threads)`: a list of Contestant,
or raises NotAvailable with the reason that the table shows."""

from collections.abc import Callable
from dataclasses import dataclass


class NotAvailable(Exception):
    """This contestant cannot run here; the text says why."""


@dataclass
class Contestant:
    """`run` does the work of one problem and returns when it is done. `group` is the column of the
    table, or is named below it; the fastest contestant of a group stands for it."""

    group: str
    name: str
    run: Callable[[], None]
    finish: Callable[[], None] = lambda: None  # makes results visible in the shared arrays


# Order of the table's columns.
GROUPS = (
    "cuda.device",
    "cuda.device avx2",
    "hand",
    "hand nt",
    "hand avx2",
    "Intel OpenCL",
    "PoCL",
    "Warp CPU",
    "NumPy",
)
HAND, OURS = "hand", "cuda.device"
PEERS = ("Intel OpenCL", "PoCL", "Warp CPU", "NumPy")
