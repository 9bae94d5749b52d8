"""Are events, matches and rejects counted while they are matched, in tables and streams?"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from eligo.errors import InputError
from eligo.spark import MatchMetrics, build, match
from eligo.spark.matching.match import planned_match
from spark_rows import rows

SCHEMA = "event_id int, n decimal(38,0)"
EVENTS = [(1, Decimal(11)), (2, Decimal(10) ** 30), (3, None), (4, Decimal(12))]


@pytest.fixture(scope="module")
def index_path(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("metrics") / "x.index")
    texts = spark.createDataFrame(
        [(f"e{number}", f"n > {number}") for number in range(20)], "id string, expression string"
    )
    build(texts, path, target_shard_rows=4)
    return path


@pytest.mark.parametrize("memory", [None, 1], ids=["whole", "in groups of shards"])
def test_of_a_table(spark: SparkSession, index_path: str, memory: int | None) -> None:
    events = spark.createDataFrame(EVENTS, SCHEMA).repartition(2)
    assert (len(planned_match(events, index_path, memory=memory).groups) > 1) == (memory == 1)
    metrics = MatchMetrics()
    found = match(events, index_path, metrics=metrics, memory=memory)
    assert found.columns == ["event_id", "expression_id"]
    assert rows(found) == rows(match(events, index_path))
    on_a_disk = {"cache_hits": 0, "downloads": 0, "downloaded_bytes": 0}
    assert metrics.get == {"events": 4, "matches": 11 + 12, "rejected": 1, **on_a_disk}


def test_with_rejects_kept(spark: SparkSession, index_path: str) -> None:
    metrics = MatchMetrics("mine")
    events = spark.createDataFrame(EVENTS, SCHEMA)
    assert match(events, index_path, metrics=metrics, on_error="keep").where("error is not null").count() == 1
    assert metrics.get["rejected"] == 1
    with pytest.raises(InputError, match="those of another match"):
        match(events, index_path, metrics=metrics)
    with pytest.raises(InputError, match="no table"):
        _ = MatchMetrics().get


def test_of_a_stream(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    spark.createDataFrame(EVENTS, SCHEMA).write.parquet(str(tmp_path / "in"))
    metrics = MatchMetrics("seen")
    found = match(spark.readStream.schema(SCHEMA).parquet(str(tmp_path / "in")), index_path, metrics=metrics)
    writer = found.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start(str(tmp_path / "out"))
    query.awaitTermination()
    progress = query.lastProgress
    assert progress is not None
    observed = progress["observedMetrics"]
    assert observed["seen_events"]["events"] == 4
    assert observed["seen_matches"].asDict() == {"matches": 23, "rejected": 1}
