"""Do odd things have the same outcome on Spark as elsewhere? The table is in `event_cases`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.language.limits import Limits
from eligo.spark import explain, match, parquet_events, rejects
from event_cases import ERROR, Case, expected_ids, expressions, forms, json_event

SPARK_TYPES = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.date32(): "date",
    pa.decimal128(38, 0): "decimal(38,0)",
    pa.decimal128(38, 1): "decimal(38,1)",
    pa.decimal128(38, 2): "decimal(38,2)",
    pa.timestamp("us"): "timestamp_ntz",
    pa.timestamp("us", "UTC"): "timestamp",
}
"""The Arrow types that are Spark's own; lists of them are too."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("cases") / "cases.index")
    eligo.build(expressions()).save(path)
    return path


def element(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_list(kind) else kind


def wide_events() -> tuple[pa.Table, list[Case]]:
    """A row for each form that Spark has a type for, with a column of its own."""
    columns: dict[str, pa.Array] = {}
    cases: list[Case] = []
    chosen = [(case, array) for case, array in forms("arrow") if element(array.type) in SPARK_TYPES]
    by_column: dict[tuple[str, pa.DataType], list[int]] = {}
    for row, (case, array) in enumerate(chosen):
        cases.append(case)
        by_column.setdefault((case.attribute, array.type), []).append(row)
    taken: set[str] = set()
    kept: list[int] = []
    for (attribute, kind), rows in by_column.items():
        if attribute in taken:
            continue  # one column an attribute, so one type
        taken.add(attribute)
        kept += rows
        cells = [chosen[row][1] if row in rows else pa.nulls(1, kind) for row in range(len(chosen))]
        columns[attribute] = pa.concat_arrays(cells)
    kept.sort()
    table = pa.table(columns).take(kept)
    return table.append_column("event_id", pa.array(range(len(kept)))), [cases[row] for row in kept]


def check(matches: DataFrame, bad: DataFrame, cases: list[Case]) -> None:
    found: dict[int, set[str]] = {}
    for row in matches.collect():
        found.setdefault(row["event_id"], set()).add(row["expression_id"])
    refused = {row["event_id"] for row in bad.collect()}
    for number, case in enumerate(cases):
        assert (number in refused) == (case.outcome == ERROR), case.name
        if case.outcome != ERROR:
            assert found.get(number, set()) == expected_ids(case), case.name


def test_columns(spark: SparkSession, index: str, tmp_path: Path) -> None:
    table, cases = wide_events()
    assert len(cases) > 20 and len({case.name for case in cases}) > 18
    path = str(tmp_path / "events.parquet")
    pq.write_table(table, path)
    events = parquet_events(spark, path)
    check(match(events, index), rejects(events, index), cases)
    frame = spark.read.parquet(path)
    check(match(frame, index), rejects(frame, index), cases)


def test_json_texts(spark: SparkSession, index: str) -> None:
    chosen = list(forms("json"))
    table = pa.table(
        {
            "event_id": range(len(chosen)),
            "event": pa.array([json_event(case, form) for case, form in chosen], pa.binary()),
        }
    )
    # Spark's strings need not be UTF-8.
    events = spark.createDataFrame(table).withColumn("event", F.col("event").cast("string"))
    cases = [case for case, _ in chosen]
    check(match(events, index, json="event"), rejects(events, index, json="event"), cases)


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.float64(), pa.decimal128(38, 2), pa.timestamp("us"), pa.list_(pa.int64())], ids=str
)
def test_maps(spark: SparkSession, index: str, kind: pa.DataType, tmp_path: Path) -> None:
    chosen = [(case, array) for case, array in forms("arrow") if array.type == kind and case.name != "too many"]
    assert chosen
    values = pa.concat_arrays([array for _, array in chosen])
    names = pa.array([case.attribute for case, _ in chosen])
    maps = pa.MapArray.from_arrays(pa.array(range(len(chosen) + 1), pa.int32()), names, values)
    path = str(tmp_path / "maps.parquet")
    pq.write_table(pa.table({"event_id": range(len(chosen)), "facts": maps}), path)
    events = spark.read.parquet(path)
    cases = [case for case, _ in chosen]
    check(match(events, index, attributes="facts"), rejects(events, index, attributes="facts"), cases)


def test_explanations_read_events_as_matching_does(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build({"tenth": "n = 0.1", "two": "n = 2", "junk": "m exists"}).save(path)
    frame = spark.sql(
        "select 1 event_id, array(named_struct('key', 'n', 'value', cast(0.1 as decimal(9,2))),"
        " named_struct('key', 'n', 'value', cast(2 as decimal(9,2)))) facts, '{\"n\": 0.1, \"other\": [[1]]}' text"
    )
    for options, expected in (({"attributes": "facts"}, {"tenth", "two"}), ({"json": "text"}, {"tenth"})):
        explained = explain(frame, path, ids=["tenth", "two", "junk"], **options)  # type: ignore[arg-type]
        assert {row["expression_id"] for row in explained.collect() if row["matches"]} == expected
        assert {row["expression_id"] for row in match(frame, path, **options).collect()} == expected  # type: ignore[arg-type]


def test_an_event_beyond_a_limit_loses_only_itself(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build({"one": "x = 1"}).save(path)
    frame = spark.sql(
        "select id event_id, sequence(1L, id) x, to_json(named_struct('x', sequence(1L, id))) text,"
        " map('x', sequence(1L, id)) facts from range(3, 6)"
    )
    limits = Limits(event_values=4)
    options: list[dict[str, Any]] = [{}, {"json": "text"}, {"attributes": "facts"}]
    for given in options:
        assert sorted(row[0] for row in match(frame, path, limits=limits, **given).collect()) == [3, 4]
        (bad,) = rejects(frame, path, limits=limits, **given).collect()
        assert bad["event_id"] == 5 and "5 values, more than the 4" in bad["error"]
