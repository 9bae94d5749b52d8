"""Which requests are let in, and for how long? So many at once, of so many from one client, each for so many seconds.

Nothing is set up for a request that is answered soon: once a second all that are still there are looked at, and one
that is late is cancelled where it stands.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter

from eligo.service.http.call import Call
from eligo.service.http.problems import HttpProblem, too_busy
from eligo.service.http.settings import HttpSettings

LOOKS_EACH = 0.5
"""Seconds from one look for late requests to the next."""


class Admission:
    """The requests that are being answered; belongs to one loop."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        self._calls: set[Call] = set()
        self._by_client: Counter[str] = Counter()
        self._watch: asyncio.Task[None] | None = None

    @property
    def num_calls(self) -> int:
        return len(self._calls)

    def enter(self, call: Call) -> None:
        """Let a request in, or raise the problem that says when to come again."""
        if len(self._calls) >= self._settings.max_concurrent:
            raise too_busy(503, f"{len(self._calls):,} requests are being answered, and no more are taken")
        clients = self._by_client
        if clients[call.client] >= self._settings.max_concurrent_per_client:
            raise too_busy(429, f"{clients[call.client]:,} requests of this client are being answered, and no more")
        clients[call.client] += 1
        call.task = asyncio.current_task()
        self._calls.add(call)
        if self._watch is None:
            self._watch = asyncio.get_running_loop().create_task(self._look())

    def leave(self, call: Call) -> None:
        """A request was answered."""
        if call in self._calls:
            self._calls.discard(call)
            call.task = None
            left = self._by_client[call.client] - 1
            if left:
                self._by_client[call.client] = left
            else:
                del self._by_client[call.client]

    def late(self, call: Call) -> HttpProblem:
        """What a request is told that took too long."""
        return too_busy(503, f"the request was not answered within {self._settings.max_seconds:g} s")

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
