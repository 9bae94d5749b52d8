"""Are expressions true when their conjunctions say so? What the engines of Fontoura 2010 have in common."""

from __future__ import annotations

import random
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.fontoura import fontoura_engine
from eligo.engines.fontoura.conjunction_index import ENGINES
from eligo.engines.fontoura.conjunction_scan import ConjunctionScan
from eligo.engines.fontoura.dewey_id import DeweyId
from eligo.engines.fontoura.fontoura_engine import STEPS
from eligo.engines.fontoura.interval_id import IntervalId
from eligo.engines.fontoura.kernels.true_leaves import FEW_LEAVES, MANY_LEAVES, sort_true_leaves
from eligo.engines.parted_engine import MOST_EVENTS
from eligo.engines.scan.engine import Scan
from eligo.errors import NormalFormTooLargeError, UnknownEngineError
from eligo.language.evaluate import Missing
from eligo.language.evaluate import matches as is_satisfied
from eligo.language.text.parse import parse
from engine_cases import engine_of, matches

every_engine = pytest.mark.parametrize("kind", [DeweyId, IntervalId, ConjunctionScan])
policies = pytest.mark.parametrize("missing", ["unknown", "false"])
every_index = pytest.mark.parametrize("conjunction_index", ENGINES)

LITERALS = [
    "a = {n}",
    "b in ({n}, {m})",
    "c != {n}",
    "d weak not in ({n})",
    "e strong not in ({n}, {m})",
    "not f strong not in ({n})",
    "g is missing",
    "h exists",
    "c between {n} and {m}",
    "b not between {n} and {m}",
    "true",
    "false",
    "a in ()",
]


def literal(chance: random.Random) -> str:
    low = chance.randrange(3)
    # Few of these are constants, so that trees keep their depth.
    text = chance.choice(LITERALS if chance.random() < 0.1 else LITERALS[:10])
    return text.format(n=low, m=low + chance.randrange(2))


def tree_text(chance: random.Random, depth: int, is_and: bool) -> str:
    """A tree of that depth at least on one way, with children as Fontoura 2010 draws them."""
    if depth == 0:
        return "(" + " and ".join(literal(chance) for _ in range(chance.choice((1, 1, 2, 3)))) + ")"
    size = chance.choices((1, 2, 3, 4), (0.05, 0.7, 0.2, 0.05))[0]
    deepest = chance.randrange(size)
    children = [
        tree_text(chance, depth - 1 if child == deepest else chance.randrange(min(depth, 3)), not is_and)
        for child in range(size)
    ]
    return ("(" + (" and " if is_and else " or ").join(children) + ")") if size > 1 else children[0]


def some_event(chance: random.Random) -> dict[str, Any]:
    values = (None, 0, 1, 2, 3, [0, 1], [1, 2], [0, 2])
    return {name: chance.choice(values) for name in "abcdefgh"}


def check_agreement(
    kind: type[Any], missing: Missing, texts: list[str], events: list[dict[str, Any]], **options: Any
) -> int:
    engine, scan = engine_of(kind, *texts, missing=missing, **options), engine_of(Scan, *texts, missing=missing)
    batch = EventBatch.from_dicts(events, engine.vocabulary)
    found, expected = engine.match_batch(batch), scan.match_batch(batch)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.positions.tolist() == expected.positions.tolist()
    again = kind.from_arrays(engine.arrays(), engine.table, engine.vocabulary)
    assert again.match_batch(batch).positions.tolist() == expected.positions.tolist()
    problems = kind.problems(engine.arrays(), engine.table, engine.vocabulary, len(texts), deep=True)
    assert list(problems) == []
    return len(expected.positions)


@every_engine
@policies
@pytest.mark.parametrize("depth", range(1, 10))
def test_trees_of_every_depth_agree_with_a_scan(kind: type[Any], missing: Missing, depth: int) -> None:
    chance = random.Random(depth)
    texts = [tree_text(chance, depth, is_and=chance.random() < 0.5) for _ in range(30)]
    num_matches = check_agreement(kind, missing, texts, [some_event(chance) for _ in range(40)])
    assert 100 < num_matches < 1_150


@every_engine
@policies
@given(seed=st.integers(0, 2**32), depth=st.integers(1, 9))
def test_any_trees_agree_with_the_oracle(kind: type[Any], missing: Missing, seed: int, depth: int) -> None:
    chance = random.Random(seed)
    texts = [tree_text(chance, depth, is_and=chance.random() < 0.5) for _ in range(3)]
    events = [some_event(chance) for _ in range(4)]
    engine = engine_of(kind, *texts, missing=missing)
    found = engine.match_batch(EventBatch.from_dicts(events, engine.vocabulary))
    expected = [[is_satisfied(parse(text), event, missing) for text in texts] for event in events]
    assert [
        [position in found.positions[found.offsets[row] : found.offsets[row + 1]].tolist() for position in range(3)]
        for row in range(4)
    ] == expected


