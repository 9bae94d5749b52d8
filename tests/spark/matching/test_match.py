"""Does Spark give the same matches as the index asked directly, whatever the shape and format of the events?"""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import EligoError, InputError, StorageError
from eligo.index.events.event_source import EventColumns
from eligo.index.stored.opened_version import index_version
from eligo.index.stored.shard_groups import ShardGroup, shard_groups
from eligo.spark import build, match, parquet_events, rejects
from eligo.spark.matching.match_files import match_files
from eligo.spark.tables import tables
from eligo.workloads import sample

EXPRESSIONS = {
    "young": "age < 25",
    "west": "state in ('CA', 'WA')",
    "golfer": "interests = 'golf' and not age < 25",
    "march": "day under '2026/03'",
    "boston": "zip = '02139'",
    "vip": "user.vip",
}


@pytest.fixture(scope="module")
def index_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("match") / "ads.index")
    eligo.build(EXPRESSIONS).save(path)
    return path


def pairs(frame: object) -> set[tuple[object, object]]:
    return {tuple(row) for row in frame.collect()}  # type: ignore[attr-defined]


def test_wide_columns(spark: SparkSession, index_path: str) -> None:
    rows = [
        ("e1", 20, "CA", ["golf"], datetime.date(2026, 3, 5), (True,), 1.5),
        ("e2", 40, None, ["chess", "golf"], datetime.date(2026, 4, 5), None, 1.5),
        ("e3", None, "NY", [], None, (False,), 1.5),
        ("e4", 40, "WA", None, None, (None,), 1.5),
    ]
    schema = (
        "event_id string, age int, state string, interests array<string>, day date, user struct<vip: boolean>, x double"
    )
    matches = match(spark.createDataFrame(rows, schema), index_path)
    assert matches.dtypes == [("event_id", "string"), ("expression_id", "string")]
    assert pairs(matches) == {
        ("e1", "young"),
        ("e1", "west"),
        ("e1", "march"),
        ("e1", "vip"),
        ("e2", "golfer"),
        ("e4", "west"),
    }


def test_ids_of_other_types_and_names(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "numbers.index"
    eligo.build([(7, "age > 3"), (9, "age > 30")]).save(path)
    moment = datetime.datetime(2026, 3, 1, 12)
    events = spark.createDataFrame([(moment, 5), (None, 50)], "seen timestamp, age long")
    matches = match(events, path, event_id="seen", expression_id="rule")
    assert matches.dtypes == [("seen", "timestamp"), ("rule", "bigint")]
    assert pairs(matches) == {(moment, 7), (None, 7), (None, 9)}


def test_an_attribute_may_be_the_id(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"few": "event_id < 3"}).save(tmp_path / "x.index")
    events = spark.range(5).withColumnRenamed("id", "event_id")
    assert pairs(match(events, tmp_path / "x.index")) == {(0, "few"), (1, "few"), (2, "few")}


def test_sample_agrees_with_the_index(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = eligo.build(sample.expressions(300, seed=3), on_error="reject")
    index.save(tmp_path / "sample.index")
    events = pa.Table.from_batches(list(sample.events(1_500, seed=3)))
    pq.write_table(events, tmp_path / "events.parquet")
    found = pairs(match(spark.read.parquet(str(tmp_path / "events.parquet")).repartition(3), tmp_path / "sample.index"))
    rows = events.drop(["event_id"]).to_pylist()
    expected = {(number, id) for number, row in enumerate(rows) for id in index.match(row)}
    assert found == expected
    assert len(expected) > 100


def test_json_texts_keep_every_kind(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"number": "a = 1", "text": "a = '1'", "day": "d = date '2026-03-01'"}).save(tmp_path / "x.index")
    lines = tmp_path / "events.jsonl"
    events = [{"event_id": 1, "a": 1}, {"event_id": 2, "a": "1"}, {"event_id": 3, "a": [1, "1"], "d": "2026-03-01"}]
    lines.write_text("\n".join(map(json.dumps, events)) + "\n\n")
    table = tables.read_json_events(spark, str(lines))
    matches = match(table, tmp_path / "x.index", json=tables.JSON_EVENT)
    assert pairs(matches) == {(1, "number"), (2, "text"), (3, "number"), (3, "text"), (3, "day")}


