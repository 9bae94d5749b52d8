"""Which expressions can be true of any event at all, with the documents that there are? The pre-filter says it.

    constraint 0   price < 10 and shop = 'A'      counts 3      x0 needs 0 of some document       survives: x0, x2
    constraint 1   year exists                    counts 0      x1 needs 1 of some document

The distinct constraints (`joins.asking.implied`) are expressions over documents, in an engine of our own. Documents
pass through it when they are first seen and when they are gone, and it is counted how many satisfy each constraint.
An expression survives when each of its constraints is satisfied by some document, or by all where it comes from a
universal part (Tatbul 2001, section 4.3.2).

A part that only expressions hold which do not survive need not be decided. Such an expression is not true with its
parts undecided, either: in its outermost conjunction stands a part that is not true, or constants that are not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.expressions.expression_source import read_expressions
from eligo.data.schema.hierarchy import Hierarchy
from eligo.engines import registry
from eligo.joins.asking.holders import Holders
from eligo.joins.asking.implied import implied
from eligo.joins.asking.question import Attributes
from eligo.joins.asking.segment_events import encoded_documents
from eligo.joins.segment import Mask, Segment, Snapshot
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import Missing
from eligo.language.limits import UNBOUNDED
from eligo.language.text.parse import parse

MOST_READ = 20_000
"""Expressions whose constraints are looked for; others survive."""
ENGINE = "a_tree"
"""Tells which constraints a document satisfies."""
NO_CONSTRAINT = -1


class Needs(NamedTuple):
    """What expressions need of documents; an expression may need several things."""

    expressions: npt.NDArray[np.int64]
    """For each need: whose it is."""
    constraints: npt.NDArray[np.int64]
    """For each need: what is to be satisfied, by an event with one value for each of the attributes."""
    weaker: npt.NDArray[np.int64]
    """For each need: what is to be satisfied by any event, or `NO_CONSTRAINT`."""
    of_all: npt.NDArray[np.bool_]
    """For each need: whether all documents are to satisfy it."""


class Counted(NamedTuple):
    """How many documents of a snapshot satisfy each constraint."""

    snapshot: Snapshot
    counts: npt.NDArray[np.int64]


class PreFilterStats(NamedTuple):
    """What the pre-filter holds, and what it left of the last documents that it saw."""

    num_constraints: int
    """Distinct ones."""
    num_expressions: int
    """Expressions that some document, or all, must satisfy something for."""
    num_surviving: int
    """Those of them that can be true of an event with one value for what is joined."""


class PreFilter:
    """The constraints of some expressions, and how many documents satisfy them."""

    def __init__(
        self, texts: pa.Array, holders: Holders, missing: Missing, hierarchies: Mapping[str, Hierarchy] | None = None
    ) -> None:
        """`texts` are the expressions, by position."""
        self.num_expressions = len(texts)
        self.holders = holders
        rows = holders.rows[:MOST_READ]
        constraints: dict[str, int] = {}
        needs: list[tuple[int, int, int, bool]] = []
        single: set[str] = set()
        for row, text in zip(rows.tolist(), texts.take(pa.array(rows)).to_pylist(), strict=True):
            for each in implied(parse(text, limits=UNBOUNDED), missing):
                numbers = [
                    NO_CONSTRAINT if found is None else constraints.setdefault(canonical_text(found), len(constraints))
                    for found in (each.constraint, each.weaker)
                ]
                needs.append((row, *numbers, each.part.is_universal))
                single |= each.single
        columns = np.array(needs, np.int64).reshape(-1, 4).T
        self.needs = Needs(columns[0], columns[1], columns[2], columns[3].astype(np.bool_))
        self.single = frozenset(single)
        """Attributes of which an event must have one value for the constraints, else the weaker ones count."""
        self.constraints = tuple(constraints)
        given = pa.table(
            {
                "id": pa.array(range(len(constraints)), pa.int64()),
                "expression": pa.array(self.constraints, pa.large_string()),
            }
        )
        self._vocabulary, table = read_expressions(given, schema=None, limits=UNBOUNDED).encode(missing, hierarchies)
        self._engine = registry.build(ENGINE, table, self._vocabulary)
        self._empty = self._counted = Counted(Snapshot([], -1), np.zeros(len(constraints), np.int64))

    def counted(self, snapshot: Snapshot) -> Counted:
        """How many documents satisfy each constraint, from those that came and went since the last snapshot."""
        last = self._counted
        if last.snapshot is snapshot:
            return last
        known = {id(segment) for segment, _ in last.snapshot.segments}
        if not any(id(segment) in known for segment, _ in snapshot.segments):  # another base, or all of it is merged
            last = self._empty
        counts = last.counts.copy()
        for segment, is_new in _only_in(snapshot, last.snapshot):
            counts += self._count(segment, is_new)
        for segment, is_gone in _only_in(last.snapshot, snapshot):
            counts -= self._count(segment, is_gone)
        self._counted = Counted(snapshot, counts)
        return self._counted

    def _count(self, segment: Segment, is_wanted: Mask) -> npt.NDArray[np.int64]:
        if not len(self.constraints):
            return np.zeros(0, np.int64)
        return self._engine.count_batch(encoded_documents(segment, is_wanted, self._vocabulary))

    def survivors(self, snapshot: Snapshot, *, is_single: bool) -> npt.NDArray[np.bool_]:
        """For each expression whether it can be true of an event, with one value for each of the attributes or any."""
        counts, needs = self.counted(snapshot).counts, self.needs
        constraints = needs.constraints if is_single else needs.weaker
        enough = np.where(needs.of_all, snapshot.num_documents, 1)
        is_met = counts[constraints] >= enough if len(counts) else np.ones(len(constraints), np.bool_)
        is_met |= constraints == NO_CONSTRAINT
        survives = np.ones(self.num_expressions, np.bool_)
        survives[needs.expressions[~is_met]] = False
        return survives

    def stats(self) -> PreFilterStats:
        """As of the last documents."""
        needing = np.unique(self.needs.expressions)
        survives = self.survivors(self._counted.snapshot, is_single=True)
        return PreFilterStats(len(self.constraints), len(needing), int(survives[needing].sum()))

    def are_single(self, events: Sequence[Attributes]) -> npt.NDArray[np.bool_]:
        """For each event whether it has at most one value for each of the attributes on which constraints depend."""
        return np.array([all(len(event.get(name, ())) < 2 for name in self.single) for event in events], np.bool_)


def _only_in(one: Snapshot, other: Snapshot) -> list[tuple[Segment, Mask]]:
    """The documents of one snapshot that the other does not have in the same segment.

    Segments that are merged are counted anew, as seldom as a document is merged.
    """
    masks = {id(segment): is_alive for segment, is_alive in other.segments}
    found: list[tuple[Segment, Mask]] = []
    for segment, is_alive in one.segments:
        own = np.ones(segment.num_documents, np.bool_) if is_alive is None else is_alive
        if id(segment) in masks:
            is_there = masks[id(segment)]
            own = np.zeros(len(own), np.bool_) if is_there is None else own & ~is_there
        if own.any():
            found.append((segment, own))
    return found
