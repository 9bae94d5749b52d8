"""What does an index of ranges hold? Its structure and why, how its ranges overlap, and every byte."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from eligo.ranges.column import Kind
from eligo.ranges.range_part import RangePart


@dataclass(frozen=True)
class RangeStats:
    """What an index of ranges holds."""

    structure: str
    """Of the largest part, which is the first."""
    why: str
    """Why it is this one."""
    sets: str
    """The form of its sets."""
    kind: Kind | None
    """What ends are made of."""
    num_ranges: int
    """Those that are not deleted."""
    num_points: int
    """Distinct ends of the largest part."""
    num_nodes: int
    """Nodes of its structure."""
    overlap: float
    """Which share of its pairs of ranges have a value in common, from 0 to 1."""
    num_parts: int
    num_waiting: int
    """Ranges in the tail."""
    num_dead: int
    """Deleted ranges that are still stored."""
    bytes_by_array: dict[str, int]
    """Over all parts and the tail."""

    @property
    def num_bytes(self) -> int:
        """All that is held."""
        return sum(self.bytes_by_array.values())

    @classmethod
    def of(cls, parts: Sequence[RangePart], tail: Sequence[RangePart], kind: Kind | None, num_ranges: int) -> Self:
        """The statistics of some parts and a tail."""
        largest = parts[0].structure
        sizes: dict[str, int] = {}
        for part in (*parts, *tail):
            for name, array in part.arrays().items():
                sizes[name] = sizes.get(name, 0) + array.nbytes
        return cls(
            structure=largest.name,
            why=parts[0].why,
            sets=largest.sets.form,
            kind=kind,
            num_ranges=num_ranges,
            num_points=parts[0].axis.num_points,
            num_nodes=largest.num_nodes,
            overlap=largest.ranges.overlap(),
            num_parts=len(parts),
            num_waiting=sum(part.num_ranges for part in tail),
            num_dead=sum(part.num_dead for part in (*parts, *tail)),
            bytes_by_array=sizes,
        )
