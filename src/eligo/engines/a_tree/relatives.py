"""Which expressions share parts with one? Those above its own nodes in a frozen tree, then those with its literals."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE


def relatives(tree: FrozenTree, root: int, most: int) -> npt.NDArray[np.uint32]:
    """Positions of expressions that share nodes or literals with a root's, nearer ones first, at most so many."""
    below, literals = _parts(tree, root)
    lengths = tree.child_offsets[1:].astype(np.int64) - tree.child_offsets[:-1]
    parent_of_edge = np.repeat(np.arange(len(lengths), dtype=np.uint32), lengths)
    reached = np.array(below, np.uint32)
    found = [_positions(tree, reached)]
    frontier = reached.astype(np.int64) + int(CONNECTIVE)
    for _ in range(int(tree.node_level.max(initial=1)) + 1):
        frontier = np.setdiff1d(parent_of_edge[np.isin(tree.children, frontier)], reached)
        if not len(frontier) or sum(map(len, found)) > most:
            break
        found.append(_positions(tree, frontier))
        reached = np.union1d(reached, frontier)
        # Expressions that only share a literal come last, and from one round of parents.
        frontier = frontier.astype(np.int64) + int(CONNECTIVE)
    with_literal = np.unique(parent_of_edge[np.isin(tree.children, np.array(literals, np.uint32))])
    found.append(_positions(tree, with_literal))
    positions = np.concatenate(found)
    _, first = np.unique(positions, return_index=True)
    ordered: npt.NDArray[np.uint32] = positions[np.sort(first)]
    return ordered[~np.isin(ordered, _positions(tree, np.array([root])))][:most]


def _parts(tree: FrozenTree, root: int) -> tuple[list[int], list[int]]:
    """The nodes of a root, itself among them, and its literals."""
    nodes, literals, pending = {root}, set(), [root]
    while pending:
        node = pending.pop()
        for child in tree.children[int(tree.child_offsets[node]) : int(tree.child_offsets[node + 1])].tolist():
            if child < CONNECTIVE:
                literals.add(child)
            elif child - int(CONNECTIVE) not in nodes:
                nodes.add(child - int(CONNECTIVE))
                pending.append(child - int(CONNECTIVE))
    return sorted(nodes), sorted(literals)


def _positions(tree: FrozenTree, nodes: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """The expressions whose roots these nodes are."""
    taken = [tree.matches[int(tree.match_offsets[node]) : int(tree.match_offsets[node + 1])] for node in nodes.tolist()]
    return np.concatenate([np.zeros(0, np.uint32), *taken])
