"""How are requests matched that come together? In one go: those that the loop has at hand in one turn.

    turn of the loop   request  request  request │ match all three │ answer  answer  answer

The block is matched when everything that was ready has been read, so a request that is alone waits for nobody. An event
that cannot be read fails alone.
"""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from itertools import chain

from eligo.service.http.events import event_matching
from eligo.service.http.events.event_matching import Event, Found
from eligo.service.page.activity import activity_of
from eligo.service.records import ExpressionId
from eligo.service.service import Service

Answer = asyncio.Future[list[ExpressionId]]


class EventBlock:
    """Collects events that come in one turn of the loop; belongs to one loop."""

    def __init__(self, service: Service, most: int) -> None:
        self._service = service
        self._most = most
        self._events: list[Event] = []
        self._answers: list[Answer] = []
        self._loop = asyncio.get_running_loop()
        self._activity = activity_of(service)
        self._began = 0.0
        """When the first event of the block came."""

    def ask(self, text: bytes, tenant: str | None, at: datetime | None) -> Answer:
        """What an event matches, soon."""
        answer: Answer = self._loop.create_future()
        self._events.append(Event(text, tenant, at))
        self._answers.append(answer)
        if len(self._events) == 1:
            self._began = time.perf_counter()
            self._loop.call_soon(self._match)
        elif len(self._events) >= self._most:
            self._match()
        return answer

    def _match(self) -> None:
        events, self._events = self._events, []
        answers, self._answers = self._answers, []
        if not events:  # it was full before its turn came
            return
        try:
            found = event_matching.matched(self._service, events)
        except Exception as error:  # one that nobody foresaw must leave nobody waiting
            found = [error] * len(events)
        for answer, ids in zip(answers, found, strict=True):
            _resolve(answer, ids)
        good = [ids for ids in found if not isinstance(ids, Exception)]
        seconds = time.perf_counter() - self._began
        self._activity.answered(seconds, len(good), sum(map(len, good)), chain.from_iterable(good))


def _resolve(answer: Answer, ids: Found) -> None:
    if answer.done():  # the client has gone
        return
    if isinstance(ids, Exception):
        answer.set_exception(ids)
    else:
        answer.set_result(ids)
