"""Sphinx builds the pages of this folder into a site: `make docs`. Pages are Markdown (MyST)."""

from pygments.lexers.python import PythonLexer
from pygments.lexers.special import TextLexer

project = "cuda.device"
author = "the authors of cuda.device"
copyright = author
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}

html_theme = "furo"
html_title = "cuda.device"
html_copy_source = False

myst_heading_anchors = 4
nitpicky = True
smartquotes = False  # messages are to be found as they are


def setup(app):
    """The kinds of fenced blocks that tests/support/pages.py runs and compares."""
    for kind in ("numba", "pool", "dask", "mpi"):
        app.add_lexer(kind, PythonLexer)
        app.add_lexer(f"{kind}-output", TextLexer)
    for kind in ("output", "error", "numba-error"):
        app.add_lexer(kind, TextLexer)
