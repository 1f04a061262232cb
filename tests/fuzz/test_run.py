"""The driver of many programs: what crashes or hangs is named, and the rest is checked."""

import os
import signal
import time

from . import workers
from .run import main

KILLED, LEAVES, HANGS, DIFFERS = 3, 5, 8, 11


def fake_check(seed, targets, blocks, by_turns):
    assert targets == ["interpreter"]
    assert blocks
    assert by_turns
    if seed == KILLED:
        os.kill(os.getpid(), signal.SIGKILL)
    if seed == LEAVES:
        os._exit(7)
    if seed == HANGS:
        time.sleep(3600)
    return f"seed {seed}: differs" if seed == DIFFERS else None


def right(seed, targets, blocks, by_turns):
    return None


def process_of(seed):
    return str(os.getpid())


def lines_of(capsys, *arguments, check=fake_check):
    code = main(["--targets=interpreter", "--blocks", "--by-turns", "--limit=1", *arguments], check)
    return code, capsys.readouterr().out.splitlines()


def test_the_program_of_a_process_that_died_is_named(capsys):
    for jobs in (1, 2):
        code, lines = lines_of(capsys, "--programs=12", f"--jobs={jobs}")
        assert code == 1
        assert sorted(lines[1:-1]) == [
            "seed 11: differs",
            "seed 3: its process died: SIGKILL",
            "seed 5: its process died: exit code 7",
            "seed 8: not done after 1 s",
        ]
        assert lines[-1] == "12 programs, 4 differ"


def test_all_is_well(capsys):
    code, lines = lines_of(capsys, "--programs=5", "--first=9", "--jobs=2", check=right)
    assert code == 0
    assert lines == ["5 programs on interpreter", "5 programs, 0 differ"]


def test_processes_are_renewed(monkeypatch):
    monkeypatch.setattr(workers, "RENEWED_AFTER", 2)
    found = dict(workers.run(process_of, range(5), 1, 60))
    assert sorted(found) == [0, 1, 2, 3, 4]
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert len(set(found.values())) == 3
