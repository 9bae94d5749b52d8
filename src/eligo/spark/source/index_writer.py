"""How does a table become an index when Spark writes it? Tasks put rows aside; when all have, one version is published.

    task ─▶ rows aside ─┐
    task ─▶ rows aside ─┴▶ commit: build or change ─▶ publish          a task fails ─▶ abort: what is aside goes

    overwrite    the table is the index: a new version of these expressions alone
    append       the table changes the index: ids are new or replaced, or, by a column of flags, deleted

Spark has no session where it commits, so the index is built by one process: for some millions of expressions, or for
tenants and windows, `build` and `update` of eligo.spark have executors do it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import BooleanType, StructType

from eligo.data.expressions.checked_texts import reject_columns
from eligo.data.expressions.expression_source import read_expression
from eligo.data.schema.guards import TENANT, tenant_kind
from eligo.errors import BuildError, DuplicateIdError, EligoError, InputError, Reject
from eligo.index import build_open
from eligo.index.guard import is_of_tenants
from eligo.index.index import Index
from eligo.index.shard_rows import EXPRESSION, ID
from eligo.index.stored.loss_bounds import check_rejects
from eligo.index.stored.opened_version import attribute_kinds
from eligo.index.written.table_files import write_table
from eligo.spark.session.task_cores import keep_to_task_cores
from eligo.spark.tables import schemas
from eligo.storage.expected_version import live_manifest
from eligo.storage.retention import KEPT_VERSIONS
from eligo.storage.work_files import WorkFile, WorkFiles, WorkKind

DELETED = "deleted"
ATTEMPTS, FILES_OF_ATTEMPT = 1 << 20, 1 << 10
"""Bounds on the numbers of files: every attempt at a task has names of its own."""
ROWS_IN_FILE = 1 << 20


@dataclass
class RowsAside(WriterCommitMessage):
    """What a task has written."""

    files: tuple[WorkFile, ...]


class IndexWriter(DataSourceArrowWriter):
    """Writes a table to an index, all of it or nothing."""

    def __init__(self, options: dict[str, Any], schema: StructType, *, overwrite: bool) -> None:
        self._options = options
        self._overwrite = overwrite
        self._columns = _columns(options, schema)
        self._is_number = schemas.id_type_of(self._columns[0], schema[self._columns[0]].dataType).typeName() == "long"
        self._places = [schema.names.index(name) for name in self._columns]
        live = live_manifest(options["path"])
        self._version = 0 if live is None else live.version
        """That was live when the job began."""
        expected = options.get("expected_version", self._version)
        if expected != self._version:
            raise InputError(
                f"{options['path']} has version {self._version}, and {expected} was expected",
                help="see what changed, and give the version that there is",
            )
        self._work = WorkFiles.of(options["path"])

    def write(self, iterator: Iterator[pa.RecordBatch]) -> RowsAside:
        """Put the rows of a task aside."""
        keep_to_task_cores()
        context = TaskContext.get()
        attempt = 0 if context is None else context.taskAttemptId() % ATTEMPTS
        files: list[WorkFile] = []
        waiting: list[pa.RecordBatch] = []
        for batch in iterator:
            waiting.append(self._named(batch))
            if sum(part.num_rows for part in waiting) >= ROWS_IN_FILE:
                files.append(self._put(waiting, attempt, len(files)))
                waiting = []
        if waiting:
            files.append(self._put(waiting, attempt, len(files)))
        return RowsAside(tuple(files))

    def _named(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        types = [pa.int64() if self._is_number else pa.large_string(), pa.large_string(), pa.bool_()]
        columns = [batch.column(place).cast(kind) for place, kind in zip(self._places, types, strict=False)]
        return pa.record_batch(columns, names=[ID, EXPRESSION, DELETED][: len(columns)])

    def _put(self, batches: Sequence[pa.RecordBatch], attempt: int, number: int) -> WorkFile:
        file = WorkKind.ROWS.file(attempt * FILES_OF_ATTEMPT + number)
        self._work.write_table(file, pa.Table.from_batches(batches))
        return file

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Publish a version with the rows of all tasks."""
        try:
            files = [file for message in messages if isinstance(message, RowsAside) for file in message.files]
            tables = [self._work.read_table(file) for file in files]
            is_new = self._overwrite or self._version == 0
            index = self._built(tables) if is_new else self._changed(tables)
            if index is not None:
                index.publish(
                    self._options["path"],
                    expected_version=self._version,
                    keep_versions=self._options.get("keep_versions", KEPT_VERSIONS),
                    max_shrink=self._options.get("max_shrink"),
                )
        finally:
            self._work.remove()

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Remove what tasks have put aside."""
        self._work.remove()

    def _built(self, tables: Sequence[pa.Table]) -> Index:
        rows = pa.concat_tables(tables) if tables else self._no_rows()
        if DELETED in rows.column_names:
            rows = rows.filter(pc.invert(rows[DELETED].fill_null(False))).drop_columns([DELETED])
        settings = {name: self._options[name] for name in ("missing", "engine", "ranges") if name in self._options}
        on_error = self._options.get("on_error", "raise")
        index = build_open.build(
            rows, on_error=on_error, on_duplicate=self._options.get("on_duplicate", "error"), **settings
        )
        self._keep_rejects(index.rejects, rows.num_rows)
        return index

    def _changed(self, tables: Sequence[pa.Table]) -> Index | None:
        """The live version with the changes; None where there are none."""
        index = build_open.open(self._options["path"], version=self._version, merge_at=None)
        has_tenants = tenant_kind(index.schema, [attribute_kinds(index).get(TENANT, ())]) is not None
        seen: dict[Any, tuple[Any, ...]] = {}
        rejects: list[Reject] = []
        for row in (row for table in tables for row in zip(*(c.to_pylist() for c in table.columns), strict=True)):
            id = row[0]
            if seen.setdefault(id, row) != row:
                raise DuplicateIdError(f"the id {id!r} comes twice, with different rows", help="leave one of each")
            try:
                _change(index, row, has_tenants=has_tenants)
            except EligoError as error:
                rejects.append(Reject(id, row[1] or "", error))
        if rejects and self._options.get("on_error", "raise") == "raise":
            raise BuildError(rejects)
        self._keep_rejects(rejects, len(seen))
        return index if seen else None

    def _no_rows(self) -> pa.Table:
        kind = pa.int64() if self._is_number else pa.large_string()
        return pa.table({ID: pa.array([], kind), EXPRESSION: pa.array([], pa.large_string())})

    def _keep_rejects(self, rejects: Sequence[Reject], num_rows: int) -> None:
        """Write the rejects where they are wanted; when all rows are bad, nothing is published."""
        path = self._options.get("rejects")
        if path is not None:
            texts = pa.array([reject.text for reject in rejects], pa.large_string())
            errors = {place: reject.error for place, reject in enumerate(rejects)}
            ids = pa.array([reject.id for reject in rejects], pa.int64() if self._is_number else pa.string())
            write_table(pa.table({ID: ids, **reject_columns(texts, errors, list(errors))}), path)
        check_rejects(None, len(rejects), num_rows, self._options["path"])


def _change(index: Index, row: tuple[Any, ...], *, has_tenants: bool) -> None:
    """Take a row up: an id and a text, and whether the id goes.

    In an index of tenants, one whose text names no tenant would be everybody's, and is refused as `update` refuses it.
    """
    id, text, is_deleted = (*row, False)[:3]
    if id is None:
        raise InputError("a row has no id", help="leave out rows without an id")
    if is_deleted:
        if id in index:
            index.delete(id)
        return
    if has_tenants and not is_of_tenants(read_expression(text, schema=None, limits=index.limits)[1]):
        raise InputError(
            "the expressions of this index have tenants, and this one has none, so it would be everybody's",
            help="give the column of tenants to eligo.spark.update(…, tenant=…), or write "
            f"\"{TENANT}\" = 'acme'^0 and (…), as the table expressions of the index has it",
        )
    index.replace(id, text)


def _columns(options: dict[str, Any], schema: StructType) -> list[str]:
    """The names of the columns of ids, of expressions and, where there is one, of flags."""
    names = [options.get("id", ID), options.get("expression", EXPRESSION)]
    if DELETED in options:
        names.append(options[DELETED])
    schemas.require_columns("expressions", schema, tuple(names), '.option("id", …), .option("expression", …)')
    if DELETED in options and not isinstance(schema[names[2]].dataType, BooleanType):
        kind = schema[names[2]].dataType.simpleString()
        raise InputError(f"column {names[2]!r} is {kind}, and says whether an id is deleted", help="make it boolean")
    return names
