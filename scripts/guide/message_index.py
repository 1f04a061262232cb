"""The index of messages: those of src/support/diagnostics.def, with examples from tests/errors."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DIAGNOSTICS = ROOT / "src" / "support" / "diagnostics.def"
SCALARS = ROOT / "src" / "support" / "scalar.def"
SYNTAX = ROOT / "src" / "frontend" / "diagnosis" / "unsupported.cpp"
TESTS = ROOT / "tests" / "errors"

_SECTION = re.compile(r"^// --- (.*?)(?: \(.*\))? ---$")
_STRING = r'"((?:[^"\\]|\\.)*)"'
_DIAG = re.compile(rf"^DIAG\((\w+), (\w+), {_STRING}, {_STRING}\)$")
_HOLE = re.compile(r"\{\d\}")
_EXPECTED = re.compile(r"# error at (`+)(?P<quoted>.+?)\1[^:]*: (?P<message>.*)$")
_MORE = re.compile(r"^\s*# \.\.\. (.*)$")
_HINT = re.compile(r"^\s*# hint: (.*)$")


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(".+".join(re.escape(part) for part in _HOLE.split(template)))


class Message(NamedTuple):
    code: str
    kind: str
    text: str
    hint: str

    def is_of(self, example: "Example") -> bool:
        pairs = ((self.text, example.message), (self.hint, example.hint))
        return all(_pattern(template).fullmatch(text) for template, text in pairs)

    @property
    def weight(self) -> int:
        """How much of the text and the hint is the message's own."""
        return len(_HOLE.sub("", self.text + self.hint))


class Example(NamedTuple):
    source: str
    message: str
    hint: str


def _formats() -> str:
    """What the compiler writes for {formats}: first and last of a class, floats one by one."""
    listed = SCALARS.read_text(encoding="utf-8").partition("#ifdef CD_MADE_UP")[0]
    found: dict[str, list[str]] = {}
    for name, rest in re.findall(
        r'^(?:\w*FLOAT|SCALAR)\(\w+, "(\w+)", (.*)\)$', listed, re.MULTILINE
    ):
        number_class = re.search(r"Bool|Uint|Int$", rest)
        found.setdefault(number_class[0] if number_class else name, []).append(name)
    *others, last = [" to ".join(dict.fromkeys([n[0], n[-1]])) for n in found.values()]
    return ", ".join(others) + " and " + last


def messages() -> dict[str, list[Message]]:
    """The messages by section, in order."""
    found: dict[str, list[Message]] = {}
    section = "not implemented"
    text = DIAGNOSTICS.read_text(encoding="utf-8").replace("{formats}", _formats())
    for line in text.splitlines():
        if match := _SECTION.match(line):
            section = match[1]
        elif match := _DIAG.match(line):
            found.setdefault(section, []).append(Message(*match.groups()))
        elif line.startswith("DIAG("):
            raise SystemExit(f"{DIAGNOSTICS}: cannot read: {line}")
    return found


def _comments(text: str) -> list[Example]:
    """The `# error` comments of a file, each with the line of code that it speaks of."""
    lines, found = text.splitlines(), []
    for number, line in enumerate(lines):
        if not (match := _EXPECTED.search(line)):
            continue
        message, at = match["message"], number + 1
        while more := _MORE.match(lines[at]):
            message, at = f"{message} {more[1]}", at + 1
        hint = ""
        if given := _HINT.match(lines[at]):
            hint, at = given[1], at + 1
            while more := _MORE.match(lines[at]):
                hint, at = f"{hint} {more[1]}", at + 1
        source = line[: match.start()]
        while not source.strip():
            source = "" if lines[at].lstrip().startswith("#") else lines[at]
            at += 1
        found.append(Example(re.sub(r"\s+# (fmt|noqa).*", "", source).strip(), message, hint))
    return found


def examples(known: list[Message]) -> dict[str, Example]:
    """For each code that the comments of the tests provoke, the shortest example."""
    found: dict[str, Example] = {}
    for file in sorted(TESTS.glob("test_*.py")):
        for example in _comments(file.read_text(encoding="utf-8")):
            fits = [m for m in known if m.is_of(example)]
            if not fits or "{" in example.message:
                continue
            code = max(fits, key=lambda m: m.weight).code
            if code not in found or len(example.source) < len(found[code].source):
                found[code] = example
    return found


def _class(message: Message, section: str) -> str:
    if message.kind == "NotImplemented":
        return "NotImplementedYetError"
    if section == "frontend: warnings":
        return "PrecisionWarning"
    if section == "launch":
        return f"Launch{message.kind}Error"
    kind = message.kind if message.kind in ("Type", "Value", "Overflow") else ""
    return f"Compile{kind}Error"


def _code(text: str) -> str:
    """Text as code, whatever quotes are in it."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def _plain(text: str) -> str:
    """Text in which Markdown finds nothing of its own; … for what differs."""
    return re.sub(r"([*_<\[\]])", r"\\\1", _HOLE.sub("…", text))


def _entry(message: Message, section: str, example: Example | None) -> str:
    lines = [f"* **{_plain(message.text)}** ({_class(message, section)}, `{message.code}`)"]
    if _HOLE.sub("", message.hint):
        lines.append(f"  *{_plain(message.hint)}*")
    if example:
        lines.append(f"  {_code(example.source)} — {_plain(example.message)}")
    return "\\\n".join(lines)


def _refused_syntax() -> str:
    """The statements and expressions that kernels do not have, with what to do."""
    source = SYNTAX.read_text(encoding="utf-8")
    literals = rf"(?:\s*{_STRING})+;"
    words = {
        found["name"]: "".join(re.findall(_STRING, found["words"]))
        for found in re.finditer(rf"char\* (?P<name>k\w+) =(?P<words>{literals})", source)
    }
    refused = source.partition("kRefused[]")[2]
    entries = re.findall(rf'\{{"\w+",\s*{_STRING},\s*(?:{_STRING}|(\w+))\}}', refused)
    pairs = {name: text or words[word] for name, text, word in entries}
    rows = [f"| {name} | {hint} |" for name, hint in pairs.items()]
    return "\n".join(["| kernels have no | |", "|---|---|", *rows])


def sections() -> dict[str, str]:
    """The generated parts of the page, by name."""
    by_section = messages()
    found = examples([m for group in by_section.values() for m in group])
    parts = {
        section: "\n".join(_entry(m, section, found.get(m.code)) for m in group)
        for section, group in by_section.items()
    }
    return {**parts, "refused syntax": _refused_syntax()}
