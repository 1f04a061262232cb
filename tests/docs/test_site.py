"""The site: generated parts are current, links lead somewhere, every page is in it, it builds."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.pages import ROOT, blocks_of

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

LINK = re.compile(r"(?<!\\)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*)$", re.MULTILINE)


def without_blocks(text):
    """The text of a page; what is in fenced blocks and in code is no link and no heading."""
    lines = text.splitlines()
    for block in blocks_of(text):
        lines[block.first : block.end + 1] = [""] * (block.end + 1 - block.first)
    return "\n".join(lines)


def anchors(text):
    """Anchors of the headings, as GitHub and MyST make them."""
    titles = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return {title.strip().replace(" ", "-") for title in titles}


def broken_links(page, text):
    """The relative links of a page that lead nowhere."""
    prose = re.sub(r"`[^`\n]*`", "", without_blocks(text))
    for match in LINK.finditer(prose):
        target = match[1]
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.is_file():
            yield f"{target}: no such file"
        elif anchor and anchor not in anchors(without_blocks(file.read_text())):
            yield f"{target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    assert list(broken_links(page, page.read_text())) == []


def test_broken_links_are_found():
    text = "[a](faq.md) [b](none.md)\n[c](faq.md#no-such) `[d](none.md)` ![e](none.svg)"
    found = list(broken_links(DOCS / "guide" / "language.md", text))
    assert [line.partition(":")[0] for line in found] == ["none.md", "faq.md#no-such", "none.svg"]


def listed(page):
    """The pages that a page's toctree blocks name."""
    names = []
    for block in blocks_of(page.read_text()):
        lines = [line for line in block.text.splitlines() if line and line[0] != ":"]
        if "{toctree}" in page.read_text().splitlines()[block.first]:
            for name in lines:
                names += sorted(page.parent.glob(f"{name}.md"))
    return names


def test_every_page_is_in_the_site():
    named = [page for index in sorted(DOCS.rglob("index.md")) for page in listed(index)]
    assert sorted([*named, DOCS / "index.md"]) == sorted(DOCS.rglob("*.md"))


def test_generated_parts_are_current():
    script = ROOT / "scripts" / "gen_guide_docs.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


GENERATOR = ("sphinx", "myst_parser", "furo")


def test_the_site_builds(tmp_path):
    missing = [name for name in GENERATOR if not importlib.util.find_spec(name)]
    if missing:
        pytest.skip(f"waits for {', '.join(missing)} (scripts/requirements-dev.txt lists them)")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    done = subprocess.run([*command, DOCS, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "<svg" in next(Path(tmp_path).rglob("execution*.svg")).read_text()
