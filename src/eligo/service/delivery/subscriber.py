"""What does a service know of one subscription? Its definition, its queue, and the window that it ranks in."""

from __future__ import annotations

from collections.abc import Container, Iterator
from datetime import datetime
from itertools import islice
from typing import NamedTuple

import msgspec

from eligo.service.delivery.bodies import Bodies, HeldBodies
from eligo.service.delivery.queue import Queue, SavedQueue, Waiting
from eligo.service.delivery.ranking_window import RankingWindow, SavedWindow
from eligo.service.delivery.subscription import Incarnation, Subscription


class Message(NamedTuple):
    """A message as it is delivered."""

    seq: int
    number: int
    """Among the messages of its subscription."""
    time: datetime
    document: msgspec.Raw
    envelope: msgspec.Raw
    refusals: int
    """Deliveries of it that failed."""
    dropped: int
    """Messages directly before it that were dropped."""
    score: float | None


class Counts(NamedTuple):
    """How a subscription fares."""

    pending: int
    dropped: int
    dead: int
    dead_dropped: int
    """Dead letters of which there were too many."""
    in_window: int
    """Documents that are the best so far of the window that is open."""
    outranked: int
    """Documents that were not among the best of their windows."""
    oldest_seq: int | None
    oldest_time: datetime | None
    """Of the message that waits longest."""
    since: int
    """The seq with which the subscription came."""
    num_bytes: int
    """Of all that is held for it."""

    def lag(self, now: datetime) -> float:
        """The seconds for which the oldest message has waited."""
        return 0.0 if self.oldest_time is None else max((now - self.oldest_time).total_seconds(), 0.0)


class Subscriber:
    """One subscription, whose readers and writer take turns by the lock of `Subscriptions`."""

    def __init__(
        self,
        subscription: Subscription,
        bodies: Bodies,
        since: int,
        queue: SavedQueue | None = None,
        window: SavedWindow | None = None,
    ) -> None:
        self.subscription = subscription
        self.since = since
        self._bodies = HeldBodies(bodies)
        self.queue = Queue(self._bodies, queue)
        self.window = RankingWindow(self._bodies, window)

    @property
    def num_bytes(self) -> int:
        """Of all that is held for it."""
        return self._bodies.num_bytes

    def fit(self) -> None:
        """Let go what is too much."""
        while self.num_bytes > self.subscription.max_bytes and self.drop():
            pass

    def drop(self) -> bool:
        """Let go what is missed least: the oldest dead letter, or message, or the worst of the window."""
        return self.queue.drop_dead() or self.queue.drop() or self.window.drop()

    @property
    def incarnation(self) -> Incarnation:
        return Incarnation(self.subscription.name, self.since)

    def change(self, now: Subscription) -> None:
        """Another definition; what waits stays. The best of a window whose ranking has changed wait at once."""
        if now.ranking != self.subscription.ranking:
            self._close_window()
            self.window.over = None
        self.subscription = now
        self.queue.keep(now.max_pending)
        self.fit()

    def publish(self, seq: int, time: datetime, score: float | None) -> None:
        """A document that satisfies the expression."""
        ranking = self.subscription.ranking
        if ranking is None:
            self.queue.add(seq, score, self.subscription.max_pending)
            self.fit()
            return
        number = self.window.window_of(time, ranking)
        if self.window.number is not None and number != self.window.number:
            self._close_window()
        self.window.add(seq, score or 0.0, number, ranking)
        self.fit()

    def release(self, number: int) -> int:
        """The window of a number is over; how many of it wait now, none if it is not the one that is open."""
        if number != self.window.number:
            return 0
        return self._close_window()

    def _close_window(self) -> int:
        best = self.window.close()
        for seq, score in best:
            self.queue.add(seq, score, self.subscription.max_pending)
            self._bodies.let_go(seq)
        return len(best)

    def clear(self) -> None:
        """Everything goes."""
        self.queue.clear()
        self.window.clear()

    def counts(self) -> Counts:
        """How it fares."""
        queue, oldest = self.queue, next(iter(self.queue.waiting), None)
        return Counts(
            len(queue.waiting),
            queue.num_dropped,
            len(queue.dead),
            queue.num_dead_dropped,
            len(self.window),
            self.window.num_outranked,
            oldest,
            None if oldest is None else self._bodies[oldest].time,
            self.since,
            self.num_bytes,
        )

    def messages(self, most: int, skip: Container[int]) -> list[Message]:
        """The first messages that wait, without those of some seqs."""
        found = (waiting for waiting in self.queue.waiting.values() if waiting.seq not in skip)
        return [self._message(waiting) for waiting in islice(found, most)]

    def messages_after(self, number: int, most: int) -> list[Message]:
        """The first messages that wait behind a number."""
        return [self._message(waiting) for waiting in islice(self._after(number), most)]

    def _after(self, number: int) -> Iterator[Waiting]:
        queue = self.queue
        if queue.num_numbered - number >= len(queue.waiting) // 2:
            return (waiting for waiting in queue.waiting.values() if waiting.number > number)
        last: list[Waiting] = []
        for waiting in reversed(queue.waiting.values()):  # a reader that has almost all is not made to wait for those
            if waiting.number <= number:
                break
            last.append(waiting)
        return reversed(last)

    def _message(self, waiting: Waiting) -> Message:
        body = self._bodies[waiting.seq]
        return Message(
            waiting.seq,
            waiting.number,
            body.time,
            body.document,
            body.envelope,
            waiting.refusals,
            waiting.dropped,
            waiting.score,
        )

    def dead_letters(self, after: int, most: int) -> list[tuple[Message, datetime, str]]:
        """Dead letters behind a seq in the order of seqs, with the time and the reason of the last refusal."""
        seqs = sorted(seq for seq in self.queue.dead if seq > after)[:most]
        letters = [self.queue.dead[seq] for seq in seqs]
        return [(self._message(letter.message), letter.time, letter.reason) for letter in letters]
