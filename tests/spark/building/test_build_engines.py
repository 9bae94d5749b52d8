"""Does an index that Spark builds and asks give the same matches, whatever its engine?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.engines import registry
from eligo.spark import build, compact, match, update
from eligo.workloads import whang_contracts

EXPRESSIONS = {
    number: text.format(n=number % 5)
    for number, text in enumerate(
        [
            "a = {n} and (b = 1 or c != {n})",
            "(a = {n} or b = {n} and c = 2) and (c = 1 or not a = {n})",
            "b weak not in ({n}) and (a is missing or c = {n})",
            "a = {n} xor b = {n}",
            "true",
        ]
        * 6
    )
}
EVENTS = [{"a": row % 6, "b": row % 4 or None, "c": row % 3 or None} for row in range(40)]


@pytest.mark.parametrize("engine", registry.names())
def test_matches_of_spark_are_those_of_the_index_and_of_a_scan(
    spark: SparkSession, tmp_path: Path, engine: str
) -> None:
    rows = spark.createDataFrame(list(EXPRESSIONS.items()), "id long, expression string")
    build(rows, tmp_path / "index", engine=engine, target_shard_rows=10)
    events = spark.createDataFrame(
        [(row, event["a"], event["b"], event["c"]) for row, event in enumerate(EVENTS)],
        "event_id long, a long, b long, c long",
    )
    found = {(row["event_id"], row["expression_id"]) for row in match(events, tmp_path / "index").collect()}
    expected = eligo.build(EXPRESSIONS, engine="scan").match_batch(EVENTS)
    assert found == {(row, id) for row in range(len(EVENTS)) for id in expected.ids(row)}
    opened = eligo.open(tmp_path / "index")
    assert opened.engine_name == engine
    asked = opened.match_batch(EVENTS)
    assert found == {(row, id) for row in range(len(EVENTS)) for id in asked.ids(row)}


def test_an_engine_is_chosen_for_each_shard(spark: SparkSession, tmp_path: Path) -> None:
    workload = whang_contracts.generate(12_000, 50, 9)
    few = [(12_000 + number, text) for number, text in EXPRESSIONS.items()]
    rows = [*zip(workload.expressions["id"].to_pylist(), workload.expressions["expression"].to_pylist(), strict=True)]
    frame = spark.createDataFrame(rows, "id long, expression string")
    build(frame, tmp_path / "index")
    update(tmp_path / "index", changed=spark.createDataFrame(few, "id long, expression string"))
    opened = eligo.open(tmp_path / "index", trust=False)
    assert [[shard.engine for shard in part] for part in opened.stats().chosen] == [["k_index"], ["a_tree"]]
    assert opened.engine_name == "auto"
    expected = eligo.build([*rows, *few], engine="a_tree").match_batch(workload.events)
    found = opened.match_batch(workload.events)
    for row in range(workload.events.num_rows):
        assert sorted(found.ids(row)) == sorted(expected.ids(row))


def test_an_index_keeps_the_engine_that_was_named(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.createDataFrame(list(EXPRESSIONS.items()), "id long, expression string")
    build(rows, tmp_path / "index", engine="bop")
    update(tmp_path / "index", changed=spark.createDataFrame([(99, "a = 1")], "id long, expression string"))
    compact(tmp_path / "index", spark=spark)
    assert {shard.engine for part in eligo.open(tmp_path / "index").stats().chosen for shard in part} == {"bop"}


def test_an_index_keeps_the_range_lists_that_were_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    ranges = {number: f"a between {number} and {100 - number} and b = {number % 3}" for number in range(50)}
    build(
        spark.createDataFrame(list(ranges.items()), "id long, expression string"),
        tmp_path / "index",
        ranges="elementary",
        target_shard_rows=20,
    )
    changed = {99: "a < 5 or a > 90", 3: "a between 20 and 80"}
    update(tmp_path / "index", changed=spark.createDataFrame(list(changed.items()), "id long, expression string"))
    expected = eligo.build({**ranges, **changed}, engine="scan").match_batch(EVENTS)
    for step in (lambda: None, lambda: compact(tmp_path / "index", spark=spark)):
        step()
        opened = eligo.open(tmp_path / "index", trust=False)
        assert opened.stats().ranges == "elementary"
        shards = [shard for part in opened.stats().chosen for shard in part]
        assert all((shard.num_segment_trees, shard.num_elementary) == (0, 1) for shard in shards)
        found = opened.match_batch(EVENTS)
        for row in range(len(EVENTS)):
            assert sorted(found.ids(row)) == sorted(expected.ids(row))
