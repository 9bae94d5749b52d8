"""Are the ranks of an attribute's values as its documents have them?"""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from typing import Any

from eligo.joins.ordered_column import OrderedColumn, ordered_column
from eligo.joins.segment import Segment
from eligo.language.value import event_attributes


def column_of(*values: Any) -> OrderedColumn:
    documents = [event_attributes({"a": value}) for value in values]
    return ordered_column(Segment.of(documents, range(len(values)), [0] * len(values)), "a")


def rows_by_rank(column: OrderedColumn) -> list[list[int]]:
    offsets, rows = column.arrays.row_offsets.tolist(), column.arrays.rows.tolist()
    return [rows[begin:end] for begin, end in pairwise(offsets)]


def test_the_column_that_is_drawn() -> None:
    column = column_of(25, 10, None, [10, "x"])
    assert rows_by_rank(column) == [[1, 3], [0], [3], [2]]
    assert column.arrays.kind_offsets.tolist() == [0, 0, 2, 3, 3, 3]
    assert column.arrays.highs.tolist() == [10, 25]
    assert column.strings() == ["x"]
    assert column.arrays.rank_of_document.tolist() == [1, 0, 3, -1]
    assert column.arrays.several.tolist() == [0, 2]
    assert column.arrays.present.tolist() == [0b1011]
    assert (column.num_ranks, column.num_missing, column.has_several) == (3, 1, True)


def test_ints_and_floats_share_one_exact_order() -> None:
    values = [2**53 + 1, float(2**53), 2**53 + 2, 0.5, -0.5, 0, 1e300, -1e300, 2**63 - 1, float("inf")]
    column = column_of(*values)
    in_order = [values[rows[0]] for rows in rows_by_rank(column)[:-1]]
    assert in_order == sorted(values)
    assert not column.has_several


def test_kinds_do_not_mix() -> None:
    values = [1, True, "1", date(1970, 1, 2), datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC), False]
    column = column_of(*values)
    assert rows_by_rank(column) == [[5], [1], [0], [2], [3], [4], []]
    assert column.arrays.highs.tolist() == [0, 1, 1, 1, 1]


def test_strings_are_in_the_order_of_code_points() -> None:
    column = column_of("\U00010000", "\uffff", "é", "z", "", "xy")
    assert column.strings() == ["", "xy", "z", "é", "\uffff", "\U00010000"]


def test_an_attribute_that_no_document_has() -> None:
    segment = Segment.of([event_attributes({"b": 1})], [0], [0])
    column = ordered_column(segment, "a")
    assert (column.num_ranks, column.num_missing) == (0, 1)
    assert rows_by_rank(column) == [[0]]


def test_a_column_is_made_once() -> None:
    segment = Segment.of([event_attributes({"a": 1})], [0], [0])
    assert ordered_column(segment, "a") is ordered_column(segment, "a")
    assert ordered_column(segment, "a").nbytes > 0
