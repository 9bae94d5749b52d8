"""Is a good index kept when a table says too little, and is the way out named?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

import eligo
from eligo.errors import InputError, ShrunkIndexError, TooManyRejectsError
from eligo.index.stages import Stage
from eligo.spark import build, compact, update
from eligo.storage.manifest import read_manifest

COLUMNS = "id long, expression string"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    eligo.build({number: "age = 1" for number in range(10)}, engine="scan").save(tmp_path / "x.index")
    return tmp_path / "x.index"


def frame(spark: SparkSession, good: int, bad: int = 0) -> DataFrame:
    rows = [(number, "age = 1" if number < good else "age =") for number in range(good + bad)]
    return spark.createDataFrame(rows, COLUMNS)


def ids(spark: SparkSession, number: int) -> DataFrame:
    return spark.createDataFrame([(id,) for id in range(number)], "id long")


def test_a_build_of_nothing_replaces_nothing(spark: SparkSession, path: Path, tmp_path: Path) -> None:
    before, files = read_manifest(path), sorted(path.rglob("*"))
    stages: list[Stage] = []
    with pytest.raises(ShrunkIndexError, match="none of 10 expressions, and at most 50 % may go") as shrunk:
        build(frame(spark, 0), path, on_stage=stages.append)
    assert "--max-shrink" in shrunk.value.help
    assert [stage.name for stage in stages] == ["read", "check"], "nothing is built in vain"
    with pytest.raises(TooManyRejectsError, match=r"all 3 rows .* were rejected") as rejected:
        build(frame(spark, 0, bad=3), path, rejects=tmp_path / "rejects.parquet")
    assert "--max-rejects" in rejected.value.help
    assert rejected.value.rejects.num_rows == pq.read_table(tmp_path / "rejects.parquet").num_rows == 3
    with pytest.raises(ShrunkIndexError, match="4 of 10 expressions"):
        build(frame(spark, 4), path)
    assert read_manifest(path) == before
    assert sorted(path.rglob("*")) == files
    assert build(frame(spark, 5), path, keep_versions=5).version == 2
    with pytest.raises(ShrunkIndexError, match="at most 0 may go"):
        build(frame(spark, 4), path, max_shrink=0)
    assert build(frame(spark, 4), path, max_shrink=1).num_live == 4
    assert build(frame(spark, 0, bad=3), path, max_shrink=1.0, max_rejects="100%").num_live == 0
    assert build(frame(spark, 0), path).num_live == 0, "nothing is lost"


def test_rows_that_may_be_rejected(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(TooManyRejectsError, match="all 2 rows"):
        build(frame(spark, 0, bad=2), tmp_path / "new.index")
    with pytest.raises(TooManyRejectsError, match=r"2 of 10 rows .* at most 10 % may be"):
        build(frame(spark, 8, bad=2), tmp_path / "new.index", max_rejects=0.1)
    assert not (tmp_path / "new.index" / "manifest.json").exists()
    assert build(frame(spark, 8, bad=2), tmp_path / "new.index", max_rejects=2).num_rejected == 2


def test_an_update_is_held_to_the_same(spark: SparkSession, path: Path) -> None:
    with pytest.raises(ShrunkIndexError, match="4 of 10 expressions"):
        update(path, None, ids(spark, 6))
    with pytest.raises(TooManyRejectsError, match=r"1 of 12 rows .* at most 0 may be"):
        update(path, frame(spark, 11, bad=1), max_rejects=0)
    assert read_manifest(path).version == 1
    assert update(path, None, ids(spark, 5)).num_live == 5
    added = spark.createDataFrame([(id, "age = 1") for id in range(20, 24)], COLUMNS)
    assert update(path, added, ids(spark, 10)).num_live == 4, "what came makes up for what went"
    assert update(path, None, spark.createDataFrame([(20,), (21,), (22,)], "id long"), max_shrink=3).num_live == 1
    assert compact(path, spark=spark).num_live == 1
    assert update(path, frame(spark, 0, bad=2)).num_live == 1, "rejected changes take nothing away"


@pytest.mark.parametrize(
    "options", [{"max_shrink": 1.5}, {"max_rejects": "many"}, {"keep_versions": 0}, {"rejects": "rejects.txt"}]
)
def test_what_cannot_be_is_told_before_any_work(spark: SparkSession, path: Path, options: dict[str, Any]) -> None:
    stages: list[Stage] = []
    with pytest.raises(InputError):
        build(frame(spark, 10), path, on_stage=stages.append, **options)
    with pytest.raises(InputError):
        update(path, frame(spark, 10), on_stage=stages.append, **options)
    assert stages == []


def test_rejects_are_not_written_over_the_index(spark: SparkSession, path: Path) -> None:
    for target in (path / "rejects.jsonl", path / "manifest.json"):
        with pytest.raises(InputError, match="would overwrite"):
            build(frame(spark, 10, bad=1), path, rejects=target)
        with pytest.raises(InputError, match="would overwrite"):
            update(path, frame(spark, 10, bad=1), rejects=target)
    assert eligo.open(path).ids == list(range(10))
