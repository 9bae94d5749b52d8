"""How are expressions put, read, listed and given up, one at a time?"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Request
from starlette.responses import Response

from eligo.errors import UnknownIdError, shown
from eligo.language.canonical import canonical_text
from eligo.language.limits import UNBOUNDED
from eligo.language.text.parse import parse
from eligo.service.http.answers import json_answer
from eligo.service.http.asking import Asking, Question, question
from eligo.service.http.bodies import decoded, read_body
from eligo.service.http.call import Call, allowed_tenant, call_of
from eligo.service.http.description import described
from eligo.service.http.expression_check import put_record
from eligo.service.http.forms import Form, given_form
from eligo.service.http.messages import ExpressionAnswer, ExpressionBody, ExpressionPage, PutAnswer, WriteAnswer
from eligo.service.http.problems import HttpProblem
from eligo.service.records import DeleteExpression, ExpressionId
from eligo.service.service import Service
from eligo.service.state.expressions import StoredExpression
from eligo.service.state.outcome import is_new

LONG_TEXT = 16 << 10
"""Bytes of a body from which on an expression is checked by a worker."""

_body = msgspec.json.Decoder(ExpressionBody)

IfMatch = Annotated[str | None, Header(description="The etag that the expression must have, or * for any.")]
IfNoneMatch = Annotated[str | None, Header(description="* when the id must be new.")]
ReadEtag = Annotated[str | None, Header(description="An etag that is known already: then the answer is 304.")]


def router(asking: Asking) -> APIRouter:
    """The routes of single expressions."""
    routes = APIRouter(tags=["expressions"])
    _changes(routes, asking)
    _reads(routes, asking)
    return routes


def _changes(routes: APIRouter, asking: Asking) -> None:
    service = asking.service

    @routes.put(
        "/expressions/{id:path}", **described(PutAnswer, ExpressionBody, statuses={201: PutAnswer}, refuses=(403, 412))
    )
    async def put(request: Request, id: str, if_match: IfMatch = None, if_none_match: IfNoneMatch = None) -> Response:
        """Add an expression, or replace the one of its id."""
        call = call_of(request)
        given_form(call.content_type, Form.JSON)
        content = await read_body(request, asking.settings.max_line)
        body = decoded(content, _body)
        known = service.expressions.known_id(id)

        def record() -> Any:
            return put_record(
                service.expressions.index,
                known,
                body.expression,
                tenant=allowed_tenant(call.tenant, body.tenant),
                valid_from=body.valid_from,
                valid_to=body.valid_to,
                metadata=body.metadata,
                if_match=_condition(if_match, if_none_match),
                only_tenant=call.tenant,
            )

        change = record() if len(content) < LONG_TEXT else await asking.workers.run(record)
        outcome = await service.submit_in_loop(change)
        etag = str(outcome.result)
        return json_answer(
            service,
            {"id": known, "etag": etag},
            seq=outcome.seq,
            status=201 if is_new(outcome) else 200,
            headers={"etag": f'"{etag}"'},
        )

    @routes.delete("/expressions/{id:path}", **described(WriteAnswer, refuses=(403, 404, 412)))
    async def delete(request: Request, id: str, if_match: IfMatch = None) -> Response:
        """Give up an expression."""
        call = call_of(request)
        stored = visible(service, call, id)
        change = DeleteExpression(id=stored.id, if_match=_condition(if_match, None), only_tenant=call.tenant)
        outcome = await service.submit_in_loop(change)
        return json_answer(service, {}, seq=outcome.seq)


def _reads(routes: APIRouter, asking: Asking) -> None:
    service = asking.service

    @routes.get("/expressions/{id:path}", **described(ExpressionAnswer, refuses=(404,), empty=(304,)))
    async def get(
        request: Request,
        id: str,
        asked: Annotated[Question, Depends(question)],
        if_none_match: ReadEtag = None,
    ) -> Response:
        """One expression with what came with it."""
        read = await asking.read(request, asked)
        stored = visible(service, read.call, id)
        etag = stored.etag
        headers = {"etag": f'"{etag}"'}
        if if_none_match is not None and not _etags(if_none_match).isdisjoint({etag, "*"}):
            return Response(status_code=304, headers=headers)
        return json_answer(service, fields_of(stored, etag), seq=read.seq, headers=headers)

    @routes.get("/expressions", **described(ExpressionPage))
    async def page(
        request: Request,
        asked: Annotated[Question, Depends(question)],
        prefix: Annotated[str, Query(description="What ids begin with.", max_length=1_000)] = "",
        contains: Annotated[str, Query(description="What texts have in them.", max_length=1_000)] = "",
        after: Annotated[str | None, Query(description="The last id of the page before.", max_length=10_000)] = None,
        limit: Annotated[int, Query(ge=1, le=10_000)] = 100,
    ) -> Response:
        """Expressions by id, some at a time; while `next` is there, more may follow, also behind a page with few."""
        read = await asking.read(request, asked)

        def chosen() -> tuple[list[dict[str, Any]], ExpressionId | None]:
            known = None if after is None else service.expressions.known_id(after)
            found = service.expressions.page(
                prefix=prefix, contains=contains, tenant=read.tenant, after=known, limit=limit
            )
            return [fields_of(each, each.etag) for each in found.expressions], found.next

        expressions, following = await asking.workers.run(chosen)
        fields = {"expressions": expressions, "next": following, "total": len(service.expressions)}
        return json_answer(service, fields, seq=read.seq)


def visible(service: Service, call: Call, id: str) -> StoredExpression:
    """The expression of an id in a path; one of another tenant is not there."""
    stored = service.expressions.get(service.expressions.known_id(id))
    if call.tenant is not None and stored.tenant not in (None, call.tenant):
        raise UnknownIdError(f"there is no expression {shown(id)}")
    return stored


def fields_of(stored: StoredExpression, etag: str) -> dict[str, Any]:
    """An expression as it is shown."""
    return {
        "id": stored.id,
        "expression": stored.expression,
        "canonical": canonical_text(parse(stored.expression, limits=UNBOUNDED)),
        "etag": etag,
        "tenant": stored.tenant,
        "valid_from": stored.valid_from,
        "valid_to": stored.valid_to,
        "metadata": stored.metadata,
    }


def _etags(header: str) -> set[str]:
    return {part.strip().removeprefix("W/").strip('"') for part in header.split(",")}


def _condition(if_match: str | None, if_none_match: str | None) -> str | None:
    """The condition of a record: an etag, "*" for any, "" for none, None for no condition."""
    if if_none_match is not None:
        if if_none_match.strip() != "*" or if_match is not None:
            raise HttpProblem(
                400, "of conditions, there is If-Match with one etag, or If-None-Match: *", name="condition"
            )
        return ""
    if if_match is None:
        return None
    etags = _etags(if_match)
    if len(etags) != 1 or "" in etags:
        raise HttpProblem(400, "If-Match has one etag here, or *", name="condition")
    return etags.pop()
