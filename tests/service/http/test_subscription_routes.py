"""Can subscriptions be put, read, changed under a condition, listed and deleted, each by its own tenant only?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from delivering_service import running
from eligo.service.http.entrance.tokens import create_token
from eligo.service.http.settings import HttpSettings


def test_a_subscription_is_put_read_changed_and_deleted() -> None:
    with running() as service:
        definition = {"expression": "x > 1", "metadata": {"a": [1]}, "max_pending": 5}
        made = service.ask("PUT", "/subscriptions/a", definition)
        assert made.status == 201
        assert made.headers["etag"] == f'"{made.json["etag"]}"'
        found = service.ask("GET", "/subscriptions/a")
        assert found.headers["etag"] == made.headers["etag"]
        assert found.json | {"seq": 0} == {
            "name": "a",
            "expression": "x > 1",
            "tenant": None,
            "metadata": {"a": [1]},
            "delivery": {"kind": "pull", "ack_wait": 30.0, "max_deliveries": 10, "backoff": 1.0},
            "ranking": None,
            "max_pending": 5,
            "max_bytes": 64 << 20,
            "etag": made.json["etag"],
            "pending": 0,
            "in_flight": 0,
            "dropped": 0,
            "dead": 0,
            "dead_dropped": 0,
            "in_window": 0,
            "outranked": 0,
            "bytes": 0,
            "lag": 0.0,
            "oldest_seq": None,
            "since": made.json["seq"],
            "seq": 0,
            "version": 0,
        }
        service.publish({"x": 2})
        changed = service.ask("PUT", "/subscriptions/a", {"expression": {"a": "b"}}, {"if-match": made.headers["etag"]})
        assert changed.status == 422
        changed = service.ask("PUT", "/subscriptions/a", {"expression": "x > 5"}, {"if-match": made.headers["etag"]})
        assert (changed.status, changed.json["etag"] != made.json["etag"]) == (200, True)
        assert service.status("a")["pending"] == 1  # what waited waits on
        late = service.ask("PUT", "/subscriptions/a", definition, {"if-match": made.headers["etag"]})
        assert (late.status, late.json["type"]) == (412, "/errors#condition")
        assert service.ask("PUT", "/subscriptions/a", definition, {"if-none-match": "*"}).status == 412
        assert service.ask("DELETE", "/subscriptions/a", headers={"if-match": '"other"'}).status == 412
        gone = service.ask("DELETE", "/subscriptions/a", headers={"if-match": changed.headers["etag"]})
        assert (gone.status, gone.json["seq"] > changed.json["seq"]) == (200, True)
        assert service.ask("GET", "/subscriptions/a").status == 404
        assert service.ask("DELETE", "/subscriptions/a").status == 404


def test_subscriptions_are_listed_in_pages() -> None:
    with running() as service:
        for name in ("b1", "a2", "b3", "b2", "a1"):
            service.subscribe(name)
        first = service.ask("GET", "/subscriptions?limit=2").json
        assert ([each["name"] for each in first["subscriptions"]], first["next"]) == (["a1", "a2"], "a2")
        rest = service.ask("GET", "/subscriptions?after=a2").json
        assert ([each["name"] for each in rest["subscriptions"]], rest["next"]) == (["b1", "b2", "b3"], None)
        assert len(service.ask("GET", "/subscriptions?prefix=b").json["subscriptions"]) == 3
        assert service.ask("GET", "/subscriptions?limit=x").status == 422


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ({}, "expression"),
        ({"expression": "x ="}, "expected a value"),
        ({"expression": "x = 1", "odd": 1}, "odd"),
        ({"expression": "x = 1", "tenant": ""}, "a tenant is a text of 1 to 1,000 characters"),
        ({"expression": "x = 1", "tenant": "x" * 1_001}, "a tenant is a text of 1 to 1,000 characters"),
        ({"expression": "x = 1", "max_pending": 0}, "max_pending"),
        ({"expression": "x = 1", "max_bytes": 1}, "max_bytes"),
        ({"expression": "x = 1", "delivery": {"kind": "fax"}}, "fax"),
        ({"expression": "x = 1", "delivery": {"kind": "webhook", "url": "file:///etc/passwd"}}, "webhook"),
        ({"expression": "x = 1", "delivery": {"kind": "webhook", "url": "http://a", "secret": "short"}}, "secret"),
        ({"expression": "x = 1", "ranking": {"best": 0, "window": 1}}, "best"),
    ],
)
def test_what_cannot_be_a_subscription_is_told_why(definition: Any, said: str) -> None:
    with running() as service:
        answer = service.ask("PUT", "/subscriptions/a", definition)
        assert (answer.status, said in answer.body.decode()) == (422, True), answer.body
        if said == "expected a value":
            assert (answer.json["line"], answer.json["column"]) == (1, 4)
        assert service.ask("GET", "/subscriptions").json["subscriptions"] == []
        assert service.ask("PUT", "/subscriptions/a%20b", {"expression": "x = 1"}).status == 422


def test_a_tenant_sees_and_gets_its_own_only(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    acme, other = (
        {"authorization": f"Bearer {create_token(tokens, name, ['read', 'write', 'publish'], tenant=name)}"}
        for name in ("acme", "other")
    )
    reader = {"authorization": f"Bearer {create_token(tokens, 'reader', ['read'])}"}
    with running(settings=HttpSettings(tokens=tokens)) as service:
        assert service.ask("PUT", "/subscriptions/a", {"expression": "x = 1"}, acme).status == 201
        foreign = {"expression": "x = 1", "tenant": "other"}
        assert service.ask("PUT", "/subscriptions/b", foreign, acme).status == 403
        assert service.ask("PUT", "/subscriptions/a", {"expression": "x = 2"}, other).status == 403
        assert service.ask("GET", "/subscriptions/a", headers=other).status == 404
        assert service.ask("DELETE", "/subscriptions/a", headers=other).status == 404
        for path, body in (
            ("pull", {}),
            ("ack", {"seqs": [1]}),
            ("nack", {"seqs": [1]}),
            ("dead/resend", {"seqs": [1]}),
        ):
            assert service.ask("POST", f"/subscriptions/a/{path}", body, other).status == 404
        for path in ("stream", "dead"):
            assert service.ask("GET", f"/subscriptions/a/{path}", headers=other).status == 404
        assert service.ask("GET", "/subscriptions", headers=other).json["subscriptions"] == []
        assert service.ask("POST", "/publish", {"x": 1}, other).json["subscriptions"] == 0
        assert service.ask("POST", "/publish?tenant=acme", {"x": 1}, other).status == 403
        assert service.ask("POST", "/publish", {"x": 1, "@tenant": "acme"}, other).json["subscriptions"] == 0
        assert service.ask("POST", "/publish", {"x": 1}, acme).json["subscriptions"] == 1
        assert service.ask("POST", "/publish", {"x": 1}, reader).status == 403
        assert len(service.ask("POST", "/subscriptions/a/pull", {}, acme).json["messages"]) == 1
        assert service.status("a")["status"] == 401


def test_the_secret_of_a_webhook_stays_with_its_tenant() -> None:
    with running() as service:
        delivery = {"kind": "webhook", "url": "https://hooks.example/"}
        first = service.subscribe("a", "x = 1", tenant="acme", delivery=delivery).json["secret"]
        assert "secret" not in service.subscribe("a", "x = 2", tenant="acme", delivery=delivery).json
        second = service.subscribe("a", "x = 2", tenant="other", delivery=delivery).json["secret"]
        assert second.startswith("whsec_") and second != first
        assert service.subscribe("a", "x = 2", delivery=delivery).json["secret"] not in (first, second)


def test_the_routes_are_described() -> None:
    with running() as service:
        described = service.ask("GET", "/openapi.json").json
        assert {"put", "get", "delete"} <= described["paths"]["/subscriptions/{name}"].keys()
        assert "application/cloudevents+json" in described["paths"]["/publish"]["post"]["requestBody"]["content"]
        stream = described["paths"]["/subscriptions/{name}/stream"]["get"]["responses"]["200"]["content"]
        assert list(stream) == ["text/event-stream"]
        assert "SubscriptionBody" in described["components"]["schemas"]
