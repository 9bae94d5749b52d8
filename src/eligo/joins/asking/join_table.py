"""Which quantified parts do expressions hold? A join table: each distinct one once (Tatbul 2001, section 4.2).

    P1: exists d (price < d.price)        number  part                           keys of P1 … P3's vocabulary
    P2: forall d (year > d.year)          0       exists d (author = d.author)   known 0   true 3   false -
    P3: exists d (author = d.author)      1       exists d (price < d.price)     known 1   true 4   false -
                                          2       forall d (year > d.year)       known 2   true 5   false -

To a vocabulary a part is an attribute, whose value is what was found out about the documents. So a part is decided once
an event, however many expressions hold it, and what is found out are keys like any other to every engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.decided_keys import with_keys
from eligo.data.events.event_batch import EventBatch
from eligo.data.vocabulary import Vocabulary
from eligo.errors import EligoError
from eligo.joins.decide import Decider
from eligo.language.evaluate import Hierarchies, Missing
from eligo.language.limits import UNBOUNDED
from eligo.language.quantified import MARK, Quantified, stands_for_part
from eligo.language.text.parse import parse
from eligo.language.value import Kind
from eligo.sharing import once

NO_KEY = -1

Truths = npt.NDArray[np.int8]
"""1 true, 0 false, -1 unknown."""


class JoinTable:
    """The distinct quantified parts of some expressions, and what decides them."""

    def __init__(self, parts: Iterable[Quantified], missing: Missing, hierarchies: Hierarchies | None) -> None:
        self.parts = tuple(parts)
        self.names = tuple(part.attribute for part in self.parts)
        self._missing = missing
        self._hierarchies = hierarchies
        self.num_decided = 0
        """Pairs of an event and a part, so far."""

    @classmethod
    def of_vocabulary(
        cls, vocabulary: Vocabulary, missing: Missing, hierarchies: Hierarchies | None = None
    ) -> JoinTable:
        """The parts that the expressions of a vocabulary hold."""
        return cls(parts_of_names(vocabulary.attribute_names), missing, hierarchies)

    def __len__(self) -> int:
        return len(self.parts)

    @once
    def decider(self) -> Decider:
        """Decides the parts, by their numbers."""
        return Decider(self.parts, self._missing, self._hierarchies)

    @once
    def event_attributes(self) -> frozenset[str]:
        """The attributes of an event that some part compares with documents."""
        return frozenset(name for part in self.parts for name in part.event_attributes())


def parts_of_names(names: Iterable[str]) -> Iterator[Quantified]:
    """The quantified parts among attributes."""
    for name in names:
        if stands_for_part(name) and (part := part_of_name(name)) is not None:
            yield part


def part_of_name(name: str) -> Quantified | None:
    """The part that an attribute stands for; None when its name only looks like that of one."""
    try:
        part = parse(name.removeprefix(MARK), limits=UNBOUNDED)
    except EligoError:
        return None
    return part if isinstance(part, Quantified) and part.attribute == name else None


class JoinKeys(NamedTuple):
    """The keys of a table's parts in one vocabulary."""

    known: npt.NDArray[np.int64]
    """For each part: the key of its truth being known, or `NO_KEY`: no expression holds it."""
    true: npt.NDArray[np.int64]
    """For each part: the key of its being true, or `NO_KEY`."""
    false: npt.NDArray[np.int64]
    """For each part: the key of its being false, or `NO_KEY`."""

    @classmethod
    def of(cls, names: Sequence[str], vocabulary: Vocabulary) -> JoinKeys:
        """The keys of the parts with these names."""
        numbers = vocabulary.attribute_numbers
        known = np.array([numbers.get(name, NO_KEY) for name in names], np.int64)
        place_of = np.full(vocabulary.num_attributes, NO_KEY, np.int64)
        place_of[known[known != NO_KEY]] = np.flatnonzero(known != NO_KEY)
        of_truth = np.full((2, len(known)), NO_KEY, np.int64)
        places = place_of[vocabulary.data.entry_attribute]
        entries = np.flatnonzero((places != NO_KEY) & (vocabulary.data.entry_kind == Kind.BOOL))
        of_truth[vocabulary.data.entry_high[entries], places[entries]] = vocabulary.num_attributes + entries
        return cls(known, of_truth[1], of_truth[0])

    def added_to(self, batch: EventBatch, truths: Truths) -> EventBatch:
        """Events with what was found out about each of the parts: a row for each event, -1 where nothing was."""
        rows, places = np.nonzero(truths >= 0)
        valued = np.where(truths[rows, places] == 1, self.true[places], self.false[places])
        has_key = valued != NO_KEY
        keys = np.concatenate([self.known[places], valued[has_key]])
        return with_keys(batch, np.concatenate([rows, rows[has_key]]), keys.astype(np.uint32))
