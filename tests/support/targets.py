"""Where a test runs: the IR interpreter, the host in one of its mask forms, PTX, or a GPU."""

import importlib
import os
import re
import sys
import zlib

import pytest

DEFAULT = ("interpreter", "avx512", "avx2", "ptx")
LONG = ("sse4", "avx512-threads")
BY_NAME_ONLY = ("cuda",)
ALL = DEFAULT + LONG + BY_NAME_ONLY
EMULATED = "emulated-"
# After a host form: gangs of so many lanes, or threads one by one; after the interpreter: threads
# in a random order.
VARIANT = re.compile("x(8|16|32|64)$|-seed[0-9]+$|-threads$")
NOT_ASSEMBLED = "ptx (not assembled)"

WAITS_FOR = {
    "interpreter": "a build of the package with the IR interpreter",
    "avx512": "an x86-64 machine with AVX-512 (F, BW, DQ, VL), or AVX2 to emulate it",
    "avx2": "an x86-64 machine with AVX2",
    "sse4": "an x86-64 machine with SSE4.2",
    "ptx": "a build of the package with LLVM's NVPTX back end",
    "cuda": "a machine with an NVIDIA GPU and its driver",
}


def testing():
    """The package's own module for tests; imported late so that the harness works without it."""
    return importlib.import_module("cuda.device._testing")


def without_variant(name):
    return VARIANT.sub("", name)


def on_this_machine(name):
    """What the package calls a target here: a form that this CPU has not is emulated if it can be.

    Emulated, a form goes the same way through the compiler, but for the back end.
    """
    form, known = without_variant(name), testing().targets()
    return EMULATED + name if form not in known and EMULATED + form in known else name


def use_target(name):
    """Context manager: launches without a GPU stream run on this target."""
    return testing().use_target(on_this_machine(name))


def for_test(config, name, test):
    """The target of one test: "ptx" is assembled for one architecture, by turns, for all of them
    with --every-architecture or --long."""
    if name != "ptx" or config.getoption("--every-architecture") or config.getoption("--long"):
        return name
    known = testing().architectures()
    return known[zlib.crc32(test.encode()) % len(known)]


def available(name):
    """Whether this machine can run the target."""
    return without_variant(on_this_machine(name)) in testing().targets()


def reported(name):
    """What the clause report calls a target: PTX that nobody assembled, and a form on a CPU that
    has it not, show less."""
    if name == "ptx" and not testing().assembles():
        return NOT_ASSEMBLED
    name = without_variant(name)
    return f"{name} (emulated)" if on_this_machine(name) != name else name


def require(name):
    """Skips the test where this machine cannot run the target, naming the one it waits for."""
    if not available(name):
        pytest.skip(f"target {name} waits for {WAITS_FOR[without_variant(name)]}")


def settle_gpu():
    """Waits for GPU 0 after a test: an error that it left is its own. Where the GPU takes no work
    from this process any more, one of several processes of tests ends, and pytest-xdist starts
    another one instead."""
    sync = importlib.import_module("cuda.device._core").sync_device
    try:
        sync(0)
    except Exception:
        try:
            sync(0)  # what one launch left is told once only
        except Exception as lost:
            if "PYTEST_XDIST_WORKER" in os.environ:
                print(f"GPU 0 is lost: {lost}", file=sys.stderr)
                os._exit(70)
        raise


def chosen(config):
    """The targets of this run: --target as given, else the default ones; more with --long."""
    named = config.getoption("--target")
    if named:
        return tuple(dict.fromkeys(named))
    return DEFAULT + LONG if config.getoption("--long") else DEFAULT


def chosen_of(config, names):
    """Of some targets, named with their variants, those of this run."""
    run = chosen(config)
    return tuple(name for name in names if without_variant(name) in run)


def check_named(config):
    """A target asked for by name must run here: all tests skipped would look like success."""
    for name in config.getoption("--target") or ():
        if not available(name):
            raise pytest.UsageError(f"--target={name} needs {WAITS_FOR[name]}")
