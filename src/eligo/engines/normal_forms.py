"""What are the conjunctions, or the disjunctions, of expressions? Normal forms within a bound, as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.encoded_value import read_only_arrays
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.expressions.predicate_table import offsets_of
from eligo.engines.kernels.clauses import literal_atoms
from eligo.engines.kernels.expand_clauses import expand
from eligo.errors import NormalFormTooLargeError


class Items(NamedTuple):
    """The distinct conjunctions of all expressions, or the distinct CNF expressions; see `engines.kernels.clauses`."""

    offsets: npt.NDArray[np.int64]
    """Item i has `atoms[offsets[i]:offsets[i + 1]]`."""
    atoms: npt.NDArray[np.uint32]
    match_offsets: npt.NDArray[np.uint32]
    """Item i belongs to the expressions `matches[match_offsets[i]:match_offsets[i + 1]]`."""
    matches: npt.NDArray[np.uint32]
    rescored: npt.NDArray[np.uint32]
    """The expressions whose score is not that of their items, because something was dropped or distributed."""

    @property
    def num_items(self) -> int:
        return len(self.offsets) - 1


def predicate_uses(items: Items, table: ExpressionTable) -> npt.NDArray[np.int64]:
    """For each predicate: how many atoms of items are of it."""
    num_predicates = table.predicates.num_predicates
    of_predicates = items.atoms[items.atoms < 4 * num_predicates] >> np.uint32(2)
    return np.bincount(of_predicates, minlength=num_predicates)


def conjunctions(table: ExpressionTable, bound: int) -> Items:
    """The conjunctions of every expression's disjunctive normal form, each distinct one once."""
    return _items(table, bound, is_dnf=True)


def conjunctive_forms(table: ExpressionTable, bound: int) -> Items:
    """The conjunctive normal forms of all expressions, each distinct one once."""
    return _items(table, bound, is_dnf=False)


def require_forms(table: ExpressionTable, bound: int, *, is_dnf: bool) -> None:
    """Refuse what `conjunctions`, or `conjunctive_forms`, would refuse."""
    _expanded(table, bound, is_dnf=is_dnf)


class _Expanded(NamedTuple):
    """The items of every expression; see `engines.kernels.expand_clauses`."""

    offsets: npt.NDArray[np.int64]
    atoms: npt.NDArray[np.uint32]
    expression_offsets: npt.NDArray[np.int64]
    items: npt.NDArray[np.uint32]
    is_rescored: npt.NDArray[np.uint8]


def _expanded(table: ExpressionTable, bound: int, *, is_dnf: bool) -> _Expanded:
    firsts = np.empty(table.num_literals, np.uint32)
    seconds = np.empty(table.num_literals, np.uint32)
    literal_atoms(table, firsts, seconds)
    is_rescored = np.zeros(table.num_expressions, np.uint8)
    is_too_large = np.zeros(table.num_expressions, np.uint8)
    offsets, atoms, expression_offsets, items = expand(table, firsts, seconds, is_dnf, bound, is_rescored, is_too_large)
    _refuse(np.flatnonzero(is_too_large), bound, is_dnf)
    return _Expanded(offsets, atoms, expression_offsets, items, is_rescored)


def _items(table: ExpressionTable, bound: int, *, is_dnf: bool) -> Items:
    offsets, atoms, expression_offsets, items, is_rescored = _expanded(table, bound, is_dnf=is_dnf)
    num_items = len(offsets) - 1
    expressions = np.repeat(np.arange(table.num_expressions, dtype=np.uint32), np.diff(expression_offsets))
    match_offsets = np.zeros(num_items + 1, np.uint32)
    np.cumsum(np.bincount(items, minlength=num_items), out=match_offsets[1:])
    matches = expressions[np.argsort(items, kind="stable")]
    return Items(offsets, atoms, match_offsets, matches, np.flatnonzero(is_rescored).astype(np.uint32))


def _refuse(rows: npt.NDArray[np.int64], bound: int, is_dnf: bool) -> None:
    if not len(rows):
        return
    form = "disjunctive" if is_dnf else "conjunctive"
    error = NormalFormTooLargeError(
        f"the {form} normal form has more than {bound:,} literals",
        help='build with engine="a_tree", which takes expressions of any shape, or raise the bound of this engine',
    )
    error.rows = tuple(rows.tolist())
    raise error


def expressions_at(table: ExpressionTable, positions: npt.NDArray[np.uint32]) -> ExpressionTable:
    """The table with the nodes of these expressions only; literals and predicates stay."""
    first = table.expression_offsets[positions].astype(np.int64)
    counts = table.expression_offsets[positions + np.uint32(1)].astype(np.int64) - first
    expression_offsets = offsets_of(counts)
    shifts = np.repeat(first - expression_offsets[:-1].astype(np.int64), counts)
    nodes = np.arange(len(shifts)) + shifts
    first_child = table.child_offsets[nodes].astype(np.int64)
    child_counts = table.child_offsets[nodes + 1].astype(np.int64) - first_child
    child_offsets = offsets_of(child_counts)
    places = np.arange(int(child_offsets[-1])) + np.repeat(
        first_child - child_offsets[:-1].astype(np.int64), child_counts
    )
    children = table.children[places].astype(np.int64) - np.repeat(shifts, child_counts)
    columns = (
        table.node_kind[nodes],
        table.node_literal[nodes],
        child_offsets,
        children.astype(np.uint32),
        expression_offsets,
    )
    return ExpressionTable(*table[:4], *read_only_arrays(columns))
