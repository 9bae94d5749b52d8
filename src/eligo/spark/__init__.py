"""Eligo on Spark: check and build an index from a table of expressions, and match tables of events against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eligo.spark.build import BuildSummary, build
from eligo.spark.check import Checked, check
from eligo.spark.match import match

if TYPE_CHECKING:
    from eligo.spark.session import local_session

__all__ = ["BuildSummary", "Checked", "build", "check", "local_session", "match"]


def __getattr__(name: str) -> Any:
    # Not imported above, so that `python -m eligo.spark.java` runs a module that is not loaded already.
    if name != "local_session":
        raise AttributeError(f"module 'eligo.spark' has no attribute {name!r}")
    from eligo.spark.session import local_session

    return local_session
