"""How are requests matched that come together? As one block: those that the loop has at hand in one turn.

    turn of the loop   request  request  request │ match all three │ answer  answer  answer

The block is matched when everything that was ready has been read, so a request that is alone waits for nobody. An event
that cannot be read fails alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from eligo.errors import EligoError
from eligo.index.matches import Matches
from eligo.service.http.event_guards import guard_text, guarded_event, refusal
from eligo.service.records import ExpressionId
from eligo.service.service import Service

SMALLEST_BLOCK = 16
"""Fewer events are matched quicker one by one."""


class Asked(NamedTuple):
    """An event that waits for its answer."""

    text: bytes
    """As it was sent."""
    tenant: str | None
    at: datetime | None
    answer: asyncio.Future[list[ExpressionId]]


class EventBlock:
    """Collects events that come in one turn of the loop; belongs to one loop."""

    def __init__(self, service: Service, most: int) -> None:
        self._service = service
        self._most = most
        self._asked: list[Asked] = []
        self._loop = asyncio.get_running_loop()

    def ask(self, text: bytes, tenant: str | None, at: datetime | None) -> asyncio.Future[list[ExpressionId]]:
        """What an event matches, soon."""
        answer = self._loop.create_future()
        asked = self._asked
        asked.append(Asked(text, tenant, at, answer))
        if len(asked) == 1:
            self._loop.call_soon(self._match)
        elif len(asked) >= self._most:
            self._match()
        return answer

    def _match(self) -> None:
        block, self._asked = self._asked, []
        if not block:  # it was full before its turn came
            return
        try:
            found = matched(self._service, block)
        except Exception as error:  # one that nobody foresaw must leave nobody waiting
            found = [error] * len(block)
        for asked, ids in zip(block, found, strict=True):
            if asked.answer.done():  # the client has gone
                continue
            if isinstance(ids, Exception):
                asked.answer.set_exception(ids)
            else:
                asked.answer.set_result(ids)


def matched(service: Service, block: Sequence[Asked]) -> list[list[ExpressionId] | Exception]:
    """What each event of a block matches, or why that cannot be said."""
    now = datetime.now(UTC)
    fronts: dict[tuple[str | None, datetime | None], bytes] = {}
    texts: list[bytes] = []
    for asked in block:
        of = (asked.tenant, asked.at)
        front = fronts.get(of)
        if front is None:
            front = fronts[of] = guard_text(asked.tenant, asked.at or now)
        try:
            texts.append(guarded_event(asked.text, front))
        except EligoError:
            break
    match_together = getattr(service.expressions.index, "match_json_batch", None)
    if match_together is not None and len(texts) == len(block) >= SMALLEST_BLOCK and not any(a.at for a in block):
        try:
            return _rows(match_together(texts))
        except EligoError:
            pass  # each by itself: the others are fine
    return [_alone(service, asked, fronts, now) for asked in block]


def _rows(matches: Matches) -> list[list[ExpressionId] | Exception]:
    """The ids of each event, taken from Arrow once for all."""
    ids = matches.all_ids.take(matches.positions).to_pylist()
    offsets = matches.offsets.tolist()
    return [ids[first:last] for first, last in zip(offsets, offsets[1:], strict=False)]


def _alone(
    service: Service, asked: Asked, fronts: dict[tuple[str | None, datetime | None], bytes], now: datetime
) -> list[ExpressionId] | Exception:
    at = asked.at or now
    try:
        front = fronts.get((asked.tenant, asked.at)) or guard_text(asked.tenant, at)
        text = guarded_event(asked.text, front)
        return service.expressions.index.match_json(text, documents=service.documents, at=at)
    except EligoError as error:
        return refusal(asked.text, error, service.expressions.index.limits)
    except Exception as error:  # one that nobody foresaw concerns one request only
        return error


Match = Callable[[bytes, str | None, datetime | None], asyncio.Future[list[ExpressionId]]]
