"""Does a conjunction lie in the cluster of its most selective predicate, and is only that cluster read?"""

from __future__ import annotations

from eligo.engines.rivals.propagation import Propagation
from engine_cases import engine_of, matches

TEXTS = [f"a = 1 and b = {number}" for number in range(20)]


def test_without_a_sample_what_is_asked_for_often_is_taken_to_be_frequent() -> None:
    engine = engine_of(Propagation, *TEXTS)
    assert matches(engine, {"a": 1, "b": 3}) == [3]
    assert engine.stats().details["read_postings"] == 1  # the cluster of b = 3


def test_a_sample_of_events_decides() -> None:
    rare = [{"a": 2, "b": number % 20} for number in range(100)]
    engine = engine_of(Propagation, *TEXTS, sample=rare)
    assert matches(engine, {"a": 2, "b": 3}) == []
    assert engine.stats().details["read_postings"] == 0  # all are in the cluster of a = 1
    assert matches(engine, {"a": 1, "b": 3}) == [3]
    assert engine.stats().details["read_postings"] == 20


def test_a_negation_gives_no_access_and_has_its_bit() -> None:
    engine = engine_of(Propagation, "a = 1 and b weak not in (2)", "b weak not in (2)")
    clusters = engine.items
    num_facts = len(engine.keys.fact_predicates)
    always = clusters.cluster_offsets[num_facts : num_facts + 2].tolist()
    assert always[1] - always[0] == 1
    assert (clusters.references & 1).tolist() == [1, 1]
    assert [matches(engine, event) for event in ({"a": 1}, {"a": 1, "b": 2}, {}, {"b": 2})] == [[0, 1], [], [1], []]


def test_groups_of_a_cluster_have_one_width() -> None:
    texts = ("a = 1", "a = 1 and b = 1", "a = 1 and b = 1 and c = 1", "a = 1 and b = 1 and c = 1 and d = 1")
    engine = engine_of(Propagation, *texts, sample=[{"b": 1, "c": 1, "d": 1}])
    assert engine.items.group_width.tolist() == [0, 1, 2, 3]
    assert engine.items.group_first.tolist() == [0, 1, 2, 3, 4]
    assert len(engine.items.references) == 6
    assert matches(engine, {"a": 1, "b": 1, "c": 1}) == [0, 1, 2]
    assert matches(engine, {"a": 1, "b": 1, "c": 1, "d": 1}) == [0, 1, 2, 3]


def test_tests_end_with_the_first_that_fails() -> None:
    text = " and ".join(["a = 1", *(f"b{number} = 1" for number in range(9))])
    engine = engine_of(Propagation, text, sample=[{f"b{number}": 1 for number in range(9)}])
    assert matches(engine, {"a": 1}) == []
    assert engine.stats().num_evaluations == 1
