"""The worked examples of A-Tree 2021: Figures 1 to 6, Table 2, and those that stand in the text of sections 1 to 5.

What Figure 6 draws is not known here, only how section 5.3 walks through it: leaves 1 to 10, of which 9 and 10 are not
P7 and not P8; 1 leads to the `or` 11 and that to the `or` 15, which is S3; 9 leads to the `and` 14, which asks 10 and
is S6; there are four levels. The six expressions below are our reconstruction: those that the text uses elsewhere. They
give these nodes, levels and queues. S1, S2, S4 and S5 and the numbers 12, 13 and 16 to 18 are guesses.
"""

from __future__ import annotations

from functools import reduce
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from eligo.engines.a_tree.engine import ATree
from eligo.engines.bdd.engine import Bdd
from eligo.engines.bdd.kernels.shared_diagrams import WORDS
from eligo.engines.bop.engine import Bop
from eligo.engines.bop.kernels.encoded_trees import CONJ, DISJ, LEAF
from eligo.engines.fontoura.annotator import alternating_trees, interval_labels, tree_sizes
from eligo.engines.fontoura.dewey_id import DeweyId, label_texts
from eligo.engines.fontoura.interval_id import IntervalId
from eligo.engines.fontoura.kernels.interval_labels import broken_invariant
from eligo.engines.growing_tree.engine import GrowingTree
from eligo.engines.growing_tree.graphviz import node_text
from eligo.engines.growing_tree.kernels.growing_arrays import FALSE, TRUE, UNKNOWN
from eligo.engines.growing_tree.kernels.growing_match import connective_result
from eligo.engines.normal_forms import conjunctions
from eligo.engines.translation.engine import Translation
from eligo.kernels.codes import AND, NOT, OR, XNOR, XOR
from eligo.language.evaluate import matches as is_match
from eligo.language.text.parse import parse
from engine_cases import encoded, engine_of, matches

FIGURE_4 = {
    1: "(p1 or p2 or p3) and p4 and (p5 or p6)",
    2: "(p5 or p6) and (p7 or p8)",
}
RECONSTRUCTED_6 = {
    **FIGURE_4,
    3: "p1 or p2 or p3 or p4",
    4: "(p1 or p2 or p3) and p4",
    5: "p5 or p6",
    6: "not (p7 or p8)",
}
MATCHING = [
    {"zero_suppression": suppress, "propagation_on_demand": demand}
    for suppress, demand in product((True, False), repeat=2)
]
UNOPTIMISED = MATCHING[-1]

every_matching = pytest.mark.parametrize("options", MATCHING, ids=str)


def tree_of(expressions: dict[int, str], **options: Any) -> GrowingTree:
    tree = GrowingTree(**options)
    for position, text in expressions.items():
        tree.insert(position, parse(text))
        tree.check()
    return tree


def leaf(tree: GrowingTree, text: str) -> int:
    """The number of a leaf, as `p1 = true` or `not p1 = true`."""
    [node] = [node for node in tree.nodes.numbers() if node_text(tree.nodes, tree.predicates, node) == text]
    return node


def leaves(tree: GrowingTree, *numbers: int) -> list[int]:
    return sorted(leaf(tree, f"p{number} = true") for number in numbers)


def found(tree: GrowingTree, kind: int, *members: int) -> int:
    """The number of the node of this kind with these members."""
    node = tree.nodes.find(kind, sorted(members))
    assert node is not None
    return node


def children(tree: GrowingTree, node: int) -> set[int]:
    return set(tree.nodes.children.values(node))


def of_predicates(*numbers: int) -> dict[str, bool]:
    """An event that satisfies these predicates of Figures 1 to 6, and no others."""
    return {f"p{number}": True for number in numbers}


