"""Does a token of one tenant read nothing of documents, which belong to all?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from eligo.service.http.entrance.tokens import create_token
from eligo.service.http.settings import HttpSettings
from served import DEADLINE, Served, bearer, served

JOIN = "exists d (d.secret > 41 and x = d.x)"


@pytest.fixture
def answers(tmp_path: Path) -> Any:
    file = tmp_path / "tokens.json"
    boss = bearer(create_token(file, "boss", ["admin"]))
    bound = bearer(create_token(file, "a", ["read", "write"], "a"))
    with served(HttpSettings(tokens=file, max_seconds=DEADLINE)) as asked:
        asked.ask("POST", "/documents", {"secret": 4711, "x": 1}, boss)
        asked.ask("PUT", "/expressions/join", {"expression": JOIN}, bound)
        yield [_asked(asked, who) for who in (boss, bound)]


def _asked(asked: Served, who: dict[str, str]) -> list[Any]:
    draft = {"expression": JOIN, "events": ['{"x": 1}'], "chosen": 0, "id": "join"}
    return [
        asked.ask("GET", "/page/documents", headers=who),
        asked.ask("POST", "/explain", {"expression": JOIN, "event": {"x": 1}}, who),
        asked.ask("POST", "/explain?id=join", {"x": 1}, who),
        asked.ask("POST", "/page/explain", draft, who),
    ]


def test_a_token_of_a_tenant_hears_what_documents_decide_and_nothing_that_stands_in_them(answers: Any) -> None:
    of_all, of_one = answers
    assert [each.status for each in of_all] == [200] * 4
    assert all(b"4711" in each.body for each in of_all)
    assert [each.status for each in of_one] == [403, 200, 200, 200]
    assert not any(b"4711" in each.body for each in of_one)
    for explained in of_one[1:3]:
        assert explained.json["matches"] is True and b'"document":{"number":0}' in explained.body
        assert explained.json["summary"].endswith("(document #0, one of 1: x = 1)")
    assert of_one[3].json["verdicts"][0]["truth"] == "t"
