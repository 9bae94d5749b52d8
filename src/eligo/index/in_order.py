"""Which expressions does each event satisfy, compared with those before it? The events that came are the documents.

event        documents              with window=2
first        -                      -
second       first                  first
third        first second           first second
fourth       first second third     second third
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.arguments import whole_number
from eligo.data.events.decided_keys import rows_between, values_of_events
from eligo.engines.protocol import MatchArrays
from eligo.errors import EventError, InputError, shown
from eligo.index.document_questions import Given
from eligo.index.matches import row_arrays
from eligo.index.part import Encoder
from eligo.index.view import View
from eligo.joins.asking.question import value_vocabulary
from eligo.joins.document_base import DocumentBase
from eligo.joins.segment import Snapshot
from eligo.language.canonical import attribute_text
from eligo.language.value import Scalar

Window = int | timedelta | None
"""So many events before, or those of so much time before; None for all."""


class InOrder:
    """Matches events one after the other; each is a document for those behind it."""

    def __init__(self, view: View, window: Window = None, *, has_times: bool = False) -> None:
        """`has_times` says that `match` is told when events came."""
        self._view = view
        self._window = window_argument(window)
        timed = view.joins.tables.first_timed
        if not has_times and (timed is not None or isinstance(window, timedelta)):
            why = "a window of time is asked for" if timed is None else f"it is asked for: {shown(repr(timed))}"
            raise InputError(
                f"it is not said when events came, and {why}", help="name the attribute that has their time"
            )
        parts = [part for table in view.joins.tables.tables for part in table.parts]
        names = sorted({name for part in parts for name in part.document_attributes()})
        self._vocabulary = value_vocabulary([f"{attribute_text(name)} exists" for name in names])
        self._base = DocumentBase(limits=self._view.settings.limits)
        self._held: deque[tuple[int, datetime]] = deque()
        """The documents of the base that must go again, and when they came."""
        self._last: datetime | None = None

    def forget(self) -> None:
        """Begin anew: no event came before the next one."""
        self._base = DocumentBase(limits=self._view.settings.limits)
        self._held.clear()
        self._last = None

    def match(self, encode: Encoder, times: Sequence[datetime] | None, begins: Container[int] = ()) -> MatchArrays:
        """The matches of events that follow those before; in the rows of `begins` an order begins anew."""
        view = self._view
        batches = [encode(viewed.part.vocabulary) for viewed in view.parts]
        if not view.joins:
            return view.match_encoded(batches, None)
        joined = view.joins.tables.vocabulary
        values = values_of_events(encode(joined), joined)
        documents = values_of_events(encode(self._vocabulary), self._vocabulary)
        found: list[npt.NDArray[np.uint32]] = []
        for row, document in enumerate(documents):
            if row in begins:
                self.forget()
            time = datetime.now(UTC) if times is None else times[row]
            given = Given(self._snapshot_before(time, row if times is not None else None), time)
            alone = [rows_between(batch, row, row + 1) for batch in batches]
            found.append(view.match_encoded(alone, view.joins.asked_values([values[row]], given)).positions)
            number = self._base.add({name: list(own) for name, own in document.items()}, time)
            self._held.append((number, time))
        return row_arrays(found)

    def _snapshot_before(self, time: datetime, row: int | None) -> Snapshot:
        """The documents in the window of an event; what is out of it is removed. `row` is None where times are ours."""
        if row is not None and self._last is not None and time < self._last:
            raise EventError(f"the event came at {time}, before the one in front of it, at {self._last}", row=row)
        self._last = time
        gone: list[int] = []
        window = self._window
        while self._held and window is not None:
            is_out = len(self._held) > window if isinstance(window, int) else self._held[0][1] < time - window
            if not is_out:
                break
            gone.append(self._held.popleft()[0])
        if window is None:
            self._held.clear()
        if gone:
            self._base.remove(gone)
        return self._base.snapshot()


def window_argument(window: Any) -> Window:
    """What a caller gave as a window."""
    if window is None:
        return None
    if isinstance(window, timedelta):
        if window <= timedelta(0):
            raise InputError(f"a window is longer than nothing, not {shown(window)}")
        return window
    return whole_number(window, "window", least=1, help="or a timedelta, or None for all events before")


def times_of_events(encode: Encoder, name: str) -> list[datetime]:
    """When events came, by an attribute."""
    vocabulary = value_vocabulary([f"{attribute_text(name)} exists"])
    found = values_of_events(encode(vocabulary), vocabulary)
    return [_time_of_event(event.get(name, ()), name, row) for row, event in enumerate(found)]


def _time_of_event(values: Sequence[Scalar], name: str, row: int) -> datetime:
    """When an event came, by the values of its attribute; a day begins at midnight in UTC."""
    if len(values) != 1 or not isinstance(values[0], date):
        given = "none" if not values else ", ".join(map(shown, values))
        raise EventError(f"the time of an event is one timestamp or date, not {given}", attribute=name, row=row)
    value = values[0]
    return value if isinstance(value, datetime) else datetime.combine(value, time.min, UTC)
