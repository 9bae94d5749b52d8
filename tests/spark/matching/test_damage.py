"""Does a worker refuse what was damaged after the driver opened it? Each flips bits in files and runs a real job."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import DamagedFileError
from eligo.spark import count, match, top
from eligo.spark.session.worker_errors import worker_errors

FLIPS = 2


@pytest.fixture
def quiet(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.sparkContext.setLogLevel("ERROR")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    texts = {f"r{n}": f"age >= {n} and state in ('CA', 'NY', 's{n}')" for n in range(60)}
    eligo.build(texts).save(tmp_path / "x.index")
    return tmp_path / "x.index"


def events_of(spark: SparkSession) -> DataFrame:
    states = F.when(F.col("id") % 2 == 0, "CA").otherwise("NY")
    return spark.range(0, 500, 1, 2).select(
        F.col("id").alias("event_id"), (F.col("id") % 70).alias("age"), states.alias("state")
    )


def flip(path: Path, place: int) -> None:
    """Change one bit where the file lies, as a disk or a stray write would, and put the time of writing back."""
    before = path.stat()
    with open(path, "r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1 << place % 8]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def places(index: Path) -> list[tuple[Path, int]]:
    """Some bytes of each file, some of them in its header."""
    rng = random.Random(7)
    found = []
    for folder in ("shards", "vocabulary"):
        (path,) = (index / folder).iterdir()
        size = path.stat().st_size
        found += [(path, rng.randrange(64, size)) for _ in range(FLIPS)]
    return found


@pytest.mark.parametrize("has_been_asked", [False, True], ids=["new to the workers", "opened by the workers"])
def test_a_bit_that_flips_after_the_driver_opened_the_index_is_found(
    quiet: SparkSession, index: Path, has_been_asked: bool
) -> None:
    events = events_of(quiet)
    expected = sorted(map(tuple, match(events, index).collect())) if has_been_asked else None
    for path, place in places(index):
        planned = match(events, index)  # the driver has opened and verified what is there now
        flip(path, place)
        with pytest.raises(DamagedFileError, match=path.name), worker_errors():
            planned.collect()
        flip(path, place)
    if expected is not None:
        assert sorted(map(tuple, match(events, index).collect())) == expected


@pytest.mark.parametrize("ask", [lambda e, i: top(e, i, 3), count], ids=["top", "count"])
def test_every_question_finds_it(quiet: SparkSession, index: Path, ask: Callable[[DataFrame, Path], Any]) -> None:
    planned = ask(events_of(quiet), index)
    (shard,) = (index / "shards").iterdir()
    flip(shard, shard.stat().st_size // 2)
    with pytest.raises(DamagedFileError, match=shard.name), worker_errors():
        planned.collect()


def test_a_shard_that_stands_under_the_name_of_another_is_found(
    quiet: SparkSession, index: Path, tmp_path: Path
) -> None:
    eligo.build({f"r{n}": f"age >= {n}" for n in range(60)}).save(tmp_path / "y.index")
    planned = match(events_of(quiet), index)
    (shard,) = (index / "shards").iterdir()
    (other,) = (tmp_path / "y.index" / "shards").iterdir()
    os.replace(other, shard)
    with pytest.raises(DamagedFileError, match="not the file that the manifest names"), worker_errors():
        planned.collect()
