"""Are events matched, ranked and counted, in every form in which they come?"""

from __future__ import annotations

import http.client
import io
import json
import threading

import pyarrow as pa
import pytest

from eligo.service.http.settings import HttpSettings
from eligo.service.records import PutExpression
from eligo.service.service import Service
from served import Served, served

LINES = "application/x-ndjson"
ARROW = "application/vnd.apache.arrow.stream"


@pytest.fixture(scope="module")
def shop() -> object:
    service = Service.open(None)
    for id, expression, more in (
        ("adult", "age >= 18", {"metadata": b'{"n": 1}'}),
        ("west", "state in ('CA'^3, 'OR'^2)", {}),
        ("acme", "age >= 18", {"tenant": "acme"}),
        ("bought", "exists d (d.buyer = name)", {}),
    ):
        import msgspec

        known = {name: msgspec.Raw(own) if name == "metadata" else own for name, own in more.items()}
        service.write(PutExpression(id=id, expression=expression, **known))  # type: ignore[arg-type]
    with served(service=service) as running:
        running.ask("POST", "/documents", {"buyer": "Ann"})
        yield running


def stream_of(table: pa.Table, compression: str | None = None) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_one_event(shop: Served) -> None:
    assert shop.match({"age": 20}).json["matches"] == ["adult"]
    assert shop.match({"age": 20, "name": "Ann"}).json["matches"] == ["adult", "bought"]
    assert shop.match({"age": 20}, "?tenant=acme").json["matches"] == ["adult", "acme"]
    assert shop.match({}).json["matches"] == []
    assert shop.match(b'{"age": 20}', headers={"content-type": "application/x-www-form-urlencoded"}).status == 200


def test_many_events(shop: Served) -> None:
    events = [{"age": 20}, {"state": "CA", "age": 3}, {}]
    assert shop.match({"events": events}).json["matches"] == [["adult"], ["west"], []]
    assert shop.match({"events": []}).json["matches"] == []
    assert shop.match({"events": ["golf"]}).status == 422
    assert shop.match({"age": 20, "events": ["golf"]}).json["matches"] == ["adult"]
    bad = shop.match({"events": [{"age": 20}, {"age": [[1]]}]})
    assert bad.status == 422 and bad.json["row"] == 1 and bad.json["attribute"] == "age"


def test_lines_give_lines(shop: Served) -> None:
    events = [{"age": 20}, {"state": "CA"}] * 3_000
    body = b"\n".join(json.dumps(event).encode() for event in events) + b"\n{bad\n\n" + b'{"age":21}'
    answer = shop.match(body, headers={"content-type": LINES})
    assert answer.headers["content-type"].startswith(LINES) and int(answer.headers["content-length"]) == len(
        answer.body
    )
    lines = answer.lines
    assert [line["matches"] for line in lines[:2]] == [["adult"], ["west"]]
    assert (
        len(lines) == 6_002 and lines[6_000]["error"]["type"] == "/errors#event" and lines[-1] == {"matches": ["adult"]}
    )
    as_json = shop.match(b'{"age":20}\n{"age":1}', headers={"content-type": LINES, "accept": "application/json"})
    assert as_json.json["matches"] == [["adult"], []]


def test_arrow_in_and_out(shop: Served) -> None:
    table = pa.table({"age": [20, None, 30], "state": [None, "OR", "CA"]})
    answer = shop.match(stream_of(table), headers={"content-type": ARROW, "accept": ARROW})
    found = pa.ipc.open_stream(answer.body).read_all()
    assert found.column_names == ["event", "expression_id"]
    assert found.to_pydict() == {"event": [0, 1, 2, 2], "expression_id": ["adult", "west", "adult", "west"]}
    as_json = shop.match(stream_of(table), "?tenant=acme", {"content-type": ARROW})
    assert as_json.json["matches"] == [["adult", "acme"], ["west"], ["adult", "west", "acme"]]
    out = shop.match({"events": [{"age": 20}]}, headers={"accept": ARROW})
    assert pa.ipc.open_stream(out.body).read_all().to_pydict() == {"event": [0], "expression_id": ["adult"]}


@pytest.mark.parametrize("kind", ["zstd", "lz4"])
def test_compressed_arrow_is_refused(shop: Served, kind: str) -> None:
    body = stream_of(pa.table({"age": [20] * 10_000}), kind)
    assert shop.match(body, headers={"content-type": ARROW}).status == 415
    dictionary = stream_of(pa.table({"s": pa.array(["a" * 50] * 10_000).dictionary_encode()}), kind)
    assert shop.match(dictionary, headers={"content-type": ARROW}).status == 415


def test_what_is_no_arrow_is_refused(shop: Served) -> None:
    whole = stream_of(pa.table({"age": [20]}))
    for body in (b"", b"no", whole[:50], whole[:-20], b"\xff" * 100):
        assert shop.match(body, headers={"content-type": ARROW}).status in (200, 422)
    guarded = stream_of(pa.table({"age": [20], "@tenant": ["acme"]}))
    assert shop.match(guarded, headers={"content-type": ARROW}).status == 422


