"""What is a document base at one moment? A state: segments with what died of them, and the documents that came last.

    entries   1,000,000 | 200,000 | 64        segments, from the oldest to the newest, each less than half of the one
                                              before it: so there are few, and a document is merged few times
    pending   3                               not in columns yet; a snapshot puts them there

A state never changes; each change makes the next one and hangs it behind the last by a single step of the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from eligo.joins.segment import Attributes, Mask, Segment, Snapshot, merged
from eligo.sharing import once

MOST_PENDING = 64
"""Documents that wait to become a segment."""
FEW_ROWS = 1024
NEXT = "next"


class Pending(NamedTuple):
    """A document that is in no segment yet."""

    number: int
    time: int
    """In microseconds since 1970."""
    attributes: Attributes


@dataclass(frozen=True, eq=False)
class Entry:
    """A segment, and what lives of it."""

    segment: Segment
    is_alive: Mask | None
    """None when all do."""
    num_alive: int

    @classmethod
    def of(cls, segment: Segment, is_alive: Mask | None = None) -> Entry:
        """The entry of a segment, with the mask of those that live."""
        num_alive = segment.num_documents if is_alive is None else int(np.count_nonzero(is_alive))
        return cls(segment, None if num_alive == segment.num_documents else is_alive, num_alive)

    @once
    def oldest(self) -> int:
        """The first time of a living document, in microseconds since 1970."""
        return int(self._times().min())

    @once
    def newest(self) -> int:
        """The last time of a living document."""
        return int(self._times().max())

    def _times(self) -> npt.NDArray[np.int64]:
        return self.segment.times if self.is_alive is None else self.segment.times[self.is_alive]

    def numbers(self) -> npt.NDArray[np.int64]:
        """The numbers of those that live."""
        return self.segment.numbers if self.is_alive is None else self.segment.numbers[self.is_alive]

    def first_numbers(self, wanted: int) -> npt.NDArray[np.int64]:
        """The lowest numbers of those that live, so many; without looking at all when few are wanted."""
        if self.is_alive is None:
            return self.segment.numbers[:wanted]
        first = int(self.is_alive.argmax())
        few = first + np.flatnonzero(self.is_alive[first : first + 2 * wanted + FEW_ROWS])[:wanted]
        return self.segment.numbers[few] if len(few) == wanted else self.numbers()[:wanted]

    def rows_of(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The rows of those of some numbers, ascending, that live here."""
        first, end = np.searchsorted(numbers, [self.segment.numbers[0], self.segment.numbers[-1] + 1])
        rows = self.segment.rows_of(numbers[first:end])
        return rows if self.is_alive is None else rows[self.is_alive[rows]]

    def without(self, rows: npt.NDArray[np.int64]) -> Entry:
        """The entry after some of its living documents died."""
        is_alive = np.ones(self.segment.num_documents, np.bool_) if self.is_alive is None else self.is_alive.copy()
        is_alive[rows] = False
        return Entry(self.segment, is_alive, self.num_alive - len(rows)) if len(rows) else self

    def living_rows(self) -> npt.NDArray[np.int64]:
        """The rows of those that live."""
        if self.is_alive is None:
            return np.arange(self.segment.num_documents, dtype=np.int64)
        return np.flatnonzero(self.is_alive)


