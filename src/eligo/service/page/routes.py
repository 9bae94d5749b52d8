"""What does the page ask of a service, beside what all clients ask? Its files, and questions of its own.

    GET  /                           the page
    GET  /page/assets/{digest}/…     its files
    POST /page/explain               a draft with a sample: verdicts, nodes with counts, and what would change
    GET  /page/vocabulary            what can be written next
    POST /page/sample                which expressions match a sample most, and which never
    GET  /page/documents             the newest documents, as lines
    GET  /page/activity              counters, and latencies second by second
    GET  /page/ranked                what matched most since the start, and what never

The page and its files are open to all and hold no data; the questions are reads. What computes waits for its turn, and
bodies are bounded: a draft and its sample, and no more.
"""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Query, Request, Response

from eligo.errors import UnknownIdError, shown
from eligo.index.document_questions import Given
from eligo.language.canonical import canonical_text
from eligo.language.text.parse import parse
from eligo.service.http.asking import Asking
from eligo.service.http.bodies import decoded, read_body
from eligo.service.http.call import allowed_tenant, call_of, require_no_tenant
from eligo.service.page import assets, completion
from eligo.service.page.activity import SECONDS, activity_of
from eligo.service.page.counted_nodes import MOST_NODES, node_rows
from eligo.service.page.newest_documents import MOST_DOCUMENTS, newest_lines
from eligo.service.page.ranked_expressions import in_sample, since_start
from eligo.service.page.sample import read_sample
from eligo.service.page.tried_draft import changes, read_draft, tried
from eligo.service.page.turns import Turns
from eligo.service.records import ExpressionId
from eligo.service.service import Service
from eligo.service.state.expressions import StoredExpression

MOST_BODY = 16 << 20
"""Bytes of a draft with its sample, also where JSON escapes every character."""


