"""What is in the index at one moment? A view: its parts with what is still there of them, the tail frozen as the last.

A view never changes. Positions in its answers are places among its live ids: 0 is the first expression that is there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo import arguments
from eligo.data.events.decided_keys import rows_between
from eligo.data.events.event_batch import EventBatch, encoded_event
from eligo.data.events.event_weights import Weights
from eligo.data.events.json_encoder import JsonEncoder
from eligo.data.expressions.expression_source import ExpressionId
from eligo.data.foreign_tables import read_once
from eligo.data.lint.absent_columns import arrow_columns, tell_absent
from eligo.data.vocabulary import kinds_of, temporal_kind
from eligo.engines.match_bits import Bits, num_words, pack_flags, unpack_flags
from eligo.engines.protocol import MatchArrays
from eligo.engines.ranking import ScoredPositions, best, scores_of
from eligo.errors import InputError
from eligo.index.document_questions import AskedEvents, Given, IndexJoins
from eligo.index.matches import JsonMatches, Matches, TakenIds, TopMatches, chosen, following, joined, row_arrays
from eligo.index.one_event.json_block import JsonBlock, json_texts, with_empty_rows
from eligo.index.one_event.json_event import JsonText, json_bytes, json_encoders, json_event
from eligo.index.part import Encoder, Events, Part, concatenated, encoded_events
from eligo.index.settings import Settings
from eligo.joins.asking.given_documents import GivenDocuments
from eligo.joins.asking.question import Order
from eligo.language.quantified import stands_for_part
from eligo.language.value import Kind, checked_event
from eligo.sharing import once


class ViewedPart:
    """A part as a view has it; several views may share one."""

    def __init__(self, part: Part, is_live: npt.NDArray[np.bool_] | None) -> None:
        self.part = part
        self.is_live = is_live
        """For each position whether it is there; None when all are."""
        self.num_live = part.num_expressions if is_live is None else int(is_live.sum())

    @once
    def ranks(self) -> npt.NDArray[np.uint32] | None:
        """The place of each position among the live ones; None where it is the position itself."""
        return None if self.is_live is None else np.cumsum(self.is_live, dtype=np.uint32) - np.uint32(1)

    @once
    def live_positions(self) -> npt.NDArray[np.uint32] | None:
        """The positions that are there; None where all are."""
        return None if self.is_live is None else np.flatnonzero(self.is_live).astype(np.uint32)

    def living(self, positions: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
        """Those of some positions that are there."""
        return positions if self.is_live is None else positions[self.is_live[positions]]

    def ids_at(self, places: npt.NDArray[np.uint32]) -> pa.Array:
        """The ids at some places among the live ones."""
        live_positions = self.live_positions
        return self.part.ids.take(pa.array(places if live_positions is None else live_positions[places]))


class ViewIds(TakenIds):
    """The ids of a view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __call__(self) -> pa.Array:
        return self._view.ids

    def take(self, positions: npt.NDArray[np.uint32]) -> pa.Array:
        return self._view.ids_at(positions)


OnError = Literal["raise", "reject"]
"""What to do with an event that cannot be read: refuse all, or tell it and answer for the others."""


