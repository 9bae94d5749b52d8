"""Which expressions does an event match best, and how many events does each match?

    /top     JSON, lines, Arrow   a list of matches for each event; Arrow: event, expression_id, score
    /count   JSON, lines, Arrow   one row for each expression that some event matches; Arrow: expression_id, count

Of lines that are ranked, one that is no event loses only itself. Of lines that are counted none may be lost, for nobody
would see it in a number: all of them are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat, starmap
from typing import Annotated, Any

import pyarrow as pa
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from eligo.errors import EligoError
from eligo.index.matches import TopMatches
from eligo.service.http.answers import arrow_answer, id_array, json_answer, json_bytes, lines_answer
from eligo.service.http.asking import Asking, Question, Read, event_of, events_of, forms_of, question
from eligo.service.http.bodies import read_body
from eligo.service.http.description import described
from eligo.service.http.events.arrow_bodies import read_table
from eligo.service.http.events.event_guards import guarded_table
from eligo.service.http.events.one_or_many import texts_of
from eligo.service.http.forms import Form
from eligo.service.http.messages import CountAnswer, Counted, TopAnswer, TopLine
from eligo.service.http.problems import problem
from eligo.service.http.watching.noting import Answered, note_answers, note_numbers
from eligo.service.records import ExpressionId
from eligo.service.service import Service

Asked = Annotated[Question, Depends(question)]
Ranked = list[tuple[ExpressionId, float]] | EligoError
"""The best matches of an event, or why there are none."""


def router(asking: Asking) -> APIRouter:
    """The routes that rank and count."""
    routes = APIRouter(tags=["matching"])
    settings, run = asking.settings, asking.workers.run

    @routes.post("/top", **described(TopAnswer, events=True, lines=TopLine, arrow=True, refuses=(406,)))
    async def top(
        request: Request,
        asked: Asked,
        n: Annotated[int, Query(ge=0, le=10_000, description="How many of the best.")] = 10,
    ) -> Response:
        """The n best matches with their scores, best first: JSON, lines, or an Arrow stream."""
        read = await asking.read(request, asked)
        form, wanted = forms_of(read.call)
        body = await read_body(request, settings.max_body)
        return await run(_top, asking, read, body, form, wanted, n)

    @routes.post("/count", **described(CountAnswer, events=True, lines=Counted, arrow=True, refuses=(406,)))
    async def count(request: Request, asked: Asked) -> Response:
        """How many of the events each expression matches; those that none does are left out."""
        read = await asking.read(request, asked)
        form, wanted = forms_of(read.call)
        body = await read_body(request, settings.max_body)
        return await run(_count, asking, read, body, form, wanted)

    return routes


def _top(asking: Asking, read: Read, body: bytes, form: Form, wanted: Form, n: int) -> Response:
    service, most = asking.service, asking.settings.max_events
    is_single = False
    events: Sequence[bytes | dict[str, Any]] = []
    if form is Form.ARROW:
        table = read_table(body, most)
        ranked = _rows_of(_best_of_table(service, read, table, n))
        events = table.to_pylist() if asking.decisions is not None else []
    else:
        texts, is_single, weights = texts_of(body, form, most)
        ranked = _best(service, read, texts, n, weights, loses_one=form is wanted is Form.LINES)
        events = texts
    note_answers(asking, read, events, [_ids(each) for each in ranked])
    if wanted is Form.LINES:
        return lines_answer(_line(each) for each in ranked)
    good = [each for each in ranked if not isinstance(each, EligoError)]
    if wanted is Form.ARROW:
        return arrow_answer(_table(service, good))
    matches = [_told(each) for each in good]
    return json_answer(service, {"matches": matches[0] if is_single else matches}, seq=read.seq)


def _best(
    service: Service, read: Read, texts: list[bytes], n: int, weights: dict[str, Any] | None, *, loses_one: bool
) -> list[Ranked]:
    """The best of each event; an event that is none is an error among them, or that of all."""
    index = service.expressions.index
    guards = service.expressions.guards(read.tenant, read.at)
    known: dict[str, Any] = {"weights": weights, "documents": service.documents, "at": guards["@time"]}
    if len(texts) == 1 and not loses_one:
        return [index.top({**event_of(index, texts[0]), **guards}, n, **known)]
    try:
        events = [{**event, **guards} for event in events_of(index, texts)]
        return _rows_of(index.top_batch(events, n, **known)) if events else []
    except EligoError:
        if not loses_one:
            raise
    found: list[Ranked] = []
    for text in texts:
        try:
            found.append(index.top({**event_of(index, text), **guards}, n, **known))
        except EligoError as error:
            found.append(error)
    return found


def _best_of_table(service: Service, read: Read, table: pa.Table, n: int) -> TopMatches:
    at = service.expressions.guards(read.tenant, read.at)["@time"]
    guarded = guarded_table(table, read.tenant, at)
    return service.expressions.index.top_batch(guarded, n, documents=service.documents, at=at)


def _rows_of(found: TopMatches) -> list[Ranked]:
    return [found.scored_ids(row) for row in range(len(found))]


def _ids(found: Ranked) -> Answered:
    return found if isinstance(found, EligoError) else [id for id, _ in found]


def _told(found: list[tuple[ExpressionId, float]]) -> list[dict[str, Any]]:
    return [{"id": id, "score": score} for id, score in found]


def _line(found: Ranked) -> bytes:
    fields = {"error": problem(found)} if isinstance(found, EligoError) else {"matches": _told(found)}
    return json_bytes(fields) + b"\n"


def _table(service: Service, found: list[list[tuple[ExpressionId, float]]]) -> pa.Table:
    rows = [row for row, each in enumerate(found) for _ in each]
    flat = [pair for each in found for pair in each]
    return pa.table(
        {
            "event": pa.array(rows, pa.int64()),
            "expression_id": id_array(service, [id for id, _ in flat]),
            "score": pa.array([score for _, score in flat], pa.float64()),
        }
    )


def _count(asking: Asking, read: Read, body: bytes, form: Form, wanted: Form) -> Response:
    service = asking.service
    counts, num_events = _counts(asking, read, body, form)
    num_matches = sum(count for _, count in counts)
    note_numbers(asking, read, num_events, num_matches, chain.from_iterable(starmap(repeat, counts)))
    if wanted is Form.LINES:
        return lines_answer(json_bytes({"id": id, "count": count}) + b"\n" for id, count in counts)
    if wanted is Form.ARROW:
        numbers = pa.array([count for _, count in counts], pa.int64())
        return arrow_answer(pa.table({"expression_id": id_array(service, [id for id, _ in counts]), "count": numbers}))
    told = [{"id": id, "count": count} for id, count in counts]
    return json_answer(service, {"counts": told, "events": num_events}, seq=read.seq)


def _counts(asking: Asking, read: Read, body: bytes, form: Form) -> tuple[list[tuple[ExpressionId, int]], int]:
    service, most = asking.service, asking.settings.max_events
    index = service.expressions.index
    guards = service.expressions.guards(read.tenant, read.at)
    if form is Form.ARROW:
        events: Any = guarded_table(read_table(body, most), read.tenant, guards["@time"])
        num_events = events.num_rows
    else:
        texts, _, _ = texts_of(body, form, most)
        events = [{**event, **guards} for event in events_of(index, texts)]
        num_events = len(events)
    if not num_events or not len(index):
        return [], num_events
    view = index.view()
    counts = view.count_batch(events, documents=service.documents, at=guards["@time"])
    places = counts.nonzero()[0]
    ids = view.ids.take(pa.array(places)).to_pylist()
    return list(zip(ids, counts[places].tolist(), strict=True)), num_events
