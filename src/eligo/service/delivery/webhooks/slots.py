"""Who may post now, of many that want to? Slots are shared so that receivers that are dead leave some to the others.

    of 512 slots      failed last time  ├───────── 256 ─────────┤
                      first time        ├──────────── 384 ────────────┤
                      taken last time   ├───────────────── 512 ───────────────┤

Whoever waits for a slot is served in its turn, but those that failed last time never hold more than half, and they and
those of whom nothing is known never more than three quarters. Of one host no more than so many are posted to at once,
for each of the three: a host that hangs keeps its own subscriptions waiting, and no other's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from enum import IntEnum


class Standing(IntEnum):
    """What became of the last attempt."""

    FAILED = 0
    NEW = 1
    TAKEN = 2


class Slots:
    """So many at once, of which those that may hang have a part; belongs to one loop."""

    def __init__(self, most: int, most_of_host: int) -> None:
        self._gates = [asyncio.Semaphore(max(most * part // 4, 1)) for part in (2, 3, 4)]
        """For those that failed; for them and those that are new; for all."""
        self._most_of_host = most_of_host
        self._hosts: dict[tuple[str, Standing], tuple[asyncio.Semaphore, list[None]]] = {}
        """With one entry for each who holds a slot or waits for one."""

    @asynccontextmanager
    async def of(self, host: str, standing: Standing) -> AsyncIterator[None]:
        """Hold a slot for a host; waits until there is one."""
        key = (host, standing)
        gate, users = self._hosts.setdefault(key, (asyncio.Semaphore(self._most_of_host), []))
        users.append(None)
        try:
            async with AsyncExitStack() as held:
                for each in (gate, *self._gates[standing:]):
                    await held.enter_async_context(each)
                yield
        finally:
            users.pop()
            if not users:
                del self._hosts[key]
