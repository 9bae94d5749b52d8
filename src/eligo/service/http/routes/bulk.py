"""How are many expressions changed in one request? A row each, and a result a row: a bad one loses no good one.

    {"id": "a", "expression": "x = 1"}        {"id":"a","seq":41,"etag":"…"}
    {"id": "b", "expression": "x = "}         {"id":"b","error":{"type":"/errors#expression-syntax", …}}
    {"id": "c", "delete": true}               {"id":"c","seq":42}

Rows are read, checked and written in groups, so that memory does not grow with their number. A group waits while too
much waits to be written, and nothing behind it is read. What ends a request whose first groups were written already is
told in a last line, so that their results are not lost with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from eligo.data.expressions.expression_source import checked_id
from eligo.errors import EligoError, InputError
from eligo.service.http.answers import HeldLines, json_bytes
from eligo.service.http.asking import Asking
from eligo.service.http.bodies import decoded, line_blocks
from eligo.service.http.call import Call, allowed_tenant, call_of
from eligo.service.http.description import described
from eligo.service.http.expression_check import put_record
from eligo.service.http.forms import Form, given_form
from eligo.service.http.messages import ExpressionRow, RowAnswer
from eligo.service.http.problems import problem
from eligo.service.records import DeleteExpression, PutExpression
from eligo.service.service import Service
from eligo.service.state.outcome import Answer, BusyError

_row = msgspec.json.Decoder(ExpressionRow)

Change = PutExpression | DeleteExpression
Checked = tuple[Any, Change | EligoError]
"""The id of a row where it has one, and what is to be done, or why it cannot be."""


def router(asking: Asking) -> APIRouter:
    """The route of many expressions."""
    routes = APIRouter(tags=["expressions"])
    service = asking.service

    @routes.post("/expressions", **described(lines=RowAnswer, body_lines=ExpressionRow))
    async def change(request: Request) -> Response:
        """Put and delete many expressions; one result a row."""
        call = call_of(request)
        given_form(call.content_type, Form.LINES, Form.JSON)
        call.lasts = True
        held = HeldLines()
        try:
            async for lines in line_blocks(request, asking.settings):
                rows = await asking.workers.run(checked_rows, service, call, lines)
                changes = [change for _, change in rows if not isinstance(change, EligoError)]
                try:
                    answers = await written(service, changes, asking.settings.max_seconds)
                except EligoError as error:
                    if held.is_empty:
                        raise
                    answers = [error] * len(changes)
                held.add(results(rows, answers))
        except BaseException as error:
            if held.is_empty or not isinstance(error, EligoError):
                held.close()
                raise
            held.add(json_bytes({"id": None, "error": problem(error)}) + b"\n")
        return held.answer()

    return routes


async def written(service: Service, changes: Sequence[Change], most_seconds: float) -> Sequence[Answer]:
    """What became of changes. Where too many wait already these are tried again, for so many seconds."""
    clock = asyncio.get_running_loop().time
    end = clock() + most_seconds
    while changes:
        try:
            return await service.submit_many_in_loop(changes)
        except BusyError as error:
            if clock() + error.retry_after > end:
                raise
            await asyncio.sleep(error.retry_after)
    return []


def checked_rows(service: Service, call: Call, lines: Sequence[bytes]) -> list[Checked]:
    """What each row wants."""
    return [_checked_row(service, call, line) for line in lines]


def _checked_row(service: Service, call: Call, line: bytes) -> Checked:
    id: Any = None
    try:
        row = decoded(line, _row)
        id = row.id
        known = service.expressions.known_id(checked_id(id))
        if row.delete == (row.expression is not None):
            raise InputError('a row has an "expression" to be put, or "delete": true')
        if row.expression is None:
            return id, DeleteExpression(id=known, if_match=row.if_match, only_tenant=call.tenant)
        record = put_record(
            service.expressions.index,
            known,
            row.expression,
            tenant=allowed_tenant(call.tenant, row.tenant),
            valid_from=row.valid_from,
            valid_to=row.valid_to,
            metadata=row.metadata,
            if_match=row.if_match,
            only_tenant=call.tenant,
        )
        return id, record
    except EligoError as error:
        return id, error


def results(rows: Sequence[Checked], answers: Sequence[Answer]) -> bytes:
    """A line for each row."""
    following = iter(answers)
    lines = []
    for id, change in rows:
        answer = change if isinstance(change, EligoError) else next(following)
        if isinstance(answer, EligoError):
            fields: dict[str, Any] = {"id": id, "error": problem(answer)}
        else:
            fields = {"id": id, "seq": answer.seq}
            if answer.result is not None:
                fields["etag"] = answer.result
        lines.append(json_bytes(fields))
    return b"\n".join([*lines, b""])
