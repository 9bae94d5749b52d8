"""Where are the lists of an axis? After those of the keys, or of the axis before: a node of its segment tree each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_form import cells_of_axes
from eligo.data.stored_form import Arrays, unless
from eligo.data.vocabulary import Vocabulary


def axis_sizes(vocabulary: Vocabulary) -> npt.NDArray[np.int64]:
    """For each axis: its cells, rounded up to a power of two."""
    cells = cells_of_axes(vocabulary).tolist()
    return np.array([1 << (number - 1).bit_length() for number in cells], np.int64)


def axis_bases(vocabulary: Vocabulary, first: int) -> npt.NDArray[np.int64]:
    """For each axis: the list of node 0 of its segment tree, if those of all axes follow each other from `first` on.

    The last item is the list after them.
    """
    return np.concatenate([np.full(1, first, np.int64), first + np.cumsum(2 * axis_sizes(vocabulary))])


def axis_problems(arrays: Arrays, vocabulary: Vocabulary, first: int) -> Iterator[str]:
    """That the lists of axes are not where the vocabulary puts them."""
    wanted: dict[str, npt.NDArray[Any]] = {
        "axis_base": axis_bases(vocabulary, first),
        "axis_size": axis_sizes(vocabulary),
    }
    for name, own in wanted.items():
        yield from unless(np.array_equal(arrays[name], own), name, "does not fit the axes of the vocabulary")


def distinct_positions(name: str, positions: npt.NDArray[Any], num_expressions: int) -> Iterator[str]:
    """That an expression stands twice where each may stand once."""
    counts = np.bincount(positions, minlength=num_expressions)
    yield from unless(counts <= 1, name, "has an expression twice: position")
