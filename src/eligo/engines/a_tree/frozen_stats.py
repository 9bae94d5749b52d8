"""What does a frozen tree hold, how much of it is shared, and how selective is it thought to be?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.freeze import estimate
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.frozen_sharing import count_occurrences
from eligo.engines.a_tree.kernels.shared_nodes import SharedNodes


@dataclass(frozen=True)
class FrozenFigures:
    """What does not change while a frozen tree is in use."""

    nodes_by_level: Mapping[int, Mapping[str, int]]
    """For each level from 1, that of the literals, up: how many nodes of each kind."""
    sharing_by_level: Mapping[int, float]
    """For each level: subexpressions for each distinct one (A-Tree 2021, Figure 7)."""
    sharing_of_expressions: float
    """Expressions for each distinct one, constant ones left out."""
    estimated_selectivity: Mapping[str, float]
    """The share of events for which a literal is thought to hold, without a sample: its quartiles and mean."""
    bytes_by_array: Mapping[str, int]


def measure(tree: FrozenTree, table: ExpressionTable, vocabulary: Vocabulary) -> FrozenFigures:
    """Take stock."""
    levels = tree.node_level.astype(np.int64)
    nodes_by_level = {1: {"literal": table.num_literals}}
    for level in np.unique(levels).tolist():
        ands = int(tree.node_is_and[levels == level].sum())
        counts = {"and": ands, "or": int((levels == level).sum()) - ands}
        nodes_by_level[level] = {kind: count for kind, count in counts.items() if count}

    of_nodes, of_literals = np.zeros(len(levels)), np.zeros(table.num_literals)
    count_occurrences(tree, np.argsort(-levels, kind="stable"), of_nodes, of_literals)
    sharing = {level: float(of_nodes[levels == level].mean()) for level in np.unique(levels).tolist()}
    if table.num_literals:
        sharing = {1: float(of_literals.mean()), **sharing}
    num_roots = int(np.count_nonzero(np.diff(tree.match_offsets)))
    nodes = SharedNodes(tree.node_is_and, tree.child_offsets, tree.children)
    likely, _ = estimate(table, vocabulary, nodes, None)
    quartiles = np.quantile(likely, [0.0, 0.25, 0.5, 0.75, 1.0]).tolist() if len(likely) else [0.0] * 5
    names = ("least", "first_quartile", "median", "third_quartile", "largest")
    return FrozenFigures(
        nodes_by_level,
        sharing,
        len(tree.matches) / num_roots if num_roots else 0.0,
        {**dict(zip(names, quartiles, strict=True)), "mean": float(likely.mean()) if len(likely) else 0.0},
        {name: array.nbytes for name, array in tree._asdict().items()},
    )
