"""How many of the page's questions are computed at once? Fewer than there are workers: no client waits for a page.

typed: a  ab  abc       a browser gives up a question when it asks the next:
       ×   ×   ●        those that have not had their turn by then are left
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fastapi import Request

from eligo.service.http.problems import HttpProblem
from eligo.service.http.workers import Workers


class Turns:
    """Has the page's questions computed by the workers, one after another where there are few."""

    def __init__(self, workers: Workers, num_workers: int) -> None:
        self._workers = workers
        self._free = asyncio.Semaphore(max(1, num_workers - 1))

    async def computed(self, request: Request, errand: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
        """What a function gives, when it is this request's turn."""
        async with self._free:
            if await request.is_disconnected():
                raise HttpProblem(408, "the browser has gone", name="gone")  # which nobody hears
            return await self._workers.run(errand, *given)
