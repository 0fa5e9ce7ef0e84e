"""What the times that `compare.py` took say: ratios to the best peer, and their mean."""
from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

OURS = "morok"
LAST = "16-element add"
"""The table's last row, which the geometric mean leaves out."""

Record = dict[str, Any]
"""A workload's name, unit, amount, listed, and of each peer either {"error"} or {"first_call", "relative_error", "wrong", "seconds": [...]}."""

Least = Callable[[Sequence[float]], float]
"""min or statistics.median: which of a peer's times counts."""


def timed(record: Record, peer: str) -> list[float]:
    """The peer's times for a right result; none if it has none."""
    found = record["peers"].get(peer, {"error": "absent"})
    return [] if "error" in found or found["wrong"] else found["seconds"]


def ratio(record: Record, least: Least) -> float | None:
    """Our time in the best peer's, by min or by median."""
    ours, theirs = timed(record, OURS), [s for name in record["peers"] if name != OURS and (s := timed(record, name))]
    return min(map(least, theirs)) / least(ours) if ours and theirs else None


def geometric_mean(records: Iterable[Record], least: Least) -> float | None:
    ratios = [r for record in records if record["listed"] and record["name"] != LAST and (r := ratio(record, least)) is not None]
    return statistics.geometric_mean(ratios) if ratios else None


def summary(records: Sequence[Record]) -> Record:
    own = [{**record, "listed": True} for record in records if not record["listed"]]
    return {"geometric_mean": geometric_mean(records, min), "geometric_mean_of_medians": geometric_mean(records, statistics.median),
            "geometric_mean_beside_the_table": geometric_mean(own, min)}


def shown(record: Record, seconds: float) -> str:
    """The rate in 1e9 a second, or microseconds."""
    value = seconds * 1e6 if record["unit"] == "us" else record["amount"] / seconds / 1e9
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"
