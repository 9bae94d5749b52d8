"""How is an event matched in a tree that grows? From the leaves up, level by level: A-Tree 2021, Algorithm 6.

Each level has a queue. A node that is dequeued is evaluated, and a result that matters is propagated to the parents
that hear it, which queues them. Lower levels come first, so whatever a node asks for is known:

    Q1   1  9          leaves: P1 and not P7 hold
    Q2   11 14         11 = P1 or P2 or P3; 14 = not P7 and not P8, which asks leaf 10 for its result
    Q3   15            15 = 11 or P4

State is cleaned lazily: what a node, test or attribute holds counts only when it carries the signature of the event.

A result matters when it is true or false, and with the zero-suppression filter only when it is true. An `and` that is
evaluated on demand hears its access child alone and asks its other children.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.engines.growing_tree.kernels.growing_arrays import (
    FALSE,
    FARTHEST,
    FIRST,
    HIGH,
    HIGH_IN,
    HIGH_REST,
    LAST,
    LEAVES,
    LOW,
    LOW_IN,
    LOW_REST,
    NEXT,
    NODES,
    NUM_FALSE,
    NUM_TRUE,
    PROPAGATIONS,
    RESULT,
    SIGNATURE,
    TOP_LEVEL,
    TRUE,
    UNKNOWN,
    WHEN_HIT,
    WHEN_MISSING,
    WHEN_NOT_HIT,
    MatchState,
    PredicateArrays,
    Probe,
    TreeArrays,
)
from eligo.kernels.codes import AND, LITERAL, NOT, OR, XOR
from eligo.kernels.compiled import brief, kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Float64s, Int64s, Integer, UInt8s, UInt32s

# Kernels pass single arrays to what they call in loops: a call with whole tuples costs more than the work.


@kernel
def _queue(
    node: Integer, level: Integer, signature: Integer, nodes: UInt32s, queues: UInt32s, counters: Int64s
) -> None:
    """Put a node at the end of its level's queue, with no operands."""
    nodes[node, SIGNATURE] = signature
    nodes[node, NUM_TRUE] = 0
    nodes[node, NUM_FALSE] = 0
    nodes[node, NEXT] = NONE
    if queues[level, FIRST] == NONE:
        queues[level, FIRST] = node
    else:
        nodes[queues[level, LAST], NEXT] = node
    queues[level, LAST] = node
    if level > counters[TOP_LEVEL]:
        counters[TOP_LEVEL] = level


@kernel
def _hit_ranges(
    start: Integer, count: Integer, value: float, rest: float, signature: Integer, bounds: Float64s, ends: UInt8s,
    range_test: UInt32s, test_signature: UInt32s, hits: UInt32s, num_hits: Integer,
) -> Any:  # fmt: skip
    """Hit the ranges of an axis that hold a value; those that begin above it, and all before a gap, are not read."""
    low = start
    high = start + count
    while low < high:
        middle = (low + high) // 2
        if bounds[middle, LOW] <= value:
            low = middle + 1
        else:
            high = middle
    place = low - 1
    while place >= start and bounds[place, FARTHEST] >= value:
        is_in = bounds[place, HIGH] >= value
        if is_in and bounds[place, LOW] == value:
            low_rest = bounds[place, LOW_REST]
            is_in = low_rest < rest or (low_rest == rest and ends[place] & LOW_IN != 0)
        if is_in and bounds[place, HIGH] == value:
            high_rest = bounds[place, HIGH_REST]
            is_in = high_rest > rest or (high_rest == rest and ends[place] & HIGH_IN != 0)
        test = range_test[place]
        if is_in and test_signature[test] != signature:
            test_signature[test] = signature
            hits[num_hits] = test
            num_hits += 1
        place -= 1
    return num_hits


