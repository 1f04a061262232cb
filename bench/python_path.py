"""The option of every program here that runs our kernels."""

from pathlib import Path


def add_option(parser):
    """--python-path DIR, as often as wanted: to be put in front of sys.path, as absolute names."""
    parser.add_argument(
        "--python-path",
        action="append",
        default=[],
        type=lambda folder: str(Path(folder).resolve()),
        metavar="DIR",
        help="where cuda.device lies when it is not installed",
    )
