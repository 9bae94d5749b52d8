from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import eligo
from eligo.data.events.event_batch import EventBatch
from eligo.engines.scan.engine import Scan
from eligo.engines.whang.cnf import Cnf
from eligo.engines.whang.k_index import KIndex
from eligo.engines.whang.list_engine import WAYS, ListEngine, Way
from eligo.engines.whang.list_text import posting_lists, rounds
from eligo.errors import InputError, NormalFormTooLargeError
from engine_cases import encoded, engine_of, expression_texts, matches, some_events

both = pytest.mark.parametrize("kind", [KIndex, Cnf])
policies = pytest.mark.parametrize("missing", ["unknown", "false"])


@both
@policies
def test_tree_lists_and_best_agree_with_scan(kind: type[ListEngine], missing: Any) -> None:
    vocabulary, table = encoded(*expression_texts(250, seed=3), missing=missing)
    scan = Scan.build(table, vocabulary)
    events = EventBatch.from_dicts(some_events(60, seed=4), vocabulary)
    expected = scan.match_batch(events)
    for reorder in (True, False):
        engine = kind.build(table, vocabulary, reorder=reorder)
        for found in (engine.match_batch(events), engine.match_by_tree(events), engine.match_by_lists(events)):
            assert found.offsets.tolist() == expected.offsets.tolist()
            assert found.positions.tolist() == expected.positions.tolist()
        assert engine.count_batch(events).tolist() == scan.count_batch(events).tolist()
    for row in range(20):
        event = EventBatch.from_dicts(some_events(60, seed=4)[row : row + 1], vocabulary, weights={"age": 0.5})
        for n in (1, 5, 1000):
            other = scan.top(event, n)
            for one in (engine.top(event, n), engine.top_by_tree(event, n), engine.top_by_lists(event, n)):
                assert one.positions.tolist() == other.positions.tolist()
                assert one.units.tolist() == other.units.tolist()


def test_the_lists_of_the_module_docstring() -> None:
    engine = engine_of(KIndex, "age = 3 and state = 'NY'", "age = 3 and state != 'CA' or age = 4", reorder=False)
    found = {
        (posting_list.size, posting_list.key): [(entry.item, entry.annotation) for entry in posting_list.entries]
        for posting_list in posting_lists(engine)
    }
    assert found == {
        (2, "age = 3"): [(0, "∈"), (1, "∈")],
        (2, "state = 'NY'"): [(0, "∈")],
        (2, "state present"): [(1, "∈")],
        (2, "state = 'CA'"): [(1, "∉")],
        (1, "age = 4"): [(2, "∈")],
    }
    assert engine.lists.matches.tolist() == [0, 1, 1]


def test_expressions_share_equal_conjunctions() -> None:
    engine = engine_of(
        KIndex, "a = 1 and b = 2", "b = 2 and a = 1", "b = 2 and a = 1 or c", "c or c", "a = 1 and a = 1"
    )
    assert engine.stats().details["items"] == 3
    assert matches(engine, {"a": 1, "b": 2}) == [0, 1, 2, 4]


def test_a_predicate_that_two_values_hit_counts_once() -> None:
    engine = engine_of(KIndex, "tags in ('t', 'u') and b = 1", "tags in ('t', 'u') and tags in ('t', 'v')")
    assert matches(engine, {"tags": ["t", "u"]}) == [1]
    assert matches(engine, {"tags": ["u", "v"]}) == [1]
    assert matches(engine, {"tags": ["u"], "b": 1}) == [0]


@both
def test_one_key_may_hit_several_predicates_of_an_attribute(kind: type[ListEngine]) -> None:
    engine = engine_of(
        kind, "a in (1, 2) and a in (2, 3)", "a in (1, 2) and a not in (2, 3)", "a > 1 and a < 9 and a = 2"
    )
    assert [matches(engine, {"a": values}) for values in (2, [1, 3], 1, 3, [2, 50])] == [[0, 2], [0], [1], [], [0, 2]]


@both
def test_ranges_meet_at_nodes_of_segment_trees(kind: type[ListEngine]) -> None:
    texts = [f"a between {low} and {low + width}" for low in range(0, 40, 3) for width in (0, 1, 7, 30)]
    texts += [f"not ({text})" for text in texts]
    engine = engine_of(kind, *texts)
    scan = engine_of(Scan, *texts)  # type: ignore[type-var]
    for values in (5, [5, 6], [0.5, 33], [-1], [100, 12]):
        event = EventBatch.from_dicts([{"a": values}], engine.vocabulary)
        assert matches(engine, {"a": values}) == scan.match(event).tolist()
    assert engine.stats().num_postings < len(texts) * 16


def test_contradictions_are_not_indexed() -> None:
    engine = engine_of(
        KIndex, "a = 1 and not a = 1", "a in ()", "a = 1 and a is missing", "false", "a exists and a is missing"
    )
    assert engine.stats().details["items"] == 0
    assert matches(engine, {"a": 1}) == matches(engine, {}) == []


