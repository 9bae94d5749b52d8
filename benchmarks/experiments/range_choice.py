"""Which structure suits which ranges? By how many elementary intervals a range holds, and by how often ranges change.

The rules of `eligo.ranges.choose` come from here; under churn, `auto` is what they choose. There, so many ranges come
or go for each question: a change is an insert or a delete by turns, and the figure is for a question with its changes.
"""

from __future__ import annotations

from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.bench import Bench
from benchmarks.experiment import Experiment
from benchmarks.range_races import ANSWER, Race, floats_with_overlap, race_ranges
from eligo.ranges.range_index import RangeIndex
from eligo.ranges.structures import STRUCTURES

HELD = (5, 9, 17, 33, 65, 257)
"""Elementary intervals that a range holds on average."""
NUM_RANGES = 100_000
CHURN = (0.001, 0.01, 0.1, 1.0)
NUM_CHURNED = 20_000
NUM_QUESTIONS = 4_000
CONTENDERS = ("auto", *STRUCTURES)
CHURNED = "µs a question with its changes"


def ranges_that_hold(seed: int, held: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Ranges that begin anywhere from 0 to 1 and hold so many elementary intervals on average.

    A range has its own two ends and what is between them; each end of another that lies there adds two.
    """
    rng = np.random.default_rng([seed, held])
    starts = rng.random(NUM_RANGES)
    return starts, starts + (held - 3) / 2 / NUM_RANGES * rng.random(NUM_RANGES)


def race_churn(bench: Bench, churn: float) -> dict[str, Any]:
    """Questions with changes in between, on ranges of which one in a thousand pairs overlap."""
    num_ranges, num_questions = (NUM_CHURNED, NUM_QUESTIONS) if bench.is_full else (200, 20)
    starts, ends = floats_with_overlap(num_ranges, 0.001, bench.seed)
    metrics: dict[str, dict[str, float]] = {CHURNED: {}}
    for name in CONTENDERS:
        rng = np.random.default_rng([bench.seed, 3])
        index = RangeIndex(starts, ends, structure=name, churn=churn)
        live, due = list(range(num_ranges)), 0.0
        is_insert = True
        seconds = 0.0
        for value in rng.random(num_questions).tolist():
            due += churn
            started = perf_counter()
            while due >= 1:
                due -= 1
                if is_insert:
                    live.append(index.insert(value, value + 0.001))
                else:
                    place = int(rng.integers(len(live)))
                    live[place], live[-1] = live[-1], live[place]
                    index.delete(live.pop())
                is_insert = not is_insert
            index.containing(value)
            seconds += perf_counter() - started
        metrics[CHURNED][name] = 1e6 * seconds / num_questions
    return {"metrics": metrics, "refused": {}, "num_ranges": num_ranges}


HOLDING = Race(
    "intervals held",
    {held: partial(race_ranges, make=partial(ranges_that_hold, held=held)) for held in HELD},
    headline=ANSWER,
)
CHANGING = Race(
    "changes a question",
    {churn: partial(race_churn, churn=churn) for churn in CHURN},
    CONTENDERS,
    headline=CHURNED,
)

EXPERIMENT = Experiment(
    "range_choice",
    "Which structure suits which ranges?",
    (*HOLDING.measurements(), *CHANGING.measurements()),
)
