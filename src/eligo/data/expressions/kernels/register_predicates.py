"""Under which keys and cells do the distinct predicates of many expressions register? Loops over predicates and nodes.

`number_vocabulary` sorts keys and bounds; here predicates are written out in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.kernels.points import KIND_BITS, KIND_MASK
from eligo.data.expressions.kernels.sort_points import sort_points
from eligo.data.kernels.vocabulary_lookup import NUM_KINDS
from eligo.kernels.codes import (
    BETWEEN,
    DATE,
    EXISTS,
    GREATER,
    GREATER_OR_EQUAL,
    IN,
    LESS,
    LESS_OR_EQUAL,
    STARTS_WITH,
    TIMESTAMP,
    UNDER,
)
from eligo.kernels.compiled import kernel, part
from eligo.kernels.hashing import i64
from eligo.language.text.kernels.times import day_number, days_of_month

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint32]
Weights = npt.NDArray[np.float64]


class DistinctPredicates(NamedTuple):
    """Distinct predicates in the order of first use, as `number_predicates` tells them apart."""

    owners: npt.NDArray[np.uint64]
    """For each predicate: its attribute, shifted by `KIND_BITS`, and its class."""
    offsets: npt.NDArray[np.int64]
    """Predicate p has the points offsets[p] : offsets[p + 1]."""
    points: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]
    """For each of these points: its weight."""

    @property
    def attributes(self) -> npt.NDArray[np.int64]:
        """For each predicate: its attribute, by first use."""
        return (self.owners >> np.uint64(KIND_BITS)).astype(np.int64)

    @property
    def classes(self) -> npt.NDArray[np.uint8]:
        """For each predicate: its class."""
        return (self.owners & np.uint64(KIND_MASK)).astype(np.uint8)


class Places(NamedTuple):
    """Where the vocabulary has attributes and points."""

    attribute_numbers: npt.NDArray[np.uint32]
    """For each attribute by first use: its number in the vocabulary; NONE when no predicate has it."""
    kinds: npt.NDArray[np.int64]
    """For each point: its value kind, or UNDER_NODE."""
    keys: npt.NDArray[np.uint32]
    """For each point: its key, or NONE."""
    cells: npt.NDArray[np.uint32]
    """For each point that is a bound: its cell; else NONE."""
    companions: npt.NDArray[np.int64]
    """For each point: the first of its companions, which stand among the points; or -1."""


class PredicateRows(NamedTuple):
    """The rows of a predicate table that are still to be written; see `predicate_table.PredicateTable`."""

    attribute_of_predicate: Keys
    is_set_of_predicate: Bytes
    key_offsets: npt.NDArray[np.uint64]
    """Filled in already, as are the offsets of the ranges."""
    keys: Keys
    key_weights: Weights
    range_offsets: npt.NDArray[np.uint64]
    range_axis: Keys
    range_low: Keys
    range_high: Keys
    range_weights: Weights


@part
def digits(data: Bytes, start: int, end: int) -> int:
    """The number that the digits write; -1 where one is no digit."""
    number = 0
    for place in range(start, end):
        digit = i64(data[place]) - 48
        if digit < 0 or digit > 9:
            return -1
        number = number * 10 + digit
    return number


@part
def date_node_days(data: Bytes, start: int, end: int) -> tuple[int, int]:
    """First and last day of a node that reads as `language.paths.date_node_range` has it; the last is first if none."""
    length = end - start
    none = (i64(1), i64(0))
    if length != 4 and length != 7 and length != 10:
        return none
    year = digits(data, start, start + 4)
    if year < 1:
        return none
    month, day = -1, -1
    if length >= 7:
        month = digits(data, start + 5, start + 7)
        if (data[start + 4] != 45 and data[start + 4] != 47) or not 1 <= month <= 12:
            return none
    if length == 10:
        day = digits(data, start + 8, start + 10)
        if data[start + 7] != data[start + 4] or not 1 <= day <= days_of_month(year, month):
            return none
        return day_number(year, month, day), day_number(year, month, day)
    if length == 7:
        return day_number(year, month, 1), day_number(year, month, days_of_month(year, month))
    return day_number(year, 1, 1), day_number(year, 12, 31)


@kernel
def find_date_nodes(offsets: Numbers, data: Bytes, first_days: Numbers, last_days: Numbers) -> None:
    """Write the first and last day of each text that is a date node; the last is before the first where it is none."""
    for text in range(len(offsets) - 1):
        first_days[text], last_days[text] = date_node_days(data, offsets[text], offsets[text + 1])


@part
def cells_of(
    own_class: int, point: int, other: int, companion: int, last_cell: int, cell_of_point: Keys
) -> tuple[int, int]:
    """First and last cell of a range of this class that ends at a point, or begins and ends at two.

    A bound has an odd cell; the open cells beside it are even.
    """
    cell = i64(cell_of_point[point])
    if own_class == LESS or own_class == LESS_OR_EQUAL:
        return i64(0), cell - (1 if own_class == LESS else 0)
    if own_class == GREATER or own_class == GREATER_OR_EQUAL:
        return cell + (1 if own_class == GREATER else 0), last_cell
    if own_class == BETWEEN:
        return cell, i64(cell_of_point[other])
    if own_class == STARTS_WITH and companion >= 0:
        return cell, i64(cell_of_point[companion]) - 1
    return i64(0), last_cell  # the empty prefix, which every string has


@part
def write_date_ranges(
    span: int,
    attribute: int,
    first: int,
    last: int,
    points: Keys,
    weights: Weights,
    companions: Numbers,
    attribute_axes: Keys,
    cell_of_point: Keys,
    range_axis: Keys,
    range_low: Keys,
    range_high: Keys,
    range_weights: Weights,
) -> None:
    """Write the two ranges of each node that is a date, on the axis of dates and on that of timestamps."""
    for place in range(first, last):
        companion = i64(companions[points[place]])
        if companion < 0:
            continue
        for step in range(2):
            range_axis[span] = attribute_axes[attribute * NUM_KINDS + (DATE if step == 0 else TIMESTAMP)]
            range_low[span] = cell_of_point[companion + 2 * step]
            range_high[span] = cell_of_point[companion + 2 * step + 1]
            range_weights[span] = weights[place]
            span += 1


@kernel
def write_predicates(
    predicates: DistinctPredicates, places: Places, attribute_axes: Keys, last_cells: Numbers, out: PredicateRows
) -> None:
    """Write the rows of a predicate table; the ranges of several date nodes may still overlap.

    `attribute_axes` is that of the vocabulary, and `last_cells` has the last cell of each axis.
    """
    owners, offsets, points, weights = predicates.owners, predicates.offsets, predicates.points, predicates.weights
    key_of_point, cell_of_point, companions = places.keys, places.cells, places.companions
    attribute_numbers, point_kind = places.attribute_numbers, places.kinds
    attribute_of_predicate, is_set_of_predicate = out.attribute_of_predicate, out.is_set_of_predicate
    key_offsets, keys, key_weights = out.key_offsets, out.keys, out.key_weights
    range_offsets, range_axis, range_low = out.range_offsets, out.range_axis, out.range_low
    range_high, range_weights = out.range_high, out.range_weights
    for predicate in range(len(owners)):
        own_class = i64(owners[predicate]) & KIND_MASK
        attribute = i64(attribute_numbers[i64(owners[predicate]) >> KIND_BITS])
        first, last = offsets[predicate], offsets[predicate + 1]
        attribute_of_predicate[predicate] = attribute
        is_set_of_predicate[predicate] = own_class == IN or own_class == EXISTS
        key = i64(key_offsets[predicate])
        if own_class == EXISTS:
            keys[key] = attribute
            key_weights[key] = 1.0
            continue
        if own_class == IN or own_class == UNDER:
            for place in range(first, last):
                keys[key + place - first] = key_of_point[points[place]]
                key_weights[key + place - first] = weights[place]
            if last - first > 1:
                sort_points(keys, key_weights, key, key + last - first)
        if own_class == IN or first == last:
            continue
        # What is left has one range, but for nodes: each is a key, and two ranges where it is a date.
        span, point = i64(range_offsets[predicate]), i64(points[first])
        companion, weight = companions[point], weights[first]
        if own_class == UNDER:
            write_date_ranges(
                span, attribute, first, last, points, weights, companions, attribute_axes, cell_of_point,
                range_axis, range_low, range_high, range_weights,
            )  # fmt: skip
            continue
        axis = attribute_axes[attribute * NUM_KINDS + point_kind[point]]
        low, high = cells_of(own_class, point, i64(points[last - 1]), companion, i64(last_cells[axis]), cell_of_point)
        range_axis[span], range_low[span], range_high[span], range_weights[span] = axis, low, high, weight
