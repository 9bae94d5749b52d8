"""Does a base hold the documents that came and did not go? Compared with a plain dict."""

from __future__ import annotations

import math
import os
import signal
import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from document_content import as_sets, expected
from eligo.errors import EventError, EventLimitError, InputError
from eligo.joins.base_state import MOST_PENDING
from strategies import events

MOMENT = datetime(2024, 1, 31, 10, tzinfo=UTC)


def content(base: eligo.DocumentBase) -> dict[int, dict[str, set[Any]]]:
    """The documents by number; the order of an attribute's values says nothing."""
    return {number: as_sets(document) for number, document in base.snapshot().documents()}


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), events()),
        st.tuples(st.just("batch"), st.lists(events(), max_size=5)),
        st.tuples(st.just("remove"), st.sets(st.integers(0, 40))),
        st.tuples(st.just("look"), st.none()),
    ),
    max_size=25,
)


@given(STEPS)
def test_it_holds_what_came_and_did_not_go(steps: list[tuple[str, Any]]) -> None:
    base = eligo.DocumentBase()
    model: dict[int, Any] = {}
    count = 0
    for what, argument in steps:
        if what == "add":
            assert base.add(argument) == count
            model[count] = expected(argument)
            count += 1
        elif what == "batch":
            assert base.add_batch(argument).numbers == range(count, count + len(argument))
            model |= {count + place: expected(document) for place, document in enumerate(argument)}
            count += len(argument)
        elif what == "remove":
            gone = argument & model.keys()
            assert base.remove(gone) == len(gone)
            model = {number: document for number, document in model.items() if number not in gone}
        else:
            assert base.snapshot().num_documents == len(model)
    assert len(base) == len(model)
    assert list(base) == sorted(model)
    assert content(base) == model
    for number in range(count + 1):
        assert (number in base) == (number in model)
        if number in model:
            assert as_sets(base.document(number)) == model[number]


def test_segments_stay_few() -> None:
    base = eligo.DocumentBase()
    for number in range(1000):
        base.add({"n": number})
        if number % 7 == 0:
            base.snapshot()
    assert len(base.snapshot().segments) <= 10
    assert base.snapshot().numbers().tolist() == list(range(1000))


def test_what_is_mostly_dead_gives_its_memory_back() -> None:
    base = eligo.DocumentBase()
    base.add_batch({"n": np.arange(1000)})
    base.remove(np.arange(0, 400))
    assert sum(segment.num_documents for segment, _ in base.snapshot().segments) == 1000
    base.remove(np.arange(400, 600))
    assert sum(segment.num_documents for segment, _ in base.snapshot().segments) == 400
    assert base.snapshot().numbers().tolist() == list(range(600, 1000))


def test_a_snapshot_stays_as_it_is() -> None:
    base = eligo.DocumentBase()
    base.add({"n": 1})
    before = base.snapshot()
    base.add({"n": 2})
    base.remove([0])
    assert before.numbers().tolist() == [0]
    assert base.snapshot().numbers().tolist() == [1]
    assert before.version < base.snapshot().version


ROWS = [
    {"i": 1, "f": 1.5, "s": "a", "b": True, "d": date(2024, 1, 31), "t": MOMENT, "l": ["x", "y", "x"], "o.p": 2},
    {"i": None, "f": math.nan, "s": None, "b": None, "d": None, "t": None, "l": [], "o.p": None},
    {"i": 2**53 + 1, "f": 2.0, "s": "ü\0", "b": False, "d": date(1, 1, 1), "t": MOMENT, "l": ["z"], "o.p": -1},
    {"i": -(2**63), "f": -math.inf, "s": "", "b": False, "d": date(9999, 12, 31), "t": MOMENT, "l": None, "o.p": 0},
    {"i": 7, "f": 1e300, "s": "b", "b": True, "d": None, "t": None, "l": ["x"], "o.p": 3},
]


def table() -> pa.Table:
    columns: dict[str, Any] = {name: [row[name] for row in ROWS] for name in ROWS[0] if name != "o.p"}
    columns["o"] = pa.array([{"p": row["o.p"]} for row in ROWS])
    return pa.table({**columns, "m": pa.array([None, [("k", 1)], [], [("k", 2), ("j", 3)], None], MAP)})


