"""How is a table of expressions profiled? Workers count shapes, Spark adds up, a sample tells selectivity."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from eligo.data.events.event_batch import EventBatch
from eligo.data.expressions.checked_texts import without_json_forms
from eligo.data.expressions.expression_profile import Profile
from eligo.data.expressions.shapes import SHAPE_SCHEMA, SIZE_SCHEMA, count_shapes
from eligo.index import build_open
from eligo.index.index import Index
from eligo.language.evaluate import Missing
from eligo.language.limits import DEFAULT_LIMITS, Limits
from eligo.spark.call_arguments import checked_arguments
from eligo.spark.session.job_description import described
from eligo.spark.session.worker_errors import worker_errors
from eligo.spark.spark_versions import spark_schema
from eligo.spark.tables import schemas
from eligo.spark.tables.tables import quoted

SHOWN_PREDICATES = 50
"""The most frequent predicates that a profile lists, unless told otherwise."""
SAMPLED_EVENTS = 10_000
SAMPLED_EXPRESSIONS = 20_000
"""Selectivity is estimated from at most so many events and expressions."""


@checked_arguments
def profile(
    expressions: DataFrame,
    *,
    expression: str = "expression",
    events: DataFrame | None = None,
    missing: Missing = "unknown",
    most: int = SHOWN_PREDICATES,
    limits: Limits = DEFAULT_LIMITS,
) -> Profile:
    """Read every expression in parallel and sum up what they consist of.

    With a table of `events`, a column for each attribute, a sample of both also tells how selective predicates and
    expressions are. `most` is how many predicates are listed.
    """
    schemas.require_columns("expressions", expressions.schema, (expression,), "profile(…, expression=…)")
    spark = expressions.sparkSession
    texts = expressions.select(F.col(quoted(expression)).cast("string").alias("expression"))
    shapes = texts.mapInArrow(partial(_shape_batches, limits=limits), spark_schema(SHAPE_SCHEMA))
    sizes = texts.mapInArrow(partial(_size_batches, limits=limits), spark_schema(SIZE_SCHEMA))
    total = F.sum("occurrences").alias("occurrences")
    firsts = [F.first(name, ignorenulls=True).alias(name) for name in ("operator", "attribute", "predicate")]
    with described(spark, "eligo profile"), worker_errors():
        distinct = shapes.groupBy("level", "shape").agg(total, F.sum("as_root").alias("as_root"), *firsts).persist()
        try:
            size_counts = sizes.groupBy("num_predicates", "depth").agg(
                F.sum("num_expressions").alias("num_expressions")
            )
            size_table = size_counts.toArrow()
            is_predicate = F.col("attribute").isNotNull()
            by_level = distinct.groupBy("level").agg(total, F.count(F.lit(1)).alias("distinct"))
            sharing = by_level.orderBy("level").toArrow()
            operators = distinct.groupBy("operator").agg(total).orderBy(F.desc("occurrences"), "operator").toArrow()
            named = distinct.where(is_predicate)
            attributes = named.groupBy("attribute").agg(total, F.count(F.lit(1)).alias("distinct"))
            attribute_table = attributes.orderBy(F.desc("occurrences"), "attribute").toArrow()
            listed = named.select("predicate", "attribute", "operator", "occurrences")
            predicates = listed.orderBy(F.desc("occurrences"), "predicate").limit(most).toArrow()
            num_distinct = distinct.where("as_root > 0").count()
        finally:
            distinct.unpersist()
        selectivity = None
        if events is not None:
            sample = events.limit(SAMPLED_EVENTS).toArrow()
            predicates = _with_selectivity(predicates, sample, missing)
            selectivity = _selectivity(texts.limit(SAMPLED_EXPRESSIONS).toArrow(), sample, missing, limits)
    is_good = pc.greater(size_table["depth"], 0)
    good = size_table.filter(is_good)
    return Profile(
        num_expressions=pc.sum(good["num_expressions"]).as_py() or 0,
        num_rejected=pc.sum(size_table.filter(pc.invert(is_good))["num_expressions"]).as_py() or 0,
        num_distinct=num_distinct,
        sharing=sharing.append_column("ratio", pc.divide(sharing["occurrences"].cast("double"), sharing["distinct"])),
        operators=operators,
        attributes=attribute_table,
        predicates=predicates,
        sizes=_summed(good, "num_predicates"),
        depths=_summed(good, "depth"),
        selectivity=selectivity,
    )


def _shape_batches(batches: Iterator[pa.RecordBatch], *, limits: Limits) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield count_shapes(without_json_forms(batch.column(0), limits), limits)[0]


def _size_batches(batches: Iterator[pa.RecordBatch], *, limits: Limits) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield count_shapes(without_json_forms(batch.column(0), limits), limits)[1]


def _summed(sizes: pa.Table, name: str) -> pa.Table:
    summed = sizes.group_by(name).aggregate([("num_expressions", "sum")]).sort_by(name)
    return summed.rename_columns([name, "num_expressions"])


def _with_selectivity(predicates: pa.Table, sample: pa.Table, missing: Missing) -> pa.Table:
    """The predicates with the share of events that satisfy each alone."""
    numbered = pa.table({"id": np.arange(predicates.num_rows), "expression": predicates["predicate"]})
    index = build_open.build(numbered, missing=missing, on_error="reject")
    counts = np.zeros(predicates.num_rows, np.int64)
    readable = _readable(sample, index)
    counts[np.asarray(index.ids, np.int64)] = index.count_batch(readable)
    return predicates.append_column("selectivity", pa.array(counts / max(readable.num_events, 1)))


def _readable(sample: pa.Table, index: Index) -> EventBatch:
    """The events of a sample that can be read."""
    return EventBatch.from_arrow(sample, index.vocabulary, on_error="reject")


def _selectivity(texts: pa.Table, sample: pa.Table, missing: Missing, limits: Limits) -> pa.Table:
    """How many of the expressions match which share of the events."""
    own = without_json_forms(texts["expression"].combine_chunks(), limits)
    numbered = pa.table({"id": np.arange(texts.num_rows), "expression": own})
    index = build_open.build(numbered, missing=missing, on_error="reject", limits=limits)
    readable = _readable(sample, index)
    shares = index.count_batch(readable) / max(readable.num_events, 1)
    borders = np.array([0.0, 1e-9, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0 + 1e-9])
    counts, _ = np.histogram(shares, borders)
    shown = np.array([0.0, 0.0, 1e-4, 1e-3, 1e-2, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0])
    return pa.table({"share_from": shown[:-1], "share_to": shown[1:], "num_expressions": counts})
