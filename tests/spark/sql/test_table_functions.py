"""Do the table functions of SQL answer as the functions of Python do, and refuse what they refuse?"""

from __future__ import annotations

import datetime
import logging
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import eligo
from eligo.errors import InputError
from eligo.spark import count, match, register, top
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.sql.planned_calls import COUNT, MATCH, TOP
from eligo.spark.sql.registration import OVER_BATCHES, OVER_ROWS, _table_function, takes_arrow
from eligo.spark.sql.told_functions import DriverKnows, told_function
from eligo.workloads import sample
from spark_rows import rows


@pytest.fixture(scope="module", autouse=True)
def registered(spark: SparkSession) -> None:
    register(spark)
    # Spark's own Python side logs every query that is refused.
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)


@pytest.fixture(scope="module")
def sample_index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("sql") / "sample.index")
    eligo.build(sample.expressions(300, seed=3), on_error="reject").save(path)
    events = pa.Table.from_batches(list(sample.events(1_000, seed=3)))
    spark.createDataFrame(events).repartition(3).createOrReplaceTempView("sample_events")
    return path


def refused(spark: SparkSession, query: str) -> str:
    """What an error of ours says of a query."""
    with pytest.raises(eligo.EligoError) as raised, worker_errors():
        spark.sql(query).collect()
    return str(raised.value)


def test_the_sample_as_in_python(spark: SparkSession, sample_index: str) -> None:
    events = spark.table("sample_events")
    found = spark.sql(f"SELECT * FROM eligo_match(TABLE(sample_events), '{sample_index}')")
    assert found.dtypes == match(events, sample_index).dtypes
    assert rows(found) == rows(match(events, sample_index))
    assert found.count() > 100
    best = spark.sql(f"SELECT * FROM eligo_top(TABLE(sample_events), '{sample_index}', n => 2)")
    assert best.dtypes == top(events, sample_index, 2).dtypes
    assert rows(best) == rows(top(events, sample_index, 2))


def test_counts_are_those_of_all_events(spark: SparkSession, sample_index: str) -> None:
    events = spark.table("sample_events")
    counted = spark.sql(f"SELECT * FROM eligo_count(TABLE(sample_events), '{sample_index}')")
    assert counted.dtypes == count(events, sample_index).dtypes
    expected = rows(count(events, sample_index))
    assert rows(counted) == expected
    assert counted.count() == len(expected), "an expression has one row"
    in_parts = f"eligo_count(TABLE(sample_events), '{sample_index}', partial => true)"
    assert spark.sql(f"SELECT * FROM {in_parts}").count() > len(expected), "each task has its own"
    summed = spark.sql(f"SELECT expression_id, sum(matches) FROM {in_parts} GROUP BY expression_id")
    assert rows(summed) == expected
    by = spark.sql(f"SELECT * FROM eligo_count(TABLE(sample_events), '{sample_index}', by => array('state', 'gender'))")
    expected_by = rows(count(events, sample_index, by=["state", "gender"]))
    assert rows(by) == expected_by
    assert by.count() == len(expected_by)


