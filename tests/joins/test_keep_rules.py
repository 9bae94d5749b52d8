"""Does a base keep what its rules let stay, and nothing else?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.errors import EligoError
from eligo.language.evaluate import matches

NOW = datetime(2024, 1, 31, tzinfo=UTC)


def test_the_last_so_many_stay() -> None:
    base = eligo.DocumentBase(keep_last=3)
    for number in range(10):
        assert base.add({"n": number}) == number
        assert list(base) == list(range(max(0, number - 2), number + 1))
    base.add_batch([{"n": number} for number in range(5)])
    assert list(base) == [12, 13, 14]
    base.remove([13])
    base.add({"n": 1})
    assert list(base) == [12, 14, 15]


def test_those_that_are_not_too_old_stay() -> None:
    base = eligo.DocumentBase(keep_for="7 days")
    for days in (0, 3, 6, 9, 12):
        base.add({}, time=NOW + timedelta(days=days))
    assert list(base) == [2, 3, 4]
    base.add({}, time=NOW)
    assert list(base) == [2, 3, 4]
    assert base.expire(NOW + timedelta(days=15)) == 1
    assert base.expire() == 2
    assert len(base) == 0


def test_a_document_of_the_future_makes_no_other_old() -> None:
    base = eligo.DocumentBase(keep_for=timedelta(days=7))
    base.add({})
    base.add({}, time=datetime(9999, 1, 1))
    assert list(base) == [0, 1]


def test_those_that_satisfy_an_expression_stay() -> None:
    base = eligo.DocumentBase(keep_if="price > 10")
    assert [base.add({"price": price}) for price in (5, 20, 10)] == [0, 1, 2]
    assert base.add({}) == 3
    assert base.add_batch({"price": [1, 30, None]}).numbers == range(4, 7)
    assert base.add_batch([{"price": 1}]).numbers == range(7, 8)
    assert list(base) == [1, 5]
    assert base.expire() == 0


MODEL_STEPS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=30)


@given(MODEL_STEPS, st.none() | st.integers(0, 5), st.none() | st.integers(1, 8), st.booleans(), st.booleans())
def test_rules_together(
    steps: list[tuple[int, int]], keep_last: int | None, keep_for: int | None, is_asked: bool, in_batches: bool
) -> None:
    rule = "n < 7" if is_asked else None
    base = eligo.DocumentBase(
        keep_last=keep_last, keep_for=None if keep_for is None else timedelta(days=keep_for), keep_if=rule
    )
    model: dict[int, tuple[datetime, Any]] = {}
    for number, (day, value) in enumerate(steps):
        moment = NOW + timedelta(days=day)
        if in_batches:
            base.add_batch([{"n": value}], times=moment)
        else:
            base.add({"n": value}, time=moment)
        if rule is None or matches(rule, {"n": value}):
            model[number] = (moment, value)
        if keep_for is not None and model:
            newest = max(time for time, _ in model.values())
            model = {key: kept for key, kept in model.items() if kept[0] >= newest - timedelta(days=keep_for)}
        if keep_last is not None:
            model = dict(list(model.items())[max(0, len(model) - keep_last) :])
        assert list(base) == list(model)


def test_memory_is_bounded_and_given_back() -> None:
    base = eligo.DocumentBase(keep_last=1000)
    most = 0
    for _ in range(30):
        base.add_batch({"n": np.arange(500), "s": [f"text {number}" for number in range(500)]})
        most = max(most, base.stats().bytes_in_memory)
    stats = base.stats()
    assert (stats.num_documents, stats.next_number, stats.bytes_on_disk) == (1000, 15_000, 0)
    assert stats.num_dead <= 1000
    assert most < 5 * 1500 * 40
    base.compact()
    compact = base.stats()
    assert (compact.num_dead, compact.num_segments) == (0, 1)
    assert compact.bytes_in_memory <= stats.bytes_in_memory
    assert compact.oldest is not None and compact.newest is not None and compact.oldest <= compact.newest
    assert list(base) == list(range(14_000, 15_000))


def test_an_empty_base_has_no_times() -> None:
    stats = eligo.DocumentBase().stats()
    assert (stats.num_documents, stats.num_segments, stats.oldest, stats.newest) == (0, 0, None, None)


@pytest.mark.parametrize(
    "rules",
    [{"keep_last": -1}, {"keep_for": "soon"}, {"keep_for": 7}, {"keep_for": timedelta(0)}, {"keep_if": "price >"}],
    ids=str,
)
def test_rules_are_checked(rules: dict[str, Any]) -> None:
    with pytest.raises(EligoError):
        eligo.DocumentBase(**rules)
