"""Can expressions be put, read, listed and deleted, with conditions?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from served import Served, served


def test_an_expression_is_put_read_and_deleted(asked: Served) -> None:
    put = asked.put("ad-7", "age > 18", metadata={"owner": "Ann"}, valid_from="2026-01-01T00:00:00Z", tenant="acme")
    assert put.status == 201
    assert put.json == {"id": "ad-7", "etag": put.headers["etag"].strip('"'), "seq": 1, "version": 0}
    got = asked.ask("GET", "/expressions/ad-7?min_seq=1")
    assert got.status == 200 and got.headers["etag"] == put.headers["etag"]
    assert got.json["expression"] == got.json["canonical"] == "age > 18"
    assert (got.json["tenant"], got.json["metadata"], got.json["valid_from"]) == (
        "acme",
        {"owner": "Ann"},
        "2026-01-01T00:00:00Z",
    )
    assert (got.json["seq"], got.headers["eligo-seq"], got.headers["eligo-version"]) == (1, "1", "0")
    assert asked.ask("GET", "/expressions/ad-7", headers={"if-none-match": put.headers["etag"]}).status == 304
    assert asked.put("ad-7", "age > 19").status == 200
    assert asked.ask("DELETE", "/expressions/ad-7").json == {"seq": 3, "version": 0}
    assert asked.ask("DELETE", "/expressions/ad-7").status == 404
    assert asked.ask("GET", "/expressions/ad-7").json["type"] == "/errors#unknown-id"


def test_conditions_hold_or_nothing_changes(asked: Served) -> None:
    first = asked.ask("PUT", "/expressions/a", {"expression": "x = 1"}, {"if-none-match": "*"})
    assert first.status == 201
    again = asked.ask("PUT", "/expressions/a", {"expression": "x = 2"}, {"if-none-match": "*"})
    assert (again.status, again.json["type"]) == (412, "/errors#condition")
    etag = first.headers["etag"]
    assert asked.ask("PUT", "/expressions/a", {"expression": "x = 3"}, {"if-match": '"other"'}).status == 412
    assert asked.ask("GET", "/expressions/a").json["expression"] == "x = 1"
    assert asked.ask("PUT", "/expressions/a", {"expression": "x = 3"}, {"if-match": etag}).status == 200
    assert asked.ask("DELETE", "/expressions/a", headers={"if-match": etag}).status == 412
    assert asked.ask("DELETE", "/expressions/a", headers={"if-match": "*"}).status == 200
    assert asked.ask("PUT", "/expressions/b", {"expression": "x"}, {"if-match": "*"}).status in (412, 422)
    assert asked.ask("PUT", "/expressions/b", {"expression": "x = 1"}, {"if-match": '"a", "b"'}).status == 400


def test_any_etag_is_one_that_is_known(asked: Served) -> None:
    asked.put("a", "x = 1")
    for known in ("*", '"other", *'):
        assert asked.ask("GET", "/expressions/a", headers={"if-none-match": known}).status == 304
    assert asked.ask("GET", "/expressions/a", headers={"if-none-match": '"other"'}).status == 200


def test_what_can_be_read_has_a_head(asked: Served) -> None:
    asked.put("a", "x = 1")
    for path in ("/healthz", "/status", "/expressions/a", "/expressions"):
        answer = asked.ask("HEAD", path)
        assert (answer.status, answer.body) == (200, b""), path
    assert asked.ask("HEAD", "/expressions/a").headers["etag"] == asked.ask("GET", "/expressions/a").headers["etag"]
    assert asked.ask("HEAD", "/expressions/b").status == 404
    assert asked.ask("HEAD", "/match").status == asked.ask("HEAD", "/subscriptions/s/stream").status == 405


def test_of_many_who_put_one_id_at_once_one_has_made_it(asked: Served) -> None:
    for kind in ("expressions", "subscriptions"):
        with ThreadPoolExecutor(16) as pool:
            answers = list(
                pool.map(lambda n, kind=kind: asked.ask("PUT", f"/{kind}/a", {"expression": f"x = {n}"}), range(48))  # type: ignore[misc]
            )
        first = min(answers, key=lambda answer: answer.json["seq"])
        assert [each.status for each in answers].count(201) == 1 and first.status == 201
    results = asked.ask(
        "POST", "/expressions", b'{"id":"n","expression":"x = 1"}', {"content-type": "application/x-ndjson"}
    )
    assert isinstance(results.lines[0]["etag"], str)


def test_the_name_of_a_tenant_is_bounded_wherever_it_comes(asked: Served) -> None:
    for path in ("/match", "/top", "/publish"):
        assert asked.ask("POST", f"{path}?tenant={'a' * 1_000}", {"x": 1}).status == 200
        assert asked.ask("POST", f"{path}?tenant={'a' * 1_001}", {"x": 1}).status == 422


def test_a_bad_expression_is_told_with_its_place(asked: Served) -> None:
    answer = asked.put("a", "age > 18 and\n state =")
    assert answer.status == 422 and answer.headers["content-type"] == "application/problem+json"
    problem = answer.json
    assert problem["type"] == "/errors#expression-syntax" and problem["status"] == 422
    assert (problem["line"], problem["column"], problem["excerpt"], problem["caret"]) == (2, 9, " state =", "        ^")
    assert problem["help"] and problem["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 422),
        (b"{}", 422),
        (b'{"expression": 7}', 422),
        (b'{"expression": "x = 1", "other": 1}', 422),
        (b'{"expression": "x = 1", "metadata": [1]}', 422),
        (b'{"expression": "x = 1", "tenant": ""}', 422),
        (b'{"expression": "x = 1", "valid_from": "soon"}', 422),
        (b'{"expression": "\\"@tenant\\" = \'other\'"}', 422),
        (b'{"expression": "\\"@time\\" > 7"}', 422),
        (b'{"expression": "x = 1", "metadata": {"a": "' + b"x" * 70_000 + b'"}}', 422),
    ],
)
def test_what_is_no_expression_is_refused(asked: Served, body: bytes, status: int) -> None:
    assert asked.ask("PUT", "/expressions/a", body).status == status
    assert len(asked.service.expressions) == 0


def test_the_json_form_is_an_expression(asked: Served) -> None:
    form = {"attribute": "x", "operator": "=", "value": 2}
    assert asked.ask("PUT", "/expressions/a", {"expression": form}).status == 201
    assert asked.match({"x": 2}).json["matches"] == ["a"]


def test_ids_may_have_any_sign(asked: Served) -> None:
    for id, path in (("a/b", "a%2Fb"), ("ü ?#", "%C3%BC%20%3F%23"), ("7", "7")):
        assert asked.put(path, "x = 1").json["id"] == id
        assert asked.ask("GET", f"/expressions/{path}").json["id"] == id
    assert asked.match({"x": 1}).json["matches"] == ["a/b", "ü ?#", "7"]


def test_numbers_are_found_where_ids_are_numbers(asked: Served) -> None:
    lines = b'{"id": 7, "expression": "x = 1"}\n{"id": 8, "expression": "x = 1"}'
    asked.ask("POST", "/expressions", lines, {"content-type": "application/x-ndjson"})
    assert asked.ask("GET", "/expressions/7").json["id"] == 7
    assert asked.put("9", "x = 1").json["id"] == 9
    assert asked.match({"x": 1}).json["matches"] == [7, 8, 9]


def test_lists_are_read_page_by_page(asked: Served) -> None:
    for number in range(25):
        asked.put(f"{'ab'[number % 2]}{number:02}", f"x = {number}", tenant="acme" if number % 5 == 0 else None)
    seen: list[str] = []
    after = ""
    while True:
        page = asked.ask("GET", f"/expressions?limit=7{after}").json
        seen += [each["id"] for each in page["expressions"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert seen == sorted(f"{'ab'[n % 2]}{n:02}" for n in range(25)) and page["total"] == 25
    found = asked.ask("GET", "/expressions?prefix=a&contains=x%20%3D%201").json["expressions"]
    assert [each["id"] for each in found] == ["a10", "a12", "a14", "a16", "a18"]
    assert asked.ask("GET", "/expressions?limit=0").status == 422


def test_what_was_written_is_seen_by_who_asks_for_it() -> None:
    from eligo.service.http.settings import HttpSettings

    with served(HttpSettings(max_wait=0.05)) as asked:
        seq = asked.put("a", "x = 1").json["seq"]
        assert asked.match({"x": 1}, f"?min_seq={seq}").json == {"matches": ["a"], "seq": 1, "version": 0}
        late = asked.match({"x": 1}, "?min_seq=2")
        assert (late.status, late.headers["retry-after"]) == (503, "1")
        assert asked.ask("GET", "/expressions/a?min_seq=2").status == 503
        assert asked.match({"x": 1}, "?min_seq=soon").status == 422


def test_an_id_that_would_be_taken_for_another_is_refused(asked: Served) -> None:
    for odd in ("%ff", "a%c3", "%ed%a0%80", "a%0A", "a%0Ab"):
        refused = asked.ask("PUT", f"/expressions/{odd}", {"expression": "x = 1"})
        assert (refused.status, refused.json["type"]) == (400, "/errors#path"), odd
    assert len(asked.service.expressions) == 0
    made = asked.ask("PUT", "/expressions/%ef%bf%bd%c3%a4", {"expression": "x = 1"})
    assert (made.status, made.json["id"]) == (201, "\ufffd\u00e4")
