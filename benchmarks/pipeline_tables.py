"""What does the Spark pipeline run on? One session, events and expressions in Parquet, and indexes that it builds.

Everything is made when first needed, and lies in a directory that goes away with the process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

import eligo
from benchmarks import correctness, machine
from benchmarks.workloads import catalogue
from benchmarks.workloads.catalogue import Scale
from eligo.spark import build, local_session, parquet_expressions
from eligo.workloads.workload import Workload

DRIVER_MEMORY = "4g"
ROWS_IN_GROUP = 131_072
"""Of a Parquet file of events; also about what a task reads."""
ROWS_IN_BATCH = 65_536
"""Events that the kernels are given at a time, as many as a worker gives them."""


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    num_events: int
    num_expressions: int
    dense_events: int
    dense_expressions: int
    """Of `ads_like`, where an event has thousands of matches."""
    cut_events: int
    cut_expressions: int
    """What Spark alone is asked."""
    few_events: int
    """What a job over little has."""
    same_events: int
    """Compared match by match."""
    built: int | None
    """Expressions that are built; None for all of `conjunctions`."""
    num_rounds: int


SIZES: dict[Scale, Sizes] = {
    "full": Sizes(1_000_000, 100_000, 20_000, 100_000, 20_000, 200, 20_000, 50_000, None, 3),
    "small": Sizes(20_000, 2_000, 500, 1_000, 1_000, 20, 1_000, 2_000, 5_000, 1),
}


@dataclass
class PipelineTables:
    """All tables of a run."""

    scale: Scale
    seed: int
    _directory: TemporaryDirectory[str] = field(default_factory=lambda: TemporaryDirectory(prefix="eligo-pipeline-"))

    @property
    def sizes(self) -> Sizes:
        return SIZES[self.scale]

    @cached_property
    def spark(self) -> SparkSession:
        return local_session(
            "eligo benchmarks",
            master=f"local[{machine.available_cores()}]",
            config={"spark.driver.memory": DRIVER_MEMORY},
        )

    def path(self, name: str) -> Path:
        """A place for something of that name."""
        return Path(self._directory.name) / name

    def remove(self) -> None:
        """Remove all of it now."""
        self._directory.cleanup()

    # --- many events, few matches ---

    @cached_property
    def events(self) -> str:
        """The events in Parquet, with a column `event_id`."""
        sizes = self.sizes
        return self._written("events", self._workload("conjunctions", sizes.num_expressions, sizes.num_events).events)

    def fresh_few(self, number: int) -> str:
        """As many events as a job over little has, the same for a number and for no other."""
        path = self.path(f"few-{number}.parquet")
        if not path.exists():
            rows = pq.read_table(self.events).slice(number * self.sizes.few_events, self.sizes.few_events)
            if rows.num_rows < self.sizes.few_events:
                raise ValueError(f"there are no events left for the slice {number}")
            pq.write_table(rows, path, row_group_size=ROWS_IN_GROUP)
        return str(path)

    @cached_property
    def expressions(self) -> str:
        """The expressions that they are matched with, in Parquet."""
        sizes = self.sizes
        made = self._workload("conjunctions", sizes.num_expressions, sizes.num_events)
        return self._written("expressions", made.expressions)

    def index(self, num_shards: int = 1) -> str:
        """An index of these expressions, compared with the oracle."""
        path = self.path(f"index-{num_shards}")
        if not path.exists():
            sizes = self.sizes
            target = -(-sizes.num_expressions // num_shards)
            build(parquet_expressions(self.spark, self.expressions), path, target_shard_rows=target)
            if num_shards == 1:
                made = self._workload("conjunctions", sizes.num_expressions, sizes.num_events)
                self._check(path, made)
        return str(path)

    # --- few events, many matches ---

    @cached_property
    def dense(self) -> tuple[str, str]:
        """Events in Parquet and an index, of which an event meets a good part."""
        sizes = self.sizes
        made = self._workload("ads_like", sizes.dense_expressions, sizes.dense_events)
        expressions, events = self._written("dense-expressions", made.expressions), self._written("dense", made.events)
        path = self.path("dense-index")
        build(parquet_expressions(self.spark, expressions), path)
        self._check(path, made)
        return events, str(path)

    # --- many expressions ---

    @cached_property
    def built(self) -> str:
        """The expressions that are built, in Parquet."""
        everything = catalogue.load("conjunctions", self.scale, self.seed).expressions
        num_rows = self.sizes.built
        return self._written("built", everything if num_rows is None else everything.slice(0, num_rows))

    def whole_index(self) -> str:
        """An index of these expressions, made by Spark."""
        path = self.path("built-in-spark")
        if not path.exists():
            build(parquet_expressions(self.spark, self.built), path)
        return str(path)

    def _workload(self, name: str, num_expressions: int, num_events: int) -> Workload:
        return catalogue.load(name, self.scale, self.seed, num_expressions=num_expressions, num_events=num_events)

    def _check(self, path: Path, made: Workload) -> None:
        index = eligo.open(path)
        order = pc.index_in(index.ids_array(), value_set=made.expressions["id"].combine_chunks())
        correctness.check(index, made.expressions.take(order), made, self.seed)

    def _written(self, name: str, table: pa.Table) -> str:
        path = self.path(f"{name}.parquet")
        if "id" not in table.column_names:
            table = table.add_column(0, "event_id", pa.array(np.arange(table.num_rows)))
        pq.write_table(table, path, row_group_size=ROWS_IN_GROUP)
        return str(path)


def discard(rows: DataFrame) -> None:
    """Compute all rows and write them nowhere."""
    rows.write.format("noop").mode("overwrite").save()


@lru_cache(maxsize=1)
def tables_of(scale: Scale, seed: int) -> PipelineTables:
    """The tables of the run that is under way."""
    return PipelineTables(scale, seed)
