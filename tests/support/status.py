"""What docs/not-implemented.md says is missing."""

import re
import tomllib
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
PAGE = TESTS.parent / "docs" / "not-implemented.md"
NAMES = TESTS / "conformance" / "names.toml"
HEADING = "Missing names"


def name_lists():
    """names.toml as it stands: {"guide": {section: names}, "extra": ..., ...}."""
    with open(NAMES, "rb") as file:
        return tomllib.load(file)


def public_names():
    """Every name that the guide or this project's own list asks for."""
    lists = name_lists()
    return [name for part in ("guide", "extra") for names in lists[part].values() for name in names]


def section_of(heading, text):
    """What stands under a heading of a Markdown text, up to the next one of its level."""
    match = re.search(rf"^(#+) {heading}\s*$", text, re.MULTILINE)
    if not match:
        return ""
    rest = text[match.end() :]
    end = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def missing_names(status):
    """Names in backquotes under the heading "Missing names" of a Markdown text."""
    return set(re.findall(r"`(\w+)`", section_of(HEADING, status)))


def differences(names, present, listed):
    """What is wrong between the names asked for, those present and those listed as missing."""
    wrong = [
        f"{name}: neither present nor listed as missing"
        for name in names
        if name not in present and name not in listed
    ]
    wrong += [
        f"{name}: listed as missing, but present"
        for name in names
        if name in present and name in listed
    ]
    wrong += [
        f"{name}: listed as missing, but nothing asks for it"
        for name in listed
        if name not in names
    ]
    return sorted(wrong)


def missing_section(present):
    """The section of docs/not-implemented.md that lists what is missing now."""
    lists = name_lists()
    lines = [f"## {HEADING}", ""]
    for part in ("guide", "extra"):
        for section, names in lists[part].items():
            missing = [f"`{name}`" for name in names if name not in present]
            if missing:
                title = section if part == "guide" else f"{section}, of our own"
                lines.append(f"- {title}: {' '.join(missing)}")
    return "\n".join(lines) + "\n"
