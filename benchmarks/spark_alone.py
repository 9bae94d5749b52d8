"""How would one match with Spark and nothing else? Two ways, both of which evaluate each expression for each event.

    columns   an expression is a generated column: `when(s3 = 'v7' and r1 between 5 and 90, 17)`, in one array a row
    table     the expressions are a broadcast table of predicates; all pairs are made, and those that hold are kept

Conjunctions as `eligo.workloads.conjunctions` writes them are Spark SQL as they stand, nulls included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

AT_ONCE = 25
"""Generated columns in one query; Java methods must not grow beyond 64 KB, or else Spark interprets them."""
PREDICATE = re.compile(r"(\w+) (?:= '(\w+)'|between (\d+) and (\d+)|in \(([\d, ]+)\))")
PREDICATES = "array<struct<attribute: string, text: string, low: long, high: long, members: array<long>>>"


def by_columns(events: DataFrame, expressions: pa.Table) -> list[DataFrame]:
    """The matches, a table for some expressions at a time."""
    parts = []
    for first in range(0, expressions.num_rows, AT_ONCE):
        rows = expressions.slice(first, AT_ONCE).to_pylist()
        found = F.array(*[F.when(F.expr(row["expression"]), F.lit(row["id"])) for row in rows])
        parts.append(events.select("event_id", F.explode(F.array_compact(found)).alias("expression_id")))
    return parts


def by_table(events: DataFrame, expressions: pa.Table) -> list[DataFrame]:
    """The matches, in one table."""
    rows = [(row["id"], _predicates(row["expression"])) for row in expressions.to_pylist()]
    table = events.sparkSession.createDataFrame(rows, f"expression_id long, predicates {PREDICATES}")
    maps = events.select("event_id", _map(events, "s").alias("texts"), _map(events, "rl").alias("numbers"))
    holds = F.forall("predicates", _holds)
    return [maps.crossJoin(F.broadcast(table)).where(holds).select("event_id", "expression_id")]


WAYS = {"columns": by_columns, "table": by_table}


def _predicates(text: str) -> list[tuple[Any, ...]]:
    if PREDICATE.sub("", text).replace(" and ", ""):
        raise ValueError(f"this is no conjunction as the workload writes it: {text}")
    found = []
    for attribute, value, low, high, members in PREDICATE.findall(text):
        bounds = (int(low), int(high)) if low else (None, None)
        found.append((attribute, value or None, *bounds, [int(one) for one in members.split(",")] if members else None))
    return found


def _map(events: DataFrame, kinds: str) -> Column:
    names = [name for name in events.columns if name != "event_id" and name[0] in kinds]
    return F.create_map(*[part for name in names for part in (F.lit(name), F.col(name))])


def _holds(predicate: Column) -> Column:
    text, number = (F.element_at(F.col(name), predicate["attribute"]) for name in ("texts", "numbers"))
    return (
        F.when(predicate["text"].isNotNull(), text == predicate["text"])
        .when(predicate["low"].isNotNull(), number.between(predicate["low"], predicate["high"]))
        .otherwise(F.array_contains(predicate["members"], number))
    )


def pairs(parts: list[DataFrame]) -> set[tuple[int, int]]:
    """All matches of some tables."""
    return {(row["event_id"], row["expression_id"]) for part in parts for row in part.collect()}


def per_pair(seconds: Mapping[str, float], num_pairs: int) -> dict[str, float]:
    """Nanoseconds for one event and one expression, by way."""
    return {way: 1e9 * taken / num_pairs for way, taken in seconds.items()}
