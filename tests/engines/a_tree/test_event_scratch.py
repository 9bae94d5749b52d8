from __future__ import annotations

import numpy as np
import pytest

import eligo
from a_tree_ways import with_ways
from eligo.engines.a_tree.engine import OWN_VALUES, ATree
from eligo.engines.a_tree.kernels.level_pass import pass_levels
from engine_cases import expression_texts, some_events


def test_scratch_of_callers_answers_as_the_engine_does_in_any_turn() -> None:
    index = eligo.build(list(enumerate(expression_texts(300, seed=5))), engine="a_tree")
    engine = index.engine
    assert isinstance(engine, ATree)
    first, second = engine.own_scratch(), engine.own_scratch()
    encoder = index.parts[0].encoder
    all_items = [np.frombuffer(encoder.items(event), np.uint64) for event in some_events(40, seed=6)]
    num_asked = engine.stats().details["events"]
    for own, other in zip(all_items, reversed(all_items), strict=True):
        expected = [engine.match_items(items.tobytes()).tolist() for items in (own, other)]
        first.items[: len(own)], second.items[: len(other)] = own, other
        found = [scratch.match(len(items)) for scratch, items in ((first, own), (second, other))]
        assert [each.tolist() for each in found] == expected
        assert any(expected)
    # Whoever asks, it is counted.
    assert engine.stats().details["events"] == num_asked + 4 * len(all_items)


@pytest.mark.parametrize("prefers_pass", [True, False])
def test_an_event_that_waits_is_answered_from_where_it_lies(prefers_pass: bool) -> None:
    index = eligo.build({number: f"a = 1 and b < {number}" for number in range(50)}, engine="a_tree")
    engine = index.engine
    assert isinstance(engine, ATree)
    with_ways(engine, prefers_pass)
    scratch = engine.own_scratch()
    all_items = [
        np.frombuffer(index.parts[0].encoder.items(event), np.uint64)
        for event in ({"a": 1, "b": 20}, {"a": 1, "b": [45, 30]}, {"b": 3}, {"a": 1, "b": 48})
    ]
    lowest = [20, 30, 50, 48]
    for items, low in zip(all_items, lowest, strict=True):
        scratch.items[: len(items)] = items
        assert scratch.match(len(items)).tolist() == list(range(low + 1, 50))
        assert engine.match_items(items.tobytes()).tolist() == list(range(low + 1, 50))
    assert engine.stats().details["events"] == 2 * len(all_items)


def test_a_pass_over_single_events_is_compiled_once() -> None:
    """The event of a batch and one in a scratch's room are of one type."""
    index = eligo.build({number: f"a = 1 and b < {number}" for number in range(50)}, engine="a_tree")
    engine = index.engine
    assert isinstance(engine, ATree)
    with_ways(engine, True)
    engine.match(index.encode([{"a": 1, "b": 20}]))
    compiled = getattr(pass_levels, "overloads", ())
    known = list(compiled)
    assert index.match({"a": 1, "b": 20}) == list(range(21, 50))
    assert list(compiled) == known


def test_there_is_room_for_large_events() -> None:
    assert len(ATree.own_scratch(eligo.build({1: "a = 1"}, engine="a_tree").engine).items) == OWN_VALUES  # type: ignore[arg-type]
