"""How do a base and its deltas become one part again? Executors read what is live, and build it anew."""

from __future__ import annotations

import os

import pyarrow as pa
from pyspark.sql import SparkSession

from eligo.errors import InputError, StorageError
from eligo.index.build_summary import BuildSummary
from eligo.index.settings import Settings
from eligo.index.stages import Clock, OnStage, StageName, silent
from eligo.spark.building.part_stages import TARGET_SHARD_ROWS, PartPlan, build_part
from eligo.spark.building.stored_rows import has_number_ids, live_rows, stored_shards
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.tables.expression_rows import ExpressionRows
from eligo.storage.directory import commit
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.retention import KEPT_VERSIONS, check_keep_versions
from eligo.storage.work_files import WorkFiles
from eligo.stores.address import located, place


@checked_arguments
def compact(
    path: str | os.PathLike[str],
    *,
    spark: SparkSession | None = None,
    target_shard_rows: int = TARGET_SHARD_ROWS,
    keep_versions: int | None = KEPT_VERSIONS,
    on_stage: OnStage = silent,
) -> BuildSummary:
    """Publish a version without deltas that answers as the live one does; none when it has no deltas.

    The files are those that a build of the same expressions would give. `spark` is the active session unless given.
    """
    check_keep_versions(keep_versions)
    session = spark or SparkSession.getActiveSession()
    if session is None:
        raise InputError("there is no Spark session", help="give one: compact(path, spark=…)")
    index = place(path)
    manifest = read_manifest(index)
    if not manifest.deltas:
        return _unchanged(manifest)
    # What is stored was checked when it came in.
    settings = Settings.from_stored(manifest.settings).with_schema(None).unbounded
    plan = PartPlan(settings, "error", target_shard_rows, f"eligo compact {path}")
    clock = Clock(on_stage)
    work = WorkFiles.of(path)
    try:
        shards = stored_shards(place(located(path)), manifest)
        is_number = has_number_ids(index, manifest) or False
        rows = ExpressionRows(live_rows(session, shards, is_number=is_number), {}, is_number)
        part = build_part(rows, work, plan, clock)
        if part.rejects.num_rows:
            first = part.rejects.slice(0, 1).to_pylist()[0]
            raise StorageError(f"{index} holds what is no expression: {first['id']!r}: {first['error']}")
        with clock.stage(StageName.PUBLISH):
            published = commit(
                index,
                vocabulary=part.vocabulary,
                shards=part.shards,
                settings=manifest.settings,
                expected_version=manifest,
                keep_versions=keep_versions,
            )
    finally:
        work.remove()
    return part.summary(published, clock.seconds)


def _unchanged(manifest: Manifest) -> BuildSummary:
    nothing = pa.table({name: pa.nulls(0, pa.string()) for name in ("id", "expression", "error", "help")})
    return BuildSummary(
        num_rows=manifest.num_expressions,
        num_accepted=manifest.num_expressions,
        num_rejected=0,
        num_replaced=0,
        num_distinct=0,
        num_nodes=0,
        num_shards=len(manifest.shards),
        rejects=nothing,
        seconds={},
        num_bytes=manifest.num_bytes,
        version=manifest.version,
        num_live=manifest.num_expressions,
    )
