"""Files of tests as a part by themselves: in one process, one after the other."""

import re
from importlib.util import find_spec

from gpu import outcome, suite


def skipped(text):
    """The reasons, each once."""
    reasons = re.findall(r"^SKIPPED \[\d+\] \S+ (.*)$", text, re.MULTILINE)
    return list(dict.fromkeys(reasons))


def known(text):
    """What is known not to work."""
    return re.findall(r"^XFAIL .*", text, re.MULTILINE)


def run(files, **variables):
    """Passes pytest's output on; the part's status."""
    if find_spec("pytest") is None:
        outcome.summary("not here: pytest")
        return outcome.NOT_HERE
    status, text = suite.run(["-q", "-rsfEx", *files], **variables)
    reasons, failed = skipped(text), suite.failures(text)
    outcome.report("\n".join(f"* `{line}`" for line in failed + known(text)))
    words = [suite.counts(text) or f"pytest ended with status {status}"]
    words += [f"not here: {reason}" for reason in reasons] + failed[:1]
    outcome.summary("; ".join(words))
    return outcome.status(status != 0, reasons)
