"""Do the sorts of kernels sort, only what they were given, and with equal ranks in the order in which they came?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines.kernels.short_sorts import sort_by_rank, sort_numbers


@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 3), max_size=60), st.data())
def test_a_stretch_is_sorted_and_nothing_beside_it(numbers: list[int], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(numbers)))
    last = data.draw(st.integers(first, len(numbers)))
    array = np.array(numbers, np.uint32)
    sort_numbers(array, first, last)
    assert array.tolist() == [*numbers[:first], *sorted(numbers[first:last]), *numbers[last:]]


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 3.0]), max_size=60))
def test_equal_ranks_keep_their_order(ranks: list[float]) -> None:
    sorted_ranks, places = np.array([*ranks, -7.0]), np.arange(len(ranks) + 1)
    sort_by_rank(sorted_ranks, places, len(ranks))
    assert places.tolist() == [*np.argsort(ranks, kind="stable").tolist(), len(ranks)]
    assert sorted_ranks.tolist() == [*sorted(ranks), -7.0]


@pytest.mark.parametrize("step", [1, -1, 7_919])
def test_many_are_sorted_in_whatever_order_they_come(step: int) -> None:
    numbers = (np.arange(20_000) * step % 20_000).astype(np.uint32)
    ranks, places = numbers.astype(np.float64), np.arange(20_000)
    sort_by_rank(ranks, places, 20_000)
    assert np.array_equal(places, np.argsort(numbers, kind="stable"))
    sort_numbers(numbers, 0, 20_000)
    assert np.array_equal(numbers, np.arange(20_000))
