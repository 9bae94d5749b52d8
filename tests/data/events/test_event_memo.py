from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events import event_memo
from eligo.data.events.event_batch import EventBatch
from eligo.data.events.event_memo import EventMemo
from eligo.data.vocabulary import Vocabulary

TEXTS = {
    0: "a between 2 and 7.5 or a in (1, true, 'x', 9)",
    1: "b under 'p/q' or b starts with 'p' or b = 'p'",
    2: "d < date '2024-05-01' or d > timestamp '2024-05-01T12:00:00' or d under '2023'",
    3: "user.age > 3 and c exists",
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return eligo.build(TEXTS).vocabulary


PLAIN_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 2, 7, 8, 9, 2**62, -1, 1.0, 7.5, 0.0, -0.0, float("nan"), float("inf"), 2.0**70]),
    st.sampled_from(["", "x", "p", "p/q", "p/q/r", "pq", "2023"]),
    st.sampled_from([date(2023, 3, 1), date(2024, 5, 1), datetime(2024, 5, 1, 13, tzinfo=UTC), datetime(2024, 5, 1)]),
    st.just(datetime(2024, 5, 1, 15, tzinfo=timezone(timedelta(hours=3)))),
)
VALUES = st.one_of(PLAIN_VALUES, st.lists(PLAIN_VALUES, max_size=3), st.tuples(PLAIN_VALUES))
EVENTS = st.dictionaries(
    st.sampled_from(["a", "b", "c", "d", "user.age", "user", "other"]),
    st.one_of(VALUES, st.fixed_dictionaries({"age": VALUES})),
).filter(lambda event: not {"user", "user.age"} <= event.keys())  # which would give an attribute twice


def same(one: EventBatch, other: EventBatch) -> bool:
    return all(
        mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist() and not mine.flags.writeable
        for mine, theirs in zip(one.arrays().values(), other.arrays().values(), strict=True)
    )


@given(st.lists(EVENTS, max_size=6))
def test_an_event_is_encoded_as_in_a_batch(vocabulary: Vocabulary, events: list[dict[str, Any]]) -> None:
    memo = EventMemo(vocabulary)
    for event in [*events, *events]:
        assert same(memo.encode(event), EventBatch.from_dicts([event], vocabulary))


@pytest.mark.parametrize(
    "event", [{"a": 2**64}, {"a": b"bytes"}, {"a": ["x", {}]}, {"a": "\ud800"}, {1: 2}, {1: None}, [1], None]
)
def test_errors_are_those_of_a_batch(vocabulary: Vocabulary, event: Any) -> None:
    with pytest.raises(eligo.EligoError) as long_way:
        EventBatch.from_dicts([event], vocabulary)
    with pytest.raises(eligo.EligoError) as error:
        EventMemo(vocabulary).encode(event)
    assert str(error.value) == str(long_way.value)


def test_attributes_that_no_expression_has_are_passed_over_unread(vocabulary: Vocabulary) -> None:
    assert EventMemo(vocabulary).encode({"other": [object()], "more": 2**70}).num_events == 1


def test_memory_is_bounded(vocabulary: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_memo, "MOST_REMEMBERED", 5)
    memo = EventMemo(vocabulary)
    for number in range(50):
        memo.encode({"a": number, "b": "x" * 5000})
        assert len(memo._hits) <= 5
    assert not any(value == "x" * 5000 for _, _, value in memo._hits)


def test_an_index_answers_the_same_for_one_event_and_for_many() -> None:
    index = eligo.build(TEXTS)
    events = [{"a": 5, "b": "p/q"}, {"d": date(2023, 1, 1)}, {"user": {"age": 4}, "c": [1]}, {"a": np.int64(9)}]
    found = index.match_batch(events)
    assert [index.match(event) for event in events] == [found.ids(row) for row in range(len(events))]


class Autumn(tzinfo):
    """A zone on the day when its clocks go back by an hour."""

    def utcoffset(self, moment: datetime | None) -> timedelta:
        return timedelta(hours=1 if moment is not None and moment.fold else 2)

    def dst(self, moment: datetime | None) -> timedelta:
        return self.utcoffset(moment) - timedelta(hours=1)


def test_an_hour_that_clocks_show_twice_is_two_hours() -> None:
    first = datetime(2024, 10, 27, 2, 30, tzinfo=Autumn())
    second = first.replace(fold=1)
    index = eligo.build({"early": "d < timestamp '2024-10-27T01:00:00'"})
    found = [index.match({"d": moment}) for moment in (first, second, first)]
    assert found == [["early"], [], ["early"]]
