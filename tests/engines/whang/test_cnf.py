from __future__ import annotations

from typing import Any

import pytest

from eligo.data.events.event_batch import EventBatch
from eligo.engines.whang.cnf import Cnf
from eligo.engines.whang.list_text import posting_lists
from engine_cases import engine_of, matches


def cnf_of(*texts: str, missing: Any = "false") -> Cnf:
    engine: Cnf = engine_of(Cnf, *texts, missing=missing, reorder=False)
    return engine


def lists_of(engine: Cnf) -> list[tuple[int, str, list[tuple[int, str, int | None]]]]:
    return [(found.size, found.key, [entry[:3] for entry in found.entries]) for found in posting_lists(engine)]


def test_the_lists_of_the_module_docstring() -> None:
    engine = cnf_of("(a = 1 or b = 1) and (c = 2 or a = 1)", "(a = 1 or b = 1) and c not in (1, 2)")
    assert lists_of(engine) == [
        (1, "c = 1", [(1, "∉", 1)]),
        (1, "c = 2", [(1, "∉", 1)]),
        (1, "a = 1", [(1, "∈", 0)]),
        (1, "b = 1", [(1, "∈", 0)]),
        (2, "a = 1", [(0, "∈", 0)]),
        (2, "b = 1", [(0, "∈", 0)]),
        (2, "a = 1", [(0, "∈", 1)]),
        (2, "c = 2", [(0, "∈", 1)]),
    ]


def test_an_expression_may_be_larger_than_the_event() -> None:
    engine = cnf_of("(a = 1 or b = 1) and (a = 1 or c = 1) and (d = 1 or a = 1)")
    assert engine.lists.sizes.tolist() == [3]
    assert matches(engine, {"a": 1}) == [0]


def test_duplicate_lists_of_a_key_are_filled_greedily() -> None:
    twice, once = "(a = 1 or b = 1) and (a = 1 or c = 1)", "(a = 1 or d = 1) and e = 1"
    own = [entries for _, key, entries in lists_of(cnf_of(once, twice, once + " and true", twice)) if key == "a = 1"]
    assert own == [[(0, "∈", 0), (1, "∈", 0)], [(1, "∈", 1)]]  # equal expressions are one


@pytest.mark.parametrize("missing", ["false", "unknown"])
def test_a_violated_predicate_counts_once_however_many_keys_violate_it(missing: str) -> None:
    engine = cnf_of("c not in (1, 2) or d = 1", "c not in (1, 2) or e not in (5)", missing=missing)
    both = {"c": [1, 2], "d": 0, "e": 5}
    assert matches(engine, both) == []
    assert matches(engine, {**both, "d": 1}) == [0]
    assert matches(engine, {**both, "e": 6}) == [1]
    assert matches(engine, {**both, "c": 3}) == [0, 1]
    assert matches(engine, {"d": 0}) == ([0, 1] if missing == "false" else [])


def test_a_strong_not_in_needs_its_attribute() -> None:
    engine = cnf_of("a strong not in (1) or b = 1", "a weak not in (1) or b = 1")
    assert engine.lists.sizes.tolist() == [0, 1]  # the strong one needs a key: of b, or that a is present
    assert [matches(engine, event) for event in ({}, {"a": 2}, {"a": 1}, {"a": 1, "b": 1}, {"b": 1})] == [
        [1],
        [0, 1],
        [],
        [0, 1],
        [0, 1],
    ]
    assert (1, "a present", [(0, "present", 0)]) in lists_of(engine)


def test_scores_add_disjunctions_and_take_the_best_within() -> None:
    engine = cnf_of(
        "(a in (1^2, 2^5) or b = 1^6) and c = 1^0.5",  # two values of a add up within the set
        "(a > 0^4 or b = 1) and c = 1",
        "a = 1^3 or b = 1^9 and c = 1",  # an AND within an OR: scored by its tree
        "c = 1^2 and c = 1^2",
    )
    event = EventBatch.from_dicts([{"a": [1, 2], "b": 1, "c": 1}], engine.vocabulary)
    for top in (engine.top_by_tree(event, 4), engine.top_by_lists(event, 4)):
        assert dict(zip(top.positions.tolist(), top.scores.tolist(), strict=True)) == {0: 7.5, 1: 5.0, 2: 10.0, 3: 4.0}
    assert engine.lists.rescored.tolist() == [2]
    assert engine.table.num_expressions == 1
    assert engine.top(event, 1).positions.tolist() == [2]
