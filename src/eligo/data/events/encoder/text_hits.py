"""What does a string hit? Its key, its cell, and the nodes that it is under: by a taxonomy, or on its own path."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise, repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EncodedValuesWriter, encode, read_only
from eligo.data.events.encoder.hits import (
    AttributeParts,
    Hits,
    Items,
    NotPlainError,
    one_item,
    packed,
    range_of,
    two_items,
)
from eligo.data.events.event_values import NO_WEIGHTS
from eligo.data.events.kernels.event_items import CELLS_FROM
from eligo.data.events.kernels.keys_and_cells import encode_events
from eligo.data.kernels.vocabulary_lookup import STRINGS, VocabularyArrays, find_text
from eligo.kernels import codes
from eligo.kernels.hashing import NONE

LONGEST_TEXT = 1_000
"""Longer strings are counted for the limits of events, and are not found by one look."""
LONGEST_PATH = 256
"""Nodes above longer strings are found by the kernels, in linear time."""


class ListedTexts(dict[str, Items]):
    """Strings of one attribute; the dictionary has those that expressions and taxonomies name."""

    def __init__(self, lookup: TextArrays, presence: int) -> None:
        super().__init__()
        self._lookup, self._presence = lookup, presence
        self._absent = one_item(presence)
        self._bounds, self._base = lookup.bounds(), lookup.base
        self._nodes = lookup.nodes()
        self._longest_node = max(map(len, self._nodes), default=0)
        self.is_more_than_keys = lookup.is_more_than_keys
        """Whether there are nodes that a string may be under, or an axis of strings."""
        self._longest = LONGEST_PATH if self.is_more_than_keys else LONGEST_TEXT
        keys = {value: key for value, key in lookup.keys().items() if len(value) <= self._longest}
        if not self.is_more_than_keys:
            self.update(zip(keys, map(two_items, repeat(presence), keys.values()), strict=True))
            return
        above = lookup.taxonomy()
        for value in {*keys, *above}:
            if len(value) <= self._longest:
                key = (keys[value],) if value in keys else ()
                self[value] = packed((presence, *key, *above.get(value, ()), *self._further(value)))

    def __missing__(self, value: str) -> Items:
        if len(value) > LONGEST_TEXT:
            raise NotPlainError
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise NotPlainError from None
        return self.of(value)

    def of(self, value: str) -> Items:
        found = self.get(value)
        if found is not None:
            return found
        if len(value) > self._longest:
            return self._lookup.far(value)
        return packed((self._presence, *self._further(value))) if self.is_more_than_keys else self._absent

    def _further(self, value: str) -> list[int]:
        """The cell of a string, and the nodes on its path."""
        found: list[int] = []
        if self._base:
            encoded = value.encode()
            place = bisect_left(self._bounds, encoded)
            is_bound = place < len(self._bounds) and self._bounds[place] == encoded
            found.append(self._base + 2 * place + is_bound)
        if self._nodes:
            end = value.find("/")
            while 0 <= end <= self._longest_node:
                if (node := self._nodes.get(value[:end])) is not None:
                    found.append(node)
                end = value.find("/", end + 1)
            if (node := self._nodes.get(value)) is not None:
                found.append(node)
        return found


class StoredTexts:
    """The same over the arrays of the vocabulary, where very many are named."""

    def __init__(self, lookup: TextArrays, presence: int) -> None:
        self._lookup, self._presence = lookup, presence
        data = lookup.data
        self._table = data.string_slots, data.string_offsets, data.string_bytes, data.seeds[STRINGS]
        self._strings = data.entry_high.data

    def __getitem__(self, value: str) -> Items:
        if len(value) > LONGEST_TEXT:
            raise NotPlainError
        try:
            return self.of(value)
        except UnicodeEncodeError:
            raise NotPlainError from None

    def of(self, value: str) -> Items:
        lookup = self._lookup
        if lookup.is_more_than_keys:
            return lookup.far(value)
        encoded = value.encode()
        string = find_text(*self._table, np.frombuffer(encoded, np.uint8), 0, len(encoded))
        if string == NONE:
            return one_item(self._presence)
        entries = lookup.entries
        place = bisect_left(self._strings, string, entries.start, entries.stop)
        is_entry = place < entries.stop and self._strings[place] == string
        return two_items(self._presence, lookup.first_key + place) if is_entry else one_item(self._presence)


class TextArrays:
    """The strings of one attribute in the arrays of a vocabulary."""

    def __init__(self, data: VocabularyArrays, attribute: int, parts: AttributeParts) -> None:
        self.data = data
        self.attribute = attribute
        self.entries = parts.entries(codes.STRING)
        self.first_key = len(data.attribute_kinds)
        self._nodes = parts.entries(codes.UNDER_NODE)
        self._bounds, self.base = parts.bounds(codes.STRING)
        self._has_taxonomy = bool(data.attribute_has_taxonomy[attribute])
        self.is_more_than_keys = bool(self._nodes) or self.base > 0

    def keys(self) -> dict[str, int]:
        """The key of each string that is named."""
        return self._keys_of(self.entries)

    def nodes(self) -> dict[str, int]:
        """The key of each node that the steps of a string may lead to; none where a taxonomy says what is above it."""
        return {} if self._has_taxonomy else self._keys_of(self._nodes)

    def _keys_of(self, entries: range) -> dict[str, int]:
        strings = self._texts(self.data.entry_high[entries.start : entries.stop])
        first = self.first_key + entries.start
        return dict(zip(strings, range(first, first + len(entries)), strict=True))

    def taxonomy(self) -> dict[str, tuple[int, ...]]:
        """The keys of the nodes above each string, by the taxonomy."""
        if not self._has_taxonomy:
            return {}
        data = self.data
        pairs = range_of(data.taxonomy_attribute, self.attribute)
        strings = self._texts(data.taxonomy_string[pairs.start : pairs.stop])
        offsets = data.taxonomy_key_offsets[pairs.start : pairs.stop + 1].tolist()
        return {
            text: tuple(data.taxonomy_keys[first:last].tolist())
            for text, (first, last) in zip(strings, pairwise(offsets), strict=True)
        }

    def bounds(self) -> list[bytes]:
        """The bounds of the axis of strings."""
        data, offsets = self.data.bound_text_bytes.data, self.data.bound_text_offsets
        ends = offsets[self._bounds.start : self._bounds.stop + 1].tolist()
        return [bytes(data[first:last]) for first, last in pairwise(ends)]

    def _texts(self, numbers: npt.NDArray[Any]) -> list[str]:
        data, offsets = self.data.string_bytes.data, self.data.string_offsets
        places = numbers.astype(np.int64)
        starts, ends = offsets[places].tolist(), offsets[places + 1].tolist()
        return [str(data[first:last], "utf-8") for first, last in zip(starts, ends, strict=True)]

    def far(self, value: str) -> Items:
        """What a string hits, by the kernels that encode batches."""
        writer = EncodedValuesWriter()
        writer.add(self.attribute, encode(value))
        rows = read_only(np.zeros(1, np.uint32))
        arrays = encode_events(self.data, 1, writer.finish(), rows, NO_WEIGHTS, NO_WEIGHTS)
        _, keys, _, _, axes, cells, _ = (array.tolist() for array in arrays)
        return packed((*keys, *((axis + 1) * CELLS_FROM + cell for axis, cell in zip(axes, cells, strict=True))))


def text_hits(data: VocabularyArrays, attribute: int, parts: AttributeParts, *, is_listed: bool) -> Hits:
    """What the strings of an attribute hit."""
    lookup = TextArrays(data, attribute, parts)
    return ListedTexts(lookup, attribute) if is_listed else StoredTexts(lookup, attribute)
