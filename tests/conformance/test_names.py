"""Every name of the guide exists, or docs/not-implemented.md says that it is missing."""

import subprocess
import sys

import pytest
from cuda import device as D
from support.clauses import clause

from support import status


def missing_now():
    return [name for name in status.public_names() if not hasattr(D, name)]


def test_every_name_is_present_or_listed_as_missing():
    listed = status.missing_names(status.PAGE.read_text())
    assert status.differences(status.public_names(), set(dir(D)), listed) == []


@clause("DEV-GEN-01", "DEV-GEN-02")
def test_the_entities_live_in_cuda_device(partly):
    missing = missing_now()
    if missing:
        partly(f"{len(missing)} names are missing, see docs/not-implemented.md")
    present = [name for name in status.public_names() if name not in missing]
    assert {"kernel", "launch", "float32"} <= set(present)
    assert all(getattr(D, name) is not None for name in present)


@clause("DEV-GEN-02")
def test_import_star_gives_these_names_and_no_others(partly):
    missing = missing_now()
    if missing:
        partly(f"{len(missing)} names are missing, see docs/not-implemented.md")
    program = "from cuda.device import *\nprint(*[n for n in dir() if not n.startswith('__')])"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    given = set(run.stdout.split())
    guide = {name for names in status.name_lists()["guide"].values() for name in names}
    assert guide - set(missing) <= given
    assert given <= set(status.public_names())


@clause("DEV-GEN-06")
def test_exposition_only_names_do_not_exist():
    for name in status.name_lists()["exposition_only"]["names"]:
        with pytest.raises(AttributeError, match=name):
            getattr(D, name)
