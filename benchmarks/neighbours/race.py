"""On what do Eligo and its neighbours meet? One index, and events of which none is asked twice, at each size.

Eligo is compared with the oracle, each neighbour with Eligo, and only then is anything timed. Everyone gets the same
events: to be compared, to warm up, and to be timed.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError, event_dict, not_compared
from benchmarks.experiment import IndexNeed, RefusedError
from benchmarks.fresh_events import FreshEvents
from benchmarks.neighbours import contenders, exchange, process
from benchmarks.neighbours.contenders import Contender
from benchmarks.neighbours.process import Timed
from benchmarks.workloads.catalogue import variant
from eligo import Index


@dataclass(frozen=True)
class Plan:
    """How much is asked, at one scale."""

    checked: int
    """Events whose answers are compared."""
    warm: int
    """Events of the warm-up."""
    asked: int
    """Events that are timed one by one, of each way to ask."""
    batches: Mapping[int, int]
    """By the rows of a batch: how many batches are timed."""
    warm_s: float
    most_s: float
    """Seconds after which no further event is timed."""
    longest_s: float
    """Seconds after which a harness is ended, whatever it does."""
    sizes: Sequence[int] = field(default=(10_000, 100_000, 1_000_000))


FULL = Plan(64, 4_000, 2_000, {100: 30, 1_000: 10, 20_000: 3, 50_000: 1}, 8, 20, 1_500)
SMALL = Plan(16, 40, 20, {100: 2, 1_000: 1}, 0.05, 0.5, 300, (10_000,))
NUM_EVENTS = {"full": 220_000, "small": 6_000}
ENGINE = "a_tree"


def workload(scale: str) -> str:
    """The workload, with as many events as all ways to ask need."""
    return variant("targeting", num_events=NUM_EVENTS[scale])


class Race:
    """One size: an index that was compared with the oracle, and events for everyone."""

    def __init__(self, bench: Bench, size: int) -> None:
        self.plan = plan = FULL if bench.is_full else SMALL
        if size not in plan.sizes:
            raise RefusedError(f"not at scale {bench.scale}")
        need = IndexNeed(workload(bench.scale), ENGINE, size)
        self.index: Index = bench.index(need)
        self.expressions = bench.expressions(need)
        self._events = FreshEvents(not_compared(bench.workload(need.workload).events))
        self.checked_table = self.table(plan.checked)
        self.checked = dicts(self.checked_table)
        self.warm_table = self.table(plan.warm)
        self.warm = dicts(self.warm_table)
        self.asked = self.dicts(plan.asked)
        self.directory = Path(mkdtemp(prefix="eligo-neighbours-"))
        finalize(self, shutil.rmtree, self.directory, ignore_errors=True)
        self._write()
        self.expected = [np.sort(np.array(self.index.match(event), np.int64)) for event in self.checked]
        self.timed: dict[str, Timed] = {}
        """What was found of each neighbour."""
        self.of_way: dict[str, npt.NDArray[np.float64]] = {}
        """Microseconds an event, for each call of a way to ask Eligo."""
        self.of_process: dict[str, dict[str, Any]] = {}
        """What an index holds in a process that has built or opened it."""

    def table(self, count: int) -> pa.Table:
        """Events that no one has asked so far."""
        return self._events.take(count)

    def dicts(self, count: int) -> list[dict[str, Any]]:
        """The same as dicts."""
        return dicts(self.table(count))

    def _write(self) -> None:
        exchange.write_expressions(self.directory, self.expressions, self._events.events.column_names)
        for name, events in (
            (exchange.CHECKED, self.checked),
            (exchange.WARM, self.warm),
            (exchange.ASKED, self.asked),
        ):
            exchange.write_events(self.directory / name, events)

    def saved(self) -> Path:
        """Where the index is saved."""
        path = self.directory / "saved"
        if not path.exists():
            self.index.save(path)
        return path

    def ask(self, contender: Contender) -> Timed:
        """Run the harness of a neighbour, once."""
        if contender.name not in self.timed:
            self.timed[contender.name] = self._ask(contender)
        return self.timed[contender.name]

    def _ask(self, contender: Contender) -> Timed:
        refusal = contender.refusal(self.expressions.num_rows)
        if refusal is not None:
            raise RefusedError(refusal)
        reason = contenders.prepare(contender) if self.plan is FULL else contenders.missing(contender)
        if reason is not None:
            raise RefusedError(reason)
        harness = contender.harness
        path = harness.place()
        (self.directory / exchange.ANSWERS).unlink(missing_ok=True)
        return process.ask(
            harness.command(path),
            self.directory,
            lambda: self.compare(contender.title),
            warm_s=self.plan.warm_s,
            most_s=self.plan.most_s,
            longest_s=self.plan.longest_s,
            more=contender.more,
            environment=harness.environment(path),
        )

    def compare(self, title: str) -> None:
        """The answers of a harness with Eligo's."""
        answers = exchange.read_answers(self.directory)
        if len(answers) != len(self.expected):
            raise WrongAnswerError(f"{title} has answered {len(answers)} of {len(self.expected)} events")
        for event, found, expected in zip(self.checked, answers, self.expected, strict=True):
            if not np.array_equal(found, expected):
                only = np.setxor1d(found, expected)[:5].tolist()
                raise WrongAnswerError(f"{title} and Eligo disagree on the expressions {only}\nevent: {event}")


def dicts(events: pa.Table) -> list[dict[str, Any]]:
    """Rows without what an event does not have."""
    return [event_dict(row) for row in events.to_pylist()]


def race(bench: Bench, size: int) -> Race:
    """The race at a size, made once a run and kept: what is compared was not all asked at once."""
    key = ("neighbours", size)
    if key not in bench.contests:
        bench.contests[key] = Race(bench, size)
    found: Race = bench.contests[key]
    return found
