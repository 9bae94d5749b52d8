"""How does matching time change with the size of expressions? Whang 2009, Figure 16: the exponent e is 3, 2.5 and 2."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import DNF
from benchmarks.workloads.catalogue import variant

CONTEST = Contest(
    "conjunctions an expression",
    DNF,
    tuple(
        Point(at, variant("whang_contracts", exponent=exponent))
        for at, exponent in ((1.6, 3.0), (2.3, 2.5), (3.5, 2.0))
    ),
)
PAPER = {
    "k_index, lists as in the paper": 1.9,
    "propagation, not deduplicated": 4.3,
    "sift, not deduplicated": 2.1,
}

EXPERIMENT = Experiment(
    "whang_fig16",
    "How does matching time change with the size of expressions? (Whang 2009, Figure 16)",
    (*CONTEST.rows(), *(CONTEST.growth(contender.label, paper=PAPER.get(contender.label)) for contender in DNF)),
)
