"""How is a stream of events matched? Micro-batch by micro-batch, each against the version that is live when it starts.

    OUT/batch=0/part-….parquet        the matches of a micro-batch, all of them or none: written aside, then renamed
    OUT/batch=1/…
    OUT/_rejects/batch=1/…            its events that could not be read, if there are any; or in a place of their own
    OUT/_batches/1.json               what it has seen: version, events, rejected, matches, seconds
    OUT/_stream.json                  whose output this is; see `stream_mark`
    OUT/_staging/…                    what a batch that was cut off left; the next run removes it

Spark keeps in the checkpoint which events belong to which micro-batch. After a crash it asks for the last one again,
with the same events. The directory of the matches is renamed last: if it is there, the batch is done; if it is not,
all of the batch is made again in the place of what there is. So each event is matched, or rejected, exactly once,
whatever dies when. In a store, the file in `_batches` is what says so; see `store_batches`.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter

from eligo.errors import EligoError, InputError
from eligo.index.events.event_source import OnError
from eligo.index.stored.opened_version import attribute_kinds, index_version
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match import planned_match
from eligo.spark.matching.match import rejects as rejected_events
from eligo.spark.matching.parquet_matches import BadEvents, written_in_workers
from eligo.spark.matching.store_batches import BATCHES, finish_batch, is_batch_done, write_store_batch
from eligo.spark.matching.stream_mark import claimed
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables.documents import refuse_documents
from eligo.spark.tables.events import EventOptions, select_events
from eligo.spark.tables.spark_addresses import spark_address
from eligo.storage.replace_file import put_directory, replace_file, sync_directory
from eligo.stores.address import Address, Place, is_address, located, place

STAGING, REJECTS = "_staging", "_rejects"
_putting_in_place = threading.Lock()
"""Held while a batch that is written aside is put in its place, so that it is not thrown away meanwhile."""


@dataclass(frozen=True)
class StreamBatch:
    """What became of one micro-batch."""

    batch: int
    version: int
    """Of the index."""
    num_events: int
    num_rejected: int
    num_matches: int
    seconds: float


OnBatch = Callable[[StreamBatch], None]


@checked_arguments
def stream(
    events: DataFrame,
    index: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    checkpoint: str | os.PathLike[str],
    trigger: Mapping[str, Any] | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    rejects: str | os.PathLike[str] | None = None,
    on_error: OnError = "reject",
    on_batch: OnBatch | None = None,
    name: str = "eligo",
    **options: Unpack[EventOptions],
) -> StreamingQuery:
    """Match a streaming table of events into Parquet, and return the running query.

    `out` is a directory, which gets a directory `batch=<number>` for each micro-batch; reading it as Parquet gives the
    matches with a column `batch`. Events that cannot be read go in the same way to the directory `rejects`, which is
    `_rejects` in `out` unless given; `on_error="raise"` ends the stream instead. A version that is published while the
    stream runs is taken up by the next micro-batch. `checkpoint` is a directory that belongs to this stream alone; with
    it, a stream that is started again goes on where it was. An output that has the batches of another checkpoint is
    refused, and so is a checkpoint whose batches are in another output. `trigger` is as in `DataStreamWriter.trigger`,
    such as `{"availableNow": True}` or `{"processingTime": "10 seconds"}`. `on_batch` is told of every micro-batch that
    is done. Other arguments are as in `match`.
    """
    if not events.isStreaming:
        raise InputError("these events are no stream", help="read them with spark.readStream, or use match")
    if on_error == "keep":
        raise InputError("a stream writes matches and rejects apart", help='use on_error="reject" and read rejects=')
    target = place(located(out))
    if isinstance(target, Address) != is_address(rejects if rejects is not None else out):
        raise InputError("of out= and rejects= one is an address", help="give both as paths, or both as addresses")
    # What would end the first micro-batch is told now.
    opened = index_version(index).open()
    refuse_documents(opened, "a stream")
    select_events(events, attribute_kinds(opened), keep=keep, **options)
    rejects_to = target / REJECTS if rejects is None else place(located(rejects))
    writer = _triggered(events.writeStream.queryName(name), trigger or {"processingTime": "0 seconds"})
    checkpoint_at = place(located(checkpoint))
    write = partial(
        _write_batch,
        index=located(index, "index"),
        out=target,
        rejects_to=rejects_to,
        expression_id=expression_id,
        keep=tuple(keep),
        on_error=on_error,
        on_batch=on_batch,
        options=options,
    )
    with claimed(checkpoint_at, target, rejects_to):
        discard_staged(target, rejects_to)
        try:
            with spark_address(str(checkpoint_at), "give another directory as checkpoint") as known:
                return writer.option("checkpointLocation", known).foreachBatch(write).start()
        except PySparkException as error:
            raise InputError(f"the stream cannot start: {_first_line(error)}") from error


@contextmanager
def _shortened(batch: int) -> Iterator[None]:
    """Errors of Spark's own in a line: Java looks through what a batch raised, and a long text overflows its stack."""
    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise EligoError(f"batch {batch} of the stream was cut off: {_first_line(error)}") from None