def test_metadata_comes_on_request(shop: Served) -> None:
    assert shop.match({"age": 20, "state": "CA"}, "?metadata=true").json["metadata"] == [{"n": 1}, None]
    assert shop.match({"events": [{"age": 20}, {}]}, "?metadata=true").json["metadata"] == [[{"n": 1}], []]
    lines = shop.match(b'{"age":20}', "?metadata=true", {"content-type": LINES}).lines
    assert lines == [{"matches": ["adult"], "metadata": [{"n": 1}]}]


def test_the_best(shop: Served) -> None:
    event = {"age": 20, "state": "CA"}
    assert shop.ask("POST", "/top?n=1", event).json["matches"] == [{"id": "west", "score": 3.0}]
    weighted = shop.ask("POST", "/top", {"events": [event], "weights": {"age": 5.0}}).json["matches"]
    assert [[each["id"] for each in row] for row in weighted] == [["adult", "west"]]
    many = shop.ask("POST", "/top?n=5&tenant=acme", {"events": [event, {}]}).json["matches"]
    assert [[each["id"] for each in row] for row in many] == [["west", "adult", "acme"], []]
    assert shop.ask("POST", "/top?n=-1", event).status == 422
    assert shop.ask("POST", "/top", {"@tenant": "acme"}).status == 422


def test_counts(shop: Served) -> None:
    events = [{"age": 20}, {"age": 30, "state": "CA"}]
    expected = [{"id": "adult", "count": 2}, {"id": "west", "count": 1}]
    assert shop.ask("POST", "/count", {"events": events}).json["counts"] == expected
    body = stream_of(pa.table({"age": [20, 30], "state": [None, "CA"]}))
    arrow = shop.ask("POST", "/count", body, {"content-type": ARROW}).json
    assert (arrow["counts"], arrow["events"]) == (expected, 2)
    assert shop.ask("POST", "/count", {"events": []}).json["counts"] == []


@pytest.mark.parametrize(
    ("query", "body", "headers", "status"),
    [
        ("", b"", {}, 422),
        ("", b"[1]", {}, 422),
        ("", b'{"age": 20', {}, 422),
        ("?at=soon", b"{}", {}, 422),
        ("?at=0001-01-01T00:00:00%2B14:00", b"{}", {}, 422),
        ("", b"{}", {"content-type": "text/xml"}, 415),
        ("", b"{}", {"accept": "text/html"}, 406),
        ("", b'{"@tenant":"acme","age":20}', {}, 422),
        ("", b'{"\\u0040tenant":"acme","age":20}', {}, 422),
    ],
)
def test_what_cannot_be_is_refused(shop: Served, query: str, body: bytes, headers: dict[str, str], status: int) -> None:
    answer = shop.match(body, query, headers)
    assert answer.status == status and answer.headers["content-type"] == "application/problem+json"


def test_explanations(shop: Served) -> None:
    told = shop.ask("POST", "/explain?id=adult", {"age": 17}).json
    assert told["matches"] is False and "age" in told["summary"]
    other = shop.ask("POST", "/explain", {"expression": "x = 1", "event": {"x": 1}}).json
    assert other["matches"] is True
    assert shop.ask("POST", "/explain?id=acme&tenant=acme", {"age": 20}).json["matches"] is True
    assert shop.ask("POST", "/explain?id=acme", {"age": 20}).json["matches"] is False
    assert shop.ask("POST", "/explain?id=none", {}).status == 404
    assert shop.ask("POST", "/explain", {"expression": "x =", "event": {}}).json["column"] == 4


def test_checks(shop: Served) -> None:
    told = shop.ask("POST", "/check", {"expression": "AGE exists and not (x = 1 or x = 1)"}).json
    assert told["attributes"] == ["AGE", "x"] and told["canonical"] and "and" in told["tree"]
    never = shop.ask("POST", "/check", {"expression": "x > 5 and not x > 4 and x exists"}).json
    assert isinstance(never["findings"], list)
    bad = shop.ask("POST", "/check", {"expression": "x = = 1"})
    assert bad.status == 422 and bad.json["caret"].endswith("^")


def test_requests_that_come_together_each_get_their_own_answer() -> None:
    with served() as asked:
        for number in range(50):
            asked.put(f"e{number}", f"x = {number}")
        wrong: list[object] = []

        def ask_often(first: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", asked.port, timeout=30)
            for number in range(first, first + 50):
                connection.request("POST", "/match", b'{"x":%d}' % (number % 50), {"content-type": "application/json"})
                found = json.loads(connection.getresponse().read())["matches"]
                if found != [f"e{number % 50}"]:
                    wrong.append((number, found))
            connection.close()

        threads = [threading.Thread(target=ask_often, args=(first,)) for first in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_events_of_one_body_have_a_limit() -> None:
    with served(HttpSettings(max_events=2)) as asked:
        assert asked.match({"events": [{}, {}]}).status == 200
        assert asked.match({"events": [{}, {}, {}]}).json["type"] == "/errors#too-large"
        assert asked.match(b"{}\n{}\n{}", headers={"content-type": LINES}).status == 200
