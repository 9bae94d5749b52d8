"""Are counts those of the matches?"""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from eligo.spark import build, count, match
from eligo.workloads import sample
from spark_rows import rows


@pytest.fixture(scope="module")
def index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("count") / "x.index")
    build(spark.createDataFrame(sample.expressions(300, seed=2)), path, target_shard_rows=100)
    return path


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    table = pa.Table.from_batches(list(sample.events(600, seed=2)))
    return spark.createDataFrame(table).withColumn("hour", F.col("event_id") % 3).persist()


def test_counts_of_each_expression(index: str, events: DataFrame) -> None:
    expected = rows(match(events, index).groupBy("expression_id").count())
    assert rows(count(events, index)) == expected
    assert rows(count(events, index, memory=1)) == expected
    assert len(expected) > 20
    assert count(events, index, expression_id="ad").dtypes == [("ad", "string"), ("matches", "bigint")]


@pytest.mark.parametrize("by", [["hour"], ["event_id"], ["hour", "site"]])
def test_counts_by_columns(index: str, events: DataFrame, by: list[str]) -> None:
    given = events.withColumn("site", F.when(F.col("event_id") % 2 == 0, "a"))
    matches = match(given, index, keep=[name for name in by if name != "event_id"])
    expected = rows(matches.groupBy(*by, "expression_id").count())
    assert rows(count(given, index, by=by)) == expected


def test_no_events(index: str, events: DataFrame) -> None:
    assert rows(count(events.limit(0), index)) == set()
    assert rows(count(events.limit(0), index, by=["hour"])) == set()
