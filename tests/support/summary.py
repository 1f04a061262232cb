"""From recorded test outcomes to the table of rows shown."""

from collections import defaultdict
from dataclasses import dataclass, field

from support.clause_report import HOST
from support.targets import ALL, NOT_ASSEMBLED

TARGETS = (*ALL, NOT_ASSEMBLED, HOST)


@dataclass
class Standing:
    """What the tests of one run say of one row; the sets hold targets."""

    passed: set = field(default_factory=set)
    partly: dict = field(default_factory=dict)  # reason -> targets
    failed: set = field(default_factory=set)
    skipped: set = field(default_factory=set)

    @property
    def state(self):
        """failed, shown, part or open. PTX that was not assembled shows a part."""
        if self.failed:
            return "failed"
        if self.passed - {NOT_ASSEMBLED}:
            return "shown"
        return "part" if self.partly or self.passed else "open"

    def shown_on(self, target):
        return target in self.passed and target not in self.failed


def standings(report):
    """{row id: Standing} from a clause report."""
    result = defaultdict(Standing)
    for test in report["tests"]:
        target = test["target"]
        for id_ in [*test["shown"], *test["partly"]]:
            row = result[id_]
            if test["outcome"] != "passed":
                getattr(row, test["outcome"]).add(target)
            elif id_ in test["partly"]:
                row.partly.setdefault(test["partly"][id_], set()).add(target)
            else:
                row.passed.add(target)
    return result


def _counted(rows):
    return [row for row in rows.values() if row.kind != "N"]


def _columns(name, cells, heads):
    """A line of the table; a column is as wide as its head."""
    widths = [max(12, len(head) + 2) for head in heads]
    return f"{name:<14}" + "".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=True))


def _cells(rows, found, targets):
    states = [found[row.id].state for row in rows]
    cells = [len(rows), states.count("shown"), states.count("part"), states.count("failed")]
    cells += [sum(found[row.id].shown_on(target) for row in rows) for target in targets]
    return cells


def table(rows, found):
    """Lines of the table: one per family of rows, the sums last."""
    counted = _counted(rows)
    used = {target for standing in found.values() for target in standing.passed}
    targets = [target for target in TARGETS if target in used]
    heads = ["rows", "shown", "in part", "failing", *targets]
    lines = [_columns("", heads, heads)]
    families = defaultdict(list)
    for row in counted:
        families[row.family].append(row)
    for family, members in [*families.items(), ("all", counted)]:
        lines.append(_columns(family, _cells(members, found, targets), heads))
    return lines


def _short(text, width=110):
    return text if len(text) <= width else text[: width - 1] + "…"


def listing(rows, found, state):
    """One line for each counted row in this state."""
    lines = []
    for row in _counted(rows):
        standing = found[row.id]
        if standing.state == state:
            reason = row.requirement
            if state == "part":
                reason = "; ".join(standing.partly) or "its PTX was not assembled"
            lines.append(f"  {row.id:<16} {row.kind}  {_short(reason)}")
    return lines


def headline(rows, found):
    """ "123 of 483 rows shown (F 100 of 346, U 23 of 137), ..."."""

    def share(kind):
        members = [row for row in rows.values() if row.kind == kind]
        shown = sum(found[row.id].state == "shown" for row in members)
        return shown, len(members)

    framework, user, remarks = share("F"), share("U"), share("N")
    states = [found[row.id].state for row in _counted(rows)]
    return (
        f"{framework[0] + user[0]} of {framework[1] + user[1]} rows shown "
        f"(F {framework[0]} of {framework[1]}, U {user[0]} of {user[1]}); "
        f"{states.count('part')} in part, {states.count('failed')} failing; "
        f"remarks (N) {remarks[0]} of {remarks[1]}"
    )


def render(rows, report):
    """The whole report as text."""
    found = standings(report)
    lines = [*table(rows, found), ""]
    titles = {"failed": "Failing", "part": "Shown in part, what is left out", "open": "Not shown"}
    for state, title in titles.items():
        entries = listing(rows, found, state)
        if entries:
            lines += [f"{title} ({len(entries)}):", *entries, ""]
    remarks = [row.id for row in rows.values() if row.kind == "N"]
    shown = [id_ for id_ in remarks if found[id_].state == "shown"]
    lines += [f"Remarks (N) shown: {' '.join(shown) or 'none'}"]
    lines += [f"Remarks (N) left: {' '.join(i for i in remarks if i not in shown) or 'none'}", ""]
    lines.append(headline(rows, found))
    return "\n".join(lines)
