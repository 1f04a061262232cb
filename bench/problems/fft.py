import numpy as np
from arrays import aligned

from .problem import ROUNDING, Hand, Problem, grid_for, require_close

BLOCK, SPAN = 256, 1024


def fft(quick):
    """The sixth pass of a transform of complex64: runs of 1024 numbers."""
    n = 1 << 16 if quick else 1 << 24
    arrays = {
        "out": aligned((n,), np.complex64),
        "source": aligned((n,), np.complex64),
        "twiddle": aligned((SPAN,), np.complex64),
    }
    random = np.random.default_rng(41)
    random.standard_normal(dtype=np.float32, out=arrays["source"].view(np.float32))
    arrays["twiddle"][:] = np.exp(-2j * np.pi * np.arange(SPAN) / (4 * SPAN))
    return Problem(
        name="fft radix 4",
        kernel="fft_radix4",
        unit="GB/s",
        amount=16e-9 * n,
        size=f"n = {n:,}, one pass",
        arrays=arrays,
        outputs=("out",),
        values={"n": n, "span": SPAN},
        arguments="out source twiddle n span",
        block=(BLOCK,),
        grid=grid_for((n // 4,), (BLOCK,)),
        judge=check,
        hand=(Hand("hand_fft_radix4"),),
        wanted=0.8,
    )


def exact_pass(p):
    source = p.arrays["source"].reshape(4, -1, SPAN).astype(np.complex128)
    w = p.arrays["twiddle"].astype(np.complex128)
    a, b, c, d = source[0], w * source[1], w**2 * source[2], w**3 * source[3]
    parts = (a + b + c + d, a - 1j * b - c + 1j * d, a - b + c - d, a + 1j * b - c - 1j * d)
    return np.stack(parts, axis=1).reshape(-1)


def check(p):
    # Numbers of at most 6; products of three factors and two sums, each rounded.
    require_close(p, "out", p.once("pass", lambda: exact_pass(p)), 24 * 16 * ROUNDING)


PROBLEMS = {"fft radix 4": fft}
