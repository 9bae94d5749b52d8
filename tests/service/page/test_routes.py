"""Does the page get its files, and true answers to its questions?"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eligo.service.http.entrance.tokens import create_token
from eligo.service.page import tried_draft
from eligo.service.page.assets import PLACE, assets
from eligo.service.page.ranked_expressions import MOST_ROWS
from eligo.service.records import AddDocuments, DeleteExpression, PutExpression
from eligo.service.service import Service
from eligo.service.state.expressions import Expressions
from service.page.served_page import Asked, served_page

EVENTS = ['{"age": 20, "state": "CA"}', '{"age": 50, "state": "CA"}', '{"age": 20}']
DRAFT = "age < 30 and state = 'CA'"


def filled() -> Service:
    service = Service.open(None)
    for id, expression, tenant in (
        ("young", "age < 30", None),
        ("west", "state in ('CA', 'OR')", None),
        ("secret", "salary > 9 and state = 'NV'", "acme"),
    ):
        service.write(PutExpression(id=id, expression=expression, tenant=tenant))
    return service


@pytest.fixture(scope="module")
def page() -> Iterator[Asked]:
    with served_page(filled()) as asked:
        yield asked


def explained(page: Asked, **body: Any) -> Any:
    status, _, answer = page.ask("POST", "/page/explain", {"events": EVENTS, **body})
    assert status == 200, answer
    return answer


def test_the_page_allows_no_code_but_its_own(page: Asked) -> None:
    status, headers, body = page.ask("GET", "/")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert "unsafe" not in headers["content-security-policy"]
    text = body.decode()
    assert PLACE not in text
    assert not re.search(r"<script>|<style|\sstyle=|\son\w+=|https?://", text)


def test_every_file_that_is_named_is_there_and_may_be_kept(page: Asked) -> None:
    named = re.findall(r'(?:src|href)="(page/assets/[^"]+)"', page.ask("GET", "/")[2].decode())
    assert len(named) >= 4
    for path in named:
        status, headers, content = page.ask("GET", f"/{path}")
        assert status == 200
        assert "immutable" in headers["cache-control"]
        assert page.ask("GET", f"/{path}", headers={"if-none-match": headers["etag"]})[0] == 304
        packed = page.ask("GET", f"/{path}", headers={"accept-encoding": "gzip"})
        assert gzip.decompress(packed[2]) == content
    folder = named[0].rpartition("/")[0]
    assert page.ask("GET", f"/{folder}/no_such.js")[0] == 404
    assert page.ask("GET", "/page/assets/0000/main.js")[0] == 404
    assert page.ask("GET", f"/{folder}/../routes.py")[0] == 404


def test_modules_import_files_that_exist() -> None:
    scripts = {name: asset.content.decode() for name, asset in assets().items() if name.endswith(".js")}
    for name, text in scripts.items():
        if name.endswith("bundle.js"):
            continue
        for target in re.findall(r'from "([^"]+)"', text):
            parts = name.split("/")[:-1]
            for step in target.split("/"):
                parts = parts[:-1] if step == ".." else parts if step == "." else [*parts, step]
            assert "/".join(parts) in scripts, f"{name} imports {target}"


def test_each_node_counts_the_events_that_pass_it(page: Asked) -> None:
    answer = explained(page, expression=DRAFT, chosen=1)
    rows = [(row["depth"], row["text"], row["truths"], row["passes"], row["truth"]) for row in answer["nodes"]]
    assert rows == [
        (0, "and", "tfu", 1, "f"),
        (1, "age < 30", "tft", 2, "f"),
        (1, "state = 'CA'", "ttu", 2, "t"),
    ]
    assert answer["nodes"][1]["reason"] == "age = 50"
    assert [row["truth"] for row in answer["verdicts"]] == ["t", "f", "u"]
    assert "age < 30 is false" in answer["verdicts"][1]["summary"]


def test_a_line_that_is_no_event_is_said_and_harms_no_other(page: Asked) -> None:
    answer = explained(page, expression=DRAFT, events=[*EVENTS[:1], '{"age": ', "[1]", "9007199254740993"])
    assert [row["truth"] for row in answer["verdicts"]] == ["t", "-", "-", "-"]
    assert all(row["error"] for row in answer["verdicts"][1:])
    assert answer["nodes"][0]["truths"] == "t---"


def test_numbers_that_a_browser_would_round_stay(page: Asked) -> None:
    events = ['{"n": 9007199254740993}', '{"n": 9007199254740992}']
    answer = explained(page, expression="n = 9007199254740993", events=events)
    assert answer["nodes"][0]["truths"] == "tf"


def test_texts_are_dates_where_a_draft_compares_with_dates_only(page: Asked) -> None:
    events = ['{"seen": "2024-01-05"}', '{"seen": "2025-01-05"}']
    assert explained(page, expression="seen < date '2024-12-31'", events=events)["nodes"][0]["truths"] == "tf"


def test_documents_decide_quantified_parts() -> None:
    service = filled()
    service.write(AddDocuments(documents=[msgspec.Raw(b'{"price": 25}')], time=datetime.now(UTC)))
    with served_page(service) as page:
        events = ['{"price": 20}', '{"price": 30}']
        answer = explained(page, expression="exists d (price < d.price)", events=events, chosen=0)
        assert answer["nodes"][0]["truths"] == "tf"
        assert "document #0" in answer["nodes"][0]["reason"]
        assert page.ask("GET", "/page/documents")[2]["lines"] == ['{"price":25}']


def test_a_draft_that_is_none_says_where(page: Asked) -> None:
    status, _, problem = page.ask("POST", "/page/explain", {"expression": "age <\n and", "events": []})
    assert (status, problem["line"], problem["column"]) == (422, 2, 2)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"expression": "a" * 50_001, "events": []}, "a draft has at most 50,000 characters"),
        ({"expression": "a = 1", "events": ["{}"] * 201}, "a sample has at most 200 events"),
        ({"expression": "a = 1", "events": ["{}" + " " * (1 << 20)]}, "a sample has at most 1,048,576 characters"),
        ({"expression": "a = 1", "events": ["{}"], "chosen": -1}, "chosen"),
        ({"expression": "a = 1", "no_such": 1}, "no_such"),
    ],
)
def test_work_is_bounded(page: Asked, body: dict[str, Any], said: str) -> None:
    status, _, problem = page.ask("POST", "/page/explain", body)
    assert (status, said in problem["detail"]) == (422, True), problem


def test_what_takes_long_is_tried_with_few_events(page: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tried_draft, "MOST_SECONDS", 0.0)
    answer = explained(page, expression=DRAFT, id="young")
    for verdicts in (answer["verdicts"], answer["live"]["verdicts"]):
        assert [row["truth"] for row in verdicts] == ["t", "-", "-"]
        assert "takes too long" in verdicts[1]["error"]
    assert answer["nodes"][0]["truths"] == "t--"


def test_what_is_asked_again_and_again_looks_up_no_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every open page asks for the activity every other second, however many expressions there are."""
    with served_page(filled()) as page:
        page.ask("POST", "/match", {"age": 20})
        for name in ("ids", "get", "__contains__"):
            monkeypatch.setattr(Expressions, name, None)
        assert page.ask("GET", "/page/activity")[0] == 200


