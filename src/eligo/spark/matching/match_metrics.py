"""What does a match see while it runs? Events, matches and rejects, and what hosts' caches did for its workers.

    metrics = MatchMetrics()
    match(events, "s3://ads/ads.index", metrics=metrics).write.parquet("matches")
    metrics.get     {"events": 1000, "matches": 2069, "rejected": 1, "cache_hits": 6, "downloads": 2, …}

They are counted on the way, without a job of their own. Rows are metrics that Spark observes: of a stream, each
micro-batch has them in its progress, under `<name>_events` and `<name>_matches`; in Spark's pages the plan of a query
shows where they are counted. Files of a store are counted by accumulators, which Spark Connect does not have.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F
from pyspark.sql.utils import is_remote

from eligo.arguments import text
from eligo.errors import InputError
from eligo.spark.session.worker_calls import UsageCounters
from eligo.stores.cache_usage import CacheUsage


class MatchMetrics:
    """The metrics of one call of `match`; there once its table was computed to the end."""

    def __init__(self, name: str = "eligo") -> None:
        self.name = text(name, "name")
        self._events = Observation(f"{self.name}_events")
        self._matches = Observation(f"{self.name}_matches")
        self._is_used = self._is_stream = False
        self.counters: UsageCounters | None = None
        """Of what workers found in caches; None over Spark Connect."""

    def of_events(self, events: DataFrame) -> DataFrame:
        """The events, counted as they go to workers."""
        if self._is_used:
            raise InputError("these metrics are those of another match", help="make new ones: MatchMetrics()")
        self._is_used, self._is_stream = True, events.isStreaming
        self.counters = None if is_remote() else UsageCounters.of(events.sparkSession.sparkContext)
        return self._observed(events, self._events, {"events": F.count(F.lit(1))})

    def of_matches(self, rows: DataFrame, is_reject: Column) -> DataFrame:
        """The matches and rejects, counted as they come back."""
        counts = {"matches": F.count_if(~is_reject), "rejected": F.count_if(is_reject)}
        return self._observed(rows, self._matches, counts)

    def _observed(self, frame: DataFrame, by: Observation, counts: dict[str, Column]) -> DataFrame:
        columns = [count.alias(name) for name, count in counts.items()]
        # A stream has metrics for each micro-batch, and takes names only.
        named = f"{self.name}_{'events' if by is self._events else 'matches'}"
        return frame.observe(named if self._is_stream else by, *columns)

    @property
    def cache(self) -> CacheUsage:
        """What workers found in their hosts' caches, in the tasks that have ended; those of streams too."""
        return CacheUsage() if self.counters is None else self.counters.total()

    @property
    def get(self) -> dict[str, int]:
        """`events` that were read, rejected ones included, `matches` and `rejected`; waits until there are any.

        Also `cache_hits`, `downloads` and `downloaded_bytes` of files of a store, by workers.
        """
        if not self._is_used or self._is_stream:
            where = "query.lastProgress.observedMetrics" if self._is_stream else "match(…, metrics=…)"
            raise InputError("there is no table of which these are the metrics", help=f"see {where}")
        rows = {**self._events.get, **self._matches.get}
        if self.counters is None:
            return rows
        names = ("cache_hits", "downloads", "downloaded_bytes")
        return {**rows, **dict(zip(names, self.cache, strict=True))}
