"""Runs demo/run.py with launches watched.

demo_program.py spoil KERNEL ARGUMENT...   makes this kernel's first output wrong in some elements
demo_program.py ptx FOLDER ARGUMENT...     writes the PTX of every kernel to FOLDER/<name>.ptx
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))

import run
from cuda import device

launch = device.launch


def spoiled(kernel_name):
    """A launch that a wrong kernel would make."""

    def launch_and_spoil(kernel, *arguments, **options):
        launch(kernel, *arguments, **options)
        if kernel.underlying.__name__ == kernel_name:
            arguments[0].reshape(-1)[::97] += 2

    return launch_and_spoil


def recorded(folder):
    """A launch that writes down the kernel as PTX before it runs it here."""

    def launch_and_record(kernel, *arguments, grid, block):
        path = Path(folder) / f"{kernel.underlying.__name__}.ptx"
        if not path.exists():
            path.write_text(kernel.inspect(*arguments, what="ptx", grid=grid, block=block))
        launch(kernel, *arguments, grid=grid, block=block)

    return launch_and_record


watchers = {"spoil": spoiled, "ptx": recorded}
device.launch = watchers[sys.argv[1]](sys.argv[2])
sys.exit(run.main(sys.argv[3:]))
