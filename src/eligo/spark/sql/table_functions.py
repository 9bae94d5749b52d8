"""How does a table function answer? Whole Arrow batches go to the engine, and its arrays leave as Arrow batches.

There is no Python object for an event or a match. Spark makes an instance for each task, calls `eval` with batches of
the table that the call names, and `terminate` when there are no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pyarrow as pa
from pyspark.sql.udtf import AnalyzeArgument

from eligo.index.events.event_blocks import MOST_EVENTS, EventBlocks
from eligo.index.events.event_source import OnError
from eligo.index.events.group_counts import GroupCounts
from eligo.index.stored.shard_groups import ShardGroup
from eligo.spark.session.task_cores import keep_to_task_cores
from eligo.spark.sql.planned_calls import CountPlan, PlannedCall, plan_count, plan_match, plan_top

Rows = Iterator[pa.RecordBatch]


class _Answered:
    """Rows for each event as it comes."""

    def __init__(self, call: PlannedCall) -> None:
        assert call.answer is not None
        self._answer = call.answer

    def eval(self, *args: Any, **kwargs: Any) -> Rows:
        """Answer a batch."""
        yield from self._answer(iter([_table(args, kwargs)]))


class MatchFunction(_Answered):
    """`eligo_match`"""

    @staticmethod
    def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
        return plan_match(args, kwargs)


class TopFunction(_Answered):
    """`eligo_top`"""

    @staticmethod
    def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
        return plan_top(args, kwargs)


class CountFunction:
    """`eligo_count`"""

    def __init__(self, call: PlannedCall) -> None:
        assert call.counted is not None
        self._counts = EventCounts(call.counted)

    @staticmethod
    def analyze(*args: AnalyzeArgument, **kwargs: AnalyzeArgument) -> PlannedCall:
        return plan_count(args, kwargs)

    def eval(self, *args: Any, **kwargs: Any) -> Rows:
        """Count a batch."""
        yield from self._counts.add(_table(args, kwargs))

    def terminate(self) -> Rows:
        """What all batches came to."""
        yield from self._counts.end()


class EventCounts:
    """Counts of events that come batch by batch; they are gathered until they are worth a call of the engine."""

    def __init__(self, plan: CountPlan) -> None:
        keep_to_task_cores()
        self._plan = plan
        self._index, self._view = ShardGroup(plan.version).open()
        self._counts = GroupCounts(self._view, plan.names, {})
        self._waiting: list[pa.RecordBatch] = []
        self._num_waiting = 0

    def add(self, batch: pa.RecordBatch) -> Rows:
        """Take a batch in; where groups are many, some rows come out."""
        self._waiting.append(batch)
        self._num_waiting += batch.num_rows
        if self._num_waiting >= MOST_EVENTS:
            yield from self._count()

    def end(self) -> Rows:
        """The rows that are left."""
        yield from self._count()
        yield from self._counts.rows()

    def _count(self) -> Rows:
        waiting, self._waiting, self._num_waiting = self._waiting, [], 0
        on_error = cast(OnError, self._plan.on_error)
        for block in EventBlocks(iter(waiting), self._index, self._plan.source, on_error, starts_large=True):
            yield from self._counts.add(block)


def _table(args: tuple[Any, ...], kwargs: dict[str, Any]) -> pa.RecordBatch:
    """The table among the arguments; the others were read when the query was analysed."""
    return next(given for given in (*args, *kwargs.values()) if isinstance(given, pa.RecordBatch))
