"""What does a growing tree cost, by its options? Trees that are grown side by side, compared, and asked in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from time import thread_time
from typing import Any

import numpy as np

from benchmarks.bench import Bench
from benchmarks.correctness import WrongAnswerError, event_dict
from benchmarks.timing import Action, interleave_fresh
from benchmarks.workloads.catalogue import variant
from eligo import parse
from eligo.engines.growing_tree.engine import GrowingTree
from eligo.engines.growing_tree.node_recipe import Recipe
from eligo.language.evaluate import matches as is_match
from eligo.language.tree import Expression

NUM_ROUNDS = 7
NUM_EVENTS = 64
"""Of a round; none comes in two."""
ALL_EVENTS = 7_000
"""That a workload has, as many as any experiment needs for all its rounds."""
NUM_COMPARED = 8
"""Events on which every tree is compared with the oracle, for `NUM_DRAWN` expressions and those that it returned."""
NUM_DRAWN = 200

Options = Mapping[str, bool]


@dataclass(frozen=True)
class Population:
    """A workload that is made for so many expressions, because its sharing depends on their number."""

    workload: str
    num_expressions: int
    """At scale `full`."""

    @property
    def name(self) -> str:
        """The workload, as experiments name it."""
        return variant(self.workload, num_expressions=self.num_expressions, num_events=ALL_EVENTS)

    def expressions(self, bench: Bench) -> list[Expression]:
        """All expressions, parsed; once in a run."""
        key = ("parsed", self)
        if key not in bench.contests:
            texts = bench.workload(self.name).expressions.column("expression").to_pylist()
            bench.contests[key] = [parse(text) for text in texts]
        found: list[Expression] = bench.contests[key]
        return found

    def events(self, bench: Bench, number: int = 0) -> list[dict[str, Any]]:
        """The events of a round."""
        num_events = NUM_EVENTS if bench.is_full else 8
        events = bench.workload(self.name).events
        if (number + 1) * num_events > events.num_rows:
            raise ValueError(f"round {number} needs more than {events.num_rows:,} events")
        return [event_dict(row) for row in events.slice(number * num_events, num_events).to_pylist()]

    def order(self, bench: Bench, number: int) -> list[int]:
        """The positions in an order of arrival; 0 is as they come."""
        num_expressions = len(self.expressions(bench))
        if number == 0:
            return list(range(num_expressions))
        drawn: list[int] = np.random.default_rng([bench.seed, number]).permutation(num_expressions).tolist()
        return drawn


def recipes(bench: Bench, population: Population, tree: GrowingTree, *, suppress: bool) -> list[Recipe]:
    """What the tree takes of each expression, which is the same for all trees that suppress zeros alike."""
    key = ("recipes", population, suppress)
    if key not in bench.contests:
        bench.contests[key] = [tree.recipe(expression) for expression in population.expressions(bench)]
    found: list[Recipe] = bench.contests[key]
    return found


def grow(bench: Bench, population: Population, options: Options, order: int = 0) -> tuple[GrowingTree, float]:
    """A tree, and how long its insertions took; parsing and the normal form are not in it."""
    tree = GrowingTree(**options)
    made = recipes(bench, population, tree, suppress=options.get("zero_suppression", True))
    positions = population.order(bench, order)
    started = thread_time()
    for position in positions:
        tree.put(position, made[position])
    return tree, thread_time() - started


def size_of(tree: GrowingTree, seconds: float) -> dict[str, Any]:
    """What a tree holds, and what its construction took."""
    stats = tree.stats()
    return {
        "construction_s": seconds,
        "nodes": stats.num_nodes,
        "edges": stats.num_edges,
        "bytes": {name: size for name, size in stats.bytes_by_array.items() if name != "match_state"},
        "levels": max(stats.nodes_by_level, default=0),
        "climbs": stats.num_climbs,
    }


def compare(tree: GrowingTree, population: Population, bench: Bench) -> int:
    """Compare a tree with the oracle on a sample; says how many pairs."""
    expressions = population.expressions(bench)
    chance = np.random.default_rng([bench.seed, 0xC0FFEE])
    num_pairs = 0
    for event in population.events(bench)[:NUM_COMPARED]:
        found = set(tree.match(event).tolist())
        drawn = [*chance.integers(0, len(expressions), NUM_DRAWN).tolist(), *sorted(found)[:20]]
        for position in drawn:
            if is_match(expressions[position], event, "unknown") != (position in found):
                raise WrongAnswerError(f"the growing tree and the oracle differ on {event}: {expressions[position]}")
        num_pairs += len(drawn)
    return num_pairs


def ask(tree: GrowingTree, events: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What matching an event does, on average."""
    counted = []
    for event in events:
        found = tree.match(event)
        last = tree.last_match()
        leaves = sum(len(queue) for queue in tree.last_queues()[:1])
        counted.append((len(found), last.num_nodes, last.num_predicates, last.num_propagations, leaves))
    names = ("matches", "nodes_touched", "predicates_evaluated", "results_propagated", "leaves_queued")
    return dict(zip(names, np.mean(counted, axis=0).tolist(), strict=True))


def race(bench: Bench, population: Population, variants: Mapping[str, Options]) -> dict[str, dict[str, Any]]:
    """Trees with these options: what they hold, what construction took, and what matching takes; once in a run."""
    key = repr((population, variants))
    if key in bench.contests:
        known: dict[str, dict[str, Any]] = bench.contests[key]
        return known
    events = population.events(bench)
    trees, found = {}, {}
    for label, options in variants.items():
        tree, seconds = grow(bench, population, options)
        trees[label] = tree
        found[label] = size_of(tree, seconds)
        found[label]["compared_with_oracle"] = compare(tree, population, bench)
        found[label]["an_event"] = ask(tree, events)
    times: dict[str, list[float]] = {label: [] for label in trees}
    rounds = count(1)

    def turns() -> dict[str, Action]:
        """Each tree with events that it was not asked so far."""
        fresh = population.events(bench, next(rounds))
        return {label: partial(_match_all, tree, fresh, times[label]) for label, tree in trees.items()}

    interleave_fresh(turns, NUM_ROUNDS if bench.is_full else 2)
    for label, rounds in times.items():
        measured = [1e3 * seconds / len(events) for seconds in rounds[1:]]  # the first was to warm up
        found[label]["ms_per_event"] = float(np.median(measured))
        found[label]["spread"] = np.percentile(measured, (25, 75)).tolist()
        found[label]["ms_per_event_rounds"] = measured
    bench.contests[key] = found
    return found


def _match_all(tree: GrowingTree, events: Sequence[Mapping[str, Any]], seconds: list[float]) -> None:
    started = thread_time()
    for event in events:
        tree.match(event)
    seconds.append(thread_time() - started)
