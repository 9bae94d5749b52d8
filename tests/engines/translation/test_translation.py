"""Are expressions matched through their conjunctions, and is it told apart what translating costs?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.normal_forms import conjunctions
from eligo.engines.scan.engine import Scan
from eligo.engines.translation.conjunction_expressions import conjunction_expressions
from eligo.engines.translation.engine import Translation
from eligo.errors import NormalFormTooLargeError
from engine_cases import encoded, engine_of, expression_texts, matches, some_events

policies = pytest.mark.parametrize("missing", ["unknown", "false"])


@policies
def test_translation_agrees_with_scan(missing: Any) -> None:
    texts = expression_texts(120, seed=3)
    scan = engine_of(Scan, *texts, *texts, missing=missing)
    engine = engine_of(Translation, *texts, *texts, missing=missing)
    rows = some_events(40, seed=4)
    events = EventBatch.from_dicts(rows, engine.vocabulary)
    found, expected = engine.match_batch(events), scan.match_batch(events)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.positions.tolist() == expected.positions.tolist()
    again = Translation.from_arrays(engine.arrays(), engine.table, engine.vocabulary)
    assert again.match_batch(events).positions.tolist() == expected.positions.tolist()
    for row in rows[:5]:
        event = EventBatch.from_dicts([row], engine.vocabulary)
        assert engine.top(event, 5).units.tolist() == scan.top(event, 5).units.tolist()


@policies
def test_conjunctions_are_expressions_of_their_own(missing: Any) -> None:
    """Each conjunction, matched by scanning, is one of the normal form."""
    texts = expression_texts(60, seed=9)
    vocabulary, table = encoded(*texts, missing=missing)
    items = conjunctions(table, 10_000)
    scan = Scan.build(conjunction_expressions(items, table), vocabulary)
    events = EventBatch.from_dicts(some_events(30, seed=4), vocabulary)
    found, expected = scan.match_batch(events), Scan.build(table, vocabulary).match_batch(events)
    for event in range(events.num_events):
        own = found.positions[found.offsets[event] : found.offsets[event + 1]].astype(np.int64)
        owners = {int(owner) for item in own for owner in items.matches[slice(*items.match_offsets[item : item + 2])]}
        assert sorted(owners) == expected.positions[expected.offsets[event] : expected.offsets[event + 1]].tolist()


def test_a_conjunction_of_several_expressions_is_held_once() -> None:
    engine = engine_of(Translation, "(a or b) and c", "a and c or d", "b and c")
    details = engine.stats().details
    assert (details["conjunctions"], details["conjunctions_of_expressions"]) == (3, 5)
    assert matches(engine, {"a": True, "c": True}) == [0, 1]
    assert matches(engine, {"b": True, "c": True}) == [0, 2]


def test_translating_is_told_apart_from_indexing() -> None:
    engine = engine_of(Translation, *expression_texts(50, seed=1))
    details = engine.stats().details
    assert details["base"] == "k_index"
    assert details["translation_seconds"] > 0 and details["base_seconds"] > 0 and details["translated_bytes"] > 0
    assert 0 < details["base_bytes"] < engine.stats().num_bytes
    opened = Translation.from_arrays(engine.arrays(), engine.table, engine.vocabulary)
    assert "translation_seconds" not in opened.stats().details
    assert opened.stats().num_bytes == engine.stats().num_bytes


def test_what_needs_no_key_is_matched() -> None:
    engine = engine_of(Translation, "true", "a is missing", "a weak not in (1)", "false", "a or true", "a != 1 or b")
    assert matches(engine, {}) == [0, 1, 2, 4]
    assert matches(engine, {"a": 2}) == [0, 2, 4, 5]


def test_a_normal_form_beyond_the_bound_is_refused() -> None:
    wide = " and ".join("(" + " or ".join(f"a{row} = {value}" for value in range(5)) + ")" for row in range(12))
    with pytest.raises(NormalFormTooLargeError, match="the disjunctive normal form has more than"):
        engine_of(Translation, "x", wide)
    with pytest.raises(NormalFormTooLargeError, match="expression 'wide'"):
        eligo.build({"x": "x", "wide": wide}, engine="translation")


def test_no_expressions_match_nothing() -> None:
    index = eligo.build({}, engine="translation")
    assert index.match({"a": 1}) == []
    assert index.match_batch([{"a": 1}, {}]).offsets.tolist() == [0, 0, 0]
