"""Eligo on Spark: build indexes from tables of expressions, and match tables and streams of events against them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eligo.spark.build import BuildSummary, build
from eligo.spark.check import Checked, check
from eligo.spark.compact import compact
from eligo.spark.count import count
from eligo.spark.diff import diff, diff_rejects
from eligo.spark.explain import explain
from eligo.spark.expression_rows import parquet_expressions
from eligo.spark.generate import GeneratedWorkload, generate
from eligo.spark.match import match, rejects
from eligo.spark.parquet_events import parquet_events
from eligo.spark.profile import Profile, profile
from eligo.spark.stream import StreamBatch, stream
from eligo.spark.top import top
from eligo.spark.update import update

if TYPE_CHECKING:
    from eligo.spark.session import local_session

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
    # Not imported above, so that `python -m eligo.spark.java` runs a module that is not loaded already.
    if name != "local_session":
        raise AttributeError(f"module 'eligo.spark' has no attribute {name!r}")
    return import_module("eligo.spark.session").local_session
