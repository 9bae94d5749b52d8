"""The worked examples of Tatbul 2001, 4.1: Example 4 on all five structures, and the lists that its text prints.

The paper draws Figures 2 to 6; tested is what its text says of them, and what follows from its rules. In two places
the text goes astray. It says that profile 2 holds x = 20 (Figure 6), though P2 asks for 30 <= x <= 40; by the rule that
a list is read up to the first range that does not hold the value, reading ends before it. And Figure 6 has 25 as the
key of a node whose ends are 10 and 25: of two ends in the middle the later is taken there, where 4.1.1 has the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from eligo.ranges.axis import Axis
from eligo.ranges.choose import Wish
from eligo.ranges.cluster import Cluster
from eligo.ranges.elementary import Elementary
from eligo.ranges.hybrid import Hybrid
from eligo.ranges.interval_tree import IntervalTree
from eligo.ranges.kernels.cluster_walks import RunningCounts, best_point, score
from eligo.ranges.profiles import Predicates, Profiles
from eligo.ranges.range_cells import RangeCells
from eligo.ranges.range_index import read_ranges
from eligo.ranges.segment_index import SegmentIndex
from eligo.ranges.segment_tree import cells_of_node
from eligo.ranges.structure import Structure
from eligo.ranges.structures import STRUCTURES

X = {
    0: (10, 25),
    1: (20, 45),
    2: (30, 40),
    3: (45, 50),
    4: (None, 40),
    5: (55, 55),
    6: (5, 45),
    7: (35, 35),
    8: (60, 65),
}
Y = {0: (70, 110), 1: (60, 90), 2: (70, 80), 3: (40, 50), 4: (None, 30), 5: (20, 80), 6: (50, 50), 7: (20, 20)}
Y |= {9: (100, 120)}
OPEN = 3
"""P3 has the only open ends."""
D = {"x": 20, "y": 80}
X_ANSWER, Y_ANSWER = [0, 1, 4, 6], [0, 1, 2, 5]


def predicates(ends: dict[int, tuple[int | None, int]]) -> Predicates:
    closed = ["neither" if number == OPEN else "both" for number in ends]
    starts, lasts = zip(*ends.values(), strict=True)
    return Predicates(np.array(list(ends)), read_ranges(starts, lasts, closed))


class Drawn:
    """A structure over one attribute of Example 4, read in the paper's words."""

    def __init__(self, ends: dict[int, tuple[int | None, int]], kind: type[Structure], **options: Any) -> None:
        self.axis: Axis
        self.cells: RangeCells
        self.axis, self.cells = predicates(ends).ranges.on_axis()
        self.structure: Any = kind.build(self.cells, **options)
        self.profiles = list(ends)

    def name(self, cell: int) -> str:
        """A point, or an open interval between two."""
        points = ["-∞", *self.axis.points.tolist(), "+∞"]
        return str(points[cell // 2 + 1]) if cell % 2 else f"({points[cell // 2]}, {points[cell // 2 + 1]})"

    def members(self, number: int) -> list[int]:
        return [self.profiles[place] for place in self.structure.sets.members(number)]

    def answer(self, value: int) -> list[int]:
        cells = np.array([self.axis.cell_of(value)], np.uint32)
        return [self.profiles[place] for place in self.structure.containing(cells)[1]]

    def path(self, value: int) -> list[int]:
        found: list[int] = self.structure.path(self.axis.cell_of(value))
        return found

    def evaluations(self, value: int) -> int:
        return int(self.structure.evaluations(np.array([self.axis.cell_of(value)], np.uint32))[0])


def key_tree(drawn: Drawn, node: int = 0) -> Any:
    """A Cluster Index as nested (key, left, right), with the profiles of leaves."""
    key, child = int(drawn.structure.tree.keys[node]), int(drawn.structure.tree.children[node])
    if key == 0:
        return drawn.members(child)
    return int(drawn.name(key)), key_tree(drawn, child), key_tree(drawn, child + 1)


@pytest.mark.parametrize("form", ["lists", "bits"])
@pytest.mark.parametrize("name", STRUCTURES)
def test_document_d_by_every_structure(name: str, form: Any) -> None:
    form = "lists" if name == "interval_tree" else form
    assert Drawn(X, STRUCTURES[name], sets=form).answer(20) == X_ANSWER
    assert Drawn(Y, STRUCTURES[name], sets=form).answer(80) == Y_ANSWER
    profiles = Profiles.build(10, {"x": predicates(X), "y": predicates(Y)}, Wish(name, form))  # type: ignore[arg-type]
    assert profiles.match(D).tolist() == [0, 1]
    assert profiles.indexes["x"].found(20).nonzero()[0].tolist() == [*X_ANSWER, 9]  # P9 says nothing about x
    assert profiles.indexes["y"].found(80).nonzero()[0].tolist() == [*Y_ANSWER, 8]
    assert profiles.match({"x": 62}).tolist() == [8] and profiles.match({}).tolist() == []


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_value_of_example_4_by_every_structure(name: str) -> None:
    for ends in (X, Y):
        drawn = Drawn(ends, STRUCTURES[name])
        for value in range(0, 130):
            held = [
                number
                for number, (start, end) in ends.items()
                if (start is None or start <= value) and value <= end and not (number == OPEN and value in (start, end))
            ]
            assert drawn.answer(value) == held


def test_figure_2_the_cluster_index_on_x() -> None:
    drawn = Drawn(X, Cluster)
    assert key_tree(drawn) == (
        45,
        (35, (30, [0, 1, 4, 6], [1, 2, 4, 6]), [1, 2, 4, 6, 7]),
        (55, [1, 3, 6], (60, [5], [8])),
    )
    assert [drawn.name(int(drawn.structure.tree.keys[node])) for node in drawn.path(20)[:-1]] == ["45", "35", "30"]
    assert drawn.evaluations(20) == 3 + 4  # three keys, and the four profiles of the leaf, which are checked


def test_the_cluster_index_on_y() -> None:
    drawn = Drawn(Y, Cluster)
    assert key_tree(drawn) == (
        60,
        (40, [4, 5, 7], (50, [3, 5], [5, 6])),
        (90, [0, 1, 2, 5], (100, [0, 1], [0, 9])),
    )
    assert drawn.evaluations(80) == 2 + 4


def test_keys_of_example_4_have_the_smallest_score_that_the_search_meets() -> None:
    for ends, key, expected in ((X, 45, (6, 5, 3)), (Y, 60, (5, 5, 1))):
        drawn = Drawn(ends, Cluster)
        counts, points = drawn.cells.running_counts(), drawn.axis.points.tolist()
        scores = {end: score(counts, 2 * place + 1, 0, drawn.cells.num_cells) for place, end in enumerate(points)}
        assert tuple(map(int, scores[key])) == expected
        assert points[int(best_point(counts, 0, len(points), 0, drawn.cells.num_cells))] == key
    # On x the sixth of twelve ends is 35, with 8 profiles on its right and 5 on its left; then 50, and between them 40.
    assert points_met(X) == [35, 50, 40, 45]


def points_met(ends: dict[int, tuple[int | None, int]]) -> list[int]:
    """The ends whose score the search for the root's key looks at."""
    drawn = Drawn(ends, Cluster)
    counts, points = drawn.cells.running_counts(), drawn.axis.points.tolist()
    first, last, met = 0, len(points), []
    while first < last:
        middle = first + -(-(last - first) // 2) - 1
        left, right, _ = score(counts, 2 * middle + 1, 0, drawn.cells.num_cells)
        met.append(points[middle])
        first, last = (middle + 1, last) if right > left else (first, middle)
    return met


def test_the_scoring_example_of_4_1_1() -> None:
    points = [2, 6, 19, 21, 23, 48, 50]
    # Five profiles: three begin before 21 and four reach 21 or further; all begin before 48, and two reach it.
    ranges = read_ranges([2, 6, 19, 21, 23], [48, 19, 23, 23, 50])
    axis, cells = ranges.on_axis()
    assert axis.points.tolist() == points
    counts = cells.running_counts()
    at = {end: tuple(map(int, score(counts, 2 * place + 1, 0, cells.num_cells))) for place, end in enumerate(points)}
    assert at[21] == (3, 4, (4 - 3) + (4 + 3 - 5)) == (3, 4, 3)
    assert at[48] == (5, 2, (5 - 2) + (5 + 2 - 5)) == (5, 2, 5)
    assert at[23][2] == 3  # examined last, and no better than 21
    assert points[int(best_point(counts, 0, len(points), 0, cells.num_cells))] == 21


def test_a_cluster_that_no_key_splits_is_a_leaf() -> None:
    counts = RunningCounts(np.array([0, 0, 1, 3, 3, 3]), np.array([0, 0, 0, 0, 3, 3]))
    assert best_point(counts, 0, 2, 0, 5) == -1


def test_the_elementary_intervals_of_4_1_2() -> None:
    drawn = Drawn({0: (2, 5), 1: (18, 30)}, Elementary)
    names = [drawn.name(cell) for cell in range(drawn.cells.num_cells)]
    assert names == ["(-∞, 2)", "2", "(2, 5)", "5", "(5, 18)", "18", "(18, 30)", "30", "(30, +∞)"]
    assert [names[cell] for cell in drawn.structure.cells] == ["2", "(2, 5)", "5", "18", "(18, 30)", "30"]


def test_figure_3_the_interval_index_on_x() -> None:
    drawn = Drawn(X, Elementary)
    found = {drawn.name(int(cell)): drawn.members(place) for place, cell in enumerate(drawn.structure.cells)}
    assert found == {
        "(-∞, 5)": [4],
        "5": [4, 6],
        "(5, 10)": [4, 6],
        "10": [0, 4, 6],
        "(10, 20)": [0, 4, 6],
        "20": [0, 1, 4, 6],
        "(20, 25)": [0, 1, 4, 6],
        "25": [0, 1, 4, 6],
        "(25, 30)": [1, 4, 6],
        "30": [1, 2, 4, 6],
        "(30, 35)": [1, 2, 4, 6],
        "35": [1, 2, 4, 6, 7],
        "(35, 40)": [1, 2, 4, 6],
        "40": [1, 2, 4, 6],
        "(40, 45)": [1, 6],
        "45": [1, 6],
        "(45, 50)": [3],
        "55": [5],
        "60": [8],
        "(60, 65)": [8],
        "65": [8],
    }
    names = list(found)
    # 21 intervals: the root is the eleventh; of the ten before it the fifth; and so on.
    assert [names[place] for place in drawn.path(20)] == ["(30, 35)", "(10, 20)", "25", "20"]
    assert drawn.evaluations(20) == 4
    assert drawn.evaluations(33) == 1 and drawn.answer(33) == [1, 2, 4, 6]  # the search stops at the root
    assert drawn.answer(52) == []  # between 50 and 55 there is no node


def test_the_interval_index_on_y() -> None:
    drawn = Drawn(Y, Elementary)
    names = [drawn.name(int(cell)) for cell in drawn.structure.cells]
    assert [names[place] for place in drawn.path(80)] == ["(60, 70)", "(90, 100)", "80"]
    assert drawn.members(names.index("80")) == Y_ANSWER


def test_figure_4_the_hybrid_index_on_x() -> None:
    drawn, cluster = Drawn(X, Hybrid, min_cluster=1), Drawn(X, Cluster)
    tree, keys = drawn.structure.tree, cluster.structure.tree
    assert tree.keys.tolist() == keys.keys.tolist() and tree.children.tolist() == keys.children.tolist()
    firsts, lasts = drawn.structure.nodes
    leaves = [
        [(drawn.name(int(firsts[node])), drawn.name(int(lasts[node]))) for node in range(begin, end)]
        for begin, end in zip(drawn.structure.leaf_nodes, drawn.structure.leaf_nodes[1:], strict=False)
    ]
    one = [(name, name) for name in ("(-∞, 5)", "5", "(5, 10)", "10", "(10, 20)", "20", "(20, 25)", "25", "(25, 30)")]
    assert leaves[0] == one
    assert leaves[-1] == [("60", "65")]  # a leaf of one profile has no index
    # Three keys, then of the nine intervals of the leaf the fifth, the seventh and the sixth.
    intervals = [node - len(tree.keys) for node in drawn.path(20)[4:]]
    assert [leaves[0][node][0] for node in intervals] == ["(10, 20)", "(20, 25)", "20"]
    assert drawn.evaluations(20) == 3 + 3
    assert drawn.evaluations(62) == 3 + 1 and drawn.answer(62) == [8]


def test_the_minimum_cluster_size_of_footnote_3() -> None:
    drawn = Drawn(X, Hybrid, min_cluster=5)
    assert [drawn.name(int(key)) for key in drawn.structure.tree.keys if key] == ["45", "35"]
    whole = Drawn(X, Hybrid, min_cluster=9)
    assert whole.structure.tree.keys.tolist() == [0] and whole.evaluations(20) == Drawn(X, Elementary).evaluations(20)


def test_figure_5_the_segment_tree_on_x() -> None:
    drawn = Drawn(X, SegmentIndex)
    held = {node: drawn.members(node) for node in drawn.path(20)}
    # Only nodes with a one in their bit vector add to the answer.
    assert {node: found for node, found in held.items() if found} == {4: [4], 9: [0, 6], 37: [1]}
    spans = {node: cells_of_node(node, drawn.structure.size) for node in (4, 9, 37)}
    assert [(drawn.name(span[0]), drawn.name(span[-1])) for span in spans.values()] == [
        ("(-∞, 5)", "25"),
        ("(10, 20)", "25"),
        ("20", "20"),
    ]
    assert {drawn.evaluations(value) for value in range(70)} == {6}  # never stops before the leaf


def test_figure_6_the_interval_tree_on_x() -> None:
    drawn = Drawn(X, IntervalTree)
    lists = [
        [[drawn.profiles[place] for place in each] for each in drawn.structure.node_lists(node)] for node in range(5)
    ]
    keys = [drawn.name(int(key)) for key in drawn.structure.nodes.keys]
    assert [keys[node] for node in drawn.path(20)] == ["35", "25"]
    assert lists[0] == [[4, 6, 1, 2, 7], [6, 1, 4, 2, 7]]
    assert lists[1] == [[0], [0]]
    assert dict(zip(keys[2:], lists[2:], strict=True)) == {"60": [[8]] * 2, "55": [[5]] * 2, "(45, 50)": [[3]] * 2}
    # Two keys; of the first list 4, 6, 1 hold 20 and 2 does not; of the second 0 does.
    assert drawn.evaluations(20) == 2 + 4 + 1
    assert drawn.evaluations(35) == 1 and drawn.answer(35) == [1, 2, 4, 6, 7]


def test_the_baselines_of_4_1_5() -> None:
    profiles = Profiles.build(10, {"x": predicates(X), "y": predicates(Y)}, Wish())
    assert profiles.naive_evaluations(D) == 9 + 9
    # All nine on x; then those on y of P0, P1, P4 and P6, which x has not ruled out, and of P9.
    assert profiles.lazy_evaluations(D) == 9 + 5
    assert profiles.naive_evaluations({"x": 20}) == profiles.lazy_evaluations({"x": 20}) == 9


@pytest.mark.parametrize(
    ("name", "expected"),
    # Keys of both trees, and both predicates of P0 and P1, the only ones in both clusters.
    [("cluster", 3 + 2 + 2 * 2), ("elementary", 4 + 3), ("hybrid", 6 + 4), ("segment_tree", 6 + 6)],
)
def test_evaluations_of_document_d(name: Any, expected: int) -> None:
    wish = Wish(name, min_cluster=1)
    profiles = Profiles.build(10, {"x": predicates(X), "y": predicates(Y)}, wish)
    assert profiles.evaluations(D) == expected
