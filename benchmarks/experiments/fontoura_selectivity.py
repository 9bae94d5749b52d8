"""How does evaluation grow with the share of trees that match? Fontoura 2010, 5.5: Figure 14."""

from __future__ import annotations

from benchmarks.contest import Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.fontoura_steps import Steps
from benchmarks.workloads.catalogue import variant

PER_CENT = (2, 5, 10, 14)
"""The paper prints no values. Without adjusting, 15 % of ours match at depth 3, and 11 % of the paper's."""

STEPS = Steps(
    "per cent",
    tuple(Point(share, variant("fontoura_trees", max_depth=3, selectivity=share / 100)) for share in PER_CENT),
)

EXPERIMENT = Experiment(
    "fontoura_selectivity",
    "How does evaluation grow with the share of trees that match? (Fontoura 2010, Figure 14)",
    tuple(
        STEPS.row(engine, point, step)
        for point in STEPS.points
        for step in ("total", "expression evaluation")
        for engine in ("dewey_id", "interval_id")
    ),
)
