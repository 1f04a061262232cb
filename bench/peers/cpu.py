"""What this CPU runs of the forms that host code comes in."""

from pathlib import Path

# Widest first, with the flags of /proc/cpuinfo that each needs.
FORMS = {"avx512": ("avx512f", "avx512dq"), "avx2": ("avx2", "fma")}


def forms():
    """The forms that this CPU runs, widest first."""
    flags = Path("/proc/cpuinfo").read_text().split()
    return [form for form, needed in FORMS.items() if set(needed) <= set(flags)]
