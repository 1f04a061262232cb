"""docs/ir.md follows src/ir/op.def."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_table_of_operations_is_current():
    script = ROOT / "scripts" / "gen_ir_docs.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
