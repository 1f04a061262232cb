#!/usr/bin/env python3
"""Writes the results of all examples into the pages: read the difference before you commit it.

python tests/docs/update.py [--language=numba] [PAGE...]

Only `output` and `error` blocks that are there already are written; an empty one asks for a result.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.pages import Runner, blocks_of, cells_of, pages, rewritten


def update(page, language):
    text = page.read_text()
    cells = cells_of(blocks_of(text), language)
    runner = Runner(page, language)
    new = rewritten(text, cells, [runner.run(cell) for cell in cells])
    if new != text:
        page.write_text(new)
        print("written:", page)


def main(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--language", choices=("python", "numba"), default="python")
    p.add_argument("pages", nargs="*", type=Path)
    options = p.parse_args(argv)
    for page in options.pages or pages():
        update(page, options.language)


if __name__ == "__main__":
    main(sys.argv[1:])
