"""Is a view asked as an index is, and does it stay of its moment?"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import eligo
from eligo.engines import registry
from eligo.errors import EventError, InputError

EVENTS: list[dict[str, Any]] = [{"age": 4, "state": "NY"}, {"age": 1}, {}]


@pytest.mark.parametrize("engine", registry.names())
def test_a_view_takes_events_as_an_index_does(engine: str) -> None:
    index = eligo.build({"a": "age > 3^2", "b": "age = 4", "c": "state = 'NY'^5"}, engine=engine, merge_at=None)
    index.delete("b")
    index.insert("d", "age = 4^3 or age = 1")
    view = index.view()
    answers = [index.match(event) for event in EVENTS]
    tops = [index.top(event, 2, weights={"age": 0.5}) for event in EVENTS]
    counts = index.count_batch(EVENTS).tolist()
    index.delete("a")
    index.replace("d", "age = 9")
    assert [view.match(event) for event in EVENTS] == answers == [["a", "c", "d"], ["d"], []]
    assert [view.top(event, 2, weights={"age": 0.5}) for event in EVENTS] == tops
    assert view.top(EVENTS[0], 1) == [("c", 5.0)]
    for events in (EVENTS, iter(EVENTS), pa.Table.from_pylist(EVENTS)):
        found = view.match_batch(events)
        assert [found.ids(row) for row in range(3)] == answers
    assert view.count_batch(EVENTS).tolist() == counts
    assert [view.top_batch(EVENTS, 2, weights={"age": 0.5}).scored_ids(row) for row in range(3)] == tops
    assert view.match_batch(pa.Table.from_pylist(EVENTS), exclude=["age"]).ids(0) == ["c"]


def test_the_schema_of_the_index_holds_for_its_views() -> None:
    index = eligo.build({1: "day >= date '2024-01-01'"}, schema={"day": "date"})
    view = index.view()
    assert view.match({"day": "2024-02-01"}) == [1] == view.match_batch([{"day": "2024-02-01"}]).ids(0)
    assert view.top({"day": "2024-02-01"}) == [(1, 1.0)]
    with pytest.raises(EventError, match="day"):
        view.match({"day": "soon"})
    with pytest.raises(EventError, match="mapping"):
        view.match(17)  # type: ignore[arg-type]


def test_encoded_events_fit_a_view_of_one_part() -> None:
    index = eligo.build({1: "a"}, merge_at=None)
    encoded = index.encode([{"a": True}])
    assert index.view().match_batch(encoded).ids(0) == [1]
    index.insert(2, "a")
    with pytest.raises(InputError, match="merge"):
        index.view().match_batch(encoded)


def test_attributes_that_no_column_gives_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    index = eligo.build({"a": "price_of_it > 1", "b": "user.vip = true", "c": "kept_out = 1"})
    events = pa.table({"prize_of_it": [2], "user": [{"vip": True}], "kept_out": [1]})
    for _ in range(3):
        assert index.match_batch(events, exclude=["kept_out"]).id_lists() == [["b"]]
        assert index.count_batch(events, exclude=["kept_out"]).tolist() == [0, 1, 0]
    [record] = caplog.records
    assert record.levelname == "WARNING" and record.name == "eligo"
    assert record.getMessage() == (
        "no column of the events gives what expressions ask for: kept_out, price_of_it (did you mean prize_of_it?)"
    )
    index.match_batch([{"x": 1}])
    index.match_batch(pa.table({"price_of_it": [1], "user": [{"vip": True}], "kept_out": [1]}))
    assert len(caplog.records) == 1, "rows say by themselves what they have"
