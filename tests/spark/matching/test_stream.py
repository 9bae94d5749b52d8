"""Does a stream match each event exactly once, with the version that is live, whatever happens between?"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import eligo
from eligo.errors import InputError
from eligo.spark import stream
from eligo.spark.matching.stream import StreamBatch

ONCE = {"availableNow": True}


def lines(directory: Path, name: str, ages: range) -> None:
    """A file of events that appears whole, as a source of files must."""
    text = "".join(json.dumps({"event_id": age, "age": age}) + "\n" for age in ages)
    (directory.parent / name).write_text(text)
    os.replace(directory.parent / name, directory / name)


def events(spark: SparkSession, directory: Path) -> DataFrame:
    rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(directory))
    return rows.selectExpr("cast(get_json_object(value, '$.event_id') as long) as event_id", "value")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    directory = tmp_path / "events"
    directory.mkdir()
    return directory


def run(spark: SparkSession, source: Path, tmp_path: Path, **options: Any) -> list[StreamBatch]:
    done: list[StreamBatch] = []
    query = stream(
        events(spark, source),
        tmp_path / "x.index",
        tmp_path / "out",
        checkpoint=tmp_path / "checkpoint",
        json="value",
        **{"trigger": ONCE, "on_batch": done.append, **options},
    )
    query.awaitTermination()
    return done


def matches(spark: SparkSession, tmp_path: Path) -> list[tuple[int, str]]:
    return sorted(
        (row["event_id"], row["expression_id"]) for row in spark.read.parquet(str(tmp_path / "out")).collect()
    )


def test_a_new_version_is_taken_up_and_nothing_comes_twice(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    eligo.build({"old": "age < 100"}).save(tmp_path / "x.index")
    lines(source, "a", range(0, 5))

    def publish(batch: StreamBatch) -> None:
        if batch.batch == 0:
            eligo.build({"new": "age < 100"}).save(tmp_path / "x.index", expected_version="any")

    lines(source, "b", range(5, 8))
    query = stream(
        events(spark, source),
        tmp_path / "x.index",
        tmp_path / "out",
        checkpoint=tmp_path / "checkpoint",
        trigger=ONCE,
        json="value",
        on_batch=publish,
    )
    query.awaitTermination()
    found = dict(matches(spark, tmp_path))
    assert sorted(found) == list(range(8))
    first = json.loads((tmp_path / "out" / "_batches" / "0.json").read_text())
    assert (first["version"], first["num_matches"]) == (1, first["num_events"])
    second = json.loads((tmp_path / "out" / "_batches" / "1.json").read_text())
    assert second["version"] == 2
    assert set(found.values()) == {"old", "new"}
    lines(source, "c", range(8, 10))
    (third,) = run(spark, source, tmp_path)
    assert (third.batch, third.version, third.num_events, third.num_matches) == (2, 2, 2, 2)
    assert run(spark, source, tmp_path) == []
    assert [event for event, _ in matches(spark, tmp_path)] == list(range(10))


def test_a_batch_that_failed_at_any_moment_is_done_once(
    spark: SparkSession, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eligo.build({"all": "age exists"}).save(tmp_path / "x.index")
    lines(source, "a", range(0, 6))
    with (source / "a").open("a") as file:
        file.write(f'{{"event_id": 6, "age": {10**30}}}\n')
    out, rejects = tmp_path / "out", tmp_path / "out" / "_rejects" / "batch=0"

    def broken(*arguments: object) -> None:
        raise RuntimeError("cut off")

    def cut_off(**options: Any) -> None:
        with pytest.raises(Exception, match="cut off"):
            run(spark, source, tmp_path, **options)
        monkeypatch.undo()

    spark.sparkContext.setLogLevel("OFF")
    module = sys.modules["eligo.spark.matching.stream"]
    monkeypatch.setattr(module, "put_directory", broken)  # when all is written aside
    cut_off()
    assert not rejects.exists()
    monkeypatch.setattr(module, "json", SimpleNamespace(dumps=broken))  # when the rejects are in their place
    cut_off()
    assert rejects.exists()
    assert not (out / "batch=0").exists()
    # The next attempt is against a version that has no use for what was wrong with the bad event.
    eligo.build({"all": "event_id exists"}).save(tmp_path / "x.index", expected_version="any")
    cut_off(on_batch=broken)  # when all is in its place
    spark.sparkContext.setLogLevel("ERROR")
    assert (out / "batch=0").exists()
    assert run(spark, source, tmp_path) == []
    assert matches(spark, tmp_path) == [(age, "all") for age in range(7)]
    assert not rejects.exists()
    told = json.loads((out / "_batches" / "0.json").read_text())
    assert (told["version"], told["num_events"], told["num_rejected"], told["num_matches"]) == (2, 7, 0, 7)


def test_bad_events_are_put_aside(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    eligo.build({"all": "age exists"}).save(tmp_path / "x.index")
    lines(source, "a", range(3))
    (source / "b").write_text('{"event_id": 9, "age": \n{"event_id": 4, "age": 4}\n')
    done = run(spark, source, tmp_path)
    assert sum(batch.num_rejected for batch in done) == 1
    assert [event for event, _ in matches(spark, tmp_path)] == [0, 1, 2, 4]
    (bad,) = spark.read.parquet(str(tmp_path / "out" / "_rejects")).collect()
    assert "not JSON" in bad["error"]
    (source / "c").write_text("{\n")
    run(spark, source, tmp_path, rejects=tmp_path / "bad")
    assert [row["batch"] for row in spark.read.parquet(str(tmp_path / "bad")).collect()] == [2]


def test_a_checkpoint_and_its_output_belong_together(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    eligo.build({"all": "age exists"}).save(tmp_path / "x.index")
    lines(source, "a", range(3))
    run(spark, source, tmp_path)
    lines(source, "b", range(3, 5))
    ways = {"checkpoint": tmp_path / "new", "out": tmp_path / "new"}
    for name, path in ways.items():
        places = {"out": tmp_path / "out", "checkpoint": tmp_path / "checkpoint", name: path}
        with pytest.raises(InputError, match=r"of another stream|with another output"):
            stream(events(spark, source), tmp_path / "x.index", json="value", trigger=ONCE, **places)
    for trigger in ({"processingTime": "x y"}, {"sometimes": True}, {"processingTime": "-1 second"}):
        with pytest.raises(InputError, match="does not say when a batch starts"):
            run(spark, source, tmp_path, trigger=trigger)
    for mark in (tmp_path / "out" / "_stream.json", tmp_path / "checkpoint" / "eligo-stream.json"):
        mark.unlink()  # as it was before there were marks
    assert [batch.num_events for batch in run(spark, source, tmp_path)] == [2]
    assert [event for event, _ in matches(spark, tmp_path)] == [0, 1, 2, 3, 4]


def test_tenants_and_times_are_asked_for_before_it_starts(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    eligo.build({"a": "\"@tenant\" = 'x' and age > 1"}).save(tmp_path / "x.index")
    columns = events(spark, source).selectExpr("event_id", "value as age")
    with pytest.raises(InputError, match="belong to tenants"):
        stream(columns, tmp_path / "x.index", tmp_path / "out", checkpoint=tmp_path / "c")


def test_what_is_no_stream(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no stream"):
        stream(spark.range(3), tmp_path / "x.index", tmp_path / "out", checkpoint=tmp_path / "c")
