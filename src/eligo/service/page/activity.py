"""What has a service been asked since it started? Events and matches, second by second, and how often each id matched.

Answers are noted by those who give them, in a few steps each; what they mean is found out when someone looks. When more
come than are worth counting, ids of some answers are left out, and it is said of how many events they were counted.

    second      … 41   42   43      latencies of a second are counted in classes, four to a doubling:
    events        12    0    7      … 1.00, 1.19, 1.41, 1.68, 2.00 ms …
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

SECONDS = 600
"""The past that is kept second by second."""
CLASSES_PER_DOUBLING = 4
NUM_CLASSES = 26 * CLASSES_PER_DOUBLING
"""From one microsecond to about a minute."""
MOST_IDS = 200_000
"""Ids that are counted; when there are more, those that come for the first time are not."""
IDS_A_SECOND = 20_000
"""So many ids are counted within a second; answers with more than are left of these are left out."""


class Seconds(NamedTuple):
    """The last seconds, the oldest first; the one that is not over yet is left out."""

    last: int
    """Seconds since 1970 of the last one."""
    events: list[int]
    matches: list[int]
    p50: list[float | None]
    """In milliseconds; None where nothing was asked."""
    p99: list[float | None]


class Activity:
    """What a service has been asked; noted by any thread."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self.started = clock()
        self.events = 0
        self.matches = 0
        self.counted_events = 0
        """Events whose matches were counted by id."""
        self._times: npt.NDArray[np.int64] = np.zeros(SECONDS, np.int64)
        """Which second each row is of, at second % SECONDS."""
        self._sums: npt.NDArray[np.int64] = np.zeros((SECONDS, 2), np.int64)
        """Events and matches of each."""
        self._classes: npt.NDArray[np.int64] = np.zeros((SECONDS, NUM_CLASSES), np.int64)
        """Requests of each by latency."""
        self._now = 0
        """The second that is not over, which stands in the three below until it is."""
        self._now_events = 0
        self._now_matches = 0
        self._now_classes = [0] * NUM_CLASSES
        self._counts: Counter[str | int] = Counter()
        self._counted_ids = 0

    def answered(
        self, seconds: float | None, num_events: int, num_matches: int, ids: Iterable[str | int] | None = None
    ) -> None:
        """Note an answer: what was found, with `ids` of all its events where they are at hand, and how long it took.

        `seconds` are left out where they say nothing of a service, as those of a long stream of lines.
        """
        now = int(self._clock())
        with self._lock:
            if now != self._now:
                self._turn(now)
            self._now_events += num_events
            self._now_matches += num_matches
            if seconds is not None:
                self._now_classes[_class_of(seconds)] += 1
            self.events += num_events
            self.matches += num_matches
            if ids is not None and self._counted_ids + num_matches <= IDS_A_SECOND:
                self._counted_ids += num_matches
                self.counted_events += num_events
                self._count(ids)

    def _turn(self, now: int) -> None:
        """Put the second that was into its row, and begin another."""
        row = self._now % SECONDS
        self._times[row] = self._now
        self._sums[row] = self._now_events, self._now_matches
        self._classes[row] = self._now_classes
        self._now, self._now_events, self._now_matches, self._counted_ids = now, 0, 0, 0
        self._now_classes = [0] * NUM_CLASSES

    def _count(self, ids: Iterable[str | int]) -> None:
        if len(self._counts) < MOST_IDS:
            self._counts.update(ids)
        else:
            self._counts.update(id for id in ids if id in self._counts)

    def most_matched(self, wanted: int) -> list[tuple[str | int, int]]:
        """So many ids with the number of events that they matched, the highest first."""
        with self._lock:
            counts = dict(self._counts)  # put in order outside: whoever answers waits for the lock
        return nlargest(wanted, counts.items(), key=itemgetter(1))

    def has_matched(self, id: str | int) -> bool:
        return id in self._counts

    def last_seconds(self, wanted: int) -> Seconds:
        """The last so many seconds."""
        now = int(self._clock())
        last = now - 1
        seconds = np.arange(last - min(wanted, SECONDS - 1) + 1, last + 1)
        with self._lock:
            if now != self._now:
                self._turn(now)
            rows = seconds % SECONDS
            is_known = self._times[rows] == seconds
            sums = np.where(is_known[:, None], self._sums[rows], 0)
            classes = np.where(is_known[:, None], self._classes[rows], 0)
        return Seconds(
            last, sums[:, 0].tolist(), sums[:, 1].tolist(), _quantiles(classes, 0.5), _quantiles(classes, 0.99)
        )


def _class_of(seconds: float) -> int:
    place = math.log2(max(seconds * 1e6, 1.0)) * CLASSES_PER_DOUBLING
    return min(int(place), NUM_CLASSES - 1)


def _quantiles(classes: npt.NDArray[np.int64], share: float) -> list[float | None]:
    """For each row: the upper end of the class that has the quantile, in milliseconds."""
    sums = np.cumsum(classes, axis=1)
    totals = sums[:, -1]
    places = (sums < np.maximum(np.ceil(totals * share), 1)[:, None]).sum(axis=1)
    ends = 2.0 ** ((places + 1) / CLASSES_PER_DOUBLING) / 1e3
    return [round(float(end), 4) if total else None for end, total in zip(ends, totals, strict=True)]


_activities: WeakKeyDictionary[object, Activity] = WeakKeyDictionary()
_making = threading.Lock()


def activity_of(service: object) -> Activity:
    """The activity of a service, from the first time that it is asked for."""
    with _making:
        return _activities.setdefault(service, Activity())
