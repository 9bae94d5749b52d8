"""Does Spark match, build and update in a store as it does on a disk, and say what it cannot reach?"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

import eligo
import eligo.spark as es
from eligo.errors import EligoError, InputError
from eligo.spark.matching import store_batches
from eligo.spark.session import reachable
from eligo.spark.tables import line_files
from eligo.spark.tables.tables import write
from eligo.storage.kept_versions import list_versions
from eligo.storage.remote.small_files import names_in
from eligo.stores.address import Address, place
from eligo.stores.arrow_files import arrow_file_system
from eligo.stores.store import store_of
from store_places import SECRET, S3Server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

stream_module = importlib.import_module("eligo.spark.matching.stream")

EXPRESSIONS = {f"ad-{number}": f"age >= {number} and state = '{'CA' if number % 2 else 'NY'}'" for number in range(60)}
EVENTS = pa.table(
    {
        "event_id": pa.array(range(200)),
        "age": pa.array([number % 70 for number in range(200)]),
        "state": pa.array(["CA", "NY", None, "TX"] * 50),
    }
)


def upload(path: Path, s3: S3Server, name: str) -> str:
    """The files of a directory, or a file, at an address of their own."""
    top = place(f"{s3.new_home()}/{name}")
    assert isinstance(top, Address)
    for file in [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]:
        key = top.key if path.is_file() else (top / file.relative_to(path).as_posix()).key
        store_of(top).put(key, [file.read_bytes()])
    return str(top)


def pairs(rows: list[object]) -> list[tuple[object, ...]]:
    return sorted(tuple(row) for row in rows)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    rows = pa.table({"id": list(EXPRESSIONS), "expression": list(EXPRESSIONS.values())})
    pq.write_table(rows, folder / "ads.parquet")
    for state in ("CA", "NY"):
        (folder / "events" / f"day={state}").mkdir(parents=True)
    pq.write_table(EVENTS.slice(0, 90), folder / "events" / "day=CA" / "a.parquet")
    pq.write_table(EVENTS.slice(90), folder / "events" / "day=NY" / "b.parquet")
    return folder


def test_a_job_in_a_store_gives_what_it_gives_on_a_disk(
    spark: SparkSession, s3: S3Server, tables: Path, tmp_path: Path
) -> None:
    home = s3.new_home()
    events, ads = upload(tables / "events", s3, "events"), upload(tables / "ads.parquet", s3, "ads.parquet")
    local = es.build(es.parquet_expressions(spark, tables / "ads.parquet"), tmp_path / "i", target_shard_rows=25)
    remote = es.build(es.parquet_expressions(spark, ads), home, target_shard_rows=25)
    assert (remote.version, remote.num_accepted, remote.num_shards) == (1, 60, local.num_shards)
    [on_disk], [in_store] = list_versions(tmp_path / "i"), list_versions(home)
    assert in_store.files == on_disk.files, "the same bytes"
    expected = pairs(es.match(es.parquet_events(spark, str(tables / "events")), tmp_path / "i", keep=["day"]).collect())
    found = es.match(es.parquet_events(spark, events), home, keep=["day"])
    assert pairs(found.collect()) == expected and len(expected) > 100
    assert SECRET not in found._jdf.queryExecution().toString()  # type: ignore[operator]
    left = [status.key for status in store_of(place(home)).list(place(home).prefix)]  # type: ignore[arg-type, union-attr]
    assert not any(".tmp" in key for key in left), "work files are gone"


def test_an_update_is_put_on_top(spark: SparkSession, s3: S3Server) -> None:
    home = s3.new_home()
    rows = spark.createDataFrame(list(EXPRESSIONS.items()), "id string, expression string")
    es.build(rows, home)
    changed = spark.createDataFrame([("ad-1", "age = 5"), ("new", "age = 5")], "id string, expression string")
    gone = spark.createDataFrame([("ad-2",)], "id string")
    assert es.update(home, changed, gone).version == 2
    index = eligo.open(home)
    assert index.match({"age": 5}) == ["ad-1", "new"] and "ad-2" not in index
    before = index.match({"age": 30, "state": "CA"})
    assert es.compact(home, spark=spark).version == 3
    assert eligo.open(home).match({"age": 30, "state": "CA"}) == before


def test_rejects_and_reports_go_to_a_store(spark: SparkSession, s3: S3Server) -> None:
    home = s3.new_home()
    rows = spark.createDataFrame([(1, "age = 1"), (2, "age ==== 1")], "id int, expression string")
    rejects = f"{s3.new_home()}/rejects.jsonl"
    assert es.build(rows, home, rejects=rejects).num_rejected == 1
    found = place(rejects)
    assert isinstance(found, Address)
    assert b'"age ==== 1"' in store_of(found).read(found.key)


def test_an_unknown_scheme_is_refused_and_no_directory_is_made(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = spark.createDataFrame([(1, "age = 1")], "id int, expression string")
    address = "s4://bucket/x"
    for ask in (
        lambda: es.build(rows, address),
        lambda: es.match(rows, address),
        lambda: es.parquet_events(spark, address),
        lambda: es.build(rows, tmp_path / "i", rejects=address),
        lambda: es.match_to_parquet(rows, tmp_path / "i", address),
    ):
        with pytest.raises(InputError, match="not known"):
            ask()
    assert not [name for name in os.listdir(tmp_path) if ":" in name]


def test_a_path_of_this_machine_is_refused_on_a_cluster(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = spark.createDataFrame([(1, "age = 1")], "id int, expression string")
    es.build(rows, tmp_path / "i")
    monkeypatch.setattr(reachable, "_master_of", lambda session: "spark://elsewhere:7077")
    for ask in (lambda: es.match(rows, tmp_path / "i"), lambda: es.build(rows, str(tmp_path / "j"))):
        with pytest.raises(InputError, match="workers of spark://elsewhere:7077 are other machines") as caught:
            ask()
        assert "file:///" in caught.value.help
    events = spark.createDataFrame([(1, 1)], "event_id int, age int")
    assert es.match(events, f"file://{tmp_path / 'i'}").count() == 1, "by the user's word"


def test_matches_are_written_to_a_store_all_or_none(
    spark: SparkSession, s3: S3Server, tables: Path, tmp_path: Path
) -> None:
    index, out = tmp_path / "i", f"{s3.new_home()}/matches.parquet"
    eligo.build(EXPRESSIONS, engine="scan").save(index)
    events = es.parquet_events(spark, str(tables / "events"))
    expected = pairs(es.match(events, index).collect())
    for _ in range(2):
        written = es.match_to_parquet(events, index, out, overwrite=True)
        assert written.num_matches == len(expected)
        assert pairs(rows_at(out)) == expected
    with pytest.raises(InputError, match="there already"):
        es.match_to_parquet(events, index, out)
    bad = spark.createDataFrame([(1, "x")], "event_id int, age string")
    elsewhere = s3.new_home()
    with pytest.raises(EligoError):
        es.match_to_parquet(
            bad.selectExpr("event_id", "cast(1/(event_id-1) as string) as age"), s3.new_home(), elsewhere
        )
    assert names_in(place(elsewhere)) == []


@pytest.mark.parametrize("are_workers_here", [True, False])
@pytest.mark.parametrize("name", ["m.jsonl", "m.csv"])
def test_lines_in_a_store_are_those_on_a_disk(
    spark: SparkSession,
    s3: S3Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    are_workers_here: bool,
    name: str,
) -> None:
    rows = spark.createDataFrame(
        [(1, 'a "quoted", text', None, 1.5), (2, "two\nlines", True, None), (3, "", False, 0.1), (4, None, None, None)],
        "`an id` int, `a.text` string, is_new boolean, score double",
    ).withColumn("seen", F.timestamp_seconds(F.col("an id")))
    rows = rows.repartitionByRange(2, "an id")
    write(rows, str(tmp_path / name))
    monkeypatch.setattr(line_files, "is_one_machine", lambda session: are_workers_here)
    out = f"{s3.new_home()}/{name}"
    write(rows, out)
    found = place(out)
    assert isinstance(found, Address)
    assert store_of(found).read(found.key) == (tmp_path / name).read_bytes()
    with pytest.raises(InputError, match="there already"):
        write(rows, out)
    write(rows.limit(0), out, overwrite=True)
    assert store_of(found).read(found.key).count(b"\n") == (name == "m.csv")


def rows_at(out: str) -> list[object]:
    table = ds.dataset(out, filesystem=arrow_file_system(), format="parquet").to_table()
    return [tuple(row.values()) for row in table.to_pylist()]


class KilledError(Exception):
    """In the place of a kill."""


def test_a_stream_into_a_store_has_each_match_once(
    spark: SparkSession, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, out = s3.new_home(), s3.new_home()
    eligo.build({"young": "age < 100", "bad": "age = 1"}, engine="scan").save(home)
    source = tmp_path / "events"
    source.mkdir()
    for number in range(3):
        lines = "".join(f'{{"event_id": {number * 10 + row}, "age": {row}}}\n' for row in range(3))
        (source / f"{number}.jsonl").write_text(lines + ("nonsense\n" if number == 1 else ""))

    def run() -> None:
        rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(source))
        events = rows.selectExpr("cast(get_json_object(value, '$.event_id') as long) as event_id", "value")
        es.stream(
            events, home, out, checkpoint=tmp_path / "checkpoint", trigger={"availableNow": True}, json="value"
        ).awaitTermination()

    finish = store_batches.finish_batch

    def killed(out: Address, batch: int, *rest: object) -> None:
        if batch == 1:
            raise KilledError
        finish(out, batch, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(stream_module, "finish_batch", killed)
    with pytest.raises(PySparkException):
        run()
    assert len({name.split("/")[-2] for name in es.stream_files(out)}) == 1, "a batch without a manifest does not count"
    monkeypatch.undo()
    run()
    found = sorted(row for file in es.stream_files(out) for row in pairs(rows_at(file)))
    expected = [(number * 10 + row, "young") for number in range(3) for row in range(3)]
    assert found == sorted([*expected, *((number * 10 + 1, "bad") for number in range(3))])
    assert sorted(pairs(rows_at(out))) == found, "nothing else is there either"
    [folder] = names_in(place(f"{out}/_rejects"))
    [reject] = rows_at(f"{out}/_rejects/{folder}/rejects.parquet")
    assert "nonsense" in str(reject)
    with pytest.raises(InputError, match="one is an address"):
        es.stream(spark.readStream.text(str(source)), home, out, checkpoint=tmp_path / "c", rejects=tmp_path / "r")


def test_a_stream_that_cannot_start_may_be_started_elsewhere(spark: SparkSession, s3: S3Server, tmp_path: Path) -> None:
    """This Spark has no file system for s3a://."""
    home, out = s3.new_home(), s3.new_home()
    eligo.build({"young": "age < 100"}, engine="scan").save(home)
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "a.jsonl").write_text('{"event_id": 1, "age": 5}\n')

    def run(checkpoint: str | Path) -> None:
        rows = spark.readStream.text(str(tmp_path / "events"))
        events = rows.selectExpr("cast(get_json_object(value, '$.event_id') as long) as event_id", "value")
        es.stream(
            events, home, out, checkpoint=checkpoint, trigger={"availableNow": True}, json="value"
        ).awaitTermination()

    with pytest.raises(InputError, match="no file system for s3://") as refused:
        run(s3.new_home())
    assert names_in(place(out)) == []
    assert "give another directory as checkpoint" in refused.value.help
    run(tmp_path / "checkpoint")
    assert pairs(rows_at(out)) == [(1, "young")]
