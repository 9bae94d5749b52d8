"""How do functions of SQL hear what the driver knows, its master and shared credentials? They are made anew around it.

A function of a module of Eligo goes to workers as a name; a class or a function that is made here goes as a whole, with
the number of the broadcast that it holds, and takes up what it is told where a call is analysed and in tasks. A data
source is told the master alone: Spark has it planned by a process of its own, which may send no broadcast on to tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pyarrow as pa
from pyspark.sql.udtf import AnalyzeArgument

from eligo.spark.session.reachable import tell_master
from eligo.spark.session.shared_stores import SharedStores, take_shared
from eligo.spark.sql.matches_function import eligo_matches
from eligo.spark.sql.planned_calls import PlannedCall


class DriverKnows(NamedTuple):
    """What processes of Spark's are told."""

    stores: SharedStores | None
    cluster: str | None
    """The master, where the workers are other machines."""

    @contextmanager
    def taken(self) -> Iterator[None]:
        """In such a process, which others use afterwards: go by it meanwhile."""
        take_shared(self.stores)
        tell_master(self.cluster)
        try:
            yield
        finally:
            tell_master(None)


def told_function(function: Any, known: DriverKnows) -> type:
    """A table function that goes by what the driver knows."""

    class Told(function):  # type: ignore[misc]
        def __init__(self, call: PlannedCall) -> None:
            with known.taken():
                super().__init__(call)

        @staticmethod
        def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
            with known.taken():
                planned: PlannedCall = function.analyze(*args, **kwargs)
            return planned

    return Told


def told_matches(known: DriverKnows) -> Any:
    """`eligo_matches`, which does so."""

    def matches(
        event: pa.Array,
        index: pa.Array,
        version: pa.Array = None,
        tenant: pa.Array = None,
        time: pa.Array = None,
        on_error: pa.Array = None,
    ) -> pa.Array:
        with known.taken():
            return eligo_matches(event, index, version, tenant, time, on_error)

    return matches
