"""Which documents came before? A document base holds them, for events to be compared with.

    base = eligo.DocumentBase()
    base.add({"price": 10, "year": 2000, "author": "Smith"})      # 0, its number
    base.add_batch([{"price": 25}, {"price": 30}])                # numbers 1 and 2
    base.remove([0])

Readers take a snapshot and wait for no one, so they may come from a signal handler or in a forked process. Writers of
different threads take turns; each makes the next state beside the last one and hangs it behind it by a single step.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.arguments import items, text, whole_number
from eligo.data.events.event import OnError, check_on_error
from eligo.errors import EventError, InputError, Reject, shown
from eligo.joins.base_state import NEXT, Pending, State
from eligo.joins.document_reading import ReadBatch, bad_time, read_document, read_documents, time_of, times_from
from eligo.joins.find import find, tree_about_documents
from eligo.joins.segment import Segment, Snapshot, merged, microseconds_of, moment_of
from eligo.language.document_truth import Received
from eligo.language.evaluate import Hierarchies, Missing
from eligo.language.limits import DEFAULT_LIMITS, Limits, checked_limits
from eligo.language.tree import Expression, SupportsExpression
from eligo.language.value import Scalar


class Added(NamedTuple):
    """What became of a batch."""

    numbers: range
    """Of the documents, in their order."""
    rejects: tuple[Reject, ...]
    """With `on_error="reject"`, the documents that could not be read; their ids are their places in the batch."""


class DocumentBase:
    """Documents by number, counted from 0 over the whole life of the base.

    `time` names the attribute that says when a document came; without it that is the moment of adding.
    """

    def __init__(self, *, time: str | None = None, limits: Limits = DEFAULT_LIMITS) -> None:
        self.time = None if time is None else text(time, "time")
        self.limits = checked_limits(limits)
        self._known = State()
        """The last state, or one before it."""
        self._renew_locks()
        _bases.add(self)

    def _renew_locks(self) -> None:
        """Locks that no one holds."""
        self._changing = threading.RLock()

    def add(self, document: Mapping[str, Any], time: datetime | None = None) -> int:
        """Add a document, and return its number; `time` is when it came, else its attribute says so, or it is now."""
        attributes = read_document(document, self.limits)
        moment = self._time_of(attributes) if time is None else time_of(time)
        numbers: list[int] = []

        def after(state: State) -> State:
            numbers[:] = [state.next_number]
            return state.with_documents([Pending(state.next_number, moment, attributes)])

        self._change(after)
        return numbers[0]

    def add_batch(self, documents: Any, *, times: Any = None, on_error: OnError = "raise") -> Added:
        """Add documents, whole or not at all: mappings, an Arrow table, a pandas frame, or columns by attribute.

        `times` is one moment for all, or one for each document. A document that cannot be read is an error that names
        its row, and then none is added; with `on_error="reject"` the others are, and it is among the `rejects`.
        """
        check_on_error(on_error)
        read = self._timed(read_documents(documents, on_error, self.limits), times, on_error)
        numbers: list[range] = []

        def after(state: State) -> State:
            first = state.next_number
            numbers[:] = [range(first, first + read.segment.num_documents)]
            if not numbers[0]:
                return state
            return state.with_segment(_numbered(read.segment, first), numbers[0].stop)

        self._change(after)
        return Added(numbers[0], read.rejects)

    def remove(self, numbers: int | Iterable[int]) -> int:
        """Remove the documents of these numbers, and return how many; a number that is not there is an error."""
        gone = _numbers(numbers)

        def after(state: State) -> State:
            there = state.snapshot.numbers()
            absent = gone[~np.isin(gone, there)]
            if len(absent):
                raise InputError(
                    f"there is no document {int(absent[0])} in this base", help="`number in base` says whether there is"
                )
            return state.without(gone) if len(gone) else state

        self._change(after)
        return len(gone)

    def _change(self, after: Callable[[State], State]) -> State:
        """Make the next state of the last one; `after` may be called again, and may give the same state back."""
        with self._changing:
            while True:
                state = self._state
                new = after(state)
                if new is state:
                    return state
                if state.after.setdefault(NEXT, new) is new:
                    self._known = new
                    return new
                # A signal handler has made a change of its own meanwhile.

    @property
    def _state(self) -> State:
        state = self._known
        while (later := state.after.get(NEXT)) is not None:
            state = later
        return state

    def snapshot(self) -> Snapshot:
        """The base as it is now; it stays so whatever comes and goes. It is taken without waiting."""
        return self._state.snapshot

    def document(self, number: int) -> dict[str, tuple[Scalar, ...]]:
        """The document of a number: its attributes with their values."""
        segment, row = self._place(number)
        return segment.document(row)

    def time_of(self, number: int) -> datetime:
        """When the document of a number came, in UTC."""
        segment, row = self._place(number)
        return moment_of(int(segment.times[row]))

    def _place(self, number: int) -> tuple[Segment, int]:
        place = self.snapshot().place(whole_number(number, "number", least=0))
        if place is None:
            raise InputError(f"there is no document {number} in this base", help="it may have been removed")
        return place

    def find(
        self,
        expression: Expression | str | Mapping[str, Any] | SupportsExpression,
        *,
        missing: Missing = "unknown",
        hierarchies: Hierarchies | None = None,
    ) -> npt.NDArray[np.int64]:
        """The numbers, ascending, of the documents that satisfy an expression over a document's own attributes."""
        return find(self.snapshot(), tree_about_documents(expression), missing, hierarchies)

    def received(self) -> list[Received]:
        """All documents with their times, in the order of their numbers."""
        snapshot = self.snapshot()
        times = snapshot.times().tolist()
        return [
            Received(document, moment_of(time)) for (_, document), time in zip(snapshot.documents(), times, strict=True)
        ]

    def __len__(self) -> int:
        return self._state.num_documents

    def __bool__(self) -> bool:
        return True

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int | np.integer) and self.snapshot().place(int(number)) is not None

    def __iter__(self) -> Iterator[int]:
        """The numbers of the documents, ascending."""
        return iter(self.snapshot().numbers().tolist())

    def __repr__(self) -> str:
        return f"<DocumentBase of {len(self):,} documents>"

    def _time_of(self, attributes: Mapping[str, tuple[Scalar, ...]]) -> int:
        if self.time is None:
            return microseconds_of(datetime.now(UTC))
        values = attributes.get(self.time, ())
        if len(values) != 1:
            raise bad_time(self.time)
        try:
            return time_of(values[0])
        except InputError:
            raise bad_time(self.time) from None

    def _timed(self, read: ReadBatch, times: Any, on_error: OnError) -> ReadBatch:
        """The documents with the times at which they came."""
        segment, rejects = read
        if times is None and self.time is not None:
            found, errors = times_from(segment, self.time)
            return _without_bad(_with_times(segment, found), rejects, errors, on_error)
        if times is None:
            moments: Any = microseconds_of(datetime.now(UTC))
        elif isinstance(times, datetime) or not isinstance(times, Iterable):
            moments = time_of(times, "times")
        else:
            given = items(times, "times")
            num_given = segment.num_documents + len(rejects)
            if len(given) != num_given:
                raise InputError(f"there are {len(given):,} times for {num_given:,} documents")
            every = np.array([time_of(each, "each of times") for each in given], np.int64)
            moments = every[segment.numbers]
        return ReadBatch(_with_times(segment, moments), rejects)


