"""How does a table of expressions become a frozen tree? Share, estimate, choose, renumber, write postings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.always_literal import always_literal
from eligo.engines.a_tree.kernels import frozen_build, inline_tests
from eligo.engines.a_tree.kernels.frozen_arrays import FrozenTree
from eligo.engines.a_tree.kernels.selectivity import count_sample, guess_shares, literal_estimates
from eligo.engines.a_tree.kernels.shared_nodes import ALWAYS, CONNECTIVE, NEVER, SharedNodes, share_nodes
from eligo.engines.build_steps import step_done
from eligo.engines.list_offsets import MOST_ITEMS, axis_attributes, check_number, offsets_of
from eligo.engines.stored_lists import AxisLists, choose_axis_lists
from eligo.kernels.hashing import NONE
from eligo.ranges.list_choice import RangeLists

MOST_OPERANDS = int(inline_tests.OPERAND_MASK)
"""Nodes, literals or keys that the operand of a test can name."""


def share(table: ExpressionTable) -> tuple[SharedNodes, npt.NDArray[np.uint32]]:
    """The distinct nodes of a table, and each expression's root: CONNECTIVE plus a node, ALWAYS or NEVER."""
    num_nodes = table.num_nodes
    node_is_and = np.empty(num_nodes, np.uint8)
    child_offsets = np.empty(num_nodes + 1, np.uint32)
    children = np.empty(len(table.children), np.uint32)
    roots = np.empty(table.num_expressions, np.uint32)
    num_connectives = int(np.count_nonzero(np.diff(table.child_offsets.view(np.int64))))
    slots = np.full(1 << (2 * num_connectives + 1).bit_length(), NONE, np.uint32)
    shared, end = share_nodes(table, always_literal(table), node_is_and, child_offsets, children, roots, slots)
    # An expression that is one literal becomes an OR of that one.
    lone = np.unique(roots[roots < CONNECTIVE])
    is_lone = roots < CONNECTIVE
    roots[is_lone] = CONNECTIVE + np.uint32(shared) + np.searchsorted(lone, roots[is_lone]).astype(np.uint32)
    nodes = SharedNodes(
        np.concatenate([node_is_and[:shared], np.zeros(len(lone), np.uint8)]),
        np.concatenate([child_offsets[: shared + 1], np.arange(end + 1, end + 1 + len(lone), dtype=np.uint32)]),
        np.concatenate([children[:end], lone]),
    )
    return nodes, roots


