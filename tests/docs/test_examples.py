"""Every example of the guide and of the README runs, and gives what the page says."""

import pytest
from support.pages import Block, Runner, blocks_of, cells_of, differences, pages


def wrong(page, text):
    runner = Runner(page)
    return [
        line
        for cell in cells_of(blocks_of(text))
        for line in differences(page, cell, runner.run(cell))
    ]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_examples(page):
    assert not wrong(page, page.read_text())


# What the pages are compared with must itself notice mistakes.
PAGE = """
```python
print("one")
```

```output
one
```

```python
names = [1]
names[2]
```

```error
IndexError: list index out of range
```
"""


@pytest.mark.parametrize(
    ("old", "new", "mistakes"),
    [
        ("", "", 0),
        ("\none\n", "\ntwo\n", 1),
        ("```output\none\n```", "", 1),
        ("out of range", "out", 1),
        ("names[2]", "names[0]", 1),
        ("names = [1]", "print(5)\nnames = [1]", 1),
    ],
)
def test_mistakes_of_pages_are_found(old, new, mistakes):
    assert len(wrong(pages()[0], PAGE.replace(old, new) if old else PAGE)) == mistakes


@pytest.mark.parametrize("text", ["```python\n", "```output\n```", "```error\n```\n"])
def test_pages_that_cannot_be_read(text):
    with pytest.raises(AssertionError):
        cells_of(blocks_of(text))


def test_blocks():
    text = "a\n```sh\nb\n\nc\n```\n````text\n```\n````\n"
    assert blocks_of(text) == [Block("sh", 1, "b\n\nc\n"), Block("text", 6, "```\n")]
    assert [block.end for block in blocks_of(text)] == [5, 8]