def _with_times(segment: Segment, times: Any) -> Segment:
    moments = np.full(segment.num_documents, times, np.int64)
    return Segment(segment.numbers, moments, {name: segment.columns(name) for name in segment.attributes})


def _numbered(segment: Segment, first: int) -> Segment:
    numbers = np.arange(first, first + segment.num_documents, dtype=np.int64)
    return Segment(numbers, segment.times, {name: segment.columns(name) for name in segment.attributes})


def _without_bad(
    segment: Segment, rejects: tuple[Reject, ...], errors: Mapping[int, EventError], on_error: OnError
) -> ReadBatch:
    """The documents without those whose time is none."""
    if not errors:
        return ReadBatch(segment, rejects)
    more = []
    for row, error in errors.items():
        error.row = int(segment.numbers[row])
        if on_error == "raise":
            raise error
        more.append(Reject(error.row, shown(segment.document(row), 1000), error))
    is_good = np.ones(segment.num_documents, np.bool_)
    is_good[list(errors)] = False
    found = sorted([*rejects, *more], key=lambda reject: int(reject.id))
    return ReadBatch(merged([(segment, is_good)]), tuple(found))


def _numbers(given: Any) -> npt.NDArray[np.int64]:
    """Distinct numbers of documents, ascending."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and given.ndim == 1:
        return np.unique(given).astype(np.int64)
    several = items(given, "numbers") if isinstance(given, Iterable) and not isinstance(given, str | bytes) else [given]
    return np.unique(np.array([whole_number(each, "a document's number", least=0) for each in several], np.int64))


_bases: weakref.WeakSet[DocumentBase] = weakref.WeakSet()


def _leave_behind() -> None:
    for base in list(_bases):
        base._renew_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_behind)
