"""The checks of host_checks.py fail where a library does not do what it says: NumPy, spoiled."""

import json
import re

import numpy as np
import pytest

from neighbours.host_checks import results
from neighbours.host_libraries import HOST_LIBRARIES, NumPy
from neighbours.matrix import COLUMNS, PAGE, cell


def spoiled(**methods):
    return type("Spoiled", (NumPy,), methods)()


def copied(array):
    return np.array(array)


# What is wrong with a library, and the columns that must say so.
SPOILED = {
    "a lost flag": ({"read_only": lambda self, a: a.copy()}, {"read-only"}),
    "takes nothing": ({"take": lambda self, ours: None}, {"out", "source deleted"}),
    "takes a copy": ({"take": lambda self, ours: copied(ours)}, {"out"}),
    "has no slices": ({"strided": lambda self, a: None}, {"not contiguous"}),
    "slices wrongly": ({"strided": lambda self, a: a[1::2]}, {"not contiguous"}),
    "gives a copy": (
        {"given": lambda self, a: a.copy()},
        {"our stores", "their stores", "read-only"},
    ),
    "stores nothing": ({"store": lambda self, a, i, x: None}, {"their stores"}),
    "has no empty arrays": (
        {"make": lambda self, a: a.copy() if a.size else np.zeros(4, a.dtype)},
        {"zero size"},
    ),
    "knows real numbers alone": ({"make": lambda self, a: a.real.astype("f4")}, {"dtypes"}),
}


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_library_is_seen(what):
    methods, wanted = SPOILED[what]
    found = results(spoiled(**methods))
    assert {name for name, each in found.items() if isinstance(each, dict)} == wanted


def test_numpy_itself_passes():
    found = json.loads(json.dumps(results(NumPy())))
    assert found == {name: NumPy().cell(name) for name in COLUMNS}


def test_the_page_says_what_is_expected():
    """Of every library, also where it is not installed."""
    rows = re.findall(r"^\| (\w+) \| [^|]* \| (.*) \|$", PAGE.read_text(), re.M)
    said = {name: cells.split(" | ") for name, cells in rows if name in HOST_LIBRARIES}
    plain = {name: kind.__new__(kind) for name, kind in HOST_LIBRARIES.items()}
    assert said == {
        name: [cell(library.cell(column)) for column in COLUMNS] for name, library in plain.items()
    }
