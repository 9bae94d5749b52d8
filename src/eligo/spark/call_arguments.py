"""Are the arguments of a call on Spark what it can take? Checked by their names, before anything runs.

The functions of `eligo.spark` call the same thing by the same name, so one table says what each must be. The session
that comes with them is looked at too: its workers must have Eligo (`session/worker_python.py`).
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ParamSpec, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from eligo.arguments import flag, instance, items, mapping, one_of, path, text, texts, whole_number
from eligo.data.expressions.expression_source import checked_id
from eligo.data.schema.schema import Schema
from eligo.engines import registry
from eligo.errors import InputError, shown
from eligo.index.in_order import window_argument
from eligo.index.settings import limits_argument
from eligo.index.stored.opened_version import IndexVersion
from eligo.joins.document_base import DocumentBase
from eligo.joins.segment import Snapshot
from eligo.language.document_truth import checked_moment
from eligo.language.evaluate import check_policy, checked_hierarchies
from eligo.ranges.list_choice import checked_range_lists
from eligo.spark.session.reachable import require_reachable
from eligo.spark.session.worker_python import ready_workers
from eligo.stores.address import named, place
from eligo.stores.given_options import checked as checked_options
from eligo.stores.given_options import top_of

P = ParamSpec("P")
R = TypeVar("R")
Check = Callable[[Any, str], object]

ON_ERROR = ("reject", "raise", "keep")
ON_DUPLICATE = ("last", "error")


def checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """The function, which refuses arguments that it cannot take with an error of ours, and has workers ready."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        bound = signature.bind(*args, **kwargs)
        given = bound.arguments
        sessions = [*_sessions(given.values())]
        for name, value in {**given, **given.get("options", {})}.items():
            parameter = signature.parameters.get(name)
            check = (OPTION_CHECKS if parameter is None else CHECKS).get(name)
            if check is not None and (parameter is None or value is not parameter.default):
                check(value, name)
                if parameter is not None and name in PLACES and isinstance(value, str | os.PathLike):
                    if name in (*SEEN_BY_WORKERS, *ALSO_SEEN.get(function.__name__, ())):
                        require_reachable(os.fspath(value), name, sessions)
                    given[name] = named(value, name)
        for session in sessions:
            ready_workers(session)
        return function(*bound.args, **bound.kwargs)

    return checked


def _sessions(values: Iterable[Any]) -> Iterator[SparkSession]:
    """The session that is given, or that of a table."""
    for value in values:
        if isinstance(value, SparkSession):
            yield value
        elif isinstance(value, DataFrame):
            yield value.sparkSession
        elif type(value).__name__ == "ParquetEvents":
            yield value.spark


def _table(value: Any, name: str) -> None:
    """A DataFrame, or what workers read themselves."""
    if isinstance(value, DataFrame) or type(value).__name__ in ("ParquetEvents", "ParquetExpressions"):
        return
    reader = "parquet_events" if name == "events" else "parquet_expressions"
    if isinstance(value, str | os.PathLike):
        help = f"read it first: eligo.spark.{reader}(spark, {shown(value)}), or spark.read.csv(…, header=True)"
    elif isinstance(value, pa.Table | pa.RecordBatch) or hasattr(value, "to_dict"):
        help = "make one of it: spark.createDataFrame(…)"
    else:
        help = f"give what spark.read or eligo.spark.{reader} returns"
    kind = type(value).__module__.partition(".")[0]
    given = f"one of {kind}" if kind in ("pandas", "polars") else shown(value)
    raise InputError(f"{name} is a DataFrame of Spark, not {given}", help=help)


def _place(value: Any, name: str) -> None:
    """A path of this machine, or an address."""
    place(value, name)


def _documents(value: Any, name: str) -> None:
    if not isinstance(value, DataFrame | DocumentBase | Snapshot):
        path(value, name)


CONNECT_SESSION = ("pyspark.sql.connect.session", "SparkSession")
"""Where the class of a session over Spark Connect is, which does not come from that of others."""


def _session(value: Any, name: str) -> None:
    if CONNECT_SESSION in {(kind.__module__, kind.__name__) for kind in type(value).__mro__}:
        return
    instance(value, name, SparkSession, "a SparkSession", help="eligo.spark.local_session() gives one")