MAP = pa.map_(pa.string(), pa.int64())
MAPS = ({}, {"m.k": 1}, {}, {"m.k": 2, "m.j": 3}, {})


@pytest.mark.parametrize("chunks", [1, 2])
def test_a_table_is_read_as_its_rows_are(chunks: int) -> None:
    given_table = table() if chunks == 1 else pa.concat_tables([table().slice(0, 2), table().slice(2)])
    base = eligo.DocumentBase()
    assert base.add_batch(given_table).numbers == range(5)
    assert list(content(base).values()) == [expected(row | more) for row, more in zip(ROWS, MAPS, strict=True)]


def test_frames_and_columns_are_read_as_their_rows_are() -> None:
    frame = pd.DataFrame({"i": [1, 2], "s": ["a", None], "x": [1, "one"], "t": pd.to_datetime(["2024-01-31", None])})
    columns = {"i": np.array([1, 2]), "s": ["a", None], "x": [1, "one"], "t": pa.array([datetime(2024, 1, 31), None])}
    day = datetime(2024, 1, 31, tzinfo=UTC)
    rows = [expected({"i": 1, "s": "a", "x": 1, "t": day}), expected({"i": 2, "x": "one"})]
    for given_columns in (frame, columns):
        base = eligo.DocumentBase()
        base.add_batch(given_columns)
        assert list(content(base).values()) == rows


@given(st.lists(events(), max_size=8))
def test_columns_of_objects_are_read_as_rows(rows: list[dict[str, Any]]) -> None:
    names = sorted({name for row in rows for name in row})
    base = eligo.DocumentBase()
    base.add_batch({name: [row.get(name) for row in rows] for name in names})
    assert list(content(base).values()) == [expected(row) for row in rows][: len(base)]


BAD = {
    "names": [{"a": 1}, {"\ud800": 1}, {"a": 2}],
    "names in columns": {"a": [1, 2, 3], "b": [None, {"\ud800": 1}, None]},
    "rows": [{"a": 1}, {"a": {1: 2}}, {"a": 2}],
    "table": pa.table({"a": pa.array([1, 2**63, 2], pa.uint64())}),
    "columns": {"a": [1, 2**64, 2]},
    "nested": {"a": pa.array([1, None, 3]), "a.b": [None, [[1]], None]},
}


@pytest.mark.parametrize("documents", BAD.values(), ids=BAD)
def test_one_bad_document_is_named_and_nothing_is_added(documents: Any) -> None:
    base = eligo.DocumentBase()
    with pytest.raises(EventError, match="event 1"):
        base.add_batch(documents)
    assert len(base) == 0
    added = base.add_batch(documents, on_error="reject")
    assert [reject.id for reject in added.rejects] == [1]
    assert added.numbers == range(2)
    assert len(base) == 2


def test_limits_are_those_of_events() -> None:
    base = eligo.DocumentBase(limits=eligo.Limits(event_values=3))
    for too_many in ({"a": [1, 2, 3, 4]}, {"a": [1, 1, 1, 1]}):
        with pytest.raises(EventLimitError):
            base.add(too_many)
        with pytest.raises(EventLimitError):
            base.add_batch(pa.Table.from_pylist([too_many]))
        with pytest.raises(EventLimitError):
            base.add_batch({name: [value] for name, value in too_many.items()})
    assert base.add({"a": [1, 2, 3]}) == 0


def test_an_attribute_is_given_once() -> None:
    base = eligo.DocumentBase()
    columns = {"a": pa.array([{"b": 1}, {"b": None}, {"b": 3}]), "a.b": pa.array([None, 2, None])}
    base.add_batch(columns)
    assert [base.document(number) for number in base] == [{"a.b": (1,)}, {"a.b": (2,)}, {"a.b": (3,)}]
    with pytest.raises(EventError, match="twice"):
        base.add_batch(columns | {"a.b": pa.array([5, 2, None])})


