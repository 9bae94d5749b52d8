"""Which items score best? The walk through a tree of beginnings, past what cannot be among the best.

Every node has a bound: what the clauses from it down to its best leaf can score for an event whose weights are 1. The
score so far and that bound together decide whether the walk goes below a node whose clause holds. Scores are counted in
units (`score_units`), and bounds are floats that are never below what they bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Events
from eligo.engines.kernels.exact_scores import HAIR, add_units, hit_units
from eligo.engines.whang.kernels.best_items import Best, worst_of_best
from eligo.engines.whang.kernels.conjunction_ranking import offer_matches
from eligo.engines.whang.kernels.heaviest_lists import TreeRanks, rank_by_attributes
from eligo.engines.whang.kernels.list_heads import ONE, Heads, KLists
from eligo.engines.whang.kernels.prefix_tree import LEAF, PrefixTree, TreeScratch, set_atoms
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Float32s, Float64s, Int64s, Integer, UInt8s, UInt16s, UInt32s, UInt64s
from eligo.kernels.score_units import MOST_UNITS
from eligo.ranges.kernels.segment_tree_walks import climb


@kernel
def node_bounds(
    node_clause: UInt32s, node_next: UInt32s, clause_bounds: Float64s, item_bounds: Float64s, bounds: Float64s,
    depths: UInt16s,
) -> None:  # fmt: skip
    """Write each node's bound, in units, and depth; an item's own is infinite where its expression's tree must tell."""
    for step in range(len(node_clause)):
        node = len(node_clause) - 1 - step
        below = 0.0
        following = node_next[node]
        if following & LEAF:
            below = item_bounds[following ^ LEAF]
        else:
            child = node + 1
            while child < following:
                below = max(below, bounds[child])
                child = child + 1 if node_next[child] & LEAF else np.int64(node_next[child])
        bounds[node] = below + clause_bounds[node_clause[node]]
    for node in range(len(node_clause)):
        following = node_next[node]
        if following & LEAF == 0:
            child = node + 1
            while child < following:
                depths[child] = depths[node] + 1
                child = child + 1 if node_next[child] & LEAF else np.int64(node_next[child])


@hot_loop
def _score_key(
    key: Integer, weight: float, is_range: bool, effect_offsets: UInt32s, effect_atom: UInt32s, effect_value: UInt8s,
    effect_weights: Float64s, scores: Int64s,
) -> None:  # fmt: skip
    for place in range(effect_offsets[key], effect_offsets[key + ONE]):
        if effect_value[place] == 0:
            continue
        atom = effect_atom[place]
        hit = hit_units(effect_weights[place] if len(effect_weights) > 0 else 1.0, weight)
        scores[atom] = max(scores[atom], hit) if is_range else add_units(scores[atom], hit)


@hot_loop
def score_atoms(events: Events, tree: PrefixTree, lists: KLists, effect_weights: Float64s, scores: Int64s) -> None:
    """Add up what the batch's only event scores for each atom: sets add the keys that are hit, ranges the heaviest."""
    effect_offsets, effect_atom, effect_value = tree.effect_offsets, tree.effect_atom, tree.effect_value
    for place in range(events.key_offsets[0], events.key_offsets[1]):
        weight = events.key_weights[place] if len(events.key_weights) > 0 else 1.0
        key = np.uint64(events.keys[place])
        _score_key(key, weight, False, effect_offsets, effect_atom, effect_value, effect_weights, scores)
    for place in range(events.cell_offsets[0], events.cell_offsets[1]):
        weight = events.cell_weights[place] if len(events.cell_weights) > 0 else 1.0
        axis = events.cell_axes[place]
        for key in climb(events.cells[place], lists.axis_size[axis], lists.axis_base[axis]):
            _score_key(key, weight, True, effect_offsets, effect_atom, effect_value, effect_weights, scores)


@hot_loop
def next_conjunction(
    at: Integer, worst: Integer, node_clause: UInt32s, node_next: UInt32s, depths: UInt16s, bounds: Float32s,
    factor: float, holds: UInt8s, scores: Int64s, so_far: Int64s,
) -> Any:  # fmt: skip
    """The next leaf from `at` on whose item holds and may be among the best, with its score; the end if none is."""
    leaf = np.uint64(LEAF)
    end = np.uint64(len(node_clause))
    needed = worst / HAIR
    while at < end:
        following = np.uint64(node_next[at])
        depth = np.uint64(depths[at])
        clause = node_clause[at]
        score = so_far[depth] + scores[clause]  # kept within `MOST_UNITS` only where it goes on
        if following >= leaf:  # most nodes are leaves, and almost none is among the best: a branch that is foreseen
            if (holds[clause] != 0) & ((score >= worst) | (bounds[at] == np.inf)):
                return at, min(score, MOST_UNITS)
            at += ONE
        elif (holds[clause] != 0) & (so_far[depth] + bounds[at] * factor >= needed):
            so_far[depth + ONE] = min(score, MOST_UNITS)
            at += ONE
        else:
            at = following
    return end, 0


