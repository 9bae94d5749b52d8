"""How do matches reach Parquet files soonest? The workers that found them write them; Spark only hears how many.

A match that goes to Spark becomes a Java row, and then a column of Parquet, in a process that has the cores of the
workers. Here a task writes a file of its own aside and sends its name. Of attempts at the same task Spark takes the
result of one, and the driver puts the files in place that the results name (`index/written/part_files.py`).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Literal, NamedTuple, Unpack

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import SparkSession

from eligo.data.file_places import require_apart
from eligo.errors import InputError
from eligo.index.events.event_blocks import EventBlocks
from eligo.index.events.event_source import EventSource
from eligo.index.stored.opened_version import IndexPath, index_version
from eligo.index.stored.shard_groups import ShardGroup
from eligo.index.written.landed_file import landed_file
from eligo.index.written.match_file import MatchFile, write_no_matches
from eligo.index.written.part_files import part_files
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import MatchOptions, PlannedMatch, planned_match
from eligo.spark.session.session import has_local_files
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import in_workers
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.spark_versions import SPARK_VERSION, arrow_schema
from eligo.spark.tables.documents import SharedDocuments, options_of
from eligo.spark.tables.event_checks import require_choice
from eligo.spark.tables.events import Events
from eligo.spark.tables.parquet_events import ParquetEvents
from eligo.stores.address import Place, is_address, located, place, told_place

BadEvents = Literal["reject", "raise"]

RESULT = "file string, events long, rejected long, matches long"
"""What a task tells; `file` is null where there was no match."""


class WrittenMatches(NamedTuple):
    """What came of it."""

    num_events: int
    """Read, rejected ones included."""
    num_rejected: int
    num_matches: int


@checked_arguments
def match_to_parquet(
    events: Events,
    index: IndexPath,
    out: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    on_error: BadEvents = "reject",
    **options: Unpack[MatchOptions],
) -> WrittenMatches:
    """Write the rows of `match` to a directory of Parquet files, quicker than `match(…).write.parquet(out)`.

    `out` is a path that the driver and all workers share, or an address. It must not be there yet unless `overwrite`;
    what was there goes when all matches are written, so it is neither the index nor what the events are read from.
    Nothing is there, or all of it, whatever tasks fail, are tried again or run twice; at an address, who lists it while
    the files get their names may see some of them, and `_SUCCESS` comes last. Arguments are as in `match`; an event
    that cannot be read is counted, or ends the job (`on_error="raise"`).
    """
    require_choice("on_error", on_error, BadEvents)
    chosen = index_version(index, options.pop("version", None))
    job = planned_match(events, chosen, **options)
    require_shared(job.frame.sparkSession, os.fspath(out))
    if overwrite:
        require_apart(os.fspath(out), chosen.path, *_read_from(events))
    written, _ = written_in_workers(job, place(located(out)), overwrite=overwrite, on_error=on_error)
    return written


def written_in_workers(
    job: PlannedMatch, target: Place, *, overwrite: bool, on_error: BadEvents
) -> tuple[WrittenMatches, list[str]]:
    """Have a planned match written to a directory that this process and all workers see; the names of its files too."""
    schema = arrow_schema(job.schema)
    # As Spark marks its own files: the types of columns, and that old days follow the one calendar that both have.
    metadata = {
        "org.apache.spark.version": SPARK_VERSION,
        "org.apache.spark.sql.parquet.row.metadata": job.schema.json(),
    }
    with part_files(target, overwrite=overwrite) as parts, worker_errors():
        asked = [
            in_workers(
                job.frame,
                partial(
                    _write_batches,
                    group=group,
                    source=job.source,
                    schema=schema,
                    metadata=metadata,
                    directory=str(parts.aside),
                    on_error=on_error,
                    documents=job.documents,
                ),
                RESULT,
            )
            for group in job.groups
        ]
        told = [result.collect() for result in asked]
        files = [row["file"] for rows in told for row in rows if row["file"] is not None]
        if not files:
            files = [_file_name(0)]
            with landed_file(parts.aside / files[0]) as path:
                write_no_matches(path, schema, metadata)
        parts.commit(files)
    first = told[0]
    written = WrittenMatches(
        sum(row["events"] for row in first),
        sum(row["rejected"] for row in first),
        sum(row["matches"] for rows in told for row in rows),
    )
    return written, files


def _read_from(events: Events) -> list[Place]:
    """Where events are read from, as far as can be told; file systems that nothing is written to are left out."""
    if isinstance(events, ParquetEvents):
        return [place(events.path)]
    found = {told for file in events.inputFiles() if (told := told_place(file)) is not None}
    return sorted(found, key=str)


def workers_write(spark: SparkSession, path: str) -> bool:
    """Whether a path leads to the same directory from workers as from here, as far as can be told.

    An address does, and a path where Spark's own default is the file system of the machine. A directory that a worker
    does not see after all is an error.
    """
    return is_address(path) or has_local_files(spark)


def require_shared(spark: SparkSession, path: str) -> None:
    """Refuse what only Spark itself can write to."""
    if not workers_write(spark, path):
        raise InputError(
            f"workers cannot write to {path} themselves: it is in no directory that they share with the driver",
            help="use match(…).write.parquet(…)",
        )


def _file_name(number: int) -> str:
    return f"part-{number:05}-{secrets.token_hex(8)}.snappy.parquet"


@on_task_cores
def _write_batches(
    batches: Iterator[pa.RecordBatch],
    *,
    group: ShardGroup,
    source: EventSource,
    schema: pa.Schema,
    metadata: Mapping[str, str],
    directory: str,
    on_error: BadEvents,
    documents: SharedDocuments | None,
) -> Iterator[pa.RecordBatch]:
    index, view = group.open()
    context = TaskContext.get()
    name = _file_name(0 if context is None else context.partitionId())
    num_events = num_rejected = 0
    about = options_of(documents)
    with landed_file(place(directory) / name) as path, MatchFile(path, schema, metadata) as file:
        blocks = EventBlocks(batches, index, source, on_error)
        for block in blocks:
            matches = view.match_batch(block.events, **about)
            file.add(block.carried, matches)
            blocks.matched(len(matches.positions))
            num_events += block.rows.num_rows + len(block.rejects)
            num_rejected += len(block.rejects)
    told = [[name if file.num_rows else None], [num_events], [num_rejected], [file.num_rows]]
    yield pa.record_batch(
        [pa.array(told[0], pa.string()), *(pa.array(column, pa.int64()) for column in told[1:])],
        names=["file", "events", "rejected", "matches"],
    )