def test_a_document_came_when_it_was_added_or_as_was_said() -> None:
    base = eligo.DocumentBase()
    before = datetime.now(UTC)
    base.add({"a": 1})
    assert before <= base.time_of(0) <= datetime.now(UTC)
    base.add({"a": 1}, time=MOMENT)
    base.add_batch([{"a": 1}, {"a": 2}], times=date(2024, 2, 1))
    base.add_batch([{"a": 1}, {"a": 2}], times=[MOMENT, MOMENT + timedelta(microseconds=1)])
    midnight = datetime(2024, 2, 1, tzinfo=UTC)
    moments = [MOMENT, midnight, midnight, MOMENT, MOMENT + timedelta(microseconds=1)]
    assert [base.time_of(number) for number in range(1, 6)] == moments
    with pytest.raises(InputError, match="2 times for 1 document"):
        base.add_batch([{"a": 1}], times=[MOMENT, MOMENT])


def test_an_attribute_says_when_a_document_came() -> None:
    base = eligo.DocumentBase(time="at")
    base.add({"at": MOMENT})
    base.add_batch(pa.table({"at": [date(2024, 2, 1)]}))
    assert [base.time_of(number) for number in base] == [MOMENT, datetime(2024, 2, 1, tzinfo=UTC)]
    for without in ({}, {"at": 3}, {"at": [MOMENT, date(2024, 2, 1)]}):
        with pytest.raises(EventError, match="time"):
            base.add(without)
        with pytest.raises(EventError, match="event 1"):
            base.add_batch([{"at": MOMENT}, without])
    added = base.add_batch([{"at": MOMENT}, {}, {"at": MOMENT}], on_error="reject")
    assert [reject.id for reject in added.rejects] == [1]
    assert len(base) == 4
    base.add({}, time=MOMENT)
    assert len(base) == 5


def test_the_scope_narrows_to_the_last() -> None:
    base = eligo.DocumentBase()
    base.add_batch([{"n": number} for number in range(10)], times=[MOMENT - timedelta(days=n) for n in range(10)])
    base.remove([8])
    snapshot = base.snapshot()
    assert snapshot.in_scope(None, MOMENT) is snapshot
    assert snapshot.in_scope(3, MOMENT).numbers().tolist() == [6, 7, 9]
    assert snapshot.in_scope(100, MOMENT).num_documents == 9
    assert snapshot.in_scope(timedelta(days=2), MOMENT).numbers().tolist() == [0, 1, 2]
    assert snapshot.in_scope(timedelta.max, MOMENT).num_documents == 9


def test_what_is_not_there_cannot_go() -> None:
    base = eligo.DocumentBase()
    base.add({"a": 1})
    with pytest.raises(InputError, match="no document 1"):
        base.remove([0, 1])
    assert base.remove(0) == 1
    with pytest.raises(InputError, match="no document 0"):
        base.remove([0])
    with pytest.raises(InputError, match="no document 0"):
        base.document(0)
    assert base.add({"a": 1}) == 1


def test_values_keep_their_kinds() -> None:
    base = eligo.DocumentBase()
    base.add({"a": [Decimal("2.50"), np.float32(0.5), True, "1", 1], "user": {"age": np.int8(3)}})
    assert base.document(0) == {"a": (True, 1, 2.5, 0.5, "1"), "user.age": (3,)}


def test_threads_add_and_read_at_once() -> None:
    base = eligo.DocumentBase()
    numbers: list[int] = []

    def work() -> None:
        for step in range(3 * MOST_PENDING):
            numbers.append(base.add({"n": step}))
            assert base.snapshot().num_documents

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(12 * MOST_PENDING)) == list(base)


def test_a_signal_handler_may_add_in_the_middle_of_a_change() -> None:
    base = eligo.DocumentBase()

    def handler(signum: int, frame: Any) -> None:
        base.add({"from": "handler"})

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        for number in range(2000):
            base.add({"n": number})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    own = [document["n"][0] for _, document in base.snapshot().documents() if "n" in document]
    assert own == list(range(2000))
    assert list(base) == list(range(len(base)))


def test_a_forked_process_reads_and_adds_to_its_own_copy() -> None:
    base = eligo.DocumentBase()
    base.add({"a": 1})
    holding = threading.Event()
    done = threading.Event()

    def hold() -> None:
        with base._states.changing:
            holding.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if base.add({"a": 2}) == 1 and len(base) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0
    done.set()
    thread.join()
    assert len(base) == 1
