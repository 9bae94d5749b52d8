"""Which documents of a window are the best? Those with the highest scores, and among equal ones those that came first.

    window 7, best 2      seq 41 scores 1, seq 42 scores 5, seq 44 scores 3, seq 45 scores 3

    delivered: 42, 44     when the window is over

A document belongs to the window of the moment when it was published, and to the first that is not over where that one
is: a clock that goes back moves nothing into the past. A window is over when a document of a later one comes, or when
a record says so. (Tatbul 2001 names utilities as future work: documents of higher utility first.)
"""

from __future__ import annotations

import heapq
from datetime import UTC, datetime, timedelta

import msgspec

from eligo.service.delivery.bodies import Bodies
from eligo.service.records import Ranking

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOST_BEST = 10_000
"""The best of a window are no more than so many."""


class SavedWindow(msgspec.Struct, omit_defaults=True):
    """A window in a checkpoint."""

    number: int | None = None
    """Of the window that is open."""
    over: int | None = None
    """The last window that is over."""
    best: list[tuple[float, int]] = []
    """Score, and the seq below 0: the least is the first to go."""
    num_outranked: int = 0


def window_number(time: datetime, ranking: Ranking) -> int:
    """How many windows there were between 1970 and a moment."""
    moment = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return int((moment - EPOCH) // timedelta(seconds=ranking.window))


def window_end(number: int, ranking: Ranking) -> datetime:
    """When a window is over."""
    return EPOCH + (number + 1) * timedelta(seconds=ranking.window)


class RankingWindow:
    """The best documents so far of the window that is open."""

    def __init__(self, bodies: Bodies, saved: SavedWindow | None = None) -> None:
        given = saved or SavedWindow()
        self._bodies = bodies
        self.number = given.number
        self.over = given.over
        self.num_outranked = given.num_outranked
        self._best: list[tuple[float, int]] = [(score, negative) for score, negative in given.best]
        heapq.heapify(self._best)
        for _, negative in self._best:
            bodies.refer(-negative)

    def __len__(self) -> int:
        return len(self._best)

    def saved(self) -> SavedWindow:
        """The window as a checkpoint has it."""
        return SavedWindow(self.number, self.over, sorted(self._best), self.num_outranked)

    def window_of(self, time: datetime, ranking: Ranking) -> int:
        """The window that a document of a moment belongs to."""
        number = window_number(time, ranking)
        last = self.number if self.number is not None else None if self.over is None else self.over + 1
        return number if last is None else max(number, last)

    def add(self, seq: int, score: float, number: int, ranking: Ranking) -> None:
        """A document of the open window, which it opens where none is; the worst goes where there are too many."""
        self.number = number
        self._bodies.refer(seq)
        heapq.heappush(self._best, (score, -seq))
        if len(self._best) > ranking.best:
            _, negative = heapq.heappop(self._best)
            self._bodies.let_go(-negative)
            self.num_outranked += 1

    def close(self) -> list[tuple[int, float]]:
        """The window is over: its documents with their scores, the best first. The caller lets the bodies go."""
        best = [(-negative, score) for score, negative in sorted(self._best, reverse=True)]
        self._best.clear()
        if self.number is not None:
            self.over, self.number = self.number, None
        return best

    def clear(self) -> None:
        """Everything goes, with the subscription."""
        for seq, _ in self.close():
            self._bodies.let_go(seq)
