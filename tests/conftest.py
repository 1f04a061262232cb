"""Makes tests/support importable from every test, in any import mode, and loads the harness."""

import os
import signal
import sys
from pathlib import Path

# A shell has it ignored in what it starts in the background, and children take that over: no Ctrl-C
# would reach them.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests count compilations, and must not use what another run has left: kernels are compiled in each
# process, in those that tests start too. Tests of the cache give it a folder of their own.
os.environ["CUDA_DEVICE_CACHE"] = "off"
# Our IR and LLVM's are verified after every pass.
os.environ["CUDA_DEVICE_VERIFY"] = "1"

sys.path.insert(0, str(Path(__file__).resolve().parent))

pytest_plugins = ("pytester", "support.plugin")
