import numpy as np
from arrays import aligned

from .problem import INTEL, Hand, Problem, require_equal

THREADS, BINS = 32, 256


def histogram(quick):
    return of_bytes(
        "histogram",
        lambda n: np.random.default_rng(13).binomial(BINS - 1, 0.4, n),
        quick,
        kernel="histogram",
        block=(THREADS,),
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def of_bytes(name, values_of, quick, **more):
    """Each block counts the bytes of its share of the data."""
    n, blocks = (1 << 20, 64) if quick else (1 << 26, 512)
    arrays = {"out": aligned((blocks, BINS), np.int32), "source": aligned((n,), np.uint8)}
    arrays["source"][:] = values_of(n)
    return Problem(
        name=name,
        unit="Gitem/s",
        amount=1e-9 * n,
        size=f"n = {n:,} in {blocks} blocks",
        arrays=arrays,
        outputs=("out",),
        values={"n": n, "blocks": blocks, "share": n // blocks},
        arguments="out source share",
        grid=(blocks,),
        judge=check,
        hand=(Hand("hand_histograms", arguments="out source n blocks"),),
        **more,
    )


def whole_arrays(out, source):
    for counts, share in zip(out, source.reshape(len(out), -1), strict=True):
        counts[:] = np.bincount(share, minlength=BINS)


def exact_counts(p):
    blocks = p.values["blocks"]
    exact = np.zeros((blocks, BINS), np.int32)
    for b, share in enumerate(p.arrays["source"].reshape(blocks, -1)):
        values, counts = np.unique(share, return_counts=True)
        exact[b, values] = counts
    return exact


def check(p):
    require_equal(p, "out", p.once("counts", lambda: exact_counts(p)))


PROBLEMS = {"histogram": histogram}
