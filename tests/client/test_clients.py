"""Do both clients say and hear what a real service hears and says?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

import eligo
from eligo.errors import EligoError, EventError, ExpressionSyntaxError, UnknownIdError
from served import Served


@pytest.fixture
def client(asked: Served) -> Iterator[eligo.Client]:
    with eligo.Client(f"http://127.0.0.1:{asked.port}", timeout=120) as made:
        yield made


def test_what_was_inserted_is_matched_at_once(client: eligo.Client) -> None:
    written = client.insert("adults", "age > 18", metadata={"owner": "me"})
    assert written.seq == client.seq == 1
    assert client.match({"age": 30}) == ["adults"]
    assert client.match_json('{"age": 10}') == []
    assert client.text("adults") == "age > 18"
    assert client.get("adults").metadata == {"owner": "me"}


def test_an_id_that_is_there_is_not_inserted(client: eligo.Client) -> None:
    client.insert("a", "x = 1")
    with pytest.raises(EligoError, match="already"):
        client.insert("a", "x = 2")
    client.replace("a", "x = 2")
    assert client.match({"x": 2}) == ["a"]


def test_a_change_on_condition_is_refused_when_another_came_first(client: eligo.Client) -> None:
    before = client.replace("a", "x = 1").etag
    client.replace("a", "x = 2")
    with pytest.raises(EligoError):
        client.replace("a", "x = 3", if_match=before)
    assert client.text("a") == "x = 2"
    client.replace("a", "x = 3", if_match=client.get("a").etag)
    assert client.text("a") == "x = 3"


def test_an_expression_that_is_wrong_says_where(client: eligo.Client) -> None:
    with pytest.raises(ExpressionSyntaxError) as raised:
        client.replace("a", "state =")
    assert raised.value.position is not None
    assert (raised.value.position.line, raised.value.position.column) == (1, 8)
    with pytest.raises(ExpressionSyntaxError):
        client.check("state =")
    assert client.check("x  =  1")["canonical"] == "x = 1"


def test_what_is_not_there_is_named(client: eligo.Client) -> None:
    for ask in (client.get, client.delete):
        with pytest.raises(UnknownIdError, match="nobody"):
            ask("nobody")


LONG = "x = 1 and " * 40


@pytest.mark.parametrize(
    "text", ["x =", "x = 1 and\ny = 2 and\n  z >", f"{LONG}\n{LONG}y = ) or {LONG}x = 1", "\tä = 'ü' und"]
)
def test_the_place_in_an_expression_is_shown_as_the_library_shows_it(client: eligo.Client, text: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as expected:
        eligo.parse(text)
    for ask in (lambda: client.insert("a", text), lambda: client.check(text), lambda: client.subscribe("a", text)):
        with pytest.raises(ExpressionSyntaxError) as caught:
            ask()
        lines, wanted = str(caught.value).splitlines(), str(expected.value).splitlines()
        assert lines[:2] == wanted[:2] and lines[4:] == wanted[4:]
        # A line that was cut at both ends is cut a little elsewhere; the caret stands under the same character.
        assert lines[2][lines[3].index("^") :][:1] == wanted[2][wanted[3].index("^") :][:1]
        if len(text) < 100:
            assert lines == wanted


def test_many_changes_have_an_answer_each(client: eligo.Client) -> None:
    bulk = client.change({"a": "x = 1", "b": "x =", "c/d": {"expression": "x = 2", "metadata": {"n": 1}}})
    assert [row.id for row in bulk.rows] == ["a", "b", "c/d"]
    assert [row.id for row in bulk.rejects] == ["b"]
    assert client.match({"x": [1, 2]}) == ["a", "c/d"]
    assert client.change(deletes=["a"]).rejects == []
    assert client.match({"x": [1, 2]}) == ["c/d"]


def test_batches_come_as_they_were_sent(client: eligo.Client) -> None:
    client.change({"one": "x = 1", "more": "x > 1"})
    assert client.match_batch([{"x": 1}, {"x": 5}, {}]) == [["one"], ["more"], []]
    found = client.match_batch(pa.table({"x": [1, 5]}))
    assert found.to_pydict() == {"event": [0, 1], "expression_id": ["one", "more"]}
    with pytest.raises(EventError, match="event 1"):
        client.match_batch([{"x": 1}, b"{"])


def test_the_best_are_ranked(client: eligo.Client) -> None:
    client.change({"low": "x in (1^2, 2)", "high": "x in (1^5, 2)"})
    assert client.top({"x": 1}, 1) == [("high", 5.0)]
    assert client.top({"x": 1}, weights={"x": 2.0}) == [("high", 10.0), ("low", 4.0)]


def test_matches_are_counted(client: eligo.Client) -> None:
    client.change({"one": "x = 1", "never": "x = 9"})
    assert client.count_batch([{"x": 1}, {"x": 1}, {"x": 2}]) == {"one": 2}
    assert client.count_batch(pa.table({"x": [1, 2, 1]})) == {"one": 2}


def test_many_are_ranked_explained_or_checked_at_once(client: eligo.Client) -> None:
    client.change({"low": "x in (1^2, 2)", "high": "x in (1^5, 2)"})
    assert client.top_batch([{"x": 1}, {}], 1) == [[("high", 5.0)], []]
    table = pa.table({"x": [1, 7]})
    assert client.top_batch(table, 1).to_pydict() == {"event": [0], "expression_id": ["high"], "score": [5.0]}
    for events in ([{"x": 1}, {"x": 7}], table):
        assert [each["matches"] for each in client.explanations("low", events)] == [True, False]
    good, bad = client.check_batch(["x = 1", "x ="])
    assert good["attributes"] == ["x"] and bad["error"]["column"] == 4
    with pytest.raises(EventError, match="event 1"):
        client.top_batch([{"x": 1}, b"{"])


def test_an_event_may_have_an_attribute_that_is_called_events(client: eligo.Client) -> None:
    client.insert("hobby", "events = 'golf'")
    for event in ({"events": ["golf"]}, {"events": "golf", "x": 1}):
        assert client.match(event) == ["hobby"]
        assert client.top(event) == [("hobby", 1.0)]
        assert client.match_batch([event]) == [["hobby"]]


def test_an_answer_is_explained(client: eligo.Client) -> None:
    client.insert("a", "x = 1 and y = 2")
    assert client.explanation("a", {"x": 1, "y": 3})["matches"] is False


def test_tenants_and_validity_hold(client: eligo.Client) -> None:
    soon = datetime.now(UTC) + timedelta(hours=1)
    client.replace("mine", "x = 1", tenant="acme")
    client.replace("later", "x = 1", valid_from=soon)
    assert client.match({"x": 1}) == []
    assert client.match({"x": 1}, tenant="acme") == ["mine"]
    assert client.match({"x": 1}, at=soon + timedelta(minutes=1)) == ["later"]


def test_documents_are_kept_and_found(client: eligo.Client) -> None:
    assert client.add_documents([{"price": 10}, {"price": 30}]) == [0, 1]
    assert client.document(1).document in ({"price": 30}, {"price": [30]})
    assert client.find_documents("price > 20").numbers == [1]


def test_what_is_published_is_pulled_and_acknowledged(client: eligo.Client) -> None:
    client.subscribe("cheap", "price < 20", delivery={"kind": "pull", "ack_wait": 30})
    published = client.publish({"price": 10}, id="1")
    assert (published.subscriptions, published.duplicate) == (1, False)
    assert client.publish({"price": 10}, id="1").duplicate
    client.publish({"price": 50})
    pulled = client.pull("cheap", wait=5)
    assert [message.document for message in pulled.messages] == [{"price": 10}]
    client.ack("cheap", pulled.messages)
    assert client.pull("cheap").messages == []
    assert client.subscription("cheap")["name"] == "cheap"
    client.unsubscribe("cheap")


def test_messages_are_acknowledged_one_by_one(client: eligo.Client) -> None:
    client.subscribe("all", "price > 0")
    for price in (1, 2, 3):
        client.publish({"price": price})
    stream = client.messages("all", wait=5)
    assert [next(stream).document["price"] for _ in range(3)] == [1, 2, 3]


def test_the_other_client_is_awaited(asked: Served) -> None:
    async def ask() -> list[object]:
        async with eligo.AsyncClient(f"http://127.0.0.1:{asked.port}", timeout=120) as client:
            await client.insert("adults", "age > 18")
            found: list[object] = [await client.match({"age": 30}), await client.text("adults")]
            await client.subscribe("all", "age exists")
            await client.publish({"age": 1})
            async for message in client.messages("all", wait=5):
                found.append(message.document)
                break
            with pytest.raises(UnknownIdError):
                await client.get("nobody")
            return [*found, (await client.status())["seq"] >= 3]

    assert asyncio.run(ask()) == [["adults"], "age > 18", {"age": 1}, True]
