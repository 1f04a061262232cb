import numpy as np
from arrays import aligned

from .problem import INTEL, ROUNDING, Hand, Problem, grid_for, require_close

BLOCK, BAND = 256, 4096


def spmv(quick):
    """A sparse matrix in compressed rows times a vector: a thread a row."""
    return rows_of(20_011 if quick else 1 << 18, 8, 24)


def rows_of(rows, least, most):
    """Between `least` and `most` entries a row."""
    random = np.random.default_rng(14)
    counts = random.integers(least, most + 1, rows)
    entries = int(counts.sum())
    arrays = {
        "y": aligned((rows,), np.float32),
        "row_start": aligned((rows + 1,), np.int32),
        "column": aligned((entries,), np.int32),
        "value": aligned((entries,), np.float32),
        "x": aligned((rows,), np.float32),
    }
    np.cumsum(counts, out=arrays["row_start"][1:])
    row = np.repeat(np.arange(rows), counts)
    column = np.clip(row + random.integers(-BAND, BAND + 1, entries), 0, rows - 1)
    arrays["column"][:] = column[np.lexsort((column, row))]
    for name in ("value", "x"):
        random.standard_normal(dtype=np.float32, out=arrays[name])
    return Problem(
        name="spmv",
        kernel="spmv",
        unit="GFLOP/s",
        amount=2e-9 * entries,
        size=f"{rows:,} rows, {entries:,} entries",
        arrays=arrays,
        outputs=("y",),
        values={"rows": rows},
        arguments="y row_start column value x rows",
        block=(BLOCK,),
        grid=grid_for((rows,), (BLOCK,)),
        judge=lambda p: check(p, most),
        hand=(Hand("hand_spmv"),),
        wanted=0.7,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def exact_rows(p):
    """The result in float64, and for each row the sum of its terms' magnitudes."""
    terms = p.arrays["value"].astype(np.float64) * p.arrays["x"][p.arrays["column"]]
    first = p.arrays["row_start"][:-1]
    return np.add.reduceat(terms, first), np.add.reduceat(np.abs(terms), first)


def check(p, most):
    exact, magnitude = p.once("rows", lambda: exact_rows(p))
    require_close(p, "y", exact, most * ROUNDING * magnitude)


def whole_arrays(y, row_start, column, value, x):
    from scipy import sparse  # needed for this alone

    y[:] = sparse.csr_array((value, column, row_start), shape=(y.size, x.size)) @ x


PROBLEMS = {"spmv": spmv}
