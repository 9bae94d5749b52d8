"""In which form are the sets of ranges kept? As lists of numbers, or as bits, of which empty words are left out.

    set          {0, 2, 64}            {130}
    lists        0 2 64                130                 four bytes a range
    bits         0: 101…  1: 1000…     2: 001000…          twelve bytes a word of 64 ranges that has any

Bits pay from three ranges in a word on, as among many that overlap. Either form gives the same rows, ascending.
`docs/decisions/sets-of-ranges.md` says why they are not Roaring's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from eligo.ranges.kernels.set_loops import (
    Checks,
    Spans,
    count_bits,
    count_entries,
    count_words,
    join_lists,
    join_words,
    write_words,
)
from eligo.ranges.range_cells import Cells

Form = Literal["lists", "bits"]
FORMS = ("auto", "lists", "bits")

BYTES_OF_NUMBER = 4
BYTES_OF_WORD = 12

Rows = tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint32]]
"""Compressed rows: value v has the ranges from `offsets[v]` to before `offsets[v + 1]`, ascending."""


@dataclass(frozen=True)
class RangeSets:
    """Sets of ranges, one behind another."""

    num_ranges: int
    offsets: npt.NDArray[np.uint32]
    """Set s has the entries from `offsets[s]` to before `offsets[s + 1]`; of an interval tree there are none."""
    numbers: npt.NDArray[np.uint32]
    """For each entry its range, where sets are lists; otherwise the number of its word."""
    words: npt.NDArray[np.uint64] | None = None
    """For each entry its bits, where sets are bits."""

    @property
    def form(self) -> Form:
        return "lists" if self.words is None else "bits"

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """What is held, by name."""
        held: dict[str, npt.NDArray[Any]] = {"set_offsets": self.offsets, "set_numbers": self.numbers}
        return held if self.words is None else {**held, "set_words": self.words}

    def sizes(self) -> npt.NDArray[np.int64]:
        """How many ranges each set has."""
        num_sets = len(self.offsets) - 1
        spans = Spans(np.arange(num_sets + 1, dtype=np.uint64), *self._ends())
        return self.most(spans).astype(np.int64)

    def _ends(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
        return self.offsets[:-1].astype(np.uint64), self.offsets[1:].astype(np.uint64)

    def members(self, number: int) -> list[int]:
        """The ranges of one set."""
        begins, ends = (ends[number : number + 1] for ends in self._ends())
        checks = Checks(np.zeros(0, np.bool_), np.zeros(0, np.uint32), np.zeros(0, np.uint32))
        spans = Spans(np.array([0, 1], np.uint64), begins, ends)
        found: list[int] = self.rows(spans, np.zeros(1, np.uint32), checks)[1].tolist()
        return found

    def most(self, spans: Spans) -> npt.NDArray[np.uint64]:
        """For each value: how many ranges its spans have, before they are checked and if none is there twice."""
        totals = np.zeros(len(spans.offsets) - 1, np.uint64)
        if self.words is None:
            count_entries(spans, totals)
        else:
            count_bits(self.words, spans, totals)
        return totals

    def rows(self, spans: Spans, cells: Cells, checks: Checks) -> Rows:
        """The ranges of each value, ascending."""
        room = np.empty(int(self.most(spans).sum()), np.uint32)
        offsets = np.zeros(len(cells) + 1, np.uint64)
        marks = np.zeros(self.num_ranges // 64 + 1, np.uint64)
        if self.words is None:
            end = join_lists(self.numbers, spans, cells, checks, marks, offsets, room)
        else:
            end = join_words((self.numbers, self.words), spans, cells, checks, marks, offsets, room)
        return offsets, room[:end]


def keep(
    num_ranges: int, offsets: npt.NDArray[np.uint64], numbers: npt.NDArray[np.uint32], form: Form | Literal["auto"]
) -> RangeSets:
    """Ascending lists in a form, or in the smaller one."""
    num_words = int(count_words(offsets, numbers)) if form != "lists" else 0
    if form == "lists" or (form == "auto" and BYTES_OF_NUMBER * len(numbers) <= BYTES_OF_WORD * num_words):
        return RangeSets(num_ranges, offsets.astype(np.uint32), numbers)
    word_offsets = np.zeros(len(offsets), np.uint64)
    word_numbers, words = np.empty(num_words, np.uint32), np.empty(num_words, np.uint64)
    write_words(offsets, numbers, word_offsets, word_numbers, words)
    return RangeSets(num_ranges, word_offsets.astype(np.uint32), word_numbers, words)
