"""What waits for a subscription? Messages in the order of their delivery, and those that could not be delivered.

    waiting   41 ── 42 ── 45        42 was refused twice; before 41 three were dropped
    dead      17                    refused too often

A message is named by the seq of its publication. Its number counts the messages of the subscription, dropped ones
included, so that whoever had one number and gets another knows how many are missing. The queue is in the order of
numbers, always. When more messages wait than may, the oldest are dropped: they are counted, and the message behind the
hole knows how many.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from datetime import datetime

import msgspec

from eligo.service.delivery.bodies import HeldBodies
from eligo.service.delivery.subscription import MOST_DEAD


class Waiting(msgspec.Struct, omit_defaults=True, gc=False):
    """A message of one subscription that was not acknowledged."""

    seq: int
    number: int
    refusals: int = 0
    """Deliveries that failed."""
    dropped: int = 0
    """Messages directly before it that were dropped, and that nobody was told of but with this one."""
    score: float | None = None


class DeadLetter(msgspec.Struct, omit_defaults=True):
    """A message that is not delivered any more, unless someone asks for it."""

    message: Waiting
    time: datetime
    """Of the last refusal."""
    reason: str = ""


class SavedQueue(msgspec.Struct, omit_defaults=True):
    """A queue in a checkpoint."""

    waiting: list[Waiting] = []
    dead: list[DeadLetter] = []
    num_numbered: int = 0
    num_dropped: int = 0
    num_dead_dropped: int = 0
    num_untold: int = 0
    """Messages that were dropped last, with none behind them that would say so."""


class Queue:
    """The messages of one subscription; changed by the thread that applies records."""

    def __init__(self, bodies: HeldBodies, saved: SavedQueue | None = None) -> None:
        given = saved or SavedQueue()
        self._bodies = bodies
        self.waiting = OrderedDict((message.seq, message) for message in given.waiting)
        self.dead = OrderedDict((letter.message.seq, letter) for letter in given.dead)
        self.num_numbered = given.num_numbered
        self.num_dropped = given.num_dropped
        self.num_dead_dropped = given.num_dead_dropped
        self.num_untold = given.num_untold
        for seq in (*self.waiting, *self.dead):
            bodies.refer(seq)

    def saved(self) -> SavedQueue:
        """The queue as a checkpoint has it."""
        counts = (self.num_numbered, self.num_dropped, self.num_dead_dropped, self.num_untold)
        return SavedQueue(list(self.waiting.values()), list(self.dead.values()), *counts)

    def add(self, seq: int, score: float | None, most: int) -> None:
        """A message comes, whose body is there; the oldest go where there are too many."""
        self._bodies.refer(seq)
        self._append(seq, score)
        self.keep(most)

    def _append(self, seq: int, score: float | None) -> None:
        self.num_numbered += 1
        self.waiting[seq] = Waiting(seq, self.num_numbered, dropped=self.num_untold, score=score)
        self.num_untold = 0

    def keep(self, most: int) -> None:
        """Drop the oldest until no more wait than may."""
        while len(self.waiting) > most:
            self.drop()

    def drop(self) -> bool:
        """Drop the oldest message; whether there was one."""
        if not self.waiting:
            return False
        _, gone = self.waiting.popitem(last=False)
        self.num_dropped += 1
        self._bodies.let_go(gone.seq)
        behind = next(iter(self.waiting.values()), None)
        if behind is None:
            self.num_untold += gone.dropped + 1
        else:
            behind.dropped += gone.dropped + 1
        return True

    def drop_dead(self) -> bool:
        """Drop the oldest dead letter; whether there was one."""
        if not self.dead:
            return False
        oldest, _ = self.dead.popitem(last=False)
        self._bodies.let_go(oldest)
        self.num_dead_dropped += 1
        return True

    def acknowledge(self, seqs: Iterable[int]) -> int:
        """Messages were taken; how many of them waited. A dead letter that is acknowledged after all is one no more."""
        count = 0
        for seq in seqs:
            if self.waiting.pop(seq, None) is not None or self.dead.pop(seq, None) is not None:
                self._bodies.let_go(seq)
                count += 1
        return count

    def refuse(self, seq: int, most: int | None, time: datetime, reason: str, dead: bool) -> bool:
        """A delivery failed; whether the message is a dead letter now."""
        message = self.waiting.get(seq)
        if message is None:
            return False
        message.refusals += 1
        if not dead and (most is None or message.refusals < most):
            return False
        del self.waiting[seq]
        self.dead[seq] = DeadLetter(message, time, reason)
        if len(self.dead) > MOST_DEAD:
            self.drop_dead()
        return True

    def resend(self, seqs: list[int]) -> None:
        """Dead letters wait again, behind all else and with new numbers, as if they had never been delivered.

        So whoever was at some number has had everything up to it, and not what was put back there since.
        """
        for letter in sorted((self.dead.pop(seq) for seq in seqs), key=lambda letter: letter.message.number):
            self._append(letter.message.seq, letter.message.score)

    def clear(self) -> None:
        """Everything goes, with the subscription."""
        for seq in (*self.waiting, *self.dead):
            self._bodies.let_go(seq)
        self.waiting.clear()
        self.dead.clear()
