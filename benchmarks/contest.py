"""Who is quicker, and how does it change? Engines that take turns on the same events, at several points of a curve.

An experiment declares points and contenders; here they are built from one encoded table, compared with each other and
with the oracle, and timed event by event: processor time of the thread, the median of an event's rounds, the mean of
events. Every contender says which way through its engine is meant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter, thread_time
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError, event_dict
from benchmarks.experiment import Bar, Measurement, Outcome
from benchmarks.single_event import event_alone
from benchmarks.timing import interleave
from eligo import EventBatch, parse
from eligo.data.expressions.expression_source import read_expressions
from eligo.engines import registry
from eligo.engines.protocol import Engine
from eligo.language.evaluate import matches as is_match
from eligo.language.limits import DEFAULT_LIMITS

NUM_ROUNDS = 9
NUM_SAMPLE = 512
"""Events that engines may learn from; others are timed."""
BEST = 5
"""How many the ways `top` and `top_by_lists` ask for."""


@dataclass(frozen=True)
class Contender:
    """An engine, and the way through it."""

    label: str
    engine: str
    way: str = "match"
    """A method of the engine."""
    options: Mapping[str, Any] = field(default_factory=dict)
    num_events: int = 32
    """Events a round at scale `full`."""


@dataclass(frozen=True)
class Point:
    """A place on the curve."""

    at: float
    workload: str
    share: float = 1.0
    """Only this share of the workload's expressions, from the first on."""


@dataclass(frozen=True)
class Contest:
    """Contenders, and the points at which they meet."""

    unit: str
    """What `Point.at` counts."""
    contenders: tuple[Contender, ...]
    points: tuple[Point, ...]

    def rows(self) -> tuple[Measurement, ...]:
        """A row for each point: what the first contender takes, and all of them in the details."""
        first = self.contenders[0]
        return tuple(
            Measurement(
                f"{_word(self.unit)}_{point.at:g}",
                f"{self.unit} {point.at:g}: {first.label}",
                "ms an event",
                partial(self._at, point=point),
                workloads=(point.workload,),
                engines=tuple(dict.fromkeys(contender.engine for contender in self.contenders)),
            )
            for point in self.points
        )

    def ratio(
        self, slower: str, quicker: str, at: float, *, bar: float | None = None, paper: float | None = None
    ) -> Measurement:
        """How many times longer one contender takes than another at a point."""
        point = next(point for point in self.points if point.at == at)

        def run(bench: Bench) -> Outcome:
            times = self.held(bench, point)["ms_per_event"]
            return Outcome(times[slower] / times[quicker])

        return Measurement(
            f"{_word(slower)}_over_{_word(quicker)}_at_{at:g}",
            f"{self.unit} {at:g}: {slower} / {quicker}",
            "times",
            run,
            Bar(bar) if bar is not None else None,
            paper,
            workloads=(point.workload,),
            engines=tuple(item.engine for item in self.contenders if item.label in (slower, quicker)),
        )

    def growth(self, label: str, *, paper: float | None = None) -> Measurement:
        """How many times longer a contender takes at the last point than at the first."""
        first, last = self.points[0], self.points[-1]

        def run(bench: Bench) -> Outcome:
            return Outcome(
                self.held(bench, last)["ms_per_event"][label] / self.held(bench, first)["ms_per_event"][label]
            )

        return Measurement(
            f"growth_of_{_word(label)}",
            f"{self.unit} {first.at:g} to {last.at:g}: growth of {label}",
            "times",
            run,
            paper=paper,
            workloads=(first.workload, last.workload),
            engines=tuple(item.engine for item in self.contenders if item.label == label),
        )

    def _at(self, bench: Bench, point: Point) -> Outcome:
        found = self.held(bench, point)
        return Outcome(found["ms_per_event"][self.contenders[0].label], {"at": point.at, "unit": self.unit, **found})

    def held(self, bench: Bench, point: Point) -> dict[str, Any]:
        """What came of a point; the contest is held once in a run."""
        key = repr((self.unit, self.contenders, point))
        if key not in bench.contests:
            bench.contests[key] = hold(bench, point, self.contenders)
        found: dict[str, Any] = bench.contests[key]
        return found


def _word(label: str) -> str:
    return "_".join("".join(letter if letter.isalnum() else " " for letter in label).split())


