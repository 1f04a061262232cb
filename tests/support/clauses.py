"""The rows of the contract as data, and the mark that ties a test to the rows it shows."""

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

CLAUSES = Path(__file__).resolve().parent.parent / "conformance" / "clauses"
DOCUMENTS = ("device", "cai", "usm", "numbapro")


@dataclass(frozen=True)
class Clause:
    """One row: kind is F (framework), U (user; a violation is a clear error) or N (remark)."""

    id: str
    document: str
    section: str
    kind: str
    requirement: str
    test: str
    source: str = ""
    amended: str = ""

    @property
    def family(self):
        """DEV-KERN of DEV-KERN-01; USM rows have no second word."""
        return self.id.rpartition("-")[0]


class UnknownClause(ValueError):
    """A test names a row that the contract does not have."""


@functools.cache
def load():
    """Every row by its id, in the order of the documents."""
    rows = {}
    for document in DOCUMENTS:
        with open(CLAUSES / f"{document}.toml", "rb") as file:
            for entry in tomllib.load(file)["clause"]:
                if entry["id"] in rows:
                    raise ValueError(f"clause {entry['id']} stands twice")
                rows[entry["id"]] = Clause(document=document, **entry)
    return rows


def check_ids(ids):
    """Raises UnknownClause where an id is not a row of the contract, or none is given."""
    if not ids:
        raise UnknownClause("clause() needs at least one id, for example DEV-KERN-02")
    for id_ in ids:
        if id_ not in load():
            raise UnknownClause(f"no clause {id_!r} in {CLAUSES.name}/*.toml")


def clause(*ids, partial=None):
    """Marks a test, a class or a parameter set as showing these rows.

    `partial` says in words what of the rows the test leaves out; such rows are listed as shown in
    part and not counted. A row is shown when a passing test names it whole and no failing one does.
    """
    check_ids(ids)
    return pytest.mark.clause(*ids, partial=partial)
