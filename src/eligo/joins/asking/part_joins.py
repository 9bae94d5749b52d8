"""How do events get to know what holds of documents? By the parts that still matter for them, decided and made keys.

`completed` gives events, encoded for a vocabulary, the keys of what was found out. With constants first, the engine is
asked beforehand with every part as hoped for; only the parts of what it finds are decided, and the others stay unknown.
That changes no answer. In negation normal form an expression is AND and OR over literals, so it can only lose by a
literal that is less true; what is hoped for makes all literals on a part true, and unknown never makes one true that it
does not. So an expression that was not found is not true, with its parts unknown or decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.events.event_batch import EventBatch
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.vocabulary import Vocabulary
from eligo.engines.protocol import MatchArrays
from eligo.joins.asking.holders import BOTH, Holders
from eligo.joins.asking.join_table import JoinKeys, JoinTable
from eligo.joins.asking.order import Estimate, OrderChoice
from eligo.joins.asking.pre_filter import PreFilter, PreFilterStats
from eligo.joins.asking.question import Order, Question
from eligo.language.evaluate import Missing
from eligo.sharing import once

Match = Callable[[EventBatch], MatchArrays]

COST_OF_DECIDING, COST_OF_COUNTING, COST_OF_READING = 5, 1, 200
"""About how long it takes to decide a part, to pass a document through the pre-filter, and to look for an expression's
constraints; only their proportions count."""


class Survivors(NamedTuple):
    """What the pre-filter leaves: in row 0 for any event, in row 1 for events with one value of what is joined."""

    expressions: npt.NDArray[np.bool_]
    """For each expression whether it can be true."""
    parts: npt.NDArray[np.bool_]
    """For each part whether such an expression holds it."""
    of_event: npt.NDArray[np.int64]
    """For each event: its row."""

    @classmethod
    def of(cls, pre_filter: PreFilter, question: Question) -> Survivors:
        """What it leaves of the documents of a question."""
        holders, snapshot = pre_filter.holders, question.snapshot
        rows = [pre_filter.survivors(snapshot, is_single=is_single) for is_single in (False, True)]
        parts = np.zeros((2, len(holders.hoped_for)), np.bool_)
        for row, survives in enumerate(rows):
            parts[row, holders.parts_of(np.flatnonzero(survives))[0]] = True
        return cls(np.array(rows), parts, pre_filter.are_single(question.events).astype(np.int64))


class PartJoinStats(NamedTuple):
    """What was done about documents, for expressions over one vocabulary."""

    num_joins: int
    """Distinct quantified parts."""
    num_events: int
    """Events that were asked."""
    num_decided: int
    """Pairs of an event and a quantified part that were decided."""
    order: Order | None
    """What was looked at first for the last event; None before any."""
    estimate: Estimate | None
    """What both orders were expected to cost it."""
    share: float
    """Of the parts, what constants left on the last events."""
    pre_filter: PreFilterStats | None
    """None where the pre-filter does not pay yet."""


class PartJoins:
    """The quantified parts of expressions over one vocabulary."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        texts: Callable[[], pa.Array],
        missing: Missing,
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> None:
        """`texts` gives the expressions, by position."""
        self.table = JoinTable.of_vocabulary(vocabulary, missing, hierarchies)
        self._vocabulary = vocabulary
        self._texts = texts
        self._missing: Missing = missing
        self._hierarchies = hierarchies
        self.pre_filter: PreFilter | None = None
        """Made when it pays."""
        self.num_events = 0
        """That were asked so far."""

    @once
    def keys(self) -> JoinKeys:
        """Of the parts."""
        return JoinKeys.of(self.table.names, self._vocabulary)

    @once
    def holders(self) -> Holders:
        """The expressions that hold parts."""
        return Holders.of(self._texts(), self.table.names, self._missing)

    @once
    def choice(self) -> OrderChoice:
        """What is looked at first."""
        return OrderChoice(len(self.table), len(self._texts()))

    def completed(self, batch: EventBatch, question: Question, table: int, match: Match) -> EventBatch:
        """Events with what holds of documents; `table` is the place of this table in the question."""
        wanted = self._wanted(batch, question, table, match)
        truths = question.truths(table, wanted)
        self.num_events += batch.num_events
        return self.keys.added_to(batch, truths)

    def _wanted(self, batch: EventBatch, question: Question, table: int, match: Match) -> npt.NDArray[np.bool_] | None:
        """For each event, in a row, whether to decide each part; None for all."""
        num_documents = question.snapshot.num_documents
        order = self.choice.choose(self._attributes_of(batch), num_documents, question.order)
        survivors = self._survivors(question)
        if order == "constants":
            wanted = self._left_by_constants(batch, question, table, match, survivors)
            self.choice.observed(float(wanted.mean()) if wanted.size else 0.0)
            return wanted
        return None if survivors is None else survivors.parts[survivors.of_event]

    def _attributes_of(self, batch: EventBatch) -> float:
        """How many attributes on which there are constant predicates an event of the batch has, on average."""
        return int(np.count_nonzero(batch.keys < self._vocabulary.num_attributes)) / max(batch.num_events, 1)

    def estimated(self, batch: EventBatch, num_documents: int) -> Estimate:
        """What both orders are expected to cost an event of the batch."""
        return self.choice.estimate(self._attributes_of(batch), num_documents)

    def _survivors(self, question: Question) -> Survivors | None:
        """What the pre-filter leaves; None where there is none, because it would cost more than it could have saved."""
        if self.pre_filter is None:
            spared = self.table.num_decided * COST_OF_DECIDING
            counting = COST_OF_COUNTING * question.snapshot.num_documents
            if spared <= counting or spared < counting + COST_OF_READING * len(self.holders.rows):
                return None
            self.add_pre_filter()
        assert self.pre_filter is not None
        return Survivors.of(self.pre_filter, question)

    def add_pre_filter(self) -> None:
        """Have the documents pass through the pre-filter from now on."""
        self.pre_filter = PreFilter(self._texts(), self.holders, self._missing, self._hierarchies)

    def _left_by_constants(
        self, batch: EventBatch, question: Question, table: int, match: Match, survivors: Survivors | None
    ) -> npt.NDArray[np.bool_]:
        hoped_for = self.holders.hoped_for
        wanted = np.zeros((batch.num_events, len(hoped_for)), np.bool_)
        wanted[:, hoped_for == BOTH] = True
        # What cannot be hoped for is decided first.
        hoped = np.where(wanted, question.truths(table, wanted), hoped_for)
        found = match(self.keys.added_to(batch, hoped.astype(np.int8)))
        parts, places = self.holders.parts_of(found.positions.astype(np.int64))
        offsets = found.offsets.astype(np.int64)
        rows = np.repeat(np.arange(batch.num_events), offsets[1:] - offsets[:-1])
        if survivors is not None:
            is_left = survivors.expressions[survivors.of_event[rows], found.positions][places]
            parts, places = parts[is_left], places[is_left]
        wanted[rows[places], parts] = True
        return wanted

    def stats(self) -> PartJoinStats:
        """What was done so far."""
        choice, pre_filter = self.choice, self.pre_filter
        return PartJoinStats(
            len(self.table),
            self.num_events,
            self.table.num_decided,
            choice.last,
            choice.last_estimate,
            choice.share,
            None if pre_filter is None else pre_filter.stats(),
        )