@hot_loop
def next_disjunctions(
    at: Integer, worst: Integer, node_clause: UInt32s, node_next: UInt32s, depths: UInt16s, bounds: Float32s,
    factor: float, holds: UInt8s, scores: Int64s, so_far: Int64s, clause_offsets: UInt32s, clause_atoms: UInt32s,
) -> Any:  # fmt: skip
    """The same where clauses are disjunctions, each of which scores as its best atom that holds."""
    leaf = np.uint64(LEAF)
    end = np.uint64(len(node_clause))
    needed = worst / HAIR
    while at < end:
        following = np.uint64(node_next[at])
        depth = np.uint64(depths[at])
        truth, scored = np.uint8(0), 0
        # The bound comes first: it lies beside the node, and near the end of a walk it mostly decides.
        if so_far[depth] + bounds[at] * factor >= needed:
            clause = np.uint64(node_clause[at])
            for place in range(clause_offsets[clause], clause_offsets[clause + ONE]):
                atom = clause_atoms[place]
                truth |= holds[atom]
                scored = max(scored, scores[atom])  # what does not hold scores nothing
        score = add_units(so_far[depth], scored)
        if following >= leaf:
            if (truth != 0) & ((score >= worst) | (bounds[at] == np.inf)):
                return at, score
            at += ONE
        elif truth != 0:
            so_far[depth + ONE] = score
            at += ONE
        else:
            at = following
    return end, 0


@hot_loop
def walk_best(
    tree: PrefixTree, lists: KLists, depths: UInt16s, bounds: Float32s, factor: float, holds: UInt8s, scores: Int64s,
    so_far: Int64s, best: Best, is_rescored: UInt8s, marks: UInt64s, counts: Int64s,
) -> None:  # fmt: skip
    """Offer the items all of whose clauses hold, unless they cannot be among the best.

    `factor` is how much more an event may score than one with weights of 1 and one value for each attribute;
    `so_far` is scratch, one longer than the tree is deep.
    """
    node_clause, node_next = tree.node_clause, tree.node_next
    has_disjunctions = len(tree.clause_offsets) > 0
    at = np.uint64(0)
    end = np.uint64(len(node_clause))
    while at < end:
        worst = worst_of_best(best)
        if has_disjunctions:
            at, score = next_disjunctions(
                at, worst, node_clause, node_next, depths, bounds, factor, holds, scores, so_far, tree.clause_offsets,
                tree.clause_atoms,
            )  # fmt: skip
        else:
            at, score = next_conjunction(
                at, worst, node_clause, node_next, depths, bounds, factor, holds, scores, so_far
            )
        if at < end:
            counts[3] += 1
            offer_matches(np.uint64(node_next[at]) ^ np.uint64(LEAF), score, lists, best, is_rescored, marks)
            at += ONE


@hot_loop
def rank_event(
    events: Events, tree: PrefixTree, lists: KLists, ranks: TreeRanks, scratch: TreeScratch, heads: Heads,
    effect_weights: Float64s, factor: float, attribute_bounds: Int64s, best: Best, is_rescored: UInt8s,
) -> bool:  # fmt: skip
    """Find the best expressions for the batch's only event; marks those that match and are scored by their trees.

    Returns whether it took a walk through the tree: the lists that can score most may have been enough.
    """
    holds, changed, scores, so_far = scratch.holds, scratch.changed, scratch.scores, scratch.so_far
    num_changed = set_atoms(0, events, tree, lists, holds, changed)
    score_atoms(events, tree, lists, effect_weights, scores)
    is_done = False
    if len(ranks.row_offsets) > 0:
        is_done = rank_by_attributes(
            events, lists, ranks, heads, holds, scores, best, is_rescored, scratch.marks, attribute_bounds
        )
    if not is_done:
        so_far[0] = 0
        walk_best(
            tree, lists, ranks.depths, ranks.bounds, factor, holds, scores, so_far, best, is_rescored, scratch.marks,
            scratch.counts,
        )  # fmt: skip
    for number in range(num_changed):
        holds[changed[number]] = tree.atom_default[changed[number]]
        scores[changed[number]] = 0
    return not is_done
