"""How does matching time grow with the number of CNF expressions? Whang 2009, Figure 18: 0.2 to 1 million."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import CNF, CNF_LISTS, CNF_MONTHS, PSCAN, SCAN
from benchmarks.workloads.catalogue import variant

WORKLOAD = variant("whang_contracts", form="cnf", months=CNF_MONTHS)
CONTEST = Contest(
    "million expressions", (CNF, CNF_LISTS, PSCAN, SCAN), tuple(Point(at, WORKLOAD, at) for at in (0.2, 0.6, 1.0))
)

EXPERIMENT = Experiment(
    "whang_fig18",
    "How does matching time grow with the number of CNF expressions? (Whang 2009, Figure 18)",
    (
        *CONTEST.rows(),
        CONTEST.ratio("pscan", "cnf", 1.0, bar=1.9, paper=1.9),
        CONTEST.ratio("pscan", "cnf, lists as in the paper", 1.0, paper=1.9),
        CONTEST.ratio("scan", "cnf", 1.0, paper=10.5),
        CONTEST.ratio("scan", "cnf, lists as in the paper", 1.0, paper=10.5),
        CONTEST.ratio("pscan", "cnf", 0.2, paper=2.6),
        CONTEST.ratio("pscan", "cnf, lists as in the paper", 0.2, paper=2.6),
    ),
)
