"""compute-sanitizer over one_of_each.py: each of its tools in a process, all at the same time."""

import os
import re
import shutil
import subprocess

from gpu import machine, outcome

TOOLS = ("memcheck", "racecheck", "synccheck")
FOUND = 99  # exit status where a tool has found something
# What a quick run has time for.
QUICK = ("transpose", "reversed_blocks", "speaks")


def find_sanitizer():
    roots = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    folders = [f"{root}/bin" for root in (*roots, "/usr/local/cuda")]
    return shutil.which("compute-sanitizer", path=os.pathsep.join([os.environ["PATH"], *folders]))


def start(sanitizer, tool, program, log):
    options = ["--tool", tool, "--error-exitcode", str(FOUND), "--print-limit", "20"]
    with log.open("w") as out:
        return subprocess.Popen(
            [sanitizer, *options, *program], stdout=out, stderr=subprocess.STDOUT
        )


def verdict(tool, status, text):
    """(what the tool found or did not, whether that is good)"""
    found = re.findall(r"^=+ ((?:ERROR|RACECHECK) SUMMARY: .*)$", text, re.MULTILINE)
    words = [found[-1] if found else "no summary"]
    wrong = outcome_lines(text)
    finished = "one_of_each: done, 0 wrong" in text
    if not finished and not wrong:
        wrong = [(text.strip().splitlines() or ["no output"])[-1][:160]]
    words += [f"status {status}"] if status else []
    return f"{tool}: {', '.join(words + wrong[:1])}", status == 0 and finished and bool(found)


def outcome_lines(text):
    return re.findall(r"^one_of_each: (WRONG: .*)$", text, re.MULTILINE)


def run(sanitizer, program, folder):
    """(words, good) of each tool."""
    logs = {tool: folder / f".{tool}.log" for tool in TOOLS}
    running = {tool: start(sanitizer, tool, program, log) for tool, log in logs.items()}
    results = []
    for tool, process in running.items():
        try:
            status = process.wait()
        except KeyboardInterrupt:  # out of time: the tools got it too
            status = process.wait()
        text = logs[tool].read_text(errors="replace")
        print(f"--- {tool} ---\n{text}", flush=True)
        logs[tool].unlink()
        results.append(verdict(tool, status, text))
    return results


def main(argv):
    from gpu.run import command_of

    options = machine.options(__doc__, argv)
    sanitizer = find_sanitizer()
    if not sanitizer:
        outcome.summary("not here: compute-sanitizer: not in PATH, CUDA_HOME, CUDA_PATH or CUDA")
        return outcome.NOT_HERE
    program = command_of("one_of_each", *(QUICK if options.quick else ()))
    results = run(sanitizer, program, options.out)
    outcome.report("\n".join(f"* {words}" for words, _ in results))
    outcome.summary("; ".join(words for words, _ in results))
    return outcome.status(not all(good for _, good in results), False)
