"""Which documents of a segment is a question about? All that live, the last so many, or those of the last so much time.

In a segment that is a first row, since numbers and mostly times ascend, and a mask where some are dead or times do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import MICROSECOND
from eligo.joins.kernels.document_words import words_of_rows
from eligo.joins.kernels.work_arrays import Scopes
from eligo.joins.questions import Scope
from eligo.joins.segment import Mask, Segment, Snapshot, microseconds_of

_NO_MASK = np.zeros(0, np.bool_)
_NO_WORDS = np.zeros(0, np.uint64)


class _Held(NamedTuple):
    """What a scope holds of a segment."""

    first_row: int
    num_living: int
    mask: Mask | None


class ScopedSnapshot:
    """What scopes hold of each segment of a snapshot; those on time are found anew for each moment.

    It does not hold the snapshot, so that it can be kept as long as that is there.
    """

    def __init__(self, snapshot: Snapshot, scopes: Sequence[Scope]) -> None:
        self._num_living = [
            segment.num_documents if is_alive is None else int(np.count_nonzero(is_alive))
            for segment, is_alive in snapshot.segments
        ]
        self._scopes = tuple(scopes)
        self._is_timed = any(isinstance(scope, timedelta) for scope in scopes)
        by_scope = [self._untimed(snapshot, scope) for scope in scopes]
        self._untimed_held = list(zip(*by_scope, strict=True)) if scopes else [() for _ in snapshot.segments]
        self._arrays = [] if self._is_timed else [_arrays(held) for held in self._untimed_held]

    def arrays(self, snapshot: Snapshot, at: datetime) -> Sequence[Scopes]:
        """For each segment: what each scope holds of it."""
        if not self._is_timed:
            return self._arrays
        now = microseconds_of(at)
        found = []
        for place, (segment, is_alive) in enumerate(snapshot.segments):
            held = [
                _since(segment, is_alive, self._num_living[place], now - scope // MICROSECOND)
                if isinstance(scope, timedelta)
                else self._untimed_held[place][number]
                for number, scope in enumerate(self._scopes)
            ]
            found.append(_arrays(held))
        return found

    def _untimed(self, snapshot: Snapshot, scope: Scope) -> list[_Held]:
        """For each segment: what a scope of all or of the last so many holds of it."""
        wanted = scope if isinstance(scope, int) else None
        found = []
        for (segment, is_alive), num_living in zip(
            reversed(snapshot.segments), reversed(self._num_living), strict=True
        ):
            if wanted is None or num_living <= wanted:
                found.append(_Held(0, num_living, is_alive))
            elif wanted == 0:
                found.append(_Held(segment.num_documents, 0, None))
            else:
                last = segment.num_documents - wanted
                first_row = last if is_alive is None else int(np.flatnonzero(is_alive)[-wanted])
                found.append(_Held(first_row, wanted, is_alive))
            wanted = None if wanted is None else max(0, wanted - num_living)
        return found[::-1]


def _since(segment: Segment, is_alive: Mask | None, num_living: int, earliest: int) -> _Held:
    """What came at a moment or later."""
    first, last, is_ordered = _span(segment)
    if first >= earliest:
        return _Held(0, num_living, is_alive)
    if last < earliest:
        return _Held(segment.num_documents, 0, None)
    if is_ordered:
        first_row = int(np.searchsorted(segment.times, earliest))
        living = segment.num_documents - first_row if is_alive is None else int(np.count_nonzero(is_alive[first_row:]))
        return _Held(first_row, living, is_alive)
    is_in = segment.times >= earliest
    if is_alive is not None:
        is_in &= is_alive
    return _Held(0, int(np.count_nonzero(is_in)), is_in)


def _span(segment: Segment) -> tuple[int, int, bool]:
    """The first and last time of a segment, and whether times ascend."""
    found: tuple[int, int, bool] | None = segment.memo.get("span of time")
    if found is None:
        times = segment.times
        is_ordered = bool(np.all(times[1:] >= times[:-1]))
        first, last = (int(times.min()), int(times.max())) if len(times) else (0, 0)
        found = segment.memo.setdefault("span of time", (first, last, is_ordered))
    return found


def _arrays(held: Sequence[_Held]) -> Scopes:
    masks: list[Mask] = []
    numbers: list[int] = []
    for each in held:
        known = [number for number, mask in enumerate(masks) if mask is each.mask]
        if each.mask is None:
            numbers.append(-1)
        else:
            if not known:
                masks.append(each.mask)
            numbers.append(known[0] if known else len(masks) - 1)
    return Scopes(
        np.array([each.first_row for each in held], np.int64),
        np.array([each.num_living for each in held], np.int64),
        np.array(numbers, np.int64),
        np.concatenate([_NO_MASK, *masks]),
        np.concatenate([_NO_WORDS, *map(_words, masks)]),
    )


def _words(mask: npt.NDArray[np.bool_]) -> Any:
    return words_of_rows(np.flatnonzero(mask).astype(np.int32), len(mask))
