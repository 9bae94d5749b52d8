"""What does a growing tree hold, how much of it is shared, and what did its last match do?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eligo.engines.growing_tree.growing_nodes import GrowingNodes
from eligo.engines.growing_tree.kernels.growing_search import FREE
from eligo.engines.growing_tree.kernels.growing_sharing import count_occurrences
from eligo.kernels.codes import AND, LITERAL, NOT, OR, XNOR, XOR

KIND_NAMES = {AND: "and", OR: "or", XOR: "xor", XNOR: "xnor", NOT: "not", LITERAL: "leaf"}


@dataclass(frozen=True)
class LastMatch:
    """What the last match did."""

    num_nodes: int
    """Nodes that were queued and evaluated."""
    num_predicates: int
    """Leaves whose results were taken, queued ones and those asked for."""
    num_propagations: int
    """Results that were propagated along an edge."""


@dataclass(frozen=True)
class GrowingTreeStats:
    """What a growing tree holds."""

    num_expressions: int
    num_nodes: int
    num_edges: int
    num_tests: int
    """Distinct predicates, a negation counted with what it negates."""
    num_climbs: int
    """Edges that all insertions so far have read, in search of parts of a new node and of nodes around it."""
    nodes_by_level: Mapping[int, Mapping[str, int]]
    """For each level of the tree: how many nodes of each kind."""
    sharing_by_level: Mapping[int, float]
    """For each level of the expressions: subexpressions for each distinct one (A-Tree 2021, Figure 7)."""
    estimated_selectivity: float
    """A guess, from the form of the predicates alone, at the share of events that satisfy an average expression."""
    bytes_by_array: Mapping[str, int]
    last_match: LastMatch

    @property
    def num_bytes(self) -> int:
        """Bytes of all flat arrays."""
        return sum(self.bytes_by_array.values())


def measure(
    nodes: GrowingNodes, num_expressions: int, num_tests: int, bytes_by_array: Mapping[str, int], last: LastMatch
) -> GrowingTreeStats:
    """Take stock."""
    present = np.flatnonzero(nodes.kind_of_node != FREE)
    kinds, levels = nodes.kind_of_node[present], nodes.level_of_node[present]
    nodes_by_level: dict[int, dict[str, int]] = {}
    for level in np.unique(levels).tolist():
        counts = np.bincount(kinds[levels == level], minlength=LITERAL + 1)
        nodes_by_level[level] = {name: int(counts[kind]) for kind, name in KIND_NAMES.items() if counts[kind]}

    expression_count = nodes.expressions.count[: len(nodes.kind_of_node)]
    occurrences = np.zeros(len(nodes.kind_of_node), np.float64)
    written_level = np.zeros(len(nodes.kind_of_node), np.uint32)
    order = present[np.argsort(levels, kind="stable")].astype(np.uint32)
    count_occurrences(order, expression_count, occurrences, written_level, nodes.search_arrays())
    sharing = {
        level: float(occurrences[present][written_level[present] == level].mean())
        for level in np.unique(written_level[present]).tolist()
    }
    weights = expression_count[present]
    likely = float(np.average(nodes.likelihood[present], weights=weights)) if weights.any() else 0.0
    return GrowingTreeStats(
        num_expressions,
        len(present),
        nodes.num_edges,
        num_tests,
        int(nodes.climbs.sum()),
        nodes_by_level,
        sharing,
        likely,
        bytes_by_array,
        last,
    )
