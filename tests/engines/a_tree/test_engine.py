from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import eligo
from eligo.engines.a_tree import freeze as freeze_module
from eligo.engines.a_tree.engine import ATree
from eligo.engines.a_tree.freeze import freeze
from eligo.engines.a_tree.kernels.event_block import BLOCK
from eligo.engines.a_tree.kernels.frozen_build import SHARED_LIST_EDGES
from eligo.engines.threads import num_threads, set_threads, share_out
from engine_cases import encoded, engine_of, expression_texts, some_events


@pytest.mark.parametrize("num_events", [1, 16, 17, BLOCK, BLOCK + 77])
def test_blocks_one_by_one_counts_and_scan_agree(num_events: int) -> None:
    texts = list(enumerate(expression_texts(300, seed=num_events)))
    index, scan = eligo.build(texts, engine="a_tree"), eligo.build(texts, engine="scan")
    assert isinstance(index.engine, ATree)
    events = index.encode(some_events(num_events, seed=1))
    expected = scan.match_batch(scan.encode(some_events(num_events, seed=1)))
    for found in (index.engine.match_one_by_one(events), index.engine.match_blocks(events)):
        assert found.offsets.tolist() == expected.offsets.tolist()
        assert found.positions.tolist() == expected.positions.tolist()
    counts = np.bincount(expected.positions, minlength=300)
    assert index.count_batch(events).tolist() == counts.tolist()
    assert scan.count_batch(some_events(num_events, seed=1)).tolist() == counts.tolist()


def test_the_tree_of_the_module_docstring() -> None:
    engine = engine_of(ATree, "a = 1 and b < 5", "a = 1 and b < 5 or c")
    assert engine.tree.node_is_and.tolist().count(1) == 1  # shared by both expressions
    assert len(engine.tree.node_is_and) == 2
    assert sorted(engine.tree.node_level.tolist()) == [2, 3]
    # Only the access child and the bare c are registered, and only the first of them has a test beside it.
    assert (len(engine.tree.list_entries) // 4, len(engine.tree.plain)) == (1, 1)


@pytest.mark.parametrize(
    ("texts", "num_nodes"),
    [
        (("a and b", "b and a"), 1),
        (("a and b or c", "c or b and a"), 2),
        (("a and b", "a or b"), 2),  # the same children under another operator
        (("a", "a", "a and a"), 2),  # a child that stands twice scores twice
        (("a = 1 and b = 4", "a = 2 and b = 3"), 2),  # 1 + 4 = 2 + 3, where ids are sums
    ],
)
def test_equal_subexpressions_are_one_node(texts: tuple[str, ...], num_nodes: int) -> None:
    assert len(engine_of(ATree, *texts).tree.node_is_and) == num_nodes


def test_constants_match_every_event_or_none() -> None:
    index = eligo.build(
        {"always": "true", "never": "false", "either": "a or true", "both": "a and false", "not": "not false"}
    )
    assert index.match({}) == ["always", "either", "not"]
    assert [index.match_batch([{}] * 40).ids(39), index.count_batch([{}] * 40).tolist()] == [
        ["always", "either", "not"],
        [40, 0, 40, 0, 40],
    ]


def test_the_access_child_is_the_rarer_one_in_a_sample() -> None:
    vocabulary, table = encoded("a = 1 and b = 2")
    for common, rare in (("a", "b"), ("b", "a")):
        events = [{common: 1 if common == "a" else 2}] * 9 + [{rare: 1 if rare == "a" else 2}]
        sample = eligo.EventBatch.from_dicts(events, vocabulary)
        entered = int(freeze(table, vocabulary, sample).children[0])
        attribute = int(table.predicates.attribute_of_predicate[int(table.literal_predicate[entered])])
        assert vocabulary.attribute_names[attribute] == rare


def test_a_literal_with_many_keys_and_targets_has_a_list_of_its_own() -> None:
    wide = "a in (" + ", ".join(str(number) for number in range(40)) + ")"
    texts = {number: f"{wide} and b = {number}" for number in range(3 * SHARED_LIST_EDGES)}
    sample_free = eligo.build({**texts, 999: wide}, engine="a_tree")
    events = [{"a": [7, 8], "b": 5}, {"a": 50, "b": 5}, {"a": 0}]
    assert [sample_free.match(event) for event in events] == [[5, 999], [], [999]]
    assert sample_free.match_batch(events * 20).ids(3) == [5, 999]


def test_threads_share_one_index() -> None:
    texts = list(enumerate(expression_texts(200, seed=5)))
    index = eligo.build(texts)
    events = some_events(60, seed=9)
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


def test_top_stops_at_the_bound_and_still_is_the_full_sort() -> None:
    texts = {number: f"a = 1^{(number * 7919) % 101} and b > {number % 5}" for number in range(400)}
    index = eligo.build(texts)
    everything = index.top({"a": 1, "b": 3}, n=400)
    assert len(everything) == 240
    for n in (1, 5, 50):
        assert index.top({"a": 1, "b": 3}, n=n) == everything[:n]


def test_many_values_of_an_attribute_reach_a_list_once() -> None:
    """Every value is in the range, and more of them than there are entries in all: they share the axis's nodes."""
    texts = {number: f"a between 0 and {200 - number}" for number in range(50)}
    texts |= {100 + number: f"a between {number} and 200 and b = 1" for number in range(50)}
    event = {"a": [value / 2 for value in range(-2, 404)], "b": 1}
    index = eligo.build(texts)
    assert isinstance(index.engine, ATree)
    tree = index.engine.tree
    assert index.match(event) == list(texts)
    details = index.stats().details
    assert details["events"] == 1
    assert 0 < details["entries_read_per_event"] <= len(tree.list_entries) // 4
    assert details["nodes_touched_per_event"] <= len(tree.list_entries) // 4 + len(tree.plain)


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("true or a = 1^3", 3.0),
        ("(true and true or b = 2^2 or true) and a = 1^4", 6.0),
        ("a = 1^5 or (true xor false)", 5.0),
        ("true or false", 0.0),
        ("true or a = 2^7", 0.0),
    ],
)
def test_what_stands_beside_true_scores(text: str, score: float, tmp_path: Path) -> None:
    index = eligo.build({0: "b = 3", 1: text})
    index.save(tmp_path / "index")
    for same in (index, eligo.open(tmp_path / "index")):
        assert same.top({"a": 1, "b": 2}) == [(1, score)]
        assert same.match({"a": 1}) == [1]
        assert same.match_batch([{"a": 1}] * 17).positions.tolist() == [1] * 17
        assert same.match({}) == ([] if "and a" in text else [1])


