"""What is said of a name that a module does not have."""

import sys


def no_such_name(module: str, name: str, hint: str) -> Exception:
    """For a module's __getattr__ to raise; hint: what to write, after a semicolon, or "".

    For `from module import name` an ImportError: Python makes one of an AttributeError, without its
    text.
    """
    import dis  # takes milliseconds, which every start of the package would

    asking = sys._getframe(2)
    if hint and dis.opname[asking.f_code.co_code[asking.f_lasti]] == "IMPORT_FROM":
        return ImportError(f"cannot import name {name!r} from {module!r}{hint}", name=name)
    return AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
