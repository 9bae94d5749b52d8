"""Does the answer stay right when something dies or is damaged while events are matched?"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import eligo
from eligo.errors import DamagedFileError
from eligo.spark import match

KILLS = 10
NUM_FILES = 40
EVENTS_OF_FILE = 25


def test_a_task_whose_process_is_killed_is_run_again(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eligo.build({f"r{number}": f"age >= {number}" for number in range(50)}).save(tmp_path / "x.index")
    events = spark.range(2_000).select(F.col("id").alias("event_id"), (F.col("id") % 60).alias("age")).repartition(4)
    expected = sorted(map(tuple, match(events, tmp_path / "x.index").collect()))
    marker = str(tmp_path / "killed")

    def dying(batches: Iterator[pa.RecordBatch], **arguments: Any) -> Iterator[pa.RecordBatch]:
        from eligo.spark.matching.match import match_batches as real

        for batch in real(batches, **arguments):
            yield batch  # so that a part of the answer is on its way
            if not os.path.exists(marker):
                with open(marker, "x"):
                    os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(sys.modules["eligo.spark.matching.match"], "match_batches", dying)
    spark.sparkContext.setLogLevel("OFF")
    found = sorted(map(tuple, match(events, tmp_path / "x.index").collect()))
    spark.sparkContext.setLogLevel("ERROR")
    assert os.path.exists(marker)
    assert found == expected


@pytest.mark.parametrize("damage", ["flipped", "cut"])
def test_a_damaged_shard_is_refused_by_name(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    eligo.build({f"r{number}": f"age >= {number}" for number in range(50)}).save(tmp_path / "x.index")
    (shard,) = (tmp_path / "x.index" / "shards").iterdir()
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.chmod(0o644)
    shard.write_bytes(content if damage == "flipped" else content[:-1])
    events = spark.createDataFrame([(1, 1)], "event_id int, age int")
    with pytest.raises(DamagedFileError, match=shard.name):
        match(events, tmp_path / "x.index")


@pytest.mark.long
def test_a_stream_that_is_killed_again_and_again_matches_each_event_once(tmp_path: Path) -> None:
    eligo.build({"even": "parity = 0", "all": "n exists"}).save(tmp_path / "x.index")
    incoming, out = tmp_path / "incoming", tmp_path / "out"
    incoming.mkdir()
    for file in range(NUM_FILES):
        rows = [
            {"event_id": n, "n": n, "parity": n % 2} for n in range(file * EVENTS_OF_FILE, (file + 1) * EVENTS_OF_FILE)
        ]
        lines = [*(json.dumps(row) for row in rows), f"not JSON {file}"]
        (incoming / f"{file:03}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    command = [sys.executable, "-c", "from eligo.cli.main import run; run()", "stream"]
    command += [
        str(tmp_path / "x.index"),
        str(incoming),
        "--out",
        str(out),
        "--checkpoint",
        str(tmp_path / "checkpoint"),
    ]
    command += ["--once", "--files-per-batch", "2", "--master", "local[2]"]
    chance = random.Random(5)
    kills = 0
    while kills < KILLS:
        kills += _killed_at_random(command, out, chance)
    finished = subprocess.run(command, capture_output=True, text=True)
    assert finished.returncode in (0, 1), finished.stderr  # 1 where it met a line that cannot be read
    table = ds.dataset(out, format="parquet", partitioning="hive", ignore_prefixes=["_", "."]).to_table()
    found = sorted(zip(map(int, table["event_id"].to_pylist()), table["expression_id"].to_pylist(), strict=True))
    numbers = range(NUM_FILES * EVENTS_OF_FILE)
    assert found == sorted([(n, "all") for n in numbers] + [(n, "even") for n in numbers if n % 2 == 0])
    rejects = ds.dataset(out / "_rejects", format="parquet", ignore_prefixes=["_", "."]).to_table()
    assert sorted(rejects["event"].to_pylist()) == sorted(f"not JSON {file}" for file in range(NUM_FILES))


def _killed_at_random(command: list[str], out: Path, chance: random.Random) -> int:
    """Start the stream, and kill it and its Java at a random moment after it has begun; 0 when it ended before."""
    before = len(list(out.glob("batch=*")))
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)
    patience = time.monotonic() + 180
    target = before + chance.choice([0, 0, 1])
    while process.poll() is None and time.monotonic() < patience:
        begun = (out / "_staging").exists() or len(list(out.glob("batch=*"))) > before
        if begun and len(list(out.glob("batch=*"))) >= target:
            break
        time.sleep(0.02)
    time.sleep(chance.random() * 1.5)
    if process.poll() is not None:
        return 0
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return 1
