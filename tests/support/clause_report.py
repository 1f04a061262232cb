"""Records which rows of the contract a test run showed, on which target."""

import json

import pytest

from support import targets
from support.clauses import check_ids

HOST = "host"  # the target of tests that launch nothing
_RANK = {"passed": 0, "skipped": 1, "failed": 2}


def target_of(item):
    """What the report calls the target that this test runs on."""
    callspec = getattr(item, "callspec", None)
    name = callspec.params.get("target", HOST) if callspec else HOST
    return name if name == HOST else targets.reported(name)


def marks_of(item):
    """(rows shown whole, {row: what is left out}) by the marks of one test."""
    whole, partly = [], {}
    for mark in item.iter_markers("clause"):
        check_ids(mark.args)
        reason = mark.kwargs.get("partial")
        for id_ in mark.args:
            if reason:
                partly[id_] = reason
            else:
                whole.append(id_)
    return sorted(set(whole) - set(partly)), partly


def outcome_of(report):
    """passed, skipped or failed; an expected failure counts as skipped, passing or not."""
    return "skipped" if hasattr(report, "wasxfail") else report.outcome


class ClauseReport:
    """Plugin object; writes {"tests": [{test, target, outcome, shown, partly}]} to `path`."""

    def __init__(self, path):
        self.path = path
        self.tests = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item):
        report = yield
        whole, partly = marks_of(item)
        limits = [reason for name, reason in item.user_properties if name == "clause_partial"]
        if limits:
            partly |= dict.fromkeys(whole, "; ".join(limits))
            whole = []
        # A plain attribute travels with the report when tests run in other processes.
        report.clauses = {"target": target_of(item), "shown": whole, "partly": partly}
        return report

    def pytest_runtest_logreport(self, report):
        clauses = getattr(report, "clauses", None)
        if not clauses or not (clauses["shown"] or clauses["partly"]):
            return
        entry = self.tests.setdefault(report.nodeid, {"test": report.nodeid, "outcome": "passed"})
        entry |= clauses
        entry["outcome"] = max(entry["outcome"], outcome_of(report), key=_RANK.__getitem__)

    def pytest_sessionfinish(self, session):
        if not hasattr(session.config, "workerinput"):
            with open(self.path, "w") as file:
                json.dump({"tests": list(self.tests.values())}, file, indent=1)
