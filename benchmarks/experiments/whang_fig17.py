"""How does matching time grow with the number of DNF expressions? Whang 2009, Figure 17: 0.2 to 1 million."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import DNF, SCAN

CONTEST = Contest(
    "million expressions", (*DNF, SCAN), tuple(Point(at, "whang_contracts", at) for at in (0.2, 0.6, 1.0))
)

PROPAGATION, SIFT = (1.58, 2.97), (11.2, 20.5)
"""Against the paper's algorithm, over all of the figure. Of SCAN it says "up to two orders of magnitude"."""

EXPERIMENT = Experiment(
    "whang_fig17",
    "How does matching time grow with the number of DNF expressions? (Whang 2009, Figure 17)",
    (
        *CONTEST.rows(),
        CONTEST.ratio("propagation, not deduplicated", "k_index", 1.0, bar=1.5, paper=PROPAGATION),
        CONTEST.ratio("sift, not deduplicated", "k_index", 1.0, bar=8, paper=SIFT),
        CONTEST.ratio("propagation", "k_index", 1.0),
        CONTEST.ratio("sift", "k_index", 1.0),
        CONTEST.ratio("propagation, not deduplicated", "k_index, lists as in the paper", 1.0, paper=PROPAGATION),
        CONTEST.ratio("sift, not deduplicated", "k_index, lists as in the paper", 1.0, paper=SIFT),
        CONTEST.ratio("scan", "k_index", 1.0),
        CONTEST.ratio("scan", "k_index, lists as in the paper", 1.0),
        CONTEST.ratio("propagation, not deduplicated", "k_index", 0.2, paper=PROPAGATION),
        CONTEST.ratio("sift, not deduplicated", "k_index", 0.2, paper=SIFT),
    ),
)
