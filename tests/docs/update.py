#!/usr/bin/env python3
"""Writes the results of all examples into the pages: read the difference before you commit it.

python tests/docs/update.py [--language=numba] [--check] [PAGE...]

Only `output` and `error` blocks that are there already are written; an empty one asks for a result.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.pages import Runner, blocks_of, cells_of, differences, pages, rewritten


def wrong_results(page, language):
    """What is wrong with the page, as text, and the page as it should be."""
    text = page.read_text()
    cells = cells_of(blocks_of(text), language)
    runner = Runner(page, language)
    found = [runner.run(cell) for cell in cells]
    wrong = [line for pair in zip(cells, found, strict=True) for line in differences(page, *pair)]
    return wrong, rewritten(text, cells, found)


def update(page, language, check):
    """Whether the page was right."""
    wrong, new = wrong_results(page, language)
    print("\n\n".join(wrong))
    if not check:
        page.write_text(new)
    return not wrong


def main(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--language", choices=("python", "numba"), default="python")
    p.add_argument("--check", action="store_true", help="write nothing; fail where one differs")
    p.add_argument("pages", nargs="*", type=Path)
    options = p.parse_args(argv)
    right = [update(p, options.language, options.check) for p in options.pages or pages()]
    return 0 if all(right) or not options.check else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
