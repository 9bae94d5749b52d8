"""Does Spark give the same matches as the index asked directly, whatever the shape and format of the events?"""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import EligoError, InputError, StorageError
from eligo.spark import match, sample, tables
from eligo.spark.match_files import match_files

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
    index, _ = eligo.build(sample.expressions(300, seed=3), on_error="reject")
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
    eligo.build({"new": "age = 1"}).save(path)
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
        match_files(spark, index_path, str(lines), str(tmp_path / "out.jsonl"))
    spark.sparkContext.setLogLevel("ERROR")
    assert "JSON" in str(raised.value)
    assert "Traceback" not in str(raised.value)


def test_a_map_of_attributes(spark: SparkSession, index_path: str) -> None:
    rows = [(1, {"state": "CA", "zip": "02139"}), (2, {}), (3, None)]
    events = spark.createDataFrame(rows, "event_id long, attrs map<string, string>")
    assert pairs(match(events, index_path, attributes="attrs")) == {(1, "west"), (1, "boston")}
    with pytest.raises(InputError, match="not as both"):
        match(events, index_path, attributes="attrs", json="attrs")


def test_the_function_wins_over_its_module() -> None:
    import eligo.spark.match as module
    from eligo.spark.match import EventSource

    assert eligo.spark.match is match
    assert module is match
    assert EventSource("id").json is None
