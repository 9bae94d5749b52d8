"""How does matching time change with the number of attributes? Whang 2009, Figure 15: the rare ones are left out."""

from __future__ import annotations

from benchmarks.contest import Contest, Point
from benchmarks.experiment import Experiment
from benchmarks.experiments.whang_contenders import DNF
from benchmarks.workloads.catalogue import variant

CONTEST = Contest(
    "dimensions", DNF, tuple(Point(at, variant("whang_contracts", used_dimensions=at)) for at in (20, 150, 1461))
)

EXPERIMENT = Experiment(
    "whang_fig15",
    "How does matching time change with the number of attributes? (Whang 2009, Figure 15)",
    (*CONTEST.rows(), *(CONTEST.growth(contender.label) for contender in DNF)),
)
