"""Eligo on Spark: build indexes from tables of expressions, and match tables and streams of events against them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eligo.spark.building.build import BuildSummary, build
from eligo.spark.building.check import Checked, check
from eligo.spark.building.compact import compact
from eligo.spark.building.update import update
from eligo.spark.matching.count import count
from eligo.spark.matching.diff import diff, diff_rejects
from eligo.spark.matching.explain import explain
from eligo.spark.matching.match import match, rejects
from eligo.spark.matching.stream import StreamBatch, stream
from eligo.spark.matching.top import top
from eligo.spark.profiling.profile import Profile, profile
from eligo.spark.tables.expression_rows import parquet_expressions
from eligo.spark.tables.generate import GeneratedWorkload, generate
from eligo.spark.tables.parquet_events import parquet_events

if TYPE_CHECKING:
    from eligo.spark.session.session import local_session

__all__ = [
    "BuildSummary",
    "Checked",
    "GeneratedWorkload",
    "Profile",
    "StreamBatch",
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
    "parquet_events",
    "parquet_expressions",
    "profile",
    "rejects",
    "stream",
    "top",
    "update",
]


def __getattr__(name: str) -> Any:
    # Not imported above, so that `python -m eligo.spark.session.java` runs a module that is not loaded already.
    if name != "local_session":
        raise AttributeError(f"module 'eligo.spark' has no attribute {name!r}")
    return import_module("eligo.spark.session.session").local_session
