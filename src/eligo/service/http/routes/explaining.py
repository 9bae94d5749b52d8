"""Why does an event satisfy an expression, and what does an expression say? Of one or of many, in every form.

    /explain?id=a   an event, {"events": […]}, lines, an Arrow stream       a stored expression
    /explain        {"expression": …, "event": …} or "events": […]; a line has one of each
    /check          {"expression": …} or {"expressions": […]}, lines, an Arrow stream with that column

Of several, one that cannot be read is answered with its error among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec
import pyarrow as pa
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from eligo.errors import EligoError, EventError
from eligo.index.document_questions import Given
from eligo.index.one_event.explanation import explanation_of
from eligo.index.view import known_event
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import attributes_of
from eligo.language.forms.json_form import to_json
from eligo.language.lint.lint import lint
from eligo.language.tree import Expression
from eligo.service.http.answers import arrow_answer, json_answer, json_bytes, lines_answer
from eligo.service.http.asking import Asking, Question, Read, event_of, forms_of, question
from eligo.service.http.bodies import decoded, read_body
from eligo.service.http.call import Call
from eligo.service.http.description import described
from eligo.service.http.events.arrow_bodies import read_table
from eligo.service.http.events.event_guards import says_itself
from eligo.service.http.events.one_or_many import texts_of
from eligo.service.http.expression_check import read_checked
from eligo.service.http.forms import Form
from eligo.service.http.messages import (
    CheckAnswer,
    CheckResult,
    ChecksAnswer,
    ChecksBody,
    ExplainBody,
    ExplanationsAnswer,
)
from eligo.service.http.problems import HttpProblem, problem, too_busy, too_large
from eligo.service.http.routes.expressions import visible
from eligo.service.records import NONE
from eligo.service.service import Service
from eligo.service.state.expressions import StoredExpression

MOST_AT_ONCE = 1_000
"""Events that are explained, or expressions that are checked, in one request."""
_COLUMN = "expression"

_explain_body = msgspec.json.Decoder(ExplainBody)
_checks_body = msgspec.json.Decoder(ChecksBody)

Asked = Annotated[Question, Depends(question)]
Told = dict[str, Any]
Errand = Callable[[], Told]
"""Gives an answer to one of several questions, or raises why there is none."""


def router(asking: Asking) -> APIRouter:
    """The routes that explain."""
    routes = APIRouter(tags=["explaining"])
    service, settings, run = asking.service, asking.settings, asking.workers.run

    @routes.post(
        "/explain",
        **described(
            (dict, ExplanationsAnswer),
            ExplainBody,
            event_too=True,
            lines=dict,
            body_lines=ExplainBody,
            arrow=True,
            refuses=(404, 406),
        ),
    )
    async def explain(
        request: Request,
        asked: Asked,
        id: Annotated[str | None, Query(description="Of a stored expression; the body is then events alone.")] = None,
    ) -> Response:
        """Why events do or do not satisfy an expression: a stored one, or one that comes with them."""
        read = await asking.read(request, asked)
        form, wanted = forms_of(read.call)
        body = await read_body(request, settings.max_line if form is Form.JSON else settings.max_body)
        stored = None if id is None else visible(service, read.call, id)

        def answered() -> Response:
            errands, is_single = _explanations(service, read, body, form, stored)
            return _answer(service, read, errands, is_single, wanted, "explanations", _explanation_columns)

        return await run(answered)

    @routes.post(
        "/check",
        **described(
            (CheckAnswer, ChecksAnswer),
            ChecksBody,
            lines=CheckResult,
            body_lines=ChecksBody,
            arrow=True,
            refuses=(406,),
        ),
    )
    async def check(request: Request, asked: Asked) -> Response:
        """What expressions say, without storing them; a problem with the place where one says nothing."""
        read = await asking.read(request, asked)
        form, wanted = forms_of(read.call)
        body = await read_body(request, settings.max_line if form is Form.JSON else settings.max_body)

        def answered() -> Response:
            errands, is_single = _checks(service, body, form)
            return _answer(service, read, errands, is_single, wanted, "checks", _check_columns)

        return await run(answered)

    return routes


def _explanations(
    service: Service, read: Read, body: bytes, form: Form, stored: StoredExpression | None
) -> tuple[list[Errand], bool]:
    """What explains each event, and whether it was one by itself."""
    if stored is not None:
        tree = service.expressions.index.tree(stored.id)
        if form is Form.ARROW:
            rows = read_table(body, MOST_AT_ONCE).to_pylist()
            return [_explained(service, read, lambda: tree, row) for row in rows], False
        texts, is_single, _ = texts_of(body, form, MOST_AT_ONCE)
        return [_explained(service, read, lambda: tree, text) for text in texts], is_single
    if form is Form.ARROW:
        raise HttpProblem(415, "a table has events only", help="name a stored expression: ?id=", name="media-type")
    if form is Form.LINES:
        return [_of_line(service, read, line) for line in _lines(body)], False
    given = decoded(body, _explain_body)
    has_one = bytes(given.event) != bytes(NONE)
    if has_one == (given.events is not None):
        raise HttpProblem(
            422, "there is neither an event nor several, or both", help='"event" or "events"', name="body"
        )
    texts = [bytes(given.event)] if given.events is None else [bytes(text) for text in given.events]
    _require_few(len(texts))
    return [_explained(service, read, _reader(service, given.expression), text) for text in texts], has_one


def _lines(body: bytes) -> list[bytes]:
    found = [line for line in body.split(b"\n") if line and not line.isspace()]
    _require_few(len(found))
    return found


def _require_few(number: int) -> None:
    if number > MOST_AT_ONCE:
        raise too_large(f"{number:,} at once", MOST_AT_ONCE, "send them in parts")


def _reader(service: Service, form: str | dict[str, Any]) -> Callable[[], Expression]:
    return lambda: read_checked(service.expressions.index, form)[1]


def _of_line(service: Service, read: Read, line: bytes) -> Errand:
    def errand() -> Told:
        given = decoded(line, _explain_body)
        return _explained(service, read, _reader(service, given.expression), bytes(given.event))()

    return errand


def _explained(
    service: Service, read: Read, tree_of: Callable[[], Expression], given: bytes | dict[str, Any]
) -> Errand:
    def errand() -> Told:
        index = service.expressions.index
        guards = service.expressions.guards(read.tenant, read.at)
        brought = event_of(index, given) if isinstance(given, bytes) else _of_row(given, guards)
        event = known_event({**brought, **guards}, index.settings)
        found = explanation_of(tree_of(), event, Given(service.documents, guards["@time"]), index.settings)
        return (found if read.call.tenant is None else found.without_documents()).to_json()

    return errand


def _of_row(row: dict[str, Any], guards: dict[str, Any]) -> dict[str, Any]:
    """The event of a row of a table, in which null is nothing."""
    for name in ("@tenant", *guards):
        if name in row:
            raise says_itself(name)
    return {name: value for name, value in row.items() if value is not None}


def _checks(service: Service, body: bytes, form: Form) -> tuple[list[Errand], bool]:
    """What checks each expression, and whether it was one by itself."""
    if form is Form.ARROW:
        table = read_table(body, MOST_AT_ONCE)
        if _COLUMN not in table.column_names:
            raise HttpProblem(422, f"the table has no column {_COLUMN!r}", help="it has the expressions", name="body")
        return [_check_of(service, text) for text in table.column(_COLUMN).to_pylist()], False
    if form is Form.LINES:
        return [_check_of_line(service, line) for line in _lines(body)], False
    given = decoded(body, _checks_body)
    if (given.expression is None) == (given.expressions is None):
        raise HttpProblem(422, 'there is neither "expression" nor "expressions", or both', name="body")
    if given.expressions is None:
        return [_check_of(service, given.expression)], True
    _require_few(len(given.expressions))
    return [_check_of(service, each) for each in given.expressions], False


def _check_of_line(service: Service, line: bytes) -> Errand:
    return lambda: _check_of(service, decoded(line, _checks_body).expression)()


def _check_of(service: Service, form: str | dict[str, Any] | None) -> Errand:
    def errand() -> Told:
        if not isinstance(form, str | dict):
            raise HttpProblem(422, "there is no expression", help='write {"expression": "x = 1"}', name="body")
        index = service.expressions.index
        _, tree = read_checked(index, form)
        findings = lint([("", tree)], missing=index.missing, schema=index.schema)
        return {
            "canonical": canonical_text(tree),
            "tree": to_json(tree),
            "attributes": sorted(attributes_of(tree)),
            "findings": [finding.to_json() for finding in findings],
        }

    return errand


def _answer(
    service: Service,
    read: Read,
    errands: Sequence[Errand],
    is_single: bool,
    wanted: Form,
    name: str,
    columns_of: Callable[[Sequence[Told]], dict[str, pa.Array]],
) -> Response:
    if is_single and wanted is Form.JSON:
        return json_answer(service, errands[0](), seq=read.seq)
    told = [errands[0]()] if is_single else _all_tried(errands, read.call)
    if wanted is Form.LINES:
        return lines_answer(json_bytes(each) + b"\n" for each in told)
    if wanted is Form.ARROW:
        errors = pa.array([_json_text(each.get("error")) for each in told], pa.string())
        return arrow_answer(pa.table({**columns_of(told), "error": errors}))
    return json_answer(service, {name: told}, seq=read.seq)


def _all_tried(errands: Sequence[Errand], call: Call) -> list[Told]:
    """What each gives; no more of them once their request was given up, so that the worker is free for others."""
    told = []
    for row, errand in enumerate(errands):
        if call.is_late:
            raise too_busy(503, f"the request was given up after {row:,} of {len(errands):,}")
        told.append(_tried(errand, row))
    return told


def _tried(errand: Errand, row: int) -> Told:
    try:
        return errand()
    except EligoError as error:
        if isinstance(error, EventError):
            error.row = row
        return {"error": problem(error)}


def _json_text(value: Any) -> str | None:
    return None if value is None else json_bytes(value).decode()


def _explanation_columns(told: Sequence[Told]) -> dict[str, pa.Array]:
    return {
        "event": pa.array(range(len(told)), pa.int64()),
        "matches": pa.array([each.get("matches") for each in told], pa.bool_()),
        "truth": pa.array([each.get("truth") for each in told], pa.string()),
        "summary": pa.array([each.get("summary") for each in told], pa.string()),
        "tree": pa.array([_json_text(each.get("tree")) for each in told], pa.string()),
    }


def _check_columns(told: Sequence[Told]) -> dict[str, pa.Array]:
    return {
        "canonical": pa.array([each.get("canonical") for each in told], pa.string()),
        "tree": pa.array([_json_text(each.get("tree")) for each in told], pa.string()),
        "attributes": pa.array([each.get("attributes") for each in told], pa.list_(pa.string())),
        "findings": pa.array([_json_text(each.get("findings")) for each in told], pa.string()),
    }
