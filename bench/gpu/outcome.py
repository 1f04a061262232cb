"""What a part tells run.py: its exit status, and lines of its standard output."""

PASSED, FAILED, NOT_HERE = 0, 1, 2  # NOT_HERE: nothing failed, something could not be tried
NAMES = {PASSED: "passed", FAILED: "FAILED", NOT_HERE: "not all here"}
SUMMARY, REPORT = "summary: ", "report: "


def summary(text):
    """The part in a line; the last one counts."""
    print(f"{SUMMARY}{text}", flush=True)


def report(text):
    """Markdown for the report, below the table of the parts; nothing where there is no text."""
    for line in text.splitlines():
        print(f"{REPORT}{line}", flush=True)


def status(failed, missing):
    return FAILED if failed else NOT_HERE if missing else PASSED


def said(log, prefix):
    """The lines of a log that begin with the prefix, without it."""
    return [line.removeprefix(prefix) for line in log.splitlines() if line.startswith(prefix)]