def test_csv_keeps_codes_and_infers_the_rest(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    csv, out = tmp_path / "events.csv", tmp_path / "matches.jsonl"
    csv.write_text("event_id,age,zip,day,state\n01,20,02139,2026-03-02,\n02,,2139,,CA\n")
    summary = match_files(spark, index_path, str(csv), str(out))
    assert (summary.num_events, summary.num_matches) == (2, 4)
    found = {tuple(json.loads(line).values()) for line in out.read_text().splitlines()}
    assert found == {("01", "young"), ("01", "boston"), ("01", "march"), ("02", "west")}
    assert {file.name for file in tmp_path.iterdir()} == {"events.csv", "matches.jsonl"}


def test_parquet_out_and_overwrite(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    events, out = str(tmp_path / "events.parquet"), str(tmp_path / "matches.parquet")
    pq.write_table(pa.table({"event_id": [1, 2], "age": [20, 30]}), events)
    match_files(spark, index_path, events, out)
    assert pq.read_table(out).to_pylist() == [{"event_id": 1, "expression_id": "young"}]
    with pytest.raises(InputError, match="there already"):
        match_files(spark, index_path, events, out)
    assert match_files(spark, index_path, events, out, overwrite=True).num_matches == 1


def test_events_without_attributes_or_rows(spark: SparkSession, index_path: str) -> None:
    assert pairs(match(spark.range(3).withColumnRenamed("id", "event_id"), index_path)) == set()
    assert pairs(match(spark.createDataFrame([], "event_id long, age int"), index_path)) == set()


def test_many_matches_are_sent_in_parts(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({f"r{number}": f"age >= {number}" for number in range(600)}).save(tmp_path / "x.index")
    events = spark.range(3_000).select(F.col("id").alias("event_id"), F.lit(700).alias("age")).coalesce(1)
    assert match(events, tmp_path / "x.index").count() == 3_000 * 600


def test_the_version_is_the_one_at_the_call(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    eligo.build({"old": "age = 1"}).save(path)
    events = spark.createDataFrame([(1, 1)], "event_id long, age int")
    before = match(events, path)
    eligo.build({"new": "age = 1"}).save(path, expected_version="any")
    assert pairs(before) == {(1, "old")}
    assert pairs(match(events, path)) == {(1, "new")}


def test_what_cannot_be_matched(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    events = spark.createDataFrame([(1, 1)], "id long, age int")
    with pytest.raises(InputError, match="'event_id'"):
        match(events, index_path)
    with pytest.raises(StorageError):
        match(events, tmp_path / "no.index", event_id="id")


def test_a_bad_event_is_named(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    lines = tmp_path / "events.jsonl"
    lines.write_text('{"event_id": 1, "age": 1}\n{"event_id": 2, "age": \n')
    spark.sparkContext.setLogLevel("OFF")
    with pytest.raises(EligoError) as raised:
        match_files(spark, index_path, str(lines), str(tmp_path / "out.jsonl"), on_error="raise")
    spark.sparkContext.setLogLevel("ERROR")
    assert "JSON" in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_bad_events_are_counted_and_put_aside(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    lines, out, aside = (tmp_path / name for name in ("events.jsonl", "out.jsonl", "rejects.jsonl"))
    good = [f'{{"event_id": {number}, "age": 20}}' for number in range(50)]
    lines.write_text("\n".join([*good[:25], '{"event_id": 98, "age": ', "[7]", *good[25:]]) + "\n")
    summary = match_files(spark, index_path, str(lines), str(out), rejects=str(aside))
    assert (summary.num_events, summary.num_rejected, summary.num_matches) == (52, 2, 50)
    assert len(out.read_text().splitlines()) == 50
    refused = {row["event"]: row["error"] for row in map(json.loads, aside.read_text().splitlines())}
    assert "not JSON" in refused['{"event_id": 98, "age": ']
    assert refused["[7]"] == "an event is a JSON object, not [7]"
    assert set(summary.stages) == {"read", "match", "rejects"}


def test_bad_values_of_columns_and_maps(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"big": "n > 10", "here": "n exists"}).save(tmp_path / "x.index")
    rows = [(1, Decimal(11)), (2, Decimal(10) ** 30), (3, None), (4, Decimal(7))]
    events = spark.createDataFrame(rows, "event_id int, n decimal(38,0)")
    assert pairs(match(events, tmp_path / "x.index")) == {(1, "big"), (1, "here"), (4, "here")}
    (refused,) = rejects(events, tmp_path / "x.index").collect()
    assert refused["event_id"] == 2
    assert refused["error"].startswith("attribute 'n': a decimal")
    kept = match(events, tmp_path / "x.index", on_error="keep").where("error is not null").collect()
    assert [(row["event_id"], row["expression_id"]) for row in kept] == [(2, None)]
    maps = events.select("event_id", F.create_map(F.lit("n"), "n").alias("facts"))
    assert pairs(match(maps, tmp_path / "x.index", attributes="facts")) == {(1, "big"), (1, "here"), (4, "here")}
    assert [row["event_id"] for row in rejects(maps, tmp_path / "x.index", attributes="facts").collect()] == [2]


def test_decimals_equal_the_numbers_of_expressions(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"dime": "price = 0.1", "low": "price <= 0.3", "whole": "units = 3"}).save(tmp_path / "x.index")
    rows = [(1, Decimal("0.10"), Decimal(3), [Decimal("0.3")]), (2, Decimal("0.31"), Decimal(4), [])]
    events = spark.createDataFrame(
        rows, "event_id int, price decimal(10,2), units decimal(9,0), many array<decimal(9,2)>"
    )
    assert pairs(match(events, tmp_path / "x.index")) == {(1, "dime"), (1, "low"), (1, "whole")}
    path = str(tmp_path / "events.parquet")
    events.write.parquet(path)
    assert pairs(match(parquet_events(spark, path), tmp_path / "x.index")) == {(1, "dime"), (1, "low"), (1, "whole")}
    many = events.drop("price").withColumnRenamed("many", "price")
    assert pairs(match(many, tmp_path / "x.index")) == {(1, "low"), (1, "whole")}


def test_columns_without_values_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({"x": "data exists"}).save(tmp_path / "x.index")
    events = spark.createDataFrame([(1, bytearray(b"x"))], "event_id int, data binary")
    with pytest.raises(InputError, match="'data' of the events is of type binary"):
        match(events, tmp_path / "x.index")
    assert match(events.drop("data"), tmp_path / "x.index").count() == 0


def test_several_ids_and_columns_to_keep(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    events = spark.createDataFrame([(1, "a", 20, 0.5), (2, "b", 20, 1.5)], "day int, user string, age int, x double")
    matches = match(events, index_path, event_id=("day", "user"), keep=["x", "age"])
    assert matches.columns == ["day", "user", "x", "age", "expression_id"]
    assert pairs(matches) == {(1, "a", 0.5, 20, "young"), (2, "b", 1.5, 20, "young")}


def test_tenants_and_times(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "x.index")
    rows = [
        ("a", "age > 1", "acme", None, None),
        ("b", "age > 1", "other", None, None),
        ("new", "age > 1", "acme", datetime.datetime(2026, 2, 1), None),
        ("old", "age > 1", "acme", None, datetime.datetime(2026, 2, 1)),
    ]
    schema = "id string, expression string, tenant string, first timestamp, last timestamp"
    build(spark.createDataFrame(rows, schema), path, tenant="tenant", valid_from="first", valid_to="last")
    moment = datetime.datetime(2026, 2, 1)
    given = [(1, 5, "acme", moment), (2, 5, "other", moment), (3, 5, None, moment), (4, 5, "acme", None)]
    events = spark.createDataFrame(given, "event_id int, age int, who string, at timestamp")
    expected = {(1, "a"), (1, "new"), (2, "b"), (4, "a")}
    assert pairs(match(events, path, tenant="who", time="at")) == expected
    before = events.withColumn("at", F.lit("2026-01-31T23:59:59Z"))
    expected_before = {(1, "a"), (1, "old"), (2, "b"), (4, "a"), (4, "old")}
    assert pairs(match(before, path, tenant="who", time="at")) == expected_before
    as_json = before.select("event_id", "who", "at", F.to_json(F.struct("age")).alias("j"))
    assert pairs(match(as_json, path, json="j", tenant="who", time="at")) == expected_before
    as_map = before.select("event_id", "who", "at", F.create_map(F.lit("age"), "age").alias("m"))
    assert pairs(match(as_map, path, attributes="m", tenant="who", time="at")) == expected_before
    events.write.parquet(str(tmp_path / "events.parquet"))
    in_files = parquet_events(spark, str(tmp_path / "events.parquet"))
    assert pairs(match(in_files, path, tenant="who", time="at")) == expected
    with pytest.raises(InputError, match="tenant="):
        match(events, path, time="at")


def test_files_of_any_shape_are_read_by_the_workers(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    first, second = tmp_path / "events" / "state=CA", tmp_path / "events" / "state=NY"
    first.mkdir(parents=True)
    second.mkdir()
    ages = pa.array([20] * 20_000 + [30] * 20_000, pa.int32())
    one = pa.table({"event_id": pa.array(range(40_000), pa.int32()), "age": ages})
    pq.write_table(one, first / "a.parquet")
    pq.write_table(pa.table({"event_id": pa.array([-1, -2], pa.int32())}), second / "b.parquet")
    events = parquet_events(spark, str(tmp_path / "events"))
    assert events.num_rows == 40_002
    assert len(events.pieces) == 5
    found = match(events, index_path)
    assert found.schema["event_id"].dataType.simpleString() == "int"
    counts = {row["expression_id"]: row["count"] for row in found.groupBy("expression_id").count().collect()}
    assert counts == {"young": 20_000, "west": 40_000}
    by_spark = match(events.frame(), index_path)
    assert found.exceptAll(by_spark).count() == by_spark.exceptAll(found).count() == 0


def test_files_that_differ_and_days_in_their_names(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    for day, columns in {
        "2026-03-02": {"event_id": pa.array([1, 2], pa.int64()), "age": pa.array([20, 30], pa.int32())},
        "2026-03-03": {"event_id": pa.array([3], pa.int64())},
        "2026-04-01": {"event_id": pa.array([4], pa.int64()), "age": pa.array([20], pa.int32())},
    }.items():
        (tmp_path / "events" / f"day={day}").mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / "events" / f"day={day}" / "a.parquet")
    events = parquet_events(spark, str(tmp_path / "events"))
    assert len(events.pieces) == 1
    expected = {(1, "young"), (1, "march"), (2, "march"), (3, "march"), (4, "young")}
    assert pairs(match(events, index_path)) == expected
    assert {row["day"] for row in match(events, index_path, keep=["day"]).collect()} == {
        datetime.date(2026, 3, 2),
        datetime.date(2026, 3, 3),
        datetime.date(2026, 4, 1),
    }


def test_partitioned_output(spark: SparkSession, index_path: str, tmp_path: Path) -> None:
    events, out = str(tmp_path / "events.parquet"), str(tmp_path / "matches.parquet")
    pq.write_table(pa.table({"event_id": [1, 2], "age": [20, 21], "day": ["mon", "tue"]}), events)
    columns = EventColumns(keep=("day",))
    match_files(spark, index_path, events, out, columns=columns, partition_by=["day"])
    assert sorted(path.name for path in Path(out).iterdir() if path.is_dir()) == ["day=mon", "day=tue"]
    with pytest.raises(InputError, match="only Parquet"):
        match_files(spark, index_path, events, str(tmp_path / "x.jsonl"), partition_by=["day"])


def test_groups_of_shards_give_the_same(spark: SparkSession, tmp_path: Path) -> None:
    expressions = sample.expressions(400, seed=5)
    frame = spark.createDataFrame(expressions)
    build(frame, tmp_path / "x.index", target_shard_rows=60)
    events = spark.createDataFrame(pa.Table.from_batches(list(sample.events(300, seed=5))))
    version = index_version(tmp_path / "x.index")
    groups = shard_groups(version, memory=1)
    assert len(groups) == len(version.opened_manifest().shards) > 3
    whole = pairs(match(events, tmp_path / "x.index"))
    assert pairs(match(events, tmp_path / "x.index", memory=1)) == whole
    assert len(whole) > 100
    two = sum(shard.num_bytes for shard in version.opened_manifest().shards[:2])
    assert 1 < len(shard_groups(version, memory=two)) < len(groups)
    assert shard_groups(version) == [ShardGroup(version)]


def test_a_map_of_attributes(spark: SparkSession, index_path: str) -> None:
    rows = [(1, {"state": "CA", "zip": "02139"}), (2, {}), (3, None)]
    events = spark.createDataFrame(rows, "event_id long, attrs map<string, string>")
    assert pairs(match(events, index_path, attributes="attrs")) == {(1, "west"), (1, "boston")}
    with pytest.raises(InputError, match="not as both"):
        match(events, index_path, attributes="attrs", json="attrs")


def test_the_function_wins_over_its_module() -> None:
    import eligo.spark.matching.match as module

    assert eligo.spark.match is match
    assert module.match is match
    assert module.rejects is rejects
