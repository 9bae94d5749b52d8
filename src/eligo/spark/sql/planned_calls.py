"""What becomes of a call in SQL before any task runs? Columns are chosen, the version is fixed, the answer has types.

Spark asks for it in a process of its own, with the types of the table and the constants of the call. What is planned
goes from there to the workers, so that all tasks of a query ask the very version that was live when it was analysed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql.types import StructField, StructType
from pyspark.sql.udtf import AnalyzeArgument, AnalyzeResult, PartitioningColumn, SelectedColumn

from eligo.errors import InputError
from eligo.index.events.event_source import ROWS_COLUMN, EventSource
from eligo.index.stored.opened_version import IndexVersion, attribute_kinds, index_version
from eligo.index.stored.shard_groups import ShardGroup
from eligo.spark.matching.match import match_batches
from eligo.spark.matching.top import top_batches
from eligo.spark.session.reachable import require_reachable
from eligo.spark.sql.call_constants import EVENT_NAMES, EVENTS, TableCall, read_call
from eligo.spark.tables import schemas
from eligo.spark.tables.chosen_columns import ChosenColumn, ChosenEvents, choose_columns
from eligo.spark.tables.documents import refuse_documents
from eligo.spark.tables.event_checks import names_of, require_distinct_columns, require_groups
from eligo.spark.tables.schemas import expression_id_type
from eligo.spark.tables.tables import quoted

Arguments = Sequence[AnalyzeArgument]
NamedArguments = Mapping[str, AnalyzeArgument]
Answer = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

SHARED_NAMES = ("version", "expression_id", "on_error", *EVENT_NAMES)
"""What every function takes by name."""
MATCH, TOP, COUNT = "eligo_match", "eligo_top", "eligo_count"


@dataclass
class PlannedCall(AnalyzeResult):
    """What Spark needs to know, and what workers do."""

    answer: Answer | None = None
    """Makes rows of events in the layout for workers."""
    counted: CountPlan | None = None
    """Else what is counted, until a task has no more events."""
    sent: StructType | None = None
    """The columns that workers get, by number."""


class CountPlan(NamedTuple):
    """What a worker needs to know to count."""

    version: IndexVersion
    source: EventSource
    names: list[str]
    on_error: str


def plan_match(args: Arguments, kwargs: NamedArguments) -> PlannedCall:
    """`eligo_match(TABLE(events), index)`: the rows of `match`."""
    call = read_call(MATCH, (EVENTS, "index"), ("keep", *SHARED_NAMES), args, kwargs)
    asked = _asked(MATCH, call)
    on_error = call.constants.get("on_error", "reject")
    schema = schemas.matches(asked.chosen.carried_fields, asked.expression_id, asked.id_type)
    if on_error == "keep":
        schema = schemas.matches_or_rejects(schema)
    answer = partial(
        match_batches,
        group=ShardGroup(asked.version),
        source=asked.chosen.source,
        names=schema.names,
        on_error=on_error,
        with_errors=on_error == "keep",
    )
    return PlannedCall(_nullable(schema), select=asked.columns, answer=answer, sent=asked.sent)


def plan_top(args: Arguments, kwargs: NamedArguments) -> PlannedCall:
    """`eligo_top(TABLE(events), index, n)`: the rows of `top`."""
    call = read_call(TOP, (EVENTS, "index", "n"), ("keep", "weights", *SHARED_NAMES), args, kwargs)
    if call.constants["n"] < 1:
        raise InputError(f"the {call.constants['n']} best matches are none", help="ask for 1 or more")
    asked = _asked(TOP, call)
    on_error = call.constants.get("on_error", "reject")
    schema = schemas.top(asked.chosen.carried_fields, asked.expression_id, asked.id_type)
    if on_error == "keep":
        schema = schemas.top_or_rejects(schema)
    answer = partial(
        top_batches,
        version=asked.version,
        source=asked.chosen.source,
        n=int(call.constants["n"]),
        names=schema.names,
        on_error=on_error,
    )
    return PlannedCall(_nullable(schema), select=asked.columns, answer=answer, sent=asked.sent)


def plan_count(args: Arguments, kwargs: NamedArguments) -> PlannedCall:
    """`eligo_count(TABLE(events), index)`: the rows of `count`.

    Spark adds nothing up after a table function. So the events of a group come to one task, and without groups all do;
    with `partial => true` each task counts its own, and the query has to add up.
    """
    names = ("by", "partial", *(name for name in SHARED_NAMES if name != "event_id"))
    call = read_call(COUNT, (EVENTS, "index"), names, args, kwargs)
    on_error = call.constants.get("on_error", "reject")
    if on_error == "keep":
        raise InputError(
            f"{COUNT} has rows for expressions only", help=f"{MATCH}(…, on_error => 'keep') has bad events"
        )
    by = names_of(call.constants.get("by", ()))
    call.constants["event_id"] = by
    asked = _asked(COUNT, call)
    require_groups(asked.chosen.carried_fields)
    schema = schemas.counts(asked.chosen.carried_fields, asked.expression_id, asked.id_type)
    in_parts = bool(call.constants.get("partial", False))
    return PlannedCall(
        _nullable(schema),
        withSinglePartition=not by and not in_parts,
        partitionBy=[] if in_parts else [PartitioningColumn(quoted(name)) for name in by],
        select=asked.columns,
        counted=CountPlan(asked.version, asked.chosen.source, schema.names, on_error),
        sent=asked.sent,
    )


class _Asked(NamedTuple):
    """What all calls have."""

    version: IndexVersion
    chosen: ChosenEvents
    expression_id: str
    id_type: Any

    @property
    def columns(self) -> list[SelectedColumn]:
        """What Spark selects of the table, by number, because it reads a dot in a name as a field."""
        needed = self.chosen.columns
        if not needed:
            return [SelectedColumn("true", ROWS_COLUMN)]
        return [SelectedColumn(_sql_of(column), f"_eligo_{place}") for place, column in enumerate(needed)]

    @property
    def sent(self) -> StructType:
        """The types of what is selected."""
        if not self.chosen.columns:
            return StructType().add(ROWS_COLUMN, "boolean")
        fields = StructType()
        for place, column in enumerate(self.chosen.columns):
            fields.add(f"_eligo_{place}", column.sql_type)
        return fields


def _asked(function: str, call: TableCall) -> _Asked:
    require_reachable(call.constants["index"], "index")
    version = index_version(call.constants["index"], call.constants.get("version"))
    opened = version.open()
    refuse_documents(opened, function)
    chosen = choose_columns(call.schema, attribute_kinds(opened), **call.only((*EVENT_NAMES, "keep", "weights")))
    # Whether Spark can tell columns apart that are alike but for case is not said here.
    needed = [column.field.name for column in chosen.columns]
    require_distinct_columns(call.schema.names, needed, is_case_sensitive=False)
    expression_id = call.constants.get("expression_id", "expression_id")
    return _Asked(version, chosen, expression_id, expression_id_type(opened))


def _sql_of(column: ChosenColumn) -> str:
    name = quoted(column.field.name)
    if column.sql_type == column.field.dataType:
        return name
    return f"CAST({name} AS {column.sql_type.simpleString()})"


def _nullable(schema: StructType) -> StructType:
    """The schema as Spark itself makes it where a task has no rows; a batch of another one is refused."""
    return StructType([StructField(field.name, field.dataType) for field in schema])
