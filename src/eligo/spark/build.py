"""How does a table of expressions become a live index? Check in parallel, build, publish.

    expressions ──▶ check ──▶ good ──▶ build ──▶ publish
                      └─────▶ rejects ◀──┘

The check runs in the executors; the good rows then come to the driver, which builds one shard and publishes it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from eligo import index as indexes
from eligo.data.hierarchy import Hierarchy
from eligo.data.schema import Schema
from eligo.engines import registry
from eligo.errors import ExpressionError, Reject
from eligo.language.evaluate import Missing
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.spark import schemas
from eligo.spark.check import check
from eligo.spark.worker_errors import worker_errors
from eligo.storage.manifest import MANIFEST_NAME, read_manifest

STAGES = ("check", "build", "publish")
OnStage = Callable[[str], None]
"""Told the name of each stage when it begins."""


@dataclass(frozen=True)
class BuildSummary:
    """What became of the rows of a table; every row is accepted, rejected or replaced."""

    num_rows: int
    num_accepted: int
    num_rejected: int
    num_replaced: int
    """Good rows whose id came again further down; the last row of an id counts."""
    rejects: pa.Table
    """`schemas.REJECT_COLUMNS`."""
    seconds: Mapping[str, float]
    """By stage."""
    num_bytes: int
    """Of the version's files."""
    version: int


@dataclass
class _Clock:
    on_stage: OnStage
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.on_stage(name)
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def _silent(stage: str) -> None:
    """Report nothing."""


def build(
    expressions: DataFrame,
    path: str | os.PathLike[str],
    *,
    missing: Missing = "unknown",
    engine: str = registry.DEFAULT_ENGINE,
    schema: Schema | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    id: str = "id",
    expression: str = "expression",
    on_stage: OnStage = _silent,
) -> BuildSummary:
    """Index the good rows of a table and publish the index at the path, as a new version if there is one already.

    The last row of an id counts, in the order of the table where it has one; when that row is bad, the id is not in
    the index.
    """
    # What would fail after hours of work fails now.
    registry.get(engine)
    if os.path.isfile(path) or os.path.exists(Path(path) / MANIFEST_NAME):
        read_manifest(Path(path))
    clock = _Clock(on_stage)
    with clock.stage("check"), worker_errors():
        checked = check(expressions, id=id, expression=expression, schema=schema, limits=limits).rows.toArrow()
    good, rejects = split(checked)
    with clock.stage("build"):
        built, refused = indexes.build(
            good,
            missing=missing,
            engine=engine,
            schema=schema,
            hierarchies=hierarchies,
            limits=limits,
            on_error="reject",
        )
        rejects = pa.concat_tables([rejects, _table_of(refused, rejects.schema)])
    with clock.stage("publish"):
        built.save(path)
    manifest = read_manifest(Path(path))
    return BuildSummary(
        num_rows=checked.num_rows,
        num_accepted=len(built),
        num_rejected=rejects.num_rows,
        num_replaced=checked.num_rows - len(built) - rejects.num_rows,
        rejects=rejects,
        seconds=clock.seconds,
        num_bytes=sum(file.num_bytes for file in manifest.files),
        version=manifest.version,
    )


def split(checked: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The rows to build and the rejects; rows of ids whose last row is bad are in neither unless bad themselves."""
    is_good = pc.is_null(checked["error"])
    rows = pa.table({"id": checked["id"], "row": pa.array(range(checked.num_rows), pa.int64())})
    last_rows = rows.group_by("id").aggregate([("row", "max")])["row_max"]
    last_is_good = is_good.take(last_rows)
    lost_ids = checked["id"].take(last_rows.filter(pc.invert(last_is_good)))
    survives = pc.and_(is_good, pc.invert(pc.is_in(checked["id"], value_set=lost_ids)))
    good = checked.filter(survives).select(list(schemas.EXPRESSION_COLUMNS))
    return good, checked.filter(pc.invert(is_good)).select(list(schemas.REJECT_COLUMNS))


def _table_of(refused: Sequence[Reject], schema: pa.Schema) -> pa.Table:
    rows = []
    for reject in refused:
        position = reject.error.position if isinstance(reject.error, ExpressionError) else None
        rows.append(
            {
                "id": reject.id,
                "expression": reject.text,
                "error": reject.error.message,
                "help": reject.error.help or None,
                "line": position.line if position is not None else None,
                "column": position.column if position is not None else None,
            }
        )
    return pa.Table.from_pylist(rows, schema=schema)