@every_engine
@every_index
@policies
def test_any_index_of_conjunctions_will_do(kind: type[Any], conjunction_index: str, missing: Missing) -> None:
    chance = random.Random(11)
    texts = [tree_text(chance, 3, is_and=True) for _ in range(40)]
    events = [some_event(chance) for _ in range(30)]
    assert check_agreement(kind, missing, texts, events, conjunction_index=conjunction_index) > 0
    assert engine_of(kind, *texts, conjunction_index=conjunction_index).index.engine.name == conjunction_index


@every_engine
def test_an_engine_that_matches_no_conjunctions_is_refused(kind: type[Any]) -> None:
    with pytest.raises(UnknownEngineError, match="'cnf' does not match conjunctions"):
        engine_of(kind, "a", conjunction_index="cnf")


@every_engine
def test_equal_conjunctions_are_one(kind: type[Any]) -> None:
    engine = engine_of(kind, "a = 1 and b = 2", "b = 2 and a = 1 or c", "d and (c or b = 2 and a = 1)", "c")
    details = engine.stats().details
    assert (details["conjunctions"], details["leaves"]) == (3, 7)
    assert matches(engine, {"a": 1, "b": 2}) == [0, 1]
    assert matches(engine, {"c": True}) == [1, 3]
    assert matches(engine, {"d": True, "c": True}) == [1, 2, 3]


@every_engine
@policies
def test_what_is_true_without_a_hit(kind: type[Any], missing: Missing) -> None:
    texts = [
        "a weak not in (1)",
        "a weak not in (1) and (b weak not in (1) or c = 1)",
        "true",
        "not (a = 1 and b = 1)",
        "a is missing and (b is missing or c is missing)",
        "false or false",
        "not a strong not in (1) and not b strong not in (1)",
    ]
    check_agreement(
        kind, missing, texts, [{}, {"a": 1}, {"a": 2}, {"a": 1, "b": 1}, {"b": 1, "c": 1}, {"a": 2, "b": 2}]
    )
    assert matches(engine_of(kind, *texts, missing="false"), {}) == [0, 1, 2, 3, 4, 6]
    assert matches(engine_of(kind, *texts, missing="unknown"), {}) == [0, 1, 2, 4, 6]


@every_engine
def test_matching_does_not_read_the_nodes_of_expressions(kind: type[Any]) -> None:
    chance = random.Random(5)
    engine = engine_of(kind, *(tree_text(chance, 3, is_and=False) for _ in range(20)))
    events = EventBatch.from_dicts([some_event(chance) for _ in range(20)], engine.vocabulary)
    expected = engine.match_batch(events).positions.tolist()
    engine.table = engine.table.literals_only()
    assert engine.match_batch(events).positions.tolist() == expected
    assert len(expected) > 0


@every_engine
def test_no_expressions_match_nothing(kind: type[Any]) -> None:
    index = eligo.build({}, engine=kind.name)
    assert index.match({"a": 1}) == []
    assert index.match_batch([{"a": 1}, {}]).offsets.tolist() == [0, 0, 0]


