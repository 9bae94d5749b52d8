"""Which structure suits these ranges? Told by how many there are, how they overlap, and how often they change.

`elementary` answers soonest, because the answer lies there as one ascending list, but lists a range once for each
elementary interval that it holds: it is taken while that is little. Any others are best in an `interval_tree`, which
lists each range twice whatever the overlap, and is built soonest; so it is taken too where ranges come and go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eligo.ranges.range_cells import RangeCells
from eligo.ranges.range_sets import Form

StructureName = Literal["auto", "cluster", "elementary", "hybrid", "segment_tree", "interval_tree"]
NAMES = ("auto", "cluster", "elementary", "hybrid", "segment_tree", "interval_tree")

MOST_LISTED = 16
"""Elementary intervals that a range may hold on average, to be listed at each of them."""
FEW_LISTED = 100_000
"""Entries of lists that never matter."""
MUCH_CHURN = 0.1
"""Changes for each question from which on the time to build decides."""


@dataclass(frozen=True)
class Wish:
    """What a caller says about the structure."""

    structure: StructureName = "auto"
    sets: Form | Literal["auto"] = "auto"
    churn: float = 0.0
    """How many ranges come or go for each question that is asked."""
    min_cluster: int | None = None


def choose_structure(ranges: RangeCells, wish: Wish) -> tuple[str, str]:
    """The name of a structure, and why it is taken."""
    if wish.structure != "auto":
        return wish.structure, "you asked for it"
    num_ranges = len(ranges.lows)
    if wish.churn >= MUCH_CHURN:
        return "interval_tree", f"{wish.churn:g} changes for each question: it is built soonest"
    listed = ranges.num_held / max(1, num_ranges)
    if ranges.num_held <= FEW_LISTED:
        return "elementary", f"{num_ranges:,} ranges are listed {ranges.num_held:,} times, which is little"
    if listed <= MOST_LISTED:
        return "elementary", f"a range holds {listed:.1f} elementary intervals, {MOST_LISTED} at most"
    return "interval_tree", f"a range holds {listed:,.1f} elementary intervals, more than {MOST_LISTED}"
