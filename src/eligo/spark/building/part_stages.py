"""In what steps is a part of an index built, and what do they count? The driver's side of `part_build`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

import pyarrow as pa

from eligo.errors import DuplicateIdError, InputError, PublishRefusedError
from eligo.index.build_summary import BuildSummary
from eligo.index.settings import Settings
from eligo.index.shard_rows import NAMED_IDS
from eligo.index.stages import Clock, StageName
from eligo.index.written.table_files import write_batches
from eligo.spark.building.part_build import (
    SHOWN_REJECTS,
    EncodedShard,
    build_shards,
    encode_empty,
    encode_shards,
    merge_and_stage,
)
from eligo.spark.building.row_files import write_row_files
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables.expression_rows import ExpressionRows
from eligo.storage.file_entries import ShardEntry, VocabularyEntry
from eligo.storage.manifest import Manifest
from eligo.storage.row_progress import RowsDone
from eligo.storage.work_files import WorkFiles, WorkKind

TARGET_SHARD_ROWS = 500_000
OnDuplicate = Literal["last", "error"]


class PartPlan(NamedTuple):
    """How rows are to become a part."""

    settings: Settings
    on_duplicate: OnDuplicate
    target_shard_rows: int
    what: str
    """The job's description in Spark."""


class BuiltPart(NamedTuple):
    """A part whose files are staged, and what became of its rows."""

    vocabulary: VocabularyEntry
    shards: tuple[ShardEntry, ...]
    encoded: tuple[EncodedShard, ...]
    num_nodes: int

    @property
    def rejects(self) -> pa.Table:
        """The first of them."""
        return first_rejects(self.encoded)

    def summary(
        self,
        manifest: Manifest,
        seconds: Mapping[str, float],
        *,
        num_live: int | None = None,
        num_deleted: int = 0,
        num_unknown: int = 0,
    ) -> BuildSummary:
        """For the one who asked for the build; without deltas, the manifest says how many expressions are live."""
        shards = self.encoded
        return BuildSummary(
            num_rows=sum(shard.num_rows for shard in shards),
            num_accepted=sum(shard.num_accepted for shard in shards),
            num_rejected=sum(shard.num_rejected for shard in shards),
            num_replaced=sum(shard.num_duplicates for shard in shards),
            num_distinct=sum(shard.num_distinct for shard in shards),
            num_nodes=self.num_nodes,
            num_shards=len(self.shards),
            rejects=self.rejects,
            seconds=seconds,
            num_bytes=manifest.num_bytes,
            version=manifest.version,
            num_live=manifest.num_expressions if num_live is None else num_live,
            num_deleted=num_deleted,
            num_unknown=num_unknown,
            num_deltas=len(manifest.deltas),
        )


def build_part(
    rows: ExpressionRows,
    work: WorkFiles,
    plan: PartPlan,
    clock: Clock,
    *,
    admit: Callable[[Sequence[EncodedShard]], None] | None = None,
) -> BuiltPart:
    """Check, encode and build rows in executors, and stage the files.

    How many shards there are follows from the number of rows. `admit` may refuse, by an error, what became of the rows
    when they were checked: before anything is built.
    """
    settings, on_duplicate, target_shard_rows, what = plan
    if on_duplicate not in ("last", "error"):
        raise InputError(f'on_duplicate is "last" or "error", not {on_duplicate!r}')
    if target_shard_rows < 1:
        raise InputError(f"a shard cannot have {target_shard_rows} rows", help="give target_shard_rows=1 or more")
    spark = rows.spark
    read = RowsDone(work, WorkKind.ROWS_READ)
    with clock.stage(StageName.READ, rows.num_rows, read), worker_errors(), described(spark, f"{what}: read rows"):
        row_files = write_row_files(rows, work)
    num_rows = sum(file.num_rows for file in row_files)
    num_shards = max(1, -(-num_rows // target_shard_rows))
    with clock.stage(StageName.CHECK, num_rows, RowsDone(work, WorkKind.ROWS_CHECKED)), worker_errors():
        with described(spark, f"{what}: check and encode {num_rows:,} rows for {num_shards:,} shards"):
            encoded = encode_shards(spark, row_files, num_shards, work, settings) if num_rows else []
        if not encoded:
            encoded = [encode_empty(work, settings, has_number_ids=rows.has_number_ids)]
        _refuse_duplicates(encoded, on_duplicate)
        if admit is not None:
            admit(encoded)
    numbers = [shard.number for shard in encoded if shard.num_accepted] or [encoded[0].number]
    with clock.stage(StageName.VOCABULARY), worker_errors(), described(spark, f"{what}: merge vocabularies"):
        vocabulary = merge_and_stage(spark, numbers, work)
    num_accepted = sum(shard.num_accepted for shard in encoded)
    with (
        clock.stage(StageName.BUILD, num_accepted, RowsDone(work, WorkKind.ROWS_BUILT)),
        worker_errors(),
        described(spark, f"{what}: build {len(numbers):,} shards"),
    ):
        built = build_shards(spark, numbers, work, vocabulary, settings)
    entries = tuple(shard.entry for shard in built)
    return BuiltPart(vocabulary, entries, tuple(encoded), sum(shard.num_nodes for shard in built))


def _refuse_duplicates(encoded: list[EncodedShard], on_duplicate: OnDuplicate) -> None:
    repeated = list(chain.from_iterable(shard.repeated_ids for shard in encoded))
    if repeated and on_duplicate == "error":
        raise DuplicateIdError(
            f"ids come more than once: {_named(repeated)}", help="leave one row of each, or give on_duplicate='last'"
        )
    conflicting = list(chain.from_iterable(shard.conflicting_ids for shard in encoded))
    if conflicting:
        raise DuplicateIdError(
            f"ids come more than once, with different expressions: {_named(conflicting)}",
            help="leave one of each, or name the column that tells which row is last: order_by=… (--order-by); "
            'for the last one of a file, order_by="_position" (--on-duplicate last)',
        )


def _named(ids: list[Any]) -> str:
    shown = ", ".join(repr(id) for id in ids[:NAMED_IDS])
    return f"{shown}, …" if len(ids) >= NAMED_IDS else shown


def first_rejects(encoded: Sequence[EncodedShard]) -> pa.Table:
    """The first rows that were rejected."""
    return pa.concat_tables([shard.rejects for shard in encoded]).slice(0, SHOWN_REJECTS)


def keep_rejects(encoded: Sequence[EncodedShard], work: WorkFiles, path: str | os.PathLike[str] | None) -> None:
    """Write all rejects to a file, one batch after another."""
    if path is not None:
        write_batches(_all_rejects(encoded, work), first_rejects(encoded).schema, os.fspath(path))


def admit_rows(
    encoded: Sequence[EncodedShard],
    work: WorkFiles,
    rejects: str | os.PathLike[str] | None,
    check: Callable[[int, int, int], None],
) -> None:
    """Ask `check`, given the numbers of rows, rejected and accepted, whether to go on; keep the rejects if not."""
    try:
        check(
            sum(shard.num_rows for shard in encoded),
            sum(shard.num_rejected for shard in encoded),
            sum(shard.num_accepted for shard in encoded),
        )
    except PublishRefusedError as refusal:
        refusal.rejects = first_rejects(encoded)
        keep_rejects(encoded, work, rejects)
        raise


def _all_rejects(encoded: Sequence[EncodedShard], work: WorkFiles) -> Iterator[pa.RecordBatch]:
    for shard in encoded:
        yield from work.read_batches(WorkKind.REJECTS.file(shard.number))
