"""Which documents of a window are the best? Those with the highest scores, and among equal ones those that came first.

    window 7, best 2      seq 41 scores 1, seq 42 scores 5, seq 44 scores 3, seq 45 scores 3

    delivered: 42, 44     when the window is over

A document belongs to the window of the moment when it was published. Where the clock has gone back by no more than a
window it belongs to the first that is not over. A window is over when a document of another one comes, or when a record
says so: a clock that jumps, forward or back, ends the window that is open and begins another where it is then, so that
no document waits for a day that a wrong clock named. (Tatbul 2001 names utilities as future work: documents of higher
utility first.)
"""

from __future__ import annotations

import heapq
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import msgspec

from eligo.service.delivery.bodies import HeldBodies
from eligo.service.delivery.subscription import Incarnation
from eligo.service.records import Ranking

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MOST_BEST = 10_000
"""The best of a window are no more than so many."""


class SavedWindow(msgspec.Struct, omit_defaults=True):
    """A window in a checkpoint."""

    number: int | None = None
    """Of the window that is open."""
    over: int | None = None
    """The window that was over last."""
    best: list[tuple[float, int]] = []
    """Score, and the seq below 0: the least is the first to go."""
    num_outranked: int = 0


def window_number(time: datetime, ranking: Ranking) -> int:
    """How many windows there were between 1970 and a moment."""
    moment = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    return int((moment - EPOCH) // timedelta(seconds=ranking.window))


class OpenWindow(NamedTuple):
    """A window that is not over, of a subscription."""

    of: Incarnation
    number: int
    begin: datetime
    end: datetime

    @classmethod
    def of_ranking(cls, of: Incarnation, number: int, ranking: Ranking) -> OpenWindow:
        begin = EPOCH + number * timedelta(seconds=ranking.window)
        return cls(of, number, begin, begin + timedelta(seconds=ranking.window))

    def is_over(self, now: datetime) -> bool:
        """Whether it ended, or begins so late that the clock was wrong when it was opened."""
        return self.end <= now or now < self.begin - (self.end - self.begin)


class RankingWindow:
    """The best documents so far of the window that is open."""

    def __init__(self, bodies: HeldBodies, saved: SavedWindow | None = None) -> None:
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
        return last if last is not None and number == last - 1 else number

    def add(self, seq: int, score: float, number: int, ranking: Ranking) -> None:
        """A document of the open window, which it opens where none is; the worst goes where there are too many."""
        self.number = number
        self._bodies.refer(seq)
        heapq.heappush(self._best, (score, -seq))
        if len(self._best) > ranking.best:
            self.drop()

    def drop(self) -> bool:
        """The worst goes; whether there was one."""
        if not self._best:
            return False
        _, negative = heapq.heappop(self._best)
        self._bodies.let_go(-negative)
        self.num_outranked += 1
        return True

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
