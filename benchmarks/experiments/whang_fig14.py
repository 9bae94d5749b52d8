"""How does matching time change with selectivity? Whang 2009, Figure 14: 1M DNF expressions, 12 months to one."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import DNF
from benchmarks.workloads.catalogue import variant

CONTEST = Contest("months", DNF, tuple(Point(at, variant("whang_contracts", months=at)) for at in (12, 4, 2, 1)))

EXPERIMENT = Experiment(
    "whang_fig14",
    "How does matching time change with selectivity? (Whang 2009, Figure 14)",
    (
        *CONTEST.rows(),
        CONTEST.ratio("sift, not deduplicated", "k_index", 12, paper=20.9),
        CONTEST.ratio("sift, not deduplicated", "k_index", 1, paper=11.2),
        CONTEST.ratio("sift, not deduplicated", "k_index, lists as in the paper", 1, paper=11.2),
        CONTEST.ratio("propagation, not deduplicated", "k_index", 12),
        CONTEST.ratio("propagation, not deduplicated", "k_index", 1, paper=1.58),
        CONTEST.ratio("propagation, not deduplicated", "k_index, lists as in the paper", 1, paper=1.58),
    ),
)
