"""Which addresses has a host? The system's resolver says so, in threads that nobody waits for at the end.

A lookup cannot be called back: its thread stays until the resolver gives up. So those who ask for the same host at the
same time share one, and hosts whose name servers are dead share a part of the threads with each other.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from typing import Any

from eligo.service.delivery.webhooks.slots import Slots, Standing
from eligo.service.state.progress import call_in_loop

MOST_LOOKUPS = 256
"""Hosts that are looked up at once."""

Ask = Callable[[str, int], list[str]]
"""The addresses of a host and port; may take as long as it takes."""


def system_addresses(host: str, port: int) -> list[str]:
    """What the system's resolver says; an `OSError` also for a name that it cannot even be asked for."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:  # a part of the name is empty, or has more than 63 characters
        raise OSError(f"{host[:200]} is no name of a host") from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Lookups:
    """The lookups that are under way; belongs to one loop."""

    def __init__(self, ask: Ask = system_addresses, most: int = MOST_LOOKUPS) -> None:
        self._ask = ask
        self._slots = Slots(most, most_of_host=1)
        self._pending: dict[tuple[str, int, Standing], asyncio.Task[list[str]]] = {}

    async def addresses(self, host: str, port: int, standing: Standing) -> list[str]:
        """Those of a host; whoever waits no longer leaves the lookup to those who ask again."""
        key = (host, port, standing)
        task = self._pending.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._looked_up(host, port, standing))
            self._pending[key] = task
            task.add_done_callback(lambda done: self._forget(key, done))
        return await asyncio.shield(task)

    def _forget(self, key: tuple[str, int, Standing], task: asyncio.Task[list[str]]) -> None:
        del self._pending[key]
        if not task.cancelled():
            task.exception()  # whoever asked has heard it, or asks no more

    async def _looked_up(self, host: str, port: int, standing: Standing) -> list[str]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[str]] = loop.create_future()

        def look() -> None:
            try:
                found: Any = self._ask(host, port)
            except Exception as error:
                found = error
            call_in_loop(loop, _resolve, future, found)

        async with self._slots.of(f"{host}:{port}", standing):
            threading.Thread(target=look, name="eligo-resolve", daemon=True).start()
            return await future

    def close(self) -> None:
        """Wait for no answer any more."""
        for task in list(self._pending.values()):
            task.cancel()


def _resolve(future: asyncio.Future[list[str]], found: Any) -> None:
    if future.done():
        return
    if isinstance(found, Exception):
        future.set_exception(found)
    else:
        future.set_result(found)