@kernel
def _hit_tests(probe: Probe, signature: Integer, tests: PredicateArrays, state: MatchState) -> Any:
    """Find the tests that an event hits; returns how many there are."""
    test_signature, hits = state.test_signature, state.hits
    num_hits = np.int64(0)
    for key in probe.keys:
        start = np.int64(tests.posting_start[key])
        for place in range(start, start + np.int64(tests.posting_count[key])):
            test = tests.postings[place]
            if test_signature[test] != signature:
                test_signature[test] = signature
                hits[num_hits] = test
                num_hits += 1
    for step in range(len(probe.axes)):
        axis = probe.axes[step]
        num_hits = _hit_ranges(
            np.int64(tests.range_start[axis]),
            np.int64(tests.range_count[axis]),
            probe.values[step],
            probe.rests[step],
            signature,
            tests.range_bounds,
            tests.range_ends,
            tests.range_test,
            test_signature,
            hits,
            num_hits,
        )
    for test in probe.tests:
        if test_signature[test] != signature:
            test_signature[test] = signature
            hits[num_hits] = test
            num_hits += 1
    return num_hits


@kernel
def _match_predicates(
    probe: Probe, signature: Integer, suppress: bool, tree: TreeArrays, tests: PredicateArrays, state: MatchState
) -> None:
    """Find the tests that an event hits, and queue the leaves whose results matter."""
    least = TRUE if suppress else FALSE
    nodes, queues, counters = state.nodes, state.queues, state.counters
    for level in range(counters[TOP_LEVEL] + 1):
        queues[level, FIRST] = NONE
    counters[:] = 0
    for attribute in probe.attributes:
        state.attribute_signature[attribute] = signature
    for hit in range(_hit_tests(probe, signature, tests, state)):
        test = state.hits[hit]
        start = np.int64(tests.leaf_start[test])
        for place in range(start, start + np.int64(tests.leaf_count[test])):
            leaf = tests.leaves[place]
            if tree.is_heard[leaf] and (tree.outcomes_of_leaf[leaf] >> WHEN_HIT) & 3 >= least:
                _queue(leaf, 1, signature, nodes, queues, counters)
    for attribute in probe.attributes:
        start = np.int64(tests.not_hit_start[attribute])
        for place in range(start, start + np.int64(tests.not_hit_count[attribute])):
            leaf = tests.not_hit[place]
            if state.test_signature[tree.test_of_leaf[leaf]] != signature:
                _queue(leaf, 1, signature, nodes, queues, counters)
    for attribute in tests.missing_attributes:
        if state.attribute_signature[attribute] != signature:
            start = np.int64(tests.missing_start[attribute])
            for place in range(start, start + np.int64(tests.missing_count[attribute])):
                _queue(tests.missing[place], 1, signature, nodes, queues, counters)


@kernel
def _leaf_result(
    outcomes: Integer, test: Integer, signature: Integer, attribute_of_test: UInt32s, test_signature: UInt32s,
    attribute_signature: UInt32s,
) -> Any:  # fmt: skip
    if test_signature[test] == signature:
        shift = WHEN_HIT
    elif attribute_signature[attribute_of_test[test]] == signature:
        shift = WHEN_NOT_HIT
    else:
        shift = WHEN_MISSING
    return (np.int64(outcomes) >> shift) & 3


@kernel
def connective_result(kind: Integer, num_operands: Integer, num_true: Integer, num_false: Integer) -> Any:
    """Kleene's logic (A-Tree 2021, Table 2): the result of a connective, some of whose operands may be unknown."""
    if kind == AND:
        return FALSE if num_false else (TRUE if num_true == num_operands else UNKNOWN)
    if kind == OR:
        return TRUE if num_true else (FALSE if num_false == num_operands else UNKNOWN)
    if num_true + num_false < num_operands:
        return UNKNOWN
    if kind == NOT:
        return TRUE if num_false else FALSE
    is_odd = num_true % 2 == 1
    if kind != XOR and num_operands % 2 == 0:  # xnor, taken from the left
        is_odd = not is_odd
    return TRUE if is_odd else FALSE


