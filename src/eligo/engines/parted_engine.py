"""How does a batch of events use all cores? In parts of consecutive events, which threads match side by side.

For engines that match event by event: a part is matched as a batch of its own, and the matches are put together again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.events.event_batch import EventBatch
from eligo.engines.protocol import Engine, MatchArrays
from eligo.engines.threads import num_threads, share_out

FEWEST_EVENTS = 16
"""Events for which a thread is worth its start."""
MOST_EVENTS = 256
"""Events of a part at most, which bounds the memory."""
PARTS_EACH = 4
"""Parts that each thread has at least, if events suffice, so that none waits long for another."""


class PartedEngine(Engine):
    """An engine whose batches are matched part by part."""

    num_expressions: int
    most_at_once: ClassVar[int | None] = None
    """Events that one thread matches at a time, even alone; None for as many as there are."""

    @abstractmethod
    def match_part(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, in this thread."""

    def match_batch(self, events: EventBatch) -> MatchArrays:
        return match_in_parts(self.match_part, events, self.most_at_once)

    def count_batch(self, events: EventBatch) -> npt.NDArray[np.int64]:
        bounds = part_bounds(events.num_events, MOST_EVENTS)
        totals: list[npt.NDArray[np.int64]] = []

        def count_some(numbers: range) -> None:
            counts = np.zeros(self.num_expressions, np.int64)
            for number in numbers:
                found = self.match_part(events_between(events, *bounds[number : number + 2]))
                counts += np.bincount(found.positions, minlength=self.num_expressions)
            totals.append(counts)

        share_out(count_some, len(bounds) - 1)
        return sum(totals, start=np.zeros(self.num_expressions, np.int64))


def match_in_parts(
    match_part: Callable[[EventBatch], MatchArrays], events: EventBatch, most_at_once: int | None = None
) -> MatchArrays:
    """The matches of every event, found part by part, by all threads."""
    bounds = part_bounds(events.num_events, most_at_once)
    if len(bounds) == 2:
        return match_part(events)
    parts = [MatchArrays(np.zeros(1, np.uint64), np.zeros(0, np.uint32))] * (len(bounds) - 1)

    def match_some(numbers: range) -> None:
        for number in numbers:
            parts[number] = match_part(events_between(events, *bounds[number : number + 2]))

    share_out(match_some, len(parts))
    return put_together(parts)


def put_together(parts: Sequence[MatchArrays]) -> MatchArrays:
    """The matches of all events, of which each part has some, one after another."""
    if len(parts) == 1:
        return parts[0]
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    offsets = np.zeros(len(lengths) + 1, np.uint64)
    np.cumsum(lengths, out=offsets[1:])
    return MatchArrays(offsets, np.concatenate([part.positions for part in parts]))


def part_bounds(num_events: int, most_at_once: int | None) -> list[int]:
    """Where each part begins, and where the last one ends; one part when there are few events, or one thread."""
    if num_events <= FEWEST_EVENTS:
        return [0, num_events]
    threads = num_threads()
    size = num_events if most_at_once is None else most_at_once
    if threads > 1:
        size = min(size, MOST_EVENTS, max(FEWEST_EVENTS, -(-num_events // (PARTS_EACH * threads))))
    return [*range(0, num_events, size), num_events]


def events_between(events: EventBatch, first: int, last: int) -> EventBatch:
    """The events from `first` to before `last`."""
    if first == 0 and last == events.num_events:
        return events
    keys = slice(int(events.key_offsets[first]), int(events.key_offsets[last]))
    cells = slice(int(events.cell_offsets[first]), int(events.cell_offsets[last]))
    return EventBatch(
        *read_only_arrays(
            (
                events.key_offsets[first : last + 1] - events.key_offsets[first],
                events.keys[keys],
                events.key_weights[keys],
                events.cell_offsets[first : last + 1] - events.cell_offsets[first],
                events.cell_axes[cells],
                events.cells[cells],
                events.cell_weights[cells],
            )
        )
    )
