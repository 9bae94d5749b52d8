"""What do the routes need to answer? The service, the settings, and the threads that do what takes long."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from fastapi import Query, Request

from eligo.data.schema.guards import GUARDS
from eligo.errors import EventError
from eligo.index.index import Index
from eligo.index.one_event.json_event import json_event
from eligo.service.http.call import Call, allowed_tenant, call_of
from eligo.service.http.events.event_guards import says_itself
from eligo.service.http.forms import Form, given_form, wanted_form
from eligo.service.http.reads import moment_of, seen_up_to
from eligo.service.http.settings import HttpSettings
from eligo.service.http.watching.decisions import Decisions
from eligo.service.http.workers import Workers
from eligo.service.service import Service


class Asking(NamedTuple):
    """What routes are made with."""

    service: Service
    settings: HttpSettings
    workers: Workers
    metrics: Callable[[bool], bytes]
    """Told whether to name subscriptions, which are of all tenants."""
    decisions: Decisions | None

    async def read(self, request: Request, question: Question) -> Read:
        """What a question is about, when what it must see is seen."""
        call = call_of(request)
        tenant = allowed_tenant(call.tenant, question.tenant)
        at = moment_of(question.at)
        await seen_up_to(self.service, question.min_seq, self.settings.max_wait)
        return Read(call, tenant, at, self.service.seq)


class Question(NamedTuple):
    """The parameters that all questions have."""

    tenant: str | None
    at: str | None
    min_seq: int | None


class Read(NamedTuple):
    """What a question is about."""

    call: Call
    tenant: str | None
    at: datetime | None
    seq: int
    """What the answer is sure to have seen."""


MOST_TENANT = 1_000
"""Characters of the name of a tenant."""
TENANT_QUERY = Query(
    description="Whose the events are; they meet what is this tenant's, and what is everybody's.",
    max_length=MOST_TENANT,
)
AT_QUERY = Query(
    description="The moment that counts as now, with a zone; now unless given.",
    json_schema_extra={"format": "date-time"},
    max_length=100,
)
MIN_SEQ_QUERY = Query(description="Answer when this write is seen, or 503 after a while.", ge=0, le=2**63 - 1)


def question(
    tenant: Annotated[str | None, TENANT_QUERY] = None,
    at: Annotated[str | None, AT_QUERY] = None,
    min_seq: Annotated[int | None, MIN_SEQ_QUERY] = None,
) -> Question:
    """The parameters that all questions have; for FastAPI."""
    return Question(tenant, at, min_seq)


def forms_of(call: Call) -> tuple[Form, Form]:
    """In which form something comes, and in which the answer is to go; lines are answered with lines unless told."""
    form = given_form(call.content_type, *Form)
    return form, wanted_form(call.accept, Form.LINES if form is Form.LINES else Form.JSON, *Form)


def event_of(index: Index, text: bytes) -> dict[str, Any]:
    """The event of a text, with its values; an `EventError` for one that brings a guard."""
    event = json_event(text, index.view().temporal_kinds, index.schema, index.limits)
    for name in GUARDS:
        if name in event:
            raise says_itself(name)
    return event


def events_of(index: Index, texts: list[bytes]) -> list[dict[str, Any]]:
    """The same for many; the error of one names its row."""
    events = []
    for row, text in enumerate(texts):
        try:
            events.append(event_of(index, text))
        except EventError as error:
            error.row = row
            raise
    return events
