"""When can a frozen tree from a file be walked? When places are tests, tests name what is there, and levels rise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from eligo.data.expressions.expression_form import cells_of_axes
from eligo.data.expressions.expression_table import ExpressionTable
from eligo.data.stored_form import Arrays, Column, Offsets, lengths_of, problems, unless
from eligo.data.vocabulary import Vocabulary
from eligo.engines.a_tree.freeze import kinds_of_literals
from eligo.engines.a_tree.kernels import inline_tests
from eligo.engines.a_tree.kernels.inline_tests import (
    FOLLOW_LIST,
    KIND_SHIFT,
    MOST_NEAR,
    NEAR_BITS,
    NEAR_MASK,
    OPERAND_MASK,
    TEST_KEY,
    TEST_KEYS,
    TEST_LITERAL,
    TEST_NEAR,
    TEST_NOT_KEYS,
    TEST_RANGE,
)
from eligo.engines.a_tree.kernels.shared_nodes import CONNECTIVE, SharedNodes
from eligo.engines.stored_lists import axis_problems, distinct_positions

FORM = (
    Column("node_is_and", "u1", "nodes", below=2),
    Column("node_level", "u2", "nodes"),
    Offsets("child_offsets", "u4", "nodes", into="children"),
    Column("children", "u4"),
    Offsets("test_offsets", "u4", "nodes", into="tests"),
    Column("tests", "u4"),
    Offsets("parent_offsets", "u4", "nodes", into="parents"),
    Column("parents", "u4", below="tests"),
    Offsets("match_offsets", "u4", "nodes", into="matches"),
    Column("matches", "u4", below="expressions"),
    Column("always", "u4", below="expressions"),
    Offsets("list_offsets", "u4", "lists", into="list_entries", width=4),
    Column("list_entries", "u4"),
    Offsets("plain_offsets", "u4", "lists", into="plain"),
    Column("plain", "u4", below="tests"),
    Column("axis_base", "u4"),
    Column("axis_size", "u4", "axes"),
    Column("universal", "u4", 1, below="lists"),
    Column("num_expressions", "u4", 1),
)
"""The arrays of `FrozenTree`, which says what they mean."""


def tree_problems(
    arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, num_expressions: int, *, deep: bool
) -> Iterator[str]:
    """What is wrong with the arrays of a frozen tree of so many expressions."""
    sizes = {"axes": vocabulary.num_axes, "expressions": num_expressions}
    sizes["tests"] = len(arrays["tests"]) if "tests" in arrays else 0
    found = False
    for problem in problems(FORM, arrays, sizes, deep=deep):
        found = True
        yield problem
    if found:
        return
    is_known = int(arrays["num_expressions"][0]) == num_expressions
    yield from unless(is_known, "num_expressions", f"is not {num_expressions:,}, the number of ids")
    for problem in axis_problems(arrays, vocabulary, vocabulary.num_keys + 1):
        found = True
        yield problem
    universal = int(arrays["universal"][0])
    yield from unless(universal == int(arrays["axis_base"][-1]), "universal", "is not the list after those of axes")
    if deep and not found:
        yield from _nodes(arrays, table, vocabulary)
        yield from distinct_positions("matches", np.concatenate([arrays["matches"], arrays["always"]]), num_expressions)


def _nodes(arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary) -> Iterator[str]:
    """Children, then the tests that follow from them, then what leads to these."""
    num_nodes = len(arrays["node_is_and"])
    counts = lengths_of(arrays["child_offsets"])
    yield from unless(counts > 0, "child_offsets", "has a node without children")
    children = arrays["children"]
    is_node = children >= CONNECTIVE
    inner = (children - np.where(is_node, CONNECTIVE, np.uint32(0))).astype(np.int64)
    holds = np.where(is_node, inner < num_nodes, inner < table.num_literals)
    yield from unless(holds, "children", "has a child that is not there")
    if not holds.all() or (counts == 0).any():
        return
    # What is evaluated on demand is kept on a stack that is as deep as there are levels.
    levels = arrays["node_level"].astype(np.int64)
    parent = np.repeat(np.arange(num_nodes), counts)
    yield from unless(
        levels[inner[is_node]] < levels[parent[is_node]], "node_level", "does not rise from child to parent"
    )
    words = SharedNodes(*(np.array(arrays[name]) for name in SharedNodes._fields))
    test_offsets = np.empty(num_nodes + 1, np.uint32)
    total = int(inline_tests.count_words(table, words, test_offsets))
    fits = total == len(arrays["tests"]) and np.array_equal(test_offsets, arrays["test_offsets"])
    yield from unless(fits, "test_offsets", "does not fit the children")
    if not fits:
        return
    tests = np.zeros(total, np.uint32)
    entry_place = np.zeros(num_nodes, np.uint32)
    inline_tests.write_tests(table, words, np.uint32(vocabulary.num_keys), tests, entry_place)
    yield from unless(tests == arrays["tests"], "tests", "does not fit the children")
    yield from _edges(arrays, entry_place, levels)
    yield from _entries(arrays, table, vocabulary, _is_test(arrays, table, is_node, parent))


def _is_test(
    arrays: Arrays, table: ExpressionTable, is_node: npt.NDArray[np.bool_], parent: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """For each word of `tests`: whether a test begins with it, or an END."""
    num_nodes = len(arrays["node_is_and"])
    lengths = np.ones(len(is_node) + num_nodes, np.int64)
    # The tests of a node's children, and then its END.
    places = np.arange(len(is_node)) + parent
    lengths[places[~is_node]] = _num_words(table)[arrays["children"][~is_node]]
    found = np.zeros(len(arrays["tests"]) + 1, np.bool_)
    found[np.cumsum(lengths) - lengths] = True
    return found[:-1]


def _num_words(table: ExpressionTable) -> npt.NDArray[np.int64]:
    """For each literal: how many words its test takes."""
    kinds = kinds_of_literals(table)
    return np.where((kinds == TEST_KEY) | (kinds == TEST_LITERAL), 1, 3)


def _edges(arrays: Arrays, entry_place: npt.NDArray[np.uint32], levels: npt.NDArray[np.int64]) -> Iterator[str]:
    """What is true is passed on upwards only, and read on where the tests of a node are entered."""
    is_entered = np.isin(arrays["parents"], entry_place)
    yield from unless(is_entered, "parents", "leads to no place where a node is entered")
    node = np.repeat(np.arange(len(levels)), lengths_of(arrays["parent_offsets"]))
    above = np.searchsorted(arrays["test_offsets"], arrays["parents"], side="right") - 1
    yield from unless(levels[above] > levels[node], "parents", "leads downwards")


def _entries(
    arrays: Arrays, table: ExpressionTable, vocabulary: Vocabulary, is_test: npt.NDArray[np.bool_]
) -> Iterator[str]:
    """Posting entries lead to tests, or to lists that lead to no further list."""
    yield from unless(is_test[arrays["plain"]], "plain", "leads to no test")
    rows = arrays["list_entries"].reshape(-1, 4)
    kinds = rows[:, 1] >> KIND_SHIFT
    operands = (rows[:, 1] & OPERAND_MASK).astype(np.int64)
    follows = kinds == FOLLOW_LIST
    is_inside = rows[:, 0] < len(is_test)
    leads_on = is_inside & is_test[np.where(is_inside, rows[:, 0], 0)] if len(is_test) else is_inside
    yield from unless(leads_on | follows, "list_entries", "leads to no test")
    universal, num_lists = int(arrays["universal"][0]), len(arrays["list_offsets"]) - 1
    own_list = np.repeat(np.arange(num_lists), lengths_of(arrays["list_offsets"]))
    is_referred = (operands > universal) & (operands < num_lists) & (own_list <= universal)
    yield from unless(is_referred | ~follows, "list_entries", "refers to a list that is not to be referred to")
    holds = _holds(kinds, operands, rows, table, vocabulary)
    yield from unless(holds | follows, "list_entries", "tests something that is not there")


def _holds(
    kinds: npt.NDArray[Any],
    operands: npt.NDArray[np.int64],
    rows: npt.NDArray[np.uint32],
    table: ExpressionTable,
    vocabulary: Vocabulary,
) -> npt.NDArray[np.bool_]:
    """For each entry: whether its test is of keys, an axis or a literal that are there."""
    is_key = operands <= vocabulary.num_keys  # one more than there are stands for none
    others = (rows[:, 2] <= vocabulary.num_keys) & (rows[:, 3] <= vocabulary.num_keys)
    cells = np.append(cells_of_axes(vocabulary), 0)
    limit = cells[np.minimum(operands, vocabulary.num_axes)]
    is_range = (rows[:, 2] < limit) & (rows[:, 3] < limit)
    distances = (rows[:, 3].astype(np.uint64) << np.uint64(32)) | rows[:, 2]
    farthest = np.max(
        [(distances >> (NEAR_BITS * np.uint64(each))) & NEAR_MASK for each in range(MOST_NEAR - 1)], axis=0
    )
    are_near = is_key & (operands + farthest.astype(np.int64) <= vocabulary.num_keys)
    cases = {
        TEST_KEY: is_key,
        TEST_KEYS: is_key & others,
        TEST_RANGE: is_range,
        TEST_NOT_KEYS: is_key & others,
        TEST_NEAR: are_near,
        TEST_LITERAL: operands < table.num_literals,
    }
    return np.select([kinds == kind for kind in cases], list(cases.values()), default=False)
