"""Why does an event satisfy an expression, and what does an expression say?"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from eligo.index.document_questions import Given
from eligo.index.one_event.explanation import explanation_of
from eligo.index.view import known_event
from eligo.language.canonical import canonical_text
from eligo.language.evaluate import attributes_of
from eligo.language.forms.json_form import to_json
from eligo.language.lint.lint import lint
from eligo.service.http.answers import json_answer
from eligo.service.http.asking import Asking, Question, event_of, question
from eligo.service.http.bodies import decoded, read_body
from eligo.service.http.description import described
from eligo.service.http.expression_check import read_checked
from eligo.service.http.forms import Form, given_form
from eligo.service.http.messages import CheckAnswer, CheckBody, ExplainBody
from eligo.service.http.routes.expressions import visible

_explain_body = msgspec.json.Decoder(ExplainBody)
_check_body = msgspec.json.Decoder(CheckBody)

Asked = Annotated[Question, Depends(question)]


def router(asking: Asking) -> APIRouter:
    """The routes that explain."""
    routes = APIRouter(tags=["explaining"])
    service, run = asking.service, asking.workers.run

    @routes.post("/explain", **described(dict, ExplainBody, event_too=True, refuses=(404,)))
    async def explain(
        request: Request,
        asked: Asked,
        id: Annotated[str | None, Query(description="Of a stored expression; the body is then an event.")] = None,
    ) -> Response:
        """Why an event does or does not satisfy an expression: a stored one, or one that comes with it."""
        read = await asking.read(request, asked)
        given_form(read.call.content_type, Form.JSON)
        body = await read_body(request, asking.settings.max_line)
        index = service.expressions.index
        if id is None:
            given = decoded(body, _explain_body)
            text = bytes(given.event)
        else:
            stored, text = visible(service, read.call, id), body

        def explained() -> dict[str, Any]:
            guards = service.expressions.guards(read.tenant, read.at)
            event = known_event({**event_of(index, text), **guards}, index.settings)
            tree = read_checked(index, given.expression)[1] if id is None else index.tree(stored.id)
            asked_of = Given(service.documents, guards["@time"])
            found = explanation_of(tree, event, asked_of, index.settings)
            return (found if read.call.tenant is None else found.without_documents()).to_json()

        return json_answer(service, await run(explained), seq=read.seq)

    @routes.post("/check", **described(CheckAnswer, CheckBody))
    async def check(request: Request, asked: Asked) -> Response:
        """What an expression says, without storing it; a problem with the place where it says nothing."""
        read = await asking.read(request, asked)
        given_form(read.call.content_type, Form.JSON)
        body = decoded(await read_body(request, asking.settings.max_line), _check_body)
        index = service.expressions.index

        def checked() -> dict[str, Any]:
            _, tree = read_checked(index, body.expression)
            findings = lint([("", tree)], missing=index.missing, schema=index.schema)
            return {
                "canonical": canonical_text(tree),
                "tree": to_json(tree),
                "attributes": sorted(attributes_of(tree)),
                "findings": [finding.to_json() for finding in findings],
            }

        return json_answer(service, await run(checked), seq=read.seq)

    return routes
