"""A made-up scalar format breaks the build where a decision is owed (docs/adding.md)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/dev"


@pytest.mark.skipif(not (BUILD / "compile_commands.json").exists(), reason="waits for build/dev")
def test_a_made_up_format_does_not_compile_where_a_decision_is_owed():
    script = [sys.executable, ROOT / "scripts/owed_by_a_format.py", f"--build={BUILD}"]
    run = subprocess.run(script, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
