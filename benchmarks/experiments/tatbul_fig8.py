"""How does matching grow with overlap? Tatbul 2001, Figure 8: 100 profiles, with intervals of growing size."""

from __future__ import annotations

from functools import partial

from benchmarks.range_races import Race, race_experiment, race_profiles

SIZES = {10: 60, 25: 160, 50: 400, 75: 800, 90: 1_200, 98: 1_700}
"""By about how many per cent of pairs overlap: the size of the intervals."""

EXPERIMENT = race_experiment(
    "tatbul_fig8",
    "How do evaluations and time grow with overlap? (Tatbul 2001, Figure 8)",
    [
        Race(
            "per cent overlap",
            {share: partial(race_profiles, num_profiles=100, interval_size=size) for share, size in SIZES.items()},
        )
    ],
)
