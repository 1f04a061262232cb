#!/usr/bin/env python3
"""Instructions of three kernels in the guide's language and in NumbaPro's; 1: they differ."""

import sys

from kernels.languages import KERNELS

STAGES = (("asm", "avx512"), ("asm", "avx2"), ("ptx", "sm_90"))


OTHER = (".", "/", "#", "{", "}", "(", ")", "$")  # what labels, directives, comments begin with


def instructions(text):
    """How many lines of machine code or PTX are instructions."""
    lines = [line.strip() for line in text.splitlines()]
    return sum(bool(line) and not line.startswith(OTHER) and line[-1] != ":" for line in lines)


def main():
    same = True
    print(f"{'kernel':12} {'target':8} {'guide':>6} {'NumbaPro':>9}")
    for ours, theirs, types, block in KERNELS:
        name = ours.__name__
        for what, target in STAGES:
            options = {"what": what, "target": target, "grid": 1, "block": block}
            mine = ours.inspect(*types, **options)
            other = theirs.inspect(*types, **options).replace("_2014", "")
            same &= mine == other
            verdict = "the same" if mine == other else "differ"
            counts = f"{instructions(mine):6} {instructions(other):9}"
            print(f"{name:12} {target:8} {counts}  {verdict}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
