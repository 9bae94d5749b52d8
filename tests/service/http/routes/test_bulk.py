"""Are many rows changed in one request, each with its own result?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from itertools import chain, repeat

import pytest

from eligo.service.http.bodies import LINES_AT_ONCE
from eligo.service.http.settings import HttpSettings
from eligo.service.records import AnyRecord
from eligo.service.service import Service
from eligo.service.state.outcome import BusyError, Outcome
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


def busy(service: Service, monkeypatch: pytest.MonkeyPatch, refusals: Iterator[bool]) -> None:
    """Some groups of changes find that too many wait."""
    submit = service.submit_many_in_loop

    def submitted(records: Sequence[AnyRecord]) -> asyncio.Future[list[Outcome]]:
        if next(refusals, False):
            raise BusyError("too many wait", retry_after=0.01)
        return submit(records)

    monkeypatch.setattr(service, "submit_many_in_loop", submitted)


MANY = [{"id": f"{number:05}", "expression": f"x = {number}"} for number in range(LINES_AT_ONCE + 10)]


def test_rows_wait_while_too_many_do(asked: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    busy(asked.service, monkeypatch, iter([True, True, False, True, False]))
    results = bulk(asked, *MANY).lines
    assert [row["id"] for row in results if "seq" in row] == [row["id"] for row in MANY]


def test_rows_that_could_not_be_written_say_so_and_those_before_them_have_their_results(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with served(HttpSettings(max_seconds=0.1)) as asked:
        busy(asked.service, monkeypatch, repeat(True))
        refused = bulk(asked, *MANY)
        assert (refused.status, refused.json["type"], "retry-after" in refused.headers) == (503, "/errors#busy", True)
        monkeypatch.undo()
        busy(asked.service, monkeypatch, chain([False], repeat(True)))
        results = bulk(asked, *MANY).lines
        assert [row["id"] for row in results] == [row["id"] for row in MANY]
        assert all("seq" in row for row in results[:LINES_AT_ONCE])
        assert {row["error"]["type"] for row in results[LINES_AT_ONCE:]} == {"/errors#busy"}
        assert len(asked.service.expressions) == LINES_AT_ONCE


def test_what_ends_a_request_in_its_middle_is_told_in_a_last_line() -> None:
    rows = [{"id": f"{number:05}", "expression": "x = 1"} for number in range(3 * LINES_AT_ONCE)]
    with served(HttpSettings(max_line=1_000)) as asked:
        results = bulk(asked, *rows, {"id": "large", "expression": "x = '" + "y" * 2_000 + "'"}).lines
        assert [row["id"] for row in results[:-1]] == [row["id"] for row in rows[: len(results) - 1]]
        assert all("seq" in row for row in results[:-1])
        assert (results[-1]["id"], results[-1]["error"]["type"]) == (None, "/errors#too-large")
        assert len(asked.service.expressions) == len(results) - 1 >= LINES_AT_ONCE
