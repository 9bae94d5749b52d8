"""How does a frozen tree write down what to test? As a few words inline, in the order in which they decide.

A test is one word, or three: the kind in the top bits of the first, operands in the rest. The tests of a node's
children stand side by side and end with the node itself, so that a candidate is settled by reading on from one place:

    node 7: age between 18 and 24 and state = 'CA' and N3        RANGE age  18  24   KEY (state, CA)   NODE 3   END 7
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Literals, Predicates
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE, SharedNodes
from eligo.kernels.compiled import kernel
from eligo.kernels.parameter_types import Integer, UInt8s, UInt32s

TEST_NEAR = 0
"""Three words, a key and up to five distances from it, of 12 bits each: has the event one of these keys?"""
TEST_KEY = 1
"""Has the event this key?"""
TEST_KEYS = 2
"""Three words: has the event one of these keys?"""
TEST_RANGE = 3
"""Three words, axis, low and high: has the event a cell from low to high?"""
TEST_NOT_KEYS = 4
"""Three words, attribute and two keys: has the event the attribute, and neither key?"""
TEST_LITERAL = 5
"""Does the literal of this number hold? For what fits no other kind."""
TEST_NODE = 6
"""Is the node of this number true?"""
FOLLOW_LIST = 6
"""In a posting entry, which never tests a node: read the list of this number too."""
END = 7
"""Nothing is left to test: the node of this number is true, if it is an AND; one of an OR's children is."""

MOST_NEAR = 6
"""So many keys a near test can have."""
NEAR_BITS = np.uint64(12)
NEAR_MASK = np.uint64((1 << 12) - 1)

KIND_SHIFT = np.uint32(29)
OPERAND_MASK = np.uint32((1 << 29) - 1)


@kernel
def with_kind(kind: Integer, operand: Integer) -> Any:
    """The first word of a test."""
    return np.uint32(operand) | (np.uint32(kind) << KIND_SHIFT)


@kernel
def kind_of_literal(literal: Integer, table: Literals) -> Any:
    """The shortest kind of test that will do for a literal."""
    predicates = table.predicates
    predicate = np.int64(table.literal_predicate[literal])
    num_keys = np.int64(predicates.key_offsets[predicate + 1]) - np.int64(predicates.key_offsets[predicate])
    num_ranges = np.int64(predicates.range_offsets[predicate + 1]) - np.int64(predicates.range_offsets[predicate])
    if table.literal_holds_when_missing[literal] != 0:
        return TEST_LITERAL
    if table.literal_positive[literal] == 0:
        return TEST_NOT_KEYS if num_ranges == 0 and num_keys <= 2 else TEST_LITERAL
    if num_ranges == 0:
        if num_keys <= 3:
            return TEST_KEY if num_keys == 1 else TEST_KEYS
        return TEST_NEAR if _are_near(predicate, predicates) else TEST_LITERAL
    return TEST_RANGE if num_ranges == 1 and num_keys == 0 else TEST_LITERAL


@kernel
def write_kinds(table: Literals, kinds: UInt8s) -> None:
    """Write the kind of each literal's test."""
    for literal in range(len(kinds)):
        kinds[literal] = kind_of_literal(literal, table)


@kernel
def _are_near(predicate: Integer, predicates: Predicates) -> Any:
    """Whether a near test has room for the keys of a predicate, which ascend."""
    first, last = np.int64(predicates.key_offsets[predicate]), np.int64(predicates.key_offsets[predicate + 1])
    span = np.int64(predicates.keys[last - 1]) - np.int64(predicates.keys[first])
    return last - first <= MOST_NEAR and span <= np.int64(NEAR_MASK)


@kernel
def num_words(kind: Integer) -> Any:
    """How many words a test of a kind takes."""
    return 3 if kind == TEST_NEAR or TEST_KEYS <= kind <= TEST_NOT_KEYS else 1


