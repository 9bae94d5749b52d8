"""Are tenants and times of events brought to the index's kind by one rule, whichever way events come?"""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.data.schema.schema import Schema
from eligo.errors import EventError, ExpressionError

REFUSED = "refused"
MIDNIGHT = datetime(2026, 1, 2, tzinfo=UTC)

TENANTS: list[tuple[Any, Any, Any]] = [
    # tenant of the event       against '7'   against 7
    ("7", True, True),
    (7, True, True),
    (7.0, True, True),
    ("007", False, REFUSED),
    ("+7", False, REFUSED),
    (" 7", False, REFUSED),
    ("7.0", False, REFUSED),
    ("", False, REFUSED),
    ("acme", False, REFUSED),
    ("9223372036854775808", False, REFUSED),
    (-7, False, False),
    (7.5, REFUSED, REFUSED),
    (True, REFUSED, REFUSED),
    (date(2026, 1, 2), REFUSED, REFUSED),
    (["7", "8"], REFUSED, REFUSED),
    (["7"], True, True),
    (None, False, False),
]
TIMES: list[tuple[Any, Any]] = [
    (MIDNIGHT, True),
    (date(2026, 1, 2), True),
    ("2026-01-02", True),
    ("2026-01-02T01:00:00+01:00", True),
    ("2026-01-01T23:59:59.999999Z", False),
    (date(2026, 1, 1), False),
    ("yesterday", REFUSED),
    (7, REFUSED),
    (None, False),
]


def guarded_index(kind: str) -> eligo.Index:
    tenant = "7" if kind == "int" else "'7'"
    text = f'"@tenant" = {tenant}^0 and "@time" >= timestamp \'2026-01-02T00:00:00Z\'^0 and (\nx = 1\n)'
    return eligo.build({"a": text}, schema=Schema.from_dict({"@tenant": kind, "@time": "timestamp"}))


def answers(index: eligo.Index, event: dict[str, Any]) -> dict[str, Any]:
    """Whether the event matches, or is refused, asked in every way."""

    def in_batch(events: Any) -> bool:
        return bool(index.match_batch(events).ids(0))

    table = pa.table({name: pa.array([value]) for name, value in event.items()})
    frame = pd.DataFrame({name: [value] for name, value in event.items()}, dtype=object)
    asked: dict[str, Callable[[], bool]] = {
        "match": lambda: bool(index.match(event)),
        "top": lambda: bool(index.top(event)),
        "few": lambda: in_batch([event]),
        "many": lambda: in_batch([event] * 20),
        "explain": lambda: index.explanation("a", event).matches,
        "arrow": lambda: in_batch(table),
        "pandas": lambda: in_batch(frame),
        "column of objects": lambda: bool(index.count_batch(frame)[0]),
    }
    if not any(isinstance(value, date) for value in event.values()):
        encoded = partial(EventBatch.from_json_lines, json.dumps(event), index.vocabulary, schema=index.schema)
        asked["JSON"] = lambda: in_batch(encoded())
    found: dict[str, Any] = {}
    for name, ask in asked.items():
        try:
            found[name] = ask()
        except EventError as error:
            assert error.attribute in ("@tenant", "@time")
            found[name] = REFUSED
    return found


@pytest.mark.parametrize(("tenant", "against_string", "against_int"), TENANTS)
def test_tenants_have_one_rule(tenant: Any, against_string: Any, against_int: Any) -> None:
    for kind, expected in (("string", against_string), ("int", against_int)):
        found = answers(guarded_index(kind), {"@tenant": tenant, "@time": MIDNIGHT, "x": 1})
        in_json = answers(guarded_index(kind), {"@tenant": tenant, "@time": "2026-01-02T00:00:00Z", "x": 1})
        assert set(found.values()) | set(in_json.values()) == {expected}, (kind, found, in_json)


@pytest.mark.parametrize(("moment", "expected"), TIMES)
def test_times_have_one_rule(moment: Any, expected: Any) -> None:
    found = answers(guarded_index("string"), {"@tenant": "7", "@time": moment, "x": 1})
    assert set(found.values()) == {expected}, found


def test_a_schema_of_guards_alone_says_nothing_of_other_attributes() -> None:
    index = guarded_index("int")
    index.insert("b", "day >= date '2026-01-01' and vip")
    with pytest.raises(ExpressionError, match="@tenant"):
        index.insert("c", "\"@tenant\" = 'acme'")
    index.merge()
    event = {"@tenant": "7", "@time": "2026-01-02", "x": 1, "day": "2026-01-01", "vip": True}
    batch = EventBatch.from_json_lines(json.dumps(event), index.vocabulary, schema=index.schema)
    assert index.match_batch(batch).ids(0) == ["a", "b"], "texts of other attributes are read as without a schema"
