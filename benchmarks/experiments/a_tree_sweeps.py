"""How do time, memory and construction change with the workload? A-Tree 2021, Figures 11 to 13: the sweeps of Table 3.

The three figures are three readings of the same contests. Each sweep has all values of the paper's Table 3 but for the
number of expressions, which ends at a million; the others have fewer expressions than the paper's million.
"""

from __future__ import annotations

from typing import Any

from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.workloads.catalogue import variant

NUM_EXPRESSIONS = 20_000
NUM_DEEP = 2_000
"""Expressions of the sweep of depths, each of which has some 1,800 predicates at depth 6."""
NUM_EVENTS = 1_000
MOST_TRANSLATED = 100_000

CONTENDERS = (
    Contender("a_tree", "a_tree"),
    Contender("bdd", "bdd"),
    Contender("translation", "translation", only_up_to=MOST_TRANSLATED),
    Contender("bop", "bop"),
    Contender("interval_id", "interval_id"),
    Contender("scan", "scan"),
)


def sweep(title: str, parameter: str, values: tuple[float, ...], num_expressions: int = NUM_EXPRESSIONS) -> Contest:
    """All contenders over the values of one parameter of `abe_gen`, the others as they are by default."""
    points = []
    for value in values:
        parameters: dict[str, Any] = {"num_expressions": num_expressions, "num_events": NUM_EVENTS}
        if value != DEFAULTS.get(parameter):
            parameters[parameter] = value
        points.append(Point(value, variant("abe_gen", **parameters)))
    return Contest(title, CONTENDERS, tuple(points), most_seconds=0.2)


DEFAULTS: dict[str, float] = {
    "num_children": 4,
    "alpha": 0.6,
    "num_dimensions": 1_000,
    "cardinality": 100,
    "dimension_alpha": 0.45,
    "event_size": 20,
}
"""Values that stand for the default workload, which is the same point of several sweeps."""

SWEEPS = {
    "a": sweep("expressions", "num_expressions", (100_000, 300_000, 1_000_000)),
    "b": sweep("depth", "tree_depth", (1, 2, 3, 4, 5, 6), NUM_DEEP),
    "c": sweep("children", "num_children", (2, 4, 6, 8, 10, 12)),
    "d": sweep("α", "alpha", (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)),
    "e": sweep("dimensions", "num_dimensions", (30, 100, 300, 1_000, 3_000, 10_000)),
    "f": sweep("values of a dimension", "cardinality", (3, 10, 30, 100, 300, 1_000)),
    "g": sweep("α of dimensions", "dimension_alpha", (0.0, 0.2, 0.45, 0.6, 0.8, 1.0)),
    "h": sweep("values of an event", "event_size", (5, 10, 15, 20, 25, 30)),
}
"""The panels of Figure 12; those of Figures 11 and 13 are the first four."""

EXPERIMENT = Experiment(
    "a_tree_sweeps",
    "How do time, memory and construction change with the workload? (A-Tree 2021, Figures 11 to 13)",
    tuple(row for contest in SWEEPS.values() for row in contest.rows()),
)
