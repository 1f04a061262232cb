#!/usr/bin/env python3
"""Writes the expected halves of the goldens in this folder anew.

    tests/ir/update.py [build folder]

Needs an up-to-date test_passes in the build folder (default: build/dev). Read the difference
before committing it.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "dev"
    tests = build / "tests" / "unit" / "passes" / "test_passes"
    if not tests.exists():
        print(f"{tests} is not built", file=sys.stderr)
        return 1
    environment = {**os.environ, "CUDA_DEVICE_UPDATE_GOLDENS": "1"}
    return subprocess.run(
        [tests, "--gtest_filter=*Golden*"], env=environment, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
