"""Which expressions have the most matches, and which match is worth a look?"""

from __future__ import annotations

from typing import Any, NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F


class MatchedExpression(NamedTuple):
    """An expression and the number of events that satisfy it."""

    id: Any
    expression: str
    num_matches: int


def most_matched(matches: DataFrame, expressions: DataFrame, n: int) -> list[MatchedExpression]:
    """The n expressions with the most matches, most first; equal ones by id."""
    counts = matches.groupBy("expression_id").agg(F.count(F.lit(1)).alias("num_matches"))
    best = counts.orderBy(F.desc("num_matches"), "expression_id").limit(n)
    rows = (
        best.join(expressions, on=best["expression_id"] == expressions["id"], how="inner")
        .orderBy(F.desc("num_matches"), "expression_id")
        .select("expression_id", "expression", "num_matches")
        .collect()
    )
    return [MatchedExpression(*row) for row in rows]


def longest_match(matches: DataFrame, expressions: DataFrame, *, first_events: int) -> tuple[Any, Any] | None:
    """Of the matches of the first events, the one with the longest expression: event id and expression id."""
    early = matches.where(F.col("event_id") < first_events)
    row = (
        early.join(expressions, on=early["expression_id"] == expressions["id"], how="inner")
        .orderBy(F.desc(F.length("expression")), "event_id", "expression_id")
        .select("event_id", "expression_id")
        .first()
    )
    return (row["event_id"], row["expression_id"]) if row is not None else None
