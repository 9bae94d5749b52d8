"""Which requests are let in, and for how long? So many at once, of so many from one client, each for so many seconds.

Streams, pulls and readers of the log last by their nature. Which requests these are, their routes say when they have
read them; until then they are as others. From then on no time limit is theirs, and they count among themselves only.

Nothing is set up for a request that is answered soon: once a second all that are still there are looked at, and one
that is late is cancelled where it stands.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from functools import partial

from eligo.service.http.call import Call
from eligo.service.http.problems import RETRY_AFTER, HttpProblem, too_busy
from eligo.service.http.settings import HttpSettings

LOOKS_EACH = 0.5
"""Seconds from one look for late requests to the next."""


class Admission:
    """The requests that are being answered; belongs to one loop."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._calls: set[Call] = set()
        self._by_client: Counter[str] = Counter()
        self._lasting: set[Call] = set()
        self._lasting_by_client: Counter[str] = Counter()
        self._watch: asyncio.Task[None] | None = None

    @property
    def num_calls(self) -> int:
        return len(self._calls)

    @property
    def num_lasting(self) -> int:
        """Those that last."""
        return len(self._lasting)

    def enter(self, call: Call) -> None:
        """Let a request in, or raise the problem that says when to come again."""
        if len(self._calls) >= self._settings.max_concurrent:
            raise too_busy(503, f"{len(self._calls):,} requests are being answered, and no more are taken")
        clients = self._by_client
        if clients[call.client] >= self._settings.max_concurrent_per_client:
            raise too_busy(429, f"{clients[call.client]:,} requests of this client are being answered, and no more")
        clients[call.client] += 1
        call.task = asyncio.current_task()
        call.last = partial(self._let_last, call)
        self._calls.add(call)
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._look())

    def _let_last(self, call: Call) -> None:
        """Count a request that was let in among those that last, or raise the problem that says when to come again."""
        if call not in self._calls:
            return
        known, clients = self._settings, self._lasting_by_client
        if len(self._lasting) >= known.max_lasting:
            raise too_busy(503, f"{len(self._lasting):,} streams and pulls are held, and no more are taken")
        if clients[call.client] >= known.max_lasting_per_client:
            raise too_busy(429, f"{clients[call.client]:,} streams and pulls of this client are held, and no more")
        self._calls.discard(call)
        _count_down(self._by_client, call.client)
        call.lasts = True
        self._lasting.add(call)
        clients[call.client] += 1

    def leave(self, call: Call) -> None:
        """A request was answered."""
        call.task, call.last = None, _nothing
        if call in self._calls:
            self._calls.discard(call)
            _count_down(self._by_client, call.client)
        elif call in self._lasting:
            self._lasting.discard(call)
            _count_down(self._lasting_by_client, call.client)

    def late(self, call: Call) -> HttpProblem:
        """What a request is told that took too long: a change that it wanted may have been made, or may be made yet."""
        return HttpProblem(
            503,
            f"the request was not answered within {self._settings.max_seconds:g} s",
            help=f"come again in {RETRY_AFTER} s; what it was to change may have been changed",
            name="late",
            headers={"retry-after": str(RETRY_AFTER)},
        )

    async def _look(self) -> None:
        """Cancel those that are late, as long as there are any requests."""
        while True:
            await asyncio.sleep(LOOKS_EACH)
            oldest = time.perf_counter() - self._settings.max_seconds
            for call in [call for call in self._calls if call.started < oldest and not call.lasts]:
                if call.task is not None and not call.is_late:
                    call.is_late = True
                    call.task.cancel()

    def close(self) -> None:
        """Look no more."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


def _nothing() -> None:
    """What a request that has left does."""


def _count_down(counts: Counter[str], client: str) -> None:
    left = counts[client] - 1
    if left:
        counts[client] = left
    else:
        del counts[client]
