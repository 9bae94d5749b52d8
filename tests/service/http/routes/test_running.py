"""Does the service say how it is?"""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from eligo.service.http.settings import HttpSettings
from eligo.service.http.watching import decisions
from eligo.service.http.watching.decisions import Decisions, named_only
from eligo.service.http.watching.request_log import JsonFormatter
from served import Served, served


def test_health_and_readiness(asked: Served) -> None:
    assert asked.ask("GET", "/healthz").json["status"] == "alive"
    assert asked.ask("GET", "/readyz").json["status"] == "ready"
    late = asked.ask("GET", "/readyz?min_version=1")
    assert (late.status, late.headers["retry-after"]) == (503, "1")


def test_status_has_what_it_holds(asked: Served) -> None:
    asked.put("a", "x = 1")
    asked.ask("POST", "/documents", {"x": 1})
    status = asked.ask("GET", "/status").json
    assert (status["expressions"], status["documents"], status["seq"], status["is_writable"]) == (1, 1, 2, True)
    assert status["log"]["records"] == 2 and status["resident_bytes"] > 1 << 20


def test_metrics_count_what_was_asked(asked: Served) -> None:
    asked.put("a", "x = 1")
    for _ in range(3):
        asked.match({"x": 1})
    asked.match({"events": [{"x": 1}, {"x": 1}]})
    asked.match(b"no")
    asked.ask("GET", "/nowhere/1")
    asked.match({}, headers={"origin": "https://elsewhere.example"})
    text = asked.ask("GET", "/metrics").body.decode()
    for line in (
        'eligo_requests_total{route="/match",status="200"} 4.0',
        'eligo_requests_total{route="/match",status="422"} 1.0',
        'eligo_requests_total{route="/expressions/{id:path}",status="201"} 1.0',
        'eligo_requests_total{route="none",status="404"} 1.0',
        'eligo_requests_total{route="none",status="403"} 1.0',
        'eligo_request_seconds_count{route="/match"} 5.0',
        "eligo_matches_total 5.0",
        "eligo_expressions 1.0",
        "eligo_seq 1.0",
        "eligo_log_records_total 1.0",
        "eligo_log_append_seconds_count 1.0",
        "eligo_log_fsync_seconds_count 0.0",  # in memory
        "eligo_merge_seconds_count 0.0",
        "eligo_unmerged_expressions",
        "process_resident_memory_bytes",
        "eligo_log_bytes",
    ):
        assert line in text, line


def test_metrics_say_how_far_subscribers_are_behind(asked: Served) -> None:
    asked.ask("PUT", "/subscriptions/slow", {"expression": "x = 1"})
    asked.ask("PUT", "/subscriptions/idle", {"expression": "x = 2"})
    asked.ask("POST", "/publish", {"x": 1})
    found = {
        line.partition(" ")[0]: float(line.partition(" ")[2])
        for line in asked.ask("GET", "/metrics").body.decode().splitlines()
        if line.startswith("eligo_subscription_lag")
    }
    assert found['eligo_subscription_lag{subscription="slow"}'] == 1
    assert found['eligo_subscription_lag{subscription="idle"}'] == 0
    waited = found['eligo_subscription_lag_seconds{subscription="slow"}']
    assert 0 < waited <= asked.ask("GET", "/subscriptions/slow").json["lag"]
    assert found['eligo_subscription_lag_seconds{subscription="idle"}'] == 0


def test_metrics_count_decisions_that_were_not_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Decisions, "_write", lambda self: None)
    monkeypatch.setattr(decisions, "MOST_WAITING", 1)
    with served(HttpSettings(decisions=tmp_path / "decisions.jsonl")) as asked:
        for _ in range(3):
            asked.match({"x": 1})
        assert "eligo_decisions_dropped_total 2.0" in asked.ask("GET", "/metrics").body.decode()


def test_every_answer_has_a_request_id(asked: Served) -> None:
    own = asked.match({}, headers={"x-request-id": "shop-17"})
    assert own.headers["x-request-id"] == "shop-17"
    made = {
        asked.ask("GET", path).headers["x-request-id"] for path in ("/healthz", "/status", "/none", "/expressions/a")
    }
    assert len(made) == 4
    odd = asked.match(b"no", headers={"x-request-id": "a b\t{"})
    assert odd.headers["x-request-id"] != "a b\t{" and odd.json["request_id"] == odd.headers["x-request-id"]


def test_unknown_ways_are_problems(asked: Served) -> None:
    for method, path, status in (("GET", "/match", 405), ("POST", "/none", 404), ("PATCH", "/expressions/a", 405)):
        answer = asked.ask(method, path)
        assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json")


def test_a_bug_is_told_without_its_text(
    asked: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*args: object, **named: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(asked.service.expressions.index, "match_json", fails)
    monkeypatch.setattr(asked.service.expressions, "page", fails)
    for method, path, body in (("POST", "/match", b"{}"), ("GET", "/expressions", None)):
        answer = asked.ask(method, path, body)
        assert answer.status == 500 and b"secret" not in answer.body
        assert answer.headers["content-type"] == "application/problem+json"
    assert "unforeseen" in caplog.text


def test_requests_are_logged_as_json(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "eligo.service.requests"), served(HttpSettings(log_requests=True)) as asked:
        asked.match(b"no", headers={"x-request-id": "shop-18"})
    lines = [
        json.loads(JsonFormatter().format(record)) for record in caplog.records if record.name.endswith("requests")
    ]
    [line] = [line for line in lines if line["request_id"] == "shop-18"]
    assert (line["route"], line["status"], line["method"], line["client"]) == ("/match", 422, "POST", "127.0.0.1")


def test_no_text_begins_a_line_of_the_log() -> None:
    record = logging.LogRecord("eligo", logging.INFO, "", 0, 'a\n{"level": "error"}', None, None)
    assert "\n" not in JsonFormatter().format(record)


def test_decisions_are_written_down_without_what_nobody_names(tmp_path: Path) -> None:
    file = tmp_path / "decisions.jsonl"
    with served(HttpSettings(decisions=file)) as asked:
        asked.put("a", "x = 1 and place.city = 'Rome'")
        asked.match(
            {"x": 1, "name": "Ann", "place": {"city": "Rome", "street": "Via"}}, headers={"x-request-id": "one"}
        )
        asked.match({"events": [{"x": 2, "name": "Bob"}]}, "?tenant=acme")
        asked.match(b'{"x":1}\n{"bad', headers={"content-type": "application/x-ndjson"})
        asked.ask("POST", "/top?n=1", {"x": 1, "name": "Cid", "place": {"city": "Rome"}})
    text = file.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["event"] for line in lines] == [
        {"x": 1, "place.city": "Rome"},
        {"x": 2},
        {"x": 1},
        {"x": 1, "place.city": "Rome"},
    ]
    assert [line["matches"] for line in lines] == [["a"], [], [], ["a"]]
    assert (lines[0]["request_id"], lines[0]["seq"], lines[1]["tenant"]) == ("one", 1, "acme")
    assert not any(name in text for name in ("Ann", "Bob", "Cid", "Via"))


def test_only_named_attributes_stay() -> None:
    event = {"a": 1, "b": {"c": 2, "d": {"e": [3]}}, "f": None}
    assert named_only(event, {"a", "b.d.e"}) == {"a": 1, "b.d.e": [3]}
