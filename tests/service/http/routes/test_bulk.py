"""Are many rows changed in one request, each with its own result?"""

from __future__ import annotations

import json

import pytest

from eligo.service.http.settings import HttpSettings
from served import Answer, Served, served

LINES = {"content-type": "application/x-ndjson"}


def bulk(asked: Served, *rows: object) -> Answer:
    body = b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    return asked.ask("POST", "/expressions", body, LINES)


def test_a_bad_row_loses_no_good_one(asked: Served) -> None:
    asked.put("old", "x = 0")
    answer = bulk(
        asked,
        {"id": "a", "expression": "x = 1", "metadata": {"n": 1}},
        {"id": "b", "expression": "x ="},
        b"not JSON",
        b"",
        {"id": "old", "delete": True},
        {"id": "none", "delete": True},
        {"id": "c"},
        {"id": "d", "expression": "x = 1", "delete": True},
        {"id": 7, "expression": "x = 1"},
        {"id": "a", "expression": "x = 2", "if_match": "other"},
        {"id": "e", "expression": "x = 1"},
    )
    assert answer.status == 200 and answer.headers["content-type"].startswith("application/x-ndjson")
    rows = answer.lines
    assert [row["id"] for row in rows] == ["a", "b", None, "old", "none", "c", "d", 7, "a", "e"]
    assert [row.get("error", {}).get("type", "") for row in rows] == [
        "",
        "/errors#expression-syntax",
        "/errors#not-json",
        "",
        "/errors#unknown-id",
        "/errors#input",
        "/errors#input",
        "/errors#input",
        "/errors#condition",
        "",
    ]
    assert rows[1]["error"]["line"] == 1 and rows[0]["etag"] and rows[0]["seq"] < rows[3]["seq"] < rows[9]["seq"]
    assert asked.match({"x": 1}).json["matches"] == ["a", "e"]


def test_more_rows_than_one_group_has(asked: Served) -> None:
    rows = [{"id": f"{number:05}", "expression": f"x = {number}"} for number in range(9_000)]
    rows[5_000]["expression"] = "x ="
    results = bulk(asked, *rows).lines
    assert len(results) == 9_000 and [row["id"] for row in results if "error" in row] == ["05000"]
    assert len(asked.service.expressions) == 8_999
    assert asked.match({"x": 8_999}).json["matches"] == ["08999"]


def test_no_rows_give_no_results(asked: Served) -> None:
    assert bulk(asked).body == b""


@pytest.mark.parametrize("settings", [HttpSettings(max_line=100), HttpSettings(max_stream=100)])
def test_a_line_and_a_body_have_a_limit(settings: HttpSettings) -> None:
    with served(settings) as asked:
        answer = bulk(asked, {"id": "a", "expression": "x = 1"}, {"id": "b", "expression": "x = '" + "y" * 200 + "'"})
        assert (answer.status, answer.json["type"]) == (413, "/errors#too-large")
