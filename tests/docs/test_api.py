"""The API reference holds every public name, says something of each, and is current."""

import pkgutil
import re
import subprocess
import sys

import pytest
from cuda import device
from cuda.device import array_api, core, errors, numbapro, random
from support.pages import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from guide import api_entries

API = ROOT / "docs" / "api"
CLAUSE = re.compile(r"\b(?:DEV|CAI)-[A-Z0-9]+-\d+")


def named(sections):
    return sorted(name for names in sections.values() for name in names)


@pytest.mark.parametrize(
    ("module", "sections"),
    [
        (device, api_entries.DEVICE),
        (core, api_entries.CORE),
        (numbapro.cuda, api_entries.NUMBAPRO),
    ],
)
def test_every_public_name_stands_in_a_section(module, sections):
    assert named(sections) == sorted(module.__all__)


def public_modules():
    return [
        m.name for m in pkgutil.iter_modules(device.__path__) if not m.name.startswith(("_", "lib"))
    ]


def test_every_public_module_has_a_page():
    assert sorted(page.stem for page in API.glob("*.md")) == sorted(["device", *public_modules()])
    assert set(public_modules()) <= {"array_api", "core", "errors", "numbapro", "random"}


def test_names_of_random_have_entries():
    assert headings("random.md") == list(random.__all__)


def test_every_name_of_the_array_api_is_on_its_page():
    page = (API / "array_api.md").read_text()
    own = named(api_entries.ARRAY_API)
    assert sorted(name.replace("\\", "") for name in headings("array_api.md")) == own
    listed = re.findall(r"`(\w+)`", page.partition("## Functions of the standard")[2])
    assert set(array_api.__all__) == {*own, *set(listed) & set(array_api.__all__)}
    assert {*vars(array_api.linalg), *vars(array_api.fft)} <= set(listed)


def test_every_class_of_errors_has_a_row():
    rows = re.findall(r"^\| `(\w+)` \|", (API / "errors.md").read_text(), re.MULTILINE)
    assert rows[0:] == list(errors.__all__)


def headings(page):
    return re.findall(r"^### (.*)$", (API / page).read_text(), re.MULTILINE)


def test_every_heading_has_a_text():
    """Below the signature of each name, and of each member, something is said."""
    for page in ("device.md", "core.md", "numbapro.md", "array_api.md"):
        text = re.sub(r"^```text\n.*?\n```$", "", (API / page).read_text(), flags=re.S | re.M)
        entries = re.split(r"^(?=##+ |\* `)", text, flags=re.MULTILINE)[1:]
        entries = [entry for entry in entries if not entry.startswith("## ")]
        empty = [e for e in entries if not "".join(e.splitlines()[1:]).strip()]
        assert empty == [], page
        assert len(headings(page)) > 10


def test_users_read_no_numbers_of_clauses():
    pages = [path for path in API.glob("*.md") if CLAUSE.search(path.read_text())]
    assert pages == []


def explained(text):
    """Names of parameters that a line of a docstring explains, or an item of a page."""
    heads = re.findall(r"^(?:- )?([a-z_`]+(?:, [a-z_`]+)*): \S", text, re.MULTILINE)
    return {name for head in heads for name in head.replace("`", "").split(", ")}


def test_help_explains_each_parameter_of_launch():
    kernel, *parameters = re.findall(r"[a-z]\w*(?=[,=)])", device.launch.__text_signature__)
    assert f"kernel {kernel} " in device.launch.__doc__
    assert explained(device.launch.__doc__) == set(parameters)
    entry = (API / "device.md").read_text().partition("### launch\n")[2].partition("\n### ")[0]
    assert explained(entry) == set(parameters)


def test_help_says_which_errors_launch_raises():
    raised = {name for name in errors.__all__ if re.search(rf"\b{name}\b", device.launch.__doc__)}
    classes = {"CompileError", "LaunchTypeError", "LaunchValueError", "LaunchOverflowError"}
    assert raised == classes | {"KernelFailure"}


def test_help_shows_no_numbers_of_clauses():
    documented = [getattr(device, name) for name in device.__all__]
    assert [x for x in documented if CLAUSE.search(getattr(x, "__doc__", None) or "")] == []


def test_the_reference_shows_no_private_names():
    for page in ("device.md", "core.md", "numbapro.md", "array_api.md"):
        text = (API / page).read_text()
        assert re.findall(r"_core\.\w+|CudaStream|\[\]\(", text) == [], page


def test_the_pages_are_current():
    script = ROOT / "scripts" / "gen_api.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
