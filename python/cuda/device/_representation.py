"""How numbers, structs and names of functions are represented where C++ meets kernels."""

__all__ = ["machine_representation"]


def machine_representation() -> str:
    """The C++ ABI whose layouts and names kernels and host code share: "itanium" on Linux.

    Structs, tuples and vectors are laid out as this ABI lays out the C++ types that stand for them.
    Not for use in kernels.
    """
    return "itanium"
