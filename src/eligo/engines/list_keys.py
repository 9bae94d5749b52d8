"""Which posting lists can there be? One for each key of the vocabulary, node of an axis and attribute, and Z."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.registrations import Registrations, register
from eligo.engines.list_offsets import offsets_of


class ListKeys(NamedTuple):
    """What posting lists there can be: a key each, beyond those of the vocabulary."""

    axis_size: npt.NDArray[np.uint32]
    axis_base: npt.NDArray[np.uint32]
    """For each axis: how many leaves its segment tree has, and the key of its node 0; then the key after the last."""
    present_base: int
    """The key that says that attribute 0 is present and scores nothing."""
    zero_key: int
    """The key of Z, the last one."""
    registrations: Registrations
    """The keys that each predicate is registered under."""


def list_keys(table: ExpressionTable, vocabulary: Vocabulary) -> ListKeys:
    """The keys of posting lists, and what predicates register under."""
    axis_size = np.array(
        [1 << (vocabulary.num_cells(axis) - 1).bit_length() for axis in range(vocabulary.num_axes)], np.uint32
    )
    axis_base = offsets_of(2 * axis_size.astype(np.int64)) + np.uint32(vocabulary.num_keys)
    present_base = int(axis_base[-1])
    registrations = Registrations(*register(table.predicates, axis_base, axis_size))
    return ListKeys(axis_size, axis_base, present_base, present_base + vocabulary.num_attributes, registrations)
