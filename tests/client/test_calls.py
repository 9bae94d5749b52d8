from __future__ import annotations

import inspect
from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pytest

import eligo
from eligo.client import calls
from eligo.client.arrow_tables import from_stream
from eligo.client.async_client import AsyncClient
from eligo.client.calls import Received
from eligo.client.client import Client
from eligo.client.problems import error_of
from eligo.client.sending import Settings, pause_after, request_of
from eligo.errors import ExpressionSyntaxError, InputError, ServiceError, UnknownIdError

VERBS = sorted(name for name in vars(Client) if not name.startswith("_") and name != "close")


def test_both_clients_have_the_same_verbs() -> None:
    assert sorted(name for name in vars(AsyncClient) if not name.startswith("_") and name != "close") == VERBS


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_takes_the_same_of_both_clients(verb: str) -> None:
    ours, theirs = inspect.signature(getattr(Client, verb)), inspect.signature(getattr(AsyncClient, verb))
    assert list(ours.parameters.values()) == list(theirs.parameters.values())


@pytest.mark.parametrize("verb", ["match", "match_json", "match_batch", "top", "insert", "replace", "delete", "text"])
def test_verbs_of_an_index_begin_as_they_do_there(verb: str) -> None:
    of_client = list(inspect.signature(getattr(Client, verb)).parameters)
    of_index = list(inspect.signature(getattr(eligo.Index, verb)).parameters)
    assert of_client[:2] == of_index[:2]


def test_an_event_is_sent_as_json_with_what_python_has() -> None:
    event = {"age": np.int64(30), "born": date(2000, 1, 2), "tags": {"a"}, "at": datetime(2026, 1, 1, tzinfo=UTC)}
    sent = calls.match(event, tenant="acme").content
    assert sent == b'{"age":30,"born":"2000-01-02","tags":["a"],"at":"2026-01-01T00:00:00Z"}'


def test_what_is_no_json_is_refused_before_it_is_sent() -> None:
    with pytest.raises(InputError, match="cannot be sent as JSON"):
        calls.match({"age": object()})


def test_an_id_may_have_any_character() -> None:
    assert calls.get_expression("a/b ?é").path == "/expressions/a%2Fb%20%3F%C3%A9"


def test_the_builder_is_sent_as_its_canonical_text() -> None:
    assert calls.check(eligo.col("age") > 18).content == b'{"expression":"age > 18"}'


def test_a_condition_is_a_header() -> None:
    assert calls.put_expression("a", "x = 1", if_absent=True).headers["if-none-match"] == "*"
    assert calls.put_expression("a", "x = 1", if_match="12ab").headers["if-match"] == '"12ab"'
    assert not calls.put_expression("a", "x = 1", if_match="12ab").is_repeatable
    assert calls.put_expression("a", "x = 1").is_repeatable


def test_a_table_is_sent_as_an_arrow_stream() -> None:
    table = pa.table({"age": [1, 2]})
    call = calls.match_batch(table)
    assert from_stream(call.content) == table
    assert call.headers["accept"] == "application/vnd.apache.arrow.stream"


def test_a_question_names_the_last_change_that_was_acknowledged() -> None:
    assert request_of(calls.match({}), 7)["params"] == {"min_seq": 7}
    assert request_of(calls.match({}), 0)["params"] == {}
    assert request_of(calls.delete_expression("a"), 7)["params"] == {}


def test_a_refusal_is_the_error_of_the_library() -> None:
    problem = b'{"type":"/errors#expression-syntax","detail":"expected a value","line":1,"column":9,"help":"write one"}'
    error = error_of(422, {}, problem)
    assert isinstance(error, ExpressionSyntaxError)
    assert error.position is not None and error.position.column == 9
    assert error.help == "write one"
    assert isinstance(error_of(404, {}, b'{"type":"/errors#unknown-id","detail":"there is none"}'), UnknownIdError)


@pytest.mark.parametrize("content", [b"", b"<html>", b"[1]", b'{"type":"/errors#made-up"}', b'{"type":"#eligo"}'])
def test_any_other_refusal_is_an_error_of_the_service(content: bytes) -> None:
    error = error_of(502, {"retry-after": "3"}, content)
    assert isinstance(error, eligo.EligoError)
    assert not content.startswith(b'{"type":"/') or isinstance(error, ServiceError)


def test_a_busy_service_says_when_to_come_back() -> None:
    settings, ask = Settings("http://here", None, 1.0, retries=2), calls.match({})
    busy = Received(503, {"retry-after": "2"}, b"{}")
    assert pause_after(ask, busy, 0, settings) == 2.0
    assert pause_after(ask, busy, 2, settings) is None
    assert pause_after(ask, Received(422, {}, b"{}"), 0, settings) is None
    assert pause_after(ask, Received(429, {}, b"{}"), 0, settings) is not None


def test_what_the_service_was_late_with_is_asked_again_only_where_it_may_come_twice() -> None:
    settings = Settings("http://here", None, 1.0, retries=2)
    late = Received(503, {"retry-after": "1"}, b'{"type": "/errors#late"}')
    busy = Received(503, {"retry-after": "1"}, b'{"type": "/errors#busy"}')
    for once in (calls.publish({"x": 1}), calls.put_expression("a", "x = 1", if_absent=True)):
        assert (pause_after(once, late, 0, settings), pause_after(once, busy, 0, settings)) == (None, 1.0)
    for often in (calls.publish({"x": 1}, id="7"), calls.match({}), calls.put_expression("a", "x = 1")):
        assert pause_after(often, late, 0, settings) == 1.0


def test_a_service_that_is_not_there_is_named() -> None:
    with (
        eligo.Client("http://127.0.0.1:9", timeout=0.5, retries=1) as client,
        pytest.raises(ServiceError, match="did not answer"),
    ):
        client.match({})
