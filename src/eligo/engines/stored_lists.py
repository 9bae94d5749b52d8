"""Where are the lists of an axis? After those of the keys, or of the axis before: a node of its segment tree each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_form import cells_of_axes
from eligo.data.stored_form import Arrays, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines.list_offsets import MOST_ITEMS, check_number
from eligo.ranges.segment_tree import tree_bases, tree_sizes


class AxisLists(NamedTuple):
    """Where the lists of every axis are; see `ranges.segment_tree`."""

    axis_base: npt.NDArray[np.uint32]
    """For each axis: the list of node 0 of its segment tree; then the list after those of all axes."""
    axis_size: npt.NDArray[np.uint32]
    """For each axis: the size of its segment tree."""

    @property
    def end(self) -> int:
        """The list after those of all axes."""
        return int(self.axis_base[-1])


def axis_lists(vocabulary: Vocabulary, first: int) -> AxisLists:
    """The lists of all axes, one after another from `first` on."""
    sizes = tree_sizes(cells_of_axes(vocabulary))
    bases = tree_bases(sizes, first)
    check_number(int(bases[-1]), MOST_ITEMS)
    return AxisLists(bases.astype(np.uint32), sizes.astype(np.uint32))


def axis_problems(arrays: Arrays, vocabulary: Vocabulary, first: int) -> Iterator[str]:
    """That the lists of axes are not where the vocabulary puts them."""
    for name, own in axis_lists(vocabulary, first)._asdict().items():
        yield from unless(np.array_equal(arrays[name], own), name, "does not fit the axes of the vocabulary")


def distinct_positions(name: str, positions: npt.NDArray[Any], num_expressions: int) -> Iterator[str]:
    """That an expression stands twice where each may stand once."""
    counts = np.bincount(positions, minlength=num_expressions)
    yield from unless(counts <= 1, name, "has an expression twice: position")
