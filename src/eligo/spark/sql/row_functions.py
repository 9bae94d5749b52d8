"""What do table functions do where Spark sends rows and no Arrow? They gather rows, and ask as for a batch.

Spark 4.0 has table functions of Python over rows alone. A row is a Python object there, and so is each match: several
times the price of a batch, with the same answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import Row
from pyspark.sql.conversion import ArrowTableToRowsConversion, LocalDataToArrowConversion
from pyspark.sql.types import StructType
from pyspark.sql.udtf import AnalyzeArgument

from eligo.spark.sql.planned_calls import PlannedCall, plan_count, plan_match, plan_top
from eligo.spark.sql.table_functions import CountFunction, MatchFunction, TopFunction

ROWS_AT_ONCE = 8192

Batches = Iterator[pa.RecordBatch]


class _RowFunction:
    """A table function over batches, called with rows."""

    def __init__(self, call: PlannedCall, function: MatchFunction | TopFunction | CountFunction) -> None:
        assert call.sent is not None
        self._sent: StructType = call.sent
        self._schema = call.schema
        self._function = function
        self._waiting: list[Row] = []

    def eval(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Take a row in; what comes out belongs to it or to those before it."""
        self._waiting.append(next(given for given in (*args, *kwargs.values()) if isinstance(given, Row)))
        if len(self._waiting) >= ROWS_AT_ONCE:
            yield from self._answered()

    def terminate(self) -> Iterator[Any]:
        """What is left."""
        yield from self._answered()
        end: Callable[[], Batches] | None = getattr(self._function, "terminate", None)
        if end is not None:
            yield from self._rows(end())

    def _answered(self) -> Iterator[Any]:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        table = LocalDataToArrowConversion.convert(waiting, self._sent, False)
        for batch in table.combine_chunks().to_batches():
            yield from self._rows(self._function.eval(batch))

    def _rows(self, batches: Batches) -> Iterator[Any]:
        for batch in batches:
            yield from ArrowTableToRowsConversion.convert(pa.Table.from_batches([batch]), self._schema)


class MatchRows(_RowFunction):
    """`eligo_match`"""

    def __init__(self, call: PlannedCall) -> None:
        super().__init__(call, MatchFunction(call))

    @staticmethod
    def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
        return plan_match(args, kwargs)


class TopRows(_RowFunction):
    """`eligo_top`"""

    def __init__(self, call: PlannedCall) -> None:
        super().__init__(call, TopFunction(call))

    @staticmethod
    def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
        return plan_top(args, kwargs)


class CountRows(_RowFunction):
    """`eligo_count`"""

    def __init__(self, call: PlannedCall) -> None:
        super().__init__(call, CountFunction(call))

    @staticmethod
    def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
        return plan_count(args, kwargs)