class View:
    """An index as it was at one moment."""

    def __init__(self, parts: Sequence[ViewedPart], settings: Settings) -> None:
        self.parts = tuple(parts)
        self.settings = settings
        self._starts = np.cumsum([0, *(viewed.num_live for viewed in self.parts)]).tolist()
        self._looked_at: pa.Schema | None = None
        """The columns of the last table of events."""

    @property
    def num_live(self) -> int:
        """Expressions that are there."""
        return int(self._starts[-1])

    @once
    def ids(self) -> pa.Array:
        """The live ids, by position."""
        return concatenated([_live(viewed.part.ids, viewed.is_live) for viewed in self.parts])

    @property
    def texts(self) -> pa.Array:
        """The live texts, by position."""
        return concatenated([_live(viewed.part.texts, viewed.is_live) for viewed in self.parts])

    @once
    def _kind_bits(self) -> dict[str, int]:
        """For each attribute of an event, sorted: what it is compared with in some part."""
        found: dict[str, int] = {}
        vocabularies = [viewed.part.vocabulary for viewed in self.parts]
        for vocabulary in [*vocabularies, *([self.joins.tables.vocabulary] if self.joins else [])]:
            for name, bits in zip(vocabulary.attribute_names, vocabulary.data.attribute_kinds.tolist(), strict=True):
                if not stands_for_part(name):
                    found[name] = found.get(name, 0) | bits
        return dict(sorted(found.items()))

    @property
    def attribute_names(self) -> tuple[str, ...]:
        """Every attribute that an expression of some part is on, sorted."""
        return tuple(self._kind_bits)

    def attribute_kinds(self) -> dict[str, frozenset[Kind]]:
        """As `Vocabulary.attribute_kinds`, over all parts."""
        return {name: kinds_of(bits) for name, bits in self._kind_bits.items()}

    @property
    def temporal_kinds(self) -> dict[str, Kind]:
        """As `Vocabulary.temporal_kinds`, over all parts."""
        kinds = {name: temporal_kind(bits) for name, bits in self._kind_bits.items()}
        return {name: kind for name, kind in kinds.items() if kind is not None}

    def encoder(
        self,
        events: Events,
        exclude: Iterable[str] = (),
        weights: Weights | None = None,
        *,
        one_vocabulary: bool = False,
    ) -> Encoder:
        """Encodes events for each part."""
        if (one_vocabulary or isinstance(events, EventBatch)) and len(self.parts) != 1:
            raise InputError(
                f"encoded events fit one vocabulary, and since it was changed this index has {len(self.parts)}",
                help="give the events themselves, or call merge() first",
            )
        if isinstance(events, EventBatch) and weights is not None:
            raise InputError("encoded events have their weights already", help="give weights when they are encoded")
        events = read_once(events)
        if isinstance(events, Iterator):
            events = list(events)
        names = arguments.texts(exclude, "exclude")
        if isinstance(events, pa.Table | pa.RecordBatch):
            self._tell_absent(events.schema, names)
        schema, limits = self.settings.schema, self.settings.limits
        return partial(encoded_events, events, schema=schema, exclude=names, weights=weights, limits=limits)

    def _tell_absent(self, columns: pa.Schema, exclude: Collection[str]) -> None:
        """Log once which attributes no column of a table gives; the table before is known again at no cost."""
        if self._looked_at is not None and self._looked_at.equals(columns):
            return
        tell_absent(self._kind_bits, arrow_columns(field for field in columns if field.name not in exclude))
        self._looked_at = columns

    @once
    def joins(self) -> IndexJoins:
        """The quantified parts of its expressions."""
        return IndexJoins([viewed.part for viewed in self.parts], self.settings)

    def match(
        self,
        event: Mapping[str, Any],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> list[ExpressionId]:
        """The ids of the expressions that the event satisfies, in the order of `ids`; see `Index.match`."""
        known, limits = known_event(event, self.settings), self.settings.limits
        asked = self.joins.asked(known, Given(documents, at, order), limits)
        found: list[ExpressionId] = []
        for number, viewed in enumerate(self.parts):
            part = viewed.part
            if asked is None:
                positions = part.match_event(known, limits)
            else:
                batch = encoded_event(known, part.vocabulary, limits)
                positions = part.match(asked.completed(number, batch))
            found += part.ids_at(viewed.living(positions))
        return found

    def match_json(
        self,
        text: JsonText,
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> list[ExpressionId]:
        """The same for an event as a JSON text; see `Index.match_json`."""
        data, schema, limits = json_bytes(text), self.settings.schema, self.settings.limits
        if schema is not None or self.joins:
            known = json_event(data, self.temporal_kinds, schema, limits)
            return self.match(known, documents=documents, at=at, order=order)
        found: list[ExpressionId] = []
        for viewed, encoder in zip(self.parts, self._json_encoders, strict=True):
            positions = viewed.part.match_items(encoder.items(data, limits))
            found += viewed.part.ids_at(viewed.living(positions))
        return found

    def match_json_batch(
        self,
        texts: Sequence[JsonText],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
        on_error: OnError = "raise",
    ) -> JsonMatches:
        """The matches of many events as JSON texts; see `Index.match_json_batch`."""
        arguments.one_of(on_error, "on_error", get_args(OnError))
        block = JsonBlock(json_texts(texts), self.temporal_kinds, self.settings.schema, self.settings.limits)
        vocabularies = [viewed.part.vocabulary for viewed in self.parts]
        errors = block.errors([*vocabularies, *([self.joins.tables.vocabulary] if self.joins else [])])
        if errors and on_error == "raise":
            raise next(iter(errors.values()))
        good = block.without(errors) if errors else block
        blocks = self._blocks(good, Given(documents, at, order))
        found = following([self._match(batches) for batches in blocks])
        if errors:
            found = with_empty_rows(found, list(errors))
        return JsonMatches(found.offsets, found.positions, ViewIds(self), errors)

    @once
    def _json_encoders(self) -> tuple[JsonEncoder, ...]:
        return json_encoders([viewed.part.vocabulary for viewed in self.parts])[0]

    def top(
        self,
        event: Mapping[str, Any],
        n: int = 10,
        *,
        weights: Weights | None = None,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> list[tuple[ExpressionId, float]]:
        """The n best matches with their scores, best first; see `Index.top`."""
        known = known_event(event, self.settings)
        encode = partial(encoded_events, [known], schema=None, weights=weights, limits=self.settings.limits)
        return self.top_batch(encode, n, documents=documents, at=at, order=order).scored_ids(0)

    def match_batch(
        self,
        events: Events,
        *,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> Matches:
        """The matches of every event; see `Index.match_batch`."""
        blocks = self._blocks(self.encoder(events, exclude), Given(documents, at, order))
        found = following([self._match(batches) for batches in blocks])
        return Matches(found.offsets, found.positions, ViewIds(self))

    def _blocks(self, encode: Encoder, given: Given) -> Iterator[list[EventBatch]]:
        """Events, encoded for each part, with what holds of documents."""
        batches = [encode(viewed.part.vocabulary) for viewed in self.parts]
        return self.joins.blocks(encode, given, batches, self.settings.limits)

    def ids_at(self, positions: npt.NDArray[np.uint32]) -> pa.Array:
        """The ids at some positions, without putting all together."""
        if len(self.parts) == 1:
            return self.parts[0].ids_at(positions)
        number_of = np.searchsorted(np.array(self._starts[1:]), positions, side="right")
        order = np.argsort(number_of, kind="stable")
        taken = [
            viewed.ids_at(positions[number_of == number] - np.uint32(self._starts[number]))
            for number, viewed in enumerate(self.parts)
        ]
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        return concatenated(taken).take(pa.array(places))

    def match_encoded(self, batches: Sequence[EventBatch], asked: AskedEvents | None) -> MatchArrays:
        """The matches of events that are encoded for each part."""
        if asked is None:
            return self._match(batches)
        return self._match([asked.completed(number, batch) for number, batch in enumerate(batches)])

    def _match(self, batches: Sequence[EventBatch]) -> MatchArrays:
        found: list[MatchArrays] = []
        for viewed, batch in zip(self.parts, batches, strict=True):
            matches = viewed.part.match_batch(batch)
            ranks = viewed.ranks
            if viewed.is_live is not None and ranks is not None:
                matches = chosen(matches, viewed.is_live[matches.positions])
                matches = MatchArrays(matches.offsets, ranks[matches.positions])
            found.append(matches)
        return joined(found, self._starts[:-1], batches[0].num_events if batches else 0)

    def match_bitmap(
        self,
        event: Mapping[str, Any],
        *,
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> npt.NDArray[np.uint64]:
        """The matches of an event as words with a bit for each live expression; see `Index.match_bitmap`."""
        encode = partial(encoded_events, [known_event(event, self.settings)], schema=None, limits=self.settings.limits)
        rows = self.match_bitmap_batch(encode, documents=documents, at=at, order=order)
        return rows.reshape(num_words(self.num_live))

    def match_bitmap_batch(
        self,
        events: Events,
        *,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> Bits:
        """A row of words for each event, with a bit for each live expression."""
        blocks = self._blocks(self.encoder(events, exclude), Given(documents, at, order))
        return np.concatenate([np.zeros((0, num_words(self.num_live)), np.uint64), *map(self._bits, blocks)])

    def _bits(self, batches: Sequence[EventBatch]) -> Bits:
        found = [
            (shard.engine.match_bits(batch), len(shard.ids))
            for viewed, batch in zip(self.parts, batches, strict=True)
            for shard in viewed.part.shards
        ]
        if len(found) == 1 and self.parts[0].is_live is None:
            return found[0][0]
        is_live = np.concatenate([_flags_of(viewed) for viewed in self.parts])
        bits = np.empty((batches[0].num_events, num_words(self.num_live)), np.uint64)
        for row in range(len(bits)):
            flags = np.concatenate([unpack_flags(of_shard[row : row + 1], count) for of_shard, count in found], axis=1)
            bits[row] = pack_flags(flags[:, is_live])
        return bits

    def count_batch(
        self,
        events: Events,
        *,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> npt.NDArray[np.int64]:
        """How many of the events each live expression matches, by position."""
        counts = np.zeros(self.num_live, np.int64)
        for batches in self._blocks(self.encoder(events, exclude), Given(documents, at, order)):
            start = 0
            for viewed, batch in zip(self.parts, batches, strict=True):
                counted = viewed.part.count_batch(batch)
                own = counted if viewed.is_live is None else counted[viewed.is_live]
                counts[start : start + len(own)] += own
                start += len(own)
        return counts

    def top_batch(
        self,
        events: Events,
        n: int = 10,
        *,
        weights: Weights | None = None,
        exclude: Iterable[str] = (),
        documents: GivenDocuments | None = None,
        at: datetime | None = None,
        order: Order | None = None,
    ) -> TopMatches:
        """The n best matches of every event: by score, then by position."""
        n = checked_count(n)
        found: list[ScoredPositions] = []
        for batches in self._blocks(self.encoder(events, exclude, weights), Given(documents, at, order)):
            for row in range(batches[0].num_events if batches else 0):
                of_parts = [
                    self._top(number, rows_between(batch, row, row + 1), n) for number, batch in enumerate(batches)
                ]
                positions, units = (np.concatenate(columns) for columns in zip(*of_parts, strict=True))
                found.append(best(positions, units, n))
        rows = row_arrays([each.positions for each in found])
        units = np.concatenate([np.zeros(0, np.int64), *(each.units for each in found)])
        return TopMatches(rows.offsets, rows.positions, lambda: self.ids, scores_of(units))

    def _top(self, number: int, event: EventBatch, n: int) -> ScoredPositions:
        viewed = self.parts[number]
        is_live, ranks = viewed.is_live, viewed.ranks
        found = viewed.part.top(event, n, None if is_live is None else lambda positions: is_live[positions])
        own = found.positions if ranks is None else ranks[found.positions]
        return ScoredPositions(own + np.uint32(self._starts[number]), found.units)


def known_event(event: Mapping[str, Any], settings: Settings) -> Mapping[str, Any]:
    """An event as the schema has its values."""
    known, schema = checked_event(event), settings.schema
    return schema.coerce(known, limits=settings.limits) if schema is not None else known


def checked_count(n: int) -> int:
    """How many matches are wanted at most."""
    return arguments.whole_number(n, "n", least=0)


def _flags_of(viewed: ViewedPart) -> npt.NDArray[np.bool_]:
    return np.ones(viewed.part.num_expressions, np.bool_) if viewed.is_live is None else viewed.is_live


def _live(array: pa.Array, is_live: npt.NDArray[np.bool_] | None) -> pa.Array:
    return array if is_live is None else array.filter(pa.array(is_live))
