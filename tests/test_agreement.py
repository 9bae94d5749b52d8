"""Every engine gives the oracle's answer: for any expressions and events, under both missing policies.

An engine joins by being registered. Those of Whang 2009 are asked by the paper's lists, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import eligo
import strategies
from eligo.engines import registry
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.kernels.sparse_scratch import Costs
from eligo.engines.a_tree.sparse_matcher import SparseMatcher
from eligo.engines.whang.list_engine import ListEngine
from eligo.errors import NormalFormTooLargeError
from eligo.kernels.score_units import UNITS
from eligo.language import tree as nodes
from eligo.language.evaluate import Missing, matches
from eligo.language.score import score_units
from eligo.language.tree import Expression, postorder
from eligo.ranges.list_choice import RangeLists

engines = pytest.mark.parametrize("engine", registry.names())
policies = pytest.mark.parametrize("missing", ["unknown", "false"])
expression_lists = st.lists(strategies.expressions(), max_size=8)
range_lists = st.lists(strategies.expressions() | strategies.range_expressions(), max_size=8)
event_lists = st.lists(strategies.events(), min_size=1, max_size=6)

EVERY_KIND = {
    kind
    for kind in vars(nodes).values()
    if isinstance(kind, type)
    and issubclass(kind, Expression)
    and not kind.__subclasses__()
    and kind is not nodes.Literal
}


def build(trees: Sequence[Expression], missing: Missing, engine: str, ranges: RangeLists = "auto") -> eligo.Index:
    """An index of the trees; an example whose normal form is too large for the engine does not count."""
    try:
        return eligo.build(list(enumerate(trees)), missing=missing, engine=engine, ranges=ranges)
    except NormalFormTooLargeError:
        assert not registry.get(engine).capabilities.takes_any_shape
        reject()


def check_agreement(
    engine: str,
    missing: Missing,
    trees: Sequence[Expression],
    events: Sequence[dict[str, Any]],
    ranges: RangeLists = "auto",
) -> int:
    """Compare `match` and `match_batch` with the oracle; returns how many pairs matched."""
    index = build(trees, missing, engine, ranges)
    found = index.match_batch(events)
    assert found.offsets[0] == 0 and found.offsets[-1] == len(found.positions)
    for row, event in enumerate(events):
        expected = [position for position, tree in enumerate(trees) if matches(tree, event, missing)]
        assert found.ids(row) == expected, (engine, missing, trees, event)
        assert index.match(event) == expected, (engine, missing, trees, event)
    if isinstance(index.engine, ATree):
        check_ways(index.engine, index.encode(events), found)
    if isinstance(index.engine, ListEngine):
        by_lists = index.engine.match_by_lists(index.encode(events))
        assert by_lists.offsets.tolist() == found.offsets.tolist(), (engine, missing, trees, events)
        assert by_lists.positions.tolist() == found.positions.tolist(), (engine, missing, trees, events)
    return len(found.positions)


def check_ways(engine: ATree, events: eligo.EventBatch, expected: eligo.Matches) -> None:
    """Compare the ways of the tree: alone, by masks, and list by list, whoever reads the lists."""
    together = SparseMatcher(engine.tree, engine.table, engine.vocabulary, Costs(1, 0, 0))
    alone = SparseMatcher(engine.tree, engine.table, engine.vocabulary, Costs(0, 1, 1))
    for way in (engine.match_one_by_one, engine.match_blocks, together.match, alone.match):
        found = way(events)
        assert found is not None
        assert found.offsets.tolist() == expected.offsets.tolist()
        assert found.positions.tolist() == expected.positions.tolist()


def ranked_units(
    trees: Sequence[Expression], event: dict[str, Any], missing: Missing, n: int, weights: dict[str, Any] | None = None
) -> list[tuple[int, int]]:
    """The n best by the oracle: minus the score in units, and the position."""
    units = {position: score_units(tree, event, missing, weights=weights) for position, tree in enumerate(trees)}
    return sorted((-own, position) for position, own in units.items() if own is not None)[:n]


@engines
@policies
@given(trees=expression_lists, events=event_lists)
def test_match_and_match_batch_agree_with_the_oracle(
    engine: str, missing: Missing, trees: list[Expression], events: list[dict[str, Any]]
) -> None:
    check_agreement(engine, missing, trees, events)


@engines
@pytest.mark.parametrize("ranges", ["segment_tree", "elementary"])
@given(trees=range_lists, events=event_lists, missing=strategies.policies(), n=st.integers(0, 6))
def test_whatever_lists_ranges_have_the_answer_is_the_oracles(
    engine: str,
    ranges: RangeLists,
    trees: list[Expression],
    events: list[dict[str, Any]],
    missing: Missing,
    n: int,
) -> None:
    check_agreement(engine, missing, trees, events, ranges)
    index = build(trees, missing, engine, ranges)
    (choice,) = index.stats().chosen[0]
    assert ranges == "elementary" or choice.num_elementary == 0
    for event in events:
        ranked = ranked_units(trees, event, missing, n)
        assert index.top(event, n) == [(position, -own / UNITS) for own, position in ranked]


@engines
@policies
@given(trees=st.lists(strategies.deep_expressions(), min_size=1, max_size=3), events=event_lists)
def test_deep_expressions_agree_with_the_oracle(
    engine: str, missing: Missing, trees: list[Expression], events: list[dict[str, Any]]
) -> None:
    check_agreement(engine, missing, trees, events)


@engines
@policies
@given(trees=expression_lists, event=strategies.events(), weights=strategies.event_weights(), n=st.integers(0, 10))
def test_top_is_the_full_sort_of_the_oracles_scores(
    engine: str, missing: Missing, trees: list[Expression], event: dict[str, Any], weights: dict[str, Any], n: int
) -> None:
    index = build(trees, missing, engine)
    ranked = ranked_units(trees, event, missing, n, weights)
    assert index.top(event, n, weights=weights) == [(position, -own / UNITS) for own, position in ranked]
    if isinstance(index.engine, ListEngine):
        encoded = eligo.EventBatch.from_dicts([event], index.engine.vocabulary, weights=weights)
        by_lists = index.engine.top_by_lists(encoded, n)
        assert list(zip(by_lists.units.tolist(), by_lists.positions.tolist(), strict=True)) == [
            (-own, position) for own, position in ranked
        ]


@engines
@policies
@given(trees=st.lists(strategies.expressions(), min_size=1, max_size=6), events=event_lists)
def test_a_saved_and_opened_index_answers_the_same(
    engine: str,
    missing: Missing,
    trees: list[Expression],
    events: list[dict[str, Any]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    index = build(trees, missing, engine)
    path = tmp_path_factory.mktemp("agreement") / "saved.index"
    index.save(path)
    opened = eligo.open(path)
    before, after = index.match_batch(events), opened.match_batch(events)
    assert before.offsets.tolist() == after.offsets.tolist()
    assert before.positions.tolist() == after.positions.tolist()


@pytest.mark.long
@engines
@policies
def test_a_hundred_thousand_pairs_agree_with_the_oracle(engine: str, missing: Missing) -> None:
    """At least 100,000 (expression, event) pairs, with every kind of predicate among the expressions."""
    pairs = 0
    matched = 0
    kinds: set[type[Expression]] = set()

    @settings(max_examples=500)
    @given(
        trees=st.lists(strategies.expressions(), min_size=10, max_size=20),
        events=st.lists(strategies.events(), min_size=10, max_size=20),
    )
    def run(trees: list[Expression], events: list[dict[str, Any]]) -> None:
        nonlocal pairs, matched
        matched += check_agreement(engine, missing, trees, events)
        pairs += len(trees) * len(events)
        kinds.update(type(node) for tree in trees for node in postorder(tree))

    while pairs < 100_000:
        run()
    assert matched > pairs // 100
    assert kinds >= EVERY_KIND
