from __future__ import annotations

import numpy as np

import eligo
from eligo.engines.a_tree.engine import OWN_VALUES, ATree
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
        assert [each is not None and each.tolist() for each in found] == expected
        assert any(expected)
    # Whoever asks, it is counted.
    assert engine.stats().details["events"] == num_asked + 4 * len(all_items)


def test_an_event_that_waits_for_a_choice_is_one_for_the_engine() -> None:
    index = eligo.build({number: f"a = 1 and b < {number}" for number in range(50)}, engine="a_tree")
    engine = index.engine
    assert isinstance(engine, ATree)
    engine._levels.fewest_candidates = 0
    scratch = engine.own_scratch()
    items = np.frombuffer(index.parts[0].encoder.items({"a": 1, "b": 20}), np.uint64)
    for _ in range(2):
        scratch.items[: len(items)] = items
        assert scratch.match(len(items)) is None
    assert engine.match_items(items.tobytes()).tolist() == list(range(21, 50))
    assert index.match({"a": 1, "b": 20}) == index.matcher().match({"a": 1, "b": 20}) == list(range(21, 50))


def test_there_is_room_for_large_events() -> None:
    assert len(ATree.own_scratch(eligo.build({1: "a = 1"}, engine="a_tree").engine).items) == OWN_VALUES  # type: ignore[arg-type]