def estimate(
    table: ExpressionTable, vocabulary: Vocabulary, nodes: SharedNodes, sample: EventBatch | None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """For each literal: how likely it holds, and for what share of events it would be a candidate."""
    num_cells = np.array([vocabulary.num_cells(axis) for axis in range(vocabulary.num_axes)], np.int64)
    cell_base = offsets_of(num_cells).astype(np.int64)
    key_share = np.zeros(vocabulary.num_keys)
    cell_share = np.zeros(int(cell_base[-1]))
    if sample is not None and sample.num_events:
        count_sample(sample, key_share, cell_share, cell_base)
    else:
        literals = nodes.children[nodes.children < CONNECTIVE]
        uses = np.bincount(literals, minlength=table.num_literals).astype(np.float64)
        axis_attribute = np.array(axis_attributes(vocabulary), np.uint32)
        guess_shares(table, uses, vocabulary.num_attributes, axis_attribute, key_share, cell_share, cell_base)
    probability = np.zeros(table.num_literals)
    access_cost = np.zeros(table.num_literals)
    cells_below = np.concatenate([np.zeros(1), np.cumsum(cell_share)])
    literal_estimates(table, key_share, cells_below, cell_base, probability, access_cost)
    return probability, access_cost


def kinds_of_literals(table: ExpressionTable) -> npt.NDArray[np.uint8]:
    """For each literal: the kind of test that will do for it; see `inline_tests`."""
    kinds = np.empty(table.num_literals, np.uint8)
    inline_tests.write_kinds(table, kinds)
    return kinds


class Edges(NamedTuple):
    """What leads to the nodes that are entered; a target is a node."""

    literal_offsets: npt.NDArray[np.uint32]
    """Literal l leads to `literal_targets[literal_offsets[l]:literal_offsets[l + 1]]`."""
    literal_targets: npt.NDArray[np.uint32]
    parent_offsets: npt.NDArray[np.uint32]
    """Node n leads to `parents[parent_offsets[n]:parent_offsets[n + 1]]`."""
    parents: npt.NDArray[np.uint32]


def edges(nodes: SharedNodes, node_entered: npt.NDArray[np.uint8], num_literals: int) -> Edges:
    """The edges from literals and nodes to the parents that are entered through them."""
    literal_edges = np.zeros(num_literals, np.uint32)
    node_edges = np.zeros(len(nodes.node_is_and), np.uint32)
    frozen_build.count_edges(nodes, node_entered, literal_edges, node_edges)
    literal_offsets, parent_offsets = offsets_of(literal_edges), offsets_of(node_edges)
    literal_targets = np.empty(int(literal_offsets[-1]), np.uint32)
    parents = np.empty(int(parent_offsets[-1]), np.uint32)
    frozen_build.fill_edges(nodes, node_entered, literal_offsets, literal_targets, parent_offsets, parents)
    return Edges(literal_offsets, literal_targets, parent_offsets, parents)


def entries_of_predicates(table: ExpressionTable, leads: Edges) -> npt.NDArray[np.int64]:
    """For each predicate: how many entries it has in each list that it is registered under."""
    edges = np.diff(leads.literal_offsets.astype(np.int64))
    entries = np.where(edges >= frozen_build.SHARED_LIST_EDGES, 1, edges)
    is_registered = (table.literal_positive != 0) & (table.literal_holds_when_missing == 0)
    num_predicates = table.predicates.num_predicates
    return np.bincount(table.literal_predicate, entries * is_registered, num_predicates).astype(np.int64)


class WrittenTests(NamedTuple):
    """The tests of all nodes, written out."""

    test_offsets: npt.NDArray[np.uint32]
    tests: npt.NDArray[np.uint32]
    """As in `FrozenTree`."""
    entry_place: npt.NDArray[np.uint32]
    """For each node: where it is read on from once its access child is true."""


def write_tests(table: ExpressionTable, nodes: SharedNodes, no_key: int) -> WrittenTests:
    """The tests of all nodes; `no_key` is a key that no event has."""
    num_nodes = len(nodes.node_is_and)
    test_offsets = np.empty(num_nodes + 1, np.uint32)
    check_number(inline_tests.count_words(table, nodes, test_offsets), MOST_ITEMS)
    tests = np.zeros(int(test_offsets[-1]), np.uint32)
    entry_place = np.empty(num_nodes, np.uint32)
    inline_tests.write_tests(table, nodes, np.uint32(no_key), tests, entry_place)
    return WrittenTests(test_offsets, tests, entry_place)


class Postings(NamedTuple):
    """The lists that events meet, as in `FrozenTree`."""

    list_offsets: npt.NDArray[np.uint32]
    list_entries: npt.NDArray[np.uint32]
    plain_offsets: npt.NDArray[np.uint32]
    plain: npt.NDArray[np.uint32]


def write_postings(
    table: ExpressionTable, nodes: SharedNodes, axes: AxisLists, leads: Edges, tests: WrittenTests, no_key: int
) -> Postings:
    """The entries of all lists: first how many each has, then what they are."""
    most_lists = axes.end + 1 + table.num_literals  # those of keys and axes, the universal one, and literals' own
    own_list = np.empty(table.num_literals, np.uint32)
    list_counts, plain_counts = np.zeros(most_lists, np.int64), np.zeros(most_lists, np.int64)
    places = (*axes, axes.end)
    targets = (leads.literal_offsets, leads.literal_targets)
    num_lists = frozen_build.count_postings(table, nodes, *places, *targets, own_list, list_counts, plain_counts)
    step_done(0.7)
    list_offsets, plain_offsets = offsets_of(list_counts[:num_lists]), offsets_of(plain_counts[:num_lists])
    entries = np.zeros(4 * int(list_offsets[-1]), np.uint32)
    plain = np.empty(int(plain_offsets[-1]), np.uint32)
    list_next, plain_next = list_offsets[:-1].astype(np.int64), plain_offsets[:-1].astype(np.int64)
    frozen_build.fill_postings(
        table, nodes, *places, np.uint32(no_key), *targets, own_list, list_next, plain_next, tests.entry_place, entries,
        plain,
    )  # fmt: skip
    return Postings(list_offsets, by_test(entries, list_offsets), plain_offsets, plain)


def freeze(
    table: ExpressionTable, vocabulary: Vocabulary, sample: EventBatch | None = None, ranges: RangeLists = "auto"
) -> FrozenTree:
    """The frozen tree of a table's expressions; `sample` is events like those to come."""
    nodes, roots = share(table)
    step_done(0.2)
    return freeze_nodes(table, vocabulary, nodes, roots, sample, ranges)


def freeze_nodes(
    table: ExpressionTable,
    vocabulary: Vocabulary,
    nodes: SharedNodes,
    roots: npt.NDArray[np.uint32],
    sample: EventBatch | None,
    ranges: RangeLists = "auto",
) -> FrozenTree:
    """The frozen tree of nodes over a table's literals, each after its children, and the roots of its expressions."""
    probability, access_cost = estimate(table, vocabulary, nodes, sample)
    step_done(0.35)
    num_nodes = len(nodes.node_is_and)
    check_number(max(num_nodes, table.num_literals, vocabulary.num_keys), MOST_OPERANDS)
    node_level = np.ones(num_nodes, np.uint16)
    is_long = kinds_of_literals(table) == inline_tests.TEST_LITERAL
    frozen_build.order_children(nodes, probability, access_cost, is_long, node_level)
    node_entered = np.zeros(num_nodes, np.uint8)
    frozen_build.mark_entered(nodes, roots, np.zeros(table.num_literals, np.uint8), node_entered)
    nodes, roots, node_level, node_entered = renumber(nodes, roots, node_level, node_entered)
    step_done(0.5)
    leads = edges(nodes, node_entered, table.num_literals)
    # The list after the last key stays empty: it is what a test with fewer operands refers to.
    no_key = vocabulary.num_keys
    tests = write_tests(table, nodes, no_key)
    step_done(0.6)
    axes = choose_axis_lists(table.predicates, vocabulary, no_key + 1, ranges, entries_of_predicates(table, leads))
    postings = write_postings(table, nodes, axes, leads, tests, no_key)
    step_done(0.85)
    is_node = roots < NEVER
    root_nodes = roots[is_node] - CONNECTIVE
    positions = np.flatnonzero(is_node).astype(np.uint32)
    order = np.argsort(root_nodes, kind="stable")
    return FrozenTree(
        **nodes._asdict(),
        **postings._asdict(),
        **axes._asdict(),
        node_level=node_level,
        test_offsets=tests.test_offsets,
        tests=tests.tests,
        parent_offsets=leads.parent_offsets,
        parents=tests.entry_place[leads.parents],
        match_offsets=offsets_of(np.bincount(root_nodes, minlength=num_nodes)),
        matches=positions[order],
        always=np.flatnonzero(roots == ALWAYS).astype(np.uint32),
        universal=np.array([axes.end], np.uint32),
        num_expressions=np.array([table.num_expressions], np.uint32),
    )


def by_test(entries: npt.NDArray[np.uint32], list_offsets: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """The entries of each list sorted by their tests, so that the branch on the kind of test is easy to foresee."""
    rows = entries.reshape(-1, 4)
    lists = np.repeat(
        np.arange(len(list_offsets) - 1, dtype=np.int64), (list_offsets[1:] - list_offsets[:-1]).astype(np.int64)
    )
    key = (lists.astype(np.uint64) << np.uint64(32)) | rows[:, 1]
    return np.ascontiguousarray(rows[np.lexsort((rows[:, 3], rows[:, 2], key))]).reshape(-1)


def renumber(
    nodes: SharedNodes,
    roots: npt.NDArray[np.uint32],
    node_level: npt.NDArray[np.uint16],
    node_entered: npt.NDArray[np.uint8],
) -> tuple[SharedNodes, npt.NDArray[np.uint32], npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
    """The same nodes, those with one access child side by side, in the order of their lists."""
    first_child = nodes.children[nodes.child_offsets[:-1]]
    order = np.argsort(first_child, kind="stable").astype(np.uint32)
    number = np.empty(len(order), np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    counts = np.diff(nodes.child_offsets)[order]
    child_offsets = offsets_of(counts)
    starts = nodes.child_offsets[:-1][order]
    place = np.arange(len(nodes.children)) - np.repeat(child_offsets[:-1].astype(np.int64), counts)
    children = nodes.children[np.repeat(starts.astype(np.int64), counts) + place]
    is_connective = children >= CONNECTIVE
    children[is_connective] = CONNECTIVE + number[children[is_connective] - CONNECTIVE]
    new_roots = roots.copy()
    is_node = roots < NEVER
    new_roots[is_node] = CONNECTIVE + number[roots[is_node] - CONNECTIVE]
    return (
        SharedNodes(nodes.node_is_and[order], child_offsets, children),
        new_roots,
        node_level[order],
        node_entered[order],
    )
