"""When can a table of expressions from a file be read? When its literals, keys, cells and nodes are all there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, Sizes, beyond, lengths_of, problems, unless
from eligo.data.vocabulary import Vocabulary
from eligo.kernels.codes import AND, FALSE, LITERAL, OR, TRUE

FORM = (
    Column("attribute_of_predicate", "u4", "predicates", below="attributes"),
    Column("is_set_of_predicate", "u1", "predicates", below=2),
    Offsets("key_offsets", "u8", "predicates", into="keys"),
    Column("keys", "u4", "registered keys", below="keys"),
    Column("key_weights", "f8", "registered keys"),
    Offsets("range_offsets", "u8", "predicates", into="range_axis"),
    Column("range_axis", "u4", "ranges", below="axes"),
    Column("range_low", "u4", "ranges"),
    Column("range_high", "u4", "ranges"),
    Column("range_weights", "f8", "ranges"),
    Column("literal_predicate", "u4", "literals", below="predicates"),
    Column("literal_positive", "u1", "literals", below=2),
    Column("literal_holds_when_missing", "u1", "literals", below=2),
    Column("node_kind", "u1", "nodes"),
    Column("node_literal", "u4", "nodes", below="literals", or_none=True),
    Offsets("child_offsets", "u8", "nodes", into="children"),
    Column("children", "u4", below="nodes"),
    Offsets("expression_offsets", "u8", "expressions", into="node_kind"),
)
"""The arrays of `PredicateTable` and `ExpressionTable`, which say what they mean."""


def vocabulary_sizes(vocabulary: Vocabulary) -> Sizes:
    """How many there are of what predicates refer to."""
    return {"attributes": vocabulary.num_attributes, "keys": vocabulary.num_keys, "axes": vocabulary.num_axes}


def cells_of_axes(vocabulary: Vocabulary) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each axis: how many cells it has."""
    return np.array([vocabulary.num_cells(axis) for axis in range(vocabulary.num_axes)], np.int64)


def table_problems(arrays: Arrays, vocabulary: Vocabulary, *, deep: bool) -> Iterator[str]:
    """What is wrong with the arrays of a table over a vocabulary, which must itself be right."""
    found = False
    for problem in problems(FORM, arrays, vocabulary_sizes(vocabulary), deep=deep):
        found = True
        yield problem
    if deep and not found:
        yield from _deep(arrays, vocabulary)


def _deep(arrays: Arrays, vocabulary: Vocabulary) -> Iterator[str]:
    num_cells = cells_of_axes(vocabulary)[arrays["range_axis"]]
    yield from beyond("range_low", arrays["range_low"], num_cells)
    yield from beyond("range_high", arrays["range_high"], num_cells)
    for name in ("key_weights", "range_weights"):
        yield from weights_problems(name, arrays[name])
    kinds = arrays["node_kind"]
    yield from unless(np.isin(kinds, (AND, OR, TRUE, FALSE, LITERAL)), "node_kind", "has kinds that are not known")
    is_literal = kinds == LITERAL
    is_number = arrays["node_literal"] < len(arrays["literal_predicate"])
    yield from unless(is_number | ~is_literal, "node_literal", "has no literal")
    # A node's children are of its own expression and stand before it.
    offsets = arrays["expression_offsets"].astype(np.int64)
    lengths = lengths_of(offsets)
    yield from unless(lengths > 0, "expression_offsets", "has an expression without nodes")
    owner = np.repeat(np.arange(len(kinds)), lengths_of(arrays["child_offsets"]))
    first = np.repeat(offsets[:-1], lengths)[owner]
    children = arrays["children"].astype(np.int64)
    yield from unless((children >= first) & (children < owner), "children", "has a child that is not before its parent")


def weights_problems(name: str, weights: npt.NDArray[Any]) -> Iterator[str]:
    """That a weight is below 0 or infinite, which scores cannot be counted with."""
    yield from unless((weights >= 0) & np.isfinite(weights), name, "has a weight that cannot be counted")


def of_all_expressions(table: ExpressionTable, num_expressions: int) -> Iterator[str]:
    """That a table from which an engine takes scores does not have the nodes of every expression."""
    has_all = table.num_expressions == num_expressions
    yield from unless(
        has_all, "expression_offsets", f"is of {table.num_expressions:,} expressions, not {num_expressions:,}"
    )
