"""How do size and time grow with the depth of trees? Fontoura 2010, 5.3: Tables 2 and 3, Figures 7 to 11."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from benchmarks.bench import Bench
from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment, Measurement, Outcome
from benchmarks.experiments.fontoura_steps import Steps
from benchmarks.workloads.catalogue import variant
from eligo.data.expressions.expression_source import read_expressions
from eligo.engines.normal_forms import conjunctions
from eligo.errors import NormalFormTooLargeError
from eligo.language.limits import DEFAULT_LIMITS
from eligo.workloads import fontoura_trees

DEPTHS = (1, 2, 3, 4)
CONTENDERS = (
    Contender("interval_id", "interval_id", num_events=64),
    Contender("dewey_id", "dewey_id", num_events=64),
    Contender("k_index", "k_index", num_events=64),
    Contender("conjunction_scan", "conjunction_scan", num_events=64),
    Contender("scan", "scan", num_events=64),
)
"""Interval and Dewey ids, DNF expansion, scan with conjunction match, scan."""

TABLE_2: Mapping[int, Mapping[str, float]] = {
    1: {"dewey_id": 9.5, "interval_id": 9.5, "k_index": 55, "conjunction_scan": 373, "scan": 364},
    2: {"dewey_id": 18, "interval_id": 18, "k_index": 501, "conjunction_scan": 854, "scan": 836},
    3: {"dewey_id": 35, "interval_id": 35},
    4: {"dewey_id": 70, "interval_id": 70},
}
"""Megabytes; where the paper has NA, there is nothing."""

NUM_DRAWN = 20
"""Expressions whose normal forms Figure 7 averages."""
LARGEST_FORM = 1 << 22
"""Literals of a normal form beyond which it is given up."""

POINTS = tuple(Point(depth, variant("fontoura_trees", max_depth=depth)) for depth in DEPTHS)
CONTEST = Contest("depth", CONTENDERS, POINTS, most_seconds=4.0)
STEPS = Steps("depth", POINTS)


def expanded(bench: Bench, point: Point) -> Outcome:
    """Kilobytes of the disjunctive normal form of one tree: four bytes for each literal, and each conjunction."""
    texts = bench.workload(point.workload).expressions
    drawn = np.random.default_rng([bench.seed, 0xD7]).choice(texts.num_rows, NUM_DRAWN, replace=False)
    kilobytes: list[float] = []
    num_larger = 0
    for row in drawn.tolist():
        one = read_expressions(
            texts.slice(row, 1), schema=None, limits=DEFAULT_LIMITS, id="id", expression="expression"
        )
        _, table = one.encode("unknown")
        try:
            items = conjunctions(table, LARGEST_FORM)
        except NormalFormTooLargeError:
            num_larger += 1
            kilobytes.append(4 * LARGEST_FORM / 1e3)
            continue
        kilobytes.append(4 * (len(items.atoms) + items.num_items) / 1e3)
    about = {"kilobytes": kilobytes, "median": float(np.median(kilobytes)), "larger_than_counted": num_larger}
    return Outcome(float(np.mean(kilobytes)), about)


def selectivity(bench: Bench, point: Point) -> Outcome:
    """How many of all trees match a query, in per cent, as the generator counts it."""
    workload = bench.workload(point.workload)
    num_queries = min(workload.events.num_rows, fontoura_trees.MOST_CHECKED)
    return Outcome(100 * workload.report["selectivity"], {"num_queries": num_queries})


EXPERIMENT = Experiment(
    "fontoura_depth",
    "How do size and time grow with the depth of trees? (Fontoura 2010, Tables 2 and 3, Figures 7 to 11)",
    tuple(
        measurement
        for point in POINTS
        for measurement in (
            *(
                CONTEST.row(contender.label, point.at, "memory", paper=TABLE_2[int(point.at)].get(contender.label))
                for contender in CONTENDERS
            ),
            Measurement(
                f"depth_{point.at:g}_expanded",
                f"depth {point.at:g}: one tree in disjunctive normal form",
                "kB",
                partial(expanded, point=point),
                workloads=(point.workload,),
            ),
            Measurement(
                f"depth_{point.at:g}_selectivity",
                f"depth {point.at:g}: selectivity",
                "%",
                partial(selectivity, point=point),
                paper=100 * fontoura_trees.PAPER["selectivity"][int(point.at)],
                workloads=(point.workload,),
            ),
            *(CONTEST.row(contender.label, point.at) for contender in CONTENDERS),
            *(STEPS.row(engine, point, "total") for engine in ("dewey_id", "interval_id")),
            *(STEPS.row(engine, point, "expression evaluation") for engine in ("dewey_id", "interval_id")),
        )
    ),
)
