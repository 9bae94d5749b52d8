"""How is an alternating tree evaluated, leaf by leaf? Each says which is next when it holds, and when it does not.

    (A and B) or C         leaf  0 A   holds → 1        fails → 2
                                 1 B   holds → ACCEPT   fails → 2
                                 2 C   holds → ACCEPT   fails → REJECT

This is Fontoura 2010's scan with conjunction match (5.2): only expressions with a conjunction that matched are
evaluated, but these wholly, from their literals. It keeps every tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.kernels.tables import Events, Literals, Predicates
from eligo.engines.fontoura.kernels.alternating_trees import LEAF, Forest
from eligo.engines.fontoura.kernels.dewey_evaluation import LABELS, SKIPPED, TOUCHED
from eligo.engines.kernels.event_state import EventState, literal_holds, load_event, unload_event
from eligo.kernels.codes import AND
from eligo.kernels.compiled import hot_loop, kernel
from eligo.kernels.parameter_types import Int64s, Integer, UInt32s

ACCEPT = np.uint32(0xFFFFFFFF)
REJECT = np.uint32(0xFFFFFFFE)
"""In place of the next leaf: the expression is true, or is not."""
ONE = np.uint64(1)
LITERALS = 3
"""The place in the counts of literals that were tested, behind those of `dewey_evaluation`."""


class Jumps(NamedTuple):
    """All trees, as leaves that lead to each other, and what the leaves ask."""

    first_leaf: npt.NDArray[np.uint32]
    """For each expression: its first leaf, or REJECT when it has none."""
    leaf_on_hold: npt.NDArray[np.uint32]
    """For each leaf: the leaf to go on with when it holds, a later one, or ACCEPT or REJECT."""
    leaf_on_fail: npt.NDArray[np.uint32]
    """For each leaf: the same when it does not hold."""
    literal_offsets: npt.NDArray[np.uint32]
    """Leaf l asks `leaf_literals[literal_offsets[l]:literal_offsets[l + 1]]`."""
    leaf_literals: npt.NDArray[np.uint32]


@kernel
def write_jumps(
    forest: Forest,
    numbers: UInt32s,
    num_children: UInt32s,
    num_leaves: UInt32s,
    first_leaf: UInt32s,
    leaf_on_hold: UInt32s,
    leaf_on_fail: UInt32s,
) -> None:
    """Write where each leaf leads; the other arrays are those of `measure_trees`."""
    on_hold, on_fail = np.empty(len(forest.kinds), np.uint32), np.empty(len(forest.kinds), np.uint32)
    leaf = 0
    for tree in range(len(forest.tree_offsets) - 1):
        first, last = forest.tree_offsets[tree], forest.tree_offsets[tree + 1]
        first_leaf[tree] = leaf if last > first else REJECT
        for node in range(first, last):
            on_hold[node], on_fail[node] = ACCEPT, REJECT
            if node > first:
                parent = first + np.int64(forest.parents[node])
                on_hold[node], on_fail[node] = on_hold[parent], on_fail[parent]
                if numbers[node] != num_children[parent]:
                    after = np.uint32(leaf + np.int64(num_leaves[node]))
                    if forest.kinds[parent] == AND:
                        on_hold[node] = after
                    else:
                        on_fail[node] = after
            if forest.kinds[node] == LEAF:
                leaf_on_hold[leaf], leaf_on_fail[leaf] = on_hold[node], on_fail[node]
                leaf += 1


@hot_loop
def evaluate(
    first_event: Integer,
    events: Events,
    predicates: Predicates,
    literals: Literals,
    true_leaves: UInt32s,
    true_offsets: Int64s,
    num_events: Integer,
    expression_of_leaf: UInt32s,
    jumps: Jumps,
    state: EventState,
    lengths: Int64s,
    positions: UInt32s,
    counts: Int64s,
) -> int:
    """Write the expressions that events satisfy, and how many each does; the first of them is `first_event`."""
    count, num_true, num_tested, num_literals, num_touched = 0, 0, 0, 0, 0
    for event in range(num_events):
        start = count
        number, end = true_offsets[event], true_offsets[event + 1]
        num_true += end - number
        load_event(first_event + event, events, state)
        while number < end:
            expression = expression_of_leaf[true_leaves[number]]
            while number < end and expression_of_leaf[true_leaves[number]] == expression:
                number += 1
            num_touched += 1
            at = jumps.first_leaf[expression]
            while at < REJECT:
                holds = True
                place = np.uint64(jumps.literal_offsets[at])
                last = np.uint64(jumps.literal_offsets[np.uint64(at) + ONE])
                while holds and place < last:
                    literal = jumps.leaf_literals[place]
                    holds = literal_holds(literal, literals, predicates, events, state)
                    num_literals += 1
                    place += ONE
                at = jumps.leaf_on_hold[at] if holds else jumps.leaf_on_fail[at]
                num_tested += 1
            if at == ACCEPT:
                positions[count] = expression
                count += 1
        unload_event(first_event + event, events, state)
        lengths[event] = count - start
    counts[LABELS] += num_tested
    counts[SKIPPED] += max(0, num_true - num_tested)
    counts[TOUCHED] += num_touched
    counts[LITERALS] += num_literals
    return count
