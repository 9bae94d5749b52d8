"""Does a table become an index with every row accounted for, the same whatever the parallelism?"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema
from eligo.errors import ForeignFileError, InputError, StorageError, UnknownEngineError
from eligo.index.build_summary import STAGES
from eligo.index.stages import Stage
from eligo.spark import build, parquet_expressions
from eligo.spark.building.part_build import MERGED_AT_ONCE
from eligo.spark.tables.expression_rows import POSITION
from eligo.storage.directory import open_version
from eligo.storage.manifest import read_manifest
from eligo.workloads import sample

ROWS = [
    ("a", "age = 1", 1),
    ("b", "age =", 2),
    ("c", "age = 3", 3),
    ("a", "age = 4", 4),
    ("c", "age in (5", 5),
    ("b", "age = 6", 6),
]
COLUMNS = "id string, expression string, at int"


def content(path: Path) -> list[Any]:
    """What an index consists of, but for its time."""
    manifest = read_manifest(path)
    return [manifest.vocabulary, manifest.shards, manifest.deltas, manifest.settings]


def left_behind(path: Path) -> list[Path]:
    return list(path.rglob("*.tmp"))


def test_every_row_is_accepted_rejected_or_replaced(spark: SparkSession, tmp_path: Path) -> None:
    stages: list[Stage] = []
    path = tmp_path / "ads.index"
    summary = build(spark.createDataFrame(ROWS, COLUMNS), path, order_by="at", on_stage=stages.append)
    assert (summary.num_rows, summary.num_accepted, summary.num_rejected, summary.num_replaced) == (6, 2, 2, 2)
    assert (summary.num_shards, summary.num_distinct, summary.version) == (1, 2, 1)
    assert [stage.name for stage in stages] == list(STAGES)
    assert set(summary.seconds) == set(STAGES)
    rejects = summary.rejects.to_pylist()
    assert [(row["id"], row["expression"], row["line"], row["column"]) for row in rejects] == [
        ("b", "age =", 1, 6),
        ("c", "age in (5", 1, 8),
    ]
    index = eligo.open(path)
    assert {id: index.text(id) for id in index.ids} == {"a": "age = 4", "b": "age = 6"}
    assert summary.num_bytes == sum(file.stat().st_size for file in path.rglob("*.eligo"))
    assert "6 rows, 2 accepted, 2 rejected, 2 replaced" in str(summary)
    assert left_behind(path) == []


def test_duplicates_are_refused_when_nothing_decides_or_when_told_to(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame(ROWS, COLUMNS)
    with pytest.raises(InputError, match="different expressions: 'a', 'b', 'c'") as caught:
        build(frame, tmp_path / "x.index")
    assert "order_by" in caught.value.help
    with pytest.raises(InputError, match="more than once: 'a', 'b', 'c'"):
        build(frame, tmp_path / "x.index", order_by="at", on_duplicate="error")
    assert left_behind(tmp_path) == []
    assert not (tmp_path / "x.index" / "manifest.json").exists()


@pytest.mark.parametrize("num_shards", [1, 3])
def test_the_artifact_is_the_same_whatever_the_partitions_and_the_order(
    spark: SparkSession, tmp_path: Path, num_shards: int
) -> None:
    rows = [tuple(row.values()) for row in sample.expressions(400, seed=5).to_pylist()]
    rows += rows[:20]
    frame = spark.createDataFrame(rows, "id string, expression string")
    hierarchies = {"section": Hierarchy.from_edges([("NFL", "Sports")])}
    target = -(-len(rows) // num_shards)
    found = []
    for name, input in {
        "one": frame.coalesce(1),
        "two": frame.repartition(2),
        "seven": frame.repartition(7, F.rand(1)),
        "shuffled": frame.orderBy(F.rand(2)),
    }.items():
        build(input, tmp_path / name, target_shard_rows=target, hierarchies=hierarchies)
        found.append(content(tmp_path / name))
    pq.write_table(frame.toArrow(), tmp_path / "rows.parquet", row_group_size=150)
    table = parquet_expressions(spark, tmp_path / "rows.parquet")
    build(table, tmp_path / "files", target_shard_rows=target, hierarchies=hierarchies)
    found.append(content(tmp_path / "files"))
    assert all(other == found[0] for other in found)
    assert len(found[0][1]) == num_shards


def test_shards_answer_as_one_index(spark: SparkSession, tmp_path: Path) -> None:
    rows = [tuple(row.values()) for row in sample.expressions(300, seed=7).to_pylist()]
    frame = spark.createDataFrame(rows, "id string, expression string")
    events = [event for _, event in zip(range(60), sample_events(), strict=False)]
    single = eligo.build(rows, on_error="reject")
    for target in (1000, 100, 300 // (MERGED_AT_ONCE + 2)):
        path = tmp_path / str(target)
        summary = build(frame, path, target_shard_rows=target)
        assert summary.num_accepted == len(single)
        assert summary.num_shards == len(open_version(path).shards)
        index = eligo.open(path)
        assert sorted(index.ids) == sorted(single.ids)
        for event in events:
            assert sorted(index.match(event)) == sorted(single.match(event))
        # A vocabulary that many tasks merged is the one that all expressions give together.
        arrays = open_version(path).vocabulary.arrays
        for name, array in single.vocabulary.arrays().items():
            assert array.tolist() == arrays[name].tolist(), name
        assert left_behind(path) == []


def sample_events() -> Any:
    for batch in sample.events(60, seed=8):
        for row in batch.to_pylist():
            yield {name: value for name, value in row.items() if value is not None and name != "event_id"}


def test_a_second_build_is_a_new_version_and_the_first_stays(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "ads.index"
    first = build(spark.createDataFrame([(1, "age = 1")], "id long, expression string"), path)
    second = build(spark.createDataFrame([(2, "age = 1")], "id long, expression string"), path, missing="false")
    assert (first.version, second.version) == (1, 2)
    index = eligo.open(path)
    assert index.ids == [2]
    assert index.missing == "false"
    assert open_version(path, version=1).shards[0].arrays["ids.numbers"].tolist() == [1]


def test_an_empty_table(spark: SparkSession, tmp_path: Path) -> None:
    summary = build(spark.createDataFrame([], "id string, expression string"), tmp_path / "empty.index")
    assert (summary.num_rows, summary.num_accepted, summary.rejects.num_rows) == (0, 0, 0)
    assert eligo.open(tmp_path / "empty.index").match({"age": 1}) == []


def test_rejects_go_to_a_file(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(number, "age =" if number % 3 else "age = 1") for number in range(30)]
    frame = spark.createDataFrame([*rows, (None, "age = 1")], "id long, expression string")
    for name in ("rejects.parquet", "rejects.jsonl"):
        summary = build(frame, tmp_path / "x.index", rejects=tmp_path / name, target_shard_rows=9)
        assert (summary.num_rejected, summary.num_accepted) == (21, 10)
    rejects = pq.read_table(tmp_path / "rejects.parquet")
    lines = [json.loads(line) for line in (tmp_path / "rejects.jsonl").read_text().splitlines()]
    assert lines == rejects.to_pylist() == summary.rejects.to_pylist()
    assert sorted(row["id"] for row in lines if row["id"] is not None) == [n for n in range(30) if n % 3]


def test_the_order_of_the_table(spark: SparkSession, tmp_path: Path) -> None:
    rows = [(number % 40, f"age = {number}") for number in range(400)]
    frame = spark.createDataFrame(rows, "id long, expression string").coalesce(1)
    pq.write_table(frame.toArrow(), tmp_path / "rows.parquet", row_group_size=70)
    for name, table in {"frame": frame, "files": parquet_expressions(spark, tmp_path / "rows.parquet")}.items():
        summary = build(table, tmp_path / name, order_by=POSITION)
        assert (summary.num_accepted, summary.num_replaced) == (40, 360)
        index = eligo.open(tmp_path / name)
        assert {id: index.text(id) for id in index.ids} == dict(rows)


def test_tenants_and_windows(spark: SparkSession, tmp_path: Path) -> None:
    rows = [
        (1, "age > 18", "acme", datetime(2026, 1, 1, tzinfo=UTC), None),
        (2, "age > 18", "it's", None, datetime(2026, 1, 1, tzinfo=UTC)),
        (3, "age > 18", None, None, None),
    ]
    columns = "id long, expression string, shop string, start timestamp, stop timestamp"
    summary = build(
        spark.createDataFrame(rows, columns),
        tmp_path / "x.index",
        tenant="shop",
        valid_from="start",
        valid_to="stop",
        schema=Schema.from_dict({"age": "int"}, closed=True),
    )
    assert (summary.num_accepted, summary.rejects["error"].to_pylist()) == (2, ["the tenant is missing"])
    index = eligo.open(tmp_path / "x.index")
    pq.write_table(spark.createDataFrame(rows, columns).toArrow(), tmp_path / "rows.parquet")
    build(
        parquet_expressions(spark, tmp_path / "rows.parquet"),
        tmp_path / "y.index",
        tenant="shop",
        valid_from="start",
        valid_to="stop",
        schema=Schema.from_dict({"age": "int"}, closed=True),
    )
    assert content(tmp_path / "x.index") == content(tmp_path / "y.index")
    event = {"age": 20, "@tenant": "acme", "@time": datetime(2026, 5, 1, tzinfo=UTC)}
    assert index.match(event) == [1]
    assert index.match({**event, "@time": datetime(2025, 5, 1, tzinfo=UTC)}) == []
    assert index.match({**event, "@tenant": "it's", "@time": datetime(2025, 5, 1, tzinfo=UTC)}) == [2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tenant": "shop"}, "no column 'shop'"),
        ({"order_by": "when"}, "no column 'when'"),
        ({"valid_from": "id"}, "column 'id' is bigint, and valid_from takes timestamps, dates or texts of them"),
        ({"tenant": "flag"}, "column 'flag' is boolean, and tenant takes strings or integers"),
        ({"target_shard_rows": 0}, "target_shard_rows is a whole number, 1 or more, not 0"),
        ({"on_duplicate": "first"}, "on_duplicate"),
    ],
)
def test_options_that_do_not_fit(spark: SparkSession, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    frame = spark.createDataFrame([(1, "a = 1", True)], "id long, expression string, flag boolean")
    with pytest.raises(InputError, match=message):
        build(frame, tmp_path / "x", **options)


def test_a_path_that_is_no_index_is_told_before_any_work(spark: SparkSession, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("something else")
    stages: list[Stage] = []
    with pytest.raises(ForeignFileError):
        build(spark.createDataFrame(ROWS, COLUMNS), taken, on_stage=stages.append)
    assert stages == []
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "letter.txt").write_text("")
    with pytest.raises(StorageError, match=r"letter\.txt"):
        build(spark.createDataFrame(ROWS, COLUMNS), folder, on_stage=stages.append)
    assert stages == []
    assert [path.name for path in folder.iterdir()] == ["letter.txt"]


def test_an_unknown_engine_is_told_before_any_work(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(UnknownEngineError):
        build(spark.createDataFrame(ROWS, COLUMNS), tmp_path / "x", engine="none")


def test_jobs_say_what_they_are(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame([(1, "a = 1")], "id long, expression string")
    context = spark.sparkContext
    context.setJobDescription("mine")
    path = tmp_path / "x.index"
    build(frame, path)
    assert context.getLocalProperty("spark.job.description") == "mine"
    context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]
    jobs = context._jsc.sc().statusStore().jobsList(None)
    descriptions = [jobs.apply(number).description() for number in range(jobs.size())]
    told = {description.get() for description in descriptions if description.isDefined()}
    assert {
        f"eligo build {path}: read rows",
        f"eligo build {path}: check and encode 1 rows for 1 shards",
        f"eligo build {path}: build 1 shards",
    } <= told
