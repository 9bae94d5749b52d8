"""Do insertion and matching grow as A-Tree 2021, sections 4.3 and 5.4, says? Counted while a tree grows eightfold.

An insertion should cost by the size of the expression, whatever the tree holds: counted are the edges that it reads in
search of parts and wholes. Matching should touch |E| * N_v * N_l nodes: matching predicates, of which an event has
|E| * N_v, times levels.
"""

from __future__ import annotations

from functools import partial
from time import thread_time
from typing import Any

from benchmarks.bench import Bench
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.grown_trees import Population, ask, compare, recipes
from eligo.engines.growing_tree.engine import GrowingTree

POPULATIONS = (Population("abe_gen", 16_000), Population("ads_like", 8_000))
PARTS = 8
STEPS = (1, 2, 4, 8)
"""Eighths of the population at which the tree is looked at."""


def growth(bench: Bench, population: Population) -> dict[int, dict[str, Any]]:
    """What the insertions of the last eighth cost, and what matching costs, at each step; once in a run."""
    key = ("growth", population)
    if key in bench.contests:
        known: dict[int, dict[str, Any]] = bench.contests[key]
        return known
    tree = GrowingTree()
    made = recipes(bench, population, tree, suppress=True)
    events = population.events(bench)
    found = {}
    for part in range(PARTS):
        first, last = part * len(made) // PARTS, (part + 1) * len(made) // PARTS
        before = tree.stats()
        started = thread_time()
        for position in range(first, last):
            tree.put(position, made[position])
        seconds = thread_time() - started
        if part + 1 not in STEPS:
            continue
        after = tree.stats()
        an_event = ask(tree, events)
        num_levels = max(after.nodes_by_level)
        found[part + 1] = {
            "num_expressions": last,
            "climbs_per_insertion": (after.num_climbs - before.num_climbs) / (last - first),
            "nodes_per_insertion": (after.num_nodes - before.num_nodes) / (last - first),
            "us_per_insertion": 1e6 * seconds / (last - first),
            "an_event": an_event,
            "levels": num_levels,
            "share_of_product": an_event["nodes_touched"] / max(1.0, an_event["leaves_queued"] * num_levels),
        }
    found[PARTS]["compared_with_oracle"] = compare(tree, population, bench)
    bench.contests[key] = found
    return found


def at(bench: Bench, population: Population, step: int, name: str) -> Outcome:
    """One figure of a step."""
    found = growth(bench, population)[step]
    return Outcome(found[name], found)


def title(population: Population, step: int) -> str:
    """What the tree holds at a step, at scale `full`."""
    return f"`{population.workload}`, {step * population.num_expressions // PARTS:,} expressions"


EXPERIMENT = Experiment(
    "a_tree_growth",
    "Do insertion and matching grow as the paper says? (A-Tree 2021, sections 4.3 and 5.4)",
    tuple(
        Measurement(
            f"{population.workload}_{word}_{step}",
            f"{title(population, step)}: {what}",
            unit,
            partial(at, population=population, step=step, name=name),
            workloads=(population.name,),
        )
        for population in POPULATIONS
        for word, what, unit, name in (
            ("insertion", "an insertion reads", "edges", "climbs_per_insertion"),
            ("matching", "nodes touched / (matching predicates × levels)", "", "share_of_product"),
        )
        for step in STEPS
    ),
)
