"""What does an index in a store cost a host that has its files, and how often does a host fetch them?

An index of `conjunctions` lies on this machine's disk and in S3, as moto's server has it. Every job is the first of a
new driver, with workers that have opened nothing; what it takes is told from the call of `match` to its last row,
without the start of Spark itself. Each round has other events.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import environ
from pathlib import Path
from statistics import median
from typing import Any

import eligo
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.pipeline_tables import PipelineTables, tables_of
from benchmarks.s3_server import s3_served
from benchmarks.standalone_cluster import drive, two_workers
from eligo.storage.manifest import read_manifest

FOUR_WORKERS = "local[4]"

FIRST_JOB = """
import json, sys, time
from eligo.spark import MatchMetrics, match
master, events, index, partitions = sys.argv[1:]
spark = on_cluster(master)
rows = spark.read.parquet(f"file://{events}").repartition(int(partitions)).localCheckpoint()
metrics, started = MatchMetrics(), time.perf_counter()
match(rows, index, metrics=metrics).write.format("noop").mode("overwrite").save()
print(json.dumps({"s": time.perf_counter() - started, **metrics.get}))
spark.stop()
"""
"""The events are in memory before the clock starts: both ways read the same."""


class Stage:
    """The index in both places, and the environment of all who ask."""

    def __init__(self, tables: PipelineTables, address: str, variables: Mapping[str, str], cache: Path) -> None:
        self.tables, self.address, self.cache = tables, address, cache
        self.environment = {**environ, **variables, "ELIGO_CACHE": str(cache)}
        self.local = tables.whole_index()

    def first_job(self, master: str, index: str, number: int, partitions: int) -> dict[str, Any]:
        """A new driver's first job over the events of a number; the seconds, and what workers fetched."""
        events = self.tables.fresh_few(number)
        return drive(FIRST_JOB, master, events, index, str(partitions), environment=self.environment)


@contextmanager
def staged(bench: Bench) -> Iterator[Stage]:
    """An index on disk and in S3, and a cache that is empty."""
    tables = tables_of(bench.scale, bench.seed)
    cache = tables.path("cache")
    shutil.rmtree(cache, ignore_errors=True)
    with s3_served() as server:
        address = f"{server.top}/ads.index"
        eligo.set_store_options(server.top, server.options)
        try:
            eligo.open(tables.whole_index()).save(address)
            yield Stage(tables, address, server.environment, cache)
        finally:
            eligo.set_store_options(server.top, None)


def warm_start(bench: Bench) -> Outcome:
    """The first job of new workers of a cluster, whose host has the files, against that of an index on its disk."""
    with staged(bench) as stage:
        logs = stage.tables.path("store-cluster")
        logs.mkdir(exist_ok=True)
        with two_workers(logs, environment=stage.environment) as master:
            cold = stage.first_job(master, stage.address, 0, 2)
            rounds: dict[str, list[dict[str, Any]]] = {"disk": [], "store": []}
            for number in range(stage.tables.sizes.num_rounds):
                for way, index in (("disk", f"file://{stage.local}"), ("store", stage.address)):
                    rounds[way].append(stage.first_job(master, index, 1 + number, 2))
        for disk, store in zip(*rounds.values(), strict=True):
            if disk["matches"] != store["matches"] or store["downloads"]:
                raise WrongAnswerError(f"the index in the store gave {store}, that on disk {disk}")
    times = {way: [found["s"] for found in jobs] for way, jobs in rounds.items()}
    ratios = [store / disk for disk, store in zip(*times.values(), strict=True)]
    details = {"num_events": stage.tables.sizes.few_events, "cold": cold, "seconds": times}
    return Outcome(median(times["store"]) / median(times["disk"]), details, (min(ratios), max(ratios)))


def downloads(bench: Bench) -> Outcome:
    """How many times the workers of a host that has none of the files fetch one that was fetched already."""
    with staged(bench) as stage:
        manifest = read_manifest(Path(stage.local))
        told = stage.first_job(FOUR_WORKERS, stage.address, 0, 8)
        again = stage.first_job(FOUR_WORKERS, stage.address, 1, 8)
        kept = [file for file in stage.cache.rglob("*.eligo") if file.is_file()]
        # The driver reads the vocabulary too; whoever came first has fetched a file for all.
        num_more = told["downloads"] - min(told["downloads"], len(kept)) + again["downloads"]
    details = {
        "files_kept": len(kept),
        "index_bytes": manifest.num_bytes,
        "kept_bytes": sum(file.stat().st_size for file in kept) if stage.cache.exists() else 0,
        "first_job": told,
        "second_job": again,
    }
    return Outcome(num_more, details)


EXPERIMENT = Experiment(
    "stores",
    "What does an index in a store cost a host that has its files?",
    (
        Measurement(
            "warm_start",
            "first job of new workers, index in S3 and on their host, against one on its disk",
            "times",
            warm_start,
            Bar(1.2, at_least=False),
        ),
        Measurement(
            "downloads",
            "files fetched more than once by four workers of a host, in two jobs",
            "files",
            downloads,
            Bar(0, at_least=False),
        ),
    ),
)
