"""The dumps in docs/pipeline.md are what the compiler prints."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_dumps_above_llvm_are_current():
    script = ROOT / "scripts" / "gen_pipeline_docs.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_each_loop_is_shown_once():
    """LLVM copies loops; a dump of machine code is one of the copies."""
    text = (ROOT / "docs" / "pipeline.md").read_text()
    for name in ("asm_loop", "avx2_loop"):
        dump = re.search(rf"<!-- dump: {name} -->\n(.*?)<!-- end -->", text, re.DOTALL)[1]
        assert len(re.findall(r"^\.LBB\w+:", dump, re.MULTILINE)) == 1
