"""What does a number, a date, a timestamp or a bool hit? The key and the cell that it has on the axis of its kind."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import repeat
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import EPOCH, EPOCH_ORDINAL, MICROSECOND, encode_float
from eligo.data.events.encoder.hits import ITEM, AttributeParts, Hits, Items, NotPlainError, one_item, packed, two_items
from eligo.data.kernels.vocabulary_lookup import VocabularyArrays
from eligo.language.value import INT64_MAX, INT64_MIN

NAIVE_EPOCH = EPOCH.replace(tzinfo=None)
FIRST_MOMENT = (datetime.min - NAIVE_EPOCH) // MICROSECOND
LAST_MOMENT = (datetime.max - NAIVE_EPOCH) // MICROSECOND


class ListedNumbers(dict[Any, Items]):
    """Numbers, days, microseconds or bools of one attribute; the dictionary has those that expressions name."""

    def __init__(self, presence: int, values: Sequence[Any], first_key: int, bounds: list[Any], base: int) -> None:
        keys = range(first_key, first_key + len(values))
        super().__init__(zip(values, map(two_items, repeat(presence), keys), strict=False))
        self._presence, self.bounds, self.base = presence, bounds, base
        self._absent = one_item(presence)
        if base:
            for value in values:
                self[value] += one_item(base + 2 * bisect_left(bounds, value))
            for place, bound in enumerate(bounds):
                self[bound] = self.get(bound, self._absent)[: 2 * ITEM] + one_item(base + 2 * place + 1)
        # A look would take an int of the same size for one of these; such an int is no value.
        self._far = {value: self.pop(value) for value in list(self) if not INT64_MIN <= value <= INT64_MAX}

    def __missing__(self, value: Any) -> Items:
        if not INT64_MIN <= value <= INT64_MAX:
            if value != value:
                return b""
            if type(value) is int:
                raise NotPlainError
            if value in self._far:
                return self._far[value]
        if self.base:
            return two_items(self._presence, self.base + 2 * bisect_left(self.bounds, value))
        return self._absent

    def of(self, value: Any) -> Items:
        return self[value]


class StoredNumbers:
    """The same over the arrays of the vocabulary, where very many are named."""

    def __init__(self, data: VocabularyArrays, presence: int, entries: range, bounds: range, base: int) -> None:
        self._presence, self._entries, self._bounds, self._base = presence, entries, bounds, base
        self._first_key = len(data.attribute_kinds)
        self._entry_values = data.entry_high.data, data.entry_low.data
        self._bound_values = data.bound_high.data, data.bound_low.data

    def __getitem__(self, value: Any) -> Items:
        if not INT64_MIN <= value <= INT64_MAX:
            if value != value:
                return b""
            if type(value) is int:
                raise NotPlainError
        pair = encode_float(value) if type(value) is float else (int(value), 0.0)
        found = [self._presence]
        entry, is_entry = _place(*self._entry_values, self._entries, *pair)
        if is_entry:
            found.append(self._first_key + entry)
        if self._base:
            bound, is_bound = _place(*self._bound_values, self._bounds, *pair)
            found.append(self._base + 2 * (bound - self._bounds.start) + is_bound)
        return packed(found)

    def of(self, value: Any) -> Items:
        return self[value]


def _place(highs: Any, lows: Any, places: range, high: int, low: float) -> tuple[int, bool]:
    """Where a pair is or would be among the sorted pairs of some places, and whether it is there."""
    first = bisect_left(highs, high, places.start, places.stop)
    last = bisect_right(highs, high, first, places.stop)
    place = bisect_left(lows, low, first, last)
    return place, place < last and lows[place] == low


class Days:
    """What dates hit."""

    def __init__(self, numbers: Hits) -> None:
        self._numbers = numbers

    def __getitem__(self, value: date) -> Items:
        return self._numbers[value.toordinal() - EPOCH_ORDINAL]

    of = __getitem__


class Moments:
    """What timestamps hit; those without a zone are in UTC."""

    def __init__(self, numbers: Hits) -> None:
        self._numbers = numbers

    def __getitem__(self, value: datetime) -> Items:
        zone = value.tzinfo
        if zone is None:
            since: timedelta = value - NAIVE_EPOCH
        elif zone is UTC or type(zone) in (timezone, ZoneInfo):
            since = value - EPOCH
        else:
            raise NotPlainError
        moment = since // MICROSECOND
        if not FIRST_MOMENT <= moment <= LAST_MOMENT:
            raise NotPlainError
        return self._numbers[moment]

    of = __getitem__


def number_hits(data: VocabularyArrays, attribute: int, parts: AttributeParts, kind: int, is_listed: bool) -> Hits:
    """What the numbers of one kind hit, which are numbers, days, microseconds, or 0 and 1 of a bool."""
    entries, (bounds, base) = parts.entries(kind), parts.bounds(kind)
    if not is_listed:
        return StoredNumbers(data, attribute, entries, bounds, base)
    values = _values(data.entry_high, data.entry_low, entries)
    first_key = len(data.attribute_kinds) + entries.start
    return ListedNumbers(attribute, values, first_key, _values(data.bound_high, data.bound_low, bounds), base)


def _values(highs: npt.NDArray[np.int64], lows: npt.NDArray[np.float64], places: range) -> list[Any]:
    """The numbers of some pairs, as Python compares them: exactly."""
    wholes: list[Any] = highs[places.start : places.stop].tolist()
    fractions = lows[places.start : places.stop]
    if fractions.any():
        for place in np.flatnonzero(fractions).tolist():
            low = float(fractions[place])
            wholes[place] = low if abs(low) >= 1.0 else wholes[place] + low
    return wholes
