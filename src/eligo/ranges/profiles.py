"""Which profiles does a document match, if a profile is a conjunction of ranges? Tatbul 2001, 4.1: by bit vectors.

    P0  10 <= x <= 25 and 70 <= y <= 110          x = 20:  P0 P1 P4 P6, and P9, which says nothing about x
    P1  20 <= x <= 45 and 60 <= y <= 90           y = 80:  P0 P1 P2 P5, and P8, which says nothing about y
    …                                             both:    P0 P1

There is one structure for each attribute, and a bit vector for each answer; a profile matches if its bit is set in
all. What that takes is counted in predicate evaluations. The leaves of a Cluster Index have profiles that only may
match: the vectors of all attributes are joined first, and of what is left every predicate is evaluated. The baselines
have no structure: the naive algorithm evaluates every predicate, the lazy one those of a profile up to the first that
is false.

This is for counting what the paper counts, and for comparison; engines match such profiles, and any others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from eligo.ranges.choose import Wish
from eligo.ranges.cluster import Cluster
from eligo.ranges.range_cells import RangeCells
from eligo.ranges.range_part import GivenRanges, RangePart, build_part

Bits = npt.NDArray[np.bool_]


class Predicates(NamedTuple):
    """The predicates of profiles on one attribute."""

    numbers: npt.NDArray[np.int64]
    """The profile of each, which has no other on this attribute."""
    ranges: GivenRanges


@dataclass(frozen=True)
class AttributeIndex:
    """The ranges of all profiles on one attribute."""

    part: RangePart
    cells: RangeCells
    numbers: npt.NDArray[np.int64]
    """The profile of each range."""
    is_free: Bits
    """For each profile: whether it says nothing about the attribute."""

    def cell(self, value: Any) -> npt.NDArray[np.uint32]:
        """The cell of a value, alone in an array."""
        return np.array([self.part.axis.cell_of(value)], np.uint32)

    def found(self, value: Any) -> Bits:
        """For each profile: whether its range on this attribute holds the value, if it has one."""
        bits = self.is_free.copy()
        bits[self.numbers[self.part.structure.containing(self.cell(value))[1]]] = True
        return bits

    def truths(self, value: Any) -> Bits:
        """The same without the structure."""
        cell = self.cell(value)[0]
        bits = self.is_free.copy()
        bits[self.numbers[(self.cells.lows <= cell) & (cell <= self.cells.highs)]] = True
        return bits

    def candidates(self, value: Any) -> tuple[Bits, int]:
        """For each profile whether it may hold the value, and the evaluations that told so."""
        structure, cell = self.part.structure, self.cell(value)
        if not isinstance(structure, Cluster):
            return self.found(value), int(structure.evaluations(cell)[0])
        leaves, num_keys = structure.leaves(cell)
        bits = self.is_free.copy()
        bits[self.numbers[structure.sets.members(int(leaves[0]))]] = True
        return bits, int(num_keys[0])


@dataclass(frozen=True)
class Profiles:
    """Conjunctions of ranges, at most one on each attribute."""

    num_profiles: int
    indexes: Mapping[str, AttributeIndex]
    """By attribute, in the order in which predicates are evaluated."""
    is_checked: bool
    """Whether structures find profiles that only may match."""

    @classmethod
    def build(cls, num_profiles: int, predicates: Mapping[str, Predicates], wish: Wish) -> Self:
        """An index for each attribute."""
        indexes = {}
        for attribute, (numbers, ranges) in predicates.items():
            axis, cells = ranges.on_axis()
            is_free = np.ones(num_profiles, np.bool_)
            is_free[numbers] = False
            indexes[attribute] = AttributeIndex(build_part(axis, cells, None, wish), cells, numbers, is_free)
        is_checked = any(index.part.structure.is_checked for index in indexes.values())
        return cls(num_profiles, indexes, is_checked)

    def match(self, document: Mapping[str, Any]) -> npt.NDArray[np.int64]:
        """The profiles that a document matches; one that asks for an attribute that it lacks does not."""
        bits = np.ones(self.num_profiles, np.bool_)
        for attribute, index in self.indexes.items():
            bits &= index.found(document[attribute]) if attribute in document else index.is_free
        return np.flatnonzero(bits)

    def evaluations(self, document: Mapping[str, Any]) -> int:
        """Predicate evaluations that matching a document takes."""
        bits, total = np.ones(self.num_profiles, np.bool_), 0
        asked = [index for attribute, index in self.indexes.items() if attribute in document]
        for attribute, index in self.indexes.items():
            if attribute in document:
                found, evaluations = index.candidates(document[attribute])
                bits, total = bits & found, total + evaluations
            else:
                bits = bits & index.is_free
        if self.is_checked:
            total += sum(int((bits & ~index.is_free).sum()) for index in asked)
        return total

    def naive_evaluations(self, document: Mapping[str, Any]) -> int:
        """Predicate evaluations without a structure: k for each of n profiles of k predicates."""
        return sum(int((~index.is_free).sum()) for attribute, index in self.indexes.items() if attribute in document)

    def lazy_evaluations(self, document: Mapping[str, Any]) -> int:
        """Predicate evaluations without a structure, if a profile is left at its first that is false."""
        is_left, total = np.zeros(self.num_profiles, np.bool_), 0
        for attribute, index in self.indexes.items():
            is_asked = ~index.is_free & ~is_left
            if attribute in document:
                total += int(is_asked.sum())
                is_left |= ~index.truths(document[attribute])
            else:
                is_left |= is_asked
        return total
