"""What does an event cost that is compared with documents, beside nested loops? New offers against a catalogue.

Each point has so many profiles and documents. An event is asked once by each, in turn, and both must find the same; no
event was asked before. Nested loops are compiled and stop early, see `benchmarks.kernels.nested_loops`. Times are those
of the thread; Eligo's is from the event as a mapping to the ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median
from time import perf_counter, thread_time
from typing import Any

import numpy as np

import eligo
from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError
from benchmarks.experiment import Bar, Experiment, Measurement, Outcome
from benchmarks.kernels.nested_loops import flat_profiles, nested_loops
from eligo.workloads import offers

WORKLOAD = "offers"
NUM_SLOW = 9
"""Events that nested loops are asked."""
NUM_QUICK = 200
"""Events that only Eligo is asked, after those."""
WARM_UP = 8
SMALL = 500
"""The most profiles and documents at scale `small`."""


@dataclass(frozen=True)
class Point:
    """How many of each."""

    profiles: int
    documents: int

    @property
    def name(self) -> str:
        return f"{self.profiles // 1000}k_profiles_{self.documents // 1000}k_documents"

    @property
    def title(self) -> str:
        return f"{self.profiles:,} profiles, {self.documents:,} documents"


POINTS = (
    Point(100_000, 1_000),
    Point(100_000, 10_000),
    Point(100_000, 100_000),
    Point(1_000, 100_000),
    Point(10_000, 100_000),
)
LARGEST = Point(100_000, 100_000)


def compared(bench: Bench, point: Point) -> dict[str, Any]:
    """Both ways at a point, found once a run."""
    key = (WORKLOAD, point)
    if key not in bench.contests:
        bench.contests[key] = _compared(bench, point)
    found: dict[str, Any] = bench.contests[key]
    return found


def _compared(bench: Bench, point: Point) -> dict[str, Any]:
    num_profiles, num_documents = point.profiles, point.documents
    if not bench.is_full:
        num_profiles, num_documents = min(num_profiles, SMALL), min(num_documents, SMALL)
    workload = bench.workload(WORKLOAD)
    drawn = offers.draw(**workload.parameters)
    profiles = flat_profiles(drawn, num_profiles)
    documents = offers.catalogue(num_documents, bench.seed, workload.parameters)
    columns = np.ascontiguousarray(documents.T)
    started = perf_counter()
    index = eligo.build(workload.expressions.slice(0, num_profiles))
    built = perf_counter() - started
    base = eligo.DocumentBase()
    base.add_batch(offers.offers_table(documents))
    asked = workload.events.slice(0, WARM_UP + NUM_SLOW + NUM_QUICK).to_pylist()
    found = np.zeros(num_profiles, np.int64)
    started = perf_counter()
    index.match(asked[0], documents=base)
    first = perf_counter() - started
    nested_loops(profiles, columns[:, :1].copy(), drawn.offers[0], found)
    quick: list[float] = []
    slow: list[float] = []
    num_matches = 0
    for row, event in enumerate(asked):
        before = thread_time()
        matched = index.match(event, documents=base)
        elapsed = thread_time() - before
        if row < WARM_UP:
            continue
        quick.append(elapsed)
        num_matches += len(matched)
        if row < WARM_UP + NUM_SLOW:
            before = thread_time()
            count = nested_loops(profiles, columns, drawn.offers[row], found)
            slow.append(thread_time() - before)
            if sorted(matched) != found[:count].tolist():
                raise WrongAnswerError(f"event {row}: {len(matched)} matches, and {count} by nested loops")
    joins = {text.partition(" d")[2] for text in workload.expressions.slice(0, num_profiles)["expression"].to_pylist()}
    return {
        "quick_s": quick,
        "slow_s": slow,
        "build_s": round(built, 3),
        "first_event_s": round(first, 3),
        "distinct_joins": len(joins),
        "matches_an_event": round(num_matches / len(quick), 2),
        "compared_events": len(slow),
    }


def quick_time(bench: Bench, point: Point) -> Outcome:
    """What an event takes in the index."""
    found = compared(bench, point)
    times = np.array(found["quick_s"]) * 1e3
    low, high = np.percentile(times, [25, 75]).tolist()
    details = {name: value for name, value in found.items() if not name.endswith("_s") or name in DETAILS}
    return Outcome(float(np.median(times)), details | {"p99_ms": float(np.percentile(times, 99))}, (low, high))


DETAILS = ("build_s", "first_event_s")


def slow_time(bench: Bench, point: Point) -> Outcome:
    """What an event takes by nested loops."""
    times = np.array(compared(bench, point)["slow_s"]) * 1e3
    low, high = np.percentile(times, [25, 75]).tolist()
    return Outcome(float(np.median(times)), {"rounds_ms": times.tolist()}, (low, high))


def speed_up(bench: Bench, point: Point) -> Outcome:
    """How many times faster the index is, over the events that both were asked."""
    found = compared(bench, point)
    ratios = [slow / quick for slow, quick in zip(found["slow_s"], found["quick_s"], strict=False)]
    return Outcome(median(ratios), {"of_each_event": [round(ratio, 1) for ratio in ratios]})


EXPERIMENT = Experiment(
    "joins",
    "What does an event cost that is compared with documents, beside nested loops? (Tatbul 2001, 4.3.1)",
    tuple(
        Measurement(
            f"{point.name}_{name}",
            f"{point.title}: {title}",
            unit,
            partial(run, point=point),
            bar=Bar(100.0) if name == "speed_up" and point == LARGEST else None,
            workloads=(WORKLOAD,),
        )
        for point in POINTS
        for name, title, unit, run in (
            ("index", "the index", "ms an event", quick_time),
            ("nested", "nested loops", "ms an event", slow_time),
            ("speed_up", "nested loops take so many times as long", "times", speed_up),
        )
    ),
)
