"""Which lists does an axis get: those of a segment tree's nodes, or one for each cell, as in Tatbul's Interval Index?

    segment tree    a range is registered under a few nodes, and an event asks a list on each level of the tree
    elementary      a range is registered under each of its cells, and an event asks one list

Elementary lists are asked sooner, and grow with the product of ranges and cells where many overlap. So an axis has
them where counting says that they are hardly longer; `docs/benchmarks.md` has the measurements behind the numbers here.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from eligo.arguments import one_of
from eligo.errors import InputError
from eligo.ranges.kernels.list_counts import count_lists
from eligo.ranges.segment_tree import tree_sizes

RangeLists = Literal["auto", "segment_tree", "elementary"]
"""What an engine's lists of ranges may be; "auto" has one of the other two chosen for each axis."""
WITHOUT_LISTS = ("cluster", "hybrid", "interval_tree")
"""Structures that answer with candidates or with beginnings of sorted lists, and so not with lists under keys."""

MOST_TIMES = 2.0
"""So many times the registrations in a segment tree, and one for each cell, elementary lists may have to be chosen."""
MOST_ELEMENTARY = 1 << 25
"""So many registrations elementary lists may have in all when they are asked for: beyond, axes keep their trees."""


def checked_range_lists(ranges: Any) -> RangeLists:
    """What a caller gave, or an error for what engines cannot use."""
    if isinstance(ranges, str) and ranges in WITHOUT_LISTS:
        raise InputError(
            f"engines have no ranges={ranges!r}: it does not answer with lists under keys",
            help='take "auto", "segment_tree" or "elementary" here; eligo.ranges.RangeIndex has the others, alone',
        )
    return one_of(ranges, "ranges", get_args(RangeLists))


def elementary_axes(
    ranges: RangeLists,
    num_cells: npt.NDArray[np.int64],
    range_axis: npt.NDArray[np.uint32],
    range_low: npt.NDArray[np.uint32],
    range_high: npt.NDArray[np.uint32],
    uses: npt.NDArray[np.int64],
) -> npt.NDArray[np.bool_]:
    """For each axis: whether it has elementary lists. `uses` says how often each range is registered."""
    is_elementary = np.zeros(len(num_cells), np.bool_)
    if ranges == "segment_tree" or not len(num_cells):
        return is_elementary
    in_tree, alone = np.zeros(len(num_cells)), np.zeros(len(num_cells))
    count_lists(range_axis, range_low, range_high, uses, tree_sizes(num_cells), in_tree, alone)
    if ranges == "elementary":
        fewest_first = np.argsort(alone, kind="stable")
        is_elementary[fewest_first] = np.cumsum(alone[fewest_first]) <= MOST_ELEMENTARY
        return is_elementary
    return alone <= MOST_TIMES * in_tree + num_cells
