"""Does Spark bring an index to workers that can read neither a store nor the driver's disk?"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pyspark import SparkFiles
from pyspark.sql import SparkSession

import eligo
import eligo.spark as es
from benchmarks.standalone_cluster import OWN, can_be_apart, drive, two_workers
from eligo.errors import InputError, StorageError
from eligo.spark.session.added_index import AddedIndex, _gathered
from hdfs_cluster import HdfsCluster
from spark_rows import rows
from store_places import S3Server

EXPRESSIONS = {f"e{number}": f"age >= {number}" for number in range(20)}
EXPECTED = {(age, f"e{number}") for age in (3, 30) for number in range(20) if age >= number}


def test_an_index_of_the_driver_alone(spark: SparkSession, tmp_path: Path, s3: S3Server) -> None:
    events = spark.createDataFrame([(3, 3), (30, 30)], "event_id int, age int").repartition(2)
    index = eligo.build(EXPRESSIONS, engine="scan")
    for home in (str(tmp_path / "ads.index"), s3.new_home()):
        index.publish(home)
        added = es.add_index(spark, home)
        assert str(_gathered(added)).startswith(SparkFiles.getRootDirectory()), "what a worker opens"
        assert rows(es.match(events, added)) == EXPECTED
        assert es.match_to_parquet(events, added, tmp_path / f"{len(home)}.parquet").num_matches == len(EXPECTED)
        assert es.count(events, added).count() == 20
        assert es.top(events, added, 1).count() == 2
    assert es.add_index(spark, home, version=1) == added
    index.insert("new", "age = 3")
    index.publish(home)
    assert rows(es.match(events, es.add_index(spark, home))) == EXPECTED | {(3, "new")}
    assert rows(es.match(events, added)) == EXPECTED, "the version that was added stays"


def test_what_spark_was_told_of(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build(EXPRESSIONS, engine="scan").save(tmp_path / "told-of.index")
    spark.sparkContext.addFile(str(tmp_path / "told-of.index"), recursive=True)
    events = spark.createDataFrame([(3, 3), (30, 30)], "event_id int, age int")
    assert rows(es.match(events, es.add_index(spark, "told-of.index"))) == EXPECTED


def test_what_was_not_added_is_told(spark: SparkSession, tmp_path: Path) -> None:
    eligo.build({1: "b = 2"}, engine="scan").save(tmp_path / "i")
    manifest = (tmp_path / "i" / "manifest.json").read_bytes()
    with pytest.raises(StorageError, match="has not brought"):
        AddedIndex(str(tmp_path / "i"), manifest).open()
    with pytest.raises(InputError):
        es.add_index(spark, 5)  # type: ignore[arg-type]


ASK = """
import json, os, sys
import eligo
from eligo.spark import add_index, match
master, ways, directory = sys.argv[1:]
spark = on_cluster(master)
events = spark.createDataFrame([(3, 3), (30, 30)], "event_id int, age int").repartition(4)
found = {}
for way in json.loads(ways):
    if way.startswith("hdfs"):
        spark.sql(f"ADD FILE '{way}'")
    added = add_index(spark, os.path.basename(way) if way.startswith("hdfs") else way)
    found[way] = sorted([row["event_id"], row["expression_id"]] for row in match(events, added).collect())
print(json.dumps({**places(spark, directory), "found": found}))
spark.stop()
"""


@pytest.mark.long
def test_workers_that_share_no_disk_and_know_no_store(
    s3: S3Server, hdfs: HdfsCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_be_apart():
        pytest.skip("mount namespaces need root, on Linux")
    driver, logs = tmp_path / "driver", tmp_path / "logs"
    driver.mkdir()
    logs.mkdir()
    homes = [str(driver / "own.index"), s3.new_home(), hdfs.new_home().replace("ads.index", "brought.index")]
    for home in homes:
        eligo.build(EXPRESSIONS, engine="scan").publish(home)
    monkeypatch.setenv("ELIGO_CACHE", str(driver / "cache"))
    nowhere = {**os.environ, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    with two_workers(logs, apart=driver, environment=nowhere) as master:
        said = drive(ASK, master, json.dumps(homes), str(driver))
    assert said["executors"] == 2 and said["seen"] == [OWN]
    for home in homes:
        assert {(event, id) for event, id in said["found"][home]} == EXPECTED, home
