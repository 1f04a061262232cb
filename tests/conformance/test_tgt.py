"""Target specialisation (DEV-TGT)."""

import copy
import pickle
import re

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run

OLD = [50, 52, 53, 60, 61, 62, 70, 72]  # for which no code is made
VERSIONS = [*OLD, 75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121]
SELECTORS = {version: getattr(D, f"sm{version}") for version in VERSIONS}
HOST = 0  # below every architecture, as an undefined __CUDA_ARCH__
EVERYWHERE = {HOST, *VERSIONS}

FROM_80 = D.provides(D.sm80)
LISTED = (D.is_exactly(D.sm75) | D.is_exactly(D.sm90), FROM_80 & ~D.is_host)
FLAG = True

# What each description of the kernel below says, as a set of versions.
MEANT = [
    {HOST},
    EVERYWHERE - {HOST},
    EVERYWHERE,
    set(),
    {75, 90},
    {v for v in EVERYWHERE if v < 90},
    {v for v in EVERYWHERE if v <= 80},
    {v for v in EVERYWHERE if v > 80},
    {v for v in EVERYWHERE if v >= 90},
    {v for v in EVERYWHERE if v >= 80},
    {75, 90},
    {v for v in EVERYWHERE if v >= 80},
    {75},
    {v for v in EVERYWHERE if v >= 100} | {75},
    EVERYWHERE - {80},
    {80},
]
MARK = 1 << 24


@D.func
def answers():
    return (
        (D.target(D.is_host) << 0)
        + (D.target(D.is_device) << 1)
        + (D.target(D.any_target) << 2)
        + (D.target(D.no_target) << 3)
        + (D.target(D.is_exactly(D.sm75) | D.is_exactly(D.sm90)) << 4)
        + (D.target(~D.provides(D.sm90)) << 5)
        + (D.target(~D.provides(D.sm80) | D.is_exactly(D.sm80)) << 6)
        + (D.target(D.provides(D.sm80) & ~D.is_exactly(D.sm80)) << 7)
        + (D.target(D.provides(D.sm90)) << 8)
        + (D.target(FROM_80) << 9)
        + (D.target(LISTED[0]) << 10)
        + (D.target(LISTED[1]) << 11)
        + (D.target(LISTED[0] & ~FROM_80) << 12)
        + (D.target(D.provides(D.sm100) | LISTED[0] & D.is_exactly(D.sm75)) << 13)
        + (D.target(~D.is_exactly(D.sm80)) << 14)
        + (D.target(~~D.is_exactly(D.sm80)) << 15)
        + MARK
    )


@D.kernel
def store_answers(out):
    out[0] = answers()


def expected(version):
    return MARK + sum((version in meant) << i for i, meant in enumerate(MEANT))


@clause(
    "DEV-TGT-01",
    "DEV-TGT-02",
    "DEV-TGT-04",
    "DEV-TGT-05",
    "DEV-TGT-06",
    "DEV-TGT-07",
    "DEV-TGT-10",
    "DEV-TGT-12",
    "DEV-TGT-13",
    "DEV-TGT-14",
    "DEV-TGT-20",
)
def test_a_kernel_on_the_host_device_finds_itself_on_sm90(target):
    out = np.zeros(1, np.int32)
    run(store_answers, out)
    assert out[0] == expected(90)
    assert answers() == expected(HOST)  # Python's own call is host code


