"""The harness itself: the list of names against docs/not-implemented.md."""

from support import status

TEXT = """# Status
`kernel` works.
## Missing names
- vectors: `int8x1` `int8x2`
### Atomics
- `Atomic`
## Next
`launch`
"""


def test_missing_names_are_read_up_to_the_next_heading():
    assert status.missing_names(TEXT) == {"int8x1", "int8x2", "Atomic"}
    assert status.missing_names("# Status\n`kernel`") == set()


def test_names_neither_present_nor_listed_and_listed_but_present():
    wrong = status.differences(
        ["kernel", "func", "launch"], {"kernel", "launch"}, {"launch", "blah"}
    )
    assert wrong == [
        "blah: listed as missing, but nothing asks for it",
        "func: neither present nor listed as missing",
        "launch: listed as missing, but present",
    ]
    assert status.differences(["kernel", "func"], {"kernel"}, {"func"}) == []


def test_the_section_for_the_status_page_closes_the_gap():
    present = {"kernel", "func", "launch", "float32"}
    listed = status.missing_names(status.missing_section(present))
    assert status.differences(status.public_names(), present, listed) == []


def test_the_list_of_names_is_complete():
    lists = status.name_lists()
    names = status.public_names()
    assert len(names) == len(set(names))
    assert len(lists["guide"]["vectors"]) == 1 + 14 * 4
    assert len(lists["guide"]["numbers"]) == 16
    assert "Dim3Like" not in names
