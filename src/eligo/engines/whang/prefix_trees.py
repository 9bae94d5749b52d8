"""How do conjunctions, or CNF expressions, become a tree of their beginnings? Rank, sort, lay out for a walk."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.engines.kernels.clauses import IN_ATOM
from eligo.engines.kernels.item_order import reorder_rows
from eligo.engines.kernels.registrations import Registrations
from eligo.engines.list_offsets import offsets_of
from eligo.engines.normal_forms import Items
from eligo.engines.whang.kernels.atom_effects import atom_effects, number_disjunctions
from eligo.engines.whang.kernels.prefix_tree import PrefixTree, first_ranks, grow_tree, sort_by_rank

SORTED_BEGINNING = 4
"""Items are sorted by so many of their clauses; those that differ only further on share fewer nodes than they could."""


class OrderedItems(NamedTuple):
    """Items in the order of their beginnings, and what they are rows of."""

    items: Items
    row_offsets: npt.NDArray[np.int64]
    """Item i is the AND of `rows[row_offsets[i]:row_offsets[i + 1]]`, the most frequent first."""
    rows: npt.NDArray[np.uint32]
    """Atoms by their place in `used`, or disjunctions."""
    used: npt.NDArray[np.int64]
    """The atoms that stand in some item, ascending."""
    clause_offsets: npt.NDArray[np.uint32]
    clause_atoms: npt.NDArray[np.uint32]
    """For CNF: the atoms of each disjunction, by their place in `used`; empty for conjunctions."""


def order_items(items: Items, table: ExpressionTable, *, is_dnf: bool, reorder: bool = True) -> OrderedItems:
    """The items so that those with the same frequent clauses stand side by side; as they are without `reorder`."""
    missing_base = 4 * table.predicates.num_predicates
    if is_dnf:
        row_offsets = items.offsets
        used, numbers = np.unique(items.atoms, return_inverse=True)
        rows = numbers.astype(np.uint32)
        is_late = (used >= missing_base) | (used & 3 != IN_ATOM)  # what mostly holds is tested last
        clause_offsets, clause_atoms = np.zeros(0, np.uint32), np.zeros(0, np.uint32)
        num_clauses = len(used)
    else:
        row_offsets = np.zeros(items.num_items + 1, np.int64)
        offsets, atoms, rows = number_disjunctions(items.offsets, items.atoms, row_offsets)
        used, numbers = np.unique(atoms, return_inverse=True)
        clause_offsets, clause_atoms = offsets.astype(np.uint32), numbers.astype(np.uint32)
        num_clauses = len(offsets) - 1
        is_late = np.zeros(num_clauses, np.bool_)
    frequency = np.bincount(rows, minlength=num_clauses)
    ranks = np.empty(num_clauses, np.uint32)
    ranks[np.lexsort((-frequency, is_late))] = np.arange(1, num_clauses + 1, dtype=np.uint32)
    sort_by_rank(row_offsets, rows, ranks)
    if reorder:
        columns = np.zeros((SORTED_BEGINNING, items.num_items), np.uint32)
        first_ranks(row_offsets, rows, ranks, columns)
        lengths = np.diff(row_offsets)
        for at, column in enumerate(columns):  # leaves come first, so that a walk meets them in runs
            column[lengths > at + 1] |= np.uint32(1 << 31)
        upper, lower = (columns[at].astype(np.uint64) << np.uint64(32) | columns[at + 1] for at in (0, 2))
        order = np.lexsort((lower, upper))
        row_offsets, rows = reorder_rows(order, row_offsets, rows)
        offsets, atoms = reorder_rows(order, items.offsets, items.atoms)
        match_offsets, matches = reorder_rows(order, items.match_offsets.astype(np.int64), items.matches)
        items = Items(offsets, atoms, match_offsets.astype(np.uint32), matches, items.rescored)
    return OrderedItems(items, row_offsets, rows, used.astype(np.int64), clause_offsets, clause_atoms)


def prefix_tree(
    ordered: OrderedItems, table: ExpressionTable, registrations: Registrations, present_base: int, num_list_keys: int
) -> PrefixTree:
    """The tree of items that `order_items` has put in order."""
    num_atoms = len(ordered.used)
    clause_offsets, clause_atoms = ordered.clause_offsets, ordered.clause_atoms
    always = num_atoms
    if len(clause_offsets):  # one more disjunction, of the atom that always holds
        always = len(clause_offsets) - 1
        clause_offsets = np.append(clause_offsets, np.uint32(len(clause_atoms) + 1))
        clause_atoms = np.append(clause_atoms, np.uint32(num_atoms))
    node_clause, node_next = grow_tree(ordered.row_offsets, ordered.rows, always)
    if len(clause_offsets):  # numbered as a walk comes to them, so that it reads them one after another
        clauses, first_nodes, numbers = np.unique(node_clause, return_index=True, return_inverse=True)
        order = np.argsort(first_nodes)
        clause_offsets, clause_atoms = reorder_rows(clauses[order], clause_offsets, clause_atoms)
        clause_offsets, clause_atoms = clause_offsets[: len(order) + 1], clause_atoms[: int(clause_offsets[len(order)])]
        places = np.empty(len(order), np.uint32)
        places[order] = np.arange(len(order), dtype=np.uint32)
        node_clause = places[numbers]
    defaults = np.ones(num_atoms + 1, np.uint8)
    keys, numbers, values, weights = atom_effects(
        ordered.used,
        4 * table.predicates.num_predicates,
        present_base,
        table.predicates.attribute_of_predicate,
        registrations,
        defaults,
    )
    order = np.argsort(keys, kind="stable")
    return PrefixTree(
        node_clause=node_clause,
        node_next=node_next,
        clause_offsets=clause_offsets,
        clause_atoms=clause_atoms,
        atom_default=defaults,
        effect_offsets=offsets_of(np.bincount(keys, minlength=num_list_keys)),
        effect_atom=numbers[order],
        effect_value=values[order],
        effect_weights=weights[order] if (weights != 1.0).any() else np.zeros(0),
    )
