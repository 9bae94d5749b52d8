"""Which way does a batch of events go? The one that took least for batches of its size on this very index.

    one by one      each event alone                       few events
    sparse          lists shared by those that meet them   events that differ
    masks           512 events a word row                  events that satisfy much, or are alike

What each costs depends on the expressions, the events and the machine, so it is measured while batches are matched: a
way that may be the quickest is tried, the quickest is taken, and the others are tried again now and then. Before a long
batch goes a way of which nothing is known, some of its events do: a way may be twenty times as slow as another. The
answers are the same by every way.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Literal

from eligo.data.events.event_batch import EventBatch
from eligo.engines.parted_engine import events_between, put_together
from eligo.engines.protocol import MatchArrays

Way = Literal["one_by_one", "sparse", "masks"]
Matching = Callable[[EventBatch], MatchArrays | None]
"""The matches of a batch; None when the way does not suit it at all."""

FEW_EVENTS = 4
"""Up to so many events go one by one, unmeasured."""
MANY_MATCHES = 1_000
"""Masks are tried where an event has more matches than this, or other ways are none."""
TRIED_AGAIN = 64
"""After so many batches of a size, a way that was slower is measured again, if it was not slower by far."""
BY_FAR = 4.0
MAYBE_NOISE = 1.5
"""A way that takes so many times what another does is slower."""
FORGOTTEN = 16 * TRIED_AGAIN
"""After so many batches of a size all is measured anew: other events may come now."""
REMEMBERED = 4
"""A way is thought to cost what it took least in so many of its last batches: the machine may have been busy."""
MANY_EVENTS = 2_048
"""Of a batch of so many events or more, some are a trial."""
TRIAL: dict[Way, int] = {"sparse": 256, "one_by_one": 256, "masks": 512}
FIRST_TRIAL = 16
"""Events with which a way is gone for the first time."""


class Ways:
    """The ways of one engine, and what they cost so far. Any number of threads may use it."""

    def __init__(self, matchings: dict[Way, Matching], clock: Callable[[], float] = perf_counter) -> None:
        self._matchings = matchings
        self._clock = clock
        self._costs: dict[tuple[int, Way], list[float]] = {}
        """Seconds an event in the last batches, for a class of sizes and a way."""
        self._num_batches: dict[int, int] = {}
        self._has_run: set[Way] = set()
        """Ways that have been gone once: the first time may have compiled something, and tells nothing."""
        self._is_dense: dict[int, bool] = {}
        """For a class of sizes: whether the last batch had many matches an event."""
        self._tried: set[int] = set()
        """Classes of sizes of which some events have gone each way."""

    def match(self, events: EventBatch) -> MatchArrays:
        """The matches of every event, by the way that is thought to be the quickest."""
        if events.num_events <= FEW_EVENTS:
            return self._go("one_by_one", events)
        size = size_class(events.num_events)
        if events.num_events < MANY_EVENTS or size in self._tried:
            return self._measured(size, events)
        self._tried.add(size)
        found, quickest = self._trial(size, events)
        num_tried = sum(len(part.offsets) - 1 for part in found)
        rest = events_between(events, num_tried, events.num_events)
        return put_together([*found, self._measured(size, rest, quickest)])

    def _trial(self, size: int, events: EventBatch) -> tuple[list[MatchArrays], Way]:
        """The matches of the first events, some by each way, and which took least; those slower by far are known."""
        found: list[MatchArrays] = []
        costs: dict[Way, float] = {}
        first, is_dense = 0, False
        for way, enough in TRIAL.items():
            if way == "masks" and not is_dense:
                break
            for num_events in (enough,) if way in self._has_run else (FIRST_TRIAL, enough):
                started = self._clock()
                part = self._matchings[way](events_between(events, first, first + num_events))
                if part is None:
                    is_dense, costs[way] = True, float("inf")
                    break
                costs[way] = (self._clock() - started) / num_events
                found.append(part)
                first += num_events
                is_dense = is_dense or len(part.positions) > MANY_MATCHES * num_events
                self._has_run.add(way)
        quickest = min(costs, key=lambda way: costs[way])
        for way, cost in costs.items():
            # With more events a way may take less for each, but for one by one.
            if cost > (MAYBE_NOISE if way == "one_by_one" else BY_FAR) * costs[quickest]:
                self._costs[size, way] = [cost]
        self._is_dense[size] = is_dense
        return found, quickest

    def _measured(self, size: int, events: EventBatch, way: Way | None = None) -> MatchArrays:
        """The matches of a batch of a class, by a way, or the one that is thought to be the quickest."""
        way = way or self._choose(size)
        started = self._clock()
        found = self._matchings[way](events)
        if found is None:
            self._is_dense[size] = True
            self._costs[size, way] = [float("inf")]
            return self._go("masks", events)
        if way in self._has_run:
            cost = (self._clock() - started) / events.num_events
            self._costs[size, way] = [*self._costs.get((size, way), []), cost][-REMEMBERED:]
        self._has_run.add(way)
        self._num_batches[size] = (self._num_batches.get(size, 0) + 1) % FORGOTTEN
        if not self._num_batches[size]:
            known = self._costs.copy()  # to which other threads may add meanwhile
            self._costs = {key: cost for key, cost in known.items() if key[0] != size}
            self._tried.discard(size)
        self._is_dense[size] = len(found.positions) > MANY_MATCHES * events.num_events
        return found

    def choose(self, num_events: int) -> Way:
        """The way that the next batch of so many events goes."""
        return self._choose(size_class(num_events))

    def _choose(self, size: int) -> Way:
        ways: list[Way] = ["sparse", "one_by_one"]
        if self._is_dense.get(size, False):
            ways.append("masks")
        costs = {way: min(self._costs.get((size, way), [-1.0])) for way in ways}
        ranked = sorted(ways, key=lambda way: costs[way])  # those that are not known come first
        turn = self._num_batches.get(size, 0) % TRIED_AGAIN
        if 0 < turn < len(ranked) and 0 <= costs[ranked[turn]] < BY_FAR * costs[ranked[0]]:
            return ranked[turn]
        return ranked[0]

    def _go(self, way: Way, events: EventBatch) -> MatchArrays:
        found = self._matchings[way](events)
        if found is None:
            raise AssertionError(f"{way} suits every batch")
        return found


def size_class(num_events: int) -> int:
    """Batches whose sizes differ by less than about a factor of four are of one class."""
    return num_events.bit_length() // 2