@both
def test_constants_and_conjunctions_of_size_0(kind: type[ListEngine]) -> None:
    engine = engine_of(
        kind, "true", "a is missing", "a weak not in (1)", "false", "a or true", "not a strong not in (1)"
    )
    assert matches(engine, {}) == [0, 1, 2, 4, 5]
    assert matches(engine, {"a": 1}) == [0, 4, 5]
    assert matches(engine, {"a": 2}) == [0, 2, 4]


@pytest.mark.parametrize(("kind", "form"), [(KIndex, "disjunctive"), (Cnf, "conjunctive")])
def test_a_normal_form_beyond_the_bound_is_refused(kind: type[ListEngine], form: str) -> None:
    inner, outer = (" or ", " and ") if kind is KIndex else (" and ", " or ")
    wide = outer.join(f"({f'{inner}'.join(f'a{row} = {value}' for value in range(5))})" for row in range(12))
    with pytest.raises(NormalFormTooLargeError, match=f"the {form} normal form") as raised:
        engine_of(kind, "x", wide, "y", wide)
    assert raised.value.rows == (1, 3) and "a_tree" in str(raised.value)
    small = outer.join(f"({f'{inner}'.join(f'a{row} = {value}' for value in range(5))})" for row in range(3))
    with pytest.raises(NormalFormTooLargeError):
        engine_of(kind, small, bound=300)
    assert engine_of(kind, small, bound=400).num_expressions == 1


def test_a_long_xor_of_few_predicates_stays_small() -> None:
    text = " xor ".join(["a = 1", "b = 2", "c = 3"] * 30)
    engine = engine_of(KIndex, text, missing="false")
    assert engine.stats().details["items"] <= 27
    assert matches(engine, {"a": 1, "b": 2}) == []
    assert engine.stats().details["rescored"] == 1


def test_repeated_predicates_score_as_often_as_they_stand() -> None:
    texts = {"twice": "a = 1^2 and a = 1^2", "once": "a = 1^3", "either": "a = 1^2 and (a = 1^2 or b)", "not": "b"}
    for engine in ("k_index", "cnf", "scan"):
        index = eligo.build(texts, engine=engine)
        assert index.top({"a": 1}, 4) == [("twice", 4.0), ("either", 4.0), ("once", 3.0)], engine
        assert index.top({"a": 1}, 1) == [("twice", 4.0)]


@both
@pytest.mark.parametrize("way", WAYS)
def test_the_way_that_was_asked_for_answers(kind: type[ListEngine], way: Way) -> None:
    texts = expression_texts(80, seed=8)
    engine = engine_of(kind, *texts, way=way)
    other = engine_of(kind, *texts)
    assert other.way == "tree"
    events = EventBatch.from_dicts(some_events(30, seed=2), engine.vocabulary)
    event = EventBatch.from_dicts(some_events(1, seed=2), engine.vocabulary)
    assert engine.match_batch(events).positions.tolist() == other.match_batch(events).positions.tolist()
    assert engine.count_batch(events).tolist() == other.count_batch(events).tolist()
    assert engine.match(event).tolist() == other.match(event).tolist()
    assert engine.top(event, 7).units.tolist() == other.top(event, 7).units.tolist()
    details = engine.stats().details
    assert details["way"] == way
    answered = details["answered"]
    assert sum(answered.values()) == 62  # 30 matched and 30 counted, one matched alone, one ranked
    assert answered["lists"] == (62 if way == "lists" else 0)
    assert (details["steps"] > 0) == (way == "lists")  # rounds of the walk through lists


@both
def test_a_way_can_be_changed_and_is_not_stored(kind: type[ListEngine]) -> None:
    engine = engine_of(kind, "a = 1 and b = 2", "b = 2", way="lists")
    again = kind.from_arrays(engine.arrays(), engine.table, engine.vocabulary)
    event = EventBatch.from_dicts([{"b": 2}], engine.vocabulary)
    assert again.match(event).tolist() == engine.match(event).tolist() == [1]
    engine.way = "tree"
    assert engine.match(event).tolist() == [1]
    assert again.stats().details["answered"] == {"tree": 1, "lists": 0, "heaviest_lists": 0}
    assert engine.stats().details["answered"] == {"tree": 1, "lists": 1, "heaviest_lists": 0}


def test_a_way_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="way"):
        engine_of(KIndex, "a = 1", way="trees")


def test_the_best_may_be_in_the_heaviest_lists() -> None:
    engine = engine_of(KIndex, *(f"a = {number}^{number + 1} and b = 1" for number in range(50)))
    event = EventBatch.from_dicts([{"a": 49, "b": 1}], engine.vocabulary)
    assert engine.top(event, 1).positions.tolist() == [49]
    assert engine.stats().details["answered"] == {"tree": 0, "lists": 0, "heaviest_lists": 1}


