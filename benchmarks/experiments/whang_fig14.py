"""How does matching time change with selectivity? Whang 2009, Figure 14: 1M DNF expressions, 12 months to one."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import DNF
from benchmarks.workloads.catalogue import variant

CONTEST = Contest("months", DNF, tuple(Point(at, variant("whang_contracts", months=at)) for at in (12, 4, 2, 1)))

PAPER = (11.2, 20.9)
"""SIFT against the paper's algorithm, over all of the figure; none is printed for Le Subscribe."""

EXPERIMENT = Experiment(
    "whang_fig14",
    "How does matching time change with selectivity? (Whang 2009, Figure 14)",
    (
        *CONTEST.rows(),
        CONTEST.ratio("sift, not deduplicated", "k_index", 12, paper=PAPER),
        CONTEST.ratio("sift, not deduplicated", "k_index", 1, paper=PAPER),
        CONTEST.ratio("sift, not deduplicated", "k_index, lists as in the paper", 1, paper=PAPER),
        CONTEST.ratio("propagation, not deduplicated", "k_index", 12),
        CONTEST.ratio("propagation, not deduplicated", "k_index", 1),
        CONTEST.ratio("propagation, not deduplicated", "k_index, lists as in the paper", 1),
    ),
)
