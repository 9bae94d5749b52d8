"""Does BoP evaluate candidates only, and every candidate that can match?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.bop.engine import Bop
from eligo.engines.bop.kernels.encoded_trees import ABSENT, CONJ, DISJ, KEEPS, KEPT, LEAF, first_bad_code
from eligo.engines.scan.engine import Scan
from engine_cases import engine_of, expression_texts, matches, some_events

policies = pytest.mark.parametrize("missing", ["unknown", "false"])


@policies
@pytest.mark.parametrize("reorder", [True, False])
def test_bop_agrees_with_scan(missing: Any, reorder: bool) -> None:
    texts = expression_texts(150, seed=3)
    scan = engine_of(Scan, *texts, missing=missing)
    bop = engine_of(Bop, *texts, missing=missing, sample=some_events(20, seed=5), reorder=reorder)
    rows = some_events(40, seed=4)
    events = EventBatch.from_dicts(rows, bop.vocabulary)
    found, expected = bop.match_batch(events), scan.match_batch(events)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.positions.tolist() == expected.positions.tolist()
    again = Bop.from_arrays(bop.arrays(), bop.table, bop.vocabulary)
    assert again.match_batch(events).positions.tolist() == expected.positions.tolist()
    for row in rows[:5]:
        event = EventBatch.from_dicts([row], bop.vocabulary)
        assert bop.top(event, 5).units.tolist() == scan.top(event, 5).units.tolist()


def minima(*texts: str, missing: Any = "unknown") -> list[int]:
    engine = engine_of(Bop, *texts, missing=missing)
    assert engine.lists.free_expressions.tolist() == [
        place for place, text in enumerate(texts) if engine.lists.minima[place] == 0 and text != "false"
    ]
    found: list[int] = engine.lists.minima.tolist()
    return found


def test_an_and_adds_minima_and_an_or_takes_the_smallest() -> None:
    texts = ["a", "a and b", "a or b", "a and (b or c and d)", "(a and b and c) or (d and e)", "a and not b"]
    assert minima(*texts) == [1, 2, 1, 2, 2, 1]
    assert minima(*texts, missing="false") == [1, 2, 1, 2, 2, 1]


def test_that_an_attribute_is_there_counts_where_nothing_else_does() -> None:
    assert minima("a != 1", "a != 1 and b != 2", "a != 1 and b = 2", "a exists") == [1, 2, 1, 1]
    assert minima("a != 1", "a is missing", "a weak not in (1)", "true", "false", missing="false") == [0] * 5


def test_an_event_without_keys_meets_what_needs_none() -> None:
    for missing, expected in (("unknown", [1, 2, 3]), ("false", [0, 1, 2, 3, 5])):
        engine = engine_of(
            Bop,
            "a != 1",
            "a is missing",
            "b weak not in (2)",
            "true",
            "false",
            "not (a = 1 and b = 2)",
            missing=missing,
        )
        assert matches(engine, {}) == expected


def test_only_candidates_are_evaluated() -> None:
    engine = engine_of(Bop, *(f"a = 1 and b = {number}" for number in range(50)), "c and d")
    assert matches(engine, {"a": 1, "b": 7}) == [7]
    figures = engine.stats().details
    assert (figures["read_postings"], figures["candidates"], figures["matched"]) == (51, 1, 1)
    assert engine.stats().num_evaluations == 2


def test_every_place_of_a_predicate_counts() -> None:
    engine = engine_of(Bop, "a = 1 and (a = 1 or b = 2) and (a = 1 or c = 3)")
    assert engine.lists.minima.tolist() == [3]
    assert matches(engine, {"a": 1}) == [0]
    assert engine.stats().num_postings == 5


def test_a_predicate_that_several_values_hit_counts_once() -> None:
    engine = engine_of(Bop, "tags in ('t', 'u') and b = 1", "tags in ('t', 'u') and tags in ('t', 'v')")
    assert matches(engine, {"tags": ["t", "u"]}) == [1]
    assert matches(engine, {"tags": ["u"], "b": 1}) == [0]
    assert engine.stats().details["candidates"] == 2


def test_more_predicates_than_a_counter_counts() -> None:
    wide = [f"a{number} = 1" for number in range(600)]
    engine = engine_of(Bop, " and ".join(wide), " or ".join(wide), f"({' or '.join(wide)}) and b = 1")
    assert engine.lists.minima.tolist() == [255, 1, 2]
    values = {f"a{number}": 1 for number in range(600)}
    assert matches(engine, values) == [0, 1]
    assert matches(engine, {**values, "a599": 2, "b": 1}) == [1, 2]


def code_of(engine: Any, expression: int) -> list[int]:
    offsets = engine.trees.code_offsets
    found: list[int] = engine.trees.code[offsets[expression] : offsets[expression + 1]].tolist()
    return found


def test_long_numbers_take_more_bytes() -> None:
    texts = [f"a = {number}" for number in range(300)]
    engine = engine_of(Bop, *texts)
    assert [code_of(engine, number) for number in (0, 127, 128, 299)] == [
        [LEAF, 0],
        [LEAF, 127],
        [LEAF, 128, 1],
        [LEAF, 299 - 256 + 128, 2],
    ]
    assert matches(engine, {"a": 299}) == [299]
    usual = engine_of(Bop, *texts, *["a = 299 and b"] * 3)
    assert code_of(usual, 299) == [LEAF, 0]


def test_constants_negations_and_what_holds_when_missing() -> None:
    engine = engine_of(Bop, "true", "false", "a != 1", "a weak not in (1)", "not a strong not in (1)")
    assert code_of(engine, 0) == [CONJ, 0]
    assert code_of(engine, 1) == [DISJ, 0]
    fact, there = code_of(engine, 3)[1], code_of(engine, 2)[5]
    assert code_of(engine, 2) == [CONJ, 2, ABSENT, fact, LEAF, there]
    assert code_of(engine, 3) == [ABSENT, fact]
    assert code_of(engine, 4) == [DISJ, 2, LEAF, fact, ABSENT, there]


def test_what_xor_shares_is_written_once() -> None:
    names = [f"a{number}" for number in range(40)]
    engine = engine_of(Bop, " xor ".join(names), missing="false")
    code = code_of(engine, 0)
    assert code[0] == KEEPS and KEPT in code[2:]
    assert len(code) < 40 * len(names)
    for count in range(4):
        assert matches(engine, dict.fromkeys(names[:count], True)) == [0] * (count % 2)


@pytest.mark.parametrize(
    "code",
    [
        [],
        [LEAF],
        [LEAF, 2],
        [LEAF, 0x80],
        [LEAF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        [CONJ, 2, LEAF, 0],
        [LEAF, 0, LEAF, 1],
        [0, 0],
        [9, 0],
        [KEPT, 0],
        [KEEPS, 1, KEPT, 0, LEAF, 0],
        [KEEPS, 1, LEAF, 0],
        [CONJ, 2, LEAF, 0, KEEPS, 0, LEAF, 1],
    ],
)
def test_code_that_is_not_of_trees_is_found(code: list[int]) -> None:
    limits = np.zeros(2, np.uint32)
    good = [KEEPS, 1, CONJ, 2, LEAF, 0, ABSENT, 1, DISJ, 2, KEPT, 0, LEAF, 1]
    offsets = np.array([0, len(good), len(good) + len(code)], np.uint32)
    assert first_bad_code(offsets, np.array([*good, *code], np.uint8), 2, limits) == 1
    assert limits.tolist() == [1, 2]


def test_no_expressions_match_nothing() -> None:
    index = eligo.build({}, engine="bop")
    assert index.match({"a": 1}) == []
    assert index.match_batch([{"a": 1}, {}]).offsets.tolist() == [0, 0, 0]
