"""What does a session know of Eligo by name? Functions for SQL and a data source, once they are registered.

Spark 4.1 and later   table functions over Arrow batches, and `eligo_matches`
Spark 4.0             table functions over rows; `eligo_matches` says that it needs 4.1
"""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote
from pyspark.util import PythonEvalType

from eligo.errors import InputError
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.reachable import cluster_of
from eligo.spark.session.shared_stores import shared_stores
from eligo.spark.source.data_source import source_of
from eligo.spark.sql.matches_function import MATCHES, eligo_matches
from eligo.spark.sql.planned_calls import COUNT, MATCH, TOP
from eligo.spark.sql.row_functions import CountRows, MatchRows, TopRows
from eligo.spark.sql.table_functions import CountFunction, MatchFunction, TopFunction
from eligo.spark.sql.told_functions import DriverKnows, told_function, told_matches

TYPES_SINCE = (4, 0)
"""The first version of Spark whose table functions say what columns they have."""
ARROW_SINCE = (4, 1)
"""The first version of Spark whose functions take Arrow."""
OVER_BATCHES = {MATCH: MatchFunction, TOP: TopFunction, COUNT: CountFunction}
OVER_ROWS = {MATCH: MatchRows, TOP: TopRows, COUNT: CountRows}


@checked_arguments
def register(spark: SparkSession) -> None:
    """Give a session `eligo_match`, `eligo_top`, `eligo_count` and `eligo_matches` in SQL, and `format("eligo")`.

    The functions are temporary ones of this session. The workers, and a server of Spark Connect, need Eligo installed.
    The functions have the credentials that were shared before (`share_store`); the format has those of its processes.
    """
    has_arrow = takes_arrow(spark.version)
    known = DriverKnows(shared_stores(spark), cluster_of(spark))
    is_told = any(known)
    for name, function in (OVER_BATCHES if has_arrow else OVER_ROWS).items():
        told = told_function(function, known) if is_told else function
        spark.udtf.register(name, _table_function(name, told, has_arrow=has_arrow))
    spark.udf.register(MATCHES, _matches_function(known if is_told else None, has_arrow=has_arrow))
    spark.dataSource.register(source_of(known.cluster))


def takes_arrow(version: str) -> bool:
    """Whether functions of this version of Spark take Arrow; an `InputError` for one that has none that would do."""
    found = re.match(r"(\d+)\.(\d+)", version)
    number = (int(found[1]), int(found[2])) if found else (0, 0)
    if number < TYPES_SINCE:
        raise InputError(
            f"Eligo in SQL needs Spark 4.0 or later, and this is {version}, which has no table functions with columns "
            "that depend on the call, and no data sources in Python",
            help="use eligo.spark.match, top, count and build",
        )
    return number >= ARROW_SINCE


def _table_function(name: str, function: type, *, has_arrow: bool) -> Any:
    """A table function whose columns are said by its `analyze`.

    The decorator for functions over Arrow refuses these; what it makes, and Spark behind it, takes them.
    """
    kind: Any
    if is_remote():
        from pyspark.sql.connect.udtf import UserDefinedTableFunction as kind
    else:
        from pyspark.sql.udtf import UserDefinedTableFunction as kind
    eval_type = PythonEvalType.SQL_ARROW_UDTF if has_arrow else PythonEvalType.SQL_TABLE_UDF
    return kind(function, returnType=None, name=name, evalType=eval_type, deterministic=True)


def _matches_function(known: DriverKnows | None, *, has_arrow: bool) -> Any:
    if not has_arrow:
        return F.udf(_needs_arrow, "array<string>")
    from pyspark.sql.pandas.functions import arrow_udf

    return arrow_udf(eligo_matches if known is None else told_matches(known), "array<string>")  # type: ignore[call-overload]  # its kind is read from hints


def _needs_arrow(*_: Any, **__: Any) -> list[str]:
    raise InputError(
        f"{MATCHES} needs Spark 4.1 or later, which has functions over Arrow",
        help=f"use {MATCH}, which has a row for each",
    )
