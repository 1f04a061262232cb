"""Programs of the guide that start other processes."""

import sys

from support.page_programs import check_programs


def test_pools(tmp_path):
    check_programs("pool", [sys.executable], tmp_path)
