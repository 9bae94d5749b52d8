"""Do documents come into the base, and can they be read and found?"""

from __future__ import annotations

from served import Served


def test_documents_come_and_go(asked: Served) -> None:
    assert asked.ask("POST", "/documents", {"price": 10}).json == {"numbers": [0], "seq": 1, "version": 0}
    many = asked.ask("POST", "/documents", {"documents": [{"price": 20}, {"tags": ["a", "b"]}]})
    assert many.json["numbers"] == [1, 2]
    lines = asked.ask("POST", "/documents", b'{"price": 30}\n{"price": 40}', {"content-type": "application/x-ndjson"})
    assert lines.json["numbers"] == [3, 4]
    page = asked.ask("GET", "/documents?limit=2&after=0").json
    assert [each["number"] for each in page["documents"]] == [1, 2]
    assert (page["next"], page["total"]) == (2, 5)
    assert page["documents"][1]["document"] == {"tags": ["a", "b"]}
    one = asked.ask("GET", "/documents/1").json
    assert one["document"] == {"price": 20} and one["time"]
    assert asked.ask("DELETE", "/documents/1").status == 200
    assert asked.ask("DELETE", "/documents/1").status == asked.ask("GET", "/documents/1").status == 404
    assert asked.ask("GET", "/documents/one").status == 422


def test_documents_are_found_by_an_expression(asked: Served) -> None:
    asked.ask("POST", "/documents", {"documents": [{"price": price} for price in (5, 15, 25)]})
    found = asked.ask("POST", "/documents/find", {"expression": "price > 10"}).json
    assert found["numbers"] == [1, 2] and found["documents"][0]["document"] == {"price": 15}
    bounded = asked.ask("POST", "/documents/find?limit=1", {"expression": "price > 10"}).json
    assert (bounded["numbers"], len(bounded["documents"])) == ([1, 2], 1)
    assert asked.ask("POST", "/documents/find", {"expression": "price >"}).json["column"] == 8


def test_a_bad_document_adds_none(asked: Served) -> None:
    bad = asked.ask("POST", "/documents", b'{"a": 1}\n{"a": ', {"content-type": "application/x-ndjson"})
    assert (bad.status, bad.json["row"]) == (422, 1)
    assert asked.ask("POST", "/documents", {"documents": [{"a": 1}, 7]}).status == 422
    assert asked.ask("GET", "/documents").json["total"] == 0