def test_what_matched_most_is_found_without_a_lookup_of_every_id(monkeypatch: pytest.MonkeyPatch) -> None:
    service = Service.open(None)
    for number in range(200):
        service.write(PutExpression(id=f"id-{number}", expression="age < 30"))
    looked_up: list[object] = []
    known = Expressions.get
    monkeypatch.setattr(Expressions, "get", lambda self, id: looked_up.append(id) or known(self, id))
    monkeypatch.setattr(Expressions, "__contains__", lambda self, id: looked_up.append(id) or True)
    with served_page(service) as page:
        page.ask("POST", "/match", {"age": 20})
        service.write(DeleteExpression(id="id-0"))
        looked_up.clear()
        ranked = page.ask("GET", "/page/ranked")[2]
    assert [row["id"] for row in ranked["most"]] == [f"id-{number}" for number in range(1, MOST_ROWS + 1)]
    assert ranked["num_never"] == 0
    assert len(looked_up) == MOST_ROWS + 1


def test_a_long_draft_has_few_rows(page: Asked) -> None:
    answer = explained(page, expression=" or ".join(f"a{n} = 1" for n in range(1_500)), events=["{}"])
    assert (len(answer["nodes"]), answer["num_nodes"]) == (answer["most_nodes"], 1_501)


def test_what_would_change_is_told(page: Asked) -> None:
    live = explained(page, expression="age < 60 and state = 'CA'", id="young")["live"]
    assert live["changes"] == [1, 2]
    assert [row["truth"] for row in live["verdicts"]] == ["t", "f", "t"]
    assert not live["is_same"]
    assert explained(page, expression=" age<30 ", id="young")["live"]["is_same"]
    status, _, problem = page.ask("POST", "/page/explain", {"expression": "a", "id": "nobody"})
    assert (status, "nobody" in problem["detail"]) == (404, True)


