"""Which literals does matching read in the table? Those whose test does not fit inline; they stand last, side by side.

The table of a frozen tree is mapped, and takes memory by the page. Literals come in the order in which expressions use
them, so the few that are read would keep every page there; moved together, they keep those that they fill.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.engines.a_tree.kernels.inline_tests import TEST_LITERAL, write_kinds


def with_read_literals_last(table: ExpressionTable) -> ExpressionTable:
    """The table with the literals that are read, and their predicates, behind all others; else in their order."""
    is_read = read_literals(table)
    if is_read.all() or not is_read.any():
        return table
    is_read_predicate = np.zeros(table.predicates.num_predicates, np.bool_)
    is_read_predicate[table.literal_predicate[is_read]] = True
    return table.with_literals(
        np.argsort(is_read, kind="stable").astype(np.int64),
        np.argsort(is_read_predicate, kind="stable").astype(np.int64),
    )


def read_literals(table: ExpressionTable) -> npt.NDArray[np.bool_]:
    """For each literal: whether its test names it, instead of its keys or its range."""
    kinds = np.empty(table.num_literals, np.uint8)
    write_kinds(table, kinds)
    is_read: npt.NDArray[np.bool_] = kinds == TEST_LITERAL
    return is_read
