"""Which documents came before? A document base holds them, for events to be compared with.

    base = eligo.DocumentBase("docs.base")                        # or DocumentBase(), in memory
    base.add({"price": 10, "year": 2000, "author": "Smith"})      # 0, its number
    base.add_batch([{"price": 25}, {"price": 30}])                # numbers 1 and 2
    base.remove([0])

Readers take a snapshot and wait for no one, so they may come from a signal handler or in a forked process. Writers of
different threads take turns; see `state_chain` and, for a base on disk, `stored.durable_states`.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from eligo.arguments import flag, items, text, whole_number
from eligo.arguments import path as path_argument
from eligo.data.events.event import OnError, check_on_error
from eligo.errors import EventError, InputError, Reject, shown
from eligo.joins.base_state import Change, Entry, Pending, State, States
from eligo.joins.document_reading import ReadBatch, bad_time, read_document, read_documents, time_of, times_from
from eligo.joins.find import find, tree_about_documents
from eligo.joins.keep_rules import KeepRules
from eligo.joins.segment import Mask, Segment, Snapshot, merged, microseconds_of, moment_of
from eligo.joins.state_chain import StateChain
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


class BaseStats(NamedTuple):
    """How large a base is."""

    num_documents: int
    num_dead: int
    """Documents that were removed, and whose memory was not given back yet."""
    num_segments: int
    next_number: int
    """How many documents ever came."""
    bytes_in_memory: int
    """Of the segments, and of what was derived from them to answer quickly; also of arrays mapped from files."""
    bytes_on_disk: int
    """Of the files and the log; 0 for a base in memory."""
    oldest: datetime | None
    newest: datetime | None
    """The first and the last time of a document, in UTC; None when there is none."""


class DocumentBase:
    """Documents by number, counted from 0 over the whole life of the base; kept on disk when it is given a path.

    `time` names the attribute that says when a document came; without it that is the moment of adding. Documents go
    by themselves when there are more than `keep_last`, when they are older than `keep_for` (`"7 days"`), or unless
    `keep_if` is true of them. `read_only` opens a base on disk as it is now, whoever has it open for adding.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        time: str | None = None,
        keep_last: int | None = None,
        keep_for: str | timedelta | None = None,
        keep_if: Expression | str | Mapping[str, Any] | SupportsExpression | None = None,
        read_only: bool = False,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.path = None if path is None else Path(path_argument(path))
        self.time = None if time is None else text(time, "time")
        self.rules = KeepRules.of(keep_last, keep_for, keep_if)
        self.limits = checked_limits(limits)
        if flag(read_only, "read_only") and path is None:
            raise InputError("a base in memory is not read_only", help="give the path of one on disk")
        self._states: States = StateChain() if self.path is None else _durable(self.path, read_only)
        _bases.add(self)

    def add(self, document: Mapping[str, Any], time: datetime | None = None, *, now: datetime | None = None) -> int:
        """Add a document, and return its number; `time` is when it came, else its attribute says so, or it is now.

        On disk, the document survives whatever happens once this has returned. For `now` see `add_batch`.
        """
        attributes = read_document(document, self.limits)
        given = None if now is None else time_of(now, "now")
        moment = self._time_of(attributes) if time is None else time_of(time)
        numbers: list[int] = []

        def after(state: State) -> Change:
            numbers[:] = [state.next_number]
            if not self.rules.keeps(attributes):
                return Change(state.with_next_number(state.next_number + 1))
            added = (Pending(state.next_number, moment, attributes),)
            return self._without_outlived(Change(state.with_documents(added), added), given)

        self._states.change(after)
        return numbers[0]

    def add_batch(
        self, documents: Any, *, times: Any = None, on_error: OnError = "raise", now: datetime | None = None
    ) -> Added:
        """Add documents, whole or not at all: mappings, an Arrow table, a pandas frame, or columns by attribute.

        `times` is one moment for all, or one for each document. A document that cannot be read is an error that names
        its row, and then none is added; with `on_error="reject"` the others are, and it is among the `rejects`. `now`
        is given where the same documents are to stay whenever this is done again.
        """
        check_on_error(on_error)
        moment = None if now is None else time_of(now, "now")
        read = self._timed(read_documents(documents, on_error, self.limits), times, on_error)
        is_kept = self.rules.kept(read.segment)
        numbers: list[range] = []

        def after(state: State) -> Change | None:
            first = state.next_number
            numbers[:] = [range(first, first + read.segment.num_documents)]
            if not numbers[0]:
                return None
            added = _numbered(read.segment, first)
            if is_kept is not None:
                added = merged([(added, is_kept)])
            if not added.num_documents:
                return Change(state.with_next_number(numbers[0].stop))
            return self._without_outlived(Change(state.with_segment(added, numbers[0].stop), added), moment)

        self._states.change(after)
        return Added(numbers[0], read.rejects)

    def _without_outlived(self, change: Change, now: int | None = None) -> Change:
        """A change after which no document is too old or one too many.

        The age counts from the newest document, so that history can be read in; a document of the future makes no
        other one old, so it counts from now at the latest.
        """
        now = microseconds_of(datetime.now(UTC)) if now is None else now
        if self.rules.keep_for is not None:
            now = min(now, change.state.newest)
        gone = self.rules.outlived(change.state, now)
        return Change(change.state.without(gone), change.added, gone) if len(gone) else change

    def remove(self, numbers: int | Iterable[int]) -> int:
        """Remove the documents of these numbers, and return how many; a number that is not there is an error."""
        gone = _numbers(numbers)

        def after(state: State) -> Change | None:
            absent = state.absent(gone)
            if len(absent):
                raise InputError(
                    f"there is no document {int(absent[0])} in this base", help="`number in base` says whether there is"
                )
            return Change(state.without(gone), gone=gone) if len(gone) else None

        self._states.change(after)
        return len(gone)

    def expire(self, now: datetime | None = None) -> int:
        """Remove what the rules do not let stay at this moment, and return how many; it is now unless given.

        That is also done whenever documents are added; but then their age counts from the newest of them.
        """
        moment = microseconds_of(datetime.now(UTC)) if now is None else time_of(now, "now")
        counts: list[int] = []

        def after(state: State) -> Change | None:
            gone = self.rules.outlived(state, moment, everything=True)
            counts[:] = [len(gone)]
            return Change(state.without(gone), gone=gone) if len(gone) else None

        self._states.change(after)
        return counts[0]

    def compact(self) -> None:
        """Hold all documents in one segment: gives the memory of those that went back, and on disk their bytes."""
        self._states.compact()

    def close(self) -> None:
        """Let a base on disk go, for another process to open; what was added is there already. Reading goes on."""
        self._states.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def stats(self) -> BaseStats:
        """How many documents there are, in how many bytes."""
        state = self._states.last
        segments = [entry.segment for entry in state.sealed]
        return BaseStats(
            num_documents=state.num_documents,
            num_dead=sum(segment.num_documents for segment in segments) - state.num_documents,
            num_segments=len(segments),
            next_number=state.next_number,
            bytes_in_memory=sum(segment.nbytes + segment.nbytes_kept for segment in segments),
            bytes_on_disk=self._states.num_bytes_on_disk,
            oldest=moment_of(min(entry.oldest for entry in state.sealed)) if segments else None,
            newest=moment_of(max(entry.newest for entry in state.sealed)) if segments else None,
        )

    def snapshot(self) -> Snapshot:
        """The base as it is now; it stays so whatever comes and goes. It is taken without waiting."""
        return self._states.last.snapshot

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
        return self._states.last.num_documents

    def __bool__(self) -> bool:
        return True

    def __contains__(self, number: object) -> bool:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            return False
        return 0 <= int(number) < 2**63 and self._states.last.has(int(number))

    def __iter__(self) -> Iterator[int]:
        """The numbers of the documents, ascending."""
        return iter(self.snapshot().numbers().tolist())

    def __repr__(self) -> str:
        where = "" if self.path is None else f" at {str(self.path)!r}"
        return f"<DocumentBase of {len(self):,} documents{where}>"

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


def restored_base(segments: Iterable[tuple[Segment, Mask | None]], next_number: int, rules: KeepRules) -> DocumentBase:
    """A base in memory of segments, as a snapshot has them, and the number of the next document."""
    base = DocumentBase()
    base.rules = rules
    entries = tuple(Entry.of(segment, is_alive) for segment, is_alive in segments)
    base._states = StateChain(State(0, entries, (), next_number))
    return base


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


def _durable(path: Path, read_only: bool) -> States:
    from eligo.joins.stored.durable_states import DurableStates

    return DurableStates(path, read_only=read_only)


_bases: weakref.WeakSet[DocumentBase] = weakref.WeakSet()


def _leave_behind() -> None:
    for base in list(_bases):
        base._states.leave_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_behind)
