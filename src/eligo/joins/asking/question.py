"""What is asked of documents? Events, a base at one moment, and the parts to decide: each at most once for an event.

    tables of an index     part 0: a b c      part 1: b d        tail: d
    numbers through them   0 1 2              1 4                4

An expression set may have several tables, one for each vocabulary. A part that stands in several has one number, that
of the first, so that it is decided once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eligo.data.expressions.expression_source import read_expressions
from eligo.data.vocabulary import Vocabulary
from eligo.joins.asking.join_table import JoinTable, Truths
from eligo.joins.segment import Snapshot
from eligo.language.canonical import attribute_text, canonical_text
from eligo.language.limits import UNBOUNDED
from eligo.language.quantified import Quantified
from eligo.language.tree import Predicate
from eligo.language.value import Scalar
from eligo.sharing import once

UNKNOWN, UNDECIDED = -1, -2

Order = Literal["joins", "constants"]
"""What is looked at first: documents, or the other predicates, so that fewer parts are to be decided."""
Attributes = Mapping[str, tuple[Scalar, ...]]


class JoinTables:
    """The tables of an expression set at one moment."""

    def __init__(self, tables: Sequence[JoinTable]) -> None:
        self.tables = tuple(tables)
        self.starts = np.cumsum([0, *(len(table) for table in self.tables)])
        """Where the numbers of each table begin."""
        number_of: dict[str, int] = {}
        self.numbers: list[npt.NDArray[np.int64]] = []
        """For each table: the number of each of its parts."""
        for table, start in zip(self.tables, self.starts.tolist(), strict=False):
            own = [number_of.setdefault(name, start + place) for place, name in enumerate(table.names)]
            self.numbers.append(np.array(own, np.int64))
        self.num_distinct = len(number_of)

    @property
    def num_decided(self) -> int:
        """Pairs of an event and a part, so far."""
        return sum(table.num_decided for table in self.tables)

    @property
    def first_part(self) -> Quantified | None:
        """A part, if there is any."""
        return next((part for table in self.tables for part in table.parts), None)

    @once
    def first_timed(self) -> Quantified | None:
        """A part about the last so much time, if there is any."""
        timed = (part for table in self.tables for part in table.parts if isinstance(part.last, timedelta))
        return next(timed, None)

    @once
    def event_attributes(self) -> frozenset[str]:
        """The attributes of an event that some part compares with documents."""
        return frozenset().union(*(table.event_attributes for table in self.tables))

    @once
    def vocabulary(self) -> Vocabulary:
        """Of these attributes and what parts compare them with; events that are encoded with it keep their values."""
        leaves = (leaf for table in self.tables for part in table.parts for leaf in part.leaves())
        predicates = {canonical_text(leaf) for leaf in leaves if isinstance(leaf, Predicate)}
        given = [f"{attribute_text(name)} exists" for name in sorted(self.event_attributes)] + sorted(predicates)
        return value_vocabulary(given)


def value_vocabulary(expressions: Sequence[str]) -> Vocabulary:
    """The vocabulary of some expressions; events that are encoded with it keep their values."""
    texts = pa.array(expressions, pa.large_string())
    given = pa.table({"id": pa.array(range(len(texts)), pa.int64()), "expression": texts})
    vocabulary, _ = read_expressions(given, schema=None, limits=UNBOUNDED).encode("unknown")
    return Vocabulary(vocabulary.data, keeps_values=True)


class Question:
    """Events that are asked, and what was found out about them so far."""

    def __init__(
        self,
        tables: JoinTables,
        snapshot: Snapshot,
        at: datetime,
        events: Sequence[Attributes],
        order: Order | None = None,
    ) -> None:
        self.tables = tables
        self.snapshot = snapshot
        self.at = at
        """The moment from which `in last '7 days'` counts back."""
        self.events = events
        """Of each event the attributes that parts compare with documents."""
        self.order = order
        """What is looked at first; None where that is to be chosen."""
        self._truths = np.full((len(events), int(tables.starts[-1])), UNDECIDED, np.int8)

    def truths(self, table: int, wanted: npt.NDArray[np.bool_] | None = None) -> Truths:
        """For each event, in a row, the truth of each part of a table; -1 also of those that are not wanted."""
        numbers = self.tables.numbers[table]
        for row in range(len(self.events)):
            asked = numbers if wanted is None else numbers[wanted[row]]
            self._decide(row, asked[self._truths[row, asked] == UNDECIDED])
        found = self._truths[:, numbers]
        found[(found == UNDECIDED) | (False if wanted is None else ~wanted)] = UNKNOWN
        return found

    def _decide(self, row: int, numbers: npt.NDArray[np.int64]) -> None:
        """Decide parts of any table for an event."""
        owners = np.searchsorted(self.tables.starts, numbers, side="right") - 1
        for owner in np.unique(owners).tolist():
            own = np.unique(numbers[owners == owner])  # a later table has them in an order of its own
            table, start = self.tables.tables[owner], self.tables.starts[owner]
            which = None if len(own) == len(table) else (own - start).astype(np.int32)
            decided = table.decider.decide(self.events[row], self.snapshot, at=self.at, which=which)
            self._truths[row, own] = decided
            table.num_decided += len(own)
