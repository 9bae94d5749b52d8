"""Does an index that Spark builds and asks give the same matches, whatever its engine?"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.engines import registry
from eligo.spark import build, match

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
