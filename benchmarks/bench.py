"""What does a measurement run on? Workloads and indexes, made when first needed and dropped after their last use."""

from __future__ import annotations

from collections.abc import Iterable
from time import perf_counter
from typing import Any

import pyarrow as pa

import eligo
from benchmarks import correctness
from benchmarks.experiment import IndexNeed, Measurement
from benchmarks.fresh_events import FreshEvents
from benchmarks.single_event import events_alone
from benchmarks.workloads import catalogue
from benchmarks.workloads.catalogue import Scale
from eligo import EventBatch, Index
from eligo.workloads.workload import Workload


class Bench:
    """The workloads and indexes of a run, at one scale."""

    def __init__(self, scale: Scale, seed: int) -> None:
        self.scale: Scale = scale
        self.seed = seed
        self.about_workloads: dict[str, Any] = {}
        """For each workload that was used: parameters, report and how long it took to make or load."""
        self.about_indexes: list[dict[str, Any]] = []
        """For each index that was built: what it is, how long its build took, what was compared with the oracle."""
        self.contests: dict[Any, Any] = {}
        """What contests found, so that several rows can be read from one; see `benchmarks.contest`."""
        self._workloads: dict[str, Workload] = {}
        self._indexes: dict[tuple[str, str, int], Index] = {}
        self._fresh: dict[str, FreshEvents] = {}

    @property
    def is_full(self) -> bool:
        return self.scale == "full"

    def workload(self, name: str) -> Workload:
        """A workload at the run's scale."""
        if name not in self._workloads:
            started = perf_counter()
            workload = catalogue.load(name, self.scale, self.seed)
            self._workloads[name] = workload
            self.about_workloads[name] = {
                "parameters": dict(workload.parameters),
                "report": dict(workload.report),
                "made_or_loaded_s": round(perf_counter() - started, 3),
            }
        return self._workloads[name]

    def expressions(self, need: IndexNeed) -> pa.Table:
        """The expressions of an index."""
        everything = self.workload(need.workload).expressions
        return everything if need.num_expressions is None else everything.slice(0, need.num_expressions)

    def index(self, need: IndexNeed) -> Index:
        """An index that has been compared with the oracle."""
        key = self._key(need)
        if key not in self._indexes:
            expressions = self.expressions(need)
            started = perf_counter()
            # A record batch becomes one shard, however long it is; a long table several, and so several engines.
            (batch,) = expressions.combine_chunks().to_batches()
            index = eligo.build(batch, engine=need.engine, id="id", expression="expression")
            build_seconds = perf_counter() - started
            compared = correctness.check(index, expressions, self.workload(need.workload), self.seed)
            self._indexes[key] = index
            self.about_indexes.append(
                {
                    "workload": need.workload,
                    "engine": need.engine,
                    "num_expressions": len(index),
                    "build_s": round(build_seconds, 3),
                    "compared_with_oracle": compared,
                }
            )
        return self._indexes[key]

    def fresh(self, name: str, num_events: int) -> pa.Table:
        """Events of a workload that no index of this run was asked, not even to compare it with the oracle."""
        if name not in self._fresh:
            self._fresh[name] = FreshEvents(correctness.not_compared(self.workload(name).events))
        return self._fresh[name].take(num_events)

    def events(self, need: IndexNeed, num_events: int) -> EventBatch:
        """Fresh events, encoded for an index."""
        return self.index(need).encode(self.fresh(need.workload, num_events))

    def single_events(self, need: IndexNeed, num_events: int) -> list[EventBatch]:
        """Fresh events, each as a batch of its own."""
        return events_alone(self.events(need, num_events))

    def keep_only(self, measurements: Iterable[Measurement]) -> None:
        """Drop what none of these measurements needs."""
        later = list(measurements)
        names = {name for measurement in later for name in measurement.all_workloads()}
        self._workloads = {name: workload for name, workload in self._workloads.items() if name in names}
        self._fresh = {name: fresh for name, fresh in self._fresh.items() if name in names}
        needs = {
            self._key(need) for measurement in later for need in measurement.indexes if need.workload in self._workloads
        }
        self._indexes = {key: index for key, index in self._indexes.items() if key in needs}

    def _key(self, need: IndexNeed) -> tuple[str, str, int]:
        return need.workload, need.engine, self.expressions(need).num_rows
