"""Which expressions does each event of a table satisfy? One Arrow function over the events' partitions.

Workers open the index themselves, memory-mapped. Matches leave as Arrow columns made from the engine's arrays: there
is no Python object for a match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial, reduce
from typing import NamedTuple, Unpack

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from eligo.errors import InputError
from eligo.index.events.event_blocks import MATCHES_AT_ONCE, EventBlock, EventBlocks, reject_columns
from eligo.index.events.event_source import EventSource, OnError
from eligo.index.matches import Matches
from eligo.index.stored.opened_version import IndexPath, IndexVersion, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup, shard_groups
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.matching.match_metrics import MatchMetrics
from eligo.spark.session.task_cores import on_task_cores
from eligo.spark.session.worker_calls import UsageCounters, in_workers
from eligo.spark.tables import schemas
from eligo.spark.tables.documents import SharedDocuments, TableDocuments, options_of, shared_documents
from eligo.spark.tables.event_checks import require_choice
from eligo.spark.tables.events import EventOptions, Events, SelectedEvents, select_events
from eligo.spark.tables.schemas import as_spark_takes, expression_id_type, repeated


@checked_arguments
def match(
    events: Events,
    index: IndexPath,
    *,
    version: int | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    on_error: OnError = "reject",
    partitions: int | None = None,
    memory: int | None = None,
    documents: TableDocuments | None = None,
    document_order: str | None = None,
    document_time: str | None = None,
    at: datetime | None = None,
    metrics: MatchMetrics | None = None,
    **options: Unpack[EventOptions],
) -> DataFrame:
    """A row for each match, with the columns `event_id` and `expression_id`, named as the arguments say.

    `index` is the path of a saved index that every worker can read; all tasks use the version that is live now, or the
    one asked for, also when they run later or again. Of the events, the columns that the expressions name are
    attributes, unless `EventOptions` says otherwise; columns named by `keep` are copied to every match.

    An event that cannot be read has no matches (`rejects` lists such events); with `on_error="raise"` it ends the job,
    and with "keep" it gives one row with a null expression id, and columns `event`, `error` and `help` are added.
    `partitions` spreads the events over so many tasks first, where they come in few or unequal parts. An index larger
    than `memory` bytes, half of this machine's unless given, is asked in groups of shards, one after the other.

    `documents` are those that `exists d (…)` and `forall d (…)` are about: a document base or its path, or a table, of
    which `document_order` names the column by which documents stand in order, and `document_time` that of when they
    came. All tasks see them as they are now. `at` is the moment from which `in last '7 days'` counts back. `metrics`
    counts events, matches, rejected events and downloads while the table is computed.
    """
    require_choice("on_error", on_error, OnError)
    job = planned_match(
        events,
        index,
        version=version,
        expression_id=expression_id,
        keep=keep,
        partitions=partitions,
        memory=memory,
        documents=documents,
        document_order=document_order,
        document_time=document_time,
        at=at,
        **options,
    )
    if metrics is None:
        return _matched(job, on_error)
    job = job._replace(first=metrics.of_events(job.frame))
    if on_error == "raise":
        return metrics.of_matches(_matched(job, on_error, metrics.counters), F.lit(False))
    kept = metrics.of_matches(_matched(job, "keep", metrics.counters), F.col("error").isNotNull())
    return kept if on_error == "keep" else kept.where(F.col("error").isNull()).drop("event", "error", "help")


def _matched(job: PlannedMatch, on_error: OnError, counters: UsageCounters | None = None) -> DataFrame:
    """The rows of all groups of shards."""
    schema = schemas.matches_or_rejects(job.schema) if on_error == "keep" else job.schema
    parts = []
    for group in job.groups:
        is_first = group == job.groups[0]
        function = partial(
            match_batches,
            group=group,
            source=job.source,
            names=schema.names,
            # An event that cannot be read is told once.
            on_error="reject" if on_error == "keep" and not is_first else on_error,
            with_errors=on_error == "keep",
            documents=job.documents,
        )
        frame = job.first if is_first and job.first is not None else job.frame
        parts.append(in_workers(frame, function, schema, counters))
    return reduce(DataFrame.unionAll, parts)


class MatchOptions(EventOptions, total=False):
    """What is asked of which version, and how; as in `match`."""

    version: int | None
    expression_id: str
    keep: Sequence[str]
    partitions: int | None
    memory: int | None
    documents: TableDocuments | None
    document_order: str | None
    document_time: str | None
    at: datetime | None


class PlannedMatch(NamedTuple):
    """Events that are about to be matched."""

    frame: DataFrame
    """What Spark sends to workers."""
    source: EventSource
    schema: StructType
    """Of the matches."""
    groups: Sequence[ShardGroup]
    """Of which each is asked about all events."""
    documents: SharedDocuments | None
    first: DataFrame | None = None
    """The same as `frame`, for the first group, where it is to be observed."""


def planned_match(
    events: Events,
    index: IndexPath,
    *,
    version: int | None = None,
    expression_id: str = "expression_id",
    keep: Sequence[str] = (),
    partitions: int | None = None,
    memory: int | None = None,
    documents: TableDocuments | None = None,
    document_order: str | None = None,
    document_time: str | None = None,
    at: datetime | None = None,
    **options: Unpack[EventOptions],
) -> PlannedMatch:
    """Which events go to whom, and what comes back; arguments as in `match`."""
    chosen = index_version(index, version)
    opened = chosen.open()
    selected = select_events(events, attribute_kinds(opened), keep=keep, **options)
    schema = schemas.matches(selected.carried_fields, expression_id, expression_id_type(opened))
    shared = shared_documents(selected.frame.sparkSession, opened, documents, document_order, document_time, at)
    frame = spread_events(selected, partitions)
    return PlannedMatch(frame, selected.source, schema, shard_groups(chosen, memory), shared)


@checked_arguments
def rejects(
    events: Events,
    index: IndexPath,
    *,
    version: int | None = None,
    keep: Sequence[str] = (),
    **options: Unpack[EventOptions],
) -> DataFrame:
    """The events that cannot be read: their ids, the event as text, the error and what to do about it."""
    chosen = index_version(index, version)
    opened = chosen.open()
    selected = select_events(events, attribute_kinds(opened), keep=keep, **options)
    schema = schemas.event_rejects(selected.carried_fields)
    function = partial(_reject_batches, version=chosen, source=selected.source, names=schema.names)
    return in_workers(selected.frame, function, schema)


def spread_events(selected: SelectedEvents, partitions: int | None) -> DataFrame:
    """The selected events, in so many parts if a number is given."""
    if partitions is None or selected.source.columns:
        return selected.frame
    if partitions < 1:
        raise InputError(f"events cannot be spread over {partitions} partitions")
    return selected.frame.repartition(partitions)


@on_task_cores
def match_batches(
    batches: Iterator[pa.RecordBatch],
    *,
    group: ShardGroup,
    source: EventSource,
    names: list[str],
    on_error: OnError,
    with_errors: bool,
    documents: SharedDocuments | None = None,
) -> Iterator[pa.RecordBatch]:
    """What a worker makes of events in the layout of `source`: the rows of `match`."""
    index, view = group.open()
    blocks = EventBlocks(batches, index, source, on_error)
    for block in blocks:
        matches = view.match_batch(block.events, **options_of(documents))
        yield from match_rows(block, matches, view.ids, names, with_errors=with_errors)
        if on_error == "keep" and block.rejects:
            carried = [as_spark_takes(column) for column in block.rejected_carried]
            no_ids = pa.nulls(len(block.rejects), as_spark_takes(view.ids.slice(0, 0)).type)
            yield pa.record_batch([*carried, no_ids, *reject_columns(block.rejects)], names=names)
        blocks.matched(len(matches.positions))


def match_rows(
    block: EventBlock, matches: Matches, expression_ids: pa.Array, names: list[str], *, with_errors: bool
) -> Iterator[pa.RecordBatch]:
    """A row for each match: the columns to copy, and the expression's id."""
    positions = matches.positions
    event_rows = matches.event_rows()
    for first in range(0, len(positions), MATCHES_AT_ONCE):
        chosen = slice(first, first + MATCHES_AT_ONCE)
        columns = [repeated(column, event_rows[chosen]) for column in block.carried]
        columns.append(as_spark_takes(expression_ids.take(pa.array(positions[chosen]))))
        if with_errors:
            columns += [pa.nulls(len(columns[-1]), pa.string())] * 3
        yield pa.record_batch(columns, names=names)


@on_task_cores
def _reject_batches(
    batches: Iterator[pa.RecordBatch], *, version: IndexVersion, source: EventSource, names: list[str]
) -> Iterator[pa.RecordBatch]:
    for block in EventBlocks(batches, version.open(), source):
        if block.rejects:
            carried = [as_spark_takes(column) for column in block.rejected_carried]
            yield pa.record_batch([*carried, *reject_columns(block.rejects)], names=names)
