"""How do size and time grow with the number of trees? Fontoura 2010, 5.4: Table 4, Figures 12 and 13."""

from __future__ import annotations

from benchmarks.contest import Contender, Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.fontoura_steps import Steps
from benchmarks.workloads.catalogue import variant

WORKLOAD = variant("fontoura_trees", max_depth=2, event_size=150, selectivity=0.5)
"""Trees of depth 2, half of which match; the size of events brings the share near that before it is adjusted."""
TABLE_4 = {10: 1.1, 20: 2.0, 50: 4.7, 100: 9.1, 150: 14}
"""Megabytes of Dewey and Interval ids for so many thousand trees."""

POINTS = tuple(Point(thousands, WORKLOAD, thousands / 150) for thousands in TABLE_4)
CONTEST = Contest(
    "thousand trees",
    (Contender("interval_id", "interval_id", num_events=64), Contender("dewey_id", "dewey_id", num_events=64)),
    POINTS,
    most_seconds=4.0,
)
STEPS = Steps("thousand trees", POINTS)

EXPERIMENT = Experiment(
    "fontoura_size",
    "How do size and time grow with the number of trees? (Fontoura 2010, Table 4, Figures 12 and 13)",
    tuple(
        measurement
        for point in POINTS
        for measurement in (
            *(
                CONTEST.row(engine, point.at, "memory", paper=TABLE_4[int(point.at)])
                for engine in ("interval_id", "dewey_id")
            ),
            *(STEPS.row(engine, point, "total") for engine in ("dewey_id", "interval_id")),
            *(STEPS.row(engine, point, "expression evaluation") for engine in ("dewey_id", "interval_id")),
        )
    ),
)
