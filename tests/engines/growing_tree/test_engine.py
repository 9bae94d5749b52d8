"""Whatever is done to a growing tree, it equals the oracle, and a tree built fresh from what is left."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import strategies
from document_examples import python_blocks, run_block
from eligo.data.schema.hierarchy import Hierarchy
from eligo.engines.growing_tree.engine import GrowingTree
from eligo.errors import EventError, InputError, UnknownIdError
from eligo.language.evaluate import Missing, matches
from eligo.language.rewrites.push_negations import push_negations
from eligo.language.text.parse import parse
from eligo.language.tree import And, ContainsAll, Equals, Expression, In, Literal, Not, Or, Xnor, Xor
from growing_cases import MATCHING, expected, grown_from, of_texts

OPTIONS = ("share", "reorganise", "self_adjust", "zero_suppression", "propagation_on_demand")
COMBINATIONS = [dict(zip(OPTIONS, values, strict=True)) for values in itertools.product((True, False), repeat=5)]


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
        tree._last.signature = 2**32 - 2
        for event, found in (({"a": True, "b": True}, [0]), ({"b": True}, []), ({"a": True, "c": False}, [1])):
            assert tree.match(event).tolist() == found


@pytest.mark.parametrize("on_demand", [True, False])
def test_normal_forms_give_the_same_node(on_demand: bool) -> None:
    tree = GrowingTree(propagation_on_demand=on_demand)
    original = parse("not (a = 1 and (b < 2 or c xor d))")
    tree.insert(0, original)
    tree.insert(1, push_negations(original, "unknown"))
    assert tree.node_of(0) == tree.node_of(1)


@every_matching
def test_very_deep_expressions(options: dict[str, bool]) -> None:
    deep: Expression = parse("a")
    for depth in range(2_000):
        deep = (And if depth % 2 else Or)((deep, parse(f"b = {depth}"))) if depth % 3 else Not(deep)
    tree = GrowingTree(**options)
    tree.insert(0, deep)
    tree.insert(1, Not(deep))
    for event in ({"a": True, "b": 5}, {"a": False, "b": 1_999}, {"a": True}, {}):
        assert tree.match(event).tolist() == expected({0: deep, 1: Not(deep)}, event)
    tree.delete(0)
    tree.delete(1)
    assert num_nodes(tree) == 0


def test_a_doubled_xor_is_not_written_out() -> None:
    doubled: Expression = Xor((parse("a"), parse("b")))
    for _ in range(60):
        doubled = Xor((doubled, doubled))
    for options in MATCHING:
        tree = grown_from({0: doubled, 1: Not(doubled)}, **options)
        tree.check()
        assert tree.match({"a": True, "b": False}).tolist() == [1]
        assert tree.match({"a": True}).tolist() == []


def test_threads_may_share_a_tree() -> None:
    tree = of_texts(*(f"a = {number} or b = {number}" for number in range(20)))
    wrong: list[Any] = []

    def match_and_update(first: int) -> None:
        for step in range(200):
            value = (first + step) % 20
            if tree.match({"a": value}).tolist() != [value]:
                wrong.append(value)
            tree.insert(100 + first, parse(f"c = {step}"))

    threads = [threading.Thread(target=match_and_update, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    tree.check()


def test_the_examples_of_the_document() -> None:
    document = Path(__file__).parents[3] / "docs" / "a-tree.md"
    assert sum(map(run_block, python_blocks(document))) == 3


def test_a_tree_whose_change_was_broken_off_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = of_texts("a = 1", "a = 1 and b = 2")

    def fail(*_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patched, pytest.raises(MemoryError):
        patched.setattr(tree.nodes, "attach", fail)
        tree.insert(2, parse("b = 2 or c = 3"))
    for ask in (lambda: tree.match({"a": 1}), lambda: tree.insert(3, parse("a")), lambda: tree.delete(0)):
        with pytest.raises(InputError, match="broken off"):
            ask()


def test_a_copy_goes_its_own_way() -> None:
    texts = ["a = 1 and b = 2", "s starts with 'x' or n < 4", "p under 'u/v'", "not m = 1", "s > 'q'"]
    tree = of_texts(*texts)
    twin = tree.copy()
    events = [{"a": 1, "b": 2, "n": 3}, {"s": "xy", "p": "u/v/w", "m": 2}, {"s": "z"}]
    before = [tree.match(event).tolist() for event in events]
    for position in range(4):
        twin.delete(position)
    twin.insert(7, parse("a = 1 or n < 9"))
    assert [tree.match(event).tolist() for event in events] == before
    assert [twin.match(event).tolist() for event in events] == [[7], [4], [4]]
    tree.check()
    twin.check()
