"""What do structures of ranges cost, from a thousand ranges to a million? At 1 and at 50 % overlap."""

from __future__ import annotations

from functools import partial

from benchmarks.range_races import LOOKUP, Race, floats_with_overlap, race_experiment, race_ranges

NUM_RANGES = (1_000, 10_000, 100_000, 1_000_000)
SHARES = {"at 1 % overlap, ranges": 0.01, "at 50 % overlap, ranges": 0.5}

EXPERIMENT = race_experiment(
    "range_sweep",
    "What do structures of ranges cost, from a thousand ranges to a million?",
    [
        Race(
            unit,
            {number: partial(race_ranges, make=partial(floats_with_overlap, number, share)) for number in NUM_RANGES},
            headline=LOOKUP,
        )
        for unit, share in SHARES.items()
    ],
)
