"""`match_json`: an event as JSON has the matches that it has as a dict, whatever the index is."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

import eligo
from eligo.data.schema.schema import Schema
from eligo.errors import EventError, EventLimitError, InputError
from eligo.language.limits import Limits
from event_cases import ERROR, expected_ids, expressions, forms, json_event

RULES = {
    "adults": "age >= 18",
    "west": "state in ('CA', 'WA')",
    "vips": "user.vip = true",
    "new": "since >= date '2024-01-01'",
}
EVENT = {"age": 30, "state": ["CA", "NY"], "user": {"vip": True}, "since": "2024-05-01", "other": [{"a": None}]}


def asked(index: Any, event: dict[str, Any]) -> list[Any]:
    """The answer for a text, which is that for its bytes in any form."""
    text = json.dumps(event, ensure_ascii=False)
    found: list[Any] = index.match_json(text)
    for form in (text.encode(), bytearray(text.encode()), memoryview(text.encode()), b"\xef\xbb\xbf" + text.encode()):
        assert index.match_json(form) == found
    return found


def test_index_and_view() -> None:
    index = eligo.build(RULES)
    assert asked(index, EVENT) == asked(index.view(), EVENT) == list(RULES)
    assert asked(index, EVENT) == index.match({**EVENT, "since": date(2024, 5, 1)})
    assert asked(index, {}) == []


def test_changes_are_seen_at_once() -> None:
    index = eligo.build(RULES, merge_at=None)
    assert asked(index, EVENT) == list(RULES)
    index.delete("west")
    assert asked(index, EVENT) == ["adults", "vips", "new"]
    index.insert("old", "since < date '2025-01-01'")
    assert asked(index, EVENT) == ["adults", "vips", "new", "old"]
    # A text of an attribute that is now compared with strings too stays a string.
    index.insert("texts", "since = '2024-05-01'")
    assert asked(index, EVENT) == asked(index.view(), EVENT) == ["adults", "vips", "texts"]
    index.merge()
    assert asked(index, EVENT) == ["adults", "vips", "texts"]
    index.delete("texts")
    index.merge()
    assert asked(index, EVENT) == ["adults", "vips", "new", "old"]


def test_schema() -> None:
    schema = Schema.from_dict({"age": "int", "state": "list[string]", "since": "date", "user.vip": "bool"})
    index = eligo.build(RULES, schema=schema)
    assert asked(index, EVENT) == asked(index.view(), EVENT) == list(RULES)
    with pytest.raises(EventError, match="is not a date"):
        index.match_json('{"since": "yesterday"}')


def test_documents() -> None:
    index = eligo.build({"seen": "exists d (d.user = user)", "adults": "age >= 18"})
    documents = [{"user": "ann"}]
    for source in (index, index.view()):
        assert source.match_json('{"user": "ann", "age": 20}', documents=documents) == ["seen", "adults"]
        assert source.match_json('{"user": "bob", "age": 20}', documents=documents) == ["adults"]


def test_one_table_of_cases() -> None:
    index = eligo.build(expressions())
    for case, form in forms("json"):
        text = json_event(case, form)
        if case.outcome == ERROR:
            with pytest.raises(EventError):
                index.match_json(text)
        else:
            assert set(index.match_json(text)) == expected_ids(case), case.name


def test_errors_are_those_of_other_ways() -> None:
    index = eligo.build(RULES, limits=Limits(event_values=3))
    for text, problem in (
        ("{", "not JSON"),
        ("[1]", "an event is a JSON object"),
        (b'{"age": "\xff"}', "not UTF-8"),
        ('{"age": 1, "age": 2}', "more than once"),
        ('{"user.vip": true, "user": {"vip": true}}', "twice"),
        ("\ud800", "not UTF-8"),
    ):
        for source in (index, index.view()):
            with pytest.raises(EventError, match=problem):
                source.match_json(text)
    with pytest.raises(EventLimitError):
        index.match_json('{"state": ["a", "b", "c", "d"]}')
    for odd in (3, None, {"age": 3}, ["{}"]):
        with pytest.raises(InputError, match="a text or bytes"):
            index.match_json(odd)  # type: ignore[arg-type]
