"""Up to which record is everything seen? Whoever waits for a record is woken when it is, in a thread or in a loop."""

from __future__ import annotations

import asyncio
import heapq
import threading
from collections.abc import Callable
from itertools import count

Listener = Callable[[int], None]
"""Told the number of the last record that is seen, in the thread that applied it; it must not take long."""


class Progress:
    """The number of the last record that is seen, for one who moves it on and many who wait."""

    def __init__(self, seq: int = 0) -> None:
        self.seq = seq
        """Of the last record that is seen."""
        self._moved = threading.Condition(threading.Lock())
        self._num_waiting = 0
        self._in_loops: list[tuple[int, int, asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        """Those who wait in loops, as a heap: the number that each waits for, and its place among all."""
        self._places = count()
        self._listeners: tuple[Listener, ...] = ()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a function called whenever records were applied; returns what ends that."""
        with self._moved:
            self._listeners = (*self._listeners, listener)

        def stop() -> None:
            with self._moved:
                self._listeners = tuple(each for each in self._listeners if each is not listener)

        return stop

    def move(self, seq: int) -> None:
        """Say that everything up to a record is seen."""
        woken = []
        with self._moved:
            self.seq = seq
            if self._num_waiting:
                self._moved.notify_all()
            while self._in_loops and self._in_loops[0][0] <= seq:
                woken.append(heapq.heappop(self._in_loops))
        for _, _, loop, future in woken:
            call_in_loop(loop, _done, future)
        for listener in self._listeners:
            listener(seq)

    def wait(self, seq: int, timeout: float) -> bool:
        """Wait in a thread until a record is seen; False when that took too long."""
        if self.seq >= seq:
            return True
        with self._moved:
            self._num_waiting += 1
            try:
                return self._moved.wait_for(lambda: self.seq >= seq, timeout)
            finally:
                self._num_waiting -= 1

    async def wait_in_loop(self, seq: int, timeout: float) -> bool:
        """The same in a loop, which goes on meanwhile."""
        loop = asyncio.get_running_loop()
        with self._moved:
            if self.seq >= seq:
                return True
            future: asyncio.Future[None] = loop.create_future()
            waiting = (seq, next(self._places), loop, future)
            heapq.heappush(self._in_loops, waiting)
        try:
            await asyncio.wait_for(future, timeout)
        except TimeoutError:
            return False
        finally:
            if not future.done() or future.cancelled():
                self._forget(waiting)
        return True

    def _forget(self, waiting: tuple[int, int, asyncio.AbstractEventLoop, asyncio.Future[None]]) -> None:
        with self._moved:
            if waiting in self._in_loops:
                self._in_loops.remove(waiting)
                heapq.heapify(self._in_loops)


def _done(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def call_in_loop(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: object) -> None:
    """Have a loop of another thread call a function; one that was closed meanwhile has nobody who waits."""
    try:
        loop.call_soon_threadsafe(function, *arguments)
    except RuntimeError:
        if not loop.is_closed():
            raise
