"""Which expressions do events match?

One event of JSON comes to `/match` by a shorter way (`front`); whatever else is asked comes here.
"""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Any

import msgspec
import pyarrow as pa
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from eligo.errors import EligoError, EventError
from eligo.service.http.answers import HeldLines, arrow_answer, id_array, json_answer, json_bytes, lines_answer
from eligo.service.http.asking import Asking, Question, Read, forms_of, question
from eligo.service.http.bodies import line_blocks, read_body
from eligo.service.http.description import described
from eligo.service.http.events.arrow_bodies import read_table
from eligo.service.http.events.event_guards import guarded_table
from eligo.service.http.events.event_matching import Event, Found, matched
from eligo.service.http.events.one_or_many import texts_of
from eligo.service.http.forms import Form
from eligo.service.http.messages import MatchAnswer, MatchLine
from eligo.service.http.problems import problem
from eligo.service.http.watching.noting import note_answers, note_numbers
from eligo.service.records import ExpressionId
from eligo.service.service import Service

WithMetadata = Annotated[bool, Query(description="Whether the metadata of what matches comes, too, in the same order.")]
Asked = Annotated[Question, Depends(question)]


def router(asking: Asking) -> APIRouter:
    """The routes that match."""
    routes = APIRouter(tags=["matching"])
    service, settings, run = asking.service, asking.settings, asking.workers.run

    @routes.post("/match", **described(MatchAnswer, events=True, lines=MatchLine, arrow=True, refuses=(406,)))
    async def match(request: Request, asked: Asked, metadata: WithMetadata = False) -> Response:
        """The ids of the expressions that an event satisfies, or each of many: JSON, lines, or an Arrow stream."""
        read = await asking.read(request, asked)
        form, wanted = forms_of(read.call)
        if form is Form.LINES and wanted is Form.LINES:
            return await _match_lines(asking, request, read, metadata)
        body = await read_body(request, settings.max_body)
        if form is Form.ARROW:
            return await run(_match_table, asking, read, body, wanted, metadata)
        texts, is_single, _ = texts_of(body, form, settings.max_events)
        found = await run(matched, service, [Event(text, read.tenant, read.at) for text in texts])
        good = raised(found, is_single)
        note_answers(asking, read, texts, good)
        return _match_answer(service, read, good, wanted, is_single, metadata)

    return routes


def raised(found: list[Found], is_single: bool) -> list[list[ExpressionId]]:
    """What the events match; the error of the first that has one is raised, with its row."""
    for row, each in enumerate(found):
        if isinstance(each, Exception):
            if isinstance(each, EventError) and not is_single:
                each.row = row
            raise each
    return [each for each in found if not isinstance(each, Exception)]


def metadata_of(service: Service, ids: list[ExpressionId]) -> list[Any]:
    """The metadata of each; null for one that has none, or is gone meanwhile."""
    found: list[Any] = []
    for id in ids:
        try:
            found.append(service.expressions.get(id).metadata)
        except EligoError:
            found.append(None)
    return found


def _match_answer(
    service: Service, read: Read, found: list[list[ExpressionId]], wanted: Form, is_single: bool, metadata: bool
) -> Response:
    if wanted is Form.ARROW:
        rows = [row for row, ids in enumerate(found) for _ in ids]
        flat = [id for ids in found for id in ids]
        columns = {"event": pa.array(rows, pa.int64()), "expression_id": id_array(service, flat)}
        if metadata:
            columns["metadata"] = pa.array(map(_text_of, metadata_of(service, flat)), pa.string())
        return arrow_answer(pa.table(columns))
    if wanted is Form.LINES:
        return lines_answer(_line(service, ids, metadata) for ids in found)
    fields: dict[str, Any] = {"matches": found[0] if is_single else found}
    if metadata:
        each = [metadata_of(service, ids) for ids in found]
        fields["metadata"] = each[0] if is_single else each
    return json_answer(service, fields, seq=read.seq)


def _text_of(metadata: msgspec.Raw | None) -> str | None:
    """Metadata as a column has it: JSON, null where there is none."""
    data = b"" if metadata is None else bytes(metadata)
    return None if data in (b"", b"null") else data.decode()


async def _match_lines(asking: Asking, request: Request, read: Read, metadata: bool) -> Response:
    read.call.lasts = True
    held = HeldLines()
    try:
        async for lines in line_blocks(request, asking.settings):
            held.add(await asking.workers.run(_matched_lines, asking, read, lines, metadata))
    except BaseException:
        held.close()
        raise
    return held.answer()


def _matched_lines(asking: Asking, read: Read, lines: list[bytes], metadata: bool) -> bytes:
    found = matched(asking.service, [Event(line, read.tenant, read.at) for line in lines])
    note_answers(asking, read, lines, found)
    return b"".join([_line(asking.service, each, metadata) for each in found])


def _line(service: Service, found: Found, metadata: bool) -> bytes:
    if isinstance(found, EligoError):
        return b'{"error":%b}\n' % json_bytes(problem(found))
    if isinstance(found, Exception):
        raise found
    if metadata:
        return json_bytes({"matches": found, "metadata": metadata_of(service, found)}) + b"\n"
    return b'{"matches":%b}\n' % json_bytes(found)


def _match_table(asking: Asking, read: Read, body: bytes, wanted: Form, metadata: bool) -> Response:
    service = asking.service
    table = read_table(body, asking.settings.max_events)
    at = read.at or datetime.now(UTC)
    found = service.expressions.index.match_batch(
        guarded_table(table, read.tenant, at), documents=service.documents, at=at
    )
    if wanted is Form.ARROW and asking.decisions is None and not metadata:
        note_numbers(asking, read, table.num_rows, len(found.positions))
        return arrow_answer(found.to_arrow())
    ids = found.all_ids.take(pa.array(found.positions)).to_pylist()
    each = [ids[first:last] for first, last in pairwise(found.offsets.tolist())]
    note_answers(asking, read, table.to_pylist() if asking.decisions is not None else [], each)
    return _match_answer(service, read, each, wanted, False, metadata)
