import numpy as np
from arrays import aligned

from .problem import INTEL, Hand, Problem, require_equal

TILE, ROWS = 32, 8  # a block of 32 x 8 threads moves a tile of 32 x 32, which divides the matrix


def transpose(quick):
    width, height = (1024, 512) if quick else (4096, 4096)
    arrays = {
        "out": aligned((width, height), np.float32),
        "source": aligned((height, width), np.float32),
    }
    np.random.default_rng(7).random(dtype=np.float32, out=arrays["source"])
    return Problem(
        name="transpose",
        kernel="transpose",
        unit="GB/s",
        amount=8e-9 * width * height,
        size=f"{width} x {height}",
        arrays=arrays,
        outputs=("out",),
        values={"width": width, "height": height},
        arguments="out source width height",
        block=(TILE, ROWS),
        grid=(width // TILE, height // TILE),
        judge=lambda p: require_equal(p, "out", p.arrays["source"].T),
        hand=(Hand("hand_transpose"),),
        wanted=0.8,
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def whole_arrays(out, source):
    np.copyto(out, source.T)


PROBLEMS = {"transpose": transpose}
