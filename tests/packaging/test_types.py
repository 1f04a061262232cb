"""What a user's type checker sees of the package: typed_program.py under mypy --strict.

A line of it with `# error: …` must have an error with this text, every other line none.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="waits for mypy")

PROGRAM = Path(__file__).with_name("typed_program.py")


def mypy(cache, *arguments, path=None):
    environment = {k: v for k, v in os.environ.items() if k != "MYPYPATH"}
    if path:
        environment["MYPYPATH"] = str(path)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}"]
    command += ["--no-pretty", "--no-error-summary", *map(str, arguments), PROGRAM.name]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=PROGRAM.parent, env=environment, timeout=240
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def check_program(output):
    said = {}
    for line in output.splitlines():
        match = re.fullmatch(r"(\S+?):(\d+): error: (.*)", line)
        if match:
            assert match[1] == PROGRAM.name, line
            said.setdefault(int(match[2]), []).append(match[3])
    wanted = {}
    for number, line in enumerate(PROGRAM.read_text().splitlines(), 1):
        _, mark, text = line.partition("  # error: ")
        if mark:
            wanted[number] = text
    assert len(wanted) > 10
    wrong = [f"{n}: {said.get(n)}" for n, text in wanted.items() if text not in str(said.get(n))]
    wrong += [f"{n}: {said[n]}" for n in said if n not in wanted]
    assert wrong == []


def test_mypy_sees_a_users_mistakes_and_no_others(pytestconfig):
    spec = importlib.util.find_spec("cuda.device")
    if spec is None:
        pytest.skip("waits for a build of the package")
    root = Path(spec.submodule_search_locations[0]).parents[1]
    check_program(mypy(pytestconfig.cache.mkdir("mypy"), path=root))
