"""How does a file of events become a file of matches? Read, match, write, and count on the way."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Observation, SparkSession
from pyspark.sql import functions as F

from eligo.data.file_format import FileFormat, format_of
from eligo.spark import tables
from eligo.spark.match import match
from eligo.spark.opened_index import live_version, opened_index
from eligo.spark.worker_errors import worker_errors


@dataclass(frozen=True)
class MatchSummary:
    """What a match has seen and written."""

    num_events: int
    num_matches: int
    seconds: float


def match_files(
    spark: SparkSession,
    index: str,
    events: str,
    out: str | None,
    *,
    format: FileFormat | None = None,
    out_format: FileFormat | None = None,
    event_id: str = "event_id",
    expression_id: str = "expression_id",
    overwrite: bool = False,
) -> MatchSummary:
    """Match a file of events and write the matches to `out`, or to stdout as JSON lines when it is None."""
    start = time.perf_counter()
    format = format or format_of(events)
    if format is FileFormat.JSON_LINES:
        rows = tables.read_json_events(spark, events, event_id=event_id)
    else:
        kinds = opened_index(os.path.abspath(index), live_version(index), verify=True).vocabulary.attribute_kinds()
        rows = tables.read_events(spark, events, format=format, event_id=event_id, kinds=kinds)
    seen, found = Observation("events"), Observation("matches")
    matches = match(
        tables.spread(rows).observe(seen, F.count(F.lit(1)).alias("rows")),
        index,
        event_id=event_id,
        expression_id=expression_id,
        json=tables.JSON_EVENT if format is FileFormat.JSON_LINES else None,
    )
    counted_matches = matches.observe(found, F.count(F.lit(1)).alias("rows"))
    with worker_errors(), tempfile.TemporaryDirectory(prefix="eligo-") as scratch:
        if out is not None:
            tables.write(counted_matches, out, format=out_format, overwrite=overwrite)
        else:
            tables.write_json_lines(counted_matches, sys.stdout.buffer, Path(scratch) / "parts")
    return MatchSummary(seen.get["rows"], found.get["rows"], time.perf_counter() - start)
