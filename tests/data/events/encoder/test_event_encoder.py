from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events.decided_keys import rows_between
from eligo.data.events.direct import object_encoder
from eligo.data.events.encoder import event_encoder
from eligo.data.events.encoder.event_encoder import EventEncoder
from eligo.data.events.event import read_events, with_weights
from eligo.data.events.event_batch import EventBatch, encoded_event
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

WEIGHTS = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from(["a", "b", "c", "user.age"]),
        st.one_of(
            st.sampled_from([0.5, 1, 2.0]),
            st.dictionaries(st.sampled_from([1, "p", 7.5, "x"]), st.just(3.0), max_size=2),
        ),
        max_size=3,
    ),
)


def same(one: EventBatch, other: EventBatch) -> bool:
    return all(
        mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist() and not mine.flags.writeable
        for mine, theirs in zip(one.arrays().values(), other.arrays().values(), strict=True)
    )


def by_values(events: list[Any], vocabulary: Vocabulary, **options: Any) -> EventBatch:
    """The events by way of flat arrays of values and the kernels that encode those, as tables of events are."""
    values, num_events, _ = read_events(with_weights(events, options.get("weights")), vocabulary)
    return EventBatch.from_values(num_events, [values], vocabulary)


@pytest.mark.parametrize("most_listed", [event_encoder.MOST_LISTED, 12, 0])
@given(st.lists(EVENTS, max_size=6))
def test_events_are_encoded_as_by_the_kernels(
    vocabulary: Vocabulary, most_listed: int, events: list[dict[str, Any]]
) -> None:
    """Also when some attributes, or all, have too many values for dictionaries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(event_encoder, "MOST_LISTED", most_listed)
        patch.setitem(vocabulary.kept, "encoder", EventEncoder(vocabulary))
        expected = by_values(events, vocabulary)
        assert same(EventBatch.from_dicts(events, vocabulary), expected)
        for row, event in enumerate(events):
            assert same(encoded_event(event, vocabulary), rows_between(expected, row, row + 1))


@given(st.lists(st.tuples(EVENTS, WEIGHTS), max_size=4))
def test_weights_are_those_of_the_kernels(vocabulary: Vocabulary, given: list[tuple[dict[str, Any], Any]]) -> None:
    events, weights = [event for event, _ in given], [own for _, own in given]
    found = EventBatch.from_dicts(events, vocabulary, weights=weights)
    assert same(found, by_values(events, vocabulary, weights=weights))


ERRORS: list[Any] = [
    {"a": 2**64},
    {"a": [1, -(2**63) - 1]},
    {"a": b"bytes"},
    {"a": ["x", {}]},
    {"a": "\ud800"},
    {"b": ["p", "p/\udfff"]},
    {1: 2},
    {1: None},
    {"other": {1: 2}},
    {"user": {"age": 1}, "user.age": 2},
    {"d": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))},
    [1],
    None,
]


@pytest.mark.parametrize("event", ERRORS)
@pytest.mark.parametrize("most_listed", [event_encoder.MOST_LISTED, 0])
def test_errors_are_those_of_careful_reading(
    vocabulary: Vocabulary, event: Any, most_listed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_encoder, "MOST_LISTED", most_listed)
    monkeypatch.setitem(vocabulary.kept, "encoder", EventEncoder(vocabulary))
    with pytest.raises(eligo.EligoError) as careful:
        by_values([event], vocabulary)
    with pytest.raises(eligo.EligoError) as alone:
        encoded_event(event, vocabulary)
    with pytest.raises(eligo.EligoError) as batch:
        EventBatch.from_dicts([{}, event], vocabulary)
    assert str(careful.value) == str(batch.value).replace("event 1", "event 0")
    assert str(careful.value).endswith(str(alone.value))


@pytest.mark.parametrize("text", ["a = {}", "a <= {}"])
@pytest.mark.parametrize("number", [2.0**63, -(2.0**64), 1e300])
def test_an_int_beyond_64_bits_is_not_taken_for_the_float_of_its_size(text: str, number: float) -> None:
    index = eligo.build({"x": text.format(number)})
    assert index.match({"a": number}) == ["x"]
    for value in (int(number), [1, int(number)]):
        with pytest.raises(eligo.EligoError, match="does not fit in 64 bits"):
            index.match({"a": value})


@pytest.mark.parametrize(
    "event",
    [
        {"a": 123456, "b": "never seen", "c": [1.5, "x", True, None], "d": date(1999, 1, 1), "other": (1,)},
        {"a": float("inf"), "d": [datetime(2001, 2, 3, 4), datetime(2001, 2, 3, tzinfo=UTC)], "user": {"age": -7}},
        {"b": "p/q/" + "r" * 900, "user": {"age": [1, 2], "more": {"deep": {}}}, "c": {1, 2}},
    ],
)
def test_plain_values_are_never_read_the_long_way(
    vocabulary: Vocabulary, event: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = by_values([event], vocabulary)
    monkeypatch.setattr(event_encoder, "known_attributes", None)
    assert same(encoded_event(event, vocabulary), expected)


def test_attributes_that_no_expression_has_are_passed_over_unread(vocabulary: Vocabulary) -> None:
    assert encoded_event({"other": [object()], "more": 2**70, "n": {"a": object()}}, vocabulary).num_events == 1


@pytest.fixture(scope="module", params=["objects", "dictionaries"], autouse=True)
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Every test here runs both ways: by the loop that looks at objects, and by dictionaries."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "dictionaries":
            patch.setattr(object_encoder, "KNOWS_TYPES", False)
        yield


@pytest.fixture
def without_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dicts are looked up in dictionaries, as before there is compiled code."""
    monkeypatch.setattr(object_encoder, "KNOWS_TYPES", False)


@pytest.mark.usefixtures("without_objects")
def test_nothing_is_remembered_of_values(vocabulary: Vocabulary) -> None:
    encoder = EventEncoder(vocabulary)
    encoder.items({"a": 5, "b": "p"})
    sizes = {name: len(hits) for name, hits in encoder._tables.items()}
    for number in range(1_000):
        encoder.items({"a": [number, number + 0.5, str(number)], "b": f"p/{number}", f"unknown {number}": 1})
    assert {name: len(hits) for name, hits in encoder._tables.items()} == sizes and sizes["a"] > 4


@pytest.mark.usefixtures("without_objects")
def test_only_attributes_with_few_values_get_dictionaries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_encoder, "MOST_LISTED", 10)
    operands = ", ".join(f"'v{number}'" for number in range(50))
    index = eligo.build({"few": "few in (1, 2)", "many": f"many in ({operands})", "both": "many < 'w'"})
    assert index.match({"few": 2, "many": "v49"}) == ["few", "many", "both"]
    assert index.match({"many": "v50"}) == ["both"] and index.match({"many": "x"}) == []
    tables = index.parts[0].encoder._tables
    assert set(tables["few"]) == {1, 2} and not tables["many"]


def test_a_taxonomy_says_what_is_under_what() -> None:
    places = eligo.Hierarchy({"Paris": "France", "France": "Europe", "Oslo": "Norway", "Norway": "Europe"})
    index = eligo.build(
        {"e": "c under 'Europe'", "f": "c under 'France'", "p": "c = 'Paris'"}, hierarchies={"c": places}
    )
    for value in ("Paris", "France", "Oslo", "Europe", "Rome", "Europe/x"):
        event = {"c": value}
        assert same(encoded_event(event, index.vocabulary), by_values([event], index.vocabulary))
    assert index.match({"c": "Paris"}) == ["e", "f", "p"] and index.match({"c": ["Oslo"]}) == ["e"]


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
