"""Whole numbers that are found by one look hit what a search finds."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events.direct import whole_numbers
from eligo.data.events.direct.whole_numbers import book_for, number_book, stretches_of
from eligo.data.events.event_batch import EventBatch
from eligo.data.vocabulary import Vocabulary
from encoded_reading import same_batch

INT64_MAX, INT64_MIN = 2**63 - 1, -(2**63)
EDGES = [INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX]
NUMBERS = st.integers(-40, 40) | st.sampled_from(EDGES)


def vocabulary_of(*expressions: str) -> Vocabulary:
    return eligo.build(dict(enumerate(expressions))).vocabulary


@st.composite
def expressions(draw: st.DrawFn) -> str:
    low, high = sorted((draw(NUMBERS), draw(NUMBERS)))
    fraction = draw(st.sampled_from(("", ".5", ".25")))
    return draw(
        st.sampled_from(
            (
                f"n = {low}",
                f"n between {low} and {high}",
                f"n in ({low}, {high})",
                f"n < {draw(st.integers(-40, 40))}{fraction}",
                "m = 'x'",
            )
        )
    )


@given(st.lists(expressions(), min_size=1, max_size=6), st.lists(NUMBERS | st.floats(-50, 50) | st.none(), max_size=30))
def test_numbers_hit_the_same_with_and_without_stretches(texts: list[str], values: list[float | None]) -> None:
    wholes = [value for value in values if not isinstance(value, float)]
    tables = [pa.table({"n": pa.array(wholes, pa.int64())}), pa.table({"n": pa.array([-2, 7, None, 40], pa.int8())})]
    tables.append(pa.table({"n": pa.array([value for value in values if isinstance(value, float)], pa.float64())}))
    searched, looked_up = vocabulary_of(*texts), vocabulary_of(*texts)
    looked_up.kept["number_book"] = number_book(looked_up)
    for table in tables:
        assert same_batch(EventBatch.from_arrow(table, looked_up), EventBatch.from_arrow(table, searched))
    lines = "\n".join(json.dumps({"n": value}) for value in values)
    assert same_batch(EventBatch.from_json_lines(lines, looked_up), EventBatch.from_json_lines(lines, searched))


def test_a_stretch_has_what_is_named_and_one_more_at_each_end() -> None:
    lows, sizes = stretches_of(vocabulary_of("age between 18 and 65 or age = 99", "name = 'x'"))
    assert lows.tolist() == [17, 0] and sizes.tolist() == [84, 0]


@pytest.mark.parametrize("number", [INT64_MIN, INT64_MAX])
def test_numbers_at_the_end_of_64_bits_have_no_stretch(number: int) -> None:
    assert stretches_of(vocabulary_of(f"n = {number}"))[1].tolist() == [0]
    assert stretches_of(vocabulary_of(f"n in ({INT64_MIN + 1}, {INT64_MAX - 1})"))[1].tolist() == [0]


def test_numbers_far_apart_have_no_stretch() -> None:
    assert stretches_of(vocabulary_of("n in (1, 1000000)"))[1].tolist() == [0]
    assert stretches_of(vocabulary_of("n in (1, 1000)"))[1].tolist() == [1002]


def test_all_stretches_together_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_numbers, "MOST_SLOTS", 100)
    sizes = stretches_of(vocabulary_of("a in (1, 60)", "b in (1, 20)", "c in (1, 50)"))[1]
    assert sizes.tolist() == [0, 22, 52]


def test_only_a_long_table_makes_them() -> None:
    vocabulary = vocabulary_of("n in (1, 2)")
    assert book_for(vocabulary, whole_numbers.LONG - 1) == vocabulary.book.ctypes.data
    long = book_for(vocabulary, whole_numbers.LONG)
    assert long != vocabulary.book.ctypes.data and book_for(vocabulary, 1) == long


def test_a_long_table_is_answered_as_its_rows_are() -> None:
    index = eligo.build({"young": "age < 18", "old": "age >= 65", "forty": "age in (40, 41)", "half": "age = 40.5"})
    ages = np.random.default_rng(5).integers(-5, 120, whole_numbers.LONG)
    found = index.match_batch(pa.table({"age": ages}))
    assert "number_book" in index.vocabulary.kept
    for row in range(0, len(ages), 97):
        assert found.ids(row) == index.match({"age": int(ages[row])})
