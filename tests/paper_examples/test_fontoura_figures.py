"""The worked examples of Fontoura 2010: Figures 2, 5 and 6, the examples of 3.3 and 4.1, and Table 1.

A to F are conjunctions of their own. Of what the paper draws, that is tested which its text says.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.fontoura.annotator import dewey_labels, interval_labels, tree_sizes
from eligo.engines.fontoura.dewey_id import DeweyId, label_texts
from eligo.engines.fontoura.interval_id import IntervalId
from eligo.engines.fontoura.kernels import dewey_evaluation, interval_evaluation
from eligo.engines.fontoura.kernels.alternating_trees import LEAF, Forest
from eligo.engines.fontoura.kernels.dewey_labels import DeweyLabels
from eligo.engines.fontoura.kernels.interval_labels import broken_invariant, label_nodes
from eligo.kernels.codes import AND, OR
from eligo.kernels.hashing import NONE
from engine_cases import encoded

LEAVES = "ABCDEF"
FIGURE_2 = {"A": "1*.1.1", "B": "1*.1.2*", "C": "1*.2", "D": "1*.3.1", "E": "1*.3.2", "F": "1*.3.3*"}
FIGURE_5 = {"A": (1, 1), "B": (2, 10), "C": (1, 10), "D": (1, 4), "E": (5, 5), "F": (6, 10)}
TABLE_1 = {
    "Initial": "1 0 0 0 0 0 0 0 0 0 0",
    "A": "1 1 0 0 0 0 0 0 0 0 0",
    "D": "1 1 0 0 1 0 0 0 0 0 0",
    "E": "1 1 0 0 1 1 0 0 0 0 0",
    "F": "1 1 0 0 1 1 0 0 0 0 1",
}
EVERY_SET = list(chain.from_iterable(combinations(range(6), size) for size in range(7)))


def forest_of(*nodes: tuple[int, int]) -> Forest:
    """A tree from (kind, parent) in the order of a walk."""
    kinds, parents = np.array(nodes).T
    leaves = np.where(kinds == LEAF, np.cumsum(kinds == LEAF) - 1, int(NONE))
    return Forest(
        np.array([0, len(nodes)]), kinds.astype(np.uint8), parents.astype(np.uint32), leaves.astype(np.uint32)
    )


# (A and B) or C or (D and E and F), below an artificial AND
TREE = forest_of(
    (AND, 0), (OR, 0), (AND, 1), (LEAF, 2), (LEAF, 2), (LEAF, 1), (AND, 1), (LEAF, 6), (LEAF, 6), (LEAF, 6)
)


def evaluated(labels: DeweyLabels, hits: Sequence[int]) -> bool:
    """Algorithms 1 to 3 on the labels of some leaves."""
    levels = dewey_evaluation.new_levels(int(labels.label_depth[0]))
    leaf_array = np.array(hits, np.uint32)
    return bool(dewey_evaluation.is_satisfied(leaf_array, 0, len(hits), labels, levels, np.zeros(4, np.int64)))


def intervals_of(forest: Forest, most_leaves: int) -> list[tuple[int, int]]:
    """Algorithm 4: the intervals of the leaves, in the order of the walk."""
    begins, ends = np.zeros(len(forest.kinds), np.int64), np.zeros(len(forest.kinds), np.int64)
    sizes = tree_sizes(forest)
    label_nodes(forest, *sizes, most_leaves, begins, ends)
    assert broken_invariant(forest, sizes.numbers, begins, ends) == 0
    is_leaf = forest.kinds == LEAF
    return list(zip(begins[is_leaf].tolist(), ends[is_leaf].tolist(), strict=True))


def is_covered(intervals: Sequence[tuple[int, int]], most_leaves: int) -> bool:
    """Algorithm 5."""
    matched = np.zeros(most_leaves + 1, np.uint32)
    matched[0] = 1
    for begin, end in sorted(intervals):
        interval_evaluation.add_interval(np.uint64(begin), np.uint64(end), 1, matched)
    return bool(matched[most_leaves])


def truth(hits: Sequence[int]) -> bool:
    a, b, c, d, e, f = (leaf in hits for leaf in range(6))
    return (a and b) or c or (d and e and f)


def test_figure_2_labels() -> None:
    labels = dewey_labels(TREE)
    assert dict(zip(LEAVES, label_texts(labels, 6), strict=True)) == FIGURE_2
    assert labels.label_words.dtype == np.uint32
    assert (np.diff(labels.label_words.astype(np.int64)) > 0).all()


def test_a_tree_like_figure_2_from_its_text() -> None:
    """The literals of an AND are one leaf, so the conjunctions that stay apart here are those below ORs."""
    text = "(a = 1 and (b or b2 = 1)) or c = 1 or (d = 1 and (e or e2 = 1) and (f or f2 = 1))"
    vocabulary, table = encoded(text)
    by_dewey, by_interval = DeweyId.build(table, vocabulary), IntervalId.build(table, vocabulary)
    assert label_texts(by_dewey.labels, 9) == [
        *("1*.1.1", "1*.1.2*.1", "1*.1.2*.2", "1*.2", "1*.3.1", "1*.3.2.1", "1*.3.2.2", "1*.3.3*.1", "1*.3.3*.2")
    ]
    assert list(zip(by_interval.labels.label_begin.tolist(), by_interval.labels.label_end.tolist(), strict=True)) == [
        *((1, 1), (1, 5), (1, 9), (2, 9), (2, 9), (6, 7), (6, 7), (8, 9), (8, 9))
    ]
    event = EventBatch.from_dicts([{"d": 1, "e2": 1, "f": True}, {"d": 1, "e2": 1, "b": True}], vocabulary)
    assert by_dewey.match_batch(event).offsets.tolist() == [0, 1, 1]
    assert by_interval.match_batch(event).offsets.tolist() == [0, 1, 1]


def test_the_example_of_section_3_3() -> None:
    labels = dewey_labels(TREE)
    assert evaluated(labels, [0, 3, 4, 5])  # A, D, E and F
    assert not evaluated(labels, [0, 3, 4])  # the last child of 1*.3 is not there
    assert not evaluated(labels, [0, 3, 5])  # its second one is left out
    assert not evaluated(labels, [1])  # B is marked, but is the second child
    assert not evaluated(labels, [])


@pytest.mark.parametrize("hits", EVERY_SET)
def test_figure_2_for_every_set_of_leaves(hits: tuple[int, ...]) -> None:
    assert evaluated(dewey_labels(TREE), hits) == truth(hits)


def test_what_cannot_change_the_answer_is_passed_over() -> None:
    labels, counts = dewey_labels(TREE), np.zeros(4, np.int64)
    levels = dewey_evaluation.new_levels(3)
    # E is the second child of 1*.3 and comes first: F, below the same AND, is passed over.
    assert not dewey_evaluation.is_satisfied(np.array([4, 5], np.uint32), 0, 2, labels, levels, counts)
    assert counts[[dewey_evaluation.LABELS, dewey_evaluation.SKIPPED]].tolist() == [1, 1]
    # C makes the OR true: D, E and F are passed over.
    counts[:] = 0
    assert dewey_evaluation.is_satisfied(np.array([2, 3, 4, 5], np.uint32), 0, 4, labels, levels, counts)
    assert counts[[dewey_evaluation.LABELS, dewey_evaluation.SKIPPED]].tolist() == [1, 3]


def test_figure_5_intervals() -> None:
    assert dict(zip(LEAVES, intervals_of(TREE, 10), strict=True)) == FIGURE_5
    labels, order = interval_labels(TREE, most_leaves=10)
    assert labels.label_begin.dtype == labels.label_end.dtype == np.uint16
    assert "".join(LEAVES[leaf] for leaf in order.tolist()) == "ADCBEF"


def test_figure_5_needs_no_overlap() -> None:
    """B and D cover 1 to 10 together, but they overlap."""
    assert not is_covered([FIGURE_5["B"], FIGURE_5["D"]], 10)


@pytest.mark.parametrize("hits", EVERY_SET)
def test_figure_5_for_every_set_of_leaves(hits: tuple[int, ...]) -> None:
    assert is_covered([FIGURE_5[LEAVES[leaf]] for leaf in hits], 10) == truth(hits)


def test_figures_3_and_4() -> None:
    assert intervals_of(forest_of((AND, 0), (OR, 0), (LEAF, 1), (LEAF, 1)), 10) == [(1, 10), (1, 10)]
    assert intervals_of(forest_of((AND, 0), (LEAF, 0), (LEAF, 0)), 10) == [(1, 1), (2, 10)]


def test_figure_6_is_caught_by_the_third_invariant() -> None:
    """B and E begin at the same place, so B and D, which make nothing true, cover everything without overlap."""
    is_leaf = TREE.kinds == LEAF
    labels = {"A": (1, 4), "B": (5, 10), "C": (1, 10), "D": (1, 4), "E": (5, 5), "F": (6, 10)}
    begins, ends = np.full(10, 1, np.int64), np.full(10, 10, np.int64)
    begins[is_leaf], ends[is_leaf] = np.array([labels[leaf] for leaf in LEAVES]).T
    numbers = tree_sizes(TREE).numbers
    assert broken_invariant(TREE, numbers, begins, ends) == 3
    assert is_covered([labels["B"], labels["D"]], 10)


@pytest.mark.parametrize(
    ("leaf", "interval", "invariant"),
    [("C", (1, 9), 1), ("E", (5, 6), 2), ("B", (3, 10), 2), ("F", (6, 9), 2), ("A", (1, 0), 2)],
)
def test_the_other_invariants_are_checked(leaf: str, interval: tuple[int, int], invariant: int) -> None:
    is_leaf = TREE.kinds == LEAF
    labels = FIGURE_5 | {leaf: interval}
    begins, ends = np.full(10, 1, np.int64), np.full(10, 10, np.int64)
    begins[is_leaf], ends[is_leaf] = np.array([labels[leaf] for leaf in LEAVES]).T
    assert broken_invariant(TREE, tree_sizes(TREE).numbers, begins, ends) == invariant


def test_table_1() -> None:
    matched = np.zeros(11, np.uint32)
    matched[0] = stamp = 7
    rows = {"Initial": matched.copy()}
    for leaf in "ADEF":
        begin, end = FIGURE_5[leaf]
        interval_evaluation.add_interval(np.uint64(begin), np.uint64(end), stamp, matched)
        rows[leaf] = matched.copy()
    assert {leaf: " ".join("1" if is_set else "0" for is_set in row == stamp) for leaf, row in rows.items()} == TABLE_1


def test_a_single_child_of_an_and_has_the_whole_interval() -> None:
    """As Algorithm 4 is printed, it would be labelled as the first child, and then as the last one."""
    # AND(OR(AND(A), AND(B, AND's single OR(C, D))))
    tree = forest_of(
        (AND, 0), (OR, 0), (AND, 1), (LEAF, 2), (AND, 1), (LEAF, 4), (OR, 4), (AND, 6), (LEAF, 7), (LEAF, 6)
    )
    assert intervals_of(tree, 10) == [(1, 10), (1, 2), (3, 10), (3, 10)]
    assert label_texts(dewey_labels(tree), 4) == ["1*.1.1*", "1*.2.1", "1*.2.2*.1.1*", "1*.2.2*.2"]
    for hits in chain.from_iterable(combinations(range(4), size) for size in range(5)):
        expected = 0 in hits or (1 in hits and (2 in hits or 3 in hits))
        intervals = intervals_of(tree, 10)
        assert is_covered([intervals[leaf] for leaf in hits], 10) == expected
        assert evaluated(dewey_labels(tree), hits) == expected


@pytest.mark.parametrize("engine", ["dewey_id", "interval_id", "conjunction_scan"])
def test_the_expressions_of_section_1(engine: str) -> None:
    """An edge of an ad exchange, and a campaign beyond it, which a visit must both satisfy."""
    edge = (
        "(Gender in ('Male') and Category in ('Sports')) or (Gender in ('Female') and Category weak not in ('Finance'))"
    )
    campaign = "(Age in (4) and Interest in ('NFL')) or (Age in (5) and Interest in ('NBA'))"
    index = eligo.build({"edge": edge, "path": f"({edge}) and ({campaign})"}, engine=engine, missing="false")
    visit = {"Gender": "Male", "Interest": "NFL", "Category": "Sports"}
    assert index.match(visit) == ["edge"]
    assert index.match(visit | {"Age": 4}) == ["edge", "path"]
    assert index.match({"Gender": "Female", "Age": 5, "Interest": "NBA"}) == ["edge", "path"]
    assert index.match({"Gender": "Female", "Category": "Finance", "Age": 5, "Interest": "NBA"}) == []
