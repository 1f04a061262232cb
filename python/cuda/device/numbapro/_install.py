"""`import numbapro` finds this package, without a top-level package of that name."""

import sys

_NAMES = {"numbapro": "cuda.device.numbapro", "numbapro.cuda": "cuda.device.numbapro.cuda"}


def install() -> None:
    """Makes `import numbapro` and `from numbapro import cuda` of this process find this package.

    A NumbaPro that is imported already stays. Raises ImportError then.
    """
    import cuda.device.numbapro.cuda  # noqa: F401 it is found in sys.modules

    for name, ours in _NAMES.items():
        if sys.modules.get(name, sys.modules[ours]) is not sys.modules[ours]:
            raise ImportError(f"another {name!r} has been imported already", name=name)
    for name, ours in _NAMES.items():
        sys.modules[name] = sys.modules[ours]
