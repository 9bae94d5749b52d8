"""What do zero suppression and propagation on demand save? A-Tree 2021, Figure 10, in the tree that grows."""

from __future__ import annotations

from functools import partial

from benchmarks.bench import Bench
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.grown_trees import Population, race

POPULATIONS = (Population("abe_gen", 20_000), Population("ads_like", 10_000))
VARIANTS = {
    "neither": {"zero_suppression": False, "propagation_on_demand": False},
    "propagation on demand": {"zero_suppression": False, "propagation_on_demand": True},
    "zero suppression": {"zero_suppression": True, "propagation_on_demand": False},
    "both": {"zero_suppression": True, "propagation_on_demand": True},
}


def matching_time(bench: Bench, population: Population, label: str) -> Outcome:
    """What an event takes with one choice of options, and all else that is known of it."""
    found = race(bench, population, VARIANTS)[label]
    return Outcome(found["ms_per_event"], found, (found["spread"][0], found["spread"][1]))


def nodes_touched(bench: Bench, population: Population, label: str) -> Outcome:
    """Nodes that an event queues with one choice of options."""
    return Outcome(race(bench, population, VARIANTS)[label]["an_event"]["nodes_touched"])


EXPERIMENT = Experiment(
    "a_tree_fig10",
    "What do zero suppression and propagation on demand save? (A-Tree 2021, Figure 10)",
    tuple(
        Measurement(
            f"{population.workload}_{word}_{number}",
            f"`{population.workload}`, {title}: {label}",
            unit,
            partial(run, population=population, label=label),
            workloads=(population.name,),
        )
        for population in POPULATIONS
        for word, title, unit, run in (
            ("time", "matching", "ms an event", matching_time),
            ("nodes", "nodes touched", "nodes an event", nodes_touched),
        )
        for number, label in enumerate(VARIANTS, 1)
    ),
)
