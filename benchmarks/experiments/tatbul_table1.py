"""Do evaluations grow as Table 1 of Tatbul 2001 says? Fitted over sizes that grow by factors, at two overlaps.

Where a structure takes c n^p evaluations for n profiles, p is the slope of their logarithms: near 1 for O(n), and near
0 for O(log n), though above it, as the logarithm itself grows. The other fit is a + b log2 n, with the share of the
variance that it explains.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.bench import Bench
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.range_races import EVALUATIONS, NAIVE, race_profiles
from eligo.ranges.structures import STRUCTURES

SIZES = {"low": (100, 1_000, 10_000, 100_000), "high": (100, 300, 1_000, 3_000)}
"""Profiles at low and at high overlap; lists of elementary intervals are quadratic at high overlap."""
SPREAD = 10
"""Values of the axis on either side of the origin for each profile: with more profiles, more ends differ."""
INTERVAL = {"low": lambda num_profiles: 10, "high": lambda num_profiles: 17 * num_profiles}
"""By overlap: the size of intervals. At high overlap, about 98 % of pairs overlap at every size."""
PRINTED = {
    "cluster": "Ω(k log n), O(kn)",
    "elementary": "Ω(k), O(k log n)",
    "hybrid": "Θ(k log n)",
    "segment_tree": "Θ(k log n)",
    "interval_tree": "Ω(k log n), O(kn)",
}
"""What Table 1 says."""


def growth(bench: Bench, overlap: str) -> list[dict[str, Any]]:
    """Evaluations at each size; once in a run."""
    key = ("tatbul_table1", overlap)
    if key not in bench.contests:
        bench.contests[key] = [
            race_profiles(
                bench,
                num_profiles=number,
                timed=False,
                spread=SPREAD * number,
                skew=0.0,
                interval_size=INTERVAL[overlap](number),
            )
            for number in SIZES[overlap]
        ]
    found: list[dict[str, Any]] = bench.contests[key]
    return found


def exponent(bench: Bench, structure: str, overlap: str) -> Outcome:
    """The slope of the logarithms, with the other fit beside."""
    found = growth(bench, overlap)
    numbers = np.array([point["num_profiles"] for point in found], np.float64)
    counted = np.array([point["metrics"][EVALUATIONS][structure] for point in found])
    slope = np.polyfit(np.log(numbers), np.log(counted), 1)[0]
    per_doubling, constant = np.polyfit(np.log2(numbers), counted, 1)
    left = counted - (constant + per_doubling * np.log2(numbers))
    variance = float(((counted - counted.mean()) ** 2).sum())
    details = {
        "structure": structure,
        "series": overlap,
        "overlap": [point["overlap"] for point in found],
        "num_profiles": numbers.tolist(),
        "evaluations": counted.tolist(),
        "per_doubling": float(per_doubling),
        "explained": 1.0 - float((left**2).sum()) / variance if variance else 1.0,
        "printed": PRINTED.get(structure, "O(kn)"),
    }
    return Outcome(float(slope), details)


EXPERIMENT = Experiment(
    "tatbul_table1",
    "Do evaluations grow as Table 1 of Tatbul 2001 says?",
    tuple(
        Measurement(
            f"{overlap}_{structure}",
            f"{overlap} overlap: {structure}, p of n^p",
            "",
            partial(exponent, structure=structure, overlap=overlap),
        )
        for overlap in SIZES
        for structure in (*STRUCTURES, NAIVE)
    ),
)
