"""How is a frozen tree laid out? Choose what each AND is entered by, then write postings with the next test beside.

A node is *entered* from below: an AND through one child, its access child, which is the one that brings the fewest
candidates; an OR through every child. Only what some root is entered by is registered under keys. Everything else is
tested when it is reached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.data.kernels.tables import Literals
from eligo.engines.a_tree.kernels.inline_tests import (
    FOLLOW_LIST,
    TEST_KEY,
    TEST_LITERAL,
    kind_of_literal,
    with_kind,
    write_literal,
)
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE, NEVER, SharedNodes
from eligo.engines.kernels.short_sorts import sort_by_rank
from eligo.kernels.compiled import kernel
from eligo.kernels.hashing import NONE
from eligo.kernels.parameter_types import Bools, Float64s, Int64s, Integer, UInt8s, UInt16s, UInt32s
from eligo.ranges.kernels.segment_tree_walks import cover, most_covering

SHARED_LIST_EDGES = 8
"""A literal with several keys and at least this many targets gets a list of its own, which its keys refer to."""


@kernel
def order_children(
    nodes: SharedNodes, probability: Float64s, access_cost: Float64s, is_long: Bools, node_level: UInt16s
) -> Any:
    """Sort each node's children in place: an AND's access child first, then by how soon they decide.

    `probability`, `access_cost` and `is_long`, which says that no short test will do, are of literals; those of nodes
    are worked out on the way. Literals with a short test come before others, and those before connectives, because a
    test is cheaper the less of the memory it looks at.
    """
    num_nodes = len(nodes.node_is_and)
    most = np.int64(0)
    for node in range(num_nodes):
        most = max(most, np.int64(nodes.child_offsets[node + 1]) - np.int64(nodes.child_offsets[node]))
    rank, order = np.empty(most, np.float64), np.empty(most, np.int64)
    own = np.empty(most, np.uint32)
    node_probability = np.ones(num_nodes)
    node_access = np.zeros(num_nodes)
    for node in range(num_nodes):
        first, last = np.int64(nodes.child_offsets[node]), np.int64(nodes.child_offsets[node + 1])
        is_and = nodes.node_is_and[node] != 0
        chance = 1.0
        level: Any = 1
        access = 0.0
        best: Any = first
        best_access = np.inf
        for place in range(first, last):
            child = nodes.children[place]
            own[place - first] = child
            order[place - first] = place - first
            if child < CONNECTIVE:
                child_chance, child_access = probability[child], access_cost[child]
                rank[place - first] = child_chance if is_and else 1.0 - child_chance
                rank[place - first] += is_long[child]
            else:
                inner = child - CONNECTIVE
                child_chance, child_access = node_probability[inner], node_access[inner]
                level = max(level, np.int64(node_level[inner]))
                rank[place - first] = 3.0 + (child_chance if is_and else 1.0 - child_chance)
            chance *= child_chance if is_and else 1.0 - child_chance
            access += child_access
            if child_access < best_access:
                best, best_access = place, child_access
        if is_and:
            rank[best - first] = -1.0
        sort_by_rank(rank, order, last - first)
        for place in range(first, last):
            nodes.children[place] = own[order[place - first]]
        node_probability[node] = max(1e-12, chance if is_and else 1.0 - chance)
        node_access[node] = best_access if is_and else access
        node_level[node] = min(level + 1, 65535)
    return node_probability


@kernel
def mark_entered(nodes: SharedNodes, roots: UInt32s, literal_entered: UInt8s, node_entered: UInt8s) -> None:
    """Mark what must be entered from below: roots, access children of entered ANDs, children of entered ORs."""
    for root in roots:
        if root < CONNECTIVE:
            literal_entered[root] = 1
        elif root < NEVER:
            node_entered[root - CONNECTIVE] = 1
    for step in range(len(node_entered)):
        node = len(node_entered) - 1 - step
        if node_entered[node] == 0:
            continue
        first = np.int64(nodes.child_offsets[node])
        last = first + 1 if nodes.node_is_and[node] != 0 else np.int64(nodes.child_offsets[node + 1])
        for place in range(first, last):
            child = nodes.children[place]
            if child < CONNECTIVE:
                literal_entered[child] = 1
            else:
                node_entered[child - CONNECTIVE] = 1


@kernel
def count_edges(nodes: SharedNodes, node_entered: UInt8s, literal_edges: UInt32s, node_edges: UInt32s) -> None:
    """Count the entered parents of each literal and node."""
    for node in range(len(node_entered)):
        if node_entered[node] == 0:
            continue
        first = np.int64(nodes.child_offsets[node])
        last = first + 1 if nodes.node_is_and[node] != 0 else np.int64(nodes.child_offsets[node + 1])
        for place in range(first, last):
            child = nodes.children[place]
            if child < CONNECTIVE:
                literal_edges[child] += np.uint32(1)
            else:
                node_edges[child - CONNECTIVE] += np.uint32(1)


@kernel
def fill_edges(
    nodes: SharedNodes, node_entered: UInt8s, literal_offsets: UInt32s, literal_targets: UInt32s,
    parent_offsets: UInt32s, parents: UInt32s,
) -> None:  # fmt: skip
    """Write the entered parents of each literal and node; the offsets are those of the counts."""
    literal_next = literal_offsets[:-1].copy()
    node_next = parent_offsets[:-1].copy()
    for node in range(len(node_entered)):
        if node_entered[node] == 0:
            continue
        first = np.int64(nodes.child_offsets[node])
        last = first + 1 if nodes.node_is_and[node] != 0 else np.int64(nodes.child_offsets[node + 1])
        for place in range(first, last):
            child = nodes.children[place]
            if child < CONNECTIVE:
                literal_targets[literal_next[child]] = node
                literal_next[child] += np.uint32(1)
            else:
                parents[node_next[child - CONNECTIVE]] = node
                node_next[child - CONNECTIVE] += np.uint32(1)


@kernel
def registrations(
    literal: Integer, table: Literals, axis_base: UInt32s, axis_size: UInt32s, universal: Integer, out: Int64s
) -> Any:
    """Write the lists that a literal is registered under; returns how many, or minus that when it needs its own test.

    A range is registered under the nodes of its axis that cover it.
    """
    predicates = table.predicates
    predicate = np.int64(table.literal_predicate[literal])
    if table.literal_holds_when_missing[literal] != 0:
        out[0] = universal
        return -1
    if table.literal_positive[literal] == 0:
        out[0] = predicates.attribute_of_predicate[predicate]
        return -1
    count = 0
    for place in range(predicates.key_offsets[predicate], predicates.key_offsets[predicate + 1]):
        out[count] = predicates.keys[place]
        count += 1
    for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + 1]):
        axis = predicates.range_axis[place]
        low, high = predicates.range_low[place], predicates.range_high[place]
        for number in cover(low, high, axis_size[axis], axis_base[axis]):
            out[count] = number
            count += 1
    return count


@kernel
def most_registrations(table: Literals, axis_size: UInt32s) -> Any:
    """The most lists that any literal can be registered under."""
    predicates = table.predicates
    most: Any = 1
    for predicate in range(len(predicates.attribute_of_predicate)):
        count = np.int64(predicates.key_offsets[predicate + 1]) - np.int64(predicates.key_offsets[predicate])
        for place in range(predicates.range_offsets[predicate], predicates.range_offsets[predicate + 1]):
            size = axis_size[predicates.range_axis[place]]
            count += most_covering(predicates.range_low[place], predicates.range_high[place], size)
        most = max(most, count)
    return most


@kernel
def tests_more(target: Integer, nodes: SharedNodes, table: Literals) -> Any:
    """Whether an entry for this node has something to ask, beside the literal that it is registered for."""
    second = nodes.children[np.int64(nodes.child_offsets[target]) + 1] if nodes.node_is_and[target] != 0 else CONNECTIVE
    if second >= CONNECTIVE:
        return False
    return kind_of_literal(second, table) != TEST_LITERAL or table.literal_holds_when_missing[second] == 0


@kernel
def attribute_of(literal: Integer, table: Literals) -> Any:
    """The attribute that a literal is on."""
    return table.predicates.attribute_of_predicate[table.literal_predicate[literal]]


@kernel
def count_postings(
    table: Literals, nodes: SharedNodes, axis_base: UInt32s, axis_size: UInt32s, universal: Integer,
    literal_offsets: UInt32s, literal_targets: UInt32s, own_list: UInt32s, list_counts: Int64s, plain_counts: Int64s,
) -> Any:  # fmt: skip
    """Count the entries of every list with a test, and those without, which are plain.

    It also numbers the lists that literals with many keys and targets have alone; returns the number of all lists.
    """
    out = np.empty(most_registrations(table, axis_size), np.int64)
    next_list = universal + 1
    for literal in range(len(table.literal_predicate)):
        edges = np.int64(literal_offsets[literal + 1]) - np.int64(literal_offsets[literal])
        own_list[literal] = NONE
        if edges == 0:
            continue
        count = registrations(literal, table, axis_base, axis_size, universal, out)
        tested: Any = edges
        if count > 0:
            tested = 0
            for edge in range(literal_offsets[literal], literal_offsets[literal + 1]):
                tested += tests_more(literal_targets[edge], nodes, table)
        plain: Any = edges - tested
        count = abs(count)
        if count > 1 and edges >= SHARED_LIST_EDGES:
            own_list[literal] = next_list
            list_counts[next_list] += tested
            plain_counts[next_list] += plain
            next_list += 1
            tested, plain = 1, 0
        for place in range(count):
            list_counts[out[place]] += tested
            plain_counts[out[place]] += plain
    return next_list


@kernel
def fill_postings(
    table: Literals, nodes: SharedNodes, axis_base: UInt32s, axis_size: UInt32s, universal: Integer, no_key: Integer,
    literal_offsets: UInt32s, literal_targets: UInt32s, own_list: UInt32s, list_next: Int64s, plain_next: Int64s,
    entry_place: UInt32s, entries: UInt32s, plain: UInt32s,
) -> None:  # fmt: skip
    """Write the entries of every list; `list_next` and `plain_next` have each list's first places and are used up.

    `entry_place` is from `write_tests`: where a node is read on from once its access child is true. An entry whose next
    literal has no short test asks for the attribute alone, and the literal is tested after it.
    """
    out = np.empty(most_registrations(table, axis_size), np.int64)
    for literal in range(len(table.literal_predicate)):
        first, last = np.int64(literal_offsets[literal]), np.int64(literal_offsets[literal + 1])
        if first == last:
            continue
        count = registrations(literal, table, axis_base, axis_size, universal, out)
        tests_itself = count < 0
        count = abs(count)
        if own_list[literal] != NONE:
            for place in range(count):
                entry = 4 * list_next[out[place]]
                list_next[out[place]] += 1
                entries[entry + 1] = with_kind(FOLLOW_LIST, own_list[literal])
            out[0] = own_list[literal]
            count = 1
        for edge in range(first, last):
            target = np.int64(literal_targets[edge])
            more = tests_more(target, nodes, table)
            for place in range(count):
                if not tests_itself and not more:
                    plain[plain_next[out[place]]] = entry_place[target]
                    plain_next[out[place]] += 1
                    continue
                entry = 4 * list_next[out[place]]
                list_next[out[place]] += 1
                entries[entry] = entry_place[target]
                if tests_itself:
                    write_literal(entries, entry + 1, literal, table, no_key)
                    continue
                second = nodes.children[np.int64(nodes.child_offsets[target]) + 1]
                if kind_of_literal(second, table) == TEST_LITERAL:
                    entries[entry + 1] = with_kind(TEST_KEY, attribute_of(second, table))
                else:
                    after = write_literal(entries, entry + 1, second, table, no_key)
                    entries[entry] += np.uint32(after - entry - 1)
