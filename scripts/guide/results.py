"""The kept figures of the benchmarks (bench/results/kernels.json) for the guide and the chart."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "bench" / "results" / "kernels.json"


def load() -> dict[str, Any]:
    """{"machine": what was measured on, "results": a record for each kernel and thread count}."""
    return json.loads(DATA.read_text(encoding="utf-8"))


def by_kernel(results: list[dict[str, Any]]) -> dict[str, dict[int, dict[str, Any]]]:
    """{kernel: {threads: record}}, in the order of the file."""
    found: dict[str, dict[int, dict[str, Any]]] = {}
    for record in results:
        found.setdefault(record["problem"], {})[record["threads"]] = record
    return found


def to_hand(record: dict[str, Any]) -> float:
    """Ours to the better of the hand-written forms, with plain or with streaming stores."""
    ratios = record["ratios"]
    return min(ratios[form] for form in ("hand", "hand nt") if form in ratios)


def to_peers(record: dict[str, Any]) -> float:
    """Ours to the fastest of the other runtimes."""
    return record["ratios"]["peers"]