@kernel
def _result_on_demand(
    node: Integer, signature: Integer, kind_of_node: UInt8s, access_child: UInt32s, test_of_leaf: UInt32s,
    outcomes_of_leaf: UInt8s, child_start: UInt32s, child_count: UInt32s, children: UInt32s, attribute_of_test: UInt32s,
    test_signature: UInt32s, attribute_signature: UInt32s, nodes: UInt32s, counters: Int64s,
) -> Any:  # fmt: skip
    """The result of an `and` that hears its access child only: the others are asked, until one is not true."""
    result = np.int64(TRUE if nodes[node, NUM_TRUE] else FALSE)
    place = np.int64(child_start[node])
    end = place + np.int64(child_count[node])
    while result == TRUE and place < end:
        child = children[place]
        place += 1
        if kind_of_node[child] == LITERAL:
            if child == access_child[node]:
                continue
            counters[LEAVES] += 1
            result = _leaf_result(
                outcomes_of_leaf[child], test_of_leaf[child], signature, attribute_of_test, test_signature,
                attribute_signature,
            )  # fmt: skip
        elif nodes[child, SIGNATURE] == signature:
            result = np.int64(nodes[child, RESULT])
        else:  # nothing has queued it, so nothing that matters is true below it
            result = np.int64(UNKNOWN)
    return result


@kernel
def _match_expressions(
    signature: Integer, suppress: bool, on_demand: bool, tree: TreeArrays, tests: PredicateArrays, state: MatchState
) -> Any:
    """Work through the queues; returns how many positions of true expressions there are in `matched`."""
    kind_of_node, level_of_node, num_needing_false = tree.kind_of_node, tree.level_of_node, tree.num_needing_false
    test_of_leaf, outcomes_of_leaf, child_count = tree.test_of_leaf, tree.outcomes_of_leaf, tree.child_count
    attribute_of_test = tests.attribute_of_test
    test_signature, attribute_signature = state.test_signature, state.attribute_signature
    nodes, queues, counters = state.nodes, state.queues, state.counters
    num_matched = 0
    level = 1
    while level <= counters[TOP_LEVEL]:  # which rises while results are propagated
        node = queues[level, FIRST]
        while node != NONE:
            counters[NODES] += 1
            kind = kind_of_node[node]
            if kind == LITERAL:
                counters[LEAVES] += 1
                result = _leaf_result(
                    outcomes_of_leaf[node], test_of_leaf[node], signature, attribute_of_test, test_signature,
                    attribute_signature,
                )  # fmt: skip
            elif kind == AND and on_demand and num_needing_false[node] == 0:
                result = _result_on_demand(
                    node, signature, kind_of_node, tree.access_child, test_of_leaf, outcomes_of_leaf, tree.child_start,
                    child_count, tree.children, attribute_of_test, test_signature, attribute_signature, nodes, counters,
                )  # fmt: skip
            else:
                num_true, num_false = np.int64(nodes[node, NUM_TRUE]), np.int64(nodes[node, NUM_FALSE])
                result = np.int64(connective_result(kind, np.int64(child_count[node]), num_true, num_false))
            # In place of the operands, which have done their part.
            nodes[node, RESULT] = result
            if result == TRUE:
                start = np.int64(tree.expression_start[node])
                for place in range(start, start + np.int64(tree.expression_count[node])):
                    state.matched[num_matched] = tree.expressions[place]
                    num_matched += 1
            if result == TRUE or (result == FALSE and not suppress):
                # Parents are on higher levels, so their queues are still to come.
                operand = NUM_TRUE if result == TRUE else NUM_FALSE
                start = np.int64(tree.parent_start[node])
                for place in range(start, start + np.int64(tree.parent_count[node])):
                    parent = tree.parents[place]
                    if nodes[parent, SIGNATURE] != signature:
                        _queue(parent, np.int64(level_of_node[parent]), signature, nodes, queues, counters)
                    nodes[parent, operand] += np.uint32(1)
                counters[PROPAGATIONS] += np.int64(tree.parent_count[node])
            node = nodes[node, NEXT]
        level += 1
    return num_matched


@brief
def match_event(
    probe: Probe, signature: Integer, suppress: bool, on_demand: bool, tree: TreeArrays, tests: PredicateArrays,
    state: MatchState,
) -> Any:  # fmt: skip
    """Match one event in both phases; returns how many positions of true expressions there are in `matched`."""
    _match_predicates(probe, signature, suppress, tree, tests, state)
    return _match_expressions(signature, suppress, on_demand, tree, tests, state)
