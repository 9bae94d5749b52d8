"""What do shards share? A vocabulary: a part is one vocabulary and the shards over it, so an event is encoded once.

Positions count through the shards of a part: those of the second shard begin where the first one ends.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.events.encoder.event_encoder import EventEncoder, encoder_of
from eligo.data.events.encoder.hits import Items
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_weights import Weights
from eligo.data.expressions.expression_source import ExpressionId, GivenExpressions, id_array, read_expressions
from eligo.data.foreign_tables import arrow_table, is_pandas
from eligo.data.schema.schema import Schema
from eligo.data.vocabulary import Vocabulary
from eligo.engines import registry
from eligo.engines.protocol import MatchArrays
from eligo.engines.ranking import ScoredPositions, best
from eligo.errors import BuildError, InputError, shown
from eligo.index.id_order import IdOrder
from eligo.index.matches import joined
from eligo.index.settings import Settings
from eligo.index.shard import Shard, refused_by_id
from eligo.joins.asking.part_joins import PartJoins
from eligo.language.limits import DEFAULT_LIMITS, UNBOUNDED, Limits
from eligo.language.quantified import stands_for_part
from eligo.sharing import once
from eligo.storage.file_entries import FileEntry, ShardEntry, VocabularyEntry
from eligo.storage.packed_ids import id_numbers
from eligo.storage.string_array import string_views
from eligo.stores.address import Place

Encoder = Callable[[Vocabulary], EventBatch]
Events: TypeAlias = EventBatch | Sequence[Mapping[str, Any]] | pa.Table | pa.RecordBatch | Encoder | Any
"""A list of dicts, an Arrow table or record batch, a pandas frame, a function that encodes events for a vocabulary, or
an encoded batch, which fits one vocabulary only."""

FEW_IDS = 24
"""Up to so many ids are read one by one from their bytes; Arrow is quicker at more, and slower to begin."""

IsLive = Callable[[npt.NDArray[np.uint32]], npt.NDArray[np.bool_]]
"""Tells for each of these positions whether an expression is still there."""


class PartFiles(NamedTuple):
    """Where a part is kept."""

    path: Place
    """Of the index."""
    vocabulary: VocabularyEntry
    shards: tuple[ShardEntry, ...]

    @property
    def entries(self) -> tuple[FileEntry, ...]:
        return (self.vocabulary, *self.shards)


class Part:
    """Shards with a common vocabulary; nothing in it changes."""

    def __init__(self, vocabulary: Vocabulary, shards: Sequence[Shard]) -> None:
        self.vocabulary = vocabulary
        self.shards = tuple(shards)
        self._starts = list(accumulate((len(shard.ids) for shard in self.shards), initial=0))
        self.num_expressions = self._starts[-1]
        self.files: PartFiles | None = None
        """Where it came from or was written to last."""
        self._joins: PartJoins | None = None

    @once
    def encoder(self) -> EventEncoder:
        """Encodes single events."""
        return encoder_of(self.vocabulary)

    @once
    def ids(self) -> pa.Array:
        """By position."""
        return concatenated([shard.ids for shard in self.shards])

    @property
    def texts(self) -> pa.Array:
        """By position; of several shards they are copied, each time."""
        return concatenated([shard.texts for shard in self.shards])

    def text_at(self, position: int) -> str:
        """The text at a position."""
        number = bisect_right(self._starts, position) - 1
        return self.shards[number].text_at(position - self._starts[number])

    @once
    def order(self) -> IdOrder:
        """Where each id is."""
        return IdOrder(self.ids)

    @once
    def _holds_joins(self) -> bool:
        return any(stands_for_part(name) for name in self.vocabulary.attribute_names)

    def joins(self, settings: Settings) -> PartJoins | None:
        """The quantified parts of its expressions; None when it has none. The settings are those of its index."""
        if self._joins is None and self._holds_joins:
            joins = PartJoins(self.vocabulary, lambda: self.texts, settings.missing, settings.hierarchies)
            self._joins = joins if len(joins.table) else None
        return self._joins

    def ids_at(self, positions: npt.NDArray[np.uint32]) -> list[ExpressionId]:
        """The ids at these positions."""
        if not len(positions):
            return []
        numbers = self._id_numbers
        if numbers is None and len(positions) <= FEW_IDS:
            offsets, texts = self._id_texts
            return [str(texts[offsets[place] : offsets[place + 1]], "utf-8") for place in positions.tolist()]
        taken = self.ids.take(pa.array(positions)) if numbers is None else numbers[positions]
        listed: list[ExpressionId] = taken.tolist()
        return listed

    @once
    def _id_texts(self) -> tuple[memoryview, memoryview]:
        """The ids when they are strings: their offsets, and all of their bytes."""
        offsets, texts = string_views(self.ids.cast(pa.large_string()))
        return offsets.data, texts.data

    @once
    def _id_numbers(self) -> npt.NDArray[np.int64] | None:
        """The ids when they are ints."""
        return id_numbers(self.ids)

    def match_batch(self, events: EventBatch) -> MatchArrays:
        """The matches of every event."""
        found = [shard.engine.match_batch(events) for shard in self.shards]
        return joined(found, self._starts[:-1], events.num_events)

    def match(self, event: EventBatch) -> npt.NDArray[np.uint32]:
        """The matches of a batch's only event."""
        return self._joined([shard.engine.match(event) for shard in self.shards])

    def match_event(self, event: Mapping[str, Any], limits: Limits) -> npt.NDArray[np.uint32]:
        """The matches of an event that is not encoded yet."""
        return self.match_items(self.encoder.items(event, limits))

    def match_items(self, items: Items) -> npt.NDArray[np.uint32]:
        """The matches of an event that hits these items."""
        if len(self.shards) == 1:
            return self.shards[0].engine.match_items(items)
        return self._joined([shard.engine.match_items(items) for shard in self.shards])

    def _joined(self, of_shards: Sequence[npt.NDArray[np.uint32]]) -> npt.NDArray[np.uint32]:
        found = [
            positions + np.uint32(start) if start else positions
            for positions, start in zip(of_shards, self._starts, strict=False)
        ]
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, np.uint32), *found])

    def count_batch(self, events: EventBatch) -> npt.NDArray[np.int64]:
        """How many of the events each expression matches, by position."""
        counts = [shard.engine.count_batch(events) for shard in self.shards]
        return np.concatenate([np.zeros(0, np.int64), *counts])

    def top(self, event: EventBatch, n: int, is_live: IsLive | None = None) -> ScoredPositions:
        """The n best matches of a batch's only event among those that are still there."""
        positions, units = [np.zeros(0, np.uint32)], [np.zeros(0, np.int64)]
        for shard, start in zip(self.shards, self._starts, strict=False):
            wanted = n if is_live is None else 2 * n + 8
            while True:
                found = shard.engine.top(event, wanted)
                own = found.positions + np.uint32(start)
                live = np.ones(len(own), np.bool_) if is_live is None else is_live(own)
                if len(own) < wanted or live.sum() >= n:
                    break
                wanted *= 4
            positions.append(own[live])
            units.append(found.units[live])
        return best(np.concatenate(positions), np.concatenate(units), n)


