"""Is an index a table of Spark: read as it is, and written whole or not at all?"""

from __future__ import annotations

import logging
import time
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import EligoError
from eligo.spark import build, register, update
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.source.data_source import source_of
from spark_rows import rows

SCHEMA = "id string, expression string"


@pytest.fixture(scope="module", autouse=True)
def registered(spark: SparkSession) -> None:
    register(spark)
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)


def read(spark: SparkSession, path: Path, **options: object) -> DataFrame:
    return spark.read.format("eligo").options(**options).load(str(path))  # type: ignore[arg-type]


def write(frame: DataFrame, path: Path, mode: str, **options: object) -> None:
    with worker_errors():
        frame.write.format("eligo").mode(mode).options(**options).save(str(path))  # type: ignore[arg-type]


def test_expressions_of_any_version(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    texts = [(f"e{number}", f"age = {number}") for number in range(50)]
    build(spark.createDataFrame(texts, SCHEMA), path, target_shard_rows=20)
    update(path, spark.createDataFrame([("e1", "age = 100")], SCHEMA), spark.createDataFrame([("e2",)], "id string"))
    live = read(spark, path)
    assert live.dtypes == [("id", "string"), ("expression", "string")]
    assert rows(live) == {*(pair for pair in texts if pair[0] not in ("e1", "e2")), ("e1", "age = 100")}
    assert rows(read(spark, path, version=1)) == set(texts)
    assert live.where("id = 'e7'").select("expression").collect()[0][0] == "age = 7"


def test_versions_and_statistics(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "numbers.index"
    eligo.build([(1, "a = 1"), (2, "b = 2 and a = 1")]).save(path)
    eligo.build([(1, "a = 1")]).save(path, expected_version="any")
    assert read(spark, path).dtypes[0] == ("id", "bigint")
    versions = read(spark, path, table="versions").orderBy("version").collect()
    assert [(row["version"], row["expressions"], row["is_live"]) for row in versions] == [(1, 2, False), (2, 1, True)]
    found = {row["name"]: row["value"] for row in read(spark, path, table="statistics", version=1).collect()}
    assert (found["num_live"], found["num_attributes"], found["version"]) == (2, 2, 1)
    assert found["num_bytes"] == eligo.open(path, version=1).stats().num_bytes


def test_an_empty_index(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({}).save(tmp_path / "x.index")
    assert read(spark, tmp_path / "x.index").count() == 0


def test_in_sql(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"a": "x = 1"}).save(tmp_path / "x.index")
    spark.sql(f"CREATE TEMPORARY VIEW ads USING eligo OPTIONS (path '{tmp_path / 'x.index'}')")
    assert rows(spark.sql("SELECT id FROM ads WHERE expression LIKE '%x%'")) == {("a",)}
    spark.catalog.dropTempView("ads")


def test_overwrite_builds(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    first = spark.createDataFrame([(f"e{number}", f"age = {number}") for number in range(30)], SCHEMA).repartition(3)
    write(first, path, "overwrite", missing="false", engine="k_index")
    assert (len(eligo.open(path)), eligo.open(path).missing, eligo.open(path).engine_name) == (30, "false", "k_index")
    named = spark.createDataFrame([(f"age = {number}", number) for number in range(20)], "rule string, number int")
    write(named, path, "overwrite", id="number", expression="rule")
    assert eligo.open(path).ids == list(range(20)) or set(eligo.open(path).ids) == set(range(20))
    assert rows(read(spark, path, version=1)) == rows(first)
    assert not list((path / "shards").glob(".eligo-*")), "what was put aside is gone"


def test_append_changes(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    write(spark.createDataFrame([("a", "x = 1"), ("b", "x = 2")], SCHEMA), path, "append")
    changes = [("b", "x = 3", False), ("c", "x = 4", False), ("a", None, True), ("no", None, True)]
    write(spark.createDataFrame(changes, f"{SCHEMA}, gone boolean").repartition(2), path, "append", deleted="gone")
    assert rows(read(spark, path)) == {("b", "x = 3"), ("c", "x = 4")}
    assert rows(read(spark, path, version=1)) == {("a", "x = 1"), ("b", "x = 2")}
    write(spark.createDataFrame([], SCHEMA), path, "append")
    assert read(spark, path, table="versions").count() == 2, "nothing was changed"


def test_nothing_becomes_everybodys_in_an_index_of_tenants(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    build(spark.createDataFrame([("a", "x = 1", "s1")], f"{SCHEMA}, shop string"), path, tenant="shop")
    spark.sparkContext.setLogLevel("OFF")
    for text in ("x = 2", "\"@tenant\" = 's1' or x = 2", "not \"@tenant\" = 's1'"):
        with pytest.raises(EligoError, match="would be everybody's"):
            write(spark.createDataFrame([("b", text)], SCHEMA), path, "append")
    spark.sparkContext.setLogLevel("ERROR")
    assert rows(read(spark, path, table="versions").select("version")) == {(1,)}
    texts = {"a": "(x = 3)", "b": "x = 2 -- of s2"}
    guarded = [(id, f"\"@tenant\" = '{shop}'^0 and (\n{texts[id]}\n)") for id, shop in (("a", "s1"), ("b", "s2"))]
    write(spark.createDataFrame(guarded, SCHEMA), path, "append")
    assert rows(read(spark, path)) == set(guarded)
    assert eligo.open(path).match({"@tenant": "s2", "x": 2}) == ["b"]
    assert eligo.open(path).match({"@tenant": "s1", "x": 2}) == []
    gone = spark.createDataFrame([("a", None, True)], f"{SCHEMA}, gone boolean")
    write(gone, path, "append", deleted="gone")
    assert rows(read(spark, path).select("id")) == {("b",)}


def test_whole_or_nothing(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"old": "x = 1"}).save(path)
    spark.sparkContext.setLogLevel("OFF")
    bad = spark.createDataFrame([("a", "x = 1"), ("b", "x = (")], SCHEMA).repartition(2)
    for mode in ("overwrite", "append"):
        with pytest.raises(EligoError, match="1 expression could not be built"):
            write(bad, path, mode)
    cut_off = spark.range(0, 40, 1, 4).select(
        F.col("id").cast("string"), F.expr("IF(id = 39, raise_error('cut off'), 'x = 1')").alias("expression")
    )
    with pytest.raises(Exception, match="cut off"):
        write(cut_off, path, "overwrite")
    spark.sparkContext.setLogLevel("ERROR")
    assert rows(read(spark, path)) == {("old", "x = 1")}
    assert read(spark, path, table="versions").count() == 1
    deadline = time.monotonic() + 60
    while (left := list((path / "shards").glob(".eligo-*"))) and time.monotonic() < deadline:
        time.sleep(0.1)  # tasks may outlive the job that failed
    assert not left


def test_rejects_are_kept_where_they_are_wanted(spark: SparkSession, tmp_path: Path) -> None:
    path, aside = tmp_path / "x.index", tmp_path / "rejects.jsonl"
    bad = spark.createDataFrame([("a", "x = 1"), ("b", "x = ("), ("c", "x = 2")], SCHEMA)
    write(bad, path, "overwrite", on_error="reject", rejects=str(aside))
    assert rows(read(spark, path)) == {("a", "x = 1"), ("c", "x = 2")}
    assert [row["id"] for row in spark.read.json(str(aside)).collect()] == ["b"]


def test_two_writers_do_not_undo_each_other(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"old": "x = 1"}).save(path)
    one = spark.createDataFrame([("a", "x = 1")], SCHEMA)
    spark.sparkContext.setLogLevel("OFF")
    with pytest.raises(EligoError, match="has version 1, and 0 was expected"):
        write(one, path, "overwrite", expected_version=0)
    spark.sparkContext.setLogLevel("ERROR")
    write(one, path, "overwrite", expected_version=1)


REFUSED: dict[str, tuple[dict[str, object], str]] = {
    "an option": ({"verison": 1}, "no option 'verison'"),
    "a table": ({"table": "rows"}, "table"),
    "a version": ({"version": 9}, "9"),
    "no version": ({"version": "new"}, "version is a whole number"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_read(spark: SparkSession, tmp_path: Path, what: str) -> None:
    eligo.build({"a": "x = 1"}).save(tmp_path / "x.index")
    options, said = REFUSED[what]
    with pytest.raises(EligoError, match=said), worker_errors():
        read(spark, tmp_path / "x.index", **options).collect()


def test_what_cannot_be_written(spark: SparkSession, tmp_path: Path) -> None:
    spark.sparkContext.setLogLevel("OFF")
    with pytest.raises(EligoError, match="cannot open the index"), worker_errors():
        read(spark, tmp_path / "no.index").collect()
    good = spark.createDataFrame([("a", "x = 1")], SCHEMA)
    with pytest.raises(EligoError, match="no column 'id'"):
        write(good.drop("id"), tmp_path / "x.index", "append")
    with pytest.raises(EligoError, match="ids of type double"):
        write(good.withColumn("id", F.lit(1.5)), tmp_path / "x.index", "append")
    with pytest.raises(EligoError, match="make it boolean"):
        write(good, tmp_path / "x.index", "append", deleted="expression")
    with pytest.raises(Exception, match="ErrorIfExists"):
        write(good, tmp_path / "x.index", "error")
    spark.sparkContext.setLogLevel("ERROR")
    assert not (tmp_path / "x.index" / "manifest.json").exists()


def test_a_path_of_this_machine_is_refused_on_a_cluster(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"a": "age = 1"}).save(path)
    rows = spark.createDataFrame([("a", "age = 2")], "id string, expression string")
    spark.dataSource.register(source_of("spark://elsewhere:7077"))
    try:
        for ask in (
            lambda: spark.read.format("eligo").load(str(path)),
            lambda: spark.read.format("eligo").schema("id string, expression string").load(str(path)).count(),
            lambda: write(rows, path, "overwrite"),
        ):
            with (
                pytest.raises(EligoError, match="the workers of spark://elsewhere:7077 are other machines"),
                worker_errors(),
            ):
                ask()
        assert spark.read.format("eligo").load(f"file://{path}").count() == 1, "by the user's word"
    finally:
        register(spark)
    assert eligo.open(path).match({"age": 1}) == ["a"]
