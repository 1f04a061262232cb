"""The dumps in docs/pipeline.md are what the compiler prints."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_dumps_above_llvm_are_current():
    script = ROOT / "scripts" / "gen_pipeline_docs.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
