"""Where do new expressions go? Into a tail: a growing tree beside the frozen parts, with ids, texts and trees.

    slot   id       text                    tree.match(event) = [0, 2]
    0      "ad-7"   "age in (3, 4)"
    2      "ad-8"   "age >= 4 or vip"       slot 1 was deleted

Slots ascend in the order of insertion and are not used again.

Readers never wait, so a tail that they may read is never changed. A change is made to a spare, an earlier copy of the
tail that no one reads any more: it is told what it has missed, and then takes the place of the tail, whose spare the
tail becomes. A spare that is still being read is left alone, and one in whose change something was raised is never seen
again; then the tail is copied, which takes longer the more it holds. A copy is also made where it takes less time.

    tail    0 1 2 3        tail    0 1 2 3 4     the spare has missed 3: insert 3, then 4
    spare   0 1 2          spare   0 1 2 3
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_source import ExpressionId
from eligo.engines.growing_tree.engine import GrowingTree
from eligo.engines.growing_tree.node_recipe import Recipe, recipe_of
from eligo.index.live.tail_kinds import KindBits, joined_bits, kind_bits
from eligo.index.settings import Settings
from eligo.language.document_truth import Attributes
from eligo.language.evaluate import Missing
from eligo.language.plain_event import plain_attributes
from eligo.language.quantified import stands_for_part
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.tree import Expression
from eligo.language.value import event_attributes

MOST_SPARES = 2
"""Spares that a tail keeps: one, and another for when readers are slow to leave the first."""
NODES_COPIED_MEANWHILE = 100
"""Nodes that are copied in the time in which one node of an expression is put into the tree or taken from it."""
NODES_COPIED_AT_LEAST = 2_000
"""A copy takes as long as that of so many nodes, however few there are."""

_versions = count()


class TailEntry(NamedTuple):
    """One expression of a tail."""

    id: ExpressionId
    text: str
    tree: Expression
    size: int
    """How many nodes it has, about."""
    kind_bits: KindBits | None
    """With what it compares each attribute; None where that is not known."""


class NewEntry(NamedTuple):
    """An expression that is to be put into a tail."""

    entry: TailEntry
    recipe: Recipe
    """What the growing tree takes: made by whoever inserts, before anyone else could wait for it."""

    @classmethod
    def of(cls, id: ExpressionId, text: str, tree: Expression, missing: Missing) -> NewEntry:
        """What an expression becomes."""
        recipe = recipe_of(push_negations(tree, missing), missing)
        return cls(TailEntry(id, text, tree, len(recipe), kind_bits(tree)), recipe)


class Change(NamedTuple):
    """What happens to a tail: an expression comes, or one goes, or both at once."""

    slot: int | None
    """Where an expression comes."""
    new: NewEntry | None
    gone: int | None
    """The slot of the one that goes."""
    size: int
    """How many nodes come and go, about."""


class Spare(NamedTuple):
    """An earlier copy of a tail."""

    tail: Tail
    missed: tuple[Change, ...]
    """What has happened to the tail since."""


class Tail:
    """Expressions that came since the parts were frozen, less those that went again."""

    def __init__(self, settings: Settings) -> None:
        self._limits = settings.limits
        self.tree = GrowingTree(missing=settings.missing, hierarchies=settings.hierarchies)
        self.entries: dict[int, TailEntry] = {}
        """By slot, ascending."""
        self.version = next(_versions)
        """Another one after every change; no two tails that differ ever have the same."""
        self.readers: dict[int, int] = {}
        """Who reads: for each reader its thread."""
        self.spares: list[Spare] = []
        self._slot_of_id: dict[ExpressionId, int] = {}
        self._next_slot = 0
        self.tree.prepare()

    def __len__(self) -> int:
        return len(self.entries)

    def entry(self, id: ExpressionId) -> TailEntry | None:
        """The expression of an id, or None."""
        slot = self._slot_of_id.get(id)
        return None if slot is None else self.entries[slot]

    def with_entry(self, new: NewEntry) -> Tail:
        """The tail with an expression at its end, instead of the one that its id had here."""
        return self.changed([new], ())

    def without(self, id: ExpressionId) -> Tail:
        """The tail without the expression of an id, if it has one."""
        return self.changed((), [id])

    def changed(self, new: Sequence[NewEntry], gone: Iterable[ExpressionId]) -> Tail:
        """The tail with new expressions at its end, each instead of the one that its id had, and without others."""
        found = [slot for id in gone if (slot := self._slot_of_id.get(id)) is not None]
        changes = [Change(None, None, slot, self.entries[slot].size) for slot in found]
        for slot, each in enumerate(new, self._next_slot):
            before = self._slot_of_id.get(each.entry.id)
            size = each.entry.size + (0 if before is None else self.entries[before].size)
            changes.append(Change(slot, each, before, size))
        return self._after(tuple(changes), len(new)) if changes else self

    def _after(self, changes: tuple[Change, ...], num_new: int) -> Tail:
        """The tail as changes leave it; this one stays as it is for as long as someone reads it."""
        twin, others = self._twin(changes)
        twin._next_slot = self._next_slot + num_new
        twin.tree.prepare()
        twin.version = next(_versions)
        missed = [Spare(other.tail, (*other.missed, *changes)) for other in others]
        twin.spares = [Spare(self, changes), *missed][:MOST_SPARES]
        return twin

    def _twin(self, changes: tuple[Change, ...]) -> tuple[Tail, list[Spare]]:
        """A tail after changes that no one else knows, and the spares that are left."""
        others: list[Spare] = []
        # Whoever takes a spare has it for himself, also a signal handler in the middle of a change; and when something
        # is raised, it is gone.
        while (spare := self._take_spare()) is not None:
            all_changes = _without_detours((*spare.missed, *changes))
            size = sum(each.size for each in all_changes) - sum(each.size for each in changes)
            if NODES_COPIED_MEANWHILE * size > max(NODES_COPIED_AT_LEAST, len(self.tree.nodes)):
                continue
            if spare.tail.readers:
                others.append(spare)
                continue
            spare.tail.spares.clear()
            for each in all_changes:
                spare.tail._apply(each)
            while (other := self._take_spare()) is not None:
                others.append(other)
            return spare.tail, others
        twin = self._copy()
        for each in changes:
            twin._apply(each)
        return twin, others

    def _take_spare(self) -> Spare | None:
        try:
            return self.spares.pop()
        except IndexError:
            return None

    def _copy(self) -> Tail:
        twin = copy(self)
        twin.tree = self.tree.copy()
        twin.entries, twin._slot_of_id = self.entries.copy(), self._slot_of_id.copy()
        twin.readers, twin.spares = {}, []
        return twin

    def _apply(self, change: Change) -> None:
        if change.slot is not None and change.new is not None:
            entry, recipe = change.new
            self.tree.put(change.slot, recipe)
            self.entries[change.slot] = entry
        if change.gone is not None:
            self.tree.remove(change.gone)
            del self._slot_of_id[self.entries.pop(change.gone).id]
        if change.slot is not None:
            self._slot_of_id[self.entries[change.slot].id] = change.slot

    @property
    def part_names(self) -> list[str]:
        """The attributes that stand for quantified parts of its expressions."""
        return [name for name in self.tree.predicates.attribute_names if stands_for_part(name)]

    def kind_bits(self) -> KindBits | None:
        """With what its expressions compare each attribute; None where that is not known."""
        return joined_bits(entry.kind_bits for entry in self.entries.values())

    def match(self, event: Mapping[str, Any], truths: Attributes | None = None) -> list[TailEntry]:
        """The expressions that an event satisfies, in the order in which they came; `truths` are those of parts."""
        return [self.entries[slot] for slot in self._match(event, truths or {}).tolist()]

    def match_places(self, events: Sequence[Mapping[str, Any]]) -> list[npt.NDArray[np.uint32]]:
        """For each event: the places of the expressions that it satisfies, among all that are there."""
        slots = np.fromiter(self.entries, np.uint32, len(self.entries))
        return [np.searchsorted(slots, self._match(event, {})).astype(np.uint32) for event in events]

    def _match(self, event: Mapping[str, Any], truths: Attributes) -> npt.NDArray[np.uint32]:
        if not self.entries:
            return np.zeros(0, np.uint32)
        known = self.tree.predicates.attribute_names
        given = plain_attributes(event, known, self._limits)
        if given is None:
            given = event_attributes(event, known, limits=self._limits)
        if not truths and not any(map(stands_for_part, given)):
            return self.tree.satisfied(given)
        own = {name: values for name, values in given.items() if not stands_for_part(name)}
        return self.tree.satisfied({**own, **{name: values for name, values in truths.items() if name in known}})


def _without_detours(changes: tuple[Change, ...]) -> list[Change]:
    """Changes without those expressions that come and go again."""
    come = {change.slot for change in changes if change.slot is not None}
    passing = {change.gone for change in changes if change.gone in come}
    if not passing:
        return list(changes)
    kept: list[Change] = []
    for change in changes:
        slot, new, gone, size = change
        if slot in passing:
            slot, new = None, None
        if gone in passing:
            gone = None
        if slot is not None or gone is not None:
            kept.append(Change(slot, new, gone, size))
    return kept
