"""How are conjunctions annotated with where they occur? The conjunction annotator of Fontoura 2010, Figure 1; offline.

    table ──▶ alternating trees ──▶ a label for each leaf ──▶ annotations: conjunction → (expression, label) …
                       └──────────▶ distinct conjunctions ──▶ conjunction index

The trees are let go afterwards: what the labels say suffices to evaluate expressions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_table import ExpressionTable
from eligo.engines.fontoura.kernels.alternating_trees import LEAF, Conjunctions, Forest, measure_trees, plant
from eligo.engines.fontoura.kernels.annotations import Annotations
from eligo.engines.fontoura.kernels.dewey_labels import DeweyLabels, measure_labels, write_labels
from eligo.engines.fontoura.kernels.interval_labels import IntervalLabels, label_nodes
from eligo.engines.kernels.clauses import literal_atoms
from eligo.engines.list_offsets import offsets_of
from eligo.errors import NormalFormTooLargeError

Numbers = npt.NDArray[np.uint32]


class TreeSizes(NamedTuple):
    """What labelling needs to know of each node."""

    numbers: Numbers
    """The how manieth child it is, from 1 on; 0 for a root."""
    num_children: Numbers
    num_leaves: Numbers
    """Leaves below it; 1 for a leaf."""


def alternating_trees(table: ExpressionTable, bound: int) -> tuple[Forest, Conjunctions]:
    """The alternating trees of a table's expressions, and their distinct conjunctions.

    An expression in which so much is shared that it would have more than `bound` literals without sharing is refused.
    """
    firsts = np.empty(table.num_literals, np.uint32)
    seconds = np.empty(table.num_literals, np.uint32)
    literal_atoms(table, firsts, seconds)
    is_too_large = np.zeros(table.num_expressions, np.uint8)
    tree_offsets, kinds, parents, leaves, offsets, literals = plant(table, firsts, seconds, bound, is_too_large)
    if is_too_large.any():
        error = NormalFormTooLargeError(
            f"a tree in which nothing is shared has more than {bound:,} literals",
            help='build with engine="a_tree", which takes expressions of any shape, or raise the bound of this engine',
        )
        error.rows = tuple(np.flatnonzero(is_too_large).tolist())
        raise error
    return Forest(tree_offsets, kinds, parents, leaves), Conjunctions(offsets, literals)


def tree_sizes(forest: Forest) -> TreeSizes:
    """The numbers and sizes of all nodes."""
    sizes = TreeSizes(*(np.zeros(len(forest.kinds), np.uint32) for _ in TreeSizes._fields))
    measure_trees(forest, *sizes)
    return sizes


def annotations_of(forest: Forest, num_conjunctions: int, order: npt.NDArray[np.int64] | None = None) -> Annotations:
    """Where conjunctions occur; `order` lists the leaves as they are numbered, when not in the order of the walk."""
    is_leaf = forest.kinds == LEAF
    owner = np.repeat(np.arange(len(forest.tree_offsets) - 1, dtype=np.uint32), np.diff(forest.tree_offsets))
    conjunctions = forest.conjunctions[is_leaf]
    conjunctions = conjunctions if order is None else conjunctions[order]
    return Annotations(
        offsets_of(np.bincount(conjunctions, minlength=num_conjunctions)),
        np.argsort(conjunctions, kind="stable").astype(np.uint32),
        owner[is_leaf],  # an order keeps leaves with their expressions
        np.array([len(forest.tree_offsets) - 1], np.uint32),
    )


def dewey_labels(forest: Forest) -> DeweyLabels:
    """The Dewey ids of all leaves, in the order of the walk; in words of 32 bits if all fit, else of 64."""
    sizes = tree_sizes(forest)
    bits, depths = np.zeros(len(forest.kinds), np.uint32), np.zeros(len(forest.kinds), np.uint32)
    measure_labels(forest, sizes.numbers, bits, depths)
    of_leaves = bits[forest.kinds == LEAF].astype(np.int64)
    most_bits = int(of_leaves.max(initial=0))
    words, offsets = np.zeros(len(of_leaves), np.uint32 if most_bits <= 32 else np.uint64), np.zeros(0, np.uint64)
    if most_bits > 64:
        offsets = np.concatenate([np.zeros(1, np.uint64), np.cumsum((of_leaves + 63) // 64).astype(np.uint64)])
        words = np.zeros(int(offsets[-1]), np.uint64)
    labels = DeweyLabels(words, offsets, np.array([depths.max(initial=0)], np.uint32))
    write_labels(forest, sizes.numbers, sizes.num_children, bits, most_bits, labels)
    return labels


def interval_labels(forest: Forest, most_leaves: int | None = None) -> tuple[IntervalLabels, npt.NDArray[np.int64]]:
    """The intervals of all leaves, by expression and then by where they begin; and the leaves in that order.

    `most_leaves` is M, when it is to be more than the leaves of the largest tree. Intervals have 16 bits if M has.
    """
    sizes = tree_sizes(forest)
    is_root = np.zeros(len(forest.kinds) + 1, np.bool_)
    is_root[forest.tree_offsets] = True
    largest = int(sizes.num_leaves[is_root[:-1]].max(initial=0))
    most = largest if most_leaves is None else most_leaves
    begins, ends = np.zeros(len(forest.kinds), np.int64), np.zeros(len(forest.kinds), np.int64)
    label_nodes(forest, *sizes, most, begins, ends)
    is_leaf = forest.kinds == LEAF
    owner = np.repeat(np.arange(len(forest.tree_offsets) - 1), np.diff(forest.tree_offsets))[is_leaf]
    begins, ends = begins[is_leaf], ends[is_leaf]
    order = np.lexsort((ends, begins, owner))
    kind = np.uint16 if most < 1 << 16 else np.uint32
    labels = IntervalLabels(begins[order].astype(kind), ends[order].astype(kind), np.array([most], np.uint32))
    return labels, order