def test_vocabulary_has_attributes_and_values(page: Asked) -> None:
    found = page.ask("GET", "/page/vocabulary")[2]["attributes"]
    assert {each["name"]: each["kinds"] for each in found}["state"] == ["string"]
    assert not any(each["name"].startswith("@") for each in found)
    assert page.ask("GET", "/page/vocabulary?attribute=state")[2]["values"] == ["'CA'", "'NV'", "'OR'"]
    assert page.ask("GET", "/page/vocabulary?attribute=state&prefix='O")[2]["values"] == ["'OR'"]
    assert page.ask("GET", "/page/vocabulary?attribute=nobody")[2]["values"] == []


def test_a_sample_ranks_expressions(page: Asked) -> None:
    ranked = page.ask("POST", "/page/sample", {"events": [*EVENTS, "no event"]})[2]
    assert [(row["id"], row["count"]) for row in ranked["most"]] == [("young", 2), ("west", 2)]
    assert ([row["id"] for row in ranked["never"]], ranked["num_never"], ranked["events"]) == (["secret"], 1, 3)
    of_acme = page.ask("POST", "/page/sample", {"events": ['{"salary": 10, "state": "NV"}'], "tenant": "acme"})[2]
    assert [row["id"] for row in of_acme["most"]] == ["secret"]


def test_an_event_cannot_say_whose_it_is(page: Asked) -> None:
    events = [
        '{"salary": 10, "state": "NV", "@tenant": "acme"}',
        '{"salary": 10, "state": "NV", "\\u0040tenant": "acme"}',
    ]
    assert page.ask("POST", "/page/sample", {"events": events})[2]["most"] == []


def test_a_token_of_a_tenant_sees_nothing_of_others(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    token = create_token(tokens, "globex", ["read"], "globex")
    with served_page(filled(), tokens, token) as page:
        assert page.ask("POST", "/page/explain", {"expression": "a", "id": "secret"})[0] == 404
        assert page.ask("POST", "/page/sample", {"events": EVENTS, "tenant": "acme"})[0] == 403
        answers = [
            page.ask("GET", "/page/vocabulary")[2],
            page.ask("GET", "/page/vocabulary?attribute=state")[2],
            page.ask("POST", "/page/sample", {"events": EVENTS})[2],
            page.ask("GET", "/page/activity")[2],
            page.ask("GET", "/page/ranked")[2],
        ]
        text = json.dumps(answers)
        assert "young" in text
        assert not any(word in text for word in ("secret", "salary", "'NV'"))


def test_activity_counts_what_was_ranked_too() -> None:
    with served_page(filled()) as page:
        page.ask("POST", "/top", {"age": 20})
        page.ask("POST", "/top", {"events": [{"age": 20}, {"age": 40, "state": "OR"}]})
        page.ask("POST", "/count", {"events": [{"age": 20}, {"age": 21}]})
        found = page.ask("GET", "/page/activity")[2]
        assert (found["events"], found["matches"]) == (5, 5)
        assert [(row["id"], row["count"]) for row in page.ask("GET", "/page/ranked")[2]["most"]] == [
            ("young", 4),
            ("west", 1),
        ]
        assert b"eligo_matches_total 5.0" in page.ask("GET", "/metrics")[2]


def test_lines_that_come_slowly_are_no_latency() -> None:
    with served_page(filled()) as page:
        page.ask("POST", "/match", {"age": 20}, {"content-type": "application/x-ndjson"})
        time.sleep(1.0)
        found = page.ask("GET", "/page/activity")[2]
        assert (found["events"], sum(found["seconds"]["events"])) == (1, 1)
        assert not any(found["seconds"]["p50"])


def test_activity_counts_what_was_answered() -> None:
    with served_page(filled()) as page:
        page.ask("POST", "/match", {"age": 20})
        page.ask("POST", "/match", {"events": [{"age": 20}, {"age": 40, "state": "OR"}]})
        page.ask("POST", "/match", {"age": 20}, {"content-type": "application/x-ndjson"})
        found = page.ask("GET", "/page/activity")[2]
        assert (found["events"], found["matches"], found["expressions"]) == (4, 4, 3)
        ranked = page.ask("GET", "/page/ranked")[2]
        assert [(row["id"], row["count"]) for row in ranked["most"]] == [("young", 3), ("west", 1)]
        assert ([row["id"] for row in ranked["never"]], ranked["num_never"]) == (["secret"], 1)
