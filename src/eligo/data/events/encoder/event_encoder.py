"""How is an event encoded in a few microseconds? Each value is looked at once, in the dictionaries of its attribute.

    {"age": 20, "interests": ["golf", "chess"]}  ──▶  items of 20, of "golf" and of "chess"  ──▶  keys and cells

No value has to have come before, and nothing is remembered of those that came. A plain dict is left to one compiled
loop (`direct.object_encoder`) where there is one. An event of plain values, lists of them and objects within it is read
here; what is not plain, may be an error, or may be too much is read by `event.known_attributes`, value by value, and
looked up in the same dictionaries.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.events.direct.object_encoder import ObjectEncoder, ObjectScratch
from eligo.data.events.encoder.attribute_hits import LOOKED_UP, AttributeHits
from eligo.data.events.encoder.hits import ITEM, Items, NotPlainError
from eligo.data.events.encoder.text_hits import LONGEST_TEXT
from eligo.data.events.event import NO_READERS, Reader, known_attributes
from eligo.data.events.event_weights import EventWeights
from eligo.data.vocabulary import Vocabulary
from eligo.errors import StorageError
from eligo.language.canonical import attribute_text
from eligo.language.limits import DEFAULT_LIMITS, Limits

MOST_LISTED = 100_000
"""Values and bounds that have places in dictionaries, of all attributes together; those with the fewest come first.

