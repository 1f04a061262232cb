"""Pages, comments, names and messages use the words of docs/glossary.md, not those they had before.

Each retired word is looked for in every file of the repository. A phrase is found across line ends
and the marks of comments, whatever its case; a name as it is written, in longer ones too.
"""

import itertools
import re

import pytest
from support.pages import ROOT

# {what is not said any more: what is said instead}
PHRASES = {
    "asked for ahead": "prefetched",
    "asks for ahead": "prefetches",
    "asked for a page": "prefetched one page ahead",
    "a page away ahead of time": "prefetched one page ahead",
    "next iteration is asked for": "the next iteration is prefetched",
    "written out": "unrolled",
    "writes out loops": "unrolls loops",
    "past the cache": "streaming, beyond cache",
    "ways apart": "divergent paths",
    "may part": "may diverge",
    "behind the loop": "after the loop",
    "behind the last": "after the last",
    "threads part": "threads diverge",
    "threads that part": "threads that diverge",
    "lanes part": "lanes diverge",
    "lanes that part": "lanes that diverge",
    "lanes stay together": "convergent",
    "blocks side by side run together": "adjacent blocks run together",
    "counter of a loop is none": "a loop counter is not a constant",
    "in its place": "instead",
    "what is behind": "what is after",
    "include walls": "include rules",
    "sayings": "messages",
    "onlooker": "profiler hook",
    "leavable": "interruptible",
}
NAMES = {
    "past_cache": "nontemporal_stores",
    "page_ahead": "prefetch_page",
    "gang_ahead": "prefetch_next_gang",
    "store_always": "if_convert_stores",
    "join_stores": "sink_stores",
    "part_threads": "predicate_barrier_regions",
    "jumps_for_all": "hoist_block_exits",
    "jumps_behind_barriers": "isolate_tail_exits",
    "split_loop_slots": "split_live_ranges",
    "save_across_barriers": "spill_across_barriers",
    "equal_trips": "known_trips",
    "one_lane": "scalarized_loop",
    "lane_by_lane": "scalarized_loop",
    "bare_index": "unclamped_index",
    "BareIndex": "UnclampedIndex",
    "BareIndices": "UnclampedIndices",
    "Homes": "SpillSlots",
    "Onlookers": "ProfilerHooks",
    "Sayings": "KernelMessages",
    "Few<": "SmallVector<",
    "habits.def": "foreign_names.def",
    "habit_of": "foreign_name",
    "cd_room": "the number of bytes that a buffer has",
    "src/driver": "src/compile, src/dispatch",
    "looking_in": "inspecting",
    "steady_loads": "invariant_shared_loads",
    "index_moves": "iteration_strides",
    "own_counter": "canonical_counter",
    "StretchLiveness": "RangeLiveness",
}

FOLDERS = ("docs", "src", "bindings", "python", "bench", "scripts", "tests", "demo", "cmake")
ENDINGS = {".md", ".py", ".pyi", ".h", ".cpp", ".c", ".def", ".inc", ".ir", ".txt", ".toml", ".sh"}
ENDINGS |= {".cmake", ".svg", ".cu", ".cl", ".csv", ""}
MARKS = re.compile(r"\s*\n\s*(?://+|#+|\*|>)?\s*")


def files():
    found = [*ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "CMakeLists.txt"]
    for folder in FOLDERS:
        found += (ROOT / folder).rglob("*")
    for file in sorted(found):
        made = {"build", "__pycache__", "data"} & set(file.relative_to(ROOT).parts)
        if file.is_file() and file.suffix in ENDINGS and not made and file.name != "test_words.py":
            yield file


def text_of(file):
    """Its name and what stands in it, in one line."""
    content = file.read_text(encoding="utf-8", errors="replace")
    return f"{file.relative_to(ROOT)} {MARKS.sub(' ', content)}"


TEXTS = {str(file.relative_to(ROOT)): text_of(file) for file in files()}


def excerpts(pattern, flags=0):
    """{file: what stands around the first place in it that the pattern finds}"""
    found = {file: re.search(pattern, text, flags) for file, text in TEXTS.items()}
    return {
        file: TEXTS[file][max(match.start() - 40, 0) : match.end() + 40]
        for file, match in found.items()
        if match
    }


@pytest.mark.parametrize("phrase", PHRASES)
def test_phrases(phrase):
    assert excerpts(rf"\b{phrase}", re.IGNORECASE) == {}, f"say: {PHRASES[phrase]}"


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    assert excerpts(re.escape(name)) == {}, f"say: {NAMES[name]}"


def comments_without_a_subject(lines):
    """Comments begin with what they are about, not with "Of ..." what it is of."""
    starts = (
        line.strip()
        for before, line in itertools.pairwise(["", *lines])
        if not before.strip().startswith("//")
    )
    return [line for line in starts if re.match(r"//+ Of ", line)]


@pytest.mark.parametrize("folder", ["src", "bindings"])
def test_comments_begin_with_their_subject(folder):
    found = {
        str(file.relative_to(ROOT)): comments_without_a_subject(
            file.read_text(encoding="utf-8").splitlines()
        )
        for file in files()
        if file.is_relative_to(ROOT / folder) and file.suffix in {".h", ".cpp", ".def"}
    }
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_comments_without_a_subject_are_found():
    lines = ["int a;", "  // Of a block.", "// Bytes, those", "// Of an arena among them."]
    assert comments_without_a_subject(lines[:2]) == ["// Of a block."]
    assert comments_without_a_subject(lines[2:]) == []


def test_files_of_each_folder_are_read():
    read = [sum(file.startswith(f"{folder}/") for file in TEXTS) for folder in FOLDERS]
    assert all(read), dict(zip(FOLDERS, read, strict=True))


def test_phrases_are_found_in_comments_and_names_in_longer_ones():
    TEXTS["planted"] = MARKS.sub(" ", "a loop that is Written\n  // out, kMostBareIndex")
    try:
        assert "planted" in excerpts(r"\bwritten out", re.IGNORECASE)
        assert "planted" in excerpts("BareIndex")
    finally:
        del TEXTS["planted"]
