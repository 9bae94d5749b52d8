"""What do sharing, reorganisation and self-adjustment bring a tree that grows? A-Tree 2021, Figure 9, on `ads_like`.

The paper takes its ads alone. Expressions of `ads_like` are seldom parts of each other, so the edges of `abe_gen`,
which often are, stand beside.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from benchmarks.bench import Bench
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.grown_trees import Population, grow, race, size_of

POPULATION = Population("ads_like", 10_000)
OTHER = Population("abe_gen", 10_000)
VARIANTS = {
    "nothing shared": {"share": False},
    "sharing": {"reorganise": False, "self_adjust": False},
    "+ reorganisation": {"self_adjust": False},
    "+ self-adjustment": {},
}
NUM_ORDERS = 3
"""Orders of arrival: as the expressions come, and shuffled."""


def total_bytes(found: dict[str, Any]) -> float:
    """All flat arrays of a tree, in MiB."""
    return sum(found["bytes"].values()) / 2**20


COLUMNS = {
    "memory": ("MiB", total_bytes),
    "edges": ("edges", lambda found: found["edges"]),
    "construction": ("s", lambda found: found["construction_s"]),
    "matching": ("ms an event", lambda found: found["ms_per_event"]),
}


def measured(bench: Bench, label: str, column: str) -> Outcome:
    """One figure of one variant; the whole of it is in the details of its first row."""
    found = race(bench, POPULATION, VARIANTS)[label]
    value = float(COLUMNS[column][1](found))  # type: ignore[no-untyped-call]
    spread = (found["spread"][0], found["spread"][1]) if column == "matching" else None
    return Outcome(value, found if column == "memory" else {}, spread)


def in_orders(bench: Bench, population: Population, label: str) -> list[dict[str, Any]]:
    """What the tree of each order of arrival holds; once in a run."""
    key = ("orders", population, label)
    if key not in bench.contests:
        bench.contests[key] = [size_of(*grow(bench, population, VARIANTS[label], order)) for order in range(NUM_ORDERS)]
    found: list[dict[str, Any]] = bench.contests[key]
    return found


def edges(bench: Bench, population: Population, label: str) -> Outcome:
    """The edges of the tree whose expressions arrive as they come."""
    found = in_orders(bench, population, label)[0]
    return Outcome(found["edges"], found)


def variation(bench: Bench, population: Population, label: str) -> Outcome:
    """By how much the edges of the largest tree exceed those of the smallest, in orders of arrival."""
    found = in_orders(bench, population, label)
    edges = [size["edges"] for size in found]
    return Outcome(100 * (max(edges) / min(edges) - 1), {"edges": edges, "mib": [total_bytes(size) for size in found]})


EXPERIMENT = Experiment(
    "a_tree_fig9",
    "What do sharing, reorganisation and self-adjustment bring a tree that grows? (A-Tree 2021, Figure 9)",
    (
        *(
            Measurement(
                f"{column}_{number}",
                f"`ads_like`, {column}: {label}",
                unit,
                partial(measured, label=label, column=column),
                workloads=(POPULATION.name,),
            )
            for column, (unit, _) in COLUMNS.items()
            for number, label in enumerate(VARIANTS, 1)
        ),
        *(
            Measurement(
                f"{population.workload}_{word}_{number}",
                f"`{population.workload}`, {title}: {label}",
                unit,
                partial(run, population=population, label=label),
                workloads=(population.name,),
            )
            for population, word, title, unit, run in (
                (
                    POPULATION,
                    "orders",
                    f"edges in {NUM_ORDERS} orders of arrival, most over fewest",
                    "% more",
                    variation,
                ),
                (OTHER, "edges", "edges", "edges", edges),
                (OTHER, "orders", f"edges in {NUM_ORDERS} orders of arrival, most over fewest", "% more", variation),
            )
            for number, label in enumerate(VARIANTS, 1)
        ),
    ),
)
