"""How does a table become matches? On Spark: indexes from tables of expressions, matched with tables and streams.

The public names are loaded when they are first used. No module below may have the name of one of them: it would take
its place once it is loaded. PySpark is not among what Eligo must have: whichever is installed is used, the platform's
own or that of the extra `spark`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eligo.data.expressions.expression_profile import Profile
    from eligo.index.build_summary import BuildSummary
    from eligo.spark.building.build import build
    from eligo.spark.building.check import Checked, check
    from eligo.spark.building.compact import compact
    from eligo.spark.building.update import update
    from eligo.spark.matching.count import count
    from eligo.spark.matching.diff import diff, diff_rejects
    from eligo.spark.matching.explain import explain
    from eligo.spark.matching.in_order import match_in_order
    from eligo.spark.matching.match import match, rejects
    from eligo.spark.matching.match_metrics import MatchMetrics
    from eligo.spark.matching.parquet_matches import WrittenMatches, match_to_parquet
    from eligo.spark.matching.store_batches import stream_files
    from eligo.spark.matching.stream import StreamBatch, stream
    from eligo.spark.matching.top import top
    from eligo.spark.profiling.profile import profile
    from eligo.spark.session.added_index import AddedIndex, add_index
    from eligo.spark.session.session import local_session
    from eligo.spark.session.shared_stores import share_store
    from eligo.spark.sql.registration import register
    from eligo.spark.tables.expression_rows import parquet_expressions
    from eligo.spark.tables.generate import GeneratedWorkload, generate
    from eligo.spark.tables.parquet_events import parquet_events

if find_spec("pyspark") is None:
    from eligo.errors import MissingExtraError

    raise MissingExtraError(
        "this needs PySpark, which is not installed",
        help='pip install "eligo[spark]"; where a platform has a Spark of its own, run this with the Python of that',
    )

_HOME = {
    "AddedIndex": "eligo.spark.session.added_index",
    "BuildSummary": "eligo.index.build_summary",
    "Checked": "eligo.spark.building.check",
    "GeneratedWorkload": "eligo.spark.tables.generate",
    "MatchMetrics": "eligo.spark.matching.match_metrics",
    "Profile": "eligo.data.expressions.expression_profile",
    "StreamBatch": "eligo.spark.matching.stream",
    "WrittenMatches": "eligo.spark.matching.parquet_matches",
    "add_index": "eligo.spark.session.added_index",
    "build": "eligo.spark.building.build",
    "check": "eligo.spark.building.check",
    "compact": "eligo.spark.building.compact",
    "count": "eligo.spark.matching.count",
    "diff": "eligo.spark.matching.diff",
    "diff_rejects": "eligo.spark.matching.diff",
    "explain": "eligo.spark.matching.explain",
    "generate": "eligo.spark.tables.generate",
    "local_session": "eligo.spark.session.session",
    "match": "eligo.spark.matching.match",
    "match_in_order": "eligo.spark.matching.in_order",
    "match_to_parquet": "eligo.spark.matching.parquet_matches",
    "parquet_events": "eligo.spark.tables.parquet_events",
    "parquet_expressions": "eligo.spark.tables.expression_rows",
    "profile": "eligo.spark.profiling.profile",
    "register": "eligo.spark.sql.registration",
    "rejects": "eligo.spark.matching.match",
    "share_store": "eligo.spark.session.shared_stores",
    "stream": "eligo.spark.matching.stream",
    "stream_files": "eligo.spark.matching.store_batches",
    "top": "eligo.spark.matching.top",
    "update": "eligo.spark.building.update",
}

__all__ = [
    "AddedIndex",
    "BuildSummary",
    "Checked",
    "GeneratedWorkload",
    "MatchMetrics",
    "Profile",
    "StreamBatch",
    "WrittenMatches",
    "add_index",
    "build",
    "check",
    "compact",
    "count",
    "diff",
    "diff_rejects",
    "explain",
    "generate",
    "local_session",
    "match",
    "match_in_order",
    "match_to_parquet",
    "parquet_events",
    "parquet_expressions",
    "profile",
    "register",
    "rejects",
    "share_store",
    "stream",
    "stream_files",
    "top",
    "update",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eligo.spark' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