def has_ended(query: StreamingQuery, seconds: float) -> bool:
    """Whether a stream comes to its end within some seconds; what ended it too soon is raised as an error of ours."""
    try:
        with worker_errors():
            return bool(query.awaitTermination(seconds))  # type: ignore[arg-type]
    except PySparkException as error:
        raise EligoError(
            f"the stream was cut off: {_first_line(error)}", help="what is done is kept: start it again to go on"
        ) from error


def discard_staged(*directories: Place) -> None:
    """Remove what a batch that was cut off has written aside."""
    with _putting_in_place:
        for directory in directories:
            if isinstance(directory, Address):
                continue  # where a batch is written in its place
            shutil.rmtree(directory / STAGING, ignore_errors=True)


def _triggered(writer: DataStreamWriter, trigger: Mapping[str, Any]) -> DataStreamWriter:
    try:
        return writer.trigger(**trigger)
    except (PySparkException, TypeError, ValueError) as error:
        raise InputError(
            f"{dict(trigger)!r} does not say when a batch starts: {_first_line(error)}",
            help='such as {"availableNow": True} or {"processingTime": "10 seconds"} (--every \'10 seconds\')',
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0]


def _write_batch(
    events: DataFrame,
    batch: int,
    *,
    index: str,
    out: Place,
    rejects_to: Place,
    expression_id: str,
    keep: tuple[str, ...],
    on_error: OnError,
    on_batch: OnBatch | None,
    options: EventOptions,
) -> None:
    if _is_done(out, batch):
        return
    start = time.perf_counter()
    version = index_version(index)
    version.open()
    what = f"eligo stream: batch {batch} against {index}, version {version.number}"
    with _shortened(batch), described(events.sparkSession, what), worker_errors():
        planned = planned_match(events, version, expression_id=expression_id, keep=keep, **options)
        own: BadEvents = "reject" if on_error == "reject" else "raise"
        write = partial(written_in_workers, planned, overwrite=True, on_error=own)
        bad = partial(rejected_events, events, version, keep=keep, **options)
        if isinstance(out, Address):
            written, files = write_store_batch(out, rejects_to, batch, write, lambda: bad().toArrow())
        else:
            written, files = write(out / STAGING / str(batch))
            _write_rejects(bad if written.num_rejected else None, rejects_to, batch)
    done = StreamBatch(
        batch=batch,
        version=version.number,
        num_events=written.num_events,
        num_rejected=written.num_rejected,
        num_matches=written.num_matches,
        seconds=round(time.perf_counter() - start, 3),
    )
    if isinstance(out, Address):
        finish_batch(out, batch, asdict(done), files)
    else:
        with _putting_in_place:
            (out / BATCHES).mkdir(exist_ok=True)
            replace_file(out / BATCHES / f"{batch}.json", [json.dumps(asdict(done)).encode()])
            put_directory(out / STAGING / str(batch), out / f"batch={batch}")
    if on_batch is not None:
        on_batch(done)


def _is_done(out: Place, batch: int) -> bool:
    if isinstance(out, Address):
        return is_batch_done(out, batch)
    if not (out / f"batch={batch}").exists():
        return False
    sync_directory(out)  # which the attempt that put it there may not have come to
    return True


def _write_rejects(rejects: Callable[[], DataFrame] | None, rejects_to: Place, batch: int) -> None:
    """Put the events of a batch that could not be read in their place, instead of those of another attempt."""
    assert isinstance(rejects_to, Path)
    # Another attempt at this batch may have left some, perhaps of another version of the index.
    shutil.rmtree(rejects_to / f"batch={batch}", ignore_errors=True)
    if rejects is not None:
        put_directory(_stage(rejects(), rejects_to, batch), rejects_to / f"batch={batch}")


def _stage(rows: DataFrame, directory: Path, batch: int) -> Path:
    """Write rows aside, in the directory that they will be renamed into."""
    staged = directory / STAGING / str(batch)
    rows.write.mode("overwrite").parquet(str(staged))
    return staged
