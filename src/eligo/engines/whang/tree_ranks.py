"""What can the nodes of a tree of beginnings score? Bounds for walks, and the rows of items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from eligo.engines.kernels.exact_scores import SLACK
from eligo.engines.whang.kernels.heaviest_lists import TreeRanks, write_rows
from eligo.engines.whang.kernels.list_heads import PRESENT_BASE, KLists
from eligo.engines.whang.kernels.prefix_top import node_bounds
from eligo.engines.whang.kernels.prefix_tree import PrefixTree
from eligo.kernels.score_units import UNITS


def tree_ranks(tree: PrefixTree, lists: KLists, is_rescored: npt.NDArray[np.uint8], *, is_dnf: bool) -> TreeRanks:
    """What ranking needs of a tree; `is_rescored` says of each expression whether its own tree scores it, if any is."""
    num_nodes = len(tree.node_clause)
    bounds, depths = np.zeros(num_nodes), np.zeros(num_nodes, np.uint16)
    clause_bounds, item_bounds = _clause_bounds(tree, lists, is_dnf=is_dnf), _item_bounds(lists, is_rescored)
    node_bounds(tree.node_clause, tree.node_next, clause_bounds, item_bounds, bounds, depths)
    not_below = np.nextafter(bounds.astype(np.float32), np.float32(np.inf))  # what it was
    if not is_dnf or len(is_rescored):  # all that match and are rescored have to be found
        return TreeRanks(depths, not_below, np.zeros(0, np.uint32), np.zeros(0, np.uint32))
    row_offsets, rows = np.zeros(len(item_bounds) + 1, np.uint32), np.zeros(0, np.uint32)
    write_rows(tree.node_clause, tree.node_next, depths, row_offsets, rows)
    np.cumsum(row_offsets, out=row_offsets)
    rows = np.empty(int(row_offsets[-1]), np.uint32)
    write_rows(tree.node_clause, tree.node_next, depths, row_offsets, rows)
    return TreeRanks(depths, not_below, row_offsets, rows)


def _clause_bounds(tree: PrefixTree, lists: KLists, *, is_dnf: bool) -> npt.NDArray[np.float64]:
    """For each clause, what no event whose weights are 1 can score more than, in units."""
    weights = tree.effect_weights if len(tree.effect_weights) else np.ones(len(tree.effect_atom))
    atom_bounds = np.zeros(len(tree.atom_default))
    last_scored = int(tree.effect_offsets[int(lists.layout[PRESENT_BASE])])  # keys of presence score nothing
    scored = np.flatnonzero(tree.effect_value[:last_scored])
    hits = np.where(weights[scored] > 0.0, weights[scored] * UNITS + SLACK, 0.0)
    np.maximum.at(atom_bounds, tree.effect_atom[scored], hits)
    if is_dnf:
        return atom_bounds
    clause_bounds = np.zeros(len(tree.clause_offsets) - 1)
    clause_of_place = np.repeat(np.arange(len(clause_bounds)), np.diff(tree.clause_offsets))
    np.maximum.at(clause_bounds, clause_of_place, atom_bounds[tree.clause_atoms])
    return clause_bounds


def _item_bounds(lists: KLists, is_rescored: npt.NDArray[np.uint8]) -> npt.NDArray[np.float64]:
    """For each item, infinity where an expression of it is scored by its own tree; 0 elsewhere."""
    item_bounds = np.zeros(len(lists.match_offsets) - 1)
    if len(is_rescored):
        item_of_match = np.repeat(np.arange(len(item_bounds)), np.diff(lists.match_offsets))
        item_bounds[item_of_match[is_rescored[lists.matches] != 0]] = np.inf
    return item_bounds
