"""Makes tests/support importable from every test, in any import mode, and loads the harness."""

import os
import sys
from pathlib import Path

# Tests count compilations, and must not use what another run has left: kernels are compiled in each
# process, in those that tests start too. Tests of the cache give it a folder of their own.
os.environ["CUDA_DEVICE_CACHE"] = "off"

sys.path.insert(0, str(Path(__file__).resolve().parent))

pytest_plugins = ("pytester", "support.plugin")
