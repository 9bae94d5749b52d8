"""How do executors build a part of an index? Two passes over shards, with one vocabulary merged between them.

    rows ─▶ files ─▶ check, sort, encode ─▶ merge ─▶ renumber, build, write ─▶ entries of the manifest
                      a task for a shard      driver    a task for a shard

The first pass parses each text once, and leaves the encoded shard with the vocabulary of its own rows in a work file.
The second puts the numbers of the merged vocabulary in their place. What a shard holds follows from its rows alone, so
equal rows give equal files, however many tasks there were and in whatever order the rows came.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import SparkSession

from eligo.data.expressions.encode_texts import encode_texts
from eligo.data.expressions.merge_vocabulary import merge_vocabularies, renumbered
from eligo.data.vocabulary import Vocabulary
from eligo.engines.build_steps import listening
from eligo.index.settings import Settings
from eligo.index.shard import (
    build_shard,
    encoded_arrays,
    own_vocabulary,
    prefixed,
    row_arrays,
    stored_ids,
    stored_table,
    stored_texts,
)
from eligo.index.shard_rows import EXPRESSION, ID, read_shard
from eligo.kernels.hashing import hash_texts
from eligo.language.text.parse import COMPILED_FROM
from eligo.spark.building.row_files import RowFile, rows_of_shard
from eligo.spark.session.worker_calls import in_workers
from eligo.storage.directory import open_file, stage_shard, stage_vocabulary
from eligo.storage.file_entries import ShardEntry, VocabularyEntry
from eligo.storage.json_fields import JsonFields
from eligo.storage.packed_ids import arrow_id_type
from eligo.storage.row_progress import tell_rows
from eligo.storage.string_array import pack_strings
from eligo.storage.work_files import WorkFile, WorkFiles, WorkKind
from eligo.stores import address
from eligo.stores.address import Place

SHOWN_REJECTS = 10_000
"""So many rejects of a shard come to the driver; all of them go to a file."""
RENUMBERED, ENGINE_BUILT = 0.1, 0.85
"""Shares of the time that a shard takes, when these steps are done; the rest is writing it."""
MERGED_AT_ONCE = 16
"""Vocabularies that one task merges."""


class EncodedShard(NamedTuple):
    """What the first pass says of a shard."""

    number: int
    num_rows: int
    num_accepted: int
    num_rejected: int
    num_duplicates: int
    num_distinct: int
    """Different texts among the accepted."""
    repeated_ids: list[Any]
    conflicting_ids: list[Any]
    rejects: pa.Table
    """At most `SHOWN_REJECTS`."""


class BuiltShard(NamedTuple):
    """What the second pass says of a shard."""

    entry: ShardEntry
    num_nodes: int
    """Of the engine: subexpressions that expressions share count once."""


# --- the first pass ---


def encode_shards(
    spark: SparkSession, row_files: list[RowFile], num_shards: int, work: WorkFiles, settings: Settings
) -> list[EncodedShard]:
    """Check and encode the rows of row files, those of a shard in one task."""
    function = partial(_encode_shards, row_files=row_files, num_shards=num_shards, work=work, settings=settings)
    numbers = spark.range(0, num_shards, 1, num_shards)
    encoded = in_workers(numbers, function, "number int, report string, rejects binary")
    found = [_encoded_shard(row) for row in encoded.toArrow().to_pylist()]
    return sorted(found, key=lambda shard: shard.number)


def _encode_shards(
    batches: Iterator[pa.RecordBatch], *, row_files: list[RowFile], num_shards: int, work: WorkFiles, settings: Settings
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            table = rows_of_shard(work, row_files, number, num_shards)
            if table is not None:
                yield _encode_table(table, number, work, settings)


def encode_empty(work: WorkFiles, settings: Settings, *, has_number_ids: bool) -> EncodedShard:
    """The only shard of a table without rows."""
    ids = pa.nulls(0, arrow_id_type(is_number=has_number_ids))
    table = pa.table({ID: ids, EXPRESSION: pa.nulls(0, pa.large_string())})
    return _encoded_shard(_encode_table(table, 0, work, settings).to_pylist()[0])


def _encode_table(table: pa.Table, number: int, work: WorkFiles, settings: Settings) -> pa.RecordBatch:
    told = WorkKind.ROWS_CHECKED.file(number)
    shard = read_shard(table, schema=settings.schema, limits=settings.limits)
    tell_rows(work, told, table.num_rows // 2)  # encoding takes about as long as what is done now
    vocabulary, encoded = encode_texts(
        shard.parsed, shard.rows, settings.missing, settings.hierarchies, only_strings=settings.only_strings
    )
    arrays = {**row_arrays(shard.ids, shard.texts), **encoded_arrays(encoded, vocabulary)}
    work.write(WorkKind.SHARD.file(number), arrays, {})
    tell_rows(work, told, table.num_rows)
    if shard.rejects.num_rows:
        work.write_table(WorkKind.REJECTS.file(number), shard.rejects)
    report = {
        "num_rows": shard.num_rows,
        "num_accepted": len(shard.ids),
        "num_rejected": shard.rejects.num_rows,
        "num_duplicates": shard.num_duplicates,
        "num_distinct": _num_distinct(shard.texts),
        "repeated_ids": shard.repeated_ids,
        "conflicting_ids": shard.conflicting_ids,
    }
    return pa.record_batch(
        [
            pa.array([number], pa.int32()),
            pa.array([json.dumps(report)], pa.string()),
            pa.array([_table_bytes(shard.rejects.slice(0, SHOWN_REJECTS))], pa.binary()),
        ],
        names=["number", "report", "rejects"],
    )


def _num_distinct(texts: pa.Array) -> int:
    """How many different texts there are, told apart by hashes of 64 bits, which is ten times as fast."""
    packed = pack_strings(texts)
    if sum(array.nbytes for array in packed.values()) < COMPILED_FROM:
        return int(pc.count_distinct(texts).as_py())
    hashes = np.sort(hash_texts(packed["offsets"], packed["data"], 0))
    return 1 + int((hashes[1:] != hashes[:-1]).sum())


def _encoded_shard(row: Mapping[str, Any]) -> EncodedShard:
    with pa.ipc.open_stream(row["rejects"]) as reader:
        return EncodedShard(row["number"], **json.loads(row["report"]), rejects=reader.read_all())


def _table_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


# --- the vocabulary ---


def merge_and_stage(spark: SparkSession, numbers: list[int], work: WorkFiles) -> VocabularyEntry:
    """Merge the vocabularies of the work files, sixteen at a time in executors while there are more, and stage it."""
    files = [WorkKind.SHARD.file(number) for number in numbers]
    num_merged = 0
    while len(files) > MERGED_AT_ONCE:
        groups = [files[first : first + MERGED_AT_ONCE] for first in range(0, len(files), MERGED_AT_ONCE)]
        targets = [WorkKind.VOCABULARY.file(num_merged + place) for place in range(len(groups))]
        function = partial(_merge_groups, work=work, groups=groups, targets=targets)
        in_workers(spark.range(0, len(groups), 1, len(groups)), function, "group int").toArrow()
        files, num_merged = targets, num_merged + len(targets)
    return stage_vocabulary(work.index, _merged(files, work).arrays(), {})


def _merge_groups(
    batches: Iterator[pa.RecordBatch], *, work: WorkFiles, groups: list[list[WorkFile]], targets: list[WorkFile]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for group in batch.column(0).to_pylist():
            work.write(targets[group], prefixed("vocabulary", _merged(groups[group], work).arrays()), {})
            yield pa.record_batch([pa.array([group], pa.int32())], names=["group"])


def _merged(files: list[WorkFile], work: WorkFiles) -> Vocabulary:
    return merge_vocabularies([own_vocabulary(work.read(file).arrays) for file in files])


# --- the second pass ---


def build_shards(
    spark: SparkSession,
    numbers: list[int],
    work: WorkFiles,
    vocabulary: VocabularyEntry,
    settings: Settings,
) -> list[BuiltShard]:
    """Build the shards of the work files against the merged vocabulary, a task each, and stage them."""
    if not numbers:
        return []
    function = partial(_build_shards, numbers=numbers, work=work, vocabulary=vocabulary, settings=settings)
    places = spark.range(0, len(numbers), 1, len(numbers))
    built = in_workers(places, function, "place int, entry string, nodes long")
    rows = sorted(built.toArrow().to_pylist(), key=lambda row: int(row["place"]))
    return [BuiltShard(_shard_entry(row["entry"]), row["nodes"]) for row in rows]


def _build_shards(
    batches: Iterator[pa.RecordBatch],
    *,
    numbers: list[int],
    work: WorkFiles,
    vocabulary: VocabularyEntry,
    settings: Settings,
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for place in batch.column(0).to_pylist():
            merged = _opened_vocabulary(address.place(work.index), vocabulary)
            entry, num_nodes = _build_shard(work, numbers[place], merged, settings)
            columns = [
                pa.array([place], pa.int32()),
                pa.array([json.dumps(entry.to_json())], pa.string()),
                pa.array([num_nodes], pa.int64()),
            ]
            yield pa.record_batch(columns, names=["place", "entry", "nodes"])


def _build_shard(work: WorkFiles, number: int, vocabulary: Vocabulary, settings: Settings) -> tuple[ShardEntry, int]:
    arrays = work.read(WorkKind.SHARD.file(number)).arrays
    table = renumbered(stored_table(arrays), own_vocabulary(arrays), vocabulary)
    num_rows = table.num_expressions

    told = WorkKind.ROWS_BUILT.file(number)

    def tell(share: float) -> None:
        tell_rows(work, told, int(num_rows * (RENUMBERED + (ENGINE_BUILT - RENUMBERED) * share)))

    tell(0.0)
    ids = stored_ids(arrays)
    with listening(tell):
        built = build_shard(
            ids,
            stored_texts(arrays),
            settings.engine,
            table,
            vocabulary,
            limits=settings.limits,
            ranges=settings.ranges,
        )
    tell(1.0)
    entry = stage_shard(work.index, built.arrays(), built.meta)
    tell_rows(work, told, len(ids))
    return entry, built.engine.stats().num_nodes


@lru_cache(maxsize=2)
def _opened_vocabulary(index: Place, entry: VocabularyEntry) -> Vocabulary:
    return Vocabulary.from_arrays(open_file(index, entry).arrays)


def _shard_entry(text: str) -> ShardEntry:
    return ShardEntry.from_json(JsonFields(json.loads(text), Path("the report of a task")))
