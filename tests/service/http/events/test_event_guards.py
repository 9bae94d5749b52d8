"""Can an event say whose it is, or when? Only the request can."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.errors import EligoError, EventError, InputError
from eligo.service.http.events.event_guards import guard_text, guarded_event, guarded_table, refusal
from eligo.service.state.expressions import StoredExpression

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)


def stored(id: str, **fields: object) -> StoredExpression:
    return StoredExpression(id=id, expression="x = 1", **fields)  # type: ignore[arg-type]


GUARDED = {
    each.id: each.guarded_text
    for each in (
        stored("ours", tenant="acme"),
        stored("theirs", tenant="b'ad\\"),
        stored("all"),
        stored("past", valid_to=datetime(2020, 1, 1, tzinfo=UTC)),
    )
}


@pytest.fixture(scope="module", params=["frozen", "with a tail"])
def index(request: pytest.FixtureRequest) -> eligo.Index:
    built = eligo.build(GUARDED)
    if request.param == "with a tail":
        built.insert("late", stored("late", tenant="theirs").guarded_text)
    return built


def asked(index: eligo.Index, text: bytes, tenant: str | None) -> list[object]:
    return list(index.match_json(guarded_event(text, guard_text(tenant, NOW))))


@pytest.mark.parametrize("text", [b'{"x":1}', b' \n{ "x" : 1 } ', b'\xef\xbb\xbf{"x":1}', b'{\t\r\n "x":1}'])
def test_an_event_meets_what_is_its_tenants_and_in_force(index: eligo.Index, text: bytes) -> None:
    assert asked(index, text, "acme") == ["ours", "all"]
    assert asked(index, text, "b'ad\\") == ["theirs", "all"]
    assert asked(index, text, None) == ["all"]


@pytest.mark.parametrize("text", [b"{}", b" { } ", b"{ " + b" " * 99 + b"}"])
def test_an_event_may_be_empty(index: eligo.Index, text: bytes) -> None:
    assert asked(index, text, "acme") == []


@pytest.mark.parametrize("tenant", [None, "acme"])
@pytest.mark.parametrize(
    "text",
    [
        b'{"x":1,"@tenant":"theirs"}',
        b'{"@tenant":"b\'ad\\\\","x":1}',
        b'{"\\u0040tenant":"theirs","x":1}',
        b'{"@\\u0074enant":"theirs","x":1}',
        b'{"\\u0040\\u0074\\u0065\\u006E\\u0061\\u006e\\u0074":"theirs","x":1}',
        b'{"@tenant":["acme","theirs"],"x":1}',
        b'{"@tenant":null,"x":1}',
        b'{"@tenant":{"a":"theirs"},"x":1}',
        b'{"x":1,"@time":"2019-01-01T00:00:00Z"}',
        b'{"x":1,"\\u0040time":"2019-01-01T00:00:00Z"}',
        b'{"x":1,"@time":null}',
    ],
)
def test_an_event_that_brings_a_guard_is_refused(index: eligo.Index, text: bytes, tenant: str | None) -> None:
    with pytest.raises(EligoError) as raised:
        asked(index, text, tenant)
    assert "does not say its @t" in refusal(text, raised.value).message


@pytest.mark.parametrize(
    "text",
    [
        b'{"x":1,"":{"@tenant":"theirs"}}',
        b'{"x":1,"a":{"@tenant":"theirs","@time":"2019-01-01T00:00:00Z"}}',
        b'{"x":1,"a.@tenant":"theirs"}',
        b'{"x":1,"@tenant.":"theirs"}',
        b'{"x":1," @tenant":"theirs"}',
        b'{"x":1,"@tenant\\u0000":"theirs"}',
        b'{"x":1,"@TENANT":"theirs"}',
    ],
)
def test_a_name_that_is_only_like_a_guard_is_none(index: eligo.Index, text: bytes) -> None:
    assert asked(index, text, None) == ["all"]
    assert asked(index, text, "acme") == ["ours", "all"]


NAMES = st.sampled_from(["x", "@tenant", "@time", "", "@", "tenant", "a.b", "@tenant.x"]) | st.text(max_size=6)
PLAIN = st.sampled_from([1, "theirs", "2019-01-01T00:00:00Z", None, True, 2.5]) | st.text(max_size=4)


@st.composite
def escaped_objects(draw: st.DrawFn) -> tuple[bytes, set[str]]:
    """The text of an object with names escaped at random, and its names."""
    members = draw(
        st.dictionaries(NAMES, PLAIN | st.lists(PLAIN, max_size=2) | st.dictionaries(NAMES, PLAIN, max_size=2))
    )
    pieces = []
    for name, value in members.items():
        inside = "".join(
            f"\\u{ord(c):04x}" if ord(c) < 0x10000 and draw(st.booleans()) else json.dumps(c)[1:-1] for c in name
        )
        pieces.append(f'"{inside}":{json.dumps(value)}')
    return f"{{{','.join(pieces)}}}".encode(), set(members)


@given(escaped_objects(), st.sampled_from([None, "acme"]))
def test_no_event_meets_what_is_not_its_tenants(event: tuple[bytes, set[str]], tenant: str | None) -> None:
    index = GUARDED_INDEX
    text, names = event
    try:
        found = asked(index, text, tenant)
    except EligoError:
        return
    assert not names & {"@tenant", "@time"}
    assert set(found) <= {"all", "ours" if tenant else "all"}


GUARDED_INDEX = eligo.build(GUARDED)


@pytest.mark.parametrize("text", [b"", b"[]", b'"x"', b"1", b'"@tenant"', b",", b'x{"x":1}', b"\x00{}"])
def test_what_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(EligoError):
        guarded_event(text, guard_text(None, NOW))


@pytest.mark.parametrize(
    "text", [b'{,"x":1}', b'{"x":1', b'{"x":1}}', b'{"x":1} {"x":1}', b'{"x":1,}', b'{"x"}', b"{]"]
)
def test_what_is_not_json_does_not_become_it_and_is_told_where_it_was_sent(index: eligo.Index, text: bytes) -> None:
    with pytest.raises(EligoError) as raised:
        asked(index, text, "acme")
    told = refusal(text, raised.value)
    assert isinstance(told, EventError) and told.row is None
    with pytest.raises(EligoError) as alone:
        index.match_json(text)
    assert told.message == alone.value.message  # type: ignore[attr-defined]


def test_a_table_gets_columns_of_guards() -> None:
    events = pa.table({"x": [1, 1]})
    found = GUARDED_INDEX.match_batch(guarded_table(events, "acme", NOW))
    assert [found.ids(row) for row in range(2)] == [["ours", "all"]] * 2
    assert GUARDED_INDEX.match_batch(guarded_table(events, None, NOW)).ids(0) == ["all"]


@pytest.mark.parametrize("name", ["@tenant", "@time"])
def test_a_table_that_brings_a_guard_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="does not have a column"):
        guarded_table(pa.table({"x": [1], name: ["theirs"]}), None, NOW)