def _index(value: Any, name: str) -> None:
    if not isinstance(value, IndexVersion):
        place(value, name)


def _names(value: Any, name: str) -> None:
    texts(value, name)


def _ids(value: Any, name: str) -> None:
    """One id, or several."""
    several = not isinstance(value, str | int) and isinstance(value, Iterable)
    for each in items(value, name) if several else [value]:
        checked_id(each)


def _callable(value: Any, name: str) -> None:
    if not callable(value):
        raise InputError(f"{name} is a function, not {shown(value)}")


def _schema(value: Any, name: str) -> None:
    instance(value, name, Schema, "a Schema", help="make one with Schema.from_dict")


def _metrics(value: Any, name: str) -> None:
    if type(value).__name__ != "MatchMetrics":
        raise InputError(f"{name} are a MatchMetrics, not {shown(value)}", help="make them: eligo.spark.MatchMetrics()")


def _columns(value: Any, name: str) -> None:
    if not isinstance(value, StructType | str):
        raise InputError(
            f"{name} is the columns of a table of events, not {shown(value)}",
            help='give a StructType, or a text such as "event_id long, age int"',
        )


def _number(least: int) -> Check:
    return lambda value, name: whole_number(value, name, least=least)


def _unless_none(check: Check) -> Check:
    return lambda value, name: None if value is None else check(value, name)


PLACES = ("index", "old", "new", "path", "out", "checkpoint", "rejects")
"""What may be an address; each is passed on as `stores.address.named` gives it."""
SEEN_BY_WORKERS = ("index", "old", "new", "path", "out")
ALSO_SEEN = {"stream": ("rejects",)}
"""By the function; of a build the driver writes the rejects, and it alone the checkpoint of a stream."""

CHECKS: dict[str, Check] = {
    **dict.fromkeys(("expressions", "changed", "deleted", "events"), _table),
    "spark": _session,
    **dict.fromkeys(("index", "old", "new"), _index),
    **dict.fromkeys(("path", "out", "checkpoint", "source"), _place),
    "address": lambda value, name: top_of(value),
    "credentials": _unless_none(lambda value, name: checked_options(value)),
    "rejects": _unless_none(_place),
    **dict.fromkeys(("id", "expression", "expression_id", "name", "workload", "app_name", "master"), text),
    **dict.fromkeys(
        (
            "weights",
            "tenant",
            "valid_from",
            "valid_to",
            "order_by",
            "json",
            "attributes",
            "time",
            "document_order",
            "document_time",
        ),
        _unless_none(text),
    ),
    **dict.fromkeys(("keep", "by", "event_id", "partition_by"), _names),
    "documents": _unless_none(_documents),
    "at": lambda value, name: checked_moment(value),
    "overwrite": flag,
    "window": lambda value, name: window_argument(value),
    **dict.fromkeys(("version", "old_version", "new_version", "keep_versions"), _unless_none(_number(1))),
    **dict.fromkeys(("partitions", "memory"), _unless_none(_number(1))),
    **dict.fromkeys(("target_shard_rows", "num_expressions", "most"), _number(1)),
    **dict.fromkeys(("n", "samples", "num_events", "seed"), _number(0)),
    "ids": _ids,
    "on_error": lambda value, name: one_of(value, name, ON_ERROR),
    "on_duplicate": lambda value, name: one_of(value, name, ON_DUPLICATE),
    "missing": lambda value, name: check_policy(value),
    "engine": lambda value, name: registry.require_name(value),
    "ranges": lambda value, name: checked_range_lists(value),
    "schema": _unless_none(_schema),
    "hierarchies": lambda value, name: checked_hierarchies(value),
    "limits": lambda value, name: limits_argument(value),
    "on_stage": _callable,
    "metrics": _unless_none(_metrics),
    "on_batch": _unless_none(_callable),
    **dict.fromkeys(("trigger", "config"), _unless_none(mapping)),
}
"""By the names of parameters; those that are not here take anything, or are checked where they are used."""

OPTION_CHECKS: dict[str, Check] = {**CHECKS, "schema": _unless_none(_columns)}
"""Of the options of events, whose schema is that of the table."""
