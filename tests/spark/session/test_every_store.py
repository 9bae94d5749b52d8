"""Do 50,000 events have the same matches wherever the index is, however it is asked, and whoever shares a disk?

Each store is asked by a Spark of its own, on this machine; one in S3 and one in HDFS also by a cluster of two workers
that share no disk with the driver or with each other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eligo
from benchmarks.standalone_cluster import OWN, can_be_apart, drive, two_workers
from conftest import STORES
from eligo.stores.address import Address, place
from eligo.stores.store import store_of
from eligo.workloads import sample
from hdfs_cluster import HdfsCluster
from store_places import SECRET, S3Server

pytestmark = [pytest.mark.long, pytest.mark.spark]

ASK = """
import json, os, sys
import pyarrow.parquet as pq
from eligo.spark import build, match, match_to_parquet, parquet_events, parquet_expressions, register
master, home, directory = sys.argv[1:]
spark = on_cluster(master)
register(spark)
remote, index = parquet_events(spark, f"{home}/events"), f"{home}/ads.index"
events = pq.read_table(f"{directory}/events.parquet")
built = build(parquet_expressions(spark, f"{home}/ads.parquet"), index, target_shard_rows=500)
frame = spark.createDataFrame(events)
frame.createOrReplaceTempView("events")
plans = []
def keep(way, found):
    plans.append(found._jdf.queryExecution().toString())
    pq.write_table(found.select("event_id", "expression_id").toArrow(), f"{directory}/{way}.parquet")
keep("read by workers", match(remote, index))
keep("a table", match(frame, index))
keep("in SQL", spark.sql(f"SELECT * FROM eligo_match(TABLE(events), '{index}')"))
match_to_parquet(remote, index, f"{home}/matches.parquet")
spark.read.format("eligo").load(index).write.format("eligo").mode("overwrite").save(f"{home}/copy.index")
keep("by the data source", match(remote, f"{home}/copy.index"))
said = places(spark, directory)
print(json.dumps({**said, "shards": built.num_shards, "plans": plans}))
spark.stop()
"""
WAYS = ("read by workers", "a table", "in SQL", "by the data source")

Pairs = set[tuple[int, str]]


class World:
    """The same tables for all, and what the matches are."""

    def __init__(self, directory: Path) -> None:
        self.events = pa.Table.from_batches(list(sample.events(50_000, seed=15)))
        expressions = sample.expressions(2_000, seed=15)
        self.files = {"events/all.parquet": directory / "events.parquet", "ads.parquet": directory / "ads.parquet"}
        pq.write_table(self.events, self.files["events/all.parquet"], row_group_size=10_000)
        pq.write_table(expressions, self.files["ads.parquet"])
        found = eligo.build(expressions, on_error="reject").match_batch(self.events, exclude=["event_id"]).to_arrow()
        self.expected: Pairs = set(
            zip(
                self.events["event_id"].take(found["event"]).to_pylist(),
                found["expression_id"].to_pylist(),
                strict=True,
            )
        )

    def put(self, home: str) -> None:
        """The tables, where they are asked for."""
        for name, file in self.files.items():
            target = place(f"{home}/{name}")
            if isinstance(target, Address):
                store_of(target).put(target.key, [file.read_bytes()])
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return World(tmp_path_factory.mktemp("world"))


def check(world: World, home: str, directory: Path, master: str) -> dict[str, object]:
    """Ask in every way, and compare."""
    assert len(world.expected) > 50_000
    world.put(home)
    pq.write_table(world.events, directory / "events.parquet")
    said = drive(ASK, master, home, str(directory))
    assert said["shards"] > 1
    assert not any(SECRET in plan for plan in said["plans"])
    for way in WAYS:
        assert pairs_of([pq.read_table(directory / f"{way}.parquet")]) == world.expected, way
    assert pairs_of(tables_at(f"{home}/matches.parquet")) == world.expected, "written by workers"
    return said


def pairs_of(tables: list[pa.Table]) -> Pairs:
    table = pa.concat_tables(tables)
    pairs = list(zip(table["event_id"].to_pylist(), table["expression_id"].to_pylist(), strict=True))
    assert len(pairs) == len(set(pairs))
    return set(pairs)


def tables_at(home: str) -> list[pa.Table]:
    top = place(home)
    if not isinstance(top, Address):
        return [pq.read_table(top)]
    store = store_of(top)
    keys = [status.key for status in store.list(top.prefix) if status.key.endswith(".parquet")]
    return [pq.read_table(pa.BufferReader(store.read(key))) for key in keys]


@pytest.fixture(params=("directory", *STORES))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place for a table or an index, in each kind of store."""
    if request.param == "directory":
        return str(tmp_path / "store")
    server: S3Server | HdfsCluster = request.getfixturevalue(request.param)
    return server.new_home()


def test_on_one_machine(world: World, folder: str, tmp_path: Path) -> None:
    said = check(world, folder, tmp_path, "local[2]")
    assert said["executors"] == 0


@pytest.fixture
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The driver's own directory, which no worker sees."""
    if not can_be_apart():
        pytest.skip("mount namespaces need root, on Linux")
    own = tmp_path / "driver"
    own.mkdir()
    monkeypatch.setenv("ELIGO_CACHE", str(own / "cache"))
    yield own


@pytest.mark.parametrize("kind", ["s3", "hdfs"])
def test_on_workers_that_share_no_disk(
    world: World, kind: str, driver: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    server: S3Server | HdfsCluster = request.getfixturevalue(kind)
    logs = tmp_path / "logs"
    logs.mkdir()
    with two_workers(logs, apart=driver) as master:
        said = check(world, server.new_home(), driver, master)
    assert said["executors"] == 2 and len(said["processes"]) == 2  # type: ignore[arg-type]
    assert said["seen"] == [OWN], "of the driver's files workers see none"
    assert "events.parquet" in os.listdir(driver)
    assert not any(SECRET in log.read_text(errors="replace") for log in logs.iterdir())