They take about 150 bytes each. What has no place is searched for in the arrays, which takes 2 µs more for a value.
"""
BYTES_OF_LETTER = 4
"""Bytes that a character takes in UTF-8 at most."""

SEVERAL = frozenset({list, tuple, set, frozenset})
UNREAD = frozenset({bool, int, float, str, date, datetime, type(None), *SEVERAL})
"""What is passed over where no expression asks for it; other types might be objects with attributes."""

Within = list[tuple[str, dict[Any, Any]]]
"""Objects within an event, with their names."""


class EventEncoder:
    """Encodes events for one vocabulary; any number of threads may use it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._numbers = vocabulary.event_numbers
        self._tables: dict[str, AttributeHits] = {}
        """What the values of each attribute hit; made when an event first has the attribute."""
        self._is_listed = _listed(vocabulary)
        self._objects = ObjectEncoder(vocabulary, LONGEST_TEXT)
        self._room = (DEFAULT_LIMITS, _room_of(DEFAULT_LIMITS))
        """The limits of the last event, and their room."""

    def items(self, event: Any, limits: Limits = DEFAULT_LIMITS) -> Items:
        """What an event hits, in any order and some of it more than once."""
        known_limits, room = self._room
        if known_limits is not limits:
            room = _room_of(limits)
            self._room = (limits, room)
        if type(event) is dict:
            direct = self._objects.items(event, limits, room)
            if direct is not None:
                return direct
        elif not isinstance(event, Mapping):
            return self.read_items(event, limits)
        return self._looked_up(event, limits, room)

    def looked_up(self, event: Mapping[Any, Any], limits: Limits) -> Items:
        """The same for an event that `encode_mapping` has left."""
        return self._looked_up(event, limits, _room_of(limits))

    def scratch_for(self, items: npt.NDArray[np.uint64], limits: Limits) -> ObjectScratch | None:
        """Scratch for `encode_mapping`, which writes there what plain dicts hit; it is used by one call at a time.

        None where no loop may look at objects.
        """
        if not self._objects.may_look:
            return None
        made = self._objects.scratch_for(items)
        made.keep_within(limits, _room_of(limits))
        return made

    def _looked_up(self, event: Mapping[Any, Any], limits: Limits, room: int) -> Items:
        """The same for what is not a dict of Python's, or is not plain, or comes before there is compiled code."""
        if len(event) > room:
            return self.read_items(event, limits)
        found: list[Items] = []
        add = found.append
        within: Within = []
        tables = self._tables
        room -= len(event)
        try:
            for name, value in event.items():
                hits = tables.get(name)
                if hits is None:
                    hits = self._table(name, value, within)
                    if hits is None:
                        continue
                kind = type(value)
                if kind is str or kind is int or kind is float:  # as `LOOKED_UP` has it
                    add(hits[value])
                elif kind in SEVERAL:
                    room -= len(value)
                    are_looked_up = LOOKED_UP.issuperset(map(type, value))
                    found += map(hits.__getitem__, value) if are_looked_up else hits.of_several(value)
                elif kind is dict:
                    within.append((name, value))
                else:
                    add(hits.others[kind][value])
            if within:
                room -= self._add_within(event, within, found, limits)
        except (NotPlainError, KeyError):  # the latter for a type that is not plain
            return self.read_items(event, limits)
        return b"".join(found) if room >= 0 else self.read_items(event, limits)

    def _table(self, name: Any, value: Any, within: Within) -> AttributeHits | None:
        """The table of an attribute, made if need be; None for what no expression asks for."""
        if name in self._numbers:
            return self._known_table(name)
        if type(name) is not str:
            raise NotPlainError
        if type(value) is dict:
            within.append((name, value))
        elif type(value) not in UNREAD:
            raise NotPlainError
        return None

    def _known_table(self, name: str) -> AttributeHits:
        """The table of an attribute that expressions ask for."""
        table = self._tables.get(name)
        if table is None:
            number = self._numbers[name]
            try:
                table = AttributeHits(self._vocabulary.data, number, is_listed=bool(self._is_listed[number]))
            except (
                IndexError,
                ValueError,
                OverflowError,
            ):  # what a file says that has the right checksums, and is wrong
                raise StorageError(
                    f"the vocabulary is damaged: its entries for {attribute_text(name)} are not where it says",
                    help="eligo verify tells more; restore the index from a copy, or build it again",
                ) from None
            table = self._tables.setdefault(name, table)
        return table

    def _add_within(self, event: Any, within: Within, found: list[Items], limits: Limits) -> int:
        """Add what objects within an event hit; returns how many values they may have."""
        num_values = 0
        depths = [1] * len(within)
        given: set[str] = set()
        while within:
            path, mapping = within.pop()
            depth = depths.pop()
            num_values += len(mapping)
            if depth > limits.event_depth:
                raise NotPlainError
            for name, value in mapping.items():
                if type(name) is not str:
                    raise NotPlainError
                full_name = f"{path}.{name}"
                hits = self._table(full_name, value, within)
                if hits is not None and type(value) is dict:
                    within.append((full_name, value))
                elif hits is not None:
                    if full_name in event or full_name in given:  # which is an error, unless one of them is missing
                        raise NotPlainError
                    given.add(full_name)
                    values = value if type(value) in SEVERAL else (value,)
                    num_values += len(values)
                    found += hits.of_several(values)
                depths += [depth + 1] * (len(within) - len(depths))
        return num_values

    def read_items(
        self, event: Any, limits: Limits = DEFAULT_LIMITS, readers: Mapping[str, Reader] = NO_READERS
    ) -> Items:
        """What an event hits, read with care; an `EventError` for what is none."""
        found: list[Items] = []
        for name, values in known_attributes(event, self._vocabulary, readers, limits).values():
            hits = self._known_table(name)
            found += map(hits.of, values)
        return b"".join(found)

    def weighted_items(
        self,
        event: Any,
        weights: EventWeights,
        limits: Limits = DEFAULT_LIMITS,
        readers: Mapping[str, Reader] = NO_READERS,
    ) -> tuple[Items, list[float]]:
        """What an event hits, and the weight of each hit: the value's, or the attribute's where it is its presence."""
        found: list[Items] = []
        all_weights: list[float] = []
        for name, values in known_attributes(event, self._vocabulary, readers, limits).values():
            hits = self._known_table(name)
            presence = weights.of_presence(name)
            for value in values:
                own = hits.of(value)
                found.append(own)
                # Presence comes first.
                all_weights += [presence, *[weights.of(name, value)] * (len(own) // ITEM - 1)]
        return b"".join(found), all_weights


def _room_of(limits: Limits) -> int:
    """So many values pass no limit, so that only a careful reading has to count."""
    return min(limits.event_values, limits.event_bytes // (BYTES_OF_LETTER * LONGEST_TEXT))


def _listed(vocabulary: Vocabulary) -> npt.NDArray[np.bool_]:
    """For each attribute whether its values and bounds get places in dictionaries."""
    data = vocabulary.data
    sizes = np.bincount(data.entry_attribute, minlength=vocabulary.num_attributes)
    sizes += np.bincount(data.taxonomy_attribute, minlength=vocabulary.num_attributes)
    num_bounds = (data.bound_offsets[1:] - data.bound_offsets[:-1]).astype(np.int64)
    np.add.at(sizes, data.axis_attribute, num_bounds)
    order = np.argsort(sizes, kind="stable")
    is_listed = np.zeros(len(sizes), np.bool_)
    is_listed[order] = np.cumsum(sizes[order]) <= MOST_LISTED
    return is_listed


def encoder_of(vocabulary: Vocabulary) -> EventEncoder:
    """The encoder of a vocabulary, which is made once."""
    kept: EventEncoder = vocabulary.kept.get("encoder") or vocabulary.kept.setdefault(
        "encoder", EventEncoder(vocabulary)
    )
    return kept
