"""Is anything lost when a Spark driver is killed while it commits? An update, killed at every call of its commit.

All of an update but its last step is Spark's affair and can be done again. The last step is taken by a child of the
driver, which is killed at one call after the other; in between, the index is put back as it was. At the end the driver
takes the step itself.
"""

from __future__ import annotations

import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

import eligo
from benchmarks.siege.kill_points import StuckError, died_at
from benchmarks.siege.kill_publishers import Model, content
from benchmarks.siege.tally import Tally
from eligo.spark import update as spark_update
from eligo.spark.session.session import local_session

COLUMNS = "id long, expression string"


def kill_updaters(seed: int, num_kills: int) -> Tally:
    """Kill so many updaters inside their commits."""
    tally = Tally()
    spark = local_session("eligo siege", config={"spark.ui.enabled": "false"})
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.index"
        model: Model = {id: f"age > {id}" for id in range(50)}
        eligo.build(model).save(path)
        change = seed
        while tally.num_tried < num_kills:
            model = _killed_update(spark, path, model, change, num_kills, tally)
            change += 1
    spark.stop()
    return tally


def _killed_update(spark: SparkSession, path: Path, model: Model, change: int, num_kills: int, tally: Tally) -> Model:
    module: Any = import_module("eligo.spark.building.update")
    rows = [(id, f"age > {id + change} and vip") for id in range(change % 7, 60, 7)]
    after = {**model, **dict(rows)}
    commit = module.commit

    def attacked(*arguments: Any, **named: Any) -> Any:
        snapshot = path.with_suffix(".before")
        shutil.copytree(path, snapshot)
        step = 0
        while tally.num_tried < num_kills:
            try:
                if not died_at(step, lambda: commit(*arguments, **named)):
                    break
            except StuckError as error:
                tally.tried()
                tally.fail(f"updater, step {step}: {error}")
                break
            tally.tried()
            tally.counts["updaters killed inside a commit"] += 1
            found = content(path)
            if found == after:
                tally.counts["kills after which the change was there"] += 1
            elif found != model:
                tally.fail(f"update {change}, killed before call {step}: neither before nor after")
            _put_back(snapshot, path)
            step += 1
        _put_back(snapshot, path)
        shutil.rmtree(snapshot)
        return commit(*arguments, **named)

    module.commit = attacked
    try:
        spark_update(path, spark.createDataFrame(rows, COLUMNS))
    finally:
        module.commit = commit
    if content(path) != after:
        tally.fail(f"update {change}: acknowledged, and not there")
    return after


def _put_back(snapshot: Path, path: Path) -> None:
    shutil.rmtree(path)
    shutil.copytree(snapshot, path)
