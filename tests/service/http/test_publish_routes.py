"""Can documents be published as JSON and as CloudEvents, once each, and does what is wrong say so?"""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from delivering_service import Running, running

CONTEXT = {"specversion": "1.0", "id": "7", "source": "/shop", "type": "offer"}
STRUCTURED = {"content-type": "application/cloudevents+json; charset=utf-8"}
BATCH = {"content-type": "application/cloudevents-batch+json"}


def test_a_plain_document_is_matched_kept_and_delivered() -> None:
    with running() as service:
        service.subscribe("cheap", "price < 10")
        service.subscribe("dear", "price > 10")
        answer = service.publish({"price": 5})
        assert (answer["document"], answer["subscriptions"], answer["duplicate"]) == (0, 1, False)
        assert answer["version"] == 0
        [message] = service.pull("cheap")
        assert (message["seq"], message["document"]) == (answer["seq"], {"price": 5})
        assert "envelope" not in message
        assert service.pull("dear") == []
        assert service.publish({"price": 5})["duplicate"] is False  # without an id it is another one


def test_a_structured_cloud_event_is_published_once() -> None:
    with running() as service:
        service.subscribe("offers", "ce.type = 'offer' and ce.source starts with '/sh' and price < 10")
        event = {**CONTEXT, "subject": "a", "time": "2026-01-31T10:00:00Z", "count": 3, "data": {"price": 5}}
        first = service.ask("POST", "/publish", event, STRUCTURED)
        assert (first.status, first.json["subscriptions"]) == (200, 1)
        again = service.ask("POST", "/publish", {**event, "data": {"price": 6}}, STRUCTURED).json
        assert again == {**first.json, "duplicate": True}
        [message] = service.pull("offers")
        assert message["document"] == {"price": 5}
        assert message["envelope"] == {name: value for name, value in event.items() if name != "data"}
        other = service.ask("POST", "/publish", {**event, "source": "/shelf"}, STRUCTURED).json
        assert other["duplicate"] is False


def test_a_binary_cloud_event_has_its_context_in_headers() -> None:
    with running() as service:
        service.subscribe("offers", "ce.type = 'offer' and ce.subject = 'Zürich'")
        headers = {f"ce-{name}": value for name, value in CONTEXT.items()} | {"ce-subject": "Z%C3%BCrich"}
        answer = service.publish({"price": 5}, headers)
        assert answer["subscriptions"] == 1
        assert service.publish({"price": 5}, headers)["duplicate"] is True
        [message] = service.pull("offers")
        assert message["envelope"] == {**CONTEXT, "subject": "Zürich", "datacontenttype": "application/json"}


def test_data_in_base64_is_a_document_too() -> None:
    with running() as service:
        data = base64.b64encode(b'{"price": 5}').decode()
        service.subscribe("cheap", "price < 10")
        event = {**CONTEXT, "data_base64": data}
        assert service.ask("POST", "/publish", event, STRUCTURED).json["subscriptions"] == 1


def test_a_batch_is_answered_event_by_event() -> None:
    with running() as service:
        service.subscribe("cheap", "price < 10")
        events = [{**CONTEXT, "id": str(number), "data": {"price": number * 6}} for number in range(3)]
        bad = {**CONTEXT, "type": "", "data": {}}
        answer = service.ask("POST", "/publish", [events[0], bad, *events[1:], events[0]], BATCH)
        results = answer.json["results"]
        assert [result.get("subscriptions", 0) for result in results] == [1, 0, 1, 0, 1]
        assert results[1]["error"]["status"] == 422
        assert "type" in results[1]["error"]["detail"]
        assert results[4]["duplicate"] is True
        assert [message["document"]["price"] for message in service.pull("cheap")] == [0, 6]
        assert service.ask("POST", "/publish", [], BATCH).json["results"] == []


@pytest.mark.parametrize("odd", [b'"odd": 1e400, "data": {}', b'"data_base64": -1e999'])
def test_a_number_that_cannot_be_read_loses_its_own_event_alone(odd: bytes) -> None:
    with running() as service:
        service.subscribe("all", "price exists")
        good = json.dumps({**CONTEXT, "data": {"price": 1}}).encode()
        bad = b'{"specversion": "1.0", "id": "8", "source": "/shop", "type": "t", %b}' % odd
        answer = service.ask("POST", "/publish", b"[%b, %b]" % (good, bad), BATCH)
        assert answer.status == 200, answer.body
        results = answer.json["results"]
        assert (results[0]["subscriptions"], results[1]["error"]["status"]) == (1, 422)
        assert len(service.pull("all")) == 1
        assert refused(service, bad, STRUCTURED)["status"] == 422


def refused(service: Running, body: Any, headers: dict[str, str] | None = None) -> Any:
    answer = service.ask("POST", "/publish", body, headers)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["status"] == answer.status
    return answer.json


@pytest.mark.parametrize(
    ("body", "headers", "status", "said"),
    [
        (b"[1]", None, 422, "JSON object"),
        (b"{", None, 400, "not JSON"),
        (b'{"x": NaN}', None, 400, "not JSON"),
        (b'{"x": 1, "x": 2}', None, 422, "'x'"),
        (b'\xff{"x": 1}', None, 400, "not JSON"),
        (b'{"x": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", None, 422, "deep"),
        (b'{"x": "' + b"x" * (1 << 20) + b'"}', None, 413, "at most"),
        (b"<x/>", {"content-type": "text/xml"}, 415, "text/xml"),
        ({**CONTEXT, "id": ""}, STRUCTURED, 422, "id"),
        ({name: value for name, value in CONTEXT.items() if name != "source"}, STRUCTURED, 422, "source"),
        ({**CONTEXT, "specversion": "0.3", "data": {}}, STRUCTURED, 422, "0.3"),
        ({**CONTEXT, "data": 5}, STRUCTURED, 422, "JSON object"),
        (CONTEXT, STRUCTURED, 422, "JSON object"),
        ({**CONTEXT, "time": "soon", "data": {}}, STRUCTURED, 422, "no moment"),
        ({**CONTEXT, "Upper": "x", "data": {}}, STRUCTURED, 422, "Upper"),
        ({**CONTEXT, "extra": {"a": 1}, "data": {}}, STRUCTURED, 422, "extra"),
        ({**CONTEXT, "data": {}, "data_base64": "e30="}, STRUCTURED, 422, "both"),
        ({**CONTEXT, "data_base64": "?"}, STRUCTURED, 422, "base64"),
        ({**CONTEXT, "datacontenttype": "text/xml", "data": {}}, STRUCTURED, 422, "text/xml"),
        ({"price": 1}, {"ce-id": "7"}, 422, "source"),
    ],
)
def test_what_cannot_be_published_is_refused(body: Any, headers: Any, status: int, said: str) -> None:
    with running() as service:
        service.subscribe("all", "x exists or x is missing")
        found = refused(service, body, headers)
        assert (found["status"], said in json.dumps(found)) == (status, True), found
        assert service.pull("all") == []


def test_a_value_that_no_event_can_have_is_refused_where_it_is_applied() -> None:
    with running() as service:
        service.subscribe("all", "x exists")
        assert refused(service, {"x": 2**70})["status"] == 422
        assert service.publish({"x": 1})["subscriptions"] == 1
