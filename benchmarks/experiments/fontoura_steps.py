"""How long does each step of Fontoura 2010 take? Index evaluation, sorting and expression evaluation, measured apart.

The paper's Figures 10 to 14. Its index evaluation is two steps here: finding conjunctions, and fetching their leaves.
Times are processor time of the thread, taken by the engines themselves; the median of rounds, in which both engines
take turns event by event.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from benchmarks.bench import Bench
from benchmarks.contest import Contender, Point
from benchmarks.experiment import Measurement, Outcome
from benchmarks.holding import compare_with_oracle, demand_agreement, one_thread, prepare
from eligo import EventBatch
from eligo.engines.fontoura.dewey_id import DeweyId
from eligo.engines.fontoura.fontoura_engine import STEPS, FontouraEngine
from eligo.engines.fontoura.interval_id import IntervalId

Step = Literal["total", "index evaluation", "sorting", "expression evaluation"]

KINDS: tuple[type[FontouraEngine], ...] = (DeweyId, IntervalId)
NUM_EVENTS = 100
"""Events a round at scale `full`, after those that engines may learn from."""
NUM_ROUNDS = 5
FEW_EVENTS, FEW_ROUNDS = 8, 2
"""At scale `small`."""


@dataclass(frozen=True)
class Steps:
    """Points at which the steps of both engines are timed."""

    unit: str
    """What `Point.at` counts."""
    points: tuple[Point, ...]

    def row(self, engine: str, point: Point, step: Step) -> Measurement:
        """What a step of an engine takes at a point."""
        return Measurement(
            "_".join([*self.unit.split(), f"{point.at:g}", engine, *step.split()]),
            f"{self.unit} {point.at:g}: {engine}, {step}",
            "ms an event",
            partial(self._figure, engine=engine, point=point, step=step),
            workloads=(point.workload,),
            engines=tuple(kind.name for kind in KINDS),
        )

    def _figure(self, bench: Bench, engine: str, point: Point, step: Step) -> Outcome:
        found = self.taken(bench, point)
        of_step = found["steps_ms"][engine][step]
        details = {"at": point.at, "unit": self.unit, **found} if step == "total" else {}
        return Outcome(of_step["median"], details, tuple(of_step["quartiles"]))

    def taken(self, bench: Bench, point: Point) -> dict[str, Any]:
        """What all steps take at a point; measured once in a run."""
        key = repr((self.unit, "steps", point))
        if key not in bench.contests:
            with one_thread():
                bench.contests[key] = time_steps(bench, point)
            gc.collect()
        found: dict[str, Any] = bench.contests[key]
        return found


def time_steps(bench: Bench, point: Point) -> dict[str, Any]:
    """Build both engines, compare them, and time their steps."""
    num_events, num_rounds = (NUM_EVENTS, NUM_ROUNDS) if bench.is_full else (FEW_EVENTS, FEW_ROUNDS)
    ground = prepare(bench, point, num_events, [num_events] * num_rounds)
    engines = {kind.name: kind.build(ground.table, ground.vocabulary, ground.sample) for kind in KINDS}
    contenders = [Contender(name, name) for name in engines]
    events = ground.events_for(contenders[0], ground.compared)
    answers = {name: [engine.match(event) for event in events] for name, engine in engines.items()}
    demand_agreement(answers, contenders)
    compared, num_matches = compare_with_oracle(ground, answers, contenders, point.missing, bench.seed)
    rounds: dict[str, list[npt.NDArray[np.float64]]] = {name: [] for name in engines}
    for asked in ground.rounds:
        events = ground.events_for(contenders[0], asked)
        before = {name: seconds_of(engine) for name, engine in engines.items()}
        match_by_turns(events, engines)
        for name, engine in engines.items():
            rounds[name].append(1e3 * (seconds_of(engine) - before[name]) / len(events))
    return {
        "num_expressions": ground.expressions.num_rows,
        "num_events": len(events),
        "selectivity": num_matches / ground.expressions.num_rows,
        "compared_with_oracle": compared,
        "steps_ms": {name: as_in_paper(np.array(times)) for name, times in rounds.items()},
    }


def seconds_of(engine: FontouraEngine) -> npt.NDArray[np.float64]:
    """What each step has taken so far; from now on it is counted."""
    engine.is_timed = True
    seconds = engine.stats().details["seconds"]
    return np.array([seconds[step] for step in STEPS])


def match_by_turns(events: list[EventBatch], engines: dict[str, FontouraEngine]) -> None:
    """Ask each event of each engine."""
    for event in events:
        for engine in engines.values():
            engine.match(event)


def as_in_paper(rounds: npt.NDArray[np.float64]) -> dict[Step, dict[str, Any]]:
    """From milliseconds of each round and step to the steps that the paper has, and their sum."""
    index, annotations, sorting, evaluation = rounds.T
    steps: dict[Step, npt.NDArray[np.float64]] = {
        "total": rounds.sum(axis=1),
        "index evaluation": index + annotations,
        "sorting": sorting,
        "expression evaluation": evaluation,
    }
    return {
        step: {"median": float(np.median(times)), "quartiles": np.quantile(times, (0.25, 0.75)).tolist()}
        for step, times in steps.items()
    }
