"""What do many events match, each with its own tenant and moment? All together where that can be, else one by one.

A block is matched as one where every event of it can be read; when one cannot, each is asked by itself, so that it
fails alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from eligo.errors import EligoError
from eligo.service.http.events.event_guards import guard_text, guarded_event, refusal
from eligo.service.records import ExpressionId
from eligo.service.service import Service

SMALLEST_BLOCK = 128
"""Fewer events are matched quicker one by one, with the scratch that is kept for that."""

Found = list[ExpressionId] | Exception
"""What an event matches, or why that cannot be said."""


class Event(NamedTuple):
    """An event as it was sent, whose it is, and when; None for now."""

    text: bytes
    tenant: str | None
    at: datetime | None


def matched(service: Service, events: Sequence[Event]) -> list[Found]:
    """What each event matches."""
    now = datetime.now(UTC)
    fronts: dict[tuple[str | None, datetime | None], bytes] = {}
    moments: set[datetime | None] = set()
    texts: list[bytes] = []
    try:
        for text, tenant, at in events:
            front = fronts.get((tenant, at))
            if front is None:
                front = fronts[tenant, at] = guard_text(tenant, at or now)
                moments.add(at)
            texts.append(guarded_event(text, front))
    except EligoError:
        moments.clear()  # each by itself, and this one will say what it is
    if len(texts) < SMALLEST_BLOCK or len(moments) != 1:
        guarded = texts if len(texts) == len(events) else [None] * len(events)
        return [_alone(service, event, text, now) for event, text in zip(events, guarded, strict=True)]
    index, at = service.expressions.index, moments.pop() or now
    found = index.match_json_batch(texts, documents=service.documents, at=at, on_error="reject")
    rows: list[Found] = list(found.id_lists())
    for row, error in found.errors.items():
        rows[row] = refusal(events[row].text, error, index.limits)
    return rows


def _alone(service: Service, event: Event, text: bytes | None, now: datetime) -> Found:
    """What one event matches; `text` is it with its guards, where these are there already."""
    index, at = service.expressions.index, event.at or now
    try:
        if text is None:
            text = guarded_event(event.text, guard_text(event.tenant, at))
        return index.match_json(text, documents=service.documents, at=at)
    except EligoError as error:
        return refusal(event.text, error, index.limits)
    except Exception as error:  # one that nobody foresaw concerns one event only
        return error
