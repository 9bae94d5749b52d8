"""Which of an event's matches fit best, without scoring them all? Upper bounds, as in Whang 2009, section 5.

Every node has a bound on its score that no event weight of 1 or less can pass: an AND adds its children's, an OR takes
the largest. Matches are scored from the highest bound down, until no bound left reaches the worst of the best n.
Scores are counted in units (`score_units`), and bounds are floats that are never below what they bound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events, ScoredLiterals
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE
from eligo.engines.kernels.event_state import ONE, EventState, literal_holds
from eligo.engines.kernels.exact_scores import HAIR, add_units, bound_units
from eligo.engines.kernels.match_scores import literal_score
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, UInt32s


class TopScratch(NamedTuple):
    """What one thread needs to score nodes; zero between events."""

    node_truth: npt.NDArray[np.uint8]
    """For each node: 0 not known, 1 true, 2 false."""
    node_score: npt.NDArray[np.int64]
    """For each node known to be true: its score."""
    touched: npt.NDArray[np.uint32]
    stack_node: npt.NDArray[np.uint32]
    stack_place: npt.NDArray[np.uint32]
    stack_score: npt.NDArray[np.int64]
    stack_truth: npt.NDArray[np.uint8]
    """Nodes under evaluation: how far each has come, its score so far, and for an OR whether a child was true."""


def new_top_scratch(num_nodes: int, depth: int) -> TopScratch:
    """Scratch with nothing known."""
    return TopScratch(
        np.zeros(num_nodes, np.uint8),
        np.empty(num_nodes, np.int64),
        np.empty(num_nodes + 1, np.uint32),
        np.empty(depth, np.uint32),
        np.empty(depth, np.uint32),
        np.empty(depth, np.int64),
        np.empty(depth, np.uint8),
    )


@kernel
def node_bounds(table: ScoredLiterals, tree: FrozenTree, upwards: Int64s) -> Any:
    """A bound on the score of each node, in units, where event weights are at most 1; `upwards` has children first."""
    predicates = table.predicates
    literal_bound = np.zeros(len(table.literal_predicate))
    for literal in range(len(literal_bound)):
        if table.literal_positive[literal] == 0:
            continue
        predicate = np.int64(table.literal_predicate[literal])
        is_set = predicates.is_set_of_predicate[predicate] != 0
        bound = 0.0
        for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
            hit = bound_units(predicates.key_weights[place])
            bound = bound + hit if is_set else max(bound, hit)
        for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + 1]):
            bound = max(bound, bound_units(predicates.range_weights[place]))
        literal_bound[literal] = bound
    bounds = np.zeros(len(tree.node_is_and))
    for node in upwards:
        bound = 0.0
        is_and = tree.node_is_and[node] != 0
        for place in range(tree.child_offsets[node], tree.child_offsets[np.int64(node) + 1]):
            child = tree.children[place]
            of_child = literal_bound[child] if child < CONNECTIVE else bounds[child - CONNECTIVE]
            bound = bound + of_child if is_and else max(bound, of_child)
        bounds[node] = bound
    return bounds


@hot_loop
def _score_node(
    root: Integer, num_touched: Integer, events: Events, table: ScoredLiterals, tree: FrozenTree, state: EventState,
    scratch: TopScratch,
) -> Any:  # fmt: skip
    """Find the truth and the score of a node and of what is below it; returns how many nodes are touched."""
    node_truth, node_score, touched = scratch.node_truth, scratch.node_score, scratch.touched
    stack_node, stack_place = scratch.stack_node, scratch.stack_place
    stack_score, stack_truth = scratch.stack_score, scratch.stack_truth
    top = 0
    stack_node[0] = root
    stack_place[0] = tree.child_offsets[root]
    stack_score[0] = 0
    stack_truth[0] = tree.node_is_and[root]
    while top >= 0:
        node = np.uint64(stack_node[top])
        place = np.uint64(stack_place[top])
        last = np.uint64(tree.child_offsets[node + ONE])
        is_and = tree.node_is_and[node] != 0
        descends = False
        while place < last:
            child = tree.children[place]
            score = 0
            if child < CONNECTIVE:
                truth = literal_holds(child, table, table.predicates, events, state)
                if truth:
                    score = literal_score(child, table, table.predicates, events, state)
            else:
                inner = child - CONNECTIVE
                if node_truth[inner] == 0:
                    stack_place[top] = place
                    top += 1
                    stack_node[top] = inner
                    stack_place[top] = tree.child_offsets[inner]
                    stack_score[top] = 0
                    stack_truth[top] = tree.node_is_and[inner]
                    descends = True
                    break
                truth = node_truth[inner] == 1
                if truth:
                    score = node_score[inner]
            place += ONE
            if is_and:
                if not truth:
                    stack_truth[top] = 0
                    break
                stack_score[top] = add_units(stack_score[top], score)
            elif truth:
                stack_score[top] = max(stack_score[top], score) if stack_truth[top] != 0 else score
                stack_truth[top] = 1
        if descends:
            continue
        node_truth[node] = 1 if stack_truth[top] != 0 else 2
        node_score[node] = stack_score[top]
        touched[num_touched] = node
        num_touched += 1
        top -= 1
    return num_touched


@hot_loop
def keep_highest(units: Integer, highest: Int64s) -> None:
    """Put a score into a heap of the highest so far, the lowest of them on top, in place of that one."""
    at, child = 0, 1
    while child < len(highest):
        if child + 1 < len(highest) and highest[child + 1] < highest[child]:
            child += 1
        if units <= highest[child]:
            break
        highest[at] = highest[child]
        at, child = child, 2 * child + 1
    highest[at] = units


@hot_loop
def score_best(
    nodes: UInt32s, bounds: Float64s, factor: float, highest: Int64s, events: Events, table: ScoredLiterals,
    tree: FrozenTree, state: EventState, scratch: TopScratch, scores: Int64s,
) -> Any:  # fmt: skip
    """Score true nodes, given by falling bound, into `scores`; returns how many, the others cannot be among the best.

    `highest` is a heap as long as the answer, of -1 at first; empty when all are wanted, in any order. `factor` is the
    largest event weight, or 1.
    """
    num_touched = 0
    done = len(nodes)
    for rank in range(len(nodes)):
        if len(highest) > 0 and bounds[rank] * factor * HAIR < highest[0]:
            done = rank
            break
        node = nodes[rank]
        if scratch.node_truth[node] == 0:
            num_touched = _score_node(node, num_touched, events, table, tree, state, scratch)
        score = scratch.node_score[node]
        scores[rank] = score
        if len(highest) > 0 and score > highest[0]:
            keep_highest(score, highest)
    for place in range(num_touched):
        scratch.node_truth[scratch.touched[place]] = 0
    return done
