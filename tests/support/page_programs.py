"""Programs of the guide that need a process of their own: blocks such as `pool`, each a file."""

import subprocess

from support.pages import GUIDE, blocks_of, cells_of
from support.programs import environment


def check_programs(kind, command, folder):
    """Runs each program of the kind, and asks that it prints what the page says."""
    cells = [
        cell
        for page in sorted(GUIDE.glob("*.md"))
        for cell in cells_of(blocks_of(page.read_text()), kind)
    ]
    assert cells
    for number, cell in enumerate(cells):
        path = folder / f"program{number}.py"
        path.write_text(cell.program.text)
        done = subprocess.run(
            [*command, path], env=environment(), capture_output=True, text=True, timeout=200
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == cell.results["output"].text