@every_engine
def test_more_events_than_are_taken_at_a_time(kind: type[Any]) -> None:
    index = eligo.build({"x": "a = 1 and (b = 2 or c)", "y": "a = 2"}, engine=kind.name)
    events = [{"a": row % 3, "b": 2} for row in range(2 * MOST_EVENTS + 7)]
    found = index.match_batch(events)
    assert [found.ids(row) for row in range(len(events))] == [[[], ["x"], ["y"]][row % 3] for row in range(len(events))]
    assert index.count_batch(events).tolist() == [len(events) // 3, len(events) // 3]
    assert index.match_batch([]).offsets.tolist() == [0]


@every_engine
def test_what_is_shared_is_written_out_within_a_bound(kind: type[Any]) -> None:
    shared = " xor ".join(f"a{number} = 1" for number in range(20))
    with pytest.raises(
        NormalFormTooLargeError, match="a tree in which nothing is shared has more than 10,000"
    ) as raised:
        engine_of(kind, "x", shared)
    assert raised.value.rows == (1,)
    wide = " or ".join(f"a{number} = 1" for number in range(20_000))  # nothing is shared in it
    assert matches(engine_of(kind, wide), {"a19999": 1}) == [0]


@every_engine
def test_what_was_done_is_counted_and_timed_when_asked(kind: type[Any]) -> None:
    engine = engine_of(kind, "a = 1 and (b = 1 or c = 1)", "a = 1 or d = 1", "d = 1 or e = 1")
    assert matches(engine, {"a": 1, "c": 1}) == [0, 1]
    details = engine.stats().details
    assert "seconds" not in details
    counted = ("events", "matched_conjunctions", "sorted_leaves", "touched_expressions")
    assert [details[name] for name in counted] == [1, 2, 3, 2]
    engine.is_timed = True
    matches(engine, {"a": 1})
    seconds = engine.stats().details["seconds"]
    assert tuple(seconds) == STEPS
    assert all(taken > 0 for taken in seconds.values())


@every_engine
def test_the_times_of_the_steps_make_up_the_whole(kind: type[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    engine = engine_of(kind, *(tree_text(chance, 3, is_and=True) for _ in range(30)))
    batch = EventBatch.from_dicts([some_event(chance) for _ in range(10)], engine.vocabulary)
    expected = engine.match_batch(batch)
    readings = count()
    monkeypatch.setattr(fontoura_engine, "thread_time", lambda: 1.0 + next(readings))
    engine.is_timed = True
    found = engine.match_batch(batch)
    seconds = engine.stats().details["seconds"]
    assert found.positions.tolist() == expected.positions.tolist()
    assert all(taken >= 1 for taken in seconds.values())
    assert sum(seconds.values()) == next(readings) - 1  # from the first reading to the last


@every_engine
def test_the_steps_one_by_one_are_a_match(kind: type[Any]) -> None:
    """Conjunctions, the leaves that they are, sorted, then evaluated: as the paper's Figure 1 has it."""
    chance = random.Random(8)
    engine = engine_of(kind, *(tree_text(chance, 4, is_and=False) for _ in range(30)))
    batch = EventBatch.from_dicts([some_event(chance) for _ in range(10)], engine.vocabulary)
    expected = engine.match_batch(batch)
    offsets, conjunctions = engine.index.match_part(batch)
    rows = [
        [
            leaf
            for conjunction in conjunctions[offsets[event] : offsets[event + 1]]
            for leaf in engine.annotations.leaves[
                slice(*engine.annotations.leaf_offsets[conjunction : conjunction + 2])
            ]
        ]
        for event in range(10)
    ]
    true_offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    scratch, lengths = engine._take_scratch(int(true_offsets[-1])), np.zeros(10, np.int64)
    scratch.true_leaves[: true_offsets[-1]] = [leaf for row in rows for leaf in sorted(row)]
    num_found = engine._evaluate(0, batch, true_offsets, lengths, scratch)
    assert scratch.positions[:num_found].tolist() == expected.positions.tolist()
    assert lengths.tolist() == np.diff(expected.offsets).tolist()


def test_labels_are_as_wide_as_they_must_be() -> None:
    def deep(depth: int) -> str:
        text = "x = 1"
        for level in range(depth):
            text = f"(a{level} = 1 {'and' if level % 2 else 'or'} {text})"
        return text

    assert engine_of(DeweyId, deep(5)).labels.label_words.dtype == np.uint32
    assert engine_of(DeweyId, deep(16)).labels.label_words.dtype == np.uint64
    long = engine_of(DeweyId, deep(200), "a0 = 1", deep(5))
    assert int(np.diff(long.labels.label_offsets).max()) > 4
    holding = {f"a{level}": 1 for level in range(1, 200, 2)}
    assert matches(long, {**holding, "a0": 1}) == [0, 1, 2]
    assert matches(long, {**holding, "x": 1}) == [0, 2]
    assert matches(long, {name: value for name, value in holding.items() if name != "a9"} | {"x": 1}) == [2]
    assert engine_of(IntervalId, deep(200)).labels.label_end.dtype == np.uint16
    wide = engine_of(IntervalId, " or ".join(f"a={number}" for number in range(70_000)), bound=10)
    assert wide.labels.label_end.dtype == np.uint32
    assert matches(wide, {"a": 69_999}) == [0]


@pytest.mark.parametrize("count", [0, 1, FEW_LEAVES, FEW_LEAVES + 1, 500, MANY_LEAVES, 3 * MANY_LEAVES])
@pytest.mark.parametrize("num_bits", [3, 8, 9, 21, 24, 32])
def test_hits_are_sorted(count: int, num_bits: int) -> None:
    chance = np.random.default_rng(count)
    rows = [chance.integers(0, 1 << num_bits, size).astype(np.uint32) for size in (7, count, 40)]
    hits = np.concatenate(rows)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    sort_true_leaves(offsets, 3, num_bits, hits, np.empty_like(hits), np.zeros(1 << 11, np.int64))
    assert hits.tolist() == [hit for row in rows for hit in sorted(row.tolist())]


def test_numbers_of_expressions_begin_anew_when_they_are_used_up() -> None:
    engine = engine_of(IntervalId, "a = 1 and (b = 1 or c = 1)", "a = 1 or b = 1", "c = 1 and (b = 1 or a = 1)")
    events = EventBatch.from_dicts([{"a": 1, "b": 1}, {"a": 1}, {"c": 1}, {"c": 1, "b": 1}], engine.vocabulary)
    expected = engine.match_batch(events).positions.tolist()
    scratch = engine._take_scratch(10)
    for before_the_end in range(12):
        scratch.state.last_stamp[0] = 0xFFFFFFFF - before_the_end
        engine._scratch.give(scratch)
        assert engine.match_batch(events).positions.tolist() == expected
