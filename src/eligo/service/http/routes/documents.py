"""Which documents are in the base, and which of them satisfy an expression?"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import numpy as np
from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.responses import Response

from eligo.data.events.event_json import parsed_event
from eligo.errors import EventError
from eligo.joins.find import find, tree_about_documents
from eligo.joins.segment import Snapshot, moment_of
from eligo.service.http.answers import json_answer
from eligo.service.http.asking import Asking, Question, question
from eligo.service.http.bodies import decoded, read_body
from eligo.service.http.call import call_of, require_no_tenant
from eligo.service.http.description import described
from eligo.service.http.forms import Form, given_form
from eligo.service.http.messages import (
    CheckBody,
    DocumentAnswer,
    DocumentPage,
    DocumentsBody,
    FoundAnswer,
    NumbersAnswer,
    WriteAnswer,
)
from eligo.service.http.problems import HttpProblem, too_large
from eligo.service.records import AddDocuments, RemoveDocuments
from eligo.service.service import Service

_documents_body = msgspec.json.Decoder(DocumentsBody)
_find_body = msgspec.json.Decoder(CheckBody)

Asked = Annotated[Question, Depends(question)]
Number = Annotated[int, Path(ge=0, le=2**63 - 1)]
Limit = Annotated[int, Query(ge=1, le=10_000)]


def router(asking: Asking) -> APIRouter:
    """The routes of documents."""
    routes = APIRouter(tags=["documents"])
    _changes(routes, asking)
    _reads(routes, asking)
    return routes


def _changes(routes: APIRouter, asking: Asking) -> None:
    service, settings, run = asking.service, asking.settings, asking.workers.run

    @routes.post("/documents", **described(NumbersAnswer, DocumentsBody, body_lines=dict, event_too=True))
    async def add(request: Request) -> Response:
        """Add documents to the base: one, `{"documents": […]}`, or lines; all of them or none."""
        call = call_of(request)
        require_no_tenant(call.tenant)
        form = given_form(call.content_type, Form.JSON, Form.LINES)
        body = await read_body(request, settings.max_body)
        texts = await run(_checked_documents, service, body, form, settings.max_events)
        record = AddDocuments(documents=[msgspec.Raw(text) for text in texts], time=datetime.now(UTC))
        outcome = await service.submit_in_loop(record)
        return json_answer(service, {"numbers": list(outcome.result)}, seq=outcome.seq)  # type: ignore[call-overload]

    @routes.delete("/documents/{number}", **described(WriteAnswer, refuses=(404,)))
    async def delete(request: Request, number: Number) -> Response:
        """Remove a document from the base."""
        require_no_tenant(call_of(request).tenant)
        if number not in service.documents:
            raise _no_document(number)
        outcome = await service.submit_in_loop(RemoveDocuments(numbers=[number]))
        return json_answer(service, {}, seq=outcome.seq)


def _reads(routes: APIRouter, asking: Asking) -> None:
    service, settings, run = asking.service, asking.settings, asking.workers.run

    @routes.get("/documents", **described(DocumentPage))
    async def page(
        request: Request,
        asked: Asked,
        after: Annotated[
            int | None, Query(ge=-1, le=2**63 - 1, description="The last number of the page before.")
        ] = None,
        limit: Limit = 100,
    ) -> Response:
        """Documents by number, some at a time."""
        read = await asking.read(request, asked)
        require_no_tenant(read.call.tenant)
        snapshot = service.documents.snapshot()

        def chosen() -> tuple[list[dict[str, Any]], int | None, int]:
            numbers = snapshot.numbers()
            first = 0 if after is None else int(np.searchsorted(numbers, after, side="right"))
            wanted = numbers[first : first + limit].tolist()
            following = wanted[-1] if first + limit < len(numbers) else None
            return _documents(snapshot, wanted), following, len(numbers)

        documents, following, total = await run(chosen)
        return json_answer(service, {"documents": documents, "next": following, "total": total}, seq=read.seq)

    @routes.post("/documents/find", **described(FoundAnswer, CheckBody))
    async def find_documents(request: Request, asked: Asked, limit: Limit = 100) -> Response:
        """The documents that satisfy an expression over their own attributes: all numbers, and the first whole."""
        read = await asking.read(request, asked)
        require_no_tenant(read.call.tenant)
        given_form(read.call.content_type, Form.JSON)
        body = decoded(await read_body(request, settings.max_line), _find_body)
        snapshot = service.documents.snapshot()

        def found() -> dict[str, Any]:
            tree = tree_about_documents(body.expression)
            index = service.expressions.index
            numbers = find(snapshot, tree, index.missing, index.hierarchies).tolist()
            return {"numbers": numbers, "documents": _documents(snapshot, numbers[:limit])}

        return json_answer(service, await run(found), seq=read.seq)

    @routes.get("/documents/{number}", **described(DocumentAnswer, refuses=(404,)))
    async def get(request: Request, number: Number, asked: Asked) -> Response:
        """One document."""
        read = await asking.read(request, asked)
        require_no_tenant(read.call.tenant)
        found = _documents(service.documents.snapshot(), [number])
        if not found:
            raise _no_document(number)
        return json_answer(service, found[0], seq=read.seq)


def _no_document(number: int) -> HttpProblem:
    return HttpProblem(404, f"there is no document {number}", help="it may have been removed", name="unknown-document")


def _checked_documents(service: Service, body: bytes, form: Form, most: int) -> list[bytes]:
    limits = service.documents.limits
    if form is Form.LINES:
        texts = [line for line in body.split(b"\n") if line and not line.isspace()]
    elif set(given := parsed_event(body, limits)) == {"documents"} and isinstance(given["documents"], list):
        texts = [bytes(text) for text in decoded(body, _documents_body).documents]
    else:
        texts = [body]
    if len(texts) > most:
        raise too_large(f"{len(texts):,} documents", most, "send them in parts")
    for row, text in enumerate(texts):
        try:
            parsed_event(text, limits)
        except EventError as error:
            error.row = row
            raise
    return texts


def _documents(snapshot: Snapshot, numbers: list[int]) -> list[dict[str, Any]]:
    """Those of the numbers that are there, as they are shown: one value is a value, several are a list."""
    found = []
    for number in numbers:
        place = snapshot.place(number)
        if place is not None:
            segment, row = place
            values = {name: own[0] if len(own) == 1 else list(own) for name, own in segment.document(row).items()}
            found.append({"number": number, "document": values, "time": moment_of(int(segment.times[row]))})
    return found
