"""What is said of a name that a module does not have."""

import functools
import sys


@functools.cache  # a kernel that is wrong may say it a thousand times
def _close_name(module: str, name: str) -> str:
    import difflib

    there = [known for known in sys.modules[module].__all__ if not known.startswith("_")]
    close = difflib.get_close_matches(name, there, n=1)
    return f"; did you mean {close[0]!r}?" if close and not name.startswith("_") else ""


def no_such_name(module: str, name: str, hint: str) -> Exception:
    """For a module's __getattr__ to raise; hint: what to write, after a semicolon, or "".

    Without one it is the nearest name that there is. For `from module import name` an ImportError:
    Python makes one of an AttributeError, without its text.
    """
    import dis  # takes milliseconds, which every start of the package would

    hint = hint or _close_name(module, name)
    asking = sys._getframe(2)
    if hint and dis.opname[asking.f_code.co_code[asking.f_lasti]] == "IMPORT_FROM":
        return ImportError(f"cannot import name {name!r} from {module!r}{hint}", name=name)
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
