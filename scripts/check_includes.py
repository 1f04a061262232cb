#!/usr/bin/env python3
"""Checks the walls between rooms that linking cannot see.

The rooms and what each may enter are read from the cd_room() lines of the build files, so an
include is allowed exactly where linking is. Beside that: LLVM only in codegen through its wrapper
header, Python only in bindings, the names of libcuda only in runtime/cuda, the words of the dialect
seam only in front of the IR.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "bindings", "include", "tests", "bench")
SUFFIXES = {".cpp", ".h", ".def"}

ROOM = re.compile(r"cd_room\((\w+)([^)]*)\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
LIBCUDA = re.compile(
    r"\bcu(Launch|Mem|Ctx|Stream|Event|Module|Library|Kernel|Device|Driver|Func|Init|Get|Link|Occupancy"
    r"|Pointer|Graph)(?:[A-Z]\w*)?\b|\bCU(?:[a-z]\w*)\b"
)
DIALECT = re.compile(r"numbapro|dialect", re.I)

# What stands in no room may include these: bindings sit on dispatch, interop and syntax.
BINDINGS_MAY_ENTER = {"dispatch", "interop", "syntax"}
# The runtime's half opens the compiler's object at run time and needs its door, nothing else of it;
# both it and the bindings write the request that goes through.
DOORS = {
    ("dispatch", "compile/jit_api.h"),
    ("dispatch", "frontend/request.h"),
    ("bindings", "frontend/request.h"),
}
DIALECT_FOLDERS = (
    *("src/frontend/", "src/syntax/", "src/compile/", "src/dispatch/"),
    *("bindings/", "include/", "tests/"),
)


def read_rooms():
    """Room name -> (folder, rooms it may enter directly), as the build files say."""
    rooms = {}
    for path in sorted((ROOT / "src").glob("*/CMakeLists.txt")):
        for name, rest in ROOM.findall(path.read_text()):
            words = rest.split()
            folder = path.parent
            if "FOLDER" in words:
                folder /= words[words.index("FOLDER") + 1]
            direct = set()
            if "PUBLIC" in words:
                tail = words[words.index("PUBLIC") + 1 :]
                direct = set(tail[: tail.index("PRIVATE")] if "PRIVATE" in tail else tail)
            rooms[name] = (folder.relative_to(ROOT).as_posix() + "/", direct)
    return rooms


def closure(rooms, names):
    """All rooms that can be reached from these."""
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += rooms[name][1]
    return found


def room_of(rooms, path):
    """The room that a path below the root lies in, or None."""
    return next((name for name, (folder, _) in rooms.items() if path.startswith(folder)), None)


def allowed_rooms(rooms, path):
    """The rooms that this file may include from; None where there is no wall."""
    if path.startswith("bindings/"):
        return closure(rooms, BINDINGS_MAY_ENTER)
    if path.startswith("include/"):
        return set()
    name = room_of(rooms, path)
    return closure(rooms, {name}) if name else None


def room_wall(rooms, path, target):
    """What is wrong with including src/<target> from path, or None."""
    here = "bindings" if path.startswith("bindings/") else room_of(rooms, path)
    if (here, target) in DOORS:
        return None
    entered = room_of(rooms, f"src/{target}")
    allowed = allowed_rooms(rooms, path)
    if entered and allowed is not None and entered not in allowed:
        return f"may not enter the room {entered} ({target})"
    return None


def library_wall(path, target):
    """What is wrong with including another library's header from path, or None."""
    if re.match(r"llvm(-c)?/", target) and path != "src/codegen/llvm.h":
        return f"includes {target}: LLVM comes in through src/codegen/llvm.h"
    if target == "codegen/llvm.h" and not path.startswith("src/codegen/"):
        return "includes codegen/llvm.h outside src/codegen"
    if re.match(r"(Python\.h|nanobind/|numpy/)", target) and not path.startswith("bindings/"):
        return f"includes {target}: Python ends at bindings/"
    if re.match(r"(cuda|cuda_runtime\w*|cuda_fp\w+)\.h$", target) and path.startswith("src/"):
        return f"includes {target}: the driver is found at run time, its header is not needed"
    return None


def word_walls(path, text):
    """(line, complaint) for words that are not spoken in this folder."""
    if not path.startswith(("src/", "bindings/")):
        return
    walls = []
    if not path.startswith("src/runtime/cuda/"):
        walls.append((LIBCUDA, "a name of libcuda outside src/runtime/cuda"))
    if not path.startswith(DIALECT_FOLDERS):
        walls.append((DIALECT, "a word of the dialect seam behind it"))
    for pattern, complaint in walls:
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, f"{complaint}: {match.group()}"


def complaints_of(rooms, path, text):
    """(line, complaint) of one file."""
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        target = match.group(2)
        wrong = library_wall(path, target)
        if match.group(1) == '"':
            wrong = wrong or room_wall(rooms, path, target)
            if target.startswith("."):
                wrong = f"includes {target}: name it from src/"
        if wrong:
            yield line, wrong
    yield from word_walls(path, text)


def check_tree(root=ROOT):
    rooms = read_rooms()
    count = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                name = path.relative_to(root).as_posix()
                for line, wrong in complaints_of(rooms, name, path.read_text()):
                    print(f"{name}:{line}: {wrong}")
                    count += 1
    return count


if __name__ == "__main__":
    sys.exit(1 if check_tree() else 0)
