"""How is an index asked about documents? Its quantified parts are decided for the events, and events get the answers.

    event ──▶ values of joined attributes ──▶ parts that matter, decided ──▶ keys ──┐
          ──▶ keys and cells ───────────────────────────────────────────────────────┴──▶ engine

An index without quantified parts needs no documents, and does not look at those it is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, get_args

from eligo import arguments
from eligo.data.events.decided_keys import rows_between, values_of_events
from eligo.data.events.event_batch import EventBatch
from eligo.errors import InputError
from eligo.index.part import Encoder, Part
from eligo.index.settings import Settings
from eligo.joins.asking.given_documents import GivenDocuments, snapshot_of
from eligo.joins.asking.join_table import JoinTable, parts_of_names
from eligo.joins.asking.part_joins import PartJoinStats
from eligo.joins.asking.question import Attributes, JoinTables, Order, Question
from eligo.joins.segment import Snapshot
from eligo.language.document_truth import checked_moment, documents_needed
from eligo.language.limits import UNBOUNDED, Limits
from eligo.language.value import Scalar, event_attributes

MOST_TRUTHS = 1 << 22
"""Pairs of an event and a part that are decided before the engine is asked."""
MOST_EVENTS = 4_096
"""Events that are decided before the engine is asked: of the next ones it may be another order that costs less."""


class Given(NamedTuple):
    """What a caller says of documents."""

    documents: GivenDocuments | None = None
    at: datetime | None = None
    order: Order | None = None


class Documents(NamedTuple):
    """The same, looked at once for all events of a call."""

    snapshot: Snapshot
    at: datetime
    order: Order | None


def read_documents(tables: JoinTables, given: Given, limits: Limits) -> Documents:
    """What was given, or an error for what cannot be, or that there is nothing."""
    part = tables.first_part
    if given.documents is None and part is not None:
        raise documents_needed(part)
    if given.order is not None:
        arguments.one_of(given.order, "order", get_args(Order))
    snapshot = snapshot_of(given.documents, tables.first_timed, limits)
    return Documents(snapshot, checked_moment(given.at), given.order)


class IndexJoins:
    """The quantified parts of an index at one moment."""

    def __init__(self, parts: Sequence[Part], settings: Settings, tail_names: Iterable[str] = ()) -> None:
        """`tail_names` are the attributes of what is not frozen."""
        self._parts = tuple(parts)
        self._of_parts = [part.joins(settings) for part in parts]
        held = [joins for joins in self._of_parts if joins is not None]
        tail = JoinTable(parts_of_names(tail_names), settings.missing, settings.hierarchies)
        self.tail = tail if len(tail) else None
        """Of what is not frozen."""
        self.tables = JoinTables([*(joins.table for joins in held), *([tail] if len(tail) else [])])
        self._place_of_part = {id(joins): place for place, joins in enumerate(held)}

    def __bool__(self) -> bool:
        return self.tables.num_distinct > 0

    def part_stats(self) -> Iterator[PartJoinStats]:
        """For each part of the index that has some: what was done so far."""
        return (joins.stats() for joins in self._of_parts if joins is not None)

    def asked(self, event: Mapping[str, Any], given: Given, limits: Limits) -> AskedEvents | None:
        """One event with documents; None when no part is about any."""
        if not self:
            return None
        values = event_attributes(event, self.tables.event_attributes, limits=limits)
        return self._question(read_documents(self.tables, given, limits), [values])

    def asked_values(self, events: Sequence[Attributes], given: Given) -> AskedEvents | None:
        """Events with documents, of which the joined attributes were read before."""
        return self._question(read_documents(self.tables, given, UNBOUNDED), events) if self else None

    def _question(self, documents: Documents, events: Sequence[Attributes]) -> AskedEvents:
        snapshot, at, order = documents
        return AskedEvents(self, Question(self.tables, snapshot, at, events, order))

    def completed(self, number: int, batch: EventBatch, question: Question) -> EventBatch:
        """Events, encoded for a part of the index, with what holds of documents."""
        joins = self._of_parts[number]
        if joins is None:
            return batch
        return joins.completed(batch, question, self._place_of_part[id(joins)], self._parts[number].match_batch)

    def blocks(
        self, encode: Encoder, given: Given, batches: Sequence[EventBatch], limits: Limits
    ) -> Iterator[list[EventBatch]]:
        """Events, encoded for each part, with what holds of documents; so many at a time as memory allows."""
        if not self:
            yield list(batches)
            return
        documents = read_documents(self.tables, given, limits)
        vocabulary = self.tables.vocabulary
        kept = encode(vocabulary)
        if any(kept is batch for batch in batches):
            raise values_are_gone()
        values = values_of_events(kept, vocabulary)
        step = max(1, min(MOST_EVENTS, MOST_TRUTHS // int(self.tables.starts[-1])))
        for first in range(0, max(len(values), 1), step):
            asked = self._question(documents, values[first : first + step])
            rows = [rows_between(batch, first, min(first + step, len(values))) for batch in batches]
            yield [asked.completed(number, batch) for number, batch in enumerate(rows)]


class AskedEvents(NamedTuple):
    """Events that are compared with documents."""

    joins: IndexJoins
    question: Question

    def completed(self, number: int, batch: EventBatch) -> EventBatch:
        """The events, encoded for a part of the index, with what holds of documents."""
        return self.joins.completed(number, batch, self.question)

    def tail_attributes(self) -> dict[str, tuple[Scalar, ...]]:
        """The truths of what is not frozen, as attributes of the only event; none where it is unknown."""
        tail = self.joins.tail
        if tail is None:
            return {}
        truths = self.question.truths(len(self.joins.tables.tables) - 1)[0].tolist()
        return {name: (truth == 1,) for name, truth in zip(tail.names, truths, strict=True) if truth >= 0}


def values_are_gone() -> InputError:
    """The error for encoded events that are to be compared with documents."""
    return InputError(
        "encoded events cannot be compared with documents: their values are gone", help="give the events themselves"
    )