def held_expressions(ids: pa.Array, texts: pa.Array) -> GivenExpressions:
    """Expressions that were read and checked before, from their stored texts."""
    given = read_expressions(pa.table({"id": ids, "expression": texts}), schema=None, limits=UNBOUNDED)
    if given.rejects:
        raise BuildError(given.rejects)
    return given


def require_shape(id: ExpressionId, text: str, settings: Settings) -> None:
    """Refuse an expression that the engine could not take when it is frozen; its normal form is made, and no engine."""
    if registry.takes_any_shape(settings.engine):
        return
    given = held_expressions(id_array([id]), pa.array([text], pa.large_string()))
    _, table = given.encode(settings.missing, settings.hierarchies, settings.only_strings)
    with refused_by_id(given.ids):
        registry.require_shapes(settings.engine, table, limits=settings.limits)


def concatenated(arrays: Sequence[pa.Array]) -> pa.Array:
    """Arrays of one type one after another; an empty one may have any type."""
    filled = [array for array in arrays if len(array)]
    if len(filled) > 1:
        return pa.concat_arrays(filled)
    return filled[0] if filled else pa.array([], arrays[0].type if arrays else pa.large_string())


def encoded_events(
    events: Events,
    vocabulary: Vocabulary,
    *,
    schema: Schema | None,
    exclude: Iterable[str] = (),
    weights: Weights | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> EventBatch:
    """Events in the form that engines take, for one vocabulary."""
    if isinstance(events, EventBatch):
        return events
    if (table := arrow_table(events)) is not None:
        return EventBatch.from_arrow(
            table, vocabulary, exclude=tuple(exclude), schema=schema, weights=weights, limits=limits
        )
    if is_pandas(events):
        return EventBatch.from_pandas(
            events, vocabulary, exclude=tuple(exclude), schema=schema, weights=weights, limits=limits
        )
    if callable(events):
        batch = events(vocabulary) if not isinstance(events, type) else None
        if not isinstance(batch, EventBatch):
            raise InputError(f"a function that encodes events gives an EventBatch, not {shown(batch)}")
        return batch
    return EventBatch.from_dicts(events, vocabulary, schema=schema, weights=weights, limits=limits)
