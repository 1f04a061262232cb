"""Programs in NumbaPro's style of 2014 run as they stand, on every target."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from cuda.device import numbapro
from support.programs import environment

HERE = Path(__file__).parent
PROGRAMS = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("test_"))


@pytest.fixture
def installed(monkeypatch):
    for name in ("numbapro", "numbapro.cuda"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    before = dict(sys.modules)
    numbapro.install()
    yield
    for name in ("numbapro", "numbapro.cuda"):
        if name not in before:
            del sys.modules[name]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run(target, installed, capsys, program):
    runpy.run_path(str(HERE / f"{program}.py"), run_name="__main__")
    assert capsys.readouterr().out == f"{program} ok\n"


def test_programs_run_from_the_command_line():
    program = HERE / "vectoradd.py"
    done = subprocess.run(
        [sys.executable, "-m", "cuda.device.numbapro", str(program)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "vectoradd ok\n", "")
    done = subprocess.run(
        [sys.executable, "-m", "cuda.device.numbapro"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 1
    assert "usage: python -m cuda.device.numbapro" in done.stderr


def test_another_numbapro_stays(monkeypatch):
    monkeypatch.setitem(sys.modules, "numbapro", sys)
    with pytest.raises(ImportError, match="another 'numbapro' has been imported already"):
        numbapro.install()
    assert sys.modules["numbapro"] is sys
