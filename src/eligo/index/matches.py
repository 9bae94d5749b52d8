"""What matched? Compressed rows of positions for a batch of events, with their ids at hand; scores where asked for.

offsets    0 2 2 3        event 0 satisfies the expressions at 0 and 1, event 1 none, event 2 the one at 1
positions  0 1 1
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.arguments import whole_number
from eligo.data.expressions.expression_source import ExpressionId
from eligo.engines.protocol import MatchArrays
from eligo.errors import EligoError, UnknownRowError


class TakenIds(ABC):
    """Ids of an index by position, some of which can be had without putting all together."""

    @abstractmethod
    def __call__(self) -> pa.Array:
        """All of them."""

    @abstractmethod
    def take(self, positions: npt.NDArray[np.uint32]) -> pa.Array:
        """Those at some positions."""


@dataclass(frozen=True)
class Matches:
    """Which expressions each event of a batch satisfies, as compressed rows."""

    offsets: npt.NDArray[np.uint64]
    """Event i has `positions[offsets[i]:offsets[i + 1]]`."""
    positions: npt.NDArray[np.uint32]
    """Expressions by their place among the index's ids at the time, ascending for each event."""
    ids_by_position: Callable[[], pa.Array] | TakenIds = field(repr=False)
    """Gives the ids of the index at the time; they are not put together before someone asks."""

    @property
    def all_ids(self) -> pa.Array:
        """The ids of the index at the time, by position."""
        return self.ids_by_position()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def _row(self, event: int) -> slice:
        row = whole_number(event, "event")
        if not -len(self) <= row < len(self):
            raise UnknownRowError(f"there is no event {row:,} in a batch of {len(self):,}", help="rows count from 0")
        event = range(len(self))[row]
        return slice(int(self.offsets[event]), int(self.offsets[event + 1]))

    def ids(self, event: int) -> list[ExpressionId]:
        """The ids that one event of the batch satisfies, in the order of their positions."""
        taken: list[ExpressionId] = self._taken(self.positions[self._row(event)]).to_pylist()
        return taken

    def id_lists(self) -> list[list[ExpressionId]]:
        """The ids that each event of the batch satisfies: `ids` of every row, at once."""
        taken = self._taken(self.positions).to_pylist()
        return [taken[first:last] for first, last in pairwise(self.offsets.tolist())]

    def _taken(self, positions: npt.NDArray[np.uint32]) -> pa.Array:
        source = self.ids_by_position
        return source.take(positions) if isinstance(source, TakenIds) else source().take(pa.array(positions))

    def event_rows(self) -> npt.NDArray[np.int64]:
        """For each match: the row of its event in the batch."""
        return np.repeat(np.arange(len(self)), row_lengths(self.offsets))

    def to_arrow(self) -> pa.Table:
        """One row for each match: the event's row in the batch, and the expression's id."""
        return pa.table({"event": self.event_rows(), "expression_id": self._taken(self.positions)})


@dataclass(frozen=True)
class TopMatches(Matches):
    """The best expressions of each event of a batch; its positions stand best first."""

    scores: npt.NDArray[np.float64]
    """For each match: its score."""

    def scored_ids(self, event: int) -> list[tuple[ExpressionId, float]]:
        """The best ids of one event with their scores, best first."""
        return list(zip(self.ids(event), self.scores[self._row(event)].tolist(), strict=True))

    def to_arrow(self) -> pa.Table:
        """One row for each match: the event's row in the batch, the expression's id, and the score."""
        return super().to_arrow().append_column("score", pa.array(self.scores))


@dataclass(frozen=True)
class JsonMatches(Matches):
    """The matches of JSON texts; those that could not be read have none."""

    errors: Mapping[int, EligoError]
    """By row: why a text could not be read."""


def row_lengths(offsets: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """How many items each row has."""
    return (offsets[1:] - offsets[:-1]).astype(np.int64)


def row_arrays(rows: Sequence[npt.NDArray[np.uint32]]) -> MatchArrays:
    """Rows of positions in the compressed form."""
    offsets = np.cumsum([0, *(len(row) for row in rows)]).astype(np.uint64)
    return MatchArrays(offsets, np.concatenate([np.zeros(0, np.uint32), *rows]))


def following(blocks: Sequence[MatchArrays]) -> MatchArrays:
    """The rows of several blocks one after another."""
    if len(blocks) == 1:
        return blocks[0]
    starts = np.cumsum([0, *(len(block.positions) for block in blocks)]).astype(np.uint64)
    offsets = [block.offsets[1:] + start for block, start in zip(blocks, starts, strict=False)]
    return MatchArrays(
        np.concatenate([np.zeros(1, np.uint64), *offsets]),
        np.concatenate([np.zeros(0, np.uint32), *(block.positions for block in blocks)]),
    )


def joined(sources: Sequence[MatchArrays], starts: Sequence[int], num_events: int) -> MatchArrays:
    """The rows of several sources side by side; positions of source i begin at `starts[i]`, which ascend."""
    if not sources:
        return MatchArrays(np.zeros(num_events + 1, np.uint64), np.zeros(0, np.uint32))
    if len(sources) == 1 and starts[0] == 0:
        return sources[0]
    lengths = [row_lengths(source.offsets) for source in sources]
    offsets = np.zeros(num_events + 1, np.int64)
    np.cumsum(np.sum(lengths, axis=0), out=offsets[1:])
    positions = np.empty(int(offsets[-1]), np.uint32)
    row_starts = offsets[:-1].copy()
    for source, start, length in zip(sources, starts, lengths, strict=True):
        moved_by = row_starts - source.offsets[:-1].astype(np.int64)
        positions[np.repeat(moved_by, length) + np.arange(len(source.positions))] = source.positions + np.uint32(start)
        row_starts += length
    return MatchArrays(offsets.astype(np.uint64), positions)


def chosen(matches: MatchArrays, is_chosen: npt.NDArray[np.bool_]) -> MatchArrays:
    """The rows without the matches that are not chosen."""
    kept = np.zeros(len(is_chosen) + 1, np.uint64)
    np.cumsum(is_chosen, out=kept[1:])
    return MatchArrays(kept[matches.offsets], matches.positions[is_chosen])
