"""Does an index stay right while it changes? Single updates, their errors, and what they leave on disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import eligo
from eligo import col
from eligo.engines import registry
from eligo.errors import (
    DuplicateIdError,
    EventError,
    ExpressionSyntaxError,
    InputError,
    LimitError,
    NormalFormTooLargeError,
    SchemaMismatchError,
    StorageError,
    UnknownIdError,
)
from eligo.index.index import FEW_EVENTS
from eligo.index.live import due_merge
from eligo.index.live.live_merge import MOST_DELTAS
from eligo.language.limits import Limits
from eligo.language.text.parse import parse

ADS = {"ad-1": "age in (3, 4) and state != 'CA'", "ad-2": "age >= 4^2 or vip", "ad-3": "interests = 'golf'"}
EVENT = {"age": 4, "state": "NY", "interests": ["golf", "chess"]}
engines = pytest.mark.parametrize("engine", registry.names())


@pytest.fixture
def index() -> eligo.Index:
    return eligo.build(ADS)


def batch_ids(index: eligo.Index, events: Any, **options: Any) -> list[list[Any]]:
    matches = index.match_batch(events, **options)
    return [matches.ids(row) for row in range(len(matches))]


@engines
def test_what_is_inserted_matches_and_what_is_deleted_does_not(engine: str) -> None:
    index = eligo.build(ADS, engine=engine)
    index.insert("ad-4", "state = 'NY'")
    assert index.match(EVENT) == ["ad-1", "ad-2", "ad-3", "ad-4"] == batch_ids(index, [EVENT])[0]
    index.delete("ad-2")
    index.delete("ad-4")
    assert index.match(EVENT) == ["ad-1", "ad-3"] == batch_ids(index, [EVENT])[0]
    assert len(index) == 2 and index.ids == ["ad-1", "ad-3"]
    assert "ad-1" in index and "ad-2" not in index and "ad-4" not in index


def test_a_replaced_id_moves_to_the_end(index: eligo.Index) -> None:
    index.replace("ad-1", "age > 1")
    assert index.match(EVENT) == ["ad-2", "ad-3", "ad-1"] == index.ids
    index.replace("ad-2", "vip")
    index.replace("ad-1", "age > 2")
    assert index.ids == ["ad-3", "ad-2", "ad-1"] and index.match(EVENT) == ["ad-3", "ad-1"]
    assert index.text("ad-1") == "age > 2" and index.tree("ad-1") == parse("age > 2")
    index.replace("new", "age > 3")
    assert index.match(EVENT) == ["ad-3", "ad-1", "new"]


def test_expressions_come_in_every_form(index: eligo.Index) -> None:
    index.insert("tree", parse("age > 1"))
    index.insert("json", {"attribute": "age", "operator": "=", "value": 4})
    index.insert("builder", col("age") >= 4)
    index.insert("column", col("vip"))
    assert index.match({"age": 4, "vip": True}) == ["ad-2", "tree", "json", "builder", "column"]
    assert index.text("json") == "age = 4"


def test_an_update_that_cannot_be_changes_nothing(index: eligo.Index) -> None:
    with pytest.raises(DuplicateIdError, match=r"'ad-1' already(.|\n)*replace"):
        index.insert("ad-1", "a = 1")
    for id in ("ad-9", 1, True):
        with pytest.raises((UnknownIdError, InputError)):
            index.delete(id)
    with pytest.raises(ExpressionSyntaxError, match="column 5"):
        index.replace("ad-1", "a = ")
    with pytest.raises(InputError, match="type str, and 7 is not"):
        index.insert(7, "a")
    with pytest.raises(InputError, match="a string or an int"):
        index.insert(None, "a")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Unicode"):
        index.insert("\ud800", "a")
    assert index.ids == list(ADS) and index.match(EVENT) == list(ADS)


def test_limits_and_schema_hold_for_what_is_inserted() -> None:
    index = eligo.build({}, schema={"age": "int", "day": "date"}, limits=Limits(depth=5))
    with pytest.raises(LimitError):
        index.insert(1, "not " * 9 + "age = 1")
    with pytest.raises(SchemaMismatchError, match="age"):
        index.insert(1, "age = 'x'")
    index.insert(1, "day >= date '2024-01-01'")
    assert index.match({"day": "2024-02-01"}) == [1] == batch_ids(index, [{"day": "2024-02-01"}])[0]
    with pytest.raises(EventError, match="age"):
        index.match({"age": "old"})


def test_a_taxonomy_decides_under_for_what_is_inserted() -> None:
    tree = eligo.Hierarchy.from_edges([("NFL", "Sports"), ("Patriots", "NFL")])
    index = eligo.build({}, hierarchies={"page": tree})
    index.insert("x", "page under 'Sports'^3")
    for _ in range(2):
        assert index.match({"page": "Patriots"}) == ["x"] == batch_ids(index, [{"page": "Patriots"}])[0]
        assert index.top({"page": "Patriots"}) == [("x", 3.0)]
        assert index.match({"page": "Sports/NFL"}) == []
        index.merge()


def test_what_an_engine_cannot_freeze_is_refused_when_it_comes() -> None:
    index = eligo.build({1: "a0 = 1"}, engine="k_index")
    with pytest.raises(NormalFormTooLargeError):
        index.insert(2, " and ".join(f"(a{number} = 1 or b{number} = 2)" for number in range(25)))
    index.insert(2, "a0 = 1 or b0 = 1")
    assert index.match({"a0": 1}) == [1, 2] == batch_ids(index, [{"a0": 1}])[0]


@pytest.mark.parametrize("engine", ["k_index", "cnf", "sift", "pscan", "propagation"])
def test_what_is_refused_is_told_as_a_build_would_and_no_engine_is_built(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(normal_form=50)
    forms = ((" and ", " or "), (" or ", " and "))
    texts = {outer: outer.join(f"(a{n} = 1{inner}b{n} = 2)" for n in range(6)) for outer, inner in forms}
    index = eligo.build({"a": "a0 = 1"}, engine=engine, limits=limits)
    told = {}
    for form, text in texts.items():
        try:
            eligo.build({"wide": text}, engine=engine, limits=limits)
        except NormalFormTooLargeError as error:
            told[form] = str(error)
    assert len(told) == 1
    monkeypatch.setattr(registry, "build", lambda *given, **options: pytest.fail("an engine is built"))
    for form, text in texts.items():
        if form in told:
            with pytest.raises(NormalFormTooLargeError) as caught:
                index.insert("wide", text)
            assert str(caught.value) == told[form]
        else:
            index.insert("wide", text)
    assert index.match({f"{letter}{n}": value for n in range(6) for letter, value in (("a", 1), ("b", 2))}) == [
        "a",
        "wide",
    ]


@pytest.mark.parametrize("missing", ["unknown", "false"])
def test_the_policy_holds_for_what_is_inserted(missing: Any) -> None:
    index = eligo.build({"a": "x != 1"}, missing=missing)
    index.insert("b", "not y = 1")
    assert index.match({}) == batch_ids(index, [{}])[0] == (["a", "b"] if missing == "false" else [])


@pytest.mark.parametrize(("first", "second"), [(1, 2), ("a", "b")])
def test_an_empty_index_takes_either_kind_of_id(first: Any, second: Any, tmp_path: Path) -> None:
    index = eligo.build({})
    index.insert(first, "x")
    index.insert(second, "x and y")
    index.save(tmp_path / "i")
    for one in (index, eligo.open(tmp_path / "i")):
        assert one.match({"x": True, "y": True}) == [first, second] == one.ids_array().to_pylist()
    index.merge()
    assert index.match({"x": True}) == [first]


def test_attributes_that_no_expression_names_are_not_read(index: eligo.Index) -> None:
    index.insert("new", "age = 5")
    assert index.match({"unheard_of": object(), "age": 5}) == ["ad-2", "new"]
    with pytest.raises(EventError, match="mapping"):
        index.match(17)  # type: ignore[arg-type]
    assert index.view().attribute_names == ("age", "interests", "state", "vip")


def test_batches_take_every_source_of_events_after_changes(index: eligo.Index) -> None:
    index.delete("ad-3")
    index.insert("new", "state = 'NY' or age = 3")
    rows = [{"event_id": 1, "age": 4, "state": "NY"}, {"event_id": 2, "age": 3, "state": None}]
    expected = [["ad-1", "ad-2", "new"], ["new"]]
    table = pa.Table.from_pylist(rows)

    def encode(vocabulary: Any) -> eligo.EventBatch:
        return eligo.EventBatch.from_dicts(rows, vocabulary)

    for events in (rows, iter(rows), table, table.to_batches()[0], pd.DataFrame(rows), encode):
        assert batch_ids(index, events, exclude=["event_id"]) == expected
    assert index.count_batch(rows).tolist() == [1, 1, 2]
    assert batch_ids(index, [rows[1]] * 40) == [["new"]] * 40


def test_few_events_and_many_give_the_same(index: eligo.Index) -> None:
    index.insert("x", "age = 4")
    index.insert("y", "age = 4")
    index.delete("ad-2")
    index.delete("x")
    index.insert("z", "state = 'NY'")
    events = [EVENT, {}, {"age": 4}]
    few = index.match_batch(events)
    assert not index._live.has_view
    many = index.match_batch(events * FEW_EVENTS)
    assert index._live.has_view
    assert few.positions.tolist() == many.positions[: len(few.positions)].tolist() == [0, 1, 2, 3, 2]
    assert few.all_ids.equals(many.all_ids) and few.ids(0) == ["ad-1", "ad-3", "y", "z"]
    with pytest.raises(EventError, match="mapping"):
        index.insert("again", "vip")
        index.match_batch([17])


def test_encoded_events_are_for_an_index_of_one_vocabulary(index: eligo.Index) -> None:
    encoded = index.encode([EVENT])
    index.delete("ad-2")
    assert batch_ids(index, encoded) == [["ad-1", "ad-3"]]
    with pytest.raises(InputError, match="weights already"):
        index.top_batch(encoded, weights={"age": 2.0})
    index.insert("ad-2", "age = 4")
    for call in (index.match_batch, index.count_batch, index.top_batch, index.encode):
        with pytest.raises(InputError, match="merge"):
            call(encoded)
    index.merge()
    assert batch_ids(index, index.encode([EVENT])) == [["ad-1", "ad-3", "ad-2"]]


@engines
def test_top_is_exact_over_parts_and_tail(engine: str, tmp_path: Path) -> None:
    index = eligo.build({number: f"a = 1^{number % 7}" for number in range(200)}, engine=engine)
    for number in range(0, 200, 2):
        index.delete(number)
    index.save(tmp_path / "i")
    index = eligo.open(tmp_path / "i")
    for number in range(0, 40, 4):
        index.insert(number, f"a = 1^{number % 7}")
    ranked = sorted(index.ids, key=lambda id: -(int(id) % 7))
    event = {"a": 1}
    for n in (0, 1, 5, 30, 500):
        expected = [(id, float(int(id) % 7)) for id in ranked[:n]]
        assert index.top(event, n) == expected
        found = index.top_batch([{}, event], n)
        assert found.scored_ids(0) == [] and found.scored_ids(1) == expected
    weighed = index.top_batch([event], 1, weights={"a": 0.5})
    assert weighed.to_arrow().to_pydict() == {"event": [0], "expression_id": [ranked[0]], "score": [3.0]}


def test_merging_changes_no_answer(index: eligo.Index) -> None:
    index.delete("ad-3")
    index.insert("new", "age = 4 and not vip")
    index.replace("ad-1", "state = 'NY'")
    event = {**EVENT, "vip": False}
    before = index.match(event), index.ids, index.top(event)
    assert index.merge() is None
    assert (index.match(event), index.ids, index.top(event)) == before
    stats = index.stats()
    assert (stats.num_live, stats.num_dead, stats.num_in_tail, stats.num_expressions) == (3, 0, 0, 3)
    assert len(index.parts) == 1 and index.engine.table.num_literals > 0
    future = index.merge(background=True)
    assert future is not None and future.result(timeout=60) is None


def test_stats_are_sums_and_parts(index: eligo.Index, tmp_path: Path) -> None:
    assert index.stats().details == index.engine.stats().details
    index.delete("ad-3")
    index.insert("new", "age = 4")
    stats = index.stats()
    assert (stats.num_live, stats.num_dead, stats.num_in_tail, stats.num_expressions) == (3, 1, 1, 3)
    index.save(tmp_path / "i")
    opened = eligo.open(tmp_path / "i")
    stats = opened.stats()
    assert (stats.num_live, stats.num_dead, stats.num_in_tail, stats.num_expressions) == (3, 1, 0, 4)
    assert [sum(shard.num_expressions for shard in part) for part in stats.parts] == [3, 1]
    assert stats.num_bytes == sum(shard.num_bytes for part in stats.parts for shard in part)
    with pytest.raises(InputError, match="2 shards"):
        _ = opened.engine


def test_a_sample_of_events_changes_no_answer() -> None:
    events = [{"a": 1, "b": number} for number in range(50)]
    rows = {number: f"a = 1 and b = {number}" for number in range(50)}
    for sample in (events, pa.Table.from_pylist(events), pd.DataFrame(events)):
        for engine in registry.names():
            index = eligo.build(rows, sample=sample if sample is not events else iter(events), engine=engine)
            index.insert(99, "a = 1")
            assert index.match({"a": 1, "b": 7}) == [7, 99]
            index.merge()
            assert index.match({"a": 1, "b": 7}) == [7, 99]
    with pytest.raises(InputError, match="sample"):
        eligo.build(rows, sample=index.encode(events))
    rare = eligo.build({1: "a = 1 and b = 2", 2: "b = 2"}, sample=[{"a": 1}] * 90 + [{"b": 2}] * 10)
    common = eligo.build({1: "a = 1 and b = 2", 2: "b = 2"}, sample=[{"a": 1}] * 10 + [{"b": 2}] * 90)
    assert any(not np.array_equal(array, common.engine.arrays()[name]) for name, array in rare.engine.arrays().items())


class TestMergePolicy:
    def test_many_changes_start_a_merge_in_the_background(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(due_merge, "FEWEST_CHANGES", 10)
        index = eligo.build({number: "a" for number in range(40)}, merge_at=0.5)
        for number in range(100, 120):
            index.insert(number, "a")
        assert index._live.merging is None and len(index.parts[0].ids) == 40
        index.delete(0)
        index.merge()
        assert len(index.parts[0].ids) == 59 and index.stats().num_in_tail == 0

    def test_none_never_merges(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(due_merge, "FEWEST_CHANGES", 0)
        index = eligo.build({}, merge_at=None)
        for number in range(20):
            index.insert(number, "a")
        assert index.stats().num_in_tail == 20

    def test_a_merge_that_fails_loses_nothing(self, index: eligo.Index, monkeypatch: pytest.MonkeyPatch) -> None:
        index.insert("new", "age = 4")

        def fail(*_: Any) -> Any:
            raise MemoryError("no room")

        with monkeypatch.context() as patched:
            patched.setattr(index._live, "_freeze_base", fail)
            with pytest.raises(MemoryError):
                index.merge()
        index.insert("newer", "age = 4")
        index.delete("ad-1")
        assert index.match(EVENT) == ["ad-2", "ad-3", "new", "newer"]
        index.merge()
        assert index.match(EVENT) == ["ad-2", "ad-3", "new", "newer"]

    def test_one_that_fails_in_the_background_is_logged_and_tried_later(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr(due_merge, "FEWEST_CHANGES", 4)
        index = eligo.build({}, merge_at=0)
        tried: list[int] = []

        def fail(ids: pa.Array, _: pa.Array) -> Any:
            tried.append(len(ids))
            raise MemoryError("no room")

        with monkeypatch.context() as patched:
            patched.setattr(index._live, "_freeze_base", fail)
            for number in range(9):
                index.insert(number, "a")
                if (running := index._live.merging) is not None:
                    assert isinstance(running.exception(timeout=60), MemoryError)
        assert tried == [5] and "could not be merged" in caplog.text
        index.insert(9, "a")
        index.insert(10, "a")
        index.merge()
        assert index.match({"a": True}) == list(range(11)) and index.stats().num_in_tail == 0


class TestOnDisk:
    def test_a_change_is_a_delta(self, index: eligo.Index, tmp_path: Path) -> None:
        path = tmp_path / "i"
        index.save(path)
        index.delete("ad-3")
        index.replace("ad-1", "age > 1")
        assert index.publish(path) == 2
        opened = eligo.open(path)
        assert opened.ids == index.ids == ["ad-2", "ad-1"] and opened.match(EVENT) == ["ad-2", "ad-1"]
        opened.replace("ad-2", "age > 2")
        opened.insert("ad-3", "age > 3")
        opened.publish(path, expected_version=2)
        again = eligo.open(path)
        assert again.match(EVENT) == ["ad-1", "ad-2", "ad-3"] == again.ids
        assert len(again.parts) == 1, "nothing was left of the base, so there is a new one"
        assert eligo.open(path, version=1).match(EVENT) == ["ad-1", "ad-2", "ad-3"]
        assert eligo.open(path, version=2).match(EVENT) == ["ad-2", "ad-1"]
        with pytest.raises(StorageError, match="version 3"):
            opened.publish(path, expected_version=2)

    def test_only_deletions(self, index: eligo.Index, tmp_path: Path) -> None:
        index.delete("ad-2")
        index.save(tmp_path / "i")
        opened = eligo.open(tmp_path / "i")
        assert opened.match(EVENT) == ["ad-1", "ad-3"] == batch_ids(opened, [EVENT])[0]
        assert len(opened.parts) == 1 and batch_ids(opened, opened.encode([EVENT])) == [["ad-1", "ad-3"]]

    def test_what_is_there_is_not_written_again(self, index: eligo.Index, tmp_path: Path) -> None:
        path = tmp_path / "i"
        index.save(path)
        written = {file: file.stat().st_mtime_ns for file in (path / "shards").iterdir()}
        opened = eligo.open(path)
        opened.insert("new", "age = 4")
        opened.save(path)
        assert {file: file.stat().st_mtime_ns for file in written} == written
        assert len(list((path / "shards").iterdir())) == 2
        opened.save(tmp_path / "other")
        assert eligo.open(tmp_path / "other").match(EVENT) == [*ADS, "new"]

    def test_a_merged_index_is_one_part_on_disk(self, index: eligo.Index, tmp_path: Path) -> None:
        index.insert("new", "age = 4")
        index.save(tmp_path / "i")
        index.merge()
        index.save(tmp_path / "i")
        assert len(eligo.open(tmp_path / "i").parts) == 1

    def test_many_deltas_become_one(self, tmp_path: Path) -> None:
        eligo.build({0: "a = 0"}).save(tmp_path / "i")
        for number in range(1, MOST_DELTAS + 3):
            index = eligo.open(tmp_path / "i")
            index.insert(number, "a = 1")
            index.replace(number // 2, f"a = {number}")
            index.save(tmp_path / "i")
        index = eligo.open(tmp_path / "i")
        assert 1 < len(index.parts) <= MOST_DELTAS
        assert sorted(index.ids) == list(range(MOST_DELTAS + 3))
        for number in range(1, MOST_DELTAS + 3):
            assert index.match({"a": number}) == [id for id in index.ids if index.text(id) == f"a = {number}"]


class TestKnownFailures:
    """What other implementations get wrong, through the whole index."""

    @pytest.mark.parametrize("leaf", ["b = 2", "b != 2", "b is missing", "b weak not in (2)"])
    def test_a_leaf_first_seen_as_a_child_that_is_asked_and_later_inserted_alone(self, leaf: str) -> None:
        for base in ({}, {0: f"a = 1 and {leaf}"}):
            index = eligo.build(base)
            index.replace(0, f"a = 1 and {leaf}")
            index.insert(1, leaf)
            fresh = eligo.build({0: f"a = 1 and {leaf}", 1: leaf}, engine="scan")
            for event in ({"b": 2}, {"b": 3}, {}, {"a": 1, "b": 2}, {"a": 1, "b": 3}, {"a": 1}):
                assert index.match(event) == fresh.match(event) == batch_ids(index, [event])[0]

    def test_deleting_a_part_leaves_no_dangling_parent(self) -> None:
        index = eligo.build({})
        for id, text in enumerate(("a and b", "a and b and c", "(a and b and c) or d")):
            index.insert(id, text)
        event = {"a": True, "b": True, "c": True}
        index.delete(0)
        assert index.match(event) == [1, 2]
        index.delete(1)
        assert index.match(event) == [2] and index.match({"a": True, "b": True}) == []
        index.delete(2)
        assert index.match(event) == [] and len(index) == 0

    def test_lists_in_another_order_are_the_same(self) -> None:
        index = eligo.build({0: "a in (1, 2, 3)"})
        index.insert(1, "a in (3, 1, 2)")
        index.insert(2, "a in (2, 3, 1, 1)")
        index.delete(1)
        assert index.match({"a": 3}) == [0, 2] == batch_ids(index, [{"a": 3}])[0]

    def test_precedence(self) -> None:
        index = eligo.build({0: "a or b and c"})
        index.insert(1, "a or b and c")
        for event, expected in (({"a": True}, [0, 1]), ({"b": True}, []), ({"b": True, "c": True}, [0, 1])):
            assert index.match(event) == expected


def test_merges_are_counted() -> None:
    index = eligo.build({"a": "x = 1"})
    before = index.stats()
    assert (before.num_merges, before.merge_seconds) == (0, 0.0)
    index.insert("b", "x = 2")
    index.merge()
    index.merge()  # there is nothing to do
    after = index.stats()
    assert after.num_merges >= 1 and after.merge_seconds > 0
    assert eligo.build({"a": "x = 1"}).stats().num_merges == 0
