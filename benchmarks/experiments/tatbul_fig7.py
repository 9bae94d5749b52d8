"""How does matching grow with the number of profiles? Tatbul 2001, Figure 7: two attributes, low overlap."""

from __future__ import annotations

from functools import partial

from benchmarks.range_races import Race, race_experiment, race_profiles

NUM_PROFILES = (100, 200, 400, 600, 800, 1_000)

EXPERIMENT = race_experiment(
    "tatbul_fig7",
    "How do evaluations and time grow with the number of profiles? (Tatbul 2001, Figure 7)",
    [Race("profiles", {number: partial(race_profiles, num_profiles=number) for number in NUM_PROFILES})],
)
