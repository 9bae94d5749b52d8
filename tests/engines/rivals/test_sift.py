"""Does counting count predicates, and nothing twice? And what the rivals of Whang 2009 have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.rivals.fact_engine import FactEngine
from eligo.engines.rivals.propagation import Propagation
from eligo.engines.rivals.pscan import Pscan
from eligo.engines.rivals.sift import Sift
from eligo.engines.scan.engine import Scan
from eligo.errors import NormalFormTooLargeError
from engine_cases import engine_of, expression_texts, matches, some_events

rivals = pytest.mark.parametrize("kind", [Sift, Propagation, Pscan])
policies = pytest.mark.parametrize("missing", ["unknown", "false"])


@rivals
@policies
@pytest.mark.parametrize("deduplicate", [True, False])
def test_rivals_agree_with_scan(kind: type[FactEngine], missing: Any, deduplicate: bool) -> None:
    texts = expression_texts(120, seed=3)
    scan = engine_of(Scan, *texts, *texts, missing=missing)
    engine = engine_of(kind, *texts, *texts, missing=missing, deduplicate=deduplicate)
    events = EventBatch.from_dicts(some_events(40, seed=4), engine.vocabulary)
    found, expected = engine.match_batch(events), scan.match_batch(events)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.positions.tolist() == expected.positions.tolist()
    assert engine.count_batch(events).tolist() == scan.count_batch(events).tolist()
    again = kind.from_arrays(engine.arrays(), engine.table, engine.vocabulary)
    assert again.match_batch(events).positions.tolist() == expected.positions.tolist()
    for row in range(5):
        event = EventBatch.from_dicts(some_events(40, seed=4)[row : row + 1], engine.vocabulary)
        assert engine.top(event, 5).units.tolist() == scan.top(event, 5).units.tolist()
        assert engine.top(event, 5).positions.tolist() == scan.top(event, 5).positions.tolist()


@rivals
def test_equal_expressions_are_one_item_unless_they_are_kept_apart(kind: type[FactEngine]) -> None:
    texts = ["a = 1 and b = 2", "a = 1 and b = 2", "c"]
    assert engine_of(kind, *texts).stats().details["items"] == 2
    apart = engine_of(kind, *texts, deduplicate=False)
    assert apart.stats().details["items"] == 3
    assert matches(apart, {"a": 1, "b": 2}) == [0, 1]


@rivals
def test_a_fact_that_several_values_tell_is_noted_once(kind: type[FactEngine]) -> None:
    engine = engine_of(kind, "tags in ('t', 'u') and b = 1", "tags in ('t', 'u') and tags in ('t', 'v')")
    assert matches(engine, {"tags": ["t", "u"]}) == [1]
    assert matches(engine, {"tags": ["u", "v"]}) == [1]
    assert matches(engine, {"tags": ["u"], "b": 1}) == [0]


@rivals
def test_what_needs_no_key_is_always_looked_at(kind: type[FactEngine]) -> None:
    engine = engine_of(
        kind, "true", "a is missing", "a weak not in (1)", "false", "a or true", "not a strong not in (1)"
    )
    assert matches(engine, {}) == [0, 1, 2, 4, 5]
    assert matches(engine, {"a": 1}) == [0, 4, 5]
    assert matches(engine, {"a": 2}) == [0, 2, 4]


@rivals
def test_no_expressions_match_nothing(kind: type[FactEngine]) -> None:
    index = eligo.build({}, engine=kind.name)
    assert index.match({"a": 1}) == []
    assert index.match_batch([{"a": 1}, {}]).offsets.tolist() == [0, 0, 0]


@rivals
def test_a_normal_form_beyond_the_bound_is_refused(kind: type[FactEngine]) -> None:
    inner, outer = (" and ", " or ") if kind is Pscan else (" or ", " and ")
    wide = outer.join("(" + inner.join(f"a{row} = {value}" for value in range(5)) + ")" for row in range(12))
    with pytest.raises(NormalFormTooLargeError, match="normal form has more than"):
        engine_of(kind, "x", wide)


def test_counters_grow_with_conjunctions() -> None:
    wide = " and ".join(f"a{number} = 1" for number in range(300))
    engine = engine_of(Sift, wide, "a0 = 1 and not a1 = 1")
    assert engine.items.sizes.tolist() == [300, 2]  # the second one needs a0 = 1, and a1 to be present
    values = {f"a{number}": 1 for number in range(300)}
    assert matches(engine, values) == [0]
    assert matches(engine, values | {"a1": 2}) == [1]
    assert engine_of(Sift, "a = 1").items.sizes.dtype == np.uint8


def test_a_posting_is_read_for_each_true_fact_of_a_conjunction() -> None:
    engine = engine_of(Sift, *(f"a = 1 and b = {number}" for number in range(50)), "c weak not in (1) and d = 1")
    assert engine.stats().num_postings == 102
    assert matches(engine, {"a": 1, "b": 7, "c": 1}) == [7]
    assert engine.stats().details["read_postings"] == 50 + 1 + 1
