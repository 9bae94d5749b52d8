"""How does matching time grow with the number of CNF expressions? Whang 2009, Figure 18: 0.2 to 1 million."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import CNF, CNF_LISTS, CNF_MONTHS, PSCAN, PSCAN_APART, SCAN
from benchmarks.workloads.catalogue import variant

WORKLOAD = variant("whang_contracts", form="cnf", months=CNF_MONTHS)
CONTEST = Contest(
    "million expressions",
    (CNF, CNF_LISTS, PSCAN, PSCAN_APART, SCAN),
    tuple(Point(at, WORKLOAD, at) for at in (0.2, 0.6, 1.0)),
)
PAPERS_PSCAN, PAPERS_SCAN = (1.9, 2.6), (10.5, 12.7)
"""Against the paper's algorithm, over all of the figure."""

EXPERIMENT = Experiment(
    "whang_fig18",
    "How does matching time grow with the number of CNF expressions? (Whang 2009, Figure 18)",
    (
        *CONTEST.rows(),
        CONTEST.ratio("pscan", "cnf", 1.0, bar=1.9),
        CONTEST.ratio("pscan, not deduplicated", "cnf", 1.0, paper=PAPERS_PSCAN),
        CONTEST.ratio("pscan, not deduplicated", "cnf, lists as in the paper", 1.0, paper=PAPERS_PSCAN),
        CONTEST.ratio("scan", "cnf", 1.0, paper=PAPERS_SCAN),
        CONTEST.ratio("scan", "cnf, lists as in the paper", 1.0, paper=PAPERS_SCAN),
        CONTEST.ratio("pscan", "cnf", 0.2),
        CONTEST.ratio("pscan, not deduplicated", "cnf", 0.2, paper=PAPERS_PSCAN),
        CONTEST.ratio("pscan, not deduplicated", "cnf, lists as in the paper", 0.2, paper=PAPERS_PSCAN),
    ),
)
