"""Are the best five found quicker than all? Whang 2009, Figure 19: 1M DNF and 0.4M CNF expressions, weighted."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import (
    CNF,
    CNF_LISTS,
    CNF_LISTS_TOP,
    CNF_TOP,
    K_INDEX,
    K_INDEX_LISTS,
    K_INDEX_LISTS_TOP,
    K_INDEX_TOP,
)
from benchmarks.workloads.catalogue import variant

MONTHS = (12, 1)
DNF_CONTEST = Contest(
    "months, DNF",
    (K_INDEX, K_INDEX_TOP, K_INDEX_LISTS, K_INDEX_LISTS_TOP),
    tuple(Point(at, variant("whang_contracts", weighted=True, months=at)) for at in MONTHS),
)
CNF_CONTEST = Contest(
    "months, CNF",
    (CNF, CNF_TOP, CNF_LISTS, CNF_LISTS_TOP),
    tuple(Point(at, variant("whang_contracts", form="cnf", weighted=True, months=at), 0.4) for at in MONTHS),
)

EXPERIMENT = Experiment(
    "whang_fig19",
    "Are the best five found quicker than all matches? (Whang 2009, Figure 19)",
    (
        *DNF_CONTEST.rows(),
        DNF_CONTEST.ratio("k_index", "k_index, top 5", 1, bar=1.0, paper=1.12),
        DNF_CONTEST.ratio(
            "k_index, lists as in the paper", "k_index, top 5, lists as in the paper", 1, bar=1.0, paper=1.12
        ),
        DNF_CONTEST.ratio("k_index, lists as in the paper", "k_index, top 5, lists as in the paper", 12, paper=0.84),
        *CNF_CONTEST.rows(),
        CNF_CONTEST.ratio("cnf", "cnf, top 5", 1, bar=1.0, paper=1.82),
        CNF_CONTEST.ratio("cnf, lists as in the paper", "cnf, top 5, lists as in the paper", 1, bar=1.0, paper=1.82),
        CNF_CONTEST.ratio("cnf, lists as in the paper", "cnf, top 5, lists as in the paper", 12, paper=1.54),
    ),
)