@pytest.mark.parametrize("version", [50, 75, 90, 121])
def test_the_environment_says_which_gpu_the_host_device_emulates(target, version, monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_EMULATE", f"sm_{version}")
    out = np.zeros(1, np.int32)
    run(D.kernel(store_answers.__wrapped__), out)  # compiled anew
    assert out[0] == expected(version)
    capability = D.core.Device("host").compute_capability
    assert (capability.major, capability.minor) == divmod(version, 10)
    ptx = D.kernel(store_answers.__wrapped__).inspect("array[int32, 1]", what="ptx", target="sm_80")
    assert ".target sm_80" in ptx


@pytest.mark.parametrize("text", ["sm_77", "75", "sm_7x", "sm_"])
def test_an_architecture_that_is_none_cannot_be_emulated(text, monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_EMULATE", text)
    with pytest.raises(ValueError, match=f"CUDA_DEVICE_EMULATE is '{text}'; it takes the arch"):
        run(D.kernel(store_answers.__wrapped__), np.zeros(1, np.int32))


@clause(
    "DEV-TGT-01",
    "DEV-TGT-02",
    "DEV-TGT-03",
    "DEV-TGT-04",
    "DEV-TGT-05",
    "DEV-TGT-06",
    "DEV-TGT-07",
    "DEV-TGT-12",
    "DEV-TGT-13",
    "DEV-TGT-14",
    "DEV-TGT-17",
    "DEV-TGT-18",
    "DEV-TGT-20",
)
def test_ptx_has_the_answers_of_its_architecture():
    for version in (75, 80, 86, 89, 90, 100, 120):
        ptx = store_answers.inspect("array[int32, 1]", what="ptx", target=f"sm_{version}")
        stored = re.findall(r"st\.global\.b8 \t\[%\w+(?:\+(\d))?\], (\d+);", ptx)  # bytes
        assert sum(int(v) << 8 * int(at or 0) for at, v in stored) == expected(version)


@clause("DEV-TGT-03", "DEV-TGT-17", "DEV-TGT-18", "DEV-TGT-12", "DEV-TGT-13", "DEV-TGT-14")
def test_descriptions_are_sets():
    def members(description):
        found = {HOST} if D.target(description) else set()
        return found | {
            v for v in VERSIONS if description & D.is_exactly(SELECTORS[v]) != D.no_target
        }

    for version, sm in SELECTORS.items():
        exact, newer = D.is_exactly(sm), D.provides(sm)
        assert members(exact) == {version}
        assert members(newer) == {v for v in VERSIONS if v >= version}
        assert members(~exact) == EVERYWHERE - {version}
        assert ~~exact == exact
        assert hash(~~exact) == hash(exact)
        assert members(~newer | exact) == {v for v in EVERYWHERE if v <= version}
        assert members(newer & ~exact) == {v for v in VERSIONS if v > version}
        assert members(exact | D.is_host) == {HOST, version}
        assert members(newer & D.is_host) == set()
    for one in (D.is_host, D.is_device, D.any_target, D.no_target):
        assert isinstance(one, D.TargetDescription)
        assert pickle.loads(pickle.dumps(one)) == one
    assert members(D.any_target) == EVERYWHERE
    assert repr(D.is_host | D.is_exactly(D.sm80)) == "TargetDescription(host, sm80)"


@clause("DEV-TGT-16")
def test_selectors():
    for version, sm in SELECTORS.items():
        assert isinstance(sm, D.SMSelector)
        assert repr(sm) == f"sm{version}"
        assert pickle.loads(pickle.dumps(sm)) is sm
        assert copy.deepcopy(sm) is sm
    assert len(set(SELECTORS.values())) == len(VERSIONS)
    with pytest.raises(AttributeError):
        D.sm99  # noqa: B018
    with pytest.raises(ValueError, match="there is no architecture 99"):
        D.SMSelector(99)


@D.func
def where_am_i():
    if D.target(D.is_device):
        x = D.thread_idx.x
        return x + 100
    else:
        with open(NO_SUCH_FILE) as file:  # noqa: F821
            return file.read() + 1


@D.func
def host_first(x):
    if D.target(D.is_host):
        return x
    return x + int(D.block_dim.x)


@D.func
def forms(x):
    y = D.thread_idx.x * 2 if D.target(D.is_device) else "no number" + 1
    z = 0
    if not D.target(D.is_host) and FLAG:
        z = int(D.block_idx.x) + 1
    if D.target(D.is_host):
        z = missing_name  # noqa: F821
    elif D.target(D.is_exactly(D.sm50)) or not FLAG:
        z = x.no_such_attribute
    elif D.target(D.is_device) and D.thread_idx.x == 1:
        z += 10
    if D.target(D.no_target) and x.nothing:
        z = None
    if D.target(D.any_target) or x.nothing:
        z += 100
    return z + int(y)


@D.kernel
def guarded(out):
    i = D.thread_idx.x
    out[i, 0] = where_am_i()
    out[i, 1] = host_first(5)
    out[i, 2] = forms(1)


@clause("DEV-TGT-08", "DEV-TGT-09", "DEV-FUNC-04")
def test_dead_branches_are_neither_typed_nor_compiled(target):
    out = np.zeros((3, 3), np.int32)
    run(guarded, out, block=3)
    i = np.arange(3)
    wanted = np.stack([100 + i, 0 * i + 8, 101 + 10 * (i == 1) + 2 * i], axis=1)
    assert np.array_equal(out, wanted)
    assert host_first(5) == 5


@D.func
def logs(x):
    """Displays that no kernel has, in a function that gives nothing."""
    if D.target(D.is_host):
        seen = [x]
        print({"x": seen, **{}})


@D.kernel
def calls_what_logs(out):
    logs(out[0])
    out[0] += 1


@clause("DEV-TGT-08", "DEV-TGT-09")
def test_dead_branches_of_functions_that_give_nothing(target):
    out = np.zeros(1, np.int32)
    run(calls_what_logs, out)
    assert out[0] == 1


@D.func
def unguarded(x):
    if D.target(D.is_device | D.is_host):
        x += int(D.thread_idx.x)  # refused
    return x


@D.func
def after_the_guard(x):
    if FLAG:
        if D.target(D.is_host):
            return x
        x += int(D.thread_idx.x)
    return x + int(D.thread_idx.x)  # refused


@clause("DEV-FUNC-04", "DEV-TGT-08")
@pytest.mark.parametrize("function", [unguarded, after_the_guard])
def test_places_that_host_code_reaches_may_not_be_device_only(function):
    @D.kernel
    def kernel(out):
        out[0] = function(1)

    words = ("'device.thread_idx' exists only on devices", "called here")
    expect_refusal(kernel, np.zeros(1), functions=(function,), words=words)


@clause("DEV-TGT-11", "DEV-TGT-15", "DEV-TGT-19")
def test_mistakes_on_the_host():
    for wrong in (3, "sm80", D.sm80, None):
        with pytest.raises(TypeError, match=r"target\(\) takes a target description, found"):
            D.target(wrong)
    for wrong in (80, "sm80", D.is_host):
        for function in (D.provides, D.is_exactly):
            with pytest.raises(TypeError, match="takes an architecture, found"):
                function(wrong)
    sm80 = D.provides(D.sm80)
    for use in (bool, lambda d: not d, lambda d: d and sm80, lambda d: d or sm80):
        with pytest.raises(TypeError, match="combine descriptions by ~"):
            use(sm80)
    with pytest.raises(TypeError):
        sm80 | True
    with pytest.raises(AttributeError, match="constant"):
        D.sm80._version = 90
    with pytest.raises(TypeError, match="not made directly"):
        D.TargetDescription()
