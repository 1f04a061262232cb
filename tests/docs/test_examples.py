"""Every example of the guide and of the README runs, and gives what the page says."""

import pytest
from support.pages import Runner, blocks_of, cells_of, differences, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_examples(page):
    runner, wrong = Runner(page), []
    for cell in cells_of(blocks_of(page.read_text())):
        wrong += differences(page, cell, runner.run(cell))
    assert not wrong, "\n\n".join(wrong)
