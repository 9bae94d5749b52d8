"""What do the values of one attribute hit? Strings and numbers are found by one look, all else by its Python type."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from eligo.data.events.encoder.hits import NOTHING, AttributeParts, Hits, Items, one_item, two_items
from eligo.data.events.encoder.number_hits import Days, ListedNumbers, Moments, number_hits
from eligo.data.events.encoder.text_hits import LONGEST_TEXT, ListedTexts, text_hits
from eligo.data.kernels.vocabulary_lookup import VocabularyArrays
from eligo.kernels import codes
from eligo.language.value import INT64_MAX, INT64_MIN

LOOKED_UP = frozenset({str, int, float})
"""The types of values that are keys of the dictionary; a bool would be taken for a number there."""


class AttributeHits(dict[Any, Items]):
    """What each string and number that expressions name hits; others are computed. Made once for an attribute.

    Without dictionaries, `is_listed` being false, all are looked up in the arrays of the vocabulary, which takes longer
    and no memory.
    """

    def __init__(self, data: VocabularyArrays, attribute: int, *, is_listed: bool) -> None:
        super().__init__()
        parts = AttributeParts(data, attribute)
        self._texts = text_hits(data, attribute, parts, is_listed=is_listed)
        self._numbers = number_hits(data, attribute, parts, codes.NUMBER, is_listed)
        self.others: dict[type, Hits] = {
            bool: number_hits(data, attribute, parts, codes.BOOL, is_listed),
            date: Days(number_hits(data, attribute, parts, codes.DATE, is_listed)),
            datetime: Moments(number_hits(data, attribute, parts, codes.TIMESTAMP, is_listed)),
            type(None): NOTHING,
        }
        """By type, for values that are not looked up here."""
        self._presence, self._absent = attribute, one_item(attribute)
        self._is_text_absent = isinstance(self._texts, ListedTexts) and not self._texts.is_more_than_keys
        self._bounds: list[Any] | None = None
        self._base = 0
        if isinstance(self._numbers, ListedNumbers) and self._numbers.base:
            self._bounds, self._base = self._numbers.bounds, self._numbers.base
        for listed in (self._texts, self._numbers):
            if isinstance(listed, ListedTexts | ListedNumbers):
                self.update(listed)
                listed.clear()  # from now on it is asked for what is not here

    def __missing__(self, value: Any) -> Items:
        # What comes most often is found here: a string that no expression names, and a number between bounds.
        if type(value) is str:
            if self._is_text_absent and len(value) <= LONGEST_TEXT and value.isascii():
                return self._absent
            return self._texts[value]
        if self._bounds is not None and INT64_MIN <= value <= INT64_MAX:
            return two_items(self._presence, self._base + 2 * bisect_left(self._bounds, value))
        return self._numbers[value]

    def of_several(self, values: Iterable[Any]) -> list[Items]:
        """What each of several values hits."""
        return [self[value] if type(value) in LOOKED_UP else self.others[type(value)][value] for value in values]

    def of(self, value: Any) -> Items:
        """What a canonical value hits."""
        kind = type(value)
        if kind not in LOOKED_UP:
            return self.others[kind].of(value)
        found = self.get(value)
        if found is not None:
            return found
        return self._texts.of(value) if kind is str else self._numbers.of(value)
