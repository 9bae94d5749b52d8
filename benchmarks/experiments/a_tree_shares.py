"""How does the default engine's time depend on how much matches? 300,000 ads at 0.1, 1, 10 and 50 %.

Beside it stands what merely writing the answer takes: copying as many positions to new memory, for each event.
"""

from __future__ import annotations

from functools import partial
from time import thread_time

import numpy as np
import numpy.typing as npt

from benchmarks.bench import Bench
from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.timing import collector_paused
from benchmarks.workloads.catalogue import variant

SINGLE = Contender("a_tree", "a_tree", num_events=64)
BLOCK = Contender("a_tree, block", "a_tree", "match_batch", num_events=256)

NUM_EXPRESSIONS = 300_000
SIZES = {"num_expressions": NUM_EXPRESSIONS, "num_events": 4_500}
"""As many events as all rounds need."""

WORKLOADS = {
    0.1: variant("ads_like", **SIZES, match_share=0.001),
    1: variant("ads_like", **SIZES, match_share=0.01),
    10: variant("ads_like", **SIZES, match_share=0.1),
    50: variant("ads_like", **SIZES, match_share=0.5, or_roots=0.8),
}
"""For each share in per cent: the workload."""

CONTEST = Contest(
    "% matching",
    (SINGLE, BLOCK),
    tuple(Point(at, workload) for at, workload in WORKLOADS.items()),
    most_seconds=4.0,
)
NUM_ROUNDS = 9
COPIES = 64
"""Events whose answers are written in a round."""


def writing(bench: Bench, at: float) -> Outcome:
    """Milliseconds for an event's answer to be copied; as many positions as an event has on average."""
    found = CONTEST.held(bench, next(point for point in CONTEST.points if point.at == at))
    answer = np.arange(round(found["matching_share"] * found["num_expressions"]), dtype=np.uint32)
    times = []
    with collector_paused():
        for _ in range(NUM_ROUNDS):
            times.append(1e3 * copy_often(answer) / COPIES)
    low, value, high = np.quantile(times, (0.25, 0.5, 0.75)).tolist()
    return Outcome(value, {"num_positions": len(answer), "ms_of_rounds": times}, (low, high))


def copy_often(answer: npt.NDArray[np.uint32]) -> float:
    """Seconds of this thread for as many copies as a round has."""
    started = thread_time()
    for _ in range(COPIES):
        answer.copy()
    return thread_time() - started


def over_writing(bench: Bench, at: float) -> Outcome:
    """How many times as long as writing the answer it takes to find it."""
    found = CONTEST.held(bench, next(point for point in CONTEST.points if point.at == at))
    return Outcome(found["ms_per_event"][SINGLE.label] / writing(bench, at).value)


def rows(at: float) -> tuple[Measurement, ...]:
    """The rows of one share."""
    about = {"workloads": (WORKLOADS[at],), "engines": ("a_tree",)}
    return (
        CONTEST.row(SINGLE.label, at),
        CONTEST.row(BLOCK.label, at),
        Measurement(
            f"writing_{at:g}", f"% matching {at:g}: writing the answer", "ms an event", partial(writing, at=at), **about
        ),  # type: ignore[arg-type]
        Measurement(
            f"over_writing_{at:g}",
            f"% matching {at:g}: a_tree / writing the answer",
            "times",
            partial(over_writing, at=at),
            **about,
        ),  # type: ignore[arg-type]
    )


EXPERIMENT = Experiment(
    "a_tree_shares",
    "How does the default engine's time depend on how much matches?",
    tuple(row for at in WORKLOADS for row in rows(at)),
)
