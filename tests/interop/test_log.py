"""CUDA_DEVICE_LOG: a line on standard error for each compilation and launch."""

import os
import re
import subprocess
import sys
import textwrap

import pytest

HEAD = """
import threading
import numpy as np
from cuda import device as D
from cuda.device import _testing, core

@D.kernel
def halve(a):
    i = D.tid(1)
    if i < a.size:
        a[i] = a[i] / 2

@D.kernel
def wrong(a):
    a[0] = a + 1
"""


def lines_of(tmp_path, text, **environment):
    """What a program says on standard error, as (topic, kernel, facts)."""
    path = tmp_path / "program.py"
    path.write_text(HEAD + textwrap.dedent(text))
    run = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
        env={**os.environ, **environment},
    )
    return run.stderr.splitlines()


LINE = re.compile(r"cuda\.device (\w+) (\w+|\?)((?: \w+=(?:\"(?:[^\"\\]|\\.)*\"|[^ \"]+))*)")
TIME = re.compile(r"\d+(\.\d+)?(us|ms|s)")


def events(lines):
    found = []
    for line in lines:
        whole = LINE.fullmatch(line)
        assert whole, line
        pairs = re.findall(r" (\w+)=(\"(?:[^\"\\]|\\.)*\"|[^ \"]+)", whole[3])
        facts = dict(pairs)
        assert TIME.fullmatch(facts.pop("time")), line
        found.append((whole[1], whole[2], facts))
    return found


LAUNCH = """
a = np.full(1000, 4, np.float32)
D.launch(halve, a, grid=4, block=256)
D.launch(halve, a, grid=(2, 2), block=256, shared=100)
"""


def test_silent_unless_asked(tmp_path):
    assert lines_of(tmp_path, LAUNCH) == []
    assert lines_of(tmp_path, LAUNCH, CUDA_DEVICE_LOG="") == []


def test_compilations(tmp_path):
    ((topic, kernel, facts),) = events(lines_of(tmp_path, LAUNCH, CUDA_DEVICE_LOG="compile"))
    assert (topic, kernel, facts["block"]) == ("compile", "halve", "256,1,1")
    assert facts["target"].startswith("x86-64/")
    assert int(facts["gang"]) in (32, 64)
    assert int(facts["code"]) > 0
    assert (facts["shared"], facts["arena"]) == ("0", "0")


def test_launches(tmp_path):
    first, second = events(lines_of(tmp_path, LAUNCH, CUDA_DEVICE_LOG="launch"))
    assert first[:2] == second[:2] == ("launch", "halve")
    assert (first[2]["grid"], first[2]["block"], first[2]["shared"]) == ("4,1,1", "256,1,1", "0")
    assert (second[2]["grid"], second[2]["shared"]) == ("2,2,1", "100")


def test_both_in_their_order(tmp_path):
    found = events(lines_of(tmp_path, LAUNCH, CUDA_DEVICE_LOG=" launch , compile"))
    assert [topic for topic, _, _ in found] == ["compile", "launch", "launch"]


def test_queued_launches_name_their_stream(tmp_path):
    lines = lines_of(
        tmp_path,
        """
        stream = core.Device("host").create_stream()
        D.launch(halve, np.ones(8), grid=1, block=8, stream=stream)
        stream.sync()
        import sys
        print(stream.handle, file=sys.stderr)
        """,
        CUDA_DEVICE_LOG="launch",
    )
    ((_, _, facts),) = events(lines[:1])
    assert facts["stream"] == lines[1]


def test_every_target(tmp_path):
    text = """
    for target in ("interpreter", "avx2", "sm_80"):
        if target != "avx2" or target in _testing.targets():
            with _testing.use_target(target):
                D.launch(halve, np.ones(8), grid=1, block=8)
    """
    found = events(lines_of(tmp_path, text, CUDA_DEVICE_LOG="compile"))
    targets = [facts["target"] for _, _, facts in found]
    assert [t for t in targets if t != "x86-64/avx2"] == ["interpreter", "sm_80", "interpreter"]


def test_failures_say_why(tmp_path):
    text = """
    try:
        D.launch(wrong, np.ones(8), grid=1, block=8)
    except D.errors.CompileError:
        pass
    """
    ((topic, kernel, facts),) = events(lines_of(tmp_path, text, CUDA_DEVICE_LOG="compile"))
    assert (topic, kernel) == ("compile", "wrong")
    assert "array" in facts["error"]
    assert "code" not in facts


@pytest.mark.parametrize("words", ["launches", "launch,all"])
def test_unknown_words_are_named_once(tmp_path, words):
    lines = lines_of(tmp_path, LAUNCH, CUDA_DEVICE_LOG=words)
    warnings = [line for line in lines if "CUDA_DEVICE_LOG" in line]
    assert len(warnings) == 1
    unknown = words.split(",")[-1]
    assert f"names {unknown};" in warnings[0]
    assert warnings[0].endswith("it knows compile, launch, cache")
    assert len(events(lines[1:])) == (2 if "launch" in words.split(",") else 0)


def test_the_cache_on_disk(tmp_path):
    environment = {
        "CUDA_DEVICE_LOG": "cache",
        "CUDA_DEVICE_CACHE": "on",
        "CUDA_DEVICE_VERIFY": "",
        "CUDA_DEVICE_CACHE_DIR": str(tmp_path / "cache"),
    }
    (_, nobody, miss), (topic, kernel, store) = events(lines_of(tmp_path, LAUNCH, **environment))
    assert (nobody, miss) == ("?", {"event": "miss"})
    assert (topic, kernel, store["event"]) == ("cache", "halve", "store")
    ((topic, kernel, hit),) = events(lines_of(tmp_path, LAUNCH, **environment))
    assert (topic, kernel) == ("cache", "halve")
    assert hit == {**store, "event": "hit"}
    assert int(hit["bytes"]) > 0


def test_why_the_cache_on_disk_takes_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    environment = {
        "CUDA_DEVICE_LOG": "cache",
        "CUDA_DEVICE_CACHE": "on",
        "CUDA_DEVICE_VERIFY": "",
        "CUDA_DEVICE_CACHE_DIR": str(tmp_path / "file" / "cache"),
    }
    lines = [line for line in lines_of(tmp_path, LAUNCH, **environment) if "device cache" in line]
    found = [facts for _, _, facts in events(lines)]
    assert [facts["event"] for facts in found] == ["miss", '"no store"']
    assert found[1]["error"] == f'"{tmp_path}/file/cache: Not a directory"'


def test_lines_of_threads_do_not_mix(tmp_path):
    text = """
    D.launch(halve, np.ones(8), grid=1, block=8)
    def work():
        stream = core.Device("host").create_stream()
        for i in range(200):
            D.launch(halve, np.ones(8), grid=1, block=8, **({"stream": stream} if i % 2 else {}))
        stream.sync()
    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    """
    assert len(events(lines_of(tmp_path, text, CUDA_DEVICE_LOG="launch"))) == 801
