"""Where are the lists of an axis? After those of the keys, or of the axis before: one for each of its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_form import cells_of_axes
from eligo.data.expressions.predicate_table import PredicateTable
from eligo.data.stored_form import Arrays, lengths_of, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines.list_offsets import MOST_ITEMS, check_number
from eligo.ranges.kernels.segment_tree_walks import ALONE
from eligo.ranges.list_choice import RangeLists, elementary_axes
from eligo.ranges.segment_tree import tree_bases, tree_sizes


class AxisLists(NamedTuple):
    """Where the lists of every axis are; see `ranges.segment_tree`."""

    axis_base: npt.NDArray[np.uint32]
    """For each axis: the list of its node 0; then the list after those of all axes."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: the size of its segment tree, or 1 when it has elementary lists."""

    @property
    def end(self) -> int:
        """The list after those of all axes."""
        return int(self.axis_base[-1])


def choose_axis_lists(
    predicates: PredicateTable, vocabulary: Vocabulary, first: int, ranges: RangeLists, uses: npt.NDArray[np.int64]
) -> AxisLists:
    """The lists of all axes, one after another from `first` on; `uses` says how often each predicate is registered."""
    is_elementary = elementary_axes(
        ranges,
        cells_of_axes(vocabulary),
        predicates.range_axis,
        predicates.range_low,
        predicates.range_high,
        np.repeat(uses, lengths_of(predicates.range_offsets)),
    )
    return _axis_lists(vocabulary, first, is_elementary)


def stored_axis_lists(arrays: Arrays, vocabulary: Vocabulary, first: int) -> AxisLists:
    """Where the lists of axes must be, if those are elementary of which arrays from a file say so."""
    sizes = arrays.get("axis_size")
    is_elementary = np.zeros(vocabulary.num_axes, np.bool_)
    if sizes is not None and sizes.shape == is_elementary.shape:
        is_elementary = sizes == ALONE
    return _axis_lists(vocabulary, first, is_elementary)


def _axis_lists(vocabulary: Vocabulary, first: int, is_elementary: npt.NDArray[np.bool_]) -> AxisLists:
    num_cells = cells_of_axes(vocabulary)
    sizes = np.where(is_elementary, ALONE, tree_sizes(num_cells))
    bases = tree_bases(sizes, num_cells, first)
    check_number(int(bases[-1]), MOST_ITEMS)
    return AxisLists(bases.astype(np.uint32), sizes.astype(np.uint32))


def axis_problems(arrays: Arrays, vocabulary: Vocabulary, first: int) -> Iterator[str]:
    """That the lists of axes are not where the vocabulary puts them."""
    for name, own in stored_axis_lists(arrays, vocabulary, first)._asdict().items():
        yield from unless(np.array_equal(arrays[name], own), name, "does not fit the axes of the vocabulary")


class RangeForms(NamedTuple):
    """How many axes have which lists."""

    segment_tree: int
    elementary: int


def range_forms(axis_size: npt.NDArray[np.uint32], vocabulary: Vocabulary) -> RangeForms:
    """The forms of lists of these sizes; an axis of one cell is a tree, no lists are none."""
    if not len(axis_size):
        return RangeForms(0, 0)
    num_elementary = int(np.count_nonzero((axis_size == ALONE) & (cells_of_axes(vocabulary) > 1)))
    return RangeForms(len(axis_size) - num_elementary, num_elementary)


def distinct_positions(name: str, positions: npt.NDArray[Any], num_expressions: int) -> Iterator[str]:
    """That an expression stands twice where each may stand once."""
    counts = np.bincount(positions, minlength=num_expressions)
    yield from unless(counts <= 1, name, "has an expression twice: position")
