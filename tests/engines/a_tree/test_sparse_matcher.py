"""Sparse blocks find what events find alone, whoever reads the lists."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import eligo
from eligo.engines.a_tree import sparse_matcher
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.kernels.frozen_build import SHARED_LIST_EDGES
from eligo.engines.a_tree.kernels.sparse_scratch import LANE_EVENTS, MOST_CELLS, NUM_ENTRIES, NUM_GROUPS, Costs
from eligo.engines.a_tree.sparse_matcher import MEASURED, SparseMatcher
from eligo.engines.protocol import MatchArrays
from engine_cases import expression_texts, some_events

TOGETHER = Costs(1, 0, 0)
ALONE = Costs(0, 1, 1)

costs = pytest.mark.parametrize("costs", [TOGETHER, MEASURED, ALONE], ids=["together", "measured", "alone"])


def tree_of(texts: list[str]) -> tuple[eligo.Index, ATree]:
    index = eligo.build(list(enumerate(texts)), engine="a_tree")
    assert isinstance(index.engine, ATree)
    return index, index.engine


def same(found: MatchArrays | None, expected: MatchArrays) -> bool:
    return (
        found is not None
        and found.offsets.tolist() == expected.offsets.tolist()
        and found.positions.tolist() == expected.positions.tolist()
    )


@costs
@pytest.mark.parametrize("num_events", [1, 3, LANE_EVENTS, LANE_EVENTS + 1, 300])
def test_sparse_blocks_agree_with_events_alone(num_events: int, costs: Costs) -> None:
    index, engine = tree_of(expression_texts(400, seed=num_events))
    events = index.encode(some_events(num_events, seed=2))
    matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary, costs)
    for _ in range(2):  # the second time with scratch that was used before
        assert same(matcher.match(events), engine.match_one_by_one(events))


@costs
def test_a_literal_that_several_keys_lead_to_is_followed_once(costs: Costs) -> None:
    values = ", ".join(str(number) for number in range(40))
    index, engine = tree_of([f"a in ({values}) and b != {number}" for number in range(3 * SHARED_LIST_EDGES)])
    assert len(engine.tree.list_offsets) - 2 > int(engine.tree.universal[0])  # there is a list to follow
    events: list[dict[str, Any]] = [{"a": [n % 40, (n + 1) % 40, 39], "b": [n % 24, 3]} for n in range(90)]
    encoded = index.encode(events)
    matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary, costs)
    assert same(matcher.match(encoded), engine.match_one_by_one(encoded))


@costs
def test_an_event_with_many_values_on_an_axis_reads_its_lists_itself(costs: Costs) -> None:
    index, engine = tree_of([f"a between {n} and {n + 3} and b < {n % 7}" for n in range(60)])
    events: list[dict[str, Any]] = [{"a": list(range(n, n + 2 * n % 30)), "b": n % 5} for n in range(40)]
    assert any(len(event["a"]) > MOST_CELLS for event in events)
    encoded = index.encode(events)
    matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary, costs)
    assert same(matcher.match(encoded), engine.match_one_by_one(encoded))


def test_costs_say_who_reads_a_list() -> None:
    index, engine = tree_of([f"a = {n % 2} and b = {n}" for n in range(400)])
    events = index.encode([{"a": n % 2, "b": n} for n in range(20)])
    read = {}
    for name, own_costs in (("together", TOGETHER), ("alone", ALONE), ("measured", MEASURED)):
        matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary, own_costs)
        kept = matcher._take(events, [0, 20])
        matcher._match_block(0, 20, sparse_matcher.noted_events(events), kept, sparse_matcher.np.zeros(20, "u8"))
        read[name] = (int(kept.sparse.counts[NUM_GROUPS]) > 0, int(kept.sparse.counts[NUM_ENTRIES]))
    assert read["together"][0] and read["together"][1] > 0
    assert read["alone"] == (True, 0)
    # The entries of b = n, one each, are not worth it; were a the access child, its two long lists would be.
    assert read["measured"][1] in (0, 400)


def test_too_many_candidates_are_said_and_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from eligo.engines.a_tree.kernels import sparse_scratch

    index, engine = tree_of([f"a = 1 and b != {n}" for n in range(200)])
    events = index.encode([{"a": 1, "b": -1}] * 50)
    monkeypatch.setattr(sparse_scratch, "MOST_CANDIDATES", 1_000)
    few = SparseMatcher(engine.tree, engine.table, engine.vocabulary, TOGETHER)
    assert few.match(events) is None
    monkeypatch.undo()
    many = SparseMatcher(engine.tree, engine.table, engine.vocabulary, TOGETHER)
    assert same(many.match(events), engine.match_one_by_one(events))
    # What was marked for the block that did not fit is not left behind.
    small = index.encode([{"a": 1, "b": 7}] * 2)
    assert same(few.match(small), engine.match_one_by_one(small))


def test_a_block_without_room_for_its_candidates_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    from eligo.engines.a_tree.kernels import sparse_scratch

    index, engine = tree_of([f"a = 1 and b != {n}" for n in range(200)])
    events = index.encode([{"a": 1, "b": n} for n in range(50)])
    monkeypatch.setattr(sparse_scratch, "MOST_CANDIDATES", 3_000)
    monkeypatch.setattr(sparse_matcher, "LEAST_HALVED", 4)
    matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary, TOGETHER)
    assert same(matcher.match(events), engine.match_one_by_one(events))
    assert len(matcher._starts(events)) > 2  # and stays so
    assert same(matcher.match(events), engine.match_one_by_one(events))


def test_blocks_are_cut_by_events_threads_and_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    index, engine = tree_of(expression_texts(60, seed=5))
    events = index.encode(some_events(500, seed=5))
    eligo.set_threads(2)
    try:
        matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary)
        assert matcher._starts(events) == [0, 250, 500]
        monkeypatch.setattr(sparse_matcher, "MOST_PAIRS", 400)
        starts = matcher._starts(events)
        pairs = matcher._pairs(events)
        assert len(starts) > 5 and starts[-1] == 500
        assert all(pairs[b] - pairs[a] <= 400 for a, b in itertools.pairwise(starts))
        assert same(matcher.match(events), engine.match_one_by_one(events))
    finally:
        eligo.set_threads(None)


def test_a_batch_without_events_or_expressions_has_no_matches() -> None:
    index, engine = tree_of(["a = 1"])
    matcher = SparseMatcher(engine.tree, engine.table, engine.vocabulary)
    assert same(matcher.match(index.encode([])), engine.match_one_by_one(index.encode([])))
