"""Do workers get credentials from the driver, and from nowhere else, and does nothing that is shown have them?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import eligo
import eligo.spark as es
from benchmarks.standalone_cluster import can_be_apart, drive, two_workers
from eligo.errors import InputError, StorageError
from eligo.spark.session import shared_stores
from eligo.spark.sql.registration import takes_arrow
from eligo.storage.manifest import read_manifest
from eligo.stores.given_options import set_store_options
from spark_rows import rows
from store_places import ELSEWHERE, SECRET, S3Server

PLANTED = "planted-option-5d0c1f"
EXPRESSIONS = {f"e{number}": f"age >= {number}" for number in range(20)}


@pytest.fixture
def shared(spark: SparkSession, elsewhere: S3Server) -> Iterator[S3Server]:
    """The same, once its credentials are shared."""
    credentials = {"endpoint": elsewhere.endpoint, "access_key_id": "someone", "secret_access_key": PLANTED}
    es.share_store(spark, f"s3://{ELSEWHERE}/any/index", credentials)
    yield elsewhere
    shared_stores._shared.clear()
    set_store_options(f"s3://{ELSEWHERE}", None)


def test_every_way_to_workers(
    spark: SparkSession, shared: S3Server, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    home = shared.new_home()
    table = spark.createDataFrame(list(EXPRESSIONS.items()), "id string, expression string")
    assert es.build(table, home, target_shard_rows=5).num_shards > 1
    es.update(home, spark.createDataFrame([("new", "age = 3")], "id string, expression string"))
    events = spark.createDataFrame([(1, 3), (2, 30), (3, None)], "event_id int, age int").repartition(2)
    events.createOrReplaceTempView("events")
    expected = {(1, f"e{number}") for number in range(4)} | {(1, "new")} | {(2, id) for id in EXPRESSIONS}
    found = es.match(events, home)
    assert rows(found) == expected
    assert es.top(events, home, 1).count() == 2
    assert es.count(events, home).count() == 21
    out = shared.new_home()
    assert es.match_to_parquet(events, home, out).num_matches == len(expected)
    assert es.parquet_events(spark, out).num_rows == len(expected)
    es.register(spark)
    in_sql = spark.sql(f"SELECT * FROM eligo_match(TABLE(events), '{home}')")
    assert rows(in_sql) == expected
    if takes_arrow(spark.version):
        as_value = spark.sql(f"SELECT size(eligo_matches(struct(*), '{home}')) FROM events WHERE event_id = 2")
        assert as_value.collect()[0][0] == 20
    said = capfd.readouterr()
    with pytest.raises(StorageError) as refused:
        eligo.open(f"s3://{ELSEWHERE}/none.index")
    plans = [frame._jdf.queryExecution().toString() for frame in (found, in_sql)]  # type: ignore[operator]
    manifest = eligo.open(home).match({"age": 1})
    for shown in (*plans, said.out, said.err, str(refused.value), str(spark.sparkContext.getConf().getAll()), manifest):
        assert PLANTED not in str(shown)


def test_without_being_shared_nothing_is_found(spark: SparkSession, s3: S3Server, elsewhere: S3Server) -> None:
    events = spark.createDataFrame([(1, 3)], "event_id int, age int")
    with pytest.raises(StorageError, match="NoSuchBucket"):
        es.match(events, elsewhere.new_home())


def test_what_the_driver_has_can_be_shared(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_stores, "set_store_options", lambda *given: None)
    es.share_store(spark, "s3://of-the-driver")
    try:
        found = shared_stores.shared_stores(spark)
        assert found is not None
        assert found.value["s3://of-the-driver/"]["secret_access_key"] == SECRET
        assert SECRET not in repr(found)
    finally:
        shared_stores._shared.clear()
    with pytest.raises(StorageError, match="no credentials"):
        es.share_store(spark, "hdfs://name:8020")
    with pytest.raises(InputError, match="path of a machine"):
        es.share_store(spark, "/data/ads.index")
    for wrong in ({"secret_access_key": 1}, [PLANTED]):
        with pytest.raises(InputError):
            es.share_store(spark, "s3://b", wrong)  # type: ignore[arg-type]


def test_files_of_a_store_are_counted(
    spark: SparkSession, s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = s3.new_home()
    eligo.build(EXPRESSIONS, engine="scan").save(home)
    events = spark.createDataFrame(pa.table({"event_id": range(40), "age": range(40)})).repartition(2)
    first, second = es.MatchMetrics(), es.MatchMetrics()
    assert es.match(events, home, metrics=first).count() > 40
    found = first.get
    assert (found["events"], found["rejected"]) == (40, 0)
    # The driver has opened it, and so has brought its files to this machine.
    assert found["downloads"] == found["downloaded_bytes"] == 0 and found["cache_hits"] > 0
    monkeypatch.setattr("eligo.stores.host_cache.directory", lambda: tmp_path)
    assert eligo.open(home, version=1).match({"age": 1}) == ["e0", "e1"], "brings files to another cache"
    es.match(events, home, metrics=second).count()
    assert second.get["events"] == 40


ASK = """
import json, os, sys
from eligo.spark import MatchMetrics, build, local_session, match, register, share_store
import pyarrow as pa
master, home = sys.argv[1:]
spark = on_cluster(master)
def keys(batches):
    for batch in batches:
        yield pa.record_batch([pa.array([os.environ["AWS_ACCESS_KEY_ID"]])], names=["key"])
