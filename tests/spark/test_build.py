"""Does a table become an index with every row accounted for?"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.errors import ForeignFileError, UnknownEngineError
from eligo.spark import build
from eligo.spark.build import STAGES, split

ROWS = [
    ("a", "age = 1"),
    ("b", "age ="),
    ("c", "age = 3"),
    ("a", "age = 4"),
    ("c", "age in (5"),
    ("b", "age = 6"),
]


def test_every_row_is_accepted_rejected_or_replaced(spark: SparkSession, tmp_path: Path) -> None:
    stages: list[str] = []
    path = tmp_path / "ads.index"
    frame = spark.createDataFrame(ROWS, "id string, expression string").coalesce(1)
    summary = build(frame, path, on_stage=stages.append)
    assert (summary.num_rows, summary.num_accepted, summary.num_rejected, summary.num_replaced) == (6, 2, 2, 2)
    assert stages == list(STAGES)
    assert set(summary.seconds) == set(STAGES)
    rejects = summary.rejects.to_pylist()
    assert [(row["id"], row["expression"], row["line"], row["column"]) for row in rejects] == [
        ("b", "age =", 1, 6),
        ("c", "age in (5", 1, 8),
    ]
    index = eligo.open(path)
    assert {id: index.text(id) for id in index.ids} == {"a": "age = 4", "b": "age = 6"}
    assert summary.num_bytes == sum(file.stat().st_size for file in path.rglob("*.eligo"))


def test_a_second_build_is_a_new_version(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "ads.index"
    first = build(spark.createDataFrame([(1, "age = 1")], "id long, expression string"), path)
    second = build(spark.createDataFrame([(2, "age = 1")], "id long, expression string"), path, missing="false")
    assert (first.version, second.version) == (1, 2)
    index = eligo.open(path)
    assert index.ids == [2]
    assert index.missing == "false"


def test_an_empty_table(spark: SparkSession, tmp_path: Path) -> None:
    summary = build(spark.createDataFrame([], "id string, expression string"), tmp_path / "empty.index")
    assert (summary.num_rows, summary.num_accepted, summary.rejects.num_rows) == (0, 0, 0)
    assert eligo.open(tmp_path / "empty.index").match({"age": 1}) == []


def test_a_path_that_is_no_index_is_told_before_any_work(spark: SparkSession, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("something else")
    stages: list[str] = []
    with pytest.raises(ForeignFileError):
        build(spark.createDataFrame(ROWS, "id string, expression string"), taken, on_stage=stages.append)
    assert stages == []


def test_an_unknown_engine_is_told_before_any_work(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(UnknownEngineError):
        build(spark.createDataFrame(ROWS, "id string, expression string"), tmp_path / "x", engine="none")


def test_the_last_row_of_an_id_decides() -> None:
    checked = pa.table(
        {
            "id": ["a", "b", "a", None, "b"],
            "expression": ["1", "2", "3", "4", "5"],
            "error": [None, "bad", "bad", "bad", None],
            "help": pa.nulls(5, pa.string()),
            "line": pa.nulls(5, pa.int32()),
            "column": pa.nulls(5, pa.int32()),
        }
    )
    good, rejects = split(checked)
    assert good.to_pylist() == [{"id": "b", "expression": "5"}]
    assert rejects["expression"].to_pylist() == ["2", "3", "4"]
