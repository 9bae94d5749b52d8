"""How many events of each group does each expression match? Counted by the engine, block by block.

Of few groups the engine counts the events of each; of many, matches are made and counted, some events at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.index.events.event_blocks import EventBlock
from eligo.index.matches import row_lengths
from eligo.index.view import View

GROUPS_AT_ONCE = 64
"""So many groups of events are counted before what is known goes out."""
FEW_GROUPS = 16
"""Up to so many groups in a block are counted by the engine; more would each be too few events to be worth a call."""
PAIRED_EVENTS = 1024
"""So many events at a time have their matches written out, where groups are many."""


class GroupCounts:
    """What events add up to, by the values of the columns that come first in a block."""

    def __init__(self, view: View, names: list[str], about: Mapping[str, Any]) -> None:
        self._view = view
        self._names = names
        self._about = about
        self._totals: dict[tuple[Any, ...], npt.NDArray[np.int64]] = {}
        self._types: list[pa.DataType] = []

    def add(self, block: EventBlock) -> Iterator[pa.RecordBatch]:
        """Count a block; rows come out where groups are so many that they cannot all be held."""
        self._types = [column.type for column in block.carried]
        if not block.carried:
            self._add((), self._view.count_batch(block.events, **self._about))
            return
        groups = list(_rows_by_group(block.carried))
        if len(groups) > FEW_GROUPS:
            yield from _pairs_counted(block, groups, self._view, self._names, self._about)
            return
        for key, rows in groups:
            self._add(key, self._view.count_batch(block.of_rows(rows), **self._about))
        if len(self._totals) >= GROUPS_AT_ONCE:
            yield from self.rows()

    def _add(self, key: tuple[Any, ...], counts: npt.NDArray[np.int64]) -> None:
        known = self._totals.get(key)
        self._totals[key] = counts if known is None else known + counts

    def rows(self) -> Iterator[pa.RecordBatch]:
        """A row for each expression and group with a match, of what was added since the last time."""
        yield from _rows(self._totals, self._types, self._view.ids, self._names)
        self._totals = {}


def _pairs_counted(
    block: EventBlock,
    groups: list[tuple[tuple[Any, ...], npt.NDArray[np.int64]]],
    view: View,
    names: list[str],
    about: Mapping[str, Any],
) -> Iterator[pa.RecordBatch]:
    """Counts by way of the matches themselves."""
    num_events = len(block.carried[0])
    group_of_event = np.empty(num_events, np.int64)
    for number, (_, rows) in enumerate(groups):
        group_of_event[rows] = number
    num_expressions = np.int64(len(view.ids))
    for first in range(0, num_events, PAIRED_EVENTS):
        rows = np.arange(first, min(first + PAIRED_EVENTS, num_events))
        matches = view.match_batch(block.of_rows(rows), **about)
        pairs = np.repeat(group_of_event[rows], row_lengths(matches.offsets)) * num_expressions + matches.positions
        found, counts = np.unique(pairs, return_counts=True)
        if len(found):
            keys = [groups[number][0] for number in (found // num_expressions).tolist()]
            columns = [
                pa.array([key[place] for key in keys], column.type) for place, column in enumerate(block.carried)
            ]
            ids = short_texts(view.ids.take(pa.array(found % num_expressions)))
            yield pa.record_batch([*columns, ids, pa.array(counts.astype(np.int64))], names=names)


def _rows_by_group(columns: Sequence[pa.Array]) -> Iterator[tuple[tuple[Any, ...], npt.NDArray[np.int64]]]:
    """The rows of each combination of values, as numbers."""
    names = [f"g{number}" for number in range(len(columns))]
    table = pa.table([*columns, pa.array(np.arange(len(columns[0])))], names=[*names, "row"])
    grouped = table.group_by(names).aggregate([("row", "list")])
    for values in grouped.to_pylist():
        yield tuple(values[name] for name in names), np.sort(np.array(values["row_list"], np.int64))


def _rows(
    totals: Mapping[tuple[Any, ...], npt.NDArray[np.int64]],
    types: Sequence[pa.DataType],
    ids: pa.Array,
    names: list[str],
) -> Iterator[pa.RecordBatch]:
    for key, counts in totals.items():
        matched = np.flatnonzero(counts)
        if not len(matched):
            continue
        group = [pa.repeat(pa.scalar(value, kind), len(matched)) for value, kind in zip(key, types, strict=True)]
        found = short_texts(ids.take(pa.array(matched)))
        yield pa.record_batch([*group, found, pa.array(counts[matched])], names=names)


def short_texts(column: pa.Array) -> pa.Array:
    """Strings with 32-bit offsets, as tables of answers have them."""
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column