def test_arguments_by_name(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build([(7, "age > 3"), (9, "age > 30")]).save(path)
    eligo.build([(7, "age > 100")]).save(path, expected_version="any")
    seen = datetime.datetime(2026, 3, 1, 12)
    spark.createDataFrame(
        [(seen, 5, "a"), (None, 50, "b")], "seen timestamp, age long, `k.x` string"
    ).createOrReplaceTempView("named")
    query = (
        f"SELECT * FROM eligo_match(index => '{path}', events => TABLE(SELECT * FROM named), version => 1, "
        "event_id => array('seen', 'k.x'), keep => 'age', expression_id => 'rule', memory => NULL)"
    )
    assert "no argument 'memory'" in refused(spark, query)
    found = spark.sql(query.replace(", memory => NULL", ", json => NULL"))
    assert found.dtypes == [("seen", "timestamp"), ("k.x", "string"), ("age", "bigint"), ("rule", "bigint")]
    assert rows(found) == {(seen, "a", 5, 7), (None, "b", 50, 7), (None, "b", 50, 9)}


def test_every_form_of_events(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    texts = {"a.b": '"we`ird.x" = 1.5', "vip": "user.vip", "march": "day under '2026/03'", "list": "tags = 'x'"}
    eligo.build({**texts, "big": "n > 10"}).save(path)
    spark.sql(
        "SELECT 1 AS event_id, 1.50BD AS `we``ird.x`, struct(true AS vip, 2BD AS price) AS user, "
        "date '2026-03-02' AS day, array('x', 'y') AS tags, 11BD AS n, binary('z') AS no "
        "UNION ALL SELECT 2, NULL, NULL, NULL, NULL, NULL, NULL"
    ).createOrReplaceTempView("shapes")
    expected = {(1, "a.b"), (1, "vip"), (1, "march"), (1, "list"), (1, "big")}
    assert rows(match(spark.table("shapes"), path)) == expected
    assert rows(spark.sql(f"SELECT * FROM eligo_match(TABLE(shapes), '{path}')")) == expected
    as_json = "SELECT event_id, to_json(struct(tags, n, user)) AS j FROM shapes"
    found = spark.sql(f"SELECT * FROM eligo_match(TABLE({as_json}), '{path}', json => 'j')")
    assert rows(found) == {(1, "list"), (1, "big"), (1, "vip")}
    as_map = "SELECT event_id, map('tags', 'x') AS m FROM shapes"
    assert rows(spark.sql(f"SELECT * FROM eligo_match(TABLE({as_map}), '{path}', attributes => 'm')")) == {
        (1, "list"),
        (2, "list"),
    }


def test_tables_without_rows_or_attributes(spark: SparkSession, sample_index: str) -> None:
    none = "TABLE(SELECT * FROM sample_events WHERE age < -1)"
    assert spark.sql(f"SELECT * FROM eligo_match({none}, '{sample_index}')").count() == 0
    assert spark.sql(f"SELECT * FROM eligo_count({none}, '{sample_index}')").count() == 0
    ids = "TABLE(SELECT event_id FROM sample_events)"
    assert spark.sql(f"SELECT * FROM eligo_count({ids}, '{sample_index}')").count() == 0


def test_bad_events(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build({"big": "n > 10"}).save(path)
    bad = [(1, Decimal(11)), (2, Decimal(10) ** 30), (3, None)]
    spark.createDataFrame(bad, "event_id int, n decimal(38,0)").createOrReplaceTempView("bad_events")
    assert rows(spark.sql(f"SELECT * FROM eligo_match(TABLE(bad_events), '{path}')")) == {(1, "big")}
    kept = spark.sql(f"SELECT * FROM eligo_match(TABLE(bad_events), '{path}', on_error => 'keep')").collect()
    assert {(row["event_id"], row["expression_id"], row["error"] is None) for row in kept} == {
        (1, "big", True),
        (2, None, False),
    }
    spark.sparkContext.setLogLevel("OFF")
    said = refused(spark, f"SELECT * FROM eligo_match(TABLE(bad_events), '{path}', on_error => 'raise')")
    spark.sparkContext.setLogLevel("ERROR")
    assert "the event with event_id 2 cannot be read" in said


def test_the_version_is_the_one_when_the_query_is_analysed(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    eligo.build({"old": "age = 1"}).save(path)
    spark.sql("SELECT 1 AS event_id, 1 AS age").createOrReplaceTempView("one_event")
    before = spark.sql(f"SELECT * FROM eligo_match(TABLE(one_event), '{path}')")
    eligo.build({"new": "age = 1"}).save(path, expected_version="any")
    assert rows(before) == {(1, "old")}
    assert rows(spark.sql(f"SELECT * FROM eligo_match(TABLE(one_event), '{path}')")) == {(1, "new")}


REFUSED = {
    "eligo_match(TABLE(sample_events), '{path}.not')": "cannot open the index",
    "eligo_match(TABLE(sample_events), '{path}', event_id => 'nope')": "no column 'nope'",
    "eligo_match(TABLE(sample_events), '{path}', event_id => 7)": "event_id",
    "eligo_match(TABLE(sample_events), '{path}', version => 99)": "99",
    "eligo_match(TABLE(sample_events), '{path}', version => 'two')": "version is a whole number",
    "eligo_match(TABLE(sample_events), '{path}', on_error => 'shrug')": "on_error",
    "eligo_match(TABLE(sample_events), '{path}', evnt_id => 'x')": "no argument 'evnt_id'",
    "eligo_match(TABLE(sample_events), '{path}', index => 'x')": "twice",
    "eligo_match(TABLE(sample_events), NULL)": "not told its index",
    "eligo_match(TABLE(sample_events))": "not told its index",
    "eligo_match('{path}')": "the first argument of eligo_match is a table",
    "eligo_match(TABLE(sample_events), '{path}', rand())": "takes 2 arguments",
    "eligo_match(TABLE(sample_events), index => string(rand()))": "is a constant",
    "eligo_match(TABLE(SELECT 1 AS event_id, 1 AS age, 2 AS AGE), '{path}')": "alike but for case",
    "eligo_match(TABLE(SELECT 1 AS event_id, binary('x') AS age), '{path}')": "which has no values",
    "eligo_match(TABLE(sample_events), '{path}', expression_id => 'event_id')": "two columns 'event_id'",
    "eligo_top(TABLE(sample_events), '{path}')": "not told its n",
    "eligo_top(TABLE(sample_events), '{path}', 0)": "the 0 best matches are none",
    "eligo_count(TABLE(sample_events), '{path}', by => 'interests')": "by= takes columns of plain values",
    "eligo_count(TABLE(sample_events), '{path}', on_error => 'keep')": "rows for expressions only",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused(spark: SparkSession, sample_index: str, call: str) -> None:
    said = refused(spark, f"SELECT * FROM {call.format(path=sample_index)}")
    assert REFUSED[call] in said
    assert "SQLSTATE" not in said


def test_what_versions_of_spark_can_do() -> None:
    with pytest.raises(InputError, match=r"needs Spark 4\.0 or later, and this is 3\.5\.9"):
        takes_arrow("3.5.9")
    assert not takes_arrow("4.0.1")
    assert takes_arrow("4.1.0-SNAPSHOT")
    assert takes_arrow("4.10.0")


def test_a_path_of_this_machine_is_refused_on_a_cluster(spark: SparkSession, tmp_path: Path) -> None:
    """As it would be told when registered there, and before any task runs."""
    eligo.build({"a": "age = 1"}).save(tmp_path / "x.index")
    known = DriverKnows(None, "spark://elsewhere:7077")
    has_arrow = takes_arrow(spark.version)
    functions = OVER_BATCHES if has_arrow else OVER_ROWS
    for name, rest in {MATCH: "", TOP: ", n => 1", COUNT: ""}.items():
        told = _table_function("told", told_function(functions[name], known), has_arrow=has_arrow)
        spark.udtf.register("told", told)
        query = f"SELECT * FROM told(TABLE(SELECT 7 AS event_id, 1 AS age), '{{}}{tmp_path / 'x.index'}'{rest})"
        with pytest.raises(PySparkException, match="the workers of spark://elsewhere:7077 are other machines"):
            spark.sql(query.format(""))
        assert spark.sql(query.format("file://")).count() == 1, "by the user's word"


def test_joined_with_other_tables(spark: SparkSession, sample_index: str) -> None:
    """A call is a table like any other."""
    query = (
        f"SELECT state, count(*) FROM eligo_match(TABLE(sample_events), '{sample_index}') "
        "JOIN sample_events USING (event_id) GROUP BY state"
    )
    joined = match(spark.table("sample_events"), sample_index).join(spark.table("sample_events"), "event_id", "inner")
    assert rows(spark.sql(query)) == rows(joined.groupBy("state").count())


def test_errors_of_spark_stay_its_own(spark: SparkSession) -> None:
    with pytest.raises(PySparkException), worker_errors():
        spark.sql("SELECT * FROM eligo_match(TABLE(no_such_table), 'x')")