class SampleBody(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Events, each as the text of a JSON object."""

    events: list[str] = []
    tenant: str | None = None


class DraftBody(SampleBody, kw_only=True):
    """A draft, and what it is to be tried with."""

    expression: str
    chosen: Annotated[int, msgspec.Meta(ge=0)] | None = None
    """The event of which reasons are wanted, from 0."""
    id: ExpressionId | None = None
    """The live expression that the draft is compared with."""


_sample_body = msgspec.json.Decoder(SampleBody)
_draft_body = msgspec.json.Decoder(DraftBody)


def _taking(body: type[SampleBody]) -> dict[str, Any]:
    """What FastAPI is told of a route that reads its body itself."""
    _, schemas = msgspec.json.schema_components([body])
    content = {"application/json": {"schema": schemas[body.__name__]}}
    return {"openapi_extra": {"requestBody": {"required": True, "content": content}}}


def router(asking: Asking) -> APIRouter:
    """The routes of the page."""
    routes = APIRouter(tags=["page"])
    _serve_files(routes)
    turns = Turns(asking.workers, asking.settings.num_workers)
    _ask_of_drafts(routes, asking, turns)
    _ask_of_service(routes, asking.service, turns)
    return routes


def _ask_of_drafts(routes: APIRouter, asking: Asking, turns: Turns) -> None:
    """Add what is asked while someone writes."""
    service, most = asking.service, min(MOST_BODY, asking.settings.max_body)

    @routes.post("/page/explain", **_taking(DraftBody))
    async def explain(request: Request) -> Response:
        """Try a draft with a sample: verdicts, how many events pass each node, what would change if it were live."""
        body = decoded(await read_body(request, most), _draft_body)
        return _json(await turns.computed(request, _tried_draft, service, body, Caller(service, request)))

    @routes.get("/page/vocabulary")
    async def vocabulary(
        request: Request,
        attribute: Annotated[str | None, Query(max_length=1_000)] = None,
        prefix: Annotated[str, Query(max_length=1_000)] = "",
    ) -> Response:
        """Attributes that expressions name; of one attribute, the values that they compare it with."""
        caller = Caller(service, request)
        return _json(await asking.workers.run(_vocabulary, service, attribute, prefix, caller))

    @routes.post("/page/sample", **_taking(SampleBody))
    async def sample(request: Request) -> Response:
        """Which expressions match the events of a sample most, and which match none."""
        body, caller = decoded(await read_body(request, most), _sample_body), Caller(service, request)

        def ranked() -> dict[str, Any]:
            events = read_sample(body.events, service.expressions.index)
            return in_sample(service, events, caller.tenant(body.tenant), caller.may_see, caller.sees_all)

        return _json(await turns.computed(request, ranked))


def _ask_of_service(routes: APIRouter, service: Service, turns: Turns) -> None:
    """Add what is asked to see how a service is."""

    @routes.get("/page/documents")
    async def documents(request: Request, limit: Annotated[int, Query(ge=1, le=MOST_DOCUMENTS)] = 20) -> Response:
        """The newest documents of the base, each as the text of a JSON object."""
        require_no_tenant(call_of(request).tenant)
        return _json(await turns.computed(request, lambda: {"lines": newest_lines(service.documents, limit)}))

    @routes.get("/page/activity")
    async def activity(seconds: Annotated[int, Query(ge=1, le=SECONDS - 1)] = 300) -> Response:
        """Counters, and the last seconds; asked for again and again by every page that is open."""
        seen = activity_of(service)
        return _json(
            {
                "seq": service.seq,
                "version": service.version,
                "expressions": len(service.expressions),
                "documents": len(service.documents),
                "started": seen.started,
                "events": seen.events,
                "matches": seen.matches,
                "seconds": seen.last_seconds(seconds)._asdict(),
            }
        )

    @routes.get("/page/ranked")
    async def ranked(request: Request) -> Response:
        """Which expressions matched most since the start, and which none."""
        caller, seen = Caller(service, request), activity_of(service)
        return _json(await turns.computed(request, since_start, service, seen, caller.may_see, caller.sees_all))


def _serve_files(routes: APIRouter) -> None:
    """Add the page and its files."""

    @routes.get("/", include_in_schema=False)
    def page(request: Request) -> Response:
        return _file(request, assets.front(), "no-cache")

    @routes.get("/page/assets/{digest}/{name:path}", include_in_schema=False)
    def asset(request: Request, digest: str, name: str) -> Response:
        found = assets.assets().get(name) if digest == assets.digest() else None
        if found is None:
            return Response("the page has changed: load it again\n", 404, assets.SAFE, "text/plain")
        return _file(request, found, assets.KEPT)


class Caller:
    """Who asks, and what they may see: with a token of a tenant what is that tenant's, and what is everybody's."""

    def __init__(self, service: Service, request: Request) -> None:
        self._service = service
        self._tenant: str | None = getattr(request.state, "tenant", None)

    @property
    def sees_all(self) -> bool:
        return self._tenant is None

    def tenant(self, named: str | None) -> str | None:
        """The tenant of a question that names one, or none."""
        return allowed_tenant(self._tenant, named)

    def may_see(self, id: ExpressionId) -> bool:
        try:
            return self.sees_all or self._service.expressions.get(id).tenant in (None, self._tenant)
        except UnknownIdError:
            return False

    def live(self, id: ExpressionId) -> StoredExpression:
        """The expression of an id."""
        expressions = self._service.expressions
        known = expressions.known_id(id)
        if not self.may_see(known):
            raise UnknownIdError(f"there is no expression {shown(id)}")
        return expressions.get(known)


def _file(request: Request, asset: assets.Asset, cached: str) -> Response:
    headers = {**assets.SAFE, "Cache-Control": cached, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if request.headers.get("if-none-match") == asset.etag:
        return Response(None, 304, headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.gzipped, 200, {**headers, "Content-Encoding": "gzip"}, asset.media_type)
    return Response(asset.content, 200, headers, asset.media_type)


def _json(answer: dict[str, Any]) -> Response:
    return Response(msgspec.json.encode(answer), 200, {"Cache-Control": "no-store"}, "application/json")


def _tried_draft(service: Service, body: DraftBody, caller: Caller) -> dict[str, Any]:
    index = service.expressions.index
    source = read_draft(body.expression, index.settings)
    stored = caller.live(body.id) if body.id is not None else None
    live_tree = parse(stored.expression, limits=index.limits) if stored is not None else None
    sample = read_sample(body.events, index, [source.tree, *([live_tree] if live_tree is not None else [])])
    given = Given(service.documents.snapshot())
    verdicts = tried(source.tree, sample, given, index.settings, sees_documents=caller.sees_all)
    nodes = list(node_rows(source, verdicts, body.chosen))
    answer: dict[str, Any] = {
        "seq": service.seq,
        "version": service.version,
        "canonical": canonical_text(source.tree),
        "verdicts": [verdict.to_json() for verdict in verdicts],
        "nodes": nodes,
        "num_nodes": len(source.spans),
        "most_nodes": MOST_NODES,
    }
    if stored is not None and live_tree is not None:
        before = tried(live_tree, sample, given, index.settings, sees_documents=caller.sees_all)
        answer["live"] = {
            "id": stored.id,
            "expression": stored.expression,
            "etag": stored.etag,
            "is_same": live_tree == source.tree,
            "verdicts": [verdict.to_json() for verdict in before],
            "changes": changes(before, verdicts),
        }
    return answer


def _vocabulary(service: Service, attribute: str | None, prefix: str, caller: Caller) -> dict[str, Any]:
    index = service.expressions.index
    if caller.sees_all:
        if attribute is None:
            return {"attributes": completion.attributes(index, prefix)}
        return {"values": completion.values(index, attribute, prefix)}
    seen = (each for each in service.expressions if each.tenant in (None, caller.tenant(None)))
    trees = [parse(each.expression, limits=index.limits) for each in islice(seen, completion.MOST_TREES)]
    if attribute is None:
        return {"attributes": completion.attributes_of_trees(trees, prefix)}
    return {"values": completion.values_of_trees(trees, attribute, prefix)}
