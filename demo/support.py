"""What the three demos share: timing, checking, progress, pictures."""

import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

OUT = Path(__file__).resolve().parent / "out"


class WrongResult(Exception):
    """A result is not NumPy's within the tolerance that the demo states."""


@dataclass
class Options:
    """What the command line asks for. `small` shrinks the data, for a quick look."""

    small: bool = False
    photo: Path | None = None


def seconds_of(run, least=0.5):
    """Median time of one run, warm, over at least `least` seconds and three runs."""
    run()
    samples = []
    while len(samples) < 3 or sum(samples) < least:
        start = time.perf_counter()
        run()
        samples.append(time.perf_counter() - start)
    return statistics.median(samples)


def once(run):
    """(seconds, result) of a single run."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


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


def compare(amount, unit, ours, numpys):
    """The line of throughputs."""
    print(
        f"  cuda.device {amount / ours:10,.1f} {unit}   NumPy {amount / numpys:8,.2f} {unit}   "
        f"{numpys / ours:,.0f} times as fast"
    )


def save(image, name):
    """Writes a Pillow image under demo/out/."""
    OUT.mkdir(exist_ok=True)
    path = OUT / name
    image.save(path)
    print(f"  wrote {path.relative_to(OUT.parent.parent)}")
