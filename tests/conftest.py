"""Makes tests/support importable from every test, in any import mode, and loads the harness."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

pytest_plugins = ("pytester", "support.plugin")
