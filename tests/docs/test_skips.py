"""Every test that may be skipped says which machine, tool or package it waits for, or that it is
for other targets."""

import ast
import re

import pytest
from support.pages import ROOT

REASON = re.compile(r"\bwaits? for\b|^for other targets: ")
WITH_REASON = ("skip", "skipif", "importorskip")


def texts_of(node):
    """The text of a literal, or what is literal in an f-string."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(p.value for p in parts if isinstance(p, ast.Constant))


def skips_of(text):
    """(line, reason) of each call that skips a test of pytest's; no reason: None."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = ast.unparse(node.func.value)
        if node.func.attr not in WITH_REASON or owner not in ("pytest", "pytest.mark"):
            continue
        given = {k.arg: k.value for k in node.keywords}.get("reason")
        if node.func.attr == "skip" and node.args:
            given = node.args[0]
        yield node.lineno, None if given is None else texts_of(given)


def test_skips_say_what_they_wait_for():
    wrong = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        wrong += [
            f"{path.relative_to(ROOT)}:{line}: {reason}"
            for line, reason in skips_of(path.read_text())
            if reason is None or not REASON.search(reason)
        ]
    assert not wrong, "\n".join(wrong)


def test_skips_of_cpp_tests_say_what_they_wait_for():
    wrong = []
    for path in sorted((ROOT / "tests" / "unit").rglob("*.*")):
        for reason in re.findall(r"GTEST_SKIP\(\)(?: << \"(.*?)\")?", path.read_text()):
            if not REASON.search(reason):
                wrong.append(f"{path.relative_to(ROOT)}: {reason}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ('pytest.skip("not here")', ["not here"]),
        ('pytest.importorskip("torch")', [None]),
        ('pytest.mark.skipif(x, reason=f"waits for {y}")', ["waits for "]),
        ("other.skip(1)", []),
    ],
)
def test_skips_are_found(text, reasons):
    assert [reason for _, reason in skips_of(text)] == reasons