@kernel
def _near_words(predicate: Integer, predicates: Predicates) -> Any:
    """The distances of a predicate's keys from the first, packed; one that is not needed is 0, the first key again."""
    first, last = np.int64(predicates.key_offsets[predicate]), np.int64(predicates.key_offsets[predicate + 1])
    packed = np.uint64(0)
    for place in range(first + 1, last):
        distance = np.uint64(predicates.keys[place]) - np.uint64(predicates.keys[first])
        packed |= distance << (NEAR_BITS * np.uint64(place - first - 1))
    return packed


@kernel
def write_literal(out: UInt32s, base: Integer, literal: Integer, table: Literals, no_key: Integer) -> Any:
    """Write the test of a literal from `base` on; returns the place after it. `no_key` is a key that no event has."""
    predicates = table.predicates
    kind = kind_of_literal(literal, table)
    predicate = np.int64(table.literal_predicate[literal])
    first = np.int64(predicates.key_offsets[predicate])
    num_keys = np.int64(predicates.key_offsets[predicate + 1]) - first
    if kind == TEST_KEY:
        out[base] = with_kind(kind, predicates.keys[first])
    elif kind == TEST_KEYS:
        out[base] = with_kind(kind, predicates.keys[first] if num_keys > 0 else no_key)
        out[base + 1] = predicates.keys[first + 1] if num_keys > 1 else no_key
        out[base + 2] = predicates.keys[first + 2] if num_keys > 2 else no_key
    elif kind == TEST_RANGE:
        place = np.int64(predicates.range_offsets[predicate])
        out[base] = with_kind(kind, predicates.range_axis[place])
        out[base + 1] = predicates.range_low[place]
        out[base + 2] = predicates.range_high[place]
    elif kind == TEST_NOT_KEYS:
        out[base] = with_kind(kind, predicates.attribute_of_predicate[predicate])
        out[base + 1] = predicates.keys[first] if num_keys > 0 else no_key
        out[base + 2] = predicates.keys[first + 1] if num_keys > 1 else no_key
    elif kind == TEST_NEAR:
        packed = _near_words(predicate, predicates)
        out[base] = with_kind(kind, predicates.keys[first])
        out[base + 1] = packed & np.uint64(0xFFFFFFFF)
        out[base + 2] = packed >> np.uint64(32)
    else:
        out[base] = with_kind(kind, literal)
    return base + num_words(kind)


@kernel
def near_key(key: Integer, second: Integer, third: Integer, number: Integer) -> Any:
    """One of the five other keys of a near test, by its number from 0; the first key again where there is none."""
    packed = (np.uint64(third) << np.uint64(32)) | np.uint64(second)
    return np.uint64(key) + ((packed >> (NEAR_BITS * np.uint64(number))) & NEAR_MASK)


@kernel
def count_words(table: Literals, nodes: SharedNodes, test_offsets: UInt32s) -> Any:
    """Write where the tests of each node begin; the last item, which is returned too, is where all end."""
    total = np.int64(0)
    for node in range(len(nodes.node_is_and)):
        test_offsets[node] = total
        for place in range(nodes.child_offsets[node], nodes.child_offsets[node + 1]):
            child = nodes.children[place]
            total += num_words(kind_of_literal(child, table)) if child < CONNECTIVE else 1
        total += 1
    test_offsets[len(nodes.node_is_and)] = total
    return total


@kernel
def write_tests(table: Literals, nodes: SharedNodes, no_key: Integer, tests: UInt32s, entry_place: UInt32s) -> None:
    """Write the tests of every node, and where a node is read on from when its access child is true.

    That is behind the access child of an AND, and at the END of an OR.
    """
    base: Any = 0
    for node in range(len(nodes.node_is_and)):
        first = nodes.child_offsets[node]
        for place in range(first, nodes.child_offsets[node + 1]):
            if place == np.int64(first) + 1:
                entry_place[node] = base
            child = nodes.children[place]
            if child < CONNECTIVE:
                base = write_literal(tests, base, child, table, no_key)
            else:
                tests[base] = with_kind(TEST_NODE, child - CONNECTIVE)
                base += 1
        if nodes.node_is_and[node] == 0 or nodes.child_offsets[node + 1] == first + np.uint32(1):
            entry_place[node] = base
        tests[base] = with_kind(END, node)
        base += 1
