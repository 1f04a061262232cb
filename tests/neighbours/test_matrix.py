"""Arrays of each library: in and out, stores of both sides, lifetimes, flags, formats, shapes."""

import functools

import pytest

from neighbours.host_libraries import HOST_LIBRARIES
from neighbours.matrix import COLUMNS, answer_of

answer = functools.cache(answer_of)


@pytest.mark.parametrize("check", COLUMNS)
@pytest.mark.parametrize("name", HOST_LIBRARIES)
def test_arrays(name, check):
    found = answer(name)
    if found is None:
        pytest.skip(f"waits for {name} (make neighbours installs it)")
    result = found["results"][check]
    assert not isinstance(result, dict), result["error"]