def hold(bench: Bench, point: Point, contenders: Sequence[Contender]) -> dict[str, Any]:
    """Build, compare, and time all contenders at one point."""
    workload = bench.workload(point.workload)
    expressions = workload.expressions.slice(0, max(1, round(point.share * workload.expressions.num_rows)))
    given = read_expressions(expressions, schema=None, limits=DEFAULT_LIMITS, id="id", expression="expression")
    vocabulary, table = given.encode("unknown")
    most = max(contender.num_events for contender in contenders) if bench.is_full else 8
    table_of_events = workload.events.slice(0, min(workload.events.num_rows, NUM_SAMPLE + most))
    batch = EventBatch.from_arrow(table_of_events, vocabulary)
    num_sample = max(0, batch.num_events - most)
    sample = EventBatch.from_arrow(table_of_events.slice(0, num_sample), vocabulary) if num_sample else None
    weights = np.random.default_rng([bench.seed, 0x5EED]).random(len(batch.keys))  # as in Whang 2009: 0 to 1 for a key
    weights.flags.writeable = False
    weighted = batch._replace(key_weights=weights)
    rows = range(num_sample, batch.num_events)
    singles = [event_alone(batch, row) for row in rows]
    weighted_singles = [event_alone(weighted, row) for row in rows]

    engines: dict[str, Engine] = {}
    about: dict[str, Any] = {}
    for contender in contenders:
        key = f"{contender.engine} {dict(contender.options)}"
        if key not in engines:
            started = perf_counter()
            engines[key] = registry.get(contender.engine).build(table, vocabulary, sample, **contender.options)  # type: ignore[call-arg]
            stats = engines[key].stats()
            about[key] = {"build_s": round(perf_counter() - started, 3), "bytes": stats.num_bytes, **stats.details}
    ways = {
        contender.label: _way(engines[f"{contender.engine} {dict(contender.options)}"], contender.way)
        for contender in contenders
    }
    events_of = {
        contender.label: (weighted_singles if contender.way.startswith("top") else singles)[
            : contender.num_events if bench.is_full else most
        ]
        for contender in contenders
    }
    answers = {label: [way(event) for event in events_of[label]] for label, way in ways.items()}
    dicts = [event_dict(row) for row in table_of_events.slice(num_sample).to_pylist()]
    compared, num_matches = _compare(answers, contenders, expressions, dicts, bench.seed)
    seconds: dict[str, list[npt.NDArray[np.float64]]] = {label: [] for label in ways}
    walls = interleave(
        {label: partial(_match_each, way, events_of[label], seconds[label]) for label, way in ways.items()},
        NUM_ROUNDS if bench.is_full else 2,
    )
    of_event = {label: np.median(np.array(rounds[1:]), axis=0) for label, rounds in seconds.items()}
    return {
        "num_expressions": expressions.num_rows,
        "matching_share": num_matches / expressions.num_rows,
        "ms_per_event": {label: 1e3 * float(times.mean()) for label, times in of_event.items()},
        "wall_ms_per_event": {label: 1e3 * times.median / len(events_of[label]) for label, times in walls.items()},
        "num_events": {label: len(events) for label, events in events_of.items()},
        "engines": about,
        "compared_with_oracle": compared,
        "rounds_s": {label: times.rounds for label, times in walls.items()},
    }


def _way(engine: Engine, way: str) -> Callable[[EventBatch], Any]:
    method: Any = getattr(engine, way)
    if way.startswith("top"):
        return lambda event: method(event, BEST)
    return (lambda event: method(event).positions) if way == "match_by_lists" else method


def _match_each(
    way: Callable[[EventBatch], Any], events: Sequence[EventBatch], seconds: list[npt.NDArray[np.float64]]
) -> None:
    """Ask for each event; adds how long this thread was at work on each, which leaves out what others do meanwhile."""
    times = np.zeros(len(events))
    for place, event in enumerate(events):
        started = thread_time()
        way(event)
        times[place] = thread_time() - started
    seconds.append(times)


def _compare(
    answers: Mapping[str, list[Any]],
    contenders: Sequence[Contender],
    expressions: pa.Table,
    events: Sequence[Mapping[str, Any]],
    seed: int,
) -> tuple[int, float]:
    """Demand the same answers of all, and the oracle's for a sample; says how many pairs, and matches an event."""
    rng = np.random.default_rng([seed, 0xC0FFEE])
    matched = [contender.label for contender in contenders if not contender.way.startswith("top")]
    for contender in contenders:
        of_kind = [
            other.label for other in contenders if other.way.startswith("top") == (contender.label not in matched)
        ]
        for row, (one, other) in enumerate(zip(answers[contender.label], answers[of_kind[0]], strict=False)):
            if contender.label in matched:
                is_same = np.array_equal(one, other)
            else:
                is_same = np.array_equal(one.positions, other.positions) and np.array_equal(one.units, other.units)
            if not is_same:
                raise WrongAnswerError(f"{contender.label} and {of_kind[0]} differ on event {row}")
    found: list[npt.NDArray[np.uint32]] = max((answers[label] for label in matched), key=len)
    num_checked = min(16, len(found))
    drawn = [rng.integers(0, expressions.num_rows, 200)]
    drawn += [rng.permutation(found[row])[:10].astype(np.int64) for row in range(num_checked)]
    chosen = np.unique(np.concatenate(drawn))
    trees = [parse(text) for text in expressions.column("expression").take(pa.array(chosen)).to_pylist()]
    for row in range(num_checked):
        for tree, is_returned in zip(trees, np.isin(chosen, found[row]).tolist(), strict=True):
            if is_match(tree, events[row], "unknown") != is_returned:
                raise WrongAnswerError(f"{matched[0]} and the oracle differ on {events[row]}: {tree}")
    return num_checked * len(trees), float(np.mean([len(positions) for positions in found]))
