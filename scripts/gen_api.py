#!/usr/bin/env python3
"""Writes docs/api: every public name, with its signature and docstring.

scripts/gen_api.py           writes the pages
scripts/gen_api.py --check   fails where one is not current

Signatures of compiled objects come from the stub, `_core.pyi`, all else from the package itself.
Needs cuda.device on PYTHONPATH.
"""

import sys
from pathlib import Path

from guide import api_entries

ROOT = Path(__file__).resolve().parents[1]
API = ROOT / "docs" / "api"


def main(arguments: list[str]) -> int:
    stale = []
    for name, page in api_entries.pages().items():
        file = API / name
        if arguments != ["--check"]:
            API.mkdir(exist_ok=True)
            file.write_text(page, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != page:
            stale.append(f"docs/api/{name}")
    if stale:
        print(f"not current: {', '.join(stale)}; run scripts/gen_api.py", file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
