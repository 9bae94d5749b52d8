"""Which axes get elementary lists? Those where counting says that they are hardly longer, or that someone asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import InputError
from eligo.ranges import list_choice
from eligo.ranges.kernels.list_counts import count_lists
from eligo.ranges.kernels.segment_tree_walks import cover
from eligo.ranges.list_choice import checked_range_lists, elementary_axes
from eligo.ranges.segment_tree import tree_sizes

Range = tuple[int, int, int]
"""Axis, low and high cell."""


def chosen(ranges: Any, num_cells: list[int], *given_ranges: Range, uses: list[int] | None = None) -> list[bool]:
    columns = np.array(given_ranges, np.uint32).reshape(-1, 3).T
    often = np.array(uses if uses is not None else [1] * len(given_ranges), np.int64)
    found = elementary_axes(ranges, np.array(num_cells, np.int64), *columns, often)
    return found.tolist()


def nested(num_ranges: int, axis: int = 0) -> list[Range]:
    """Ranges each of which holds the next one."""
    return [(axis, number, 2 * num_ranges - number) for number in range(num_ranges)]


def side_by_side(num_ranges: int, axis: int = 0) -> list[Range]:
    return [(axis, 4 * number + 1, 4 * number + 3) for number in range(num_ranges)]


def test_ranges_side_by_side_get_elementary_lists_and_nested_ones_a_tree() -> None:
    ranges = [*side_by_side(100), *nested(100, axis=1)]
    assert chosen("auto", [401, 201], *ranges) == [True, False]
    assert chosen("segment_tree", [401, 201], *ranges) == [False, False]
    assert chosen("elementary", [401, 201], *ranges) == [True, True]


def test_a_wide_range_that_is_used_often_counts_as_often() -> None:
    ranges = [*side_by_side(100), (0, 0, 400)]
    assert chosen("auto", [401], *ranges) == [True]
    assert chosen("auto", [401], *ranges, uses=[*[1] * 100, 1000]) == [False]


def test_an_axis_without_ranges_needs_no_tree() -> None:
    assert chosen("auto", [5]) == chosen("elementary", [5]) == [True]
    assert chosen("auto", []) == []


def test_what_was_asked_for_is_given_up_beyond_the_bound_and_the_shortest_lists_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ranges = [*nested(100), *side_by_side(100, axis=1), *nested(20, axis=2)]
    monkeypatch.setattr(list_choice, "MOST_ELEMENTARY", 1_000)
    assert chosen("elementary", [201, 401, 41], *ranges) == [False, True, True]
    monkeypatch.setattr(list_choice, "MOST_ELEMENTARY", 400)
    assert chosen("elementary", [201, 401, 41], *ranges) == [False, True, False]


def test_counting_the_most_cells_there_may_be_neither_overflows_nor_takes_long() -> None:
    widest = [(0, 0, 2**31 - 2)] * 1000
    assert chosen("elementary", [2**31 - 1], *widest, uses=[2**40] * 1000) == [False]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 20), st.integers(0, 9)), max_size=30))
def test_lists_are_counted_as_they_are_registered(drawn: list[tuple[int, int, int, int]]) -> None:
    ranges = [(axis, min(one, other), max(one, other), uses) for axis, one, other, uses in drawn]
    sizes = tree_sizes(np.array([21, 25, 40], np.int64))
    columns = np.array(ranges, np.uint32).reshape(-1, 4).T
    in_tree, alone = np.zeros(3), np.zeros(3)
    count_lists(columns[0], columns[1], columns[2], columns[3].astype(np.int64), sizes, in_tree, alone)
    for found, size_of in ((in_tree, sizes.tolist()), (alone, [1, 1, 1])):
        wanted = [0.0, 0.0, 0.0]
        for axis, low, high, uses in ranges:
            wanted[axis] += uses * len(list(cover(np.uint32(low), np.uint32(high), size_of[axis], 0)))
        assert found.tolist() == wanted


@pytest.mark.parametrize("structure", ["cluster", "hybrid", "interval_tree"])
def test_structures_without_lists_are_refused_and_found_elsewhere(structure: str) -> None:
    with pytest.raises(InputError, match="lists under keys") as refused:
        checked_range_lists(structure)
    assert structure in refused.value.message and "RangeIndex" in refused.value.help


@pytest.mark.parametrize("odd", ["segment tree", "", None, 3, ["auto"], b"auto"])
def test_what_is_no_kind_of_lists_is_refused(odd: Any) -> None:
    with pytest.raises(InputError, match='ranges is "auto", "segment_tree" or "elementary"'):
        checked_range_lists(odd)
