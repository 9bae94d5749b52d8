"""Which classes does a job load? Those of a small match in every way that commands use, run here to be recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import eligo
from eligo.spark.matching.match_files import count_files, match_files
from eligo.spark.session.session import local_session, stop_and_wait

EVENTS = [{"event_id": number, "age": number, "state": "CA"} for number in range(4)]


def train(folder: Path) -> None:
    """Match and count a few events of each format; then end the session's Java, which writes down what it loaded."""
    index, table, lines = str(folder / "index"), str(folder / "events.parquet"), str(folder / "events.jsonl")
    eligo.build({"a": "age > 1 and state = 'CA'"}).save(index)
    pq.write_table(pa.Table.from_pylist(EVENTS), table)
    Path(lines).write_text("".join(f"{json.dumps(event)}\n" for event in EVENTS), encoding="utf-8")
    spark = local_session("eligo class archive", master="local[2]", config={"spark.driver.memory": "1g"})
    for number, events in enumerate((table, lines)):
        for out in (f"matches-{number}.parquet", f"matches-{number}.jsonl"):
            match_files(spark, index, events, str(folder / out))
        count_files(spark, index, events, str(folder / f"counts-{number}.parquet"))
    stop_and_wait()


if __name__ == "__main__":
    train(Path(sys.argv[1]))