@dataclass(frozen=True, eq=False)
class State:
    """A base between two changes."""

    version: int = 0
    """How many changes there were before."""
    entries: tuple[Entry, ...] = ()
    pending: tuple[Pending, ...] = ()
    next_number: int = 0
    """Of the next document."""
    after: dict[str, State] = field(default_factory=dict)
    """The next state, once there is one."""

    def next(self, entries: Sequence[Entry], pending: Sequence[Pending], next_number: int | None = None) -> State:
        """The state after a change; segments that became like in size are merged."""
        number = self.next_number if next_number is None else next_number
        return State(self.version + 1, joined(entries), tuple(pending), number)

    @once
    def num_documents(self) -> int:
        return sum(entry.num_alive for entry in self.entries) + len(self.pending)

    @property
    def newest(self) -> int:
        """The last time of a document, in microseconds since 1970; of none it is the first there is."""
        times = [*(entry.newest for entry in self.entries), *(document.time for document in self.pending)]
        return max(times, default=-(2**63))

    @once
    def sealed(self) -> tuple[Entry, ...]:
        """All documents in segments."""
        return joined([*self.entries, pending_entry(self.pending)]) if self.pending else self.entries

    @once
    def snapshot(self) -> Snapshot:
        """What readers see."""
        return Snapshot([(entry.segment, entry.is_alive) for entry in self.sealed], self.version)

    def parts(self) -> tuple[tuple[Entry, ...], tuple[Pending, ...]]:
        """Entries and pending documents to go on from; what a snapshot has put into columns stays there."""
        if "sealed" in self.__dict__:
            return self.sealed, ()
        return self.entries, self.pending

    def with_documents(self, documents: Iterable[Pending]) -> State:
        """The state with more documents, whose numbers follow."""
        entries, pending = self.parts()
        more = [*pending, *documents]
        number = max(self.next_number, more[-1].number + 1) if more else self.next_number
        if len(more) < MOST_PENDING:
            return self.next(entries, more, number)
        return self.next([*entries, pending_entry(more)], (), number)

    def with_segment(self, segment: Segment, next_number: int) -> State:
        """The state with the documents of a segment, whose numbers follow."""
        return self.next([*self.sealed, Entry.of(segment)], (), next_number)

    def with_next_number(self, next_number: int) -> State:
        """The state after numbers were given to documents that were not kept."""
        return replace(self, version=self.version + 1, next_number=next_number, after={})

    def compacted(self) -> State:
        """The state with all documents in one segment."""
        living = [(entry.segment, entry.is_alive) for entry in self.sealed]
        is_compact = not living or (len(living) == 1 and living[0][1] is None)
        return self if is_compact else self.next([Entry.of(merged(living))], ())

    def absent(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Those of some numbers, ascending, that no document has."""
        there = [entry.segment.numbers[entry.rows_of(numbers)] for entry in self.sealed]
        return np.setdiff1d(numbers, np.concatenate([np.zeros(0, np.int64), *there]))

    def has(self, number: int) -> bool:
        """Whether there is a document of a number; nothing is put into columns for it."""
        if any(document.number == number for document in self.pending):
            return True
        wanted = np.array([number], np.int64)
        return any(len(entry.rows_of(wanted)) for entry in self.entries)

    def without(self, numbers: npt.NDArray[np.int64]) -> State:
        """The state without the documents of some numbers, ascending; it may have lost some of them before."""
        entries, pending = self.parts()
        kept = [entry.without(entry.rows_of(numbers)) for entry in entries]
        gone = set(numbers.tolist()) if pending else set()
        return self.next(kept, [document for document in pending if document.number not in gone])


class Change(NamedTuple):
    """What is to become of a base: the next state, and what makes the difference."""

    state: State
    added: Segment | tuple[Pending, ...] = ()
    gone: npt.NDArray[np.int64] = np.zeros(0, np.int64)
    """Numbers, ascending."""

    @property
    def size(self) -> int:
        """How many documents come or go."""
        return (self.added.num_documents if isinstance(self.added, Segment) else len(self.added)) + len(self.gone)

    def documents(self) -> tuple[Pending, ...]:
        """The documents that come, one by one."""
        if not isinstance(self.added, Segment):
            return self.added
        numbers, times = self.added.numbers.tolist(), self.added.times.tolist()
        return tuple(map(Pending, numbers, times, self.added.documents()))


After = Callable[[State], Change | None]
"""Makes a change of the last state, or decides for none; it may be called again."""


class States(Protocol):
    """What a base changes through."""

    @property
    def last(self) -> State:
        """The state that readers see."""
        ...

    @property
    def num_bytes_on_disk(self) -> int: ...

    def change(self, after: After) -> None:
        """Put another state behind the last one."""
        ...

    def compact(self) -> None:
        """Hold all documents in one segment, without the dead."""
        ...

    def close(self) -> None:
        """Take no more changes."""
        ...

    def leave_behind(self) -> None:
        """Forget, after a fork, what the threads of the other process were at."""
        ...


def pending_entry(documents: Sequence[Pending]) -> Entry:
    """Documents as a segment."""
    return Entry.of(
        Segment.of(
            [document.attributes for document in documents],
            [document.number for document in documents],
            [document.time for document in documents],
        )
    )


def joined(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries of which each is less than half of the one before it, and none is mostly dead.

    8 4 2 + 1   ▶   8 4 2 1          8 4 2 + 2   ▶   16
    """
    groups: list[tuple[int, list[Entry]]] = []
    for entry in entries:
        if not entry.num_alive:
            continue
        size, group = entry.num_alive, [entry]
        while groups and groups[-1][0] < 2 * size:
            before, older = groups.pop()
            size, group = before + size, older + group
        groups.append((size, group))
    return tuple(_merged(group) for _, group in groups)


def _merged(group: list[Entry]) -> Entry:
    """One entry of several; one that is mostly dead is written anew too, which gives the memory of its dead back."""
    if len(group) == 1 and 2 * group[0].num_alive >= group[0].segment.num_documents:
        return group[0]
    return Entry.of(merged([(entry.segment, entry.is_alive) for entry in group]))
