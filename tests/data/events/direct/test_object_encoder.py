"""Is a dict that is looked at by a loop encoded as one that Python reads? And is all that is unusual left to Python?"""

from __future__ import annotations

from datetime import date
from sys import getrefcount
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events.direct.kernels.python_objects import KNOWS_TYPES
from eligo.data.events.direct.object_encoder import ObjectEncoder
from eligo.data.events.encoder.event_encoder import EventEncoder
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.compiled import IS_INTERPRETED
from eligo.kernels.kernel import compiled_now
from eligo.language.limits import DEFAULT_LIMITS

pytestmark = pytest.mark.skipif(IS_INTERPRETED or not KNOWS_TYPES, reason="only compiled loops look at objects")

MOST_VALUES, LONGEST_TEXT = 100, 1_000
EXPRESSIONS = [
    "age between 18 and 24 or age in (3, 5, 2.5)",
    "price < 7.25 or price = 9007199254740993",
    "state in ('CA', 'ÄÖ', '') or state >= 'M'",
    "vip = true and user.age > 3",
    "user.home.city under 'Europe/Spain' or tags contains all ('a', 'b')",
    "day = date '2026-01-02'",
]
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([True, False, None, 3, 5, 2.5, 18, 24, 7.25, 2**53 + 1, float(2**53), -0.0, float("inf")]),
    st.sampled_from([float("nan"), float("-inf"), 2**63 - 1, -(2**63), "CA", "ÄÖ", "", "M", "Europe/Spain/Ávila", "a"]),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(max_size=5),
)
VALUES = st.one_of(SCALARS, st.lists(SCALARS, max_size=4), st.lists(SCALARS, max_size=4).map(tuple))
NAMES = st.sampled_from(["age", "price", "state", "vip", "tags", "user.age", "user.home.city", "unknown", "näme", ""])
INNER = st.dictionaries(st.sampled_from(["age", "home.city", "other"]), VALUES, max_size=3)
EVENTS = st.dictionaries(NAMES, VALUES, max_size=6).flatmap(
    lambda event: st.one_of(st.just(event), INNER.map(lambda inner: {**event, "user": inner}))
)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    built = eligo.build([(str(number), text) for number, text in enumerate(EXPRESSIONS)])
    return built.engine.vocabulary


def direct(vocabulary: Vocabulary, event: dict[Any, Any], most_values: int = MOST_VALUES) -> set[int] | None:
    with compiled_now():
        found = ObjectEncoder(vocabulary, LONGEST_TEXT).items(event, DEFAULT_LIMITS, most_values)
    return None if found is None else set(np.frombuffer(found, np.uint64).tolist())


@given(event=EVENTS)
def test_a_dict_is_encoded_as_python_reads_it(vocabulary: Vocabulary, event: dict[str, Any]) -> None:
    found = direct(vocabulary, event)
    if found is None:
        # Only what may be given twice is left of these events.
        inner = event.get("user", {})
        assert any(f"user.{name}" in event for name in inner)
        return
    expected = EventEncoder(vocabulary).read_items(event)
    assert found == set(np.frombuffer(expected, np.uint64).tolist())


class OwnText(str):
    """A string that is not exactly one."""


@pytest.mark.parametrize(
    "event",
    [
        {1: 2},
        {OwnText("age"): 3},
        {"state": OwnText("CA")},
        {"age": 2**63},
        {"age": -(2**63) - 1},
        {"age": [1, [2]]},
        {"age": [{"a": 1}]},
        {"age": {1, 2}},
        {"day": date(2026, 1, 2)},
        {"unknown": ...},
        {"user": {1: 2}},
        {"state": "\ud800"},
        {"\ud800": 1},
        {"state": "x" * (LONGEST_TEXT + 1)},
        {"user": {"age": 1}, "user.age": 2},
        {"age": list(range(MOST_VALUES))},
        {str(number): number for number in range(MOST_VALUES + 1)},
    ],
    ids=repr,
)
def test_what_is_unusual_is_left(vocabulary: Vocabulary, event: dict[Any, Any]) -> None:
    assert direct(vocabulary, event) is None
    # No error of Python's stays behind.
    assert direct(vocabulary, {"age": 3}) is not None


def test_dicts_within_each_other_are_left_where_they_pass_the_limit(vocabulary: Vocabulary) -> None:
    event: dict[str, Any] = {"age": 3}
    for _ in range(DEFAULT_LIMITS.event_depth + 1):
        event = {"a": event}
    assert direct(vocabulary, event) is None


def test_there_is_room_for_an_event_of_many_values(vocabulary: Vocabulary) -> None:
    event = {"tags": [f"t{number}" for number in range(3_000)] + ["a"], "age": list(range(3_000))}
    found = direct(vocabulary, event, most_values=10_000)
    assert found == set(np.frombuffer(EventEncoder(vocabulary).read_items(event), np.uint64).tolist())


def test_no_reference_is_kept_or_lost(vocabulary: Vocabulary) -> None:
    value = "a value of an event"
    event = {"state": value, "tags": [value, value]}
    before = getrefcount(value), getrefcount(event)
    for _ in range(1_000):
        direct(vocabulary, event)
    assert (getrefcount(value), getrefcount(event)) == before
