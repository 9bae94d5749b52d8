"""How do those who wait for a subscription hear that it has changed? A bell, rung by the thread that applies records.

Rings that come together are heard once. Who listens clears the event, looks, and only then waits: so no ring is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator


class Bell:
    """Rung from any thread, heard in one loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_ring: Callable[[set[str]], None]) -> None:
        self._loop = loop
        self._on_ring = on_ring
        """Hears of every change, once for all that came together."""
        self._rung: set[str] = set()
        self._lock = threading.Lock()
        self._listeners: dict[str, set[asyncio.Event]] = {}

    def ring(self, names: list[str]) -> None:
        """Say that subscriptions have changed; from any thread."""
        with self._lock:
            is_first = not self._rung
            self._rung.update(names)
        if is_first:
            with contextlib.suppress(RuntimeError):  # the loop has gone, and all who listened with it
                self._loop.call_soon_threadsafe(self._hear)

    def _hear(self) -> None:
        with self._lock:
            names, self._rung = self._rung, set()
        for name in names & self._listeners.keys():
            for event in self._listeners[name]:
                event.set()
        self._on_ring(names)

    @contextlib.contextmanager
    def listening(self, name: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever the subscription has changed."""
        event = asyncio.Event()
        self._listeners.setdefault(name, set()).add(event)
        try:
            yield event
        finally:
            left = self._listeners[name]
            left.discard(event)
            if not left:
                del self._listeners[name]

    def ring_all(self) -> None:
        """Wake everybody who listens; from any thread."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake_all)

    def _wake_all(self) -> None:
        for events in self._listeners.values():
            for event in events:
                event.set()


async def rings(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event, but no longer than some seconds; whether it came."""
    try:
        async with asyncio.timeout(max(seconds, 0.0)):
            await event.wait()
    except TimeoutError:
        return False
    return True
