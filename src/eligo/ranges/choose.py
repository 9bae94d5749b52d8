"""Which structure suits these ranges? Told by how many there are, how they overlap, and how often they change.

- Few ranges are best in `elementary`: the answer lies there as one ascending list. But a range is listed once for each
  elementary interval that it holds, which takes long to build and much memory where ranges overlap.
- Ranges that hold few elementary intervals are best in a `segment_tree`, which finds and joins short lists soonest.
- Any others are best in an `interval_tree`, which lists each range twice whatever the overlap. Answers are long there,
  and to write them out takes the time.

`docs/benchmarks.md` has the measurements behind the numbers here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eligo.ranges.range_cells import RangeCells
from eligo.ranges.range_sets import Form

StructureName = Literal["auto", "cluster", "elementary", "hybrid", "segment_tree", "interval_tree"]
NAMES = ("auto", "cluster", "elementary", "hybrid", "segment_tree", "interval_tree")

FEW_LISTED = 100_000
"""Entries of elementary lists that cost next to nothing."""
MOST_HELD = 32
"""Elementary intervals that a range holds on average, up to which a segment tree is worth its memory."""
MUCH_CHURN = 0.1
"""Changes for each question from which on elementary lists are not worth building."""


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
    num_ranges, listed = len(ranges.lows), ranges.num_held
    held = listed / max(1, num_ranges)
    if listed <= FEW_LISTED and wish.churn < MUCH_CHURN:
        return (
            "elementary",
            f"{num_ranges:,} ranges are listed {listed:,} times at elementary intervals, which is little",
        )
    if held <= MOST_HELD:
        return "segment_tree", f"a range holds {held:.1f} elementary intervals on average, at most {MOST_HELD}"
    return "interval_tree", f"a range holds {held:,.1f} elementary intervals on average, more than {MOST_HELD}"
