"""Which posting lists can there be? One for each key of the vocabulary, node of an axis and attribute, and Z."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.kernels.registrations import Registrations, register
from eligo.engines.stored_lists import AxisLists, choose_axis_lists
from eligo.ranges.list_choice import RangeLists


class ListKeys(NamedTuple):
    """What posting lists there can be: a key each, beyond those of the vocabulary."""

    axes: AxisLists
    """The keys of the nodes of all axes, behind those of the vocabulary."""
    present_base: int
    """The key that says that attribute 0 is present and scores nothing."""
    zero_key: int
    """The key of Z, the last one."""
    registrations: Registrations
    """The keys that each predicate is registered under."""


def list_keys(
    table: ExpressionTable, vocabulary: Vocabulary, ranges: RangeLists, uses: npt.NDArray[np.int64] | None = None
) -> ListKeys:
    """The keys of posting lists, and what predicates register under; `uses` says how often each does, if not once."""
    once = np.ones(table.predicates.num_predicates, np.int64)
    often = once if uses is None else np.maximum(once, uses)
    axes = choose_axis_lists(table.predicates, vocabulary, vocabulary.num_keys, ranges, often)
    registrations = Registrations(*register(table.predicates, axes.axis_base, axes.axis_size))
    return ListKeys(axes, axes.end, axes.end + vocabulary.num_attributes, registrations)
