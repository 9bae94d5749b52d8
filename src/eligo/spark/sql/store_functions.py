"""How do functions of SQL get credentials that the driver shared? They are made anew around them.

A function of a module of Eligo goes to workers as a name; a class or a function that is made here goes as a whole, with
the number of the broadcast that it holds, and takes the credentials up where a call is analysed and in tasks. A data
source cannot: Spark has it planned by a process of its own, which may send no broadcast on to tasks.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from pyspark.sql.udtf import AnalyzeArgument

from eligo.spark.session.shared_stores import SharedStores, take_shared
from eligo.spark.sql.matches_function import eligo_matches
from eligo.spark.sql.planned_calls import PlannedCall


def with_stores(function: Any, stores: SharedStores) -> type:
    """A table function that takes credentials up first."""

    class WithStores(function):  # type: ignore[misc]
        def __init__(self, call: PlannedCall) -> None:
            take_shared(stores)
            super().__init__(call)

        @staticmethod
        def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
            take_shared(stores)
            planned: PlannedCall = function.analyze(*args, **kwargs)
            return planned

    return WithStores


def matches_with_stores(stores: SharedStores) -> Any:
    """`eligo_matches`, which does so."""

    def told_matches(
        event: pa.Array,
        index: pa.Array,
        version: pa.Array = None,
        tenant: pa.Array = None,
        time: pa.Array = None,
        on_error: pa.Array = None,
    ) -> pa.Array:
        take_shared(stores)
        return eligo_matches(event, index, version, tenant, time, on_error)

    return told_matches
