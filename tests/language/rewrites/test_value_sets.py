"""Sets of values: membership is what the oracle says of one value, and set operations are those of membership."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.language.evaluate import evaluate
from eligo.language.rewrites.value_sets import (
    ALL,
    EMPTY,
    ValueSet,
    after,
    before,
    intersection,
    listed,
    predicate_hitting,
    union,
    values_hit,
)
from eligo.language.tree import (
    Between,
    Equals,
    Exists,
    Greater,
    GreaterOrEqual,
    In,
    IsTrue,
    Less,
    LessOrEqual,
    Predicate,
    StartsWith,
)
from eligo.language.value import Scalar, event_values, kind_of
from strategies import event_scalars, predicates, scalars

POSITIVE = (Between, Equals, Exists, Greater, GreaterOrEqual, In, IsTrue, Less, LessOrEqual, StartsWith)
RANGES = predicates(("a", "b", "c", "d", "e")).filter(lambda each: type(each) in POSITIVE)
VALUES = st.lists(st.one_of(scalars(), event_scalars()), min_size=1, max_size=8)


def holds(values: ValueSet, value: Scalar) -> bool:
    """Membership by cuts: a value lies between the cut before it and the cut after it."""
    cuts = values.cuts_of_kind[kind_of(value)]
    return any(low <= before(value) and after(value) <= high for low, high in zip(cuts[::2], cuts[1::2], strict=True))


def each(raw: list[Any]) -> list[Scalar]:
    return [value for item in raw for value in event_values(item)]


@given(RANGES, VALUES)
def test_a_predicate_hits_what_the_oracle_says(predicate: Predicate, raw: list[Any]) -> None:
    for value in each(raw):
        assert holds(values_hit(predicate), value) is evaluate(predicate, {predicate.attribute: value})


@given(st.lists(RANGES, min_size=1, max_size=4), VALUES)
def test_union_intersection_and_complement(some: list[Predicate], raw: list[Any]) -> None:
    sets = list(map(values_hit, some))
    for value in each(raw):
        assert holds(union(sets), value) is any(holds(one, value) for one in sets)
        assert holds(intersection(sets), value) is all(holds(one, value) for one in sets)
        assert holds(sets[0].complement(), value) is not holds(sets[0], value)


@given(RANGES, RANGES, VALUES)
def test_within(inner: Predicate, outer: Predicate, raw: list[Any]) -> None:
    left, right = values_hit(inner), values_hit(outer)
    assert left.is_within(right) is intersection((left, right.complement())).is_empty
    assert left.is_within(union((left, right)))
    if left.is_within(right):
        assert all(holds(right, value) for value in each(raw) if holds(left, value))


@given(RANGES)
def test_a_set_is_written_back_as_a_predicate_that_hits_it(predicate: Predicate) -> None:
    values = values_hit(predicate)
    written = predicate_hitting(predicate.attribute, values)
    assert written is not None
    assert values_hit(written) == values


def test_nothing_and_everything() -> None:
    assert EMPTY.complement() == ALL
    assert ALL.complement() == EMPTY
    assert union(()) == EMPTY
    assert intersection(()) == ALL
    assert listed((True, False)).is_all is False
    assert predicate_hitting("a", EMPTY) == In("a", ())
    assert predicate_hitting("a", ALL) == Exists("a")


@pytest.mark.parametrize(
    ("values", "others"),
    [
        ((date(2024, 1, 30), date(2024, 1, 31)), Between("d", date(2024, 1, 30), date(2024, 1, 31))),
        ((True,), IsTrue("d")),
        (("",), Equals("d", "")),
    ],
)
def test_values_with_a_next_value(values: tuple[Scalar, ...], others: Predicate) -> None:
    assert listed(values) == values_hit(others)


def test_a_short_run_of_dates_is_listed_and_a_long_one_is_a_range() -> None:
    days = [date(2024, 1, day) for day in range(1, 10)]
    assert predicate_hitting("d", listed((*days[:3], "x"))) == In("d", ("x", *days[:3]))
    assert predicate_hitting("d", listed((*days, "x"))) is None
    assert predicate_hitting("d", listed(days)) == Between("d", days[0], days[-1])


def test_prefixes_end_after_the_last_string_that_has_them() -> None:
    last = "\U0010ffff"
    assert values_hit(StartsWith("a", last)) == values_hit(GreaterOrEqual("a", last))
    assert not listed((f"a{last}{last}",)).is_within(values_hit(Less("a", f"a{last}")))
    assert listed((f"a{last}{last}",)).is_within(values_hit(StartsWith("a", "a")))
    assert listed(("x\ud7ff\U0010ffff",)).is_within(values_hit(StartsWith("a", "x\ud7ff")))
    assert not listed(("x\ue000",)).is_within(values_hit(StartsWith("a", "x\ud7ff")))
