#!/usr/bin/env python3
"""Shows where a new scalar format owes a decision: where a made-up one does not compile.

    scripts/owed_by_a_format.py [--build=build/dev] [--all]

scalar.def has a made-up format of each class behind a macro. A source that lists formats, and
misses it, is an error of the compiler; this script compares the files of those errors with
tests/formats/owed.txt. Without --all it compiles the sources that the list names; with --all every
source of src/ and bindings/ with both formats: none may break that the list has not. Minutes.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/formats/owed.txt"
FOLDERS = ("src/", "bindings/")
ERROR = re.compile(r"^(\S+?):\d+:\d+: (?:fatal )?error: (.*)$", re.MULTILINE)
OUTPUTS = {"-o": 2, "-c": 1}  # options that -fsyntax-only replaces, with their arguments


def owed():
    """[(macro, file of the error, source that shows it)] as the list says."""
    lines = [line.split("#")[0].split() for line in GOLDEN.read_text().splitlines()]
    return [tuple(words) for words in lines if words]


def sources_of(file):
    """The file itself, or those that CMake has put together in it (cmake/cd_unity.cmake)."""
    if not file.name.startswith("unity_"):
        return [file]
    return [Path(name) for name in re.findall(r'^#include "(.+)"$', file.read_text(), re.MULTILINE)]


def commands(build):
    """{source, relative to the repository: its command as words}"""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        for source in sources_of(Path(entry["file"])):
            if source.is_relative_to(ROOT):
                own = [str(source) if word == entry["file"] else word for word in words]
                found[source.relative_to(ROOT).as_posix()] = own
    return found


def without_outputs(words):
    kept = []
    at = 0
    while at < len(words):
        if words[at] not in OUTPUTS:
            kept.append(words[at])
        at += OUTPUTS.get(words[at], 1)
    return kept


def errors_of(build, words, macros):
    """{file: its first message}"""
    defines = [f"-D{macro}" for macro in macros.split("+")]
    run = subprocess.run(
        [*without_outputs(words), "-fsyntax-only", "-fmax-errors=0", *defines],
        cwd=build,
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    found = {}
    for name, message in ERROR.findall(run.stderr):
        path = Path(os.path.normpath(build / name))
        name = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else name
        found.setdefault(name, message)
    if run.returncode and not found:
        raise SystemExit(f"{shlex.join(words)}\n{run.stderr}")
    return found


def compile_all(build, jobs, sources):
    """{(macro, file): message} of [(macro, source)]."""
    known = commands(build)
    with ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda s: (s[0], errors_of(build, known[s[1]], s[0])), sources)
        return {(macro, file): text for macro, found in results for file, text in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/dev")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true", help="compile every source")
    options = parser.parse_args()
    build = options.build.resolve()
    expected = {(macro, file) for macro, file, _ in owed()}
    sources = sorted({(macro, source) for macro, _, source in owed()})
    if options.all:
        both = "+".join(sorted({macro for macro, _ in expected}))
        expected = {(both, file) for _, file in expected}
        sources = [(both, s) for s in sorted(commands(build)) if s.startswith(FOLDERS)]
    found = compile_all(build, options.jobs, sources)
    for macro, file in sorted(found):
        print(f"{macro} {file}: {found[macro, file]}")
    for macro, file in sorted(expected - set(found)):
        print(f"{macro} {file}: compiles, and owes a decision")
    for macro, file in sorted(set(found) - expected):
        print(f"{macro} {file}: is not in {GOLDEN.relative_to(ROOT)}")
    return int(set(found) != expected)


if __name__ == "__main__":
    sys.exit(main())
