import numpy as np
from arrays import aligned

from .problem import Hand, Problem, grid_for, require_equal

# Block shape → wanted ratio.
BLOCKS = {(32, 8): 0.85, (16, 16): 0.85, (8, 8): 0.6, (10, 10): 0.4}


def copy2d(quick, block):
    width, height = (1008, 1000) if quick else (8016, 8392)
    arrays = {name: aligned((height, width), np.float32) for name in ("out", "source")}
    np.random.default_rng(2).random(dtype=np.float32, out=arrays["source"])
    return Problem(
        name=f"copy2d {block[0]}x{block[1]}",
        kernel="copy2d",
        unit="GB/s",
        amount=8e-9 * width * height,
        size=f"{width} x {height}",
        arrays=arrays,
        outputs=("out",),
        values={"width": width, "height": height},
        arguments="out source width height",
        block=block,
        grid=grid_for((width, height), block),
        judge=lambda p: require_equal(p, "out", p.arrays["source"]),
        hand=(Hand("hand_copy2d"), Hand("hand_copy2d_nt", "hand nt")),
        wanted=BLOCKS[block],
        whole_arrays=whole_arrays,
    )


def whole_arrays(out, source):
    np.copyto(out, source)


PROBLEMS = {f"copy2d {x}x{y}": lambda quick, b=(x, y): copy2d(quick, b) for x, y in BLOCKS}
