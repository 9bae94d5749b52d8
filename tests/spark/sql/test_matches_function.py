"""Does the scalar function give, row by row, what `match` finds?"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyspark
import pytest
from pyspark.sql import SparkSession

import eligo
from eligo.errors import EligoError
from eligo.spark import match, register
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.sql.matches_function import eligo_matches
from eligo.spark.sql.registration import OVER_ROWS, takes_arrow
from eligo.workloads import sample

needs_arrow = pytest.mark.skipif(not takes_arrow(pyspark.__version__), reason="functions over Arrow need Spark 4.1")


@pytest.fixture(scope="module", autouse=True)
def registered(spark: SparkSession) -> None:
    register(spark)


@needs_arrow
def test_the_sample_as_match_finds_it(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "sample.index")
    eligo.build(sample.expressions(300, seed=4), on_error="reject").save(path)
    events = spark.createDataFrame(pa.Table.from_batches(list(sample.events(800, seed=4)))).repartition(2)
    events.createOrReplaceTempView("scalar_events")
    found = spark.sql(f"SELECT event_id, eligo_matches(struct(*), '{path}') AS ids FROM scalar_events").collect()
    assert len(found) == 800
    pairs = {(row["event_id"], id) for row in found for id in row["ids"]}
    assert pairs == {tuple(row) for row in match(events, path).collect()}
    assert len(pairs) > 100


@needs_arrow
def test_forms_and_arguments(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build([(7, "age > 3"), (9, "age > 30 and state = 'CA'")]).save(path)
    spark.sql("SELECT 1 AS id, 50 AS age, 'CA' AS state UNION ALL SELECT 2, NULL, NULL").createOrReplaceTempView("few")
    query = f"""
        SELECT id, eligo_matches(index => '{path}', event => struct(*), version => 1) AS ids,
               eligo_matches(to_json(struct(*)), '{path}') AS of_json,
               eligo_matches(map('state', state), '{path}') AS of_map,
               eligo_matches(IF(id = 1, struct(age), NULL), '{path}') AS of_some,
               CAST(eligo_matches(struct(age), '{path}') AS array<bigint>) AS numbers
        FROM few ORDER BY id"""
    one, two = (tuple(row) for row in spark.sql(query).collect())
    assert one == (1, ["7", "9"], ["7", "9"], [], ["7"], [7])
    assert two == (2, [], [], [], None, [])


def column(*values: object) -> pa.Array:
    return pa.array(values)


def test_bad_events_are_null_or_end_the_query(tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build({"big": "n > 10"}).save(path)
    numbers = pa.array([Decimal(11), Decimal(10) ** 30, None], pa.decimal128(38, 0))
    events = pa.StructArray.from_arrays([numbers], ["n"])
    where = column(path, path, path)
    assert eligo_matches(events, where).to_pylist() == [["big"], None, []]
    with pytest.raises(EligoError, match="decimal"):
        eligo_matches(events, where, on_error=column("raise", "raise", "raise"))


@needs_arrow
def test_what_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build({"big": "n > 10"}).save(path)
    events = pa.StructArray.from_arrays([column(1, 2)], ["n"])
    refused = {
        "not told its index": (events, pa.nulls(2, pa.string())),
        "of several values": (events, column(path, "other")),
        "cannot open the index": (events, column(str(tmp_path / "no"), str(tmp_path / "no"))),
        "version is a whole number": (events, column(path, path), column("a", "a")),
        "which has no attributes": (column(1, 2), column(path, path)),
        "two fields of the event": (pa.StructArray.from_arrays([column(1)] * 2, ["n", "n"]), column(path)),
        "which has no values": (pa.StructArray.from_arrays([column(b"x")], ["n"]), column(path)),
    }
    for said, arguments in refused.items():
        with pytest.raises(EligoError, match=said):
            eligo_matches(*arguments)
    spark.sparkContext.setLogLevel("OFF")
    with pytest.raises(EligoError, match="cannot open the index"), worker_errors():
        spark.sql("SELECT eligo_matches(struct(1 AS n), '/nowhere/x.index')").collect()
    spark.sparkContext.setLogLevel("ERROR")


def test_functions_over_rows_answer_the_same(spark: SparkSession, tmp_path: Path) -> None:
    """What Spark 4.0 is given works on every version."""
    from pyspark.sql.functions import udtf

    path = str(tmp_path / "sample.index")
    eligo.build(sample.expressions(100, seed=4), on_error="reject").save(path)
    events = spark.createDataFrame(pa.Table.from_batches(list(sample.events(300, seed=4)))).repartition(2)
    events.createOrReplaceTempView("row_events")
    for name, function in OVER_ROWS.items():
        spark.udtf.register(f"{name}_rows", udtf(function, useArrow=False))
        last = ", 2" if name == "eligo_top" else ""
        over_rows = spark.sql(f"SELECT * FROM {name}_rows(TABLE(row_events), '{path}'{last})")
        over_batches = spark.sql(f"SELECT * FROM {name}(TABLE(row_events), '{path}'{last})")
        assert sorted(over_rows.collect()) == sorted(over_batches.collect())
        assert over_rows.dtypes == over_batches.dtypes
        assert over_rows.count() > 10