class TestFigure1:
    """Dewey ids and intervals of one expression (section 2)."""

    def test_the_dewey_ids(self) -> None:
        labels = engine_of(DeweyId, FIGURE_4[1]).labels
        assert label_texts(labels, 6) == ["1.1", "1.2", "1.3", "2", "3*.1", "3*.2"]

    def test_the_intervals_are_valid_but_not_those_of_algorithm_4(self) -> None:
        """The figure cuts after 4 and 5, as Fontoura 2010's Figure 5 does for D, E, F; Algorithm 4 after 3 and 4."""
        _, table = encoded(FIGURE_4[1])
        forest, _ = alternating_trees(table, 100)
        numbers = tree_sizes(forest).numbers
        printed = [(1, 10), (1, 4), (1, 4), (1, 4), (1, 4), (5, 5), (6, 10), (6, 10), (6, 10)]
        begins, ends = np.array(printed).T.copy()
        assert broken_invariant(forest, numbers, begins, ends) == 0
        labels, _ = interval_labels(forest, most_leaves=10)
        ours = zip(labels.label_begin.tolist(), labels.label_end.tolist(), strict=True)
        assert list(ours) == [(1, 3), (1, 3), (1, 3), (4, 4), (5, 10), (5, 10)]

    @pytest.mark.parametrize("engine", [DeweyId, IntervalId])
    def test_the_example_matches(self, engine: type[Any]) -> None:
        built = engine_of(engine, FIGURE_4[1])
        assert matches(built, of_predicates(1, 4, 5)) == [0]
        assert matches(built, of_predicates(1, 2, 3, 5, 6)) == []


class TestFigure2:
    """BoP's encoding, and the candidate that does not match (section 2)."""

    def test_the_encoding(self) -> None:
        # The figure numbers predicates from 1 on, so one stands before them.
        bop = engine_of(Bop, "p0", FIGURE_4[1], reorder=False)
        first, last = bop.trees.code_offsets[1:3]
        figure = [CONJ, 3, DISJ, 3, LEAF, 1, LEAF, 2, LEAF, 3, LEAF, 4, DISJ, 2, LEAF, 5, LEAF, 6]
        assert bop.trees.code[first:last].tolist() == figure
        assert figure == [1, 3, 2, 3, 4, 1, 4, 2, 4, 3, 4, 4, 2, 2, 4, 5, 4, 6]

    def test_the_minimum_is_three(self) -> None:
        assert engine_of(Bop, FIGURE_4[1]).lists.minima.tolist() == [3]

    @pytest.mark.parametrize(
        ("numbers", "is_candidate", "is_match"),
        [((1, 4, 5), True, True), ((1, 2, 3), True, False), ((1, 4), False, False)],
    )
    def test_candidates(self, numbers: tuple[int, ...], is_candidate: bool, is_match: bool) -> None:
        bop = engine_of(Bop, FIGURE_4[1])
        assert matches(bop, of_predicates(*numbers)) == [0] * is_match
        assert bop.stats().details["candidates"] == is_candidate


