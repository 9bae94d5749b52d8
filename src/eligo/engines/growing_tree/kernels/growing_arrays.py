"""What do the kernels of a growing tree read and write? Flat arrays, in four groups.

    TreeArrays         the nodes: what they are, their children, the parents that hear them, their expressions
    PredicateArrays    the tests of the leaves, and how keys, axes and attributes lead to them
    Probe              one event, as keys, values on axes and present attributes
    MatchState         scratch, cleaned lazily by the signature of an event

A list of an owner is `items[start[owner] : start[owner] + count[owner]]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

UNKNOWN = 0
FALSE = 1
TRUE = 2

WHEN_HIT = 0
WHEN_NOT_HIT = 2
WHEN_MISSING = 4
"""Where the results of a leaf stand in its outcomes, two bits each."""

LOW_IN = 1
HIGH_IN = 2
"""Bits of a range: whether its ends belong to it."""

TOP_LEVEL, NODES, LEAVES, PROPAGATIONS = range(4)
"""Places of the counters: the highest level queued, nodes dequeued, leaves evaluated, results propagated."""

SIGNATURE, NUM_TRUE, NUM_FALSE, NEXT = range(4)
"""Columns of a node's state: the last event that queued it, its operands so far, and the next node of its queue."""
RESULT = NUM_TRUE
"""A node that has been evaluated needs its operands no more, and keeps its result in their place."""

FIRST, LAST = range(2)
"""Columns of a level's queue."""

LOW, LOW_REST, HIGH, HIGH_REST, FARTHEST = range(5)
"""Columns of a range: its ends, rounded, with what rounding took away, and the largest high end so far on its axis."""


class TreeArrays(NamedTuple):
    """What matching reads of the nodes."""

    kind_of_node: npt.NDArray[np.uint8]
    level_of_node: npt.NDArray[np.uint32]
    access_child: npt.NDArray[np.uint32]
    """For each connective: the child that it always hears."""
    num_needing_false: npt.NDArray[np.uint32]
    """For each node: how many parents need to know that it is false; an `and` with none may be on demand."""
    is_heard: npt.NDArray[np.uint8]
    """For each leaf: 1 when a parent hears it or it is an expression."""
    test_of_leaf: npt.NDArray[np.uint32]
    outcomes_of_leaf: npt.NDArray[np.uint8]
    child_start: npt.NDArray[np.uint32]
    child_count: npt.NDArray[np.uint32]
    children: npt.NDArray[np.uint32]
    parent_start: npt.NDArray[np.uint32]
    parent_count: npt.NDArray[np.uint32]
    """For each node: how many parents, the first ones, hear it."""
    parents: npt.NDArray[np.uint32]
    expression_start: npt.NDArray[np.uint32]
    expression_count: npt.NDArray[np.uint32]
    expressions: npt.NDArray[np.uint32]
    """The positions of the expressions that a node is."""


class PredicateArrays(NamedTuple):
    """What matching reads of the tests, each of which is the positive form of one or more leaves."""

    attribute_of_test: npt.NDArray[np.uint32]
    leaf_start: npt.NDArray[np.uint32]
    leaf_count: npt.NDArray[np.uint32]
    leaves: npt.NDArray[np.uint32]
    """The leaves of each test."""
    posting_start: npt.NDArray[np.uint32]
    posting_count: npt.NDArray[np.uint32]
    postings: npt.NDArray[np.uint32]
    """The tests that each key hits."""
    range_start: npt.NDArray[np.uint32]
    range_count: npt.NDArray[np.uint32]
    range_test: npt.NDArray[np.uint32]
    range_bounds: npt.NDArray[np.float64]
    """The ranges of each axis, by their low ends, ascending."""
    range_ends: npt.NDArray[np.uint8]
    """For each range: LOW_IN, HIGH_IN, both or neither."""
    not_hit_start: npt.NDArray[np.uint32]
    not_hit_count: npt.NDArray[np.uint32]
    not_hit: npt.NDArray[np.uint32]
    """For each attribute: the heard leaves whose result matters when it is present and their test is not hit."""
    missing_start: npt.NDArray[np.uint32]
    missing_count: npt.NDArray[np.uint32]
    missing: npt.NDArray[np.uint32]
    """For each attribute: the heard leaves whose result matters when it is missing."""
    missing_attributes: npt.NDArray[np.uint32]
    """The attributes that have such leaves."""


class Probe(NamedTuple):
    """What an event asks for."""

    attributes: npt.NDArray[np.uint32]
    """The attributes that are present."""
    keys: npt.NDArray[np.uint32]
    axes: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float64]
    """For each value on an axis: its number, rounded."""
    rests: npt.NDArray[np.float64]
    """For each value on an axis: what rounding took away."""
    tests: npt.NDArray[np.uint32]
    """Tests that are known to be hit."""


class MatchState(NamedTuple):
    """Scratch state, cleaned lazily by the signature of an event."""

    test_signature: npt.NDArray[np.uint32]
    """For each test: the last event that hit it."""
    attribute_signature: npt.NDArray[np.uint32]
    """For each attribute: the last event that had it."""
    nodes: npt.NDArray[np.uint32]
    """For each node: its state, four columns."""
    queues: npt.NDArray[np.uint32]
    """For each level: the first and last node of its queue, or NONE."""
    hits: npt.NDArray[np.uint32]
    """Tests that the event hits."""
    matched: npt.NDArray[np.uint32]
    """Positions of expressions that are true."""
    counters: npt.NDArray[np.int64]