seen = {row["key"] for row in spark.range(0, 4, 1, 4).mapInArrow(keys, "key string").collect()}
def pairs(found):
    return sorted([row["event_id"], row["expression_id"]] for row in found.collect())
events = spark.createDataFrame([(number, number) for number in range(60)], "event_id int, age int").repartition(8)
events.createOrReplaceTempView("events")
try:
    match(events, home).collect()
    without = "matches"
except Exception as error:
    without = str(error)
share_store(spark, home)
first, second = MatchMetrics(), MatchMetrics()
found = match(events, home, metrics=first)
one = pairs(found)
two = pairs(match(events, home, metrics=second))
register(spark)
in_sql = pairs(spark.sql(f"SELECT * FROM eligo_match(TABLE(events), '{home}')"))
texts = [(f"e{number}", f"age >= {number}") for number in range(20)]
table = spark.createDataFrame(texts, "id string, expression string")
version = build(table, home, target_shard_rows=5).version
plan = found._jdf.queryExecution().toString()
said = {"seen": sorted(seen), "without": without, "one": one, "same": one == two == in_sql, "version": version}
print(json.dumps({**said, "first": first.get, "second": second.get, "plan": plan}))
spark.stop()
"""


@pytest.mark.long
def test_workers_with_no_credentials_of_their_own_and_no_shared_disk(
    second_s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On an S3 that compares signatures; files come to each worker once, and come to none again."""
    if not can_be_apart():
        pytest.skip("mount namespaces need root, on Linux")
    home = second_s3.new_home()
    index = eligo.build(EXPRESSIONS, engine="scan")
    index.save(home)
    num_files = len(read_manifest(home).files)
    driver, logs = tmp_path / "driver", tmp_path / "logs"
    driver.mkdir()
    logs.mkdir()
    monkeypatch.setenv("ELIGO_CACHE", str(driver / "cache"))
    monkeypatch.setenv("ELIGO_STORE_SECONDS", "5")
    unknown = {**os.environ, "AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "known-to-no-store"}
    with two_workers(logs, apart=driver, environment=unknown) as master:
        said = drive(ASK, master, home)
    assert said["seen"] == ["nobody"]
    assert "cannot" in said["without"], "a worker by itself gets nothing"
    assert said["one"] == [[age, id] for age in range(60) for id in sorted(index.match({"age": age}))]
    assert said["same"] and said["version"] == 2
    assert said["first"]["downloads"] == 2 * num_files, "each of two workers has brought each file once"
    assert said["first"]["downloaded_bytes"] > 0
    assert (said["second"]["downloads"], said["second"]["downloaded_bytes"]) == (0, 0)
    everything = [str(said), *(log.read_text(errors="replace") for log in logs.iterdir())]
    assert not any(SECRET in text for text in everything)


ON_ONE_HOST = """
import json, sys
from eligo.spark import MatchMetrics, local_session, match
home, cache = sys.argv[1:]
spark = local_session("eligo four workers", master="local[4]", config={"spark.executorEnv.ELIGO_CACHE": cache})
events = spark.createDataFrame([(number, number) for number in range(60)], "event_id int, age int").repartition(8)
metrics = MatchMetrics()
found = match(events, home, metrics=metrics).count()
print(json.dumps({"found": found, **metrics.get}))
spark.stop()
"""


@pytest.mark.long
def test_four_workers_of_a_host_download_once(s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their cache is cold, and another one than the driver's, which opens the index as well."""
    home = s3.new_home()
    index = eligo.build(EXPRESSIONS, engine="scan")
    index.save(home)
    num_files = len(read_manifest(home).files)
    monkeypatch.setenv("ELIGO_CACHE", str(tmp_path / "driver"))
    key = home.removeprefix("s3://")
    before = s3.requests("GET", rf"{key}/\w+/\w+\.eligo")
    command = [sys.executable, "-c", ON_ONE_HOST, home, str(tmp_path / "workers")]
    said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
    assert said["found"] == sum(len(index.match({"age": age})) for age in range(60))
    assert s3.requests("GET", rf"{key}/\w+/\w+\.eligo") - before == 2 * num_files, "the driver, and the workers"
    assert said["downloads"] == num_files
    assert said["cache_hits"] >= 3 * num_files, "of the other three workers"
