#!/usr/bin/env python3
"""Makes the pictures of the README and the front page from what `make demo` has left in demo/out.

scripts/gen_pictures.py [FOLDER]     writes docs/images/*.png
"""

import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SIZE = 360, 240  # all alike, so that they stand in one row
PICTURES = ("mandelbrot", "nbody", "gray_scott")
COLOURS = 128  # keeps each file below 100 KB


def small(picture: Image.Image) -> Image.Image:
    """The picture in SIZE: what is too wide is cut at both sides, what is too high below."""
    width, height = picture.size
    scale = min(width / SIZE[0], height / SIZE[1])
    left = (width - SIZE[0] * scale) / 2
    box = (left, 0, width - left, SIZE[1] * scale)
    made = picture.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS, box=box)
    return made.quantize(COLOURS, dither=Image.Dither.FLOYDSTEINBERG)


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else ROOT / "demo" / "out"
    missing = [name for name in PICTURES if not (folder / f"{name}.png").exists()]
    if missing:
        print(f"not in {folder}: {', '.join(missing)}; run `make demo` first", file=sys.stderr)
        return 1
    for name in PICTURES:
        picture = small(Image.open(folder / f"{name}.png"))
        picture.save(ROOT / "docs" / "images" / f"{name}.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