@both
@pytest.mark.parametrize("way", ["top_by_tree", "top_by_lists"])
def test_the_best_are_found_without_scoring_all(kind: type[ListEngine], way: str) -> None:
    texts = [f"a{number % 50} = 1^{(number % 50 * 7919) % 1009} and b{number} = 1" for number in range(1000)]
    engine = engine_of(kind, *texts)
    values = {f"a{number}": 1 for number in range(50)} | {f"b{number}": 1 for number in range(1000)}
    event = EventBatch.from_dicts([values], engine.vocabulary)
    every = getattr(engine, way)(event, 1000)
    assert len(every.positions) == 1000
    met = engine.stats().details["matched_items"]
    assert met >= 1000  # an item may be met again from another of its atoms
    few = getattr(engine, way)(event, 5)
    assert few.positions.tolist() == every.positions[:5].tolist()
    assert every.scores.tolist() == sorted(every.scores.tolist(), reverse=True)
    assert engine.stats().details["matched_items"] - met < 500


def test_sizes_that_cannot_reach_the_best_are_left_out() -> None:
    texts = ["a = 1^100 and b = 1^100", *(f"c{number} = 1" for number in range(50))]
    engine = engine_of(KIndex, *texts)
    event = EventBatch.from_dicts([{"a": 1, "b": 1, **{f"c{n}": 1 for n in range(50)}}], engine.vocabulary)
    assert engine.top_by_lists(event, 1).positions.tolist() == [0]
    assert engine.stats().details["matched_items"] == 1


def test_an_upper_bound_below_a_weight_is_refused() -> None:
    with pytest.raises(InputError, match="below a weight"):
        engine_of(KIndex, "a = 1^3", key_bounds=np.ones(2))


@both
def test_arrays_hold_everything_also_with_wide_entries(kind: type[ListEngine]) -> None:
    texts = expression_texts(80, seed=8)
    engine = engine_of(kind, *texts)
    events = EventBatch.from_dicts(some_events(30, seed=2), engine.vocabulary)
    expected = engine.match_batch(events)
    arrays = {name: array.copy() for name, array in engine.arrays().items()}
    arrays["entries"] = arrays["entries"].astype(np.uint64)
    again = kind.from_arrays(arrays, engine.table, engine.vocabulary)
    for found in (again.match_batch(events), again.match_by_lists(events)):
        assert found.positions.tolist() == expected.positions.tolist()
    event = EventBatch.from_dicts(some_events(1, seed=2), engine.vocabulary)
    expected_scores = engine.top(event, 7).scores.tolist()
    assert again.top(event, 7).scores.tolist() == again.top_by_lists(event, 7).scores.tolist() == expected_scores


def test_stats_count_lists_steps_and_skips() -> None:
    texts = [f"a = {number % 10} and b = {number} and c" for number in range(200)]
    engine = engine_of(KIndex, *texts, reorder=False)
    event = EventBatch.from_dicts([{"a": 3, "b": 193, "c": True}], engine.vocabulary)
    assert engine.match_by_lists(event).positions.tolist() == [193]
    stats = engine.stats()
    assert stats.num_postings == 600 and stats.details["lists"] == 211
    assert stats.details["matched_items"] == 1
    assert stats.details["steps"] <= 4  # b = 193 has one entry, so the others skip there at once
    assert stats.details["skipped_entries"] >= 200
    assert stats.num_bytes == stats.details["list_bytes"] + stats.details["tree_bytes"]
    assert stats.details["weight_bytes"] == 0  # all weights are 1


def test_rounds_show_a_walk() -> None:
    engine = engine_of(KIndex, "a = 1 and b = 1", "a = 1 and c = 1", reorder=False)
    event = EventBatch.from_dicts([{"a": 1, "c": 1}], engine.vocabulary)
    found = [standing.found for standing in rounds(engine, event, 2)]
    assert [item for item in found if item is not None] == [1]


def test_threads_share_one_index() -> None:
    index = eligo.build(list(enumerate(expression_texts(100, seed=5))), engine="k_index")
    events = some_events(40, seed=9)
    expected = [index.match(event) for event in events]
    wrong: list[int] = []

    def ask() -> None:
        wrong.extend(row for row, event in enumerate(events) if index.match(event) != expected[row])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


SCRIPT = """
import eligo

texts = {
    0: "a between 2 and 5 and b in ('x'^2, 'y', 'z', 'w')",
    1: "not (a > 3 xor vip) or b != 'x'",
    2: "tags contains all ('t', 'u') and (a = 4 or vip)",
    3: "true",
    4: "a = 1 and a = 1",
    5: "b strong not in ('x', 'y') and tags weak not in ('t')",
}
events = [
    {"a": row % 7, "b": "xyzwv"[row % 5], "vip": row % 3 == 0, "tags": ["t", "u"][: row % 3]} for row in range(40)
]
scan = eligo.build(texts, engine="scan")
for engine in ("k_index", "cnf"):
    index = eligo.build(texts, engine=engine)
    batch = index.encode(events)
    expected = scan.match_batch(events).positions.tolist()
    assert index.match_batch(events).positions.tolist() == expected
    assert index.engine.match_by_lists(batch).positions.tolist() == expected
    for event in events[:9]:
        assert index.top(event, 2) == scan.top(event, 2)
        by_lists = index.engine.top_by_lists(index.encode([event]), 2)
        assert list(zip(by_lists.positions.tolist(), by_lists.scores.tolist())) == scan.top(event, 2)
"""


def test_kernels_run_interpreted() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
