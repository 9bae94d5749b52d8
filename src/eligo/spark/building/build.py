"""How does a table of expressions become a live index? Check, build in executors, publish.

    expressions ─▶ check ─▶ vocabulary ─▶ build ─▶ publish
                     └────▶ rejects

No expression comes to the driver. What executors make, and what makes the result the same whatever the parallelism, is
in `part_build`; which rows count is in `shard_rows`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from eligo.data.file_places import require_rejects
from eligo.data.schema.hierarchy import Hierarchy
from eligo.data.schema.schema import Schema
from eligo.engines import registry
from eligo.index.build_summary import BuildSummary
from eligo.index.guard import GuardColumns, guarded_schema
from eligo.index.settings import Settings
from eligo.index.stages import Clock, OnStage, StageName, silent
from eligo.index.stored.live_count import num_live_if_readable
from eligo.index.stored.loss_bounds import MOST_SHRINK, Bound, LossBounds, check_rejects, check_shrink
from eligo.language.evaluate import Missing
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.ranges.list_choice import RangeLists
from eligo.spark.building.part_stages import (
    TARGET_SHARD_ROWS,
    OnDuplicate,
    PartPlan,
    admit_rows,
    build_part,
    keep_rejects,
)
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.tables.expression_rows import ExpressionRows, Expressions, named_rows
from eligo.storage.directory import commit
from eligo.storage.expected_version import live_manifest
from eligo.storage.retention import KEPT_VERSIONS, check_keep_versions
from eligo.storage.stored_settings import StoredSettings
from eligo.storage.work_files import WorkFiles


@checked_arguments
def build(
    expressions: Expressions,
    path: str | os.PathLike[str],
    *,
    id: str = "id",
    expression: str = "expression",
    weights: str | None = None,
    tenant: str | None = None,
    valid_from: str | None = None,
    valid_to: str | None = None,
    order_by: str | None = None,
    on_duplicate: OnDuplicate = "last",
    missing: Missing = "unknown",
    engine: str = registry.DEFAULT_ENGINE,
    ranges: RangeLists = "auto",
    schema: Schema | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    target_shard_rows: int = TARGET_SHARD_ROWS,
    rejects: str | os.PathLike[str] | None = None,
    max_rejects: Bound | None = None,
    max_shrink: Bound = MOST_SHRINK,
    keep_versions: int | None = KEPT_VERSIONS,
    on_stage: OnStage = silent,
) -> BuildSummary:
    """Index the good rows of a table and publish the index at the path, as a new version if there is one already.

    `expressions` is a DataFrame, or `parquet_expressions`, which workers read themselves and so sooner.
    `id`, `expression`, `weights`, `tenant`, `valid_from`, `valid_to` and `order_by` name columns; `weights` has maps
    from attributes to the weights of predicates that have none of their own. Of the rows of one id the last
    by `order_by` counts, and when that one is bad, the id is not in the index; without `order_by`, rows of one id must
    be equal. `on_duplicate="error"` refuses any id that comes again. `rejects` is the path of a Parquet or JSON lines
    file for all rejected rows. When another publishes at the path meanwhile, nothing is published and a
    `VersionConflictError` says so. `path` must be one that all executors can write to.

    `max_rejects` is how many rows, or what share of them (0.1, or "10%"), may be rejected: any number but not all of
    them unless given. `max_shrink` is how many expressions fewer than the live version, or what share fewer, the new
    one may have. Beyond, a `PublishRefusedError` says so before anything is built.
    """
    # What would fail after hours of work fails now.
    check_keep_versions(keep_versions)
    require_rejects(rejects, path)
    bounds = LossBounds.checked(max_rejects, max_shrink)
    settings = Settings.checked(
        missing=missing, engine=engine, schema=schema, hierarchies=hierarchies, limits=limits, ranges=ranges
    )
    guards = GuardColumns(tenant, valid_from, valid_to)
    rows = named_rows(
        expressions, id=id, expression=expression, weights=weights, order_by=order_by, guards=guards, call="build"
    )
    plan = PartPlan(settings, on_duplicate, target_shard_rows, f"eligo build {path}")
    stored = settings.with_schema(guarded_schema(schema, guards, rows.guard_types)).to_stored()
    return _build_and_publish(rows, path, plan, stored, bounds, rejects, keep_versions, Clock(on_stage))


def _build_and_publish(
    rows: ExpressionRows,
    path: str | os.PathLike[str],
    plan: PartPlan,
    settings: StoredSettings,
    bounds: LossBounds,
    rejects: str | os.PathLike[str] | None,
    keep_versions: int | None,
    clock: Clock,
) -> BuildSummary:
    """A version of rows alone; `settings` are its own, those of the plan what rows are checked by."""
    live = live_manifest(path)
    num_before = num_live_if_readable(path, live) if live is not None else None

    def check(num_rows: int, num_rejected: int, num_accepted: int) -> None:
        check_rejects(bounds.rejects, num_rejected, num_rows, path)
        if num_before is not None:
            check_shrink(bounds.shrink, num_before, num_accepted, path)

    work = WorkFiles.of(path)
    try:
        part = build_part(rows, work, plan, clock, admit=lambda encoded: admit_rows(encoded, work, rejects, check))
        with clock.stage(StageName.PUBLISH):
            keep_rejects(part.encoded, work, rejects)
            manifest = commit(
                path,
                vocabulary=part.vocabulary,
                shards=part.shards,
                settings=settings,
                expected_version=live or 0,
                keep_versions=keep_versions,
            )
    finally:
        work.remove()
    return part.summary(manifest, clock.seconds)
