"""Does the service keep to what its OpenAPI document says?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from eligo.service.http.app import create_app
from eligo.service.http.settings import HttpSettings
from eligo.service.service import Service
from served import DEADLINE, Served, served


@schemathesis.serializer("application/x-ndjson", "application/vnd.apache.arrow.stream")
def as_bytes(context: object, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def fails_only_as_said(context: object, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """Not now, as when a write is asked for that never was, is an answer; every other 5xx is a failure."""
    assert response.status_code < 500 or (response.status_code == 503 and "retry-after" in response.headers)


JSON = "application/json"
CHECKS = [fails_only_as_said, status_code_conformance, content_type_conformance, response_schema_conformance]

schema = schemathesis.openapi.from_dict(create_app(Service.open(None)).openapi()).exclude(
    path_regex="/stream$|^/page/|^/log"
)


@pytest.fixture(scope="module")
def tried() -> Iterator[Served]:
    with served(HttpSettings(max_wait=0.01, max_seconds=DEADLINE)) as running:
        running.put("known", "x = 1")
        running.ask("POST", "/documents", {"x": 1})
        yield running


@schema.parametrize()
@settings(
    max_examples=15,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_as_described(case: schemathesis.Case, tried: Served) -> None:
    case.call_and_validate(base_url=f"http://127.0.0.1:{tried.port}", checks=CHECKS, timeout=DEADLINE)


def test_every_route_is_described(tried: Served) -> None:
    document = tried.ask("GET", "/openapi.json").json
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    for route in (
        ("PUT", "/expressions/{id}"),
        ("GET", "/expressions/{id}"),
        ("DELETE", "/expressions/{id}"),
        ("GET", "/expressions"),
        ("POST", "/expressions"),
        ("POST", "/match"),
        ("POST", "/top"),
        ("POST", "/count"),
        ("POST", "/explain"),
        ("POST", "/check"),
        ("POST", "/documents"),
        ("GET", "/documents"),
        ("GET", "/documents/{number}"),
        ("DELETE", "/documents/{number}"),
        ("POST", "/documents/find"),
        ("POST", "/publish"),
        ("PUT", "/subscriptions/{name}"),
        ("GET", "/subscriptions/{name}"),
        ("DELETE", "/subscriptions/{name}"),
        ("GET", "/subscriptions"),
        ("GET", "/subscriptions/{name}/stream"),
        ("POST", "/subscriptions/{name}/pull"),
        ("POST", "/subscriptions/{name}/ack"),
        ("POST", "/subscriptions/{name}/nack"),
        ("GET", "/subscriptions/{name}/dead"),
        ("POST", "/subscriptions/{name}/dead/resend"),
        ("GET", "/log"),
        ("GET", "/checkpoint"),
        ("GET", "/checkpoint/files/{sha256}"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/status"),
        ("GET", "/metrics"),
    ):
        assert route in described, route
    for method, path in described:
        fine = document["paths"][path][method.lower()]["responses"]["200"]
        assert path.startswith("/page/") or (fine["content"] and fine["headers"]), (method, path)
    in_bytes = "application/octet-stream"
    for path, form in (("/log", in_bytes), ("/checkpoint/files/{sha256}", in_bytes), ("/checkpoint", JSON)):
        assert set(document["paths"][path]["get"]["responses"]["200"]["content"]) == {form}
    streamed = document["paths"]["/subscriptions/{name}/stream"]["get"]["responses"]["200"]["content"]
    assert set(streamed) == {"text/event-stream"}
    for path in ("/top", "/count", "/explain", "/check"):
        answers = document["paths"][path]["post"]["responses"]["200"]["content"]
        assert set(answers) == {JSON, "application/x-ndjson", "application/vnd.apache.arrow.stream"}, path
    match = document["paths"]["/match"]["post"]
    assert set(match["requestBody"]["content"]) == {
        "application/json",
        "application/x-ndjson",
        "application/vnd.apache.arrow.stream",
    }
    assert {"200", "401", "403", "413", "415", "422", "429", "431", "503"} <= set(match["responses"])
