"""Whatever is done to a growing tree, it equals the oracle, and a tree built fresh from what is left."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import strategies
from eligo.data.hierarchy import Hierarchy
from eligo.engines.growing_tree import GrowingTree
from eligo.errors import EventError, InputError, UnknownIdError
from eligo.language.evaluate import Missing, matches
from eligo.language.parse import parse
from eligo.language.push_negations import push_negations
from eligo.language.tree import And, ContainsAll, Equals, Expression, In, Literal, Not, Or, Xnor, Xor

OPTIONS = ("share", "reorganise", "self_adjust", "zero_suppression", "propagation_on_demand")
COMBINATIONS = [dict(zip(OPTIONS, values, strict=True)) for values in itertools.product((True, False), repeat=5)]
MATCHING = [
    {"zero_suppression": suppress, "propagation_on_demand": demand}
    for suppress, demand in itertools.product((True, False), repeat=2)
]


def name_of(options: Mapping[str, bool]) -> str:
    return "-".join(name for name, is_on in options.items() if is_on) or "none"


every_option = pytest.mark.parametrize("options", COMBINATIONS, ids=name_of)
every_matching = pytest.mark.parametrize("options", MATCHING, ids=name_of)
options_strategy = st.sampled_from(COMBINATIONS)


def small_expressions(num_names: int = 6) -> st.SearchStrategy[Expression]:
    """Expressions over few bare attributes, so that one is often part of another."""
    leaf = st.sampled_from([parse(f"p{number}") for number in range(num_names)])
    several = st.lists(leaf, min_size=1, max_size=5, unique=True)

    def flat(kind: type[Any]) -> st.SearchStrategy[Expression]:
        return several.map(lambda parts: kind(tuple(parts)) if len(parts) > 1 else parts[0])

    chains = st.one_of(*(flat(kind) for kind in (And, Or, Xor, Xnor)))
    pairs = st.lists(chains, min_size=2, max_size=3).map(tuple)
    mixed = st.one_of(*(st.builds(kind, pairs) for kind in (And, Or, Xor, Xnor)))
    return st.one_of(leaf, chains, chains, mixed, st.builds(Not, chains), st.builds(Not, mixed))


def small_events(num_names: int = 6) -> st.SearchStrategy[dict[str, Any]]:
    names = st.sampled_from([f"p{number}" for number in range(num_names)])
    return st.dictionaries(names, st.sampled_from([True, True, False]))


def grown_from(trees: Mapping[int, Expression], **options: Any) -> GrowingTree:
    tree = GrowingTree(**options)
    for position, expression in trees.items():
        tree.insert(position, expression)
    return tree


def expected(trees: Mapping[int, Expression], event: Mapping[str, Any], missing: Missing = "unknown") -> list[int]:
    return sorted(position for position, tree in trees.items() if matches(tree, event, missing))


def of_texts(*texts: str, **options: Any) -> GrowingTree:
    return grown_from({position: parse(text) for position, text in enumerate(texts)}, **options)


def num_nodes(tree: GrowingTree) -> int:
    return tree.stats().num_nodes


class TestAgreement:
    @every_option
    @given(
        trees=st.lists(strategies.expressions(), max_size=8),
        events=st.lists(strategies.events(), min_size=1, max_size=4),
        missing=strategies.policies(),
    )
    @settings(max_examples=15)
    def test_every_combination_of_options_agrees_with_the_oracle(
        self, options: dict[str, bool], trees: list[Expression], events: list[dict[str, Any]], missing: Missing
    ) -> None:
        numbered = dict(enumerate(trees))
        tree = grown_from(numbered, missing=missing, **options)
        tree.check()
        for event in events:
            assert tree.match(event).tolist() == expected(numbered, event, missing)

    @every_option
    @given(trees=st.lists(small_expressions(), max_size=12), events=st.lists(small_events(), min_size=1, max_size=6))
    @settings(max_examples=15)
    def test_expressions_that_are_parts_of_each_other(
        self, options: dict[str, bool], trees: list[Expression], events: list[dict[str, Any]]
    ) -> None:
        numbered = dict(enumerate(trees))
        tree = grown_from(numbered, **options)
        tree.check()
        for event in events:
            assert tree.match(event).tolist() == expected(numbered, event)

    @given(
        trees=st.lists(small_expressions(), min_size=2, max_size=8),
        events=st.lists(small_events(), min_size=1, max_size=4),
        seed=st.randoms(use_true_random=False),
    )
    def test_the_order_of_insertion_changes_neither_matches_nor_nodes(
        self, trees: list[Expression], events: list[dict[str, Any]], seed: Any
    ) -> None:
        numbered = list(enumerate(trees))
        first = grown_from(dict(numbered))
        seed.shuffle(numbered)
        second = grown_from(dict(numbered))
        assert num_nodes(first) == num_nodes(second)
        for event in events:
            assert first.match(event).tolist() == second.match(event).tolist()

    @given(
        trees=st.lists(strategies.deep_expressions(60), max_size=3),
        event=strategies.events(),
        options=options_strategy,
    )
    def test_deep_expressions(self, trees: list[Expression], event: dict[str, Any], options: dict[str, bool]) -> None:
        numbered = dict(enumerate(trees))
        tree = grown_from(numbered, **options)
        tree.check()
        assert tree.match(event).tolist() == expected(numbered, event)

    @every_matching
    def test_taxonomies(self, options: dict[str, bool]) -> None:
        hierarchies = {"team": Hierarchy.from_edges([("NFL", "Sports"), ("Jets", "NFL"), ("MLB", "Sports")])}
        texts = ["team under 'Sports'", "team under 'NFL'", "not team under 'NFL'", "team under 'Jets'"]
        texts += ["team under 'Else'", "day under '2024/01'", "path under 'Sports'", "team under '2024'"]
        trees = {position: parse(text) for position, text in enumerate(texts)}
        tree = grown_from(trees, hierarchies=hierarchies, **options)
        events: list[dict[str, Any]] = [{"team": name} for name in ("Sports", "NFL", "Jets", "MLB", "Else", "Jets/x")]
        events += [{"team": ["Jets", "MLB"]}, {}, {"day": date(2024, 1, 31)}, {"day": date(2024, 2, 1)}]
        events += [{"path": "Sports/NFL"}, {"team": datetime(2024, 5, 1, tzinfo=UTC)}]
        for event in events:
            found = [p for p, each in trees.items() if matches(each, event, hierarchies=hierarchies)]
            assert tree.match(event).tolist() == found, event

    @every_matching
    @pytest.mark.parametrize("missing", strategies.POLICIES)
    def test_literals_may_be_given(self, options: dict[str, bool], missing: Missing) -> None:
        parts = [Equals("a", 1), ContainsAll("a", (1, 2)), In("a", (2, 1, 2)), ContainsAll("a", ())]
        literals = [Literal(part, *flags) for part in parts for flags in itertools.product((True, False), repeat=2)]
        trees: dict[int, Expression] = dict(enumerate([*literals, Not(literals[0]), Xor((literals[2], literals[7]))]))
        tree = grown_from(trees, missing=missing, **options)
        for event in ({}, {"a": 1}, {"a": 2}, {"a": [1, 2]}, {"a": 3}):
            assert tree.match(event).tolist() == expected(trees, event, missing)


class GrowingTreeMachine(RuleBasedStateMachine):
    """Insert, replace, delete and match in any order, beside a plain dictionary of expressions."""

    events = Bundle("events")

    @initialize(options=options_strategy, missing=strategies.policies())
    def start(self, options: dict[str, bool], missing: Missing) -> None:
        self.options = options
        self.missing = missing
        self.model: dict[int, Expression] = {}
        self.tree = GrowingTree(missing=missing, **options)

    @rule(target=events, event=st.one_of(small_events(), strategies.events()))
    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        return event

    @rule(
        position=st.integers(0, 7), tree=st.one_of(small_expressions(), small_expressions(), strategies.expressions())
    )
    def insert(self, position: int, tree: Expression) -> None:
        self.tree.insert(position, tree)
        self.model[position] = tree

    @rule(position=st.integers(0, 7))
    def delete(self, position: int) -> None:
        if position in self.model:
            self.tree.delete(position)
            del self.model[position]
        else:
            with pytest.raises(UnknownIdError):
                self.tree.delete(position)

    @rule(event=events)
    def match(self, event: dict[str, Any]) -> None:
        assert self.tree.match(event).tolist() == expected(self.model, event, self.missing)

    @rule(events=st.lists(events, max_size=3))
    def compare_with_a_fresh_tree(self, events: list[dict[str, Any]]) -> None:
        fresh = grown_from(self.model, missing=self.missing, **self.options)
        assert num_nodes(fresh) == num_nodes(self.tree)
        for event in events:
            assert fresh.match(event).tolist() == self.tree.match(event).tolist()

    @rule()
    def delete_all(self) -> None:
        for position in list(self.model):
            self.tree.delete(position)
        self.model.clear()
        stats = self.tree.stats()
        assert (stats.num_nodes, stats.num_edges, stats.num_tests) == (0, 0, 0)

    @invariant()
    def is_sound(self) -> None:
        if hasattr(self, "tree"):
            self.tree.check()
            assert self.tree.positions().tolist() == sorted(self.model)
            assert len(self.tree) == len(self.model)


def test_any_sequence_of_updates_and_matches() -> None:
    run_state_machine_as_test(GrowingTreeMachine, settings=settings(max_examples=40, stateful_step_count=25))


@pytest.mark.long
def test_thousands_of_sequences_of_updates_and_matches() -> None:
    run_state_machine_as_test(GrowingTreeMachine, settings=settings(max_examples=2_500, stateful_step_count=30))


class TestKnownFailures:
    """What other implementations get wrong."""

    @every_matching
    @pytest.mark.parametrize("leaf", ["b = 2", "b != 2", "b is missing", "b weak not in (2)"])
    def test_a_leaf_first_seen_as_a_child_that_is_asked_and_later_inserted_alone(
        self, options: dict[str, bool], leaf: str
    ) -> None:
        texts = [f"a = 1 and {leaf}", leaf]
        trees = {position: parse(text) for position, text in enumerate(texts)}
        tree = grown_from(trees, **options)
        for event in ({"b": 2}, {"b": 3}, {}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1}):
            assert tree.match(event).tolist() == expected(trees, event)
        tree.delete(1)
        del trees[1]
        for event in ({"b": 2}, {"b": 3}, {}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1}):
            assert tree.match(event).tolist() == expected(trees, event)
        tree.check()

    @every_matching
    def test_deleting_a_part_leaves_no_dangling_parent(self, options: dict[str, bool]) -> None:
        tree = of_texts("a and b", "a and b and c", "(a and b and c) or d", **options)
        tree.delete(0)
        tree.check()
        assert tree.match({"a": True, "b": True, "c": True}).tolist() == [1, 2]
        tree.delete(1)
        tree.check()
        assert tree.match({"a": True, "b": True, "c": True}).tolist() == [2]
        assert tree.match({"a": True, "b": True}).tolist() == []
        tree.delete(2)
        assert num_nodes(tree) == 0

    def test_deleting_a_whole_keeps_its_parts_for_others(self) -> None:
        tree = of_texts("(a or b) and c", "(a or b) and d")
        tree.delete(0)
        tree.check()
        assert tree.match({"a": True, "d": True}).tolist() == [1]

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("a in (1, 2, 3)", "a in (3, 1, 2)"),
            ("a in (1, 2, 2)", "a in (2, 1)"),
            ("a in (7)", "a = 7"),
            ("a in (7^2, 8)", "a in (8, 7)"),
            ("a between 7 and 7", "a = 7.0"),
            ("b and a", "a and b"),
            ("c or (b and a)", "(a and b) or c"),
            ("a and b and a", "a and b"),
            ("(a and b) and c", "a and (b and c)"),
            ("a not in (2, 1)", "not a in (1, 2)"),
        ],
    )
    def test_lists_are_sorted_before_they_are_compared(self, first: str, second: str) -> None:
        tree = of_texts(first, second)
        assert tree.node_of(0) == tree.node_of(1)

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ("a = true", "a = 1"),
            ("a = '1'", "a = 1"),
            ("a and b", "a or b"),
            ("a < 1", "a <= 1"),
            ("a under 'x'", "a starts with 'x'"),
            ("a exists", "a in ()"),
        ],
    )
    def test_what_only_looks_the_same_is_not(self, first: str, second: str) -> None:
        tree = of_texts(first, second)
        assert tree.node_of(0) != tree.node_of(1)

    def test_sums_of_ids_that_collide(self) -> None:
        """With ids 0 to 5, a and d would have the id of b and c: 0 + 3 = 1 + 2."""
        names = "abcdef"
        pairs = [f"{one} and {other}" for one, other in itertools.combinations(names, 2)]
        pairs += [f"{one} or {other}" for one, other in itertools.combinations(names, 2)]
        tree = of_texts(*pairs)
        assert len({tree.node_of(position) for position in range(len(pairs))}) == len(pairs)

    @every_matching
    def test_precedence(self, options: dict[str, bool]) -> None:
        tree = of_texts("a or b and c", **options)
        assert tree.match({"a": True, "b": False, "c": False}).tolist() == [0]
        assert tree.match({"a": False, "b": True, "c": True}).tolist() == [0]
        assert tree.match({"a": False, "b": True, "c": False}).tolist() == []


class TestUpdates:
    def test_a_position_that_is_there_is_replaced(self) -> None:
        tree = of_texts("a", "b")
        tree.insert(0, parse("b and c"))
        assert tree.match({"a": True, "b": True}).tolist() == [1]
        tree.check()

    @pytest.mark.parametrize("text", ["a and b", "a", "b", "a and b and c", "true", "false"])
    def test_replacing_by_the_same_a_part_or_a_whole(self, text: str) -> None:
        tree = of_texts("a and b")
        tree.insert(0, parse(text))
        tree.check()
        assert tree.match({"a": True, "b": True, "c": True}).tolist() == ([] if text == "false" else [0])
        tree.delete(0)
        assert num_nodes(tree) == 0

    def test_one_node_may_be_many_expressions(self) -> None:
        tree = of_texts(*["a or b"] * 5)
        assert tree.match({"a": True}).tolist() == [0, 1, 2, 3, 4]
        tree.delete(2)
        assert tree.match({"b": True}).tolist() == [0, 1, 3, 4]

    def test_constants(self) -> None:
        texts = [
            "true",
            "false",
            "a or true",
            "a and false",
            "true xor a",
            "false xnor a",
            "true xnor true",
            "not false",
        ]
        for options in MATCHING:
            trees = {position: parse(text) for position, text in enumerate(texts)}
            tree = grown_from(trees, **options)
            tree.check()
            for event in ({}, {"a": True}, {"a": False}):
                assert tree.match(event).tolist() == expected(trees, event)
        assert tree.node_of(0) is None
        tree.delete(0)
        assert 0 not in tree.match({})

    def test_numbers_of_deleted_nodes_are_used_again(self) -> None:
        tree = GrowingTree()
        for _ in range(3):
            for number in range(50):
                tree.insert(number, parse(f"a = {number} and (b = {number} or c = {number})"))
            size = tree.stats().num_bytes
            for number in range(50):
                tree.delete(number)
            assert num_nodes(tree) == 0
        assert tree.stats().num_bytes == size

    def test_positions_may_be_far_apart(self) -> None:
        tree = grown_from({2**32 - 2: parse("a"), 5: parse("a")})
        assert tree.match({"a": True}).tolist() == [5, 2**32 - 2]
        assert tree.match({"a": True}).dtype == np.uint32
        assert 5 in tree and 6 not in tree

    @pytest.mark.parametrize("position", [-1, 2**32 - 1, True])
    def test_a_wrong_position_is_refused(self, position: int) -> None:
        with pytest.raises(InputError, match="position"):
            GrowingTree().insert(position, parse("a"))

    def test_unknown_positions_and_policies_are_refused(self) -> None:
        with pytest.raises(UnknownIdError, match="7"):
            GrowingTree().delete(7)
        with pytest.raises(UnknownIdError, match="7"):
            GrowingTree().node_of(7)
        with pytest.raises(InputError, match="policy"):
            GrowingTree(missing="maybe")  # type: ignore[arg-type]

    def test_an_event_that_cannot_be_read_leaves_the_tree_usable(self) -> None:
        tree = of_texts("a")
        with pytest.raises(EventError):
            tree.match({"a": object()})
        assert tree.match({"a": True}).tolist() == [0]

    def test_signatures_wrap_around(self) -> None:
        tree = of_texts("a and b", "not c")
        assert tree.match({"a": True, "b": True, "c": False}).tolist() == [0, 1]
        tree._signature = 2**32 - 2
        for event, found in (({"a": True, "b": True}, [0]), ({"b": True}, []), ({"a": True, "c": False}, [1])):
            assert tree.match(event).tolist() == found


class TestPredicates:
    @every_matching
    @pytest.mark.parametrize("missing", strategies.POLICIES)
    def test_many_ranges_on_one_attribute(self, options: dict[str, bool], missing: Missing) -> None:
        random = np.random.default_rng(7)
        texts = []
        for low, width in random.integers((-50, 1), (50, 40), (120, 2)).tolist():
            texts += [f"a between {low} and {low + width}", f"a not between {low} and {low + width / 4}"]
            texts += [f"a < {low}", f"a <= {low / 2}", f"a > {low}", f"a >= {low / 2}", f"not (a > {low})"]
        trees = {position: parse(text) for position, text in enumerate(texts)}
        tree = grown_from(trees, missing=missing, **options)
        for position in random.permutation(len(texts))[:300].tolist():
            tree.delete(position)
            del trees[position]
        tree.check()
        values: Sequence[Any] = (-60, -7, 0, 0.25, 3.5, 49, 90, float("inf"), float("-inf"), [1, 30], "x", None, True)
        for value in values:
            assert tree.match({"a": value}).tolist() == expected(trees, {"a": value}, missing)

    def test_numbers_that_a_float_cannot_tell_apart(self) -> None:
        large = 2**53
        texts = [f"a <= {large}", f"a < {large + 1}", f"a > {large}", f"a between {large + 1} and {large + 2}"]
        texts += [f"a >= {2**63 - 1}", f"a < {2**63 - 1}", "a >= 1e19", f"a = {large + 1}"]
        trees = {position: parse(text) for position, text in enumerate(texts)}
        tree = grown_from(trees)
        for value in (large - 1, large, large + 1, large + 2, 2**63 - 1, 2**63 - 2, -(2**63), 2.0**63, 1e19, 0.5):
            assert tree.match({"a": value}).tolist() == expected(trees, {"a": value}), value

    def test_strings_in_order_and_by_prefix(self) -> None:
        texts = ["a < 'b'", "a <= 'b'", "a > 'b'", "a >= 'b'", "a between 'a' and 'b'", "a starts with 'b'"]
        texts += ["a starts with ''", "a starts with 'bc'", "a > ''", "a between 'é' and '\U00010000'"]
        trees = {position: parse(text) for position, text in enumerate(texts)}
        tree = grown_from(trees)
        for value in ("", "a", "b", "bc", "bcd", "c", "é", "\uffff", "\U00010000", 1, True):
            assert tree.match({"a": value}).tolist() == expected(trees, {"a": value}), value
        for position in range(len(texts)):
            tree.delete(position)
            tree.check()

    def test_negatives_are_not_enumerated_unless_someone_hears_them(self) -> None:
        tree = of_texts(*(f"a = {number} and b != {number}" for number in range(100)))
        assert tree.match({"a": 7, "b": 1}).tolist() == [7]
        assert tree.stats().last_match.num_predicates == 2


class TestStats:
    def test_counts(self) -> None:
        tree = of_texts("(a or b) and c", "(a or b) and d", "(b or a) and c", "a")
        stats = tree.stats()
        assert stats.num_expressions == 4
        assert stats.num_nodes == 7
        assert stats.num_edges == 6
        assert stats.nodes_by_level == {1: {"leaf": 4}, 2: {"or": 1}, 3: {"and": 2}}
        assert stats.sharing_by_level == {1: (3 + 1 + 3 + 2 + 1) / 4, 2: 3.0, 3: 1.5}
        assert stats.num_bytes == sum(stats.bytes_by_array.values()) > 0
        assert 0 < stats.estimated_selectivity < 1

    def test_last_match(self) -> None:
        tree = of_texts("a = 1 and b = 2", "a = 1 or c = 3")
        tree.match({"a": 1, "b": 2})
        assert tree.stats().last_match.num_nodes == 3
        tree.match({})
        assert tree.stats().last_match.num_nodes == 0

    def test_an_empty_tree(self) -> None:
        stats = GrowingTree().stats()
        assert (stats.num_nodes, stats.sharing_by_level, stats.nodes_by_level) == (0, {}, {})
        assert GrowingTree().match({"a": 1}).tolist() == []

    def test_each_option_saves_something(self) -> None:
        texts = ["(a or b or c) and d and (e or f)", "(a or b or c) and d", "a or b or c or d", "a or b or c"]

        def edges_and_nodes(**options: bool) -> tuple[int, int]:
            stats = of_texts(*texts, **options).stats()
            return stats.num_edges, stats.num_nodes

        none = edges_and_nodes(share=False)
        shared = edges_and_nodes(reorganise=False, self_adjust=False)
        reorganised = edges_and_nodes(self_adjust=False)
        adjusted = edges_and_nodes()
        assert none > shared > reorganised > adjusted


class TestGraphviz:
    def test_a_neighbourhood(self) -> None:
        tree = of_texts("(a = 'x\"y' or b) and c", "c and d", "e")
        text = tree.to_graphviz(0)
        assert text.startswith("digraph") and text.count("->") == 5
        assert 'x\\"y' in text and "expression 0" in text
        assert "e = true" not in text
        assert tree.to_graphviz(0, radius=0).count("label") == 1
        assert tree.to_graphviz(node=tree.node_of(2)).count("label") == 1

    def test_leaves_are_readable(self) -> None:
        texts = ["a != 1", "a in (2, 1)", "a not between 1 and 2", "a exists", "a is missing", "a starts with 'x'"]
        texts += ["a under 'x'", "a < 1", "a >= 2", "a weak not in (1)"]
        shown = ["not a = 1", "a in (1, 2)", "not a between 1 and 2", "a exists", "a is missing", "a starts with 'x'"]
        shown += ["a under 'x'", "a < 1", "a >= 2", "not a = 1 [or missing]"]
        tree = of_texts(*texts)
        for position, text in enumerate(shown):
            assert f": {text}\\n" in tree.to_graphviz(position)

    def test_a_large_neighbourhood_is_cut(self) -> None:
        tree = of_texts(*(f"a or b = {number}" for number in range(1_000)))
        leaf = tree.nodes.children.values(tree.node_of(0) or 0)[0]
        assert "more" in tree.to_graphviz(node=leaf)

    def test_wrong_arguments_are_refused(self) -> None:
        tree = of_texts("a", "true")
        for arguments in ({}, {"position": 0, "node": 0}, {"node": 99}, {"node": 5}, {"position": 1}):
            with pytest.raises(InputError):
                tree.to_graphviz(**arguments)


@every_matching
def test_normal_forms_give_the_same_node(options: dict[str, bool]) -> None:
    if options["zero_suppression"]:
        tree = GrowingTree(**options)
        original = parse("not (a = 1 and (b < 2 or c xor d))")
        tree.insert(0, original)
        tree.insert(1, push_negations(original, "unknown"))
        assert tree.node_of(0) == tree.node_of(1)
