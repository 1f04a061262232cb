"""What the demos share: launching, timing, checking, progress, pictures."""

import statistics
import sys
import time
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from cuda import device as D
from PIL import Image

OUT = Path(__file__).resolve().parent / "out"


class WrongResult(Exception):
    """A result is not the reference's within the tolerance that the demo states."""


@dataclass
class Options:
    """What the command line asks for.

    small: less data, for a quick look. photo: a file instead of a demo's own. out: a folder.
    device: where arrays are made that kernels work on, and with them the kernels run.
    """

    small: bool = False
    photo: Path | None = None
    out: Path = OUT
    device: str = "cpu"


def grid_for(shape, block):
    """Blocks that cover an array; grid and block begin with x, which is the array's last axis."""
    sizes = tuple(reversed(shape))
    return tuple(-(-size // threads) for size, threads in zip(sizes, block, strict=True))


def seconds_of(run, device="cpu", least=0.25):
    """Median time of one run, warm: of `least` seconds or more, and of three runs if not long."""
    once(run, device)
    samples = []
    while sum(samples) < least or (len(samples) < 3 and sum(samples) < 4 * least):
        samples.append(once(run, device)[0])
    return statistics.median(samples)


def once(run, device="cpu"):
    """(seconds, result) of a single run, until the device has done what was launched."""
    start = time.perf_counter()
    result = run()
    if device != "cpu":  # where launches without a stream return when they are done
        D.core.Device(0).sync()
    return time.perf_counter() - start, result


def run_demo(name):
    """Ends the process as `run.py NAME` does, with the options of the command line."""
    import run  # which imports the demos

    sys.exit(run.main([name, *sys.argv[1:]]))


def require(condition, text):
    if not condition:
        raise WrongResult(text)


def progress(text, done, total):
    """A line that counts up on a terminal; every tenth part of it elsewhere."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r  {text}: {100 * done // total:3d} %", end=end, file=sys.stderr, flush=True)
    elif 10 * done // total != 10 * (done - 1) // total:
        print(f"  {text}: {100 * done // total:3d} %", file=sys.stderr, flush=True)


def compare(what, amount, unit, ours, other, theirs):
    """The line of throughputs; it says so where the other is faster."""
    ratio = theirs / ours
    verdict = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"
    print(
        f"  {what:12} cuda.device {amount / ours:9,.4g} {unit}, {other} {amount / theirs:,.4g}: "
        f"{verdict} times as fast{'' if ratio >= 1 else ' (slower)'}"
    )


def palette(stops, size):
    """float32 colours (size, 3) that go evenly from one stop (0xRRGGBB) to the next."""
    rgb = np.array([[stop >> 16, stop >> 8 & 255, stop & 255] for stop in stops], np.float32)
    at = np.linspace(0, len(stops) - 1, size)
    return np.stack([np.interp(at, range(len(stops)), rgb[:, c]) for c in range(3)], 1).astype("f4")


def photograph(options, name):
    """uint8 (rows, columns, 3): that of the command line, or one that comes inside scikit-image."""
    path = options.photo or resources.files("skimage") / "data" / name
    with path.open("rb") as file:
        pixels = np.array(Image.open(file).convert("RGB"))
    return pixels[::2, ::2] if options.small else pixels


def save(options, pixels, name):
    """Writes uint8 pixels, (rows, columns) or (rows, columns, 3), to the folder for pictures."""
    path = options.out / name
    Image.fromarray(pixels).save(path)
    print(f"  wrote {path}")
