"""Does every question take one event or many, in every form, and is it answered in the form that is accepted?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from eligo.service.records import PutExpression
from eligo.service.service import Service
from served import Answer, Served, served

JSON, LINES, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"
EVENTS = [{"age": 20, "state": "CA"}, {"age": 3}, {"state": "CA"}]
ROWS = pa.table({"age": [20, 3, None], "state": ["CA", None, "CA"]})


@pytest.fixture(scope="module")
def shop() -> Iterator[Served]:
    service = Service.open(None)
    service.write(PutExpression(id="adult", expression="age >= 18", metadata=msgspec.Raw(b'{"n":1}')))
    service.write(PutExpression(id="west", expression="state in ('CA'^3, 'OR'^2)"))
    with served(service=service) as running:
        yield running


def stream_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


BODIES = {
    JSON: json.dumps({"events": EVENTS}).encode(),
    LINES: b"\n".join(json.dumps(event).encode() for event in EVENTS),
    ARROW: stream_of(ROWS),
}


def asked(shop: Served, path: str, given: str, wanted: str) -> Any:
    return read(shop.ask("POST", path, BODIES[given], {"content-type": given, "accept": wanted}), wanted)


def read(answer: Answer, wanted: str) -> Any:
    assert answer.status == 200, answer.body
    assert answer.headers["content-type"].partition(";")[0] == wanted
    if wanted == ARROW:
        return pa.ipc.open_stream(answer.body).read_all().to_pydict()
    return answer.lines if wanted == LINES else answer.json


@pytest.mark.parametrize("given", BODIES)
def test_the_best_in_every_form(shop: Served, given: str) -> None:
    expected = [
        [{"id": "west", "score": 3.0}, {"id": "adult", "score": 1.0}],
        [],
        [{"id": "west", "score": 3.0}],
    ]
    assert asked(shop, "/top", given, JSON)["matches"] == expected
    assert asked(shop, "/top", given, LINES) == [{"matches": each} for each in expected]
    assert asked(shop, "/top", given, ARROW) == {
        "event": [0, 0, 2],
        "expression_id": ["west", "adult", "west"],
        "score": [3.0, 1.0, 3.0],
    }


@pytest.mark.parametrize("given", BODIES)
def test_counts_in_every_form(shop: Served, given: str) -> None:
    expected = [{"id": "adult", "count": 1}, {"id": "west", "count": 2}]
    told = asked(shop, "/count", given, JSON)
    assert (told["counts"], told["events"]) == (expected, 3)
    assert asked(shop, "/count", given, LINES) == expected
    assert asked(shop, "/count", given, ARROW) == {"expression_id": ["adult", "west"], "count": [1, 2]}


@pytest.mark.parametrize("given", BODIES)
def test_explanations_in_every_form(shop: Served, given: str) -> None:
    expected = [True, False, False]
    told = asked(shop, "/explain?id=adult", given, JSON)["explanations"]
    assert [each["matches"] for each in told] == expected and "age = 3" in told[1]["summary"]
    assert asked(shop, "/explain?id=adult", given, LINES) == told
    table = asked(shop, "/explain?id=adult", given, ARROW)
    assert (table["event"], table["matches"]) == ([0, 1, 2], expected)
    assert [json.loads(each) for each in table["tree"]] == [each["tree"] for each in told]


def test_expressions_that_come_with_their_events_are_explained(shop: Served) -> None:
    given = {"expression": "age > 18", "events": EVENTS}
    told = shop.ask("POST", "/explain", given).json["explanations"]
    assert [each["matches"] for each in told] == [True, False, False]
    lines = b'{"expression":"x = 1","event":{"x":1}}\n{"expression":"x =","event":{}}\n{"expression":"x = 1","event":7}'
    good, bad, worse = shop.ask("POST", "/explain", lines, {"content-type": LINES}).lines
    assert good["matches"] is True and bad["error"]["column"] == 4 and worse["error"]["status"] == 422
    for body in ({"expression": "x = 1"}, {"expression": "x = 1", "event": {}, "events": []}):
        assert shop.ask("POST", "/explain", body).status == 422
    assert shop.ask("POST", "/explain", BODIES[ARROW], {"content-type": ARROW}).status == 415


def test_one_line_that_is_no_event_loses_itself_alone(shop: Served) -> None:
    body = b'{"age":20}\n{bad\n{"age":[[1]]}\n{"state":"CA"}'
    for path in ("/match", "/top", "/explain?id=adult"):
        lines = shop.ask("POST", path, body, {"content-type": LINES}).lines
        assert ["error" in line for line in lines] == [False, True, True, False], path
    counted = shop.ask("POST", "/count", body, {"content-type": LINES})
    assert counted.status == 422 and counted.json["row"] == 1


def test_expressions_are_checked_in_every_form(shop: Served) -> None:
    texts = ["x = 1 and y > 2", "x = "]
    bodies = {
        JSON: json.dumps({"expressions": texts}).encode(),
        LINES: b"\n".join(json.dumps({"expression": text}).encode() for text in texts),
        ARROW: stream_of(pa.table({"expression": texts})),
    }
    for given, body in bodies.items():
        for wanted in bodies:
            found = read(shop.ask("POST", "/check", body, {"content-type": given, "accept": wanted}), wanted)
            if wanted == ARROW:
                assert found["attributes"] == [["x", "y"], None] and found["error"][0] is None
                assert json.loads(found["error"][1])["column"] == 5
            else:
                good, bad = found["checks"] if wanted == JSON else found
                assert good["attributes"] == ["x", "y"] and bad["error"]["column"] == 5
    for body in ({}, {"expression": "x = 1", "expressions": []}, {"expressions": [7]}):
        assert shop.ask("POST", "/check", body).status == 422


@pytest.mark.parametrize("given", BODIES)
def test_metadata_comes_in_every_form(shop: Served, given: str) -> None:
    found = asked(shop, "/match?metadata=true", given, ARROW)
    assert found["expression_id"] == ["adult", "west", "west"] and found["metadata"] == ['{"n":1}', None, None]
    assert asked(shop, "/match", given, ARROW).keys() == {"event", "expression_id"}


def test_columns_have_their_types_without_rows(shop: Served) -> None:
    for path, names in (("/match", ["event", "expression_id"]), ("/top", ["event", "expression_id", "score"])):
        answer = shop.ask("POST", path, {"x": 1}, {"accept": ARROW})
        table = pa.ipc.open_stream(answer.body).read_all()
        assert table.column_names == names and table.schema.field("expression_id").type == pa.string()


@pytest.mark.parametrize("path", ["/match", "/top", "/count", "/explain?id=adult", "/check"])
def test_a_form_that_there_is_not_is_refused(shop: Served, path: str) -> None:
    assert shop.ask("POST", path, b"{}", {"accept": "text/html"}).status == 406
    assert shop.ask("POST", path, b"{}", {"content-type": "text/xml"}).status == 415
