"""Who does what takes longer than one event? A few threads, with a bounded number of errands that wait for them.

The loop goes on meanwhile. An errand whose client has gone is not begun; one that has begun is finished, because a
thread cannot be stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from eligo.service.http.problems import too_busy

WAITING_PER_WORKER = 64
"""Errands that may wait for each thread."""

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Workers:
    """Threads that a loop has errands done by."""

    def __init__(self, number: int) -> None:
        self._executor = ThreadPoolExecutor(number, thread_name_prefix="eligo-worker")
        self._most = number * (1 + WAITING_PER_WORKER)
        self.num_errands = 0
        """Those that are being done, and those that wait."""

    async def run(
        self, errand: Callable[Parameters, Result], *args: Parameters.args, **named: Parameters.kwargs
    ) -> Result:
        """What a function gives; an `HttpProblem` when too many wait already."""
        if self.num_errands >= self._most:
            raise too_busy(503, f"{self.num_errands:,} questions wait to be answered, and no more are taken")
        self.num_errands += 1
        future = self._executor.submit(errand, *args, **named)
        future.add_done_callback(self._done_in(asyncio.get_running_loop()))
        return await asyncio.wrap_future(future)

    def _done_in(self, loop: asyncio.AbstractEventLoop) -> Callable[[object], None]:
        def done(future: object) -> None:
            try:
                loop.call_soon_threadsafe(self._count_down)
            except RuntimeError:  # the loop was closed meanwhile
                self._count_down()

        return done

    def _count_down(self) -> None:
        self.num_errands -= 1

    def close(self) -> None:
        """Begin no more."""
        self._executor.shutdown(wait=True, cancel_futures=True)
