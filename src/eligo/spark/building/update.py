"""How does a live index take up changes without being built again? A delta on top: new expressions, and tombstones.

    update(path, changed, deleted)     base ◀─ delta 1 ◀─ delta 2
    compact(path)                      base

An id is answered from the last part that has it, unless a later part's tombstones name it.

A delta costs what the changes cost; each delta costs every event a little, because its vocabulary is its own. Compact
when there are more than a few.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from eligo.data.file_places import require_rejects
from eligo.data.schema.schema import Schema
from eligo.errors import InputError
from eligo.index.build_summary import BuildSummary
from eligo.index.guard import GuardColumns, guarded_schema, require_same_tenants
from eligo.index.settings import Settings
from eligo.index.shard_rows import EXPRESSION, ID
from eligo.index.stages import Clock, OnStage, StageName, silent
from eligo.index.stored.live_count import num_live_among, num_live_expressions, read_ids
from eligo.index.stored.loss_bounds import MOST_SHRINK, Bound, LossBounds, check_rejects, check_shrink
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.spark.building.part_stages import (
    TARGET_SHARD_ROWS,
    BuiltPart,
    OnDuplicate,
    PartPlan,
    admit_rows,
    build_part,
    keep_rejects,
)
from eligo.spark.building.stored_rows import has_number_ids
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.tables import schemas
from eligo.spark.tables.expression_rows import ExpressionRows, Expressions, named_rows
from eligo.spark.tables.tables import quoted
from eligo.storage.directory import commit, stage_tombstones
from eligo.storage.file_entries import DeltaEntry
from eligo.storage.manifest import Manifest, read_manifest
from eligo.storage.packed_ids import arrow_id_type
from eligo.storage.retention import KEPT_VERSIONS, check_keep_versions
from eligo.storage.stored_settings import StoredSettings
from eligo.storage.work_files import WorkFiles
from eligo.stores.address import Place, place


@checked_arguments
def update(
    path: str | os.PathLike[str],
    changed: Expressions | None = None,
    deleted: DataFrame | None = None,
    *,
    id: str = "id",
    expression: str = "expression",
    weights: str | None = None,
    tenant: str | None = None,
    valid_from: str | None = None,
    valid_to: str | None = None,
    order_by: str | None = None,
    on_duplicate: OnDuplicate = "last",
    limits: Limits = DEFAULT_LIMITS,
    target_shard_rows: int = TARGET_SHARD_ROWS,
    rejects: str | os.PathLike[str] | None = None,
    max_rejects: Bound | None = None,
    max_shrink: Bound = MOST_SHRINK,
    keep_versions: int | None = KEPT_VERSIONS,
    on_stage: OnStage = silent,
) -> BuildSummary:
    """Publish a version with the expressions of `changed` new or replaced, and those with ids in `deleted` gone.

    Columns and rows are as in `build`; policy, engine, `ranges`, schema and hierarchies are the index's own. A changed
    row that is rejected leaves the id with the expression that it had. An id in both tables is changed. When there is
    nothing to change, also because no id in `deleted` is known, no version is published. The driver gets changed and
    deleted ids, and maps those of the index to count what is live; expressions do not come to it. `max_rejects` is how
    many rows, or what share of them, may be rejected, any number unless given; `max_shrink` how many expressions fewer
    there may be.
    """
    check_keep_versions(keep_versions)
    require_rejects(rejects, path)
    bounds = LossBounds.checked(max_rejects, max_shrink)
    index = place(path)
    manifest = read_manifest(index)
    settings = Settings.from_stored(manifest.settings, limits)
    guards = GuardColumns(tenant, valid_from, valid_to)
    rows = _changed_rows(changed, deleted, index, manifest, id, expression, weights, order_by, guards)
    stored = manifest.settings if changed is None else _guarded(index, manifest, settings.schema, guards, rows)
    if settings.schema is not None and settings.schema.is_partial:
        settings = settings.with_schema(None)  # as it was built without one
    plan = PartPlan(settings, on_duplicate, target_shard_rows, f"eligo update {path}")
    clock = Clock(on_stage)
    work = WorkFiles.of(path)
    try:
        part = _delta_part(rows, index, work, plan, clock, bounds, rejects)
        with clock.stage(StageName.PUBLISH), worker_errors():
            keep_rejects(part.encoded, work, rejects)
            with described(rows.spark, f"eligo update {path}: deleted ids"):
                deleted_ids = _deleted_ids(deleted, id, is_number=rows.has_number_ids)
            changes = _counted(index, manifest, _changed_ids(index, part, deleted_ids.type), deleted_ids)
            check_shrink(bounds.shrink, changes.num_before, changes.num_live, index)
            if changes:
                manifest = _commit(index, manifest, part, changes, stored, keep_versions)
    finally:
        work.remove()
    num_unknown = len(changes.deleted_ids) - changes.num_deleted
    counts = {"num_live": changes.num_live, "num_deleted": changes.num_deleted, "num_unknown": num_unknown}
    return part.summary(manifest, clock.seconds, **counts)


def _guarded(
    index: Place, manifest: Manifest, schema: Schema | None, guards: GuardColumns, rows: ExpressionRows
) -> StoredSettings:
    """The settings of the version with what guards ask for; refuses rows whose tenants the index has not."""
    require_same_tenants(index, manifest, schema, guards, rows.guard_types)
    new_schema = guarded_schema(schema, guards, rows.guard_types)
    return replace(manifest.settings, schema=new_schema.to_json() if new_schema is not None else None)


def _delta_part(
    rows: ExpressionRows,
    index: Place,
    work: WorkFiles,
    plan: PartPlan,
    clock: Clock,
    bounds: LossBounds,
    rejects: str | os.PathLike[str] | None,
) -> BuiltPart:
    """The part of the changed rows; all of them may be bad, unless a bound says otherwise."""

    def check(num_rows: int, num_rejected: int, _: int) -> None:
        if bounds.rejects is not None:
            check_rejects(bounds.rejects, num_rejected, num_rows, index)

    return build_part(rows, work, plan, clock, admit=lambda encoded: admit_rows(encoded, work, rejects, check))


class _Changes(NamedTuple):
    """What an update does to a version."""

    changed_ids: pa.Array
    deleted_ids: pa.Array
    """None of which is changed; some may be unknown."""
    num_before: int
    """Live expressions."""
    num_new: int
    """Changed ids that are not live before."""
    num_deleted: int
    """Deleted ids that are."""

    @property
    def num_live(self) -> int:
        return self.num_before - self.num_deleted + self.num_new

    def __bool__(self) -> bool:
        return bool(len(self.changed_ids) or self.num_deleted)


def _counted(index: Place, manifest: Manifest, changed_ids: pa.Array, deleted_ids: pa.Array) -> _Changes:
    """What becomes of the live version; an id that is both changed and deleted is changed."""
    deleted_ids = deleted_ids.filter(pc.invert(pc.is_in(deleted_ids, value_set=changed_ids)))
    return _Changes(
        changed_ids,
        deleted_ids,
        num_before=num_live_expressions(index, manifest),
        num_new=len(changed_ids) - num_live_among(index, manifest, changed_ids),
        num_deleted=num_live_among(index, manifest, deleted_ids),
    )


def _commit(
    index: Place,
    manifest: Manifest,
    part: BuiltPart,
    changes: _Changes,
    settings: StoredSettings,
    keep_versions: int | None,
) -> Manifest:
    tombstones = stage_tombstones(index, pa.concat_arrays([changes.changed_ids, changes.deleted_ids]))
    delta = DeltaEntry(vocabulary=part.vocabulary, shards=part.shards, tombstones=tombstones)
    return commit(
        index,
        vocabulary=manifest.vocabulary,
        shards=manifest.shards,
        deltas=[*manifest.deltas, delta],
        settings=settings,
        expected_version=manifest,
        keep_versions=keep_versions,
    )


def _changed_rows(
    changed: Expressions | None,
    deleted: DataFrame | None,
    index: Place,
    manifest: Manifest,
    id: str,
    expression: str,
    weights: str | None,
    order_by: str | None,
    guards: GuardColumns,
) -> ExpressionRows:
    """The changed rows, of which there may be none, with ids of the kind that the index has."""
    if changed is None and deleted is None:
        raise InputError("there is nothing to update with", help="give changed expressions, deleted ids, or both")
    if changed is not None:
        rows = named_rows(
            changed, id=id, expression=expression, weights=weights, order_by=order_by, guards=guards, call="update"
        )
    elif deleted is not None:
        schemas.require_columns("deleted ids", deleted.schema, (id,), "update(…, id=…)")
        id_type = schemas.id_type_of(id, deleted.schema[id].dataType)
        nothing = f"{ID} {id_type.simpleString()}, {EXPRESSION} string"
        rows = ExpressionRows(_empty(deleted.sparkSession, nothing), {}, id_type.typeName() == "long")
    expected = has_number_ids(index, manifest)
    if expected is not None and rows.has_number_ids != expected:
        kinds = ("numbers", "strings") if expected else ("strings", "numbers")
        raise InputError(
            f"the ids of {index} are {kinds[0]}, and those of the table are {kinds[1]}", help="cast the id column"
        )
    return rows


def _empty(spark: SparkSession, schema: str) -> DataFrame:
    return spark.createDataFrame([], schema)


def _deleted_ids(deleted: DataFrame | None, id: str, *, is_number: bool) -> pa.Array:
    kind = arrow_id_type(is_number=is_number)
    if deleted is None:
        return pa.array([], kind)
    schemas.require_columns("deleted ids", deleted.schema, (id,), "update(…, id=…)")
    id_type = schemas.id_type_of(id, deleted.schema[id].dataType)
    if (id_type.typeName() == "long") != is_number:
        raise InputError("the deleted ids and the changed ones are not of one type", help="cast the id column")
    found = deleted.select(F.col(quoted(id)).cast(id_type).alias(ID)).distinct().toArrow()[ID]
    if found.null_count:
        raise InputError("a deleted row has no id", help="leave out rows without an id")
    return found.cast(kind).combine_chunks()


def _changed_ids(index: Place, part: BuiltPart, kind: pa.DataType) -> pa.Array:
    ids = (read_ids(index, shard) for shard in part.shards if shard.num_expressions)
    return pa.concat_arrays([pa.array([], kind), *(own.cast(kind) for own in ids)])