class TestFigure3:
    """The decision diagram of the same expression."""

    def test_each_predicate_is_asked_for_once(self) -> None:
        bdd = engine_of(Bdd, FIGURE_4[1], reorder=False)
        rows = bdd.diagrams.decisions.reshape(-1, WORDS)[2:].tolist()
        numbers = {number: place for place, (number, _, _) in enumerate(rows, 2)}
        sides = {number // 2 + 1: (low, high) for number, low, high in rows}
        place = {number // 2 + 1: place for number, place in numbers.items()}
        assert sides == {
            1: (place[2], place[4]),
            2: (place[3], place[4]),
            3: (0, place[4]),
            4: (0, place[5]),
            5: (place[6], 1),
            6: (0, 1),
        }
        assert bdd.diagrams.roots.tolist() == [2 * place[1]]

    @pytest.mark.parametrize("engine", [Bop, Bdd, Translation])
    def test_every_event(self, engine: Any) -> None:
        built = engine_of(engine, FIGURE_4[1])
        for chosen in product((False, True), repeat=6):
            numbers = {number for number, own in enumerate(chosen, 1) if own}
            expected = bool(numbers & {1, 2, 3}) and 4 in numbers and bool(numbers & {5, 6})
            assert matches(built, of_predicates(*numbers)) == [0] * expected


class TestTranslation:
    """The six conjunctions of section 2."""

    def test_six_conjunctions(self) -> None:
        translation = engine_of(Translation, FIGURE_4[1])
        assert translation.stats().details["conjunctions"] == 6
        _, table = encoded(FIGURE_4[1])
        items = conjunctions(table, 100)
        found = {
            tuple(atom // 4 + 1 for atom in items.atoms[items.offsets[item] : items.offsets[item + 1]].tolist())
            for item in range(items.num_items)
        }
        assert found == {(1, 4, 5), (1, 4, 6), (2, 4, 5), (2, 4, 6), (3, 4, 5), (3, 4, 6)}


class TestFigure4:
    def test_the_shared_subexpression_is_one_inner_node(self) -> None:
        tree = tree_of(FIGURE_4)
        shared = found(tree, OR, *leaves(tree, 5, 6))
        roots = {tree.node_of(1), tree.node_of(2)}
        assert set(tree.nodes.parents.values(shared)) == roots
        assert tree.nodes.uses[shared] == 2
        assert tree.stats().nodes_by_level == {1: {"leaf": 8}, 2: {"or": 3}, 3: {"and": 2}}
        assert tree.stats().num_edges == 3 + 2 + 2 + 3 + 2

    def test_levels(self) -> None:
        tree = tree_of(FIGURE_4)
        levels = tree.nodes.levels
        assert {levels[node] for node in leaves(tree, *range(1, 9))} == {1}
        assert levels[found(tree, OR, *leaves(tree, 1, 2, 3))] == 2
        assert levels[tree.node_of(1) or 0] == levels[tree.node_of(2) or 0] == 3

    def test_without_sharing_every_expression_has_its_own(self) -> None:
        assert tree_of(FIGURE_4, share=False).stats().num_nodes == (6 + 2 + 1) + (4 + 2 + 1)

    def test_order_makes_no_difference_to_what_an_expression_is(self) -> None:
        """Section 4.2.1."""
        tree = tree_of({1: FIGURE_4[1], 2: "p4 and (p3 or p2 or p1) and (p6 or p5)"})
        assert tree.node_of(1) == tree.node_of(2)


class TestFigure5:
    NEW = "p1 or p2 or p3 or p4"

    def test_the_third_structure_is_taken_because_a_part_is_there(self) -> None:
        tree = tree_of(FIGURE_4 | {3: self.NEW})
        part = found(tree, OR, *leaves(tree, 1, 2, 3))
        assert children(tree, tree.node_of(3) or 0) == {part, *leaves(tree, 4)}

    def test_the_second_structure_is_taken_when_nothing_is_there(self) -> None:
        tree = tree_of({3: self.NEW})
        assert children(tree, tree.node_of(3) or 0) == set(leaves(tree, 1, 2, 3, 4))

    def test_the_second_structure_is_taken_without_reorganisation(self) -> None:
        tree = tree_of(FIGURE_4 | {3: self.NEW}, reorganise=False)
        assert children(tree, tree.node_of(3) or 0) == set(leaves(tree, 1, 2, 3, 4))

    @pytest.mark.parametrize("text", ["((p1 or p2) or p3) or p4", "(p1 or p2 or p3) or p4", "p4 or (p3 or (p2 or p1))"])
    def test_all_structures_are_one_expression(self, text: str) -> None:
        tree = tree_of(FIGURE_4 | {3: self.NEW, 4: text})
        assert tree.node_of(3) == tree.node_of(4)

    def test_a_member_may_be_covered_twice(self) -> None:
        """Section 4.2.2: p3 is in both parts."""
        tree = tree_of({1: "p1 and p2 and p3", 2: "p3 and p4", 3: "p1 and p2 and p3 and p4"})
        assert children(tree, tree.node_of(3) or 0) == {tree.node_of(1), tree.node_of(2)}

    @pytest.mark.parametrize("small_first", [True, False])
    def test_the_cover_is_the_smallest(self, small_first: bool) -> None:
        """Algorithm 2: whatever covers most comes first, so that what it contains is not needed."""
        parts = ["p1 or p2", "p1 or p2 or p3 or p4"] if small_first else ["p1 or p2 or p3 or p4", "p1 or p2"]
        tree = tree_of({1: parts[0], 2: parts[1], 3: "p1 or p2 or p3 or p4 or p5"})
        assert children(tree, tree.node_of(3) or 0) == {tree.node_of(2 if small_first else 1), *leaves(tree, 5)}

    def test_of_equal_covers_the_one_with_the_fewest_members_is_taken(self) -> None:
        """Once p1, p2, p3 and p4 are covered, both others cover p5 and p6."""
        texts = {1: "p1 or p2 or p3 or p4", 2: "p4 or p5 or p6", 3: "p5 or p6", 4: "p1 or p2 or p3 or p4 or p5 or p6"}
        tree = tree_of(texts, self_adjust=False)
        assert children(tree, tree.node_of(4) or 0) == {tree.node_of(1), tree.node_of(3)}

    def test_a_member_of_xor_is_covered_once(self) -> None:
        tree = tree_of(
            {1: "p1 xor p2 xor p3", 2: "p3 xor p4 xor p5", 3: "p1 xor p2 xor p3 xor p4 xor p5"}, **UNOPTIMISED
        )
        assert children(tree, tree.node_of(3) or 0) == {tree.node_of(1), *leaves(tree, 4, 5)}


class TestSelfAdjustment:
    NEW = "(p1 or p2 or p3) and p4"

    def test_a_new_node_becomes_a_part_of_what_is_there(self) -> None:
        """Section 4.2.3."""
        tree = tree_of(FIGURE_4 | {4: self.NEW})
        assert children(tree, tree.node_of(1) or 0) == {tree.node_of(4), found(tree, OR, *leaves(tree, 5, 6))}
        assert tree.nodes.levels[tree.node_of(1) or 0] == 4

    def test_without_it_what_is_there_stays(self) -> None:
        tree = tree_of(FIGURE_4 | {4: self.NEW}, self_adjust=False)
        assert len(children(tree, tree.node_of(1) or 0)) == 3

    def test_edges_do_not_depend_on_the_order_of_arrival(self) -> None:
        texts = {**FIGURE_4, 3: "p1 or p2 or p3 or p4", 4: self.NEW}
        edges = {tree_of({p: texts[p] for p in order}).stats().num_edges for order in permutations(texts)}
        assert len(edges) == 1

    def test_deletion_hands_the_children_back(self) -> None:
        """Section 4.2.4."""
        tree = tree_of(FIGURE_4 | {4: self.NEW})
        tree.delete(4)
        tree.check()
        parts = {found(tree, OR, *leaves(tree, 1, 2, 3)), *leaves(tree, 4), found(tree, OR, *leaves(tree, 5, 6))}
        assert children(tree, tree.node_of(1) or 0) == parts
        assert tree.nodes.levels[tree.node_of(1) or 0] == 3
        assert tree.stats().num_nodes == tree_of(FIGURE_4).stats().num_nodes


TABLE_2 = [
    ("and", None, True, None),
    ("and", None, False, False),
    ("or", None, True, True),
    ("or", None, False, None),
    *((operator, None, any_value, None) for operator in ("xor", "xnor") for any_value in (True, False, None)),
    ("not", None, None, None),
]
KINDS = {"and": AND, "or": OR, "not": NOT, "xor": XOR, "xnor": XNOR}
CODES = {None: UNKNOWN, False: FALSE, True: TRUE}


class TestTable2:
    @pytest.mark.parametrize(("operator", "first", "second", "result"), TABLE_2)
    def test_the_kernel(self, operator: str, first: bool | None, second: bool | None, result: bool | None) -> None:
        operands = [first] if operator == "not" else [first, second]
        found = connective_result(KINDS[operator], len(operands), operands.count(True), operands.count(False))
        assert found == CODES[result]

    @pytest.mark.parametrize(("operator", "first", "second", "result"), TABLE_2)
    @every_matching
    def test_the_tree(
        self, operator: str, first: bool | None, second: bool | None, result: bool | None, options: dict[str, bool]
    ) -> None:
        """An expression is true, its negation is, or neither: then it is undefined."""
        text = "not a" if operator == "not" else f"a {operator} b"
        for event in ({"a": first, "b": second}, {"b": first, "a": second}):
            tree = tree_of({0: text, 1: f"not ({text})"}, **options)
            assert tree.match(event).tolist() == {True: [0], False: [1], None: []}[result]

    @pytest.mark.parametrize("num_operands", [2, 3, 4, 5])
    def test_a_chain_of_xnor_is_taken_from_the_left(self, num_operands: int) -> None:
        for num_true in range(num_operands + 1):
            operands = [True] * num_true + [False] * (num_operands - num_true)
            result = reduce(lambda left, right: left == right, operands)
            found = connective_result(XNOR, num_operands, num_true, num_operands - num_true)
            assert found == CODES[result]


class TestFigure6:
    """Section 5.3. The event satisfies p1 and neither p7 nor p8, so P9 = not P7 and P10 = not P8 are satisfied."""

    EVENT = {"p1": True} | {f"p{number}": False for number in range(2, 9)}

    def numbered(self, tree: GrowingTree) -> dict[int, int]:
        """The number of each node: the paper's where its walk names it."""
        nodes = {number: leaf(tree, f"p{number} = true") for number in range(1, 9)}
        nodes |= {9: leaf(tree, "not p7 = true"), 10: leaf(tree, "not p8 = true")}
        nodes[11] = found(tree, OR, nodes[1], nodes[2], nodes[3])
        nodes[12] = found(tree, OR, nodes[5], nodes[6])
        nodes[13] = found(tree, OR, nodes[7], nodes[8])
        nodes[14] = found(tree, AND, nodes[9], nodes[10])
        nodes[15] = found(tree, OR, nodes[1], nodes[2], nodes[3], nodes[4])
        nodes[16] = found(tree, AND, nodes[12], nodes[13])
        nodes[17] = found(tree, AND, nodes[11], nodes[4])
        nodes[18] = found(tree, AND, nodes[11], nodes[4], nodes[12])
        return {node: number for number, node in nodes.items()}

    def queues(self, tree: GrowingTree) -> list[list[int]]:
        number_of = self.numbered(tree)
        return [sorted(number_of[node] for node in queue) for queue in tree.last_queues()]

    def test_the_nodes_and_their_levels(self) -> None:
        tree = tree_of(RECONSTRUCTED_6)
        levels: dict[int, list[int]] = {}
        for node, number in self.numbered(tree).items():
            levels.setdefault(tree.nodes.levels[node], []).append(number)
        assert levels == {1: list(range(1, 11)), 2: [11, 12, 13, 14], 3: [15, 16, 17], 4: [18]}
        assert tree.stats().num_nodes == 18
        number_of = self.numbered(tree)
        roots = {position: number_of[tree.node_of(position) or 0] for position in RECONSTRUCTED_6}
        assert roots == {1: 18, 2: 16, 3: 15, 4: 17, 5: 12, 6: 14}

    def test_the_walk(self) -> None:
        """Leaf 10 is not queued: its result is taken when node 14 asks, which comes to the same."""
        tree = tree_of(RECONSTRUCTED_6)
        assert tree.match(self.EVENT).tolist() == [3, 6]
        assert self.queues(tree) == [[1, 9], [11, 14], [15]]
        assert tree.stats().last_match.num_predicates == 3

    def test_only_access_children_propagate(self) -> None:
        tree = tree_of(RECONSTRUCTED_6)
        node_of = {number: node for node, number in self.numbered(tree).items()}
        parents, heard = tree.nodes.parents, tree.nodes.parents.heard
        hearing = {number: parents.values(node)[: heard[node]] for number, node in node_of.items()}
        assert hearing[1] == [node_of[11]]
        assert hearing[9] == [node_of[14]] and hearing[10] == []
        assert hearing[11] == [node_of[15]]
        assert parents.values(node_of[10]) == [node_of[14]]

    def test_with_zero_suppression_alone_every_satisfied_leaf_is_queued(self) -> None:
        tree = tree_of(RECONSTRUCTED_6, propagation_on_demand=False)
        assert tree.match(self.EVENT).tolist() == [3, 6]
        assert self.queues(tree) == [[1, 9, 10], [11, 14], [15, 17]]

    def test_the_unoptimised_version_has_a_not_and_touches_more(self) -> None:
        plain = tree_of(RECONSTRUCTED_6, **UNOPTIMISED)
        assert plain.stats().nodes_by_level == {
            1: {"leaf": 8},
            2: {"or": 3},
            3: {"and": 2, "or": 1, "not": 1},
            4: {"and": 1},
        }
        assert plain.match(self.EVENT).tolist() == [3, 6]
        assert plain.stats().last_match.num_nodes == plain.stats().num_nodes == 16
        optimised = tree_of(RECONSTRUCTED_6)
        optimised.match(self.EVENT)
        assert optimised.stats().last_match.num_nodes == 5

    def test_false_results_are_not_propagated_under_zero_suppression(self) -> None:
        """Section 5.2.1: p1 is true and the `and` false, of which its parents hear only without the filter."""
        event = {"p1": True, "p2": False}
        texts = {0: "p1 and p2 or p3", 1: "p1 and p2 or p4"}
        touched = {}
        for options in MATCHING:
            tree = tree_of(texts, **options)
            assert tree.match(event).tolist() == []
            last = tree.stats().last_match
            touched[options["zero_suppression"], options["propagation_on_demand"]] = last.num_nodes
        # Without suppression p2 is queued as well, unless it is only asked.
        assert touched == {(True, True): 2, (True, False): 2, (False, True): 4, (False, False): 5}

    @pytest.mark.parametrize(("zero_suppression", "num_nodes"), [(True, 0), (False, 2)])
    def test_a_leaf_that_is_false_is_not_queued_under_zero_suppression(
        self, zero_suppression: bool, num_nodes: int
    ) -> None:
        tree = tree_of({0: "not p1"}, zero_suppression=zero_suppression)
        assert tree.match({"p1": True}).tolist() == []
        assert tree.stats().last_match.num_nodes == num_nodes

    @every_matching
    def test_state_of_one_event_does_not_reach_the_next(self, options: dict[str, bool]) -> None:
        tree = tree_of(RECONSTRUCTED_6, **options)
        assert tree.match(self.EVENT).tolist() == [3, 6]
        assert tree.match({"p8": False}).tolist() == []
        assert tree.match({"p4": True, "p5": True, "p3": True}).tolist() == [1, 3, 4, 5]
        assert tree.match({}).tolist() == []


class TestText:
    def test_a_predicate_may_stand_twice(self) -> None:
        """Section 3.1."""
        tree = tree_of({0: "(p1 and p2) or (not p2 and p3)"})
        assert tree.match({"p1": True, "p2": True}).tolist() == [0]
        assert tree.match({"p2": False, "p3": True}).tolist() == [0]
        assert tree.match({"p1": True, "p3": True}).tolist() == []

    @pytest.mark.parametrize("zero_suppression", [True, False])
    def test_an_expression_may_match_through_unsatisfied_predicates(self, zero_suppression: bool) -> None:
        """Section 5: not (p5 or p6) needs both to be false, not undefined."""
        tree = tree_of({0: "not (p5 or p6)"}, zero_suppression=zero_suppression)
        assert tree.match({"p5": False, "p6": False}).tolist() == [0]
        assert tree.match({"p5": False}).tolist() == []

    def test_negations_are_pushed_down_to_predicates(self) -> None:
        """Section 5.2.1."""
        tree = tree_of({0: "not (age > 60 or weight > 100)"})
        assert tree.stats().nodes_by_level == {1: {"leaf": 2}, 2: {"and": 1}}
        assert tree.match({"age": 60, "weight": 100}).tolist() == [0]
        assert tree.match({"age": 61, "weight": 100}).tolist() == []

    def test_system_monitoring(self) -> None:
        """Section 1."""
        tree = tree_of({0: "source = 'mobile' and (type = 'error' or level = 'critical')"})
        assert tree.match({"source": "mobile", "type": "info", "level": "critical"}).tolist() == [0]
        assert tree.match({"source": "web", "type": "error"}).tolist() == []


def frozen_edges(engine: ATree) -> int:
    return len(engine.tree.children)


class TestFrozen:
    """The same examples on `a_tree`, as far as they are about answers, and what it has of the structure."""

    def test_figure_1(self) -> None:
        """Section 2: P1, P4 and P5 are matching, so the expression is."""
        engine = engine_of(ATree, FIGURE_4[1])
        assert matches(engine, of_predicates(1, 4, 5)) == [0]
        assert matches(engine, of_predicates(1, 2, 3)) == matches(engine, of_predicates(1, 4)) == []

    def test_figure_4_has_the_nodes_and_edges_of_the_growing_tree(self) -> None:
        engine = engine_of(ATree, *FIGURE_4.values())
        assert engine.stats().details["nodes_by_level"] == {1: {"literal": 8}, 2: {"or": 3}, 3: {"and": 2}}
        assert frozen_edges(engine) == tree_of(FIGURE_4).stats().num_edges == 3 + 2 + 2 + 3 + 2

    def test_it_shares_equal_nodes_and_reorganises_nothing(self) -> None:
        """With the expressions that 4.2.2 and 4.2.3 add to Figure 4; docs/decisions/no-reorganisation.md says why."""
        texts = {**FIGURE_4, 3: TestFigure5.NEW, 4: TestSelfAdjustment.NEW}
        assert frozen_edges(engine_of(ATree, *texts.values())) == 18
        assert tree_of(texts, reorganise=False, self_adjust=False).stats().num_edges == 18
        assert tree_of(texts).stats().num_edges == 15

    def test_order_makes_no_difference_to_what_an_expression_is(self) -> None:
        """Section 4.2.1."""
        assert len(engine_of(ATree, FIGURE_4[1], "p4 and (p3 or p2 or p1) and (p6 or p5)").tree.node_is_and) == 3

    def test_the_walk_through_figure_6(self) -> None:
        engine = engine_of(ATree, *RECONSTRUCTED_6.values())
        assert [list(RECONSTRUCTED_6)[place] for place in matches(engine, TestFigure6.EVENT)] == [3, 6]

    @pytest.mark.parametrize("values", [(False, True), (None, True), (None, False)])
    def test_every_event(self, values: tuple[bool | None, bool]) -> None:
        """Of all the figures' expressions, and of those in the text, on predicates with either of two results."""
        texts = [*RECONSTRUCTED_6.values(), "p1 and p2 or not p2 and p3", "not (p5 or p6)", "p1 xor p2", "p1 xnor p2"]
        engine, trees = engine_of(ATree, *texts), [parse(text) for text in texts]
        for chosen in product(values, repeat=8):
            event = {f"p{number}": own for number, own in enumerate(chosen, 1) if own is not None}
            assert matches(engine, event) == [place for place, tree in enumerate(trees) if is_match(tree, event)]

    @pytest.mark.parametrize(("operator", "first", "second", "result"), TABLE_2)
    def test_table_2(self, operator: str, first: bool | None, second: bool | None, result: bool | None) -> None:
        text = "not a" if operator == "not" else f"a {operator} b"
        engine = engine_of(ATree, text, f"not ({text})")
        event = {name: own for name, own in (("a", first), ("b", second)) if own is not None}
        assert matches(engine, event) == {True: [0], False: [1], None: []}[result]
