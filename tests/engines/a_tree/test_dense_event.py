from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
import strategies
from a_tree_ways import with_ways
from eligo.data.events.event_batch import EventBatch
from eligo.engines.a_tree import dense_event
from eligo.engines.a_tree.engine import ATree
from eligo.engines.scan.engine import Scan
from eligo.language.evaluate import Missing, matches
from eligo.language.tree import Expression
from engine_cases import engine_of, expression_texts, some_events

policies = pytest.mark.parametrize("missing", ["unknown", "false"])
shapes = strategies.expressions() | strategies.range_expressions() | strategies.deep_expressions(40)


@policies
@given(trees=st.lists(shapes, max_size=8), events=st.lists(strategies.events(), min_size=1, max_size=6))
def test_passes_over_the_levels_agree_with_the_oracle(
    missing: Missing, trees: list[Expression], events: list[dict[str, Any]]
) -> None:
    index = eligo.build(list(enumerate([*trees, *trees])), missing=missing, engine="a_tree")
    assert isinstance(index.engine, ATree)
    with_ways(index.engine, True)
    for event in events:
        expected = [position for position, tree in enumerate([*trees, *trees]) if matches(tree, event, missing)]
        assert index.match(event) == expected, (missing, trees, event)


@policies
@pytest.mark.parametrize("passes", [(True,), (False,), (True, False), (False, False, True)])
def test_events_of_a_batch_go_different_ways(missing: Any, passes: tuple[bool, ...]) -> None:
    texts = [*expression_texts(300, seed=5), "true", "false"]
    engine, scan = engine_of(ATree, *texts, missing=missing), engine_of(Scan, *texts, missing=missing)
    ways = with_ways(engine, *passes)
    for num_events in (1, 2, 16):
        given_events = some_events(num_events, seed=num_events)
        expected = scan.match_batch(EventBatch.from_dicts(given_events, scan.vocabulary))
        found = engine.match_one_by_one(EventBatch.from_dicts(given_events, engine.vocabulary))
        np.testing.assert_array_equal(found.offsets, expected.offsets)
        np.testing.assert_array_equal(found.positions, expected.positions)
    assert len(ways.taken) >= 3  # at least one of each batch; a walk takes those along that have no more candidates


def test_few_candidates_are_walked_without_a_choice() -> None:
    engine = engine_of(ATree, *expression_texts(300, seed=5))
    ways = with_ways(engine, True)
    ways.fewest_candidates = 300
    engine.match_one_by_one(EventBatch.from_dicts(some_events(9, seed=1), engine.vocabulary))
    assert ways.taken == []
    assert "plan" not in vars(ways)  # it takes memory, and is made for the first event that needs it


def test_the_way_that_is_expected_to_be_quicker_is_taken() -> None:
    engine = engine_of(ATree, *expression_texts(300, seed=5))
    levels = engine._levels
    levels._pass_ns, levels._candidate_ns = 1_000_000.0, 100.0
    assert [levels.prefers_pass(number) for number in (900, 90_000, 9_000, 11_000)] == [False, True, False, True]


def test_both_ways_are_tried_unless_one_is_far_slower() -> None:
    engine = engine_of(ATree, *expression_texts(300, seed=5))
    levels = engine._levels
    levels._pass_ns, levels._candidate_ns = 1_000_000.0, 100.0
    tried = [number for number in range(1, 70) if levels.prefers_pass(9_000)]
    assert tried == [2, 8, 64]
    levels._num_choices = 0
    assert not any(levels.prefers_pass(900) for _ in range(70))


def test_what_a_way_costs_is_learnt_when_it_is_taken() -> None:
    engine = engine_of(ATree, *expression_texts(300, seed=5))
    events = EventBatch.from_dicts(some_events(1, seed=1), engine.vocabulary)
    ways = with_ways(engine, True, False)
    ways._pass_ns = ways._candidate_ns = 1e12
    engine.match(events)
    assert (ways._pass_ns, ways._candidate_ns) == (1e12 * 0.75, 1e12)  # much less, and bounded for one measurement
    engine.match(events)
    assert ways._candidate_ns == 1e12 * 0.75
    assert dense_event.MOST_CHANGE == 2