def test_top_may_ask_for_more_than_there_can_be() -> None:
    assert eligo.build({"x": "a"}).top({"a": True}, n=2**50) == [("x", 1.0)]


def test_stats_say_what_the_tree_holds_and_did() -> None:
    index = eligo.build({0: "a = 1 and b = 2", 1: "a = 1 and b = 2 or c = 3"})
    index.match({"a": 1, "b": 2})
    stats = index.stats()
    assert stats.num_expressions == 2 and stats.num_nodes == 5 and stats.num_bytes > 0
    assert stats.details["nodes_by_level"] == {1: {"literal": 3}, 2: {"and": 1}, 3: {"or": 1}}
    assert stats.details["sharing_by_level"] == {1: 5 / 3, 2: 2.0, 3: 1.0}
    assert stats.details["entries_read_per_event"] >= 1 and stats.details["nodes_touched_per_event"] >= 1
    assert stats.details["predicates_evaluated_per_event"] >= 1 and stats.details["events"] == 1
    assert 0 < stats.details["estimated_selectivity"]["median"] <= 1


def test_events_are_counted_whichever_way_they_go() -> None:
    engine = engine_of(ATree, *expression_texts(200, seed=5))
    events = eligo.EventBatch.from_dicts(some_events(40, seed=6), engine.vocabulary)
    ways = [engine.match_one_by_one, engine.match_sparse, engine.match_blocks, engine.bits_of_blocks]
    entries = 0.0
    for number, way in enumerate([*ways, engine.count_blocks], 1):
        assert way(events) is not None
        details = engine.stats().details
        assert details["events"] == 40 * number
        assert entries < 40 * number * details["entries_read_per_event"]
        entries = 40 * number * details["entries_read_per_event"]


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_the_answer(threads: int) -> None:
    texts = dict(enumerate(expression_texts(200, seed=5)))
    events = some_events(3 * BLOCK + 7, seed=6)
    index, scan = eligo.build(texts), eligo.build(texts, engine="scan")
    try:
        set_threads(threads)
        found, counts = index.match_batch(events), index.count_batch(events)
    finally:
        set_threads(None)
    expected = scan.match_batch(events)
    assert found.offsets.tolist() == expected.offsets.tolist()
    assert found.positions.tolist() == expected.positions.tolist()
    assert counts.tolist() == scan.count_batch(events).tolist()


def test_a_number_of_threads_is_at_least_one() -> None:
    with pytest.raises(eligo.EligoError, match="threads is a whole number, 1 or more, not 0"):
        set_threads(0)


def test_threads_are_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELIGO_THREADS", "3")
    assert num_threads() == 3
    monkeypatch.setenv("ELIGO_THREADS", "many")
    assert num_threads() >= 1


def test_an_error_in_a_thread_reaches_the_caller() -> None:
    def fail(numbers: range) -> None:
        raise RuntimeError(f"at {numbers.start}")

    try:
        set_threads(2)
        with pytest.raises(RuntimeError, match="at"):
            share_out(fail, 4)
    finally:
        set_threads(None)


def test_a_shard_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {number: f"a = {number} and b = {number}" for number in range(50)}
    monkeypatch.setattr(freeze_module, "MOST_OPERANDS", 20)
    with pytest.raises(eligo.EligoError, match="more than a shard can hold"):
        eligo.build(texts)
    monkeypatch.undo()
    monkeypatch.setattr(freeze_module, "MOST_ITEMS", 20)
    with pytest.raises(eligo.EligoError, match="several shards"):
        eligo.build(texts)
