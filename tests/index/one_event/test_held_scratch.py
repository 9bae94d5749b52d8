"""Is an event that is asked alone encoded once, and are its lists read as often as its engine needs?"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import eligo
from eligo.engines.a_tree.engine import ATree
from eligo.index.index import Index
from eligo.index.part import Part

NUM_EXPRESSIONS = 4_000
EVENT = {"a": 1, "b": 17, "c": 3}
MATCHES = range(18, NUM_EXPRESSIONS)
"""Each is a candidate of its own, with one entry."""


def dense_index(prefers_pass: bool) -> tuple[Index, ATree]:
    """An index of which every expression may match an event, and which answers such events one way."""
    index = eligo.build({number: f"a = 1 and b < {number} and c = 3" for number in range(NUM_EXPRESSIONS)})
    assert isinstance(index.engine, ATree)
    levels = index.engine._levels
    levels._pass_ns, levels._candidate_ns = (1.0, 1e12) if prefers_pass else (1e12, 1.0)
    return index, index.engine


def entries_read(engine: ATree, ask: Callable[[], Any]) -> int:
    """How many entries of lists are read for a question."""

    def so_far() -> float:
        details = engine.stats().details
        return float(details["entries_read_per_event"]) * details["events"]

    before = so_far()
    assert list(ask()) == list(MATCHES)
    return round(so_far() - before)


@pytest.mark.parametrize("prefers_pass", [True, False])
def test_a_dense_event_is_read_once_for_a_pass_and_twice_for_a_walk(
    prefers_pass: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, engine = dense_index(prefers_pass)
    encoded = index.encode([EVENT])
    expected = entries_read(engine, lambda: engine.match(encoded))
    assert expected == (1 if prefers_pass else 2) * len(MATCHES)
    items, text, matcher = index.parts[0].encoder.items(EVENT), json.dumps(EVENT), index.matcher()
    asks: list[Callable[[], Any]] = [
        lambda: engine.match_items(items),
        lambda: index.view().match_json(text),
        lambda: index.match(EVENT),
        lambda: index.match_json(text),
        lambda: matcher.match(EVENT),
        lambda: matcher.match_json(text),
    ]
    for number, ask in enumerate(asks):
        if number == 2:  # from here on, events lie where they are matched
            monkeypatch.setattr(Part, "match_items", None)
        assert entries_read(engine, ask) == expected
