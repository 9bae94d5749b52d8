"""Under which keys and cells do the distinct predicates of many expressions register? Loops over predicates and nodes.

`bulk_vocabulary` sorts keys and bounds; here predicates are written out in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.expressions.kernels.number_points import KIND_BITS
from eligo.data.expressions.kernels.number_predicates import KIND_MASK, sort_points
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
from eligo.kernels.compiled import kernel
from eligo.language.text.kernels.times import day_number, days_of_month


@kernel
def digits(data: Any, start: int, end: int) -> int:
    """The number that the digits write; -1 where one is no digit."""
    number = 0
    for place in range(start, end):
        digit = np.int64(data[place]) - 48
        if digit < 0 or digit > 9:
            return -1
        number = number * 10 + digit
    return number


@kernel
def date_node_days(data: Any, start: int, end: int) -> Any:
    """First and last day of a node that reads as `language.paths.date_node_range` has it; the last is first if none."""
    length = end - start
    none = (np.int64(1), np.int64(0))
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
def find_date_nodes(offsets: Any, data: Any, first_days: Any, last_days: Any) -> None:
    """Write the first and last day of each text that is a date node; the last is before the first where it is none."""
    for text in range(len(offsets) - 1):
        first_days[text], last_days[text] = date_node_days(data, offsets[text], offsets[text + 1])


@kernel
def write_predicates(
    owners: Any,
    offsets: Any,
    points: Any,
    weights: Any,
    places: Any,
    attribute_axes: Any,
    last_cells: Any,
    out: Any,
) -> None:
    """Write the rows of a predicate table, a `predicate_table.PredicateTable` with its offsets filled in.

    `places` is a `bulk_vocabulary.Places`; `attribute_axes` is that of the vocabulary, and `last_cells` has the
    last cell of each axis.
    """
    key_of_point, cell_of_point, companions = places.keys, places.cells, places.companions
    attribute_numbers, point_kind = places.attribute_numbers, places.kinds
    attribute_of_predicate, is_set_of_predicate = out.attribute_of_predicate, out.is_set_of_predicate
    key_offsets, keys, key_weights = out.key_offsets, out.keys, out.key_weights
    range_offsets, range_axis, range_low = out.range_offsets, out.range_axis, out.range_low
    range_high, range_weights = out.range_high, out.range_weights
    for predicate in range(len(owners)):
        own_class = np.int64(owners[predicate]) & KIND_MASK
        attribute = np.int64(attribute_numbers[np.int64(owners[predicate]) >> KIND_BITS])
        first, last = offsets[predicate], offsets[predicate + 1]
        attribute_of_predicate[predicate] = attribute
        is_set_of_predicate[predicate] = own_class == IN or own_class == EXISTS
        key = np.int64(key_offsets[predicate])
        if own_class == EXISTS:
            keys[key] = attribute
            key_weights[key] = 1.0
            continue
        if own_class == IN or own_class == UNDER:
            for place in range(first, last):
                keys[key + place - first] = key_of_point[points[place]]
                key_weights[key + place - first] = weights[place]
            sort_points(keys, key_weights, key, key + last - first)
            if own_class == IN:
                continue
        if first == last:
            continue
        span = np.int64(range_offsets[predicate])
        point = np.int64(points[first])
        companion = companions[point]
        kind = np.int64(point_kind[point])
        if own_class == UNDER:
            if companion < 0:
                continue
            for step in range(2):
                range_axis[span] = attribute_axes[attribute * NUM_KINDS + (DATE if step == 0 else TIMESTAMP)]
                range_low[span] = cell_of_point[companion + 2 * step]
                range_high[span] = cell_of_point[companion + 2 * step + 1]
                range_weights[span] = weights[first]
                span += 1
            continue
        axis = attribute_axes[attribute * NUM_KINDS + kind]
        low, high = np.int64(0), np.int64(last_cells[axis])
        # A bound has an odd cell; the open cells beside it are even.
        if own_class == LESS or own_class == LESS_OR_EQUAL:
            high = np.int64(cell_of_point[point]) - (1 if own_class == LESS else 0)
        elif own_class == GREATER or own_class == GREATER_OR_EQUAL:
            low = np.int64(cell_of_point[point]) + (1 if own_class == GREATER else 0)
        elif own_class == BETWEEN:
            low, high = np.int64(cell_of_point[point]), np.int64(cell_of_point[points[first + 1]])
        elif own_class == STARTS_WITH and companion >= 0:
            low, high = np.int64(cell_of_point[point]), np.int64(cell_of_point[companion]) - 1
        range_axis[span] = axis
        range_low[span] = low
        range_high[span] = high
        range_weights[span] = weights[first]
