"""Where do new expressions go? Into a tail: a growing tree beside the frozen parts, with ids, texts and trees.

    slot   id       text                    tree.match(event) = [0, 2]
    0      "ad-7"   "age in (3, 4)"
    2      "ad-8"   "age >= 4 or vip"       slot 1 was deleted

Slots ascend in the order of insertion and are not used again. Whoever shares a tail between threads holds a lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expression_source import ExpressionId
from eligo.data.hierarchy import Hierarchy
from eligo.engines.growing_tree import GrowingTree
from eligo.language.evaluate import Missing
from eligo.language.tree import Expression
from eligo.language.value import event_attributes

_versions = count()


class TailEntry(NamedTuple):
    """One expression of a tail."""

    id: ExpressionId
    text: str
    tree: Expression


class Tail:
    """Expressions that came since the parts were frozen, less those that went again."""

    def __init__(self, missing: Missing, hierarchies: Mapping[str, Hierarchy]) -> None:
        self.tree = GrowingTree(missing=missing, hierarchies=hierarchies)
        self.entries: dict[int, TailEntry] = {}
        """By slot, ascending."""
        self.version = next(_versions)
        """Another one after every change; no two tails ever have the same."""
        self._slot_of_id: dict[ExpressionId, int] = {}
        self._next_slot = 0

    def __len__(self) -> int:
        return len(self.entries)

    def slot(self, id: ExpressionId) -> int | None:
        """Where the tail has an id, or None."""
        return self._slot_of_id.get(id)

    def insert(self, entry: TailEntry) -> None:
        """Add an expression at the end; an older one of its id is deleted."""
        slot = self._next_slot
        self.tree.insert(slot, entry.tree)
        self._next_slot += 1
        self.delete(entry.id)
        self.entries[slot] = entry
        self._slot_of_id[entry.id] = slot
        self.version = next(_versions)

    def delete(self, id: ExpressionId) -> None:
        """Give up the expression of an id, if there is one."""
        slot = self._slot_of_id.pop(id, None)
        if slot is not None:
            self.tree.delete(slot)
            del self.entries[slot]
            self.version = next(_versions)

    def match(self, event: Mapping[str, Any]) -> list[TailEntry]:
        """The expressions that an event satisfies, in the order in which they came."""
        return [self.entries[slot] for slot in self._match(event).tolist()]

    def match_places(self, events: Sequence[Mapping[str, Any]]) -> list[npt.NDArray[np.uint32]]:
        """For each event: the places of the expressions that it satisfies, among all that are there."""
        slots = np.fromiter(self.entries, np.uint32, len(self.entries))
        return [np.searchsorted(slots, self._match(event)).astype(np.uint32) for event in events]

    def _match(self, event: Mapping[str, Any]) -> npt.NDArray[np.uint32]:
        if not self.entries:
            return np.zeros(0, np.uint32)
        return self.tree.match_attributes(event_attributes(event, self.tree.predicates.attribute_names))
